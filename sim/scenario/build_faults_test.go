package scenario

import (
	"slices"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/report"
)

// TestFaultsAreTold: the report knows the script as the upstream does, by name.
func TestFaultsAreTold(t *testing.T) {
	for i := range 2 {
		b := full(t, i)
		if len(b.Report.Faults) == 0 || len(b.Report.Faults) != len(b.Upstream.Faults) {
			t.Fatalf("%d faults are told of %d", len(b.Report.Faults), len(b.Upstream.Faults))
		}
		for i, f := range b.Upstream.Faults {
			told := b.Report.Faults[i]
			var models []string
			for _, m := range f.Models {
				models = append(models, b.Report.Models[m].Name)
			}
			seconds := func(d time.Duration) report.Num { return report.Num(d.Seconds()) }
			if told.Name != f.Name || faultKinds[told.Kind] != f.Kind || !slices.Equal(told.Models, models) ||
				told.FromS != seconds(f.At) || told.ToS != seconds(f.At+f.For) || told.EveryS != seconds(f.Every) || (told.Keys == nil) != (f.Keys == nil) {
				t.Errorf("told %+v of %+v", told, f)
			}
		}
	}
}

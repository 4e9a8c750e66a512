package sim

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// withoutMechanism are claims that nothing can be turned off in: their figures are the models'.
var withoutMechanism = []string{"benchmark-10k"}

// TestClaims: every claim's expectations are met, and fail once the mechanism that they are about is
// turned off, by the overrides that the scenario names itself.
func TestClaims(t *testing.T) {
	notUnderRace(t)
	files, err := filepath.Glob("../scenarios/claims/*.yaml")
	if err != nil || len(files) < 16 {
		t.Fatalf("%d claims, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			if s := claimStatus(t, file, nil); s != report.StatusPass {
				t.Errorf("as it is: %s", s)
			}
			off := headLine(t, file, "off") // the overrides that turn the mechanism off
			if slices.Contains(withoutMechanism, name) {
				return
			}
			if len(off) == 0 {
				t.Fatal("it does not say how its mechanism is turned off")
			}
			if s := claimStatus(t, file, off); s != report.StatusFail {
				t.Errorf("with %q: %s", off, s)
			}
		})
	}
}

func claimStatus(t *testing.T, file string, sets []string) string {
	t.Helper()
	sc, err := scenario.Load(file, sets)
	if err != nil {
		t.Fatal(err)
	}
	return mustRun(t, sc, Options{}).Verdict.Status
}

// TestReadmeShowsTheTournament: the README's table is what the tournament prints, on the architecture that it
// was made on.
func TestReadmeShowsTheTournament(t *testing.T) {
	notUnderRace(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the README's figures are of amd64")
	}
	sc, err := scenario.Load("../scenarios/claims/tournament.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := mustRun(t, sc, Options{})
	if again := mustRun(t, sc, Options{}); !bytes.Equal(asJSON(t, r), asJSON(t, again)) {
		t.Error("two runs differ (INV-4)")
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Variants {
		v := &r.Variants[i]
		p50 := 0.0
		for _, l := range v.Latency {
			if l.Metric == report.MetricTotal && l.By == (report.By{}) {
				p50 = float64(l.P50MS) / 1000
			}
		}
		row := fmt.Sprintf("| %s | %.2f | %.1f | %.2f | %.1f |\n", v.Name, float64(v.Throughput.RequestsPerS),
			100*float64(v.Totals.Succeeded)/float64(v.Totals.Requests), float64(v.Totals.Attempts)/float64(v.Totals.Requests), p50)
		if !strings.Contains(string(readme), row) {
			t.Errorf("the README lacks %s", row)
		}
	}
}

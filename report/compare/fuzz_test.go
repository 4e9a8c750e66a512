package compare

import (
	"math"
	"testing"
)

// FuzzSetThreshold: whatever is written, a threshold that is taken is a share of 0 or more, and one that is not changes nothing.
func FuzzSetThreshold(f *testing.F) {
	for _, seed := range []string{"2", "2%", "p99=2%", "p99{profile=notes}=0.5", `p99{profile="a=b"}=1`, "=", "1e308", "nan", "p99{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := Default()
		err := o.SetThreshold(text)
		if err != nil && (o.Threshold != nil || len(o.Thresholds) > 0) {
			t.Errorf("%q is refused and taken: %v", text, err)
		}
		if err == nil && o.Threshold == nil && len(o.Thresholds) != 1 {
			t.Errorf("%q is taken and sets nothing", text)
		}
		ok := func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }
		if o.Threshold != nil && !ok(*o.Threshold) {
			t.Errorf("%q: %v", text, *o.Threshold)
		}
		for name, x := range o.Thresholds {
			if !ok(x) {
				t.Errorf("%q: %s %v", text, name, x)
			}
		}
	})
}

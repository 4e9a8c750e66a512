package fit

import (
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

// fitted draws so many arrivals of a process and fits them, the first at 0.
func fitted(t *testing.T, a Arrivals, seed uint64, length time.Duration) (n int, got Arrivals) {
	t.Helper()
	at := draw(t, a, seed, length)
	for i := len(at) - 1; i >= 0; i-- {
		at[i] -= at[0]
	}
	last := at[len(at)-1]
	got, err := FitArrivals(at, last+last/time.Duration(len(at)-1))
	if err != nil {
		t.Fatal(err)
	}
	return len(at), got
}

// Ensure the rate of a few arrivals at a constant rate is constant, however fast they come, but for one time in
// twenty; and where chance makes parts of it, each is of ten arrivals at least.
func TestShortTracesAreNotCut(t *testing.T) {
	runs, cut := 0, 0
	for _, n := range []float64{25, 40, 100, 300, 900} {
		for _, rate := range []float64{1e-4, 0.01, 1, 20} {
			for seed := range uint64(10) {
				a := Arrivals{Steps: []Step{{0, rate}}, Kind: workload.ArrivalsPoisson}
				got, f := fitted(t, a, seed+1, time.Duration(n/rate*float64(time.Second)))
				runs++
				if len(f.Steps) > 1 {
					cut++
				}
				if len(f.Steps) > max(got/leastPart, 1) {
					t.Errorf("%v at %v/s, seed %d: %d parts of %d arrivals", n, rate, seed+1, len(f.Steps), got)
				}
			}
		}
	}
	if t.Logf("%d of %d constant rates are cut", cut, runs); cut > runs/20 {
		t.Errorf("%d of %d constant rates are cut", cut, runs)
	}
}

// Ensure a change of the rate that chance does not explain is found in a few arrivals too.
func TestShortTracesAreCutWhereTheyChange(t *testing.T) {
	const mid = 100 * time.Second
	for name, want := range map[string][]Step{
		"step":  {{0, 1}, {mid, 4}},
		"pause": {{0, 2}, {mid, 0}, {2 * mid, 2}},
		"burst": {{0, 0.5}, {mid, 8}, {mid + 20*time.Second, 0.5}},
	} {
		for seed := range uint64(5) {
			_, got := fitted(t, Arrivals{Steps: want, Kind: workload.ArrivalsPoisson}, seed+1, 3*mid)
			if len(got.Steps) != len(want) {
				t.Errorf("%s, seed %d: %v, want %v", name, seed+1, got.Steps, want)
				continue
			}
			for i, s := range got.Steps {
				if off := s.At - want[i].At; off.Abs() > 8*time.Second {
					t.Errorf("%s, seed %d: a step at %v, want %v", name, seed+1, s.At, want[i].At)
				}
			}
		}
	}
}

package sim

import (
	"testing"

	"github.com/seed-4fd17b57/simload/sim/scenario"

	"github.com/seed-4fd17b57/simload/report"
)

// TestGuardKnowsThatTheMeanIsJudged: one run of three may be over the bound alone.
func TestGuardKnowsThatTheMeanIsJudged(t *testing.T) {
	e, err := report.ParseExpect("retries <= 10")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reps, retries int
		stops         bool
	}{{0, 10, false}, {0, 11, true}, {1, 11, true}, {3, 30, false}, {3, 31, true}} {
		g := newGuard([]report.Expect{e}, &Options{Reps: c.reps, AbortOnFail: true})
		r := &run{set: &scenario.Built{}, tally: tally{retries: int64(c.retries)}}
		g.check(r)
		if g.stopped() != c.stops || r.halted != c.stops {
			t.Errorf("%d retries in one of %d runs: stopped %v", c.retries, c.reps, g.stopped())
		}
	}
}

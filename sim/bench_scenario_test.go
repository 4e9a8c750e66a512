package sim

import (
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// cost is what a scenario took.
type cost struct {
	per, total time.Duration
}

// scenarioCost is the time of scenarios/2000-agents.yaml, recording included: the best of
// three runs on one processor.
func scenarioCost(tb testing.TB) cost {
	tb.Helper()
	sc, err := scenario.Load("../scenarios/2000-agents.yaml", nil)
	if err != nil {
		tb.Fatal(err)
	}
	best := cost{total: time.Hour}
	for range 3 {
		start := time.Now()
		out, err := Run(sc, Options{})
		if err != nil {
			tb.Fatal(err)
		}
		if el := time.Since(start); el < best.total {
			best = cost{el / time.Duration(out.Requests), el}
		}
	}
	return best
}

// BenchmarkScenario runs 2000-agents.yaml whole, loading apart.
func BenchmarkScenario(b *testing.B) {
	sc, err := scenario.Load("../scenarios/2000-agents.yaml", nil)
	if err != nil {
		b.Fatal(err)
	}
	var requests int64
	for b.Loop() {
		out, err := Run(sc, Options{})
		if err != nil {
			b.Fatal(err)
		}
		requests += out.Requests
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(requests), "ns/request")
}

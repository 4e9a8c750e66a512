package sim

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// erlangC is the probability that a customer of M/M/c waits, for offered load a = lambda/mu
// below c (A. K. Erlang 1917; the stable recursion over the blocking probability of M/M/k/k).
func erlangC(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	rho := a / float64(c)
	return b / (1 - rho*(1-b))
}

func TestErlangCKnownValues(t *testing.T) {
	for _, c := range []struct {
		servers int
		a, want float64
	}{{1, .8, .8}, {4, 3.2, .59643}, {2, 1, 1.0 / 3}} {
		if got := erlangC(c.servers, c.a); math.Abs(got-c.want) > 1e-5 {
			t.Errorf("erlangC(%d, %v) = %v, want %v", c.servers, c.a, got, c.want)
		}
	}
}

// queueing is an M/M/c system made of simload's parts: a Poisson stream, a static limit of
// c, no other limits, and an exponential number of output tokens of 100 µs each, 10 000 on
// average.
func queueing(c int, rho float64, d time.Duration, seed uint64) *scenario.Built {
	must := workload.Must
	s := fleet(1, 1, 0, d)
	s.Workload.Agents = nil
	s.Workload.Seed = seed
	s.Workload.Profiles[0] = workload.Profile{
		Name: "p", Context: must(workload.Constant(1)), Output: must(workload.Exponential(10_000)), MaxOutput: 1_000_000,
	}
	s.Workload.Streams = []workload.Stream{{Name: "s", Rate: rho * float64(c), Arrivals: workload.ArrivalsPoisson, Clients: 1}}
	s.Stack.Quotas[0] = stack.Quota{Name: "q"}
	s.Upstream.Quotas[0] = mockupstream.Quota{Name: "q"}
	s.Upstream.Models[0].Capacity = nil
	s.Upstream.Models[0].Latency = mockupstream.Latency{PerOutputToken: 100 * time.Microsecond}
	s.Stack.Concurrency = stack.ConcurrencyConfig{Controller: "static", Start: c}
	s.Stack.Reserve = stack.ReserveConfig{}
	s.Stack.AgentCap = stack.AgentCapConfig{}
	s.Stack.Breaker.Enabled = false
	s.Stack.Queue = stack.QueueConfig{Bound: 1, Overflow: stack.OverflowBlock}
	s.Report.Warmup = d / 20
	return s
}

// meanWait runs one replication and returns the mean time in the queue, in seconds, of the
// measured customers.
func meanWait(t *testing.T, set *scenario.Built) float64 {
	t.Helper()
	r, err := newRun(set)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.execute(); err != nil {
		t.Fatal(err)
	}
	v := r.rec.Finish(r.closing())
	if !v.Laws.ConservationOK || !v.Laws.BooksAgree || v.Totals.Succeeded != v.Totals.Requests {
		t.Fatalf("laws %+v, totals %+v", v.Laws, v.Totals)
	}
	for _, l := range v.Latency {
		if l.Metric == report.MetricQueue && l.By == (report.By{}) {
			return float64(l.MeanMS) / 1000
		}
	}
	t.Fatal("no queue latency")
	return 0
}

// notUnderRace skips what is about numbers and takes long in the short tier, which is that of the race detector: runs that
// others hold side by side there, too.
func notUnderRace(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("statistics of runs whose goroutines other tests race")
	}
}

// TestErlangC holds the mean wait of M/M/1, M/M/4 and M/M/16 against theory, by the
// 99.9 % interval of independent replications, whose half-width must be under 3 %.
func TestErlangC(t *testing.T) {
	notUnderRace(t)
	for _, c := range []struct {
		servers int
		rho     float64
		reps    int
		length  time.Duration
	}{{1, .7, 40, 80_000 * time.Second}, {4, .8, 40, 30_000 * time.Second}, {16, .8, 40, 28_000 * time.Second}} {
		t.Run(fmt.Sprintf("c=%d", c.servers), func(t *testing.T) {
			want := erlangC(c.servers, c.rho*float64(c.servers)) / (float64(c.servers) * (1 - c.rho))
			waits := make([]float64, c.reps)
			inParallel(c.reps, func(i int) {
				waits[i] = meanWait(t, queueing(c.servers, c.rho, c.length, uint64(i)+1))
			})
			mean, sd := stat.MeanStdDev(waits, nil)
			half := distuv.StudentsT{Nu: float64(c.reps - 1), Sigma: 1}.Quantile(1-.001/2) * sd / math.Sqrt(float64(c.reps))
			t.Logf("M/M/%d at %.0f %%: wait %.5f s ± %.5f (%.2f %%), Erlang C %.5f s", c.servers, 100*c.rho, mean, half, 100*half/want, want)
			if math.Abs(mean-want) > half {
				t.Errorf("mean wait %.5f ± %.5f s, Erlang C says %.5f s", mean, half, want)
			}
			if half > .03*want {
				t.Errorf("half-width %.5f s is over 3 %% of %.5f s", half, want)
			}
		})
	}
}

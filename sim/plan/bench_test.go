package plan

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"gonum.org/v1/gonum/stat"
)

var benchTable = flag.Bool("bench.table", false, "measure a sweep beside a spinning loop (make bench-plan)")

// spin keeps a processor busy with arithmetic that touches no memory.
func spin(n int) uint64 {
	x := uint64(n) | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// spinOn spins n steps twice: one after the other on one processor, side by side on two.
func spinOn(processors, n int) time.Duration {
	runtime.GOMAXPROCS(processors)
	start := time.Now()
	var wg sync.WaitGroup
	var sums [2]uint64
	for i := range sums {
		wg.Go(func() { sums[i] = spin(n) })
	}
	wg.Wait()
	runtime.KeepAlive(sums)
	return time.Since(start)
}

// benchFleet is 2000-agents at a quarter of its size, for ten minutes: 500 agents.
func benchFleet(tb testing.TB) *scenario.Scenario {
	tb.Helper()
	sc, err := scenario.Load("../../scenarios/2000-agents.yaml", []string{
		"duration=10m", "warmup=1m", "workload.agents.researchers.count=475", "workload.agents.cleaners.count=25",
	})
	if err != nil {
		tb.Fatal(err)
	}
	return sc
}

// TestBenchSweep runs a frontier of 400 points with five replications, on one processor and on two, and a spinning loop between its
// parts, so that whatever else the machine does hits all four alike.
func TestBenchSweep(t *testing.T) {
	if !*benchTable {
		t.Skip("only with -bench.table (make bench-plan)")
	}
	if runtime.NumCPU() < 2 {
		t.Skip("needs two processors")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	const parts = 10
	sc := benchFleet(t)
	sweepOn := func(processors, part int) (time.Duration, int) {
		runtime.GOMAXPROCS(processors)
		// A part is two values of the first axis by twenty of the second.
		p, err := New(sc, Config{Reps: 5, Vary: []string{
			fmt.Sprintf("upstreams.anthropic.keys.an.count=%d..%d", 1+2*part, 2+2*part), keysOf("openai", "oa") + "10..29",
		}})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		r, err := p.Run(Session{})
		if err != nil {
			t.Fatal(err)
		}
		return time.Since(start), r.Runs
	}
	warm, _ := sweepOn(1, 0)
	steps := 1 << 20
	steps = int(float64(steps) * float64(warm) / float64(spinOn(1, steps)))
	var sweeps, spins [3]time.Duration
	speedup := func(d [3]time.Duration) float64 { return float64(d[1]) / float64(d[2]) }
	var ratios []float64
	var made [3]int // runs
	for part := range parts {
		var sweep, spin [3]time.Duration
		for _, n := range []int{1, 2} {
			spin[n] = spinOn(n, steps)
			elapsed, k := sweepOn(n, part)
			sweep[n], made[n] = elapsed, made[n]+k
			sweeps[n], spins[n] = sweeps[n]+sweep[n], spins[n]+spin[n]
		}
		ratios = append(ratios, 100*speedup(sweep)/speedup(spin))
	}
	runs := made[2]
	slices.Sort(ratios)
	w := os.Stdout
	fmt.Fprintf(w, "frontier of 400 points x 5 replications, 500 agents for 10 minutes: %d runs\n", runs)
	fmt.Fprintf(w, "sweep          one processor %7.1f s   two %7.1f s   speed-up %.2f   %.1f ms a run on two\n", sweeps[1].Seconds(), sweeps[2].Seconds(), speedup(sweeps), 1000*sweeps[2].Seconds()/float64(runs))
	fmt.Fprintf(w, "spinning loop  one processor %7.1f s   two %7.1f s   speed-up %.2f\n", spins[1].Seconds(), spins[2].Seconds(), speedup(spins))
	quantile := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, ratios, nil) }
	fmt.Fprintf(w, "the sweep has %.1f %% of the spinning loop's speed-up (goal: 95 %%); of its %d parts the median has %.1f %%, the middle half %.1f to %.1f %%\n",
		100*speedup(sweeps)/speedup(spins), parts, quantile(.5), quantile(.25), quantile(.75))
}

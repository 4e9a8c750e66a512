package plan

import (
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
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

// spinTwice spins n steps twice: one after the other on one processor, side by side on two.
func spinTwice(n int) {
	var wg sync.WaitGroup
	var sums [2]uint64
	for i := range sums {
		wg.Go(func() { sums[i] = spin(n) })
	}
	wg.Wait()
	runtime.KeepAlive(sums)
}

// turns are the processors that each part of the benchmark has, one after the other. Two processors of one machine need not be as fast
// as each other, as when a neighbour shares a core with one of them: so each is tried alone, and what two are worth is the sum.
var turns = [...][]int{{0}, {0, 1}, {1}, {0, 1}}

// timings are what the same work took in each turn.
type timings [len(turns)]time.Duration

func (t *timings) add(o timings) {
	for i := range t {
		t[i] += o[i]
	}
}

func (t *timings) alone() float64    { return (1/t[0].Seconds() + 1/t[2].Seconds()) / 2 } // times a second, on one processor
func (t *timings) together() float64 { return 2 / (t[1] + t[3]).Seconds() }               // on two
func (t *timings) speedup() float64  { return t.together() / t.alone() }

// in gives the process the processors of a turn, and returns how long f takes there.
func in(tb testing.TB, turn []int, f func()) time.Duration {
	tb.Helper()
	if err := pin(turn); err != nil {
		tb.Fatal(err)
	}
	runtime.GOMAXPROCS(len(turn))
	runtime.GC()
	start := time.Now()
	f()
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

// benchPart sweeps two values of the first axis by ten of the second, and returns the number of runs: short enough for the turns to
// meet the same neighbours.
func benchPart(tb testing.TB, sc *scenario.Scenario, part int) int {
	tb.Helper()
	first, second := part/2*2, part%2*10
	p, err := New(sc, Config{Reps: 5, Vary: []string{
		fmt.Sprintf("upstreams.anthropic.keys.an.count=%d..%d", first+1, first+2), fmt.Sprintf("%s%d..%d", keysOf("openai", "oa"), second+10, second+19),
	}})
	if err != nil {
		tb.Fatal(err)
	}
	r, err := p.Run(Session{})
	if err != nil {
		tb.Fatal(err)
	}
	return r.Runs
}

// TestBenchSweep runs a frontier of 400 points with five replications, on either of two processors and on both, and a spinning loop
// between its parts, so that whatever else the machine does hits all alike.
func TestBenchSweep(t *testing.T) {
	if !*benchTable {
		t.Skip("only with -bench.table (make bench-plan)")
	}
	if runtime.NumCPU() < 2 {
		t.Skip("needs two processors")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer func() { _ = pin([]int{0, 1}) }()           // both, as far as this test goes
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	const parts = 20
	sc := benchFleet(t)
	steps := 1 << 24
	warm := in(t, turns[0], func() { benchPart(t, sc, 0) })
	// A loop is as fast now as it was before: a quarter of the sweep's time tells enough.
	steps = int(float64(steps) / 4 * float64(warm) / float64(in(t, turns[0], func() { spinTwice(steps) })))
	var sweeps, spins timings
	var ratios []float64 // of the parts, in percent
	runs := 0
	for part := range parts {
		var sweep, spin timings
		for i, turn := range turns {
			spin[i] = in(t, turn, func() { spinTwice(steps) })
			made := 0
			sweep[i] = in(t, turn, func() { made = benchPart(t, sc, part) })
			runs += made
		}
		sweeps.add(sweep)
		spins.add(spin)
		ratios = append(ratios, 100*sweep.speedup()/spin.speedup())
		fmt.Fprintf(os.Stderr, "\rpart %d of %d: %.1f %% ", part+1, parts, ratios[part])
	}
	runs /= len(turns)
	w := os.Stdout
	fmt.Fprintf(w, "frontier of 400 points x 5 replications, 500 agents for 10 minutes: %d runs\n", runs)
	row := func(name string, d timings) {
		fmt.Fprintf(w, "%-14s processor A alone %6.1f s   B alone %6.1f s   both %6.1f s   speed-up %.2f\n",
			name, d[0].Seconds(), d[2].Seconds(), 1/d.together(), d.speedup())
	}
	row("sweep", sweeps)
	row("spinning loop", spins)
	mean, sd := stat.MeanStdDev(ratios, nil)
	half := distuv.StudentsT{Sigma: 1, Nu: parts - 1}.Quantile(.975) * sd / math.Sqrt(parts)
	fmt.Fprintf(w, "the sweep has %.1f %% of the spinning loop's speed-up (goal: 95 %%); mean of its %d parts %.1f %%, 95 %% interval %.1f to %.1f %%; %.1f ms a run on both\n",
		100*sweeps.speedup()/spins.speedup(), parts, mean, mean-half, mean+half, 1000/sweeps.together()/float64(runs))
}

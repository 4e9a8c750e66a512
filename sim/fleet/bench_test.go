//go:build unix

package fleet

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

var benchTable = flag.Bool("bench.table", false, "measure sweeps by workers beside the pool of one process (make bench-fleet)")

// benchRuns is the number of runs of a measured sweep, and benchRounds how often each way is measured, in turn with the others, so that
// whatever else the machine does hits all alike.
const (
	benchRuns   = 120
	benchRounds = 3
)

// TestBenchFleet measures how many runs a second a sweep makes: in one process on one processor and on all, and by 1, 2 and 4 worker processes that
// take one run at a time.
func TestBenchFleet(t *testing.T) {
	if !*benchTable {
		t.Skip("only with -bench.table (make bench-fleet)")
	}
	sc, err := scenario.Load("../../scenarios/2000-agents.yaml", []string{
		"duration=5m", "warmup=1m", "workload.agents.researchers.count=475", "workload.agents.cleaners.count=25",
	})
	if err != nil {
		t.Fatal(err)
	}
	all := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(all)
	ways := []struct {
		name string
		run  func(sim.Options) error
	}{
		{"pool, one processor", local(sc, 1)},
		{fmt.Sprintf("pool, all %d processors", all), local(sc, all)},
		{"1 worker", distributed(t, sc, 1)},
		{"2 workers", distributed(t, sc, 2)},
		{"4 workers", distributed(t, sc, 4)},
	}
	took := make([]time.Duration, len(ways))
	for round := range benchRounds {
		for i, way := range ways {
			seed := uint64(1 + round) // of its own, or the results would be there already
			begun := time.Now()
			if err := way.run(sim.Options{Seed: &seed, Reps: benchRuns}); err != nil {
				t.Fatal(err)
			}
			took[i] += time.Since(begun)
		}
	}
	w := os.Stdout
	fmt.Fprintf(w, "sweeps of %d runs, 500 agents for five minutes, %d processors; each way %d times\n", benchRuns, all, benchRounds)
	for i, way := range ways {
		fmt.Fprintf(w, "%-24s %7.2f s   %7.1f runs/s   %5.2f of one processor   %5.2f of all\n", way.name, took[i].Seconds(),
			benchRuns*benchRounds/took[i].Seconds(), took[0].Seconds()/took[i].Seconds(), took[1].Seconds()/took[i].Seconds())
	}
}

// local runs a sweep in this process.
func local(sc *scenario.Scenario, processors int) func(sim.Options) error {
	return func(o sim.Options) error {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		_, err := sim.Run(sc, o)
		return err
	}
}

// distributed runs a sweep by worker processes. Each way has a server and workers of its own, which wait while the others are measured.
func distributed(t *testing.T, sc *scenario.Scenario, workers int) func(sim.Options) error {
	addr := addresses(t, 1)[0]
	ready(t, []*process{start(t, "server", "NODE_LISTEN="+addr, "NODE_DIR="+t.TempDir())})
	url := "nats://" + addr
	ready(t, crew(t, url, "v1", workers, 1, "GOMAXPROCS=1"))
	b, err := bus.Open(t.Context(), bus.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return func(o sim.Options) error {
		job, err := RunJob("v1", &o)
		if err != nil {
			return err
		}
		s, err := Submit(t.Context(), b, job, sc, Settings{}, func(text string) { t.Log(text) })
		if err != nil {
			return err
		}
		defer s.Close()
		_, err = s.Run(t.Context(), sc, o)
		return err
	}
}

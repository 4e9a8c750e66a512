package workload_test

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

// Two agents ask every 20 s, half a period apart; their prompts grow by 500 tokens a
// round. A stream adds a request every 25 s.
func Example() {
	constant := func(v float64) workload.Dist { return workload.Must(workload.Constant(v)) }
	w, err := workload.New(workload.Config{
		Seed:     1,
		Duration: 50 * time.Second,
		Profiles: []workload.Profile{{
			Name: "literature", Interval: constant(20),
			Context: constant(4000), Growth: constant(500), Output: constant(300), MaxOutput: 1000,
		}},
		Agents: []workload.AgentGroup{{
			Name: "readers", Count: 2, Stagger: 20 * time.Second,
			Phases: []workload.Phase{{Rounds: constant(2)}},
		}},
		Streams: []workload.Stream{{Name: "cron", Rate: 0.04, Clients: 1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	for source := range w.Sources() {
		for d, ok := w.Next(source); ok; d, ok = w.Next(source) {
			fmt.Println(source, d.Intended, "task", d.Task, "round", d.Op, "prompt", d.In, "seen", d.Prefix)
		}
	}
	// Output:
	// 0 0s task 0 round 0 prompt 4000 seen 0
	// 0 20s task 0 round 1 prompt 4500 seen 4000
	// 0 40s task 1 round 0 prompt 4000 seen 0
	// 1 10s task 0 round 0 prompt 4000 seen 0
	// 1 30s task 0 round 1 prompt 4500 seen 4000
	// 2 0s task 0 round 0 prompt 4000 seen 0
	// 2 25s task 1 round 0 prompt 4000 seen 0
}

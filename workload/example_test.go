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

// A ramp from 0 to 2 requests per second within 4 s, then 2 per second for 2 s: the
// areas are 4 and 4.
func ExampleStages() {
	w, err := workload.New(workload.Config{
		Duration: 6 * time.Second,
		Profiles: []workload.Profile{{Name: "ask"}},
		Streams: []workload.Stream{{Clients: 1, Curve: &workload.Curve{Points: workload.Stages(
			workload.Stage{For: 4 * time.Second, From: 0, To: 2},
			workload.Stage{For: 2 * time.Second, From: 2, To: 2},
		)}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	for d, ok := w.Next(0); ok; d, ok = w.Next(0) {
		fmt.Print(d.Intended.Round(time.Millisecond), " ")
	}
	// Output:
	// 2s 2.828s 3.464s 4s 4.5s 5s 5.5s
}

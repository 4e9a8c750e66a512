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

// Two processes give the load of one: each has a part of the agents, with the very demands that they have in the whole.
func ExampleShare() {
	ask := workload.Profile{
		Interval: workload.Must(workload.Constant(10)), Context: workload.Must(workload.Constant(1000)), Output: workload.Must(workload.Constant(100)),
	}
	for i := range 2 {
		w, err := workload.New(workload.Config{
			Seed: 1, Duration: 30 * time.Second, Profiles: []workload.Profile{ask},
			Agents: []workload.AgentGroup{{Count: 3, Stagger: 9 * time.Second, Phases: []workload.Phase{{Rounds: workload.Must(workload.Constant(5))}}}},
			Share:  workload.Share{Index: i, Count: 2},
		})
		if err != nil {
			panic(err)
		}
		for source := range w.Sources() {
			if d, ok := w.Next(source); ok {
				fmt.Printf("process %d: agent %d asks first at %v\n", i, d.Client, d.Intended)
			}
		}
	}
	// Output:
	// process 0: agent 0 asks first at 0s
	// process 0: agent 2 asks first at 6s
	// process 1: agent 1 asks first at 3s
}

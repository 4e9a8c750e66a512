package plan_test

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/sim/plan"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// How many keys does the starter scenario's fleet need?
func Example() {
	sc, err := scenario.Parse("starter.yaml", scenario.Starter(), []string{"duration=90s", "warmup=10s"})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := plan.New(sc, plan.Config{
		Vary:       []string{"upstreams.openai.keys.main.count=1..6"},
		Objectives: []string{"p95 < 20s"},
		Reps:       5,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := p.Run(plan.Session{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := r.Answers[0]
	fmt.Printf("%s keys (%s); arithmetic says %s\n", a.Value, a.Status, a.Static.Value)
	// Output: 2 keys (uncertain); arithmetic says 2
}

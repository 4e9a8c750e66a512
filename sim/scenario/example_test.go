package scenario_test

import (
	"errors"
	"fmt"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

func Example() {
	s, err := scenario.Parse("starter.yaml", scenario.Starter(), []string{"workload.agents.researchers.count=200"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range s.Variants() {
		b, err := v.Build(s.Seed())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(v.Name, b.Workload.Agents[0].Count, "agents,", len(b.Stack.Keys), "keys,", len(b.Upstream.Models), "models")
	}
	// Output: base 200 agents, 4 keys, 2 models
}

func ExampleErrors() {
	_, err := scenario.Parse("starter.yaml", scenario.Starter(), []string{"stack.retry.atempts=3"})
	var wrong scenario.Errors
	if errors.As(err, &wrong) {
		fmt.Println(len(wrong), wrong[0].Path)
		fmt.Println(err)
	}
	// Output:
	// 1 stack.retry.atempts
	// --set: stack.retry.atempts: no such key (found atempts; allowed: attempts, base, cap, jitter, budget, budget_burst)
	// hint: did you mean "attempts"?
}

package complexity_test

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/stack/complexity"
)

func Example() {
	rules, err := complexity.New(complexity.Default())
	if err != nil {
		panic(err)
	}
	workload := []complexity.Features{
		{Tokens: 40, Text: "Translate to French: good morning."},
		{Tokens: 900, Text: "Summarise the attached abstract in one sentence."},
		{Tokens: 60, Text: "Which year was the treaty signed?"},
		{Tokens: 700, Text: "Prove that the algorithm terminates, step by step, and derive its complexity."},
		{Tokens: 50, Text: "Classify the sentiment: the food was cold."},
	}
	var scores []float64
	for _, f := range workload {
		scores = append(scores, rules.Score(f))
	}
	threshold, err := complexity.Calibrate(scores, 0.20)
	if err != nil {
		panic(err)
	}
	for i, f := range workload {
		model := "cheap"
		if scores[i] > threshold {
			model = "strong"
		}
		fmt.Printf("%-6s %.3f %s\n", model, scores[i], f.Text)
	}
	// Output:
	// cheap  0.009 Translate to French: good morning.
	// cheap  0.082 Summarise the attached abstract in one sentence.
	// cheap  0.026 Which year was the treaty signed?
	// strong 0.499 Prove that the algorithm terminates, step by step, and derive its complexity.
	// cheap  0.010 Classify the sentiment: the food was cold.
}

// Package plan answers how much is enough: the smallest number of keys, the lowest tier, the largest number of
// agents with which a scenario meets its objectives, found by simulation and not by dividing limits by averages.
//
// Start with [New], which checks a plan against a scenario, and [Plan.Run], which carries it out:
//
//	p, err := plan.New(sc, plan.Config{Vary: []string{"upstreams.openai.keys.main.count=4..40"}})
//	r, err := p.Run(plan.Session{})
//	fmt.Println(r.Sentence[0])
//
// A point is the scenario with the axis at one value. It is run with several seeds, the same at every point, and judged
// by the margins of the objectives (report.Expect.Margin): verdict.go has the rule and its reason. search.go
// looks for the boundary: some spread points, bisection, the neighbours, and where none passes what lies beside the best; it compares what it tried instead of
// trusting that more is better. frontier.go tries a whole grid of two axes. static.go does the arithmetic
// that the answer is to be compared with, change.go changes one thing at the answer, and repeats the search for other demands.
//
// Runs are spread over all processors (sweep.go), and a [Journal] keeps each as a line of a file, so that a plan that was cut
// short goes on where it was. [Report] is the result; sim/plan/page renders it.
package plan

package plan

import (
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
)

// Ensure what was not measured, what was a failure and how often are told apart.
func TestObjectiveText(t *testing.T) {
	value := func(n int) Estimate { return Estimate{Mean: 5, N: n} }
	of := func(n int) Estimate { return Estimate{N: n} }
	for want, o := range map[string]Objective{
		"5.00 s":                              {Value: value(6), Margin: of(6)},
		"5.00 s (1 failure)":                  {Value: value(5), Margin: of(6)},
		"5.00 s (2 failures)":                 {Value: value(4), Margin: of(6)},
		"5.00 s (1 not measured)":             {Value: value(5), Margin: of(6), Unmeasured: 1},
		"failure":                             {Margin: of(6)},
		"not measured (no requests)":          {Margin: of(6), Unmeasured: 6, Note: "no requests"},
		"failure (2 not measured)":            {Margin: of(6), Unmeasured: 2},
		"5.00 s (1 failure) (3 not measured)": {Value: value(2), Margin: of(6), Unmeasured: 3},
	} {
		o.Expr = "p99 < 6s"
		if got := report.Plain(o.Text()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, o := range map[string]Objective{
		"p99 a failure":                  {Margin: of(6)},
		"p99 not measured (no requests)": {Margin: of(6), Unmeasured: 6, Note: "no requests"},
	} {
		o.Expr = "p99 < 6s"
		if got := pointText(&Point{Objectives: []Objective{o}}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	// A run in which nobody asks.
	r := carry(t, starter(t, "duration=20s", "warmup=0s", "workload.agents.researchers.random_start=false"), Config{Vary: []string{keys + "1,2"}, Objectives: []string{"p99{profile=notes} < 6s"}, Reps: 2})
	if s := r.Sentence[0]; !strings.Contains(s, "p99{profile=notes} not measured (no requests)") || strings.Contains(s, "failure") {
		t.Errorf("%s", s)
	}
}

package plan

import (
	"slices"
	"strings"
	"testing"
)

// Ensure every change is an override that the scenario takes, or has a reason why it is left out.
func TestChanges(t *testing.T) {
	axes := []Axis{{Path: "stack.concurrency.max", Values: []string{"100", "200"}}, {Path: "upstreams.openai.keys.main.count", Values: []string{"1", "2"}}}
	for name, c := range map[string]struct {
		sets    []string
		run     []string // of the names, those that are run
		skipped map[string]string
	}{
		"limits of its own": {nil, []string{"one more key of main", "+10 % agents", "+10 % context"}, map[string]string{
			"next tier": "no tier", "one vendor out": "one vendor only", "no prompt cache": "no model has",
		}},
		"a tier and a cache": {
			[]string{"upstreams.openai.keys.main={count: 3, tier: tier4}", "upstreams.openai.models.gpt-4.1.prompt_cache=on"},
			[]string{"one more key of main", "next tier, tier5", "+10 % agents", "+10 % context", "no prompt cache"},
			map[string]string{"one vendor out": "one vendor only"},
		},
		"the last tier, one group": {
			[]string{"upstreams.openai.keys.main={count: 3, tier: tier5, group: g}"},
			[]string{"+10 % agents", "+10 % context"},
			map[string]string{"next tier": "is the last", "one more key of main": "share the limits of group g"},
		},
	} {
		sc := starter(t, c.sets...)
		var run []string
		for _, x := range changes(sc, sc.Variants()[0], axes, "") {
			if x.Skipped == "" {
				run = append(run, x.Name)
				if _, err := sc.With(x.Sets...); err != nil || len(x.Sets) == 0 {
					t.Errorf("%s: %s: %q, %v", name, x.Name, x.Sets, err)
				}
			} else if part, ok := c.skipped[x.Name]; ok && !strings.Contains(x.Skipped, part) {
				t.Errorf("%s: %s is left out as %q, want %q", name, x.Name, x.Skipped, part)
			}
		}
		if !slices.Equal(run, c.run) {
			t.Errorf("%s: run %q, want %q", name, run, c.run)
		}
	}
}

// Ensure a range of means grows with the demand, and one of demand or of tiers does not.
func TestAxisTimes(t *testing.T) {
	sc := starter(t)
	for arg, want := range map[string]string{
		keys + "2..6":   "2..30:2",
		keys + "2..6:2": "2..27:5",
		keys + "2,4":    "2,4",
		"workload.agents.researchers.count=10..20:5":   "10..20:5",
		"stack.reserve.rate=0%..20%:10%":               "0%..20%:10%",
		"upstreams.openai.keys.main.tier=tier1..tier3": "tier1..tier3",
	} {
		a, err := ParseAxis(arg, sc)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.times(2.5); got.Range != want {
			t.Errorf("%s: %s, want %s", arg, got.Range, want)
		}
	}
}

// Ensure a growth plan needs more for more, and repeats the answer for the demand as it is.
func TestGrowth(t *testing.T) {
	sc := starter(t, "duration=90s", "warmup=10s")
	r := carry(t, sc, Config{
		Vary: []string{keys + "1..6"}, Objectives: []string{"p95{profile=hypothesis} < 20s"}, Reps: 3, Growth: []string{"20", "3x"}, Along: []string{"workload.profiles.notes.max_output"},
	})
	a := &r.Answers[0]
	if len(a.Growth) != 2 || a.Growth[0].Answer.Value != a.Value || a.Growth[0].Factor != 1 || a.Growth[1].Factor != 3 {
		t.Fatalf("%+v", a.Growth)
	}
	more := &a.Growth[1]
	if n, ok := number(more.Answer.Value); !ok || n <= 1 || more.Range != "1..34:3" || !slices.Contains(more.Sets, "workload.agents.researchers.count=60") {
		t.Errorf("3x: %s of %s with %q", more.Answer.Value, more.Range, more.Sets)
	}
}

package series_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/internal/series"
)

// Ensure a grid gives each combination its own series, made once, from the right values.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.SliceOfN(rapid.StringN(1, 3, -1), 0, 4), 0, 4).Draw(t, "labels")
		built := 0
		g := series.New(func(values []string) *string {
			built++
			s := strings.Join(values, "|")
			return &s
		}, labels...)
		seen := map[string]*string{}
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			numbers, same, want := make([]int, len(labels)), make([]int, len(labels)), make([]string, len(labels))
			for i, values := range labels {
				n := rapid.IntRange(-2, len(values)+2).Draw(t, "number")
				numbers[i], same[i], want[i] = n, -1, "unknown"
				if n >= 0 && n < len(values) {
					same[i], want[i] = n, values[n]
				}
			}
			key := fmt.Sprint(same) // all numbers that are outside are one
			got := g.At(numbers...)
			if *got != strings.Join(want, "|") {
				t.Fatalf("at %v of %q: %q", numbers, labels, *got)
			}
			if old, ok := seen[key]; ok && old != got {
				t.Fatalf("at %v: made twice", numbers)
			}
			seen[key] = got
		}
		if built != len(seen) {
			t.Fatalf("%d series built for %d combinations", built, len(seen))
		}
	})
}

func TestGridAllocatesNothing(t *testing.T) {
	g := series.New(func([]string) int { return 1 }, series.Classes(), series.Endings(), series.Reasons())
	if n := testing.AllocsPerRun(100, func() { g.At(1, 2, 3) }); n != 0 {
		t.Errorf("%v allocations for a series that is there", n)
	}
}

func TestLabels(t *testing.T) {
	cfg := stack.Config{
		Targets: []stack.Target{{Name: "m"}, {Name: "n\xff"}, {Name: "m"}, {Name: "m#2"}, {Name: "m"}},
		Keys:    []stack.Key{{ID: "k"}},
		Routes:  []stack.Route{{Name: "r", Steps: make([]stack.RouteStep, 1)}, {Name: "s", Steps: make([]stack.RouteStep, 3)}},
	}
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"targets", series.Targets(&cfg), []string{"m", "n?", "m#2", "m#2#2", "m#3"}},
		{"keys", series.Keys(&cfg), []string{"k"}},
		{"routes", series.Routes(&cfg), []string{"r", "s"}},
		{"steps", series.Steps(&cfg), []string{"0", "1", "2"}},
		{"classes", series.Classes(), []string{"P0", "P1", "P2"}},
		{"endings", series.Endings(), []string{"none", "succeeded", "failed", "dead_lettered", "rejected", "cancelled"}},
		{"tokens", series.Tokens(), []string{"input", "cached", "output"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
	if n := len(series.Reasons()); n != int(stack.NumReasons) || series.Reasons()[stack.ReasonDeadline] != "deadline" {
		t.Errorf("reasons: %q", series.Reasons())
	}
	if n := len(series.Outcomes()); n != int(stack.NumOutcomeKinds) || series.Outcomes()[stack.Aborted] != "aborted" {
		t.Errorf("outcomes: %q", series.Outcomes())
	}
}

func TestBuckets(t *testing.T) {
	for name, b := range map[string][]float64{
		"operation": series.Operation(), "request": series.Request(), "tokens": series.TokenUsage(),
	} {
		factor := b[1] / b[0]
		for i := 1; i < len(b); i++ {
			if ratio := b[i] / b[i-1]; ratio < factor*.999 || ratio > factor*1.001 {
				t.Errorf("%s: %v does not follow %v", name, b[i], b[i-1])
			}
		}
	}
	longest := stack.Default()
	if top, want := series.Request()[len(series.Request())-1], (longest.Queue.MaxWait + longest.AgentCap.MaxWait).Seconds(); top < want {
		t.Errorf("the top bucket of %v s is below the longest wait of %v s", top, want)
	}
}

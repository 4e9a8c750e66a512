package plan

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Ensure a range that the scenario does not go with as a whole is refused with the part that goes, and with what stands in the way.
func TestRangeThatDoesNotGo(t *testing.T) {
	fault := "upstreams.openai.faults={burst: {kind: burst_429, at: 1m, for: 30s, share: 50%, keys: [main-03, main-07]}}"
	for _, c := range []struct{ vary, allowed, hint string }{
		{keys + "2..20", "7 to 20", keys + "7..20,"},
		{keys + "1..21:4", "9 to 21", keys + "9..21:4,"},
		{keys + "2,4,8,16", "8 to 16", keys + "8,16,"},
		{keys + "2..4", "7 to 9", keys + "7..9,"}, // nothing of it goes
	} {
		var list scenario.Errors
		_, err := New(starter(t, fault, keys+"10"), Config{Vary: []string{c.vary}, Objectives: []string{"p99 < 6s"}})
		if !errors.As(err, &list) || len(list) < 2 {
			t.Fatalf("%s: %v", c.vary, err)
		}
		if e := list[0]; e.File != fromVary || e.Path+"=" != keys || e.Allowed != c.allowed || !strings.Contains(e.Hint, c.hint) || !strings.Contains(e.Hint, "names the pool") {
			t.Errorf("%s: %+v", c.vary, e)
		}
		if e := list[1]; !strings.Contains(e.Path, "faults.burst.keys") || !strings.HasPrefix(e.Found, "main-0") || strings.Contains(e.Hint, "did you mean") {
			t.Errorf("%s: then %+v", c.vary, e)
		}
	}
	if _, err := New(starter(t, fault, keys+"10"), Config{Vary: []string{keys + "7..120"}, Objectives: []string{"p99 < 6s"}}); err != nil {
		t.Errorf("main-03 is the third key, however many there are: %v", err)
	}
}

// Ensure of two axes the one is told that is at fault.
func TestGridThatDoesNotGo(t *testing.T) {
	var list scenario.Errors
	_, err := New(starter(t, "stack.concurrency={min: 16, start: 50}"), Config{Vary: []string{keys + "1..3", "stack.concurrency.max=10..100:10"}, Objectives: []string{"p99 < 6s"}})
	if !errors.As(err, &list) || list[0].Path != "stack.concurrency.max" || list[0].Allowed != "50 to 100" {
		t.Errorf("%v", err)
	}
}

package plan

import (
	"slices"
	"strings"
	"testing"
)

// Ensure the direction that nobody named is that of demand or of means, and of a time's the other way round.
func TestInferredDirection(t *testing.T) {
	for vary, want := range map[string]string{
		keys + "1..4": Smallest,
		"workload.agents.researchers.count=10..60:5":               Largest,
		"variants.b.workload.agents.researchers.count=10..60:5":    Largest,
		"workload.profiles.hypothesis.max_context=8k..16k:2k":      Largest,
		"workload.agents.researchers.stagger=4s..20s:4s":           Smallest,
		"workload.profiles.hypothesis.interval=4s..20s:4s":         Smallest,
		"workload.profiles.notes.interval.exponential.mean=4s,20s": Smallest,
		"stack.queue.max_wait=4s..20s:4s":                          Smallest,
	} {
		var sets []string
		if strings.HasPrefix(vary, "variants") {
			sets = []string{"variants={b: {}}"}
		}
		p, err := New(starter(t, sets...), Config{Vary: []string{vary}, Objectives: []string{"p99 < 6s"}})
		if err != nil {
			t.Fatal(err)
		}
		if p.cfg.Direction != want {
			t.Errorf("%s: %s, want %s", vary, p.cfg.Direction, want)
		}
	}
}

// Ensure a variant that is left out is so for the reason that is told.
func TestWhyAVariantIsLeftOut(t *testing.T) {
	sc := starter(t, "variants={a: {}, b: {upstreams: {openai: {keys: {main: {count: 7}}}}}}")
	for vary, want := range map[string]string{
		keys + "1..4":                 "variant b is left out: it says itself what upstreams.openai.keys.main.count is",
		"variants.b." + keys + "1..4": "variant a is left out: variants.b.upstreams.openai.keys.main.count is about variant b",
	} {
		p, err := New(sc, Config{Vary: []string{vary}, Objectives: []string{"p99 < 6s"}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(p.notes, want) || len(p.variants) != 1 {
			t.Errorf("%s: %q", vary, p.notes)
		}
	}
}

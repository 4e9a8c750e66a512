package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/sim/scenario"
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

// Ensure every change reaches a variant whose overlay holds the value itself, and leaves nothing of the faults that it replaces.
func TestChangesOfAnOverlay(t *testing.T) {
	sc := parse(t, "overlays.yaml", `
name: overlays
duration: 3m
warmup: 30s
workload:
  profiles: {p: {class: P1, model: gpt-4.1, context: 2000, output: 100, max_output: 128}}
  streams: {s: {profile: p, rate: 2}}
upstreams:
  openai:
    dialect: openai
    models: {gpt-4.1: {prompt_cache: on}}
    keys: {oa: {count: 3, tier: tier1}}
    faults: {out: {kind: burst_429, at: 40s, for: 5s, share: 50%}, "a:b": {kind: burst_429, at: 1m, for: 5s, share: 50%}}
  anthropic: {dialect: anthropic, models: {claude-haiku-4-5: {}}, keys: {an: {limits: {"*": {}}}}}
stack: {cache: off}
variants:
  plain: {}
  b.c:
    upstreams:
      openai:
        models: {gpt-4.1: {prompt_cache: true}}
        keys: {oa: {count: 4, tier: tier2}}
        faults: {own: {kind: burst_429, at: 50s, for: 5s, share: 50%}}
    stack: {cache: on}
`)
	for _, v := range sc.Variants() {
		for _, c := range changes(sc, v, []Axis{{Path: "upstreams.openai.keys.oa.count"}}, "") {
			if c.Skipped != "" {
				t.Errorf("%s of %s is left out: %s", c.Name, v.Name, c.Skipped)
				continue
			}
			with, err := sc.With(c.Sets...)
			if err != nil {
				t.Fatalf("%s of %s: %v", c.Name, v.Name, err)
			}
			now := with.Variants()[slices.IndexFunc(with.Variants(), func(x *scenario.Variant) bool { return x.Name == v.Name })].Spec
			up, was := now.Upstreams.Get("openai"), v.Spec.Upstreams.Get("openai")
			var ok bool
			switch c.Name {
			case "one more key of oa":
				ok = *up.Keys.Get("oa").Count == *was.Keys.Get("oa").Count+1
			case "next tier, tier2", "next tier, tier3":
				ok = "next tier, "+up.Keys.Get("oa").Tier == c.Name && up.Keys.Get("oa").Tier > was.Keys.Get("oa").Tier
			case "openai out":
				ok = up.Faults.Len() == 1 && up.Faults.Values[0].Kind == "blackhole"
			case "no prompt cache", "no cache":
				ok = up.Models.Get("gpt-4.1").PromptCache.Off && (!now.Stack.Cache.Given || now.Stack.Cache.Off) && (c.Name == "no cache") == (v.Name == "b.c")
			default:
				ok = true // the demand: of all variants (scenario.ScaleDemand)
			}
			if !ok {
				t.Errorf("%s of %s has no effect: %q", c.Name, v.Name, c.Sets)
			}
		}
	}
}

// Ensure --along reaches the numbers that an overlay holds.
func TestAlongReachesOverlays(t *testing.T) {
	sc := starter(t, "variants={a: {}, b: {stack: {queue: {bound: 40}}}}")
	for path, want := range map[string][]string{
		"stack.queue.bound":                     {"variants.b.stack.queue.bound=80"},
		"workload.profiles.notes.max_output":    {"workload.profiles.notes.max_output=1000"},
		"variants.b.stack.queue.bound":          {"variants.b.stack.queue.bound=80"},
		"workload.agents.researchers.count.off": nil,
	} {
		p := Plan{sc: sc}
		if got := p.scaleAt(path, 2); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
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
		"a.tpm=100k..1000k:100k":                       "100k..4850k:250k",
		"a.tpm=0..1M:0.5M":                             "0M..5M:1.25M",
		"a.tpm=1k..3k:1k":                              "1k..13.5k:2.5k",
		"a.weight=0.5..1:0.1":                          "0.5..1:0.1",
		"a.wait=1s..3s:1s":                             "1s..3s:1s",
	} {
		a, err := ParseAxis(arg, sc)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := a.times(2.5); got.Range != want || ok != (want != a.Range) {
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

package scenario

import (
	"slices"
	"strings"
	"testing"
)

const scalable = `
name: s
duration: 10m
workload:
  profiles:
    p: {class: P0, model: gpt-4.1, interval: 10s, context: {lognormal: {median: 2k, p95: 4k}}, growth: {uniform: {min: 0, max: 300}}, max_context: 16k, output: 100, max_output: 200}
    q.r: {class: P1, model: gpt-4.1, context: {empirical: {values: [100, 1k], weights: [1, 2]}}, output: 100, max_output: 200}
  agents:
    a: {count: 95, phases: [{profile: p, rounds: 3}]}
    b: {count: 5, phases: [{profile: p, rounds: 3}]}
  streams:
    s: {profile: q.r, rate: [{at: 0s, rate: 2}, {at: 5m, rate: 0}]}
    t: {profile: q.r, sine: {base: 4, amplitude: 2}, spikes: {x: {at: 1m, count: 10}}}
upstreams:
  openai: {models: {gpt-4.1: {}}, keys: {k: {count: 3, tier: tier4}}}
variants:
  plain: {}
  flat: {workload: {streams: {s: {rate: 3}}}}
`

func TestScale(t *testing.T) {
	sc, err := Parse("s.yaml", []byte(scalable), nil)
	if err != nil {
		t.Fatal(err)
	}
	demand := sc.ScaleDemand(1.5)
	want := []string{
		"workload.agents.a.count=143", "workload.agents.b.count=8", "workload.streams.s.rate.0.rate=3",
		"workload.streams.t.sine.base=6", "workload.streams.t.sine.amplitude=3", "workload.streams.t.spikes.x.count=15",
		"variants.flat.workload.streams.s.rate=4.5",
	}
	if !slices.Equal(demand, want) {
		t.Errorf("demand: %q, want %q", demand, want)
	}
	context := sc.ScaleContext(1.1)
	for _, set := range []string{
		"workload.profiles.p.context.lognormal.median=2200", "workload.profiles.p.growth.uniform.max=330", "workload.profiles.p.max_context=17600",
		`workload.profiles."q.r".context.empirical.values.1=1100`,
	} {
		if !slices.Contains(context, set) {
			t.Errorf("context: %q has no %s", context, set)
		}
	}
	if slices.ContainsFunc(context, func(s string) bool { return strings.Contains(s, "weights") || strings.Contains(s, "min=") }) {
		t.Errorf("context: weights, or a 0, in %q", context)
	}
	big, err := sc.With(append(demand, context...)...)
	if err != nil {
		t.Fatal(err)
	}
	if got := big.Agents(); got != 151 {
		t.Errorf("%d agents, want 151", got)
	}
	if sc.Agents() != 100 || len(sc.Sets) != 0 {
		t.Error("the scenario itself was changed")
	}
}

func TestScaleAt(t *testing.T) {
	sc, err := Parse("s.yaml", []byte(scalable), nil)
	if err != nil {
		t.Fatal(err)
	}
	if set, ok := sc.ScaleAt("upstreams.openai.keys.k.count", 2.5); !ok || set != "upstreams.openai.keys.k.count=8" {
		t.Errorf("%q, %v", set, ok)
	}
	for _, path := range []string{"upstreams.openai.keys.k.tier", "upstreams.openai.keys.k", "nowhere", "a..b"} {
		if set, ok := sc.ScaleAt(path, 2); ok {
			t.Errorf("%s gave %q", path, set)
		}
	}
}

// Ensure the hash of a variant changes exactly when an override reaches it, and that of its demand when its workload does.
func TestVariantHashes(t *testing.T) {
	sc, err := Parse("s.yaml", []byte(scalable), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set                        string
		plain, flat, plainD, flatD bool // changed
	}{
		{"upstreams.openai.keys.k.count=4", true, true, false, false},
		{"workload.streams.s.rate=9", true, false, true, false},
		{"variants.flat.workload.streams.s.rate=9", false, true, false, true},
	} {
		other, err := sc.With(c.set)
		if err != nil {
			t.Fatal(err)
		}
		a, b := sc.Variants(), other.Variants()
		got := [4]bool{a[0].SHA256() != b[0].SHA256(), a[1].SHA256() != b[1].SHA256(), a[0].DemandSHA256() != b[0].DemandSHA256(), a[1].DemandSHA256() != b[1].DemandSHA256()}
		if got != [4]bool{c.plain, c.flat, c.plainD, c.flatD} {
			t.Errorf("%s: changed %v", c.set, got)
		}
	}
}

// Ensure the means that grow with demand are those of the file and those that it leaves to their default, but nothing beside the axis, and no group.
func TestScaleMeans(t *testing.T) {
	sc, err := Parse("s.yaml", []byte(`
name: s
duration: 10m
workload:
  profiles: {p: {class: P0, model: gpt-4.1, context: 100, output: 100, max_output: 200}}
  streams: {s: {profile: p, rate: 2}}
upstreams:
  openai:
    models: {gpt-4.1: {capacity: [{at: 0s, slots: 101}]}, gpt-4.1-mini: {capacity: 1000}}
    keys: {k: {count: 3, tier: tier4}, one: {tier: tier4}, org: {count: 2, group: org, tier: tier4}}
stack:
  concurrency: {max: 900}
  targets: {gpt-4.1: {concurrency: {start: 7}}}
variants:
  a: {upstreams: {openai: {keys: {k: {count: 4}}}}}
  b.c: {stack: {concurrency: {start: 10}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{
		"upstreams.openai.keys.k.count=8", "upstreams.openai.models.gpt-4.1-mini.capacity=2500", "upstreams.openai.models.gpt-4.1.capacity.0.slots=253",
		"stack.concurrency.max=2250", "stack.targets.gpt-4.1.concurrency.start=18", "variants.a.upstreams.openai.keys.k.count=10",
		`variants."b.c".stack.concurrency.start=25`, "upstreams.openai.keys.one.count=3", "stack.concurrency.start=160",
		"stack.queue.bound=5120", "stack.retry.budget_burst=1250",
	}
	for except, gone := range map[string]string{
		"": "", "upstreams.openai.keys.k.tier": ".keys.k.", "stack.concurrency.min": "concurrency.",
		"upstreams.openai.keys.k.limits.gpt-4.1.tpm": ".keys.k.", "variants.a.upstreams.openai.keys.k.count": ".keys.k.", `stack.targets."gpt-4.1".concurrency.max`: "concurrency.",
	} {
		var want []string
		for _, set := range all {
			set = strings.ReplaceAll(set, "models.gpt-4.1.", `models."gpt-4.1".`)
			set = strings.ReplaceAll(strings.ReplaceAll(set, "models.gpt-4.1-mini", `models."gpt-4.1-mini"`), "targets.gpt-4.1.", `targets."gpt-4.1".`)
			if gone == "" || !strings.Contains(set, gone) {
				want = append(want, set)
			}
		}
		for _, factor := range []float64{.01, 1000} { // within what a scenario may say, whatever the factor
			if _, err := sc.With(sc.ScaleMeans(factor, except)...); err != nil {
				t.Errorf("%v times, beside %q: %v", factor, except, err)
			}
		}
		got := sc.ScaleMeans(2.5, except)
		if !slices.Equal(got, want) {
			t.Errorf("beside %q: %q, want %q", except, got, want)
		}
		if _, err := sc.With(got...); err != nil {
			t.Error(err)
		}
	}
}

package scenario

import (
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

func TestSetChangesWhatItNames(t *testing.T) {
	build := func(set ...string) *Built {
		t.Helper()
		s, err := Load("testdata/full.yaml", set)
		if err != nil {
			t.Fatalf("%v: %v", set, err)
		}
		b, err := s.Variants()[0].Build(1)
		if err != nil {
			t.Fatalf("%v: %v", set, err)
		}
		return b
	}
	for _, c := range []struct {
		set  string
		get  func(b *Built) any
		want any
	}{
		{"duration=30m", func(b *Built) any { return b.Workload.Duration }, 30 * time.Minute},
		{"workload.agents.researchers.count=5", func(b *Built) any { return b.Workload.Agents[0].Count }, 5},
		{"workload.agents.researchers.phases.2.profile=hypothesis", func(b *Built) any { return b.Workload.Agents[0].Phases[2].Profile }, 0},
		{"workload.profiles.hypothesis.interval.uniform.max=30s", func(b *Built) any { return b.Workload.Profiles[0].Interval.Mean() }, 20.0},
		{"workload.profiles.hypothesis.interval=7s", func(b *Built) any { return b.Workload.Profiles[0].Interval.Mean() }, 7.0},
		{"workload.profiles.hypothesis.context={exponential: {mean: 2k}}", func(b *Built) any { return b.Workload.Profiles[0].Context.Mean() }, 2000.0},
		{"upstreams.openai.models.gpt-4.1.context_window=64k", func(b *Built) any { return b.Upstream.Models[0].ContextWindow }, int64(64000)},
		{`upstreams.openai.models."gpt-4.1-mini".capacity=7`, func(b *Built) any { return b.Upstream.Models[1].Capacity[0].Slots }, int64(7)},
		{"upstreams.openai.models.gpt-4.1-nano.capacity.1.slots=9", func(b *Built) any { return b.Upstream.Models[2].Capacity[1].Slots }, int64(9)},
		{"upstreams.openai.models.gpt-4.1-nano.prompt_cache.min=9", func(b *Built) any { return b.Upstream.Models[2].Cache.MinTokens }, int64(9)},
		{"upstreams.openai.keys.oa.count=3", func(b *Built) any { return len(b.Stack.Keys) }, 20},
		{"upstreams.openai.keys.oa.limits.gpt-4.1.rpm=3k", func(b *Built) any { return b.Stack.Quotas[0].RPM }, int64(3000)},
		{"upstreams.openai.faults.cut.factor=0.25", func(b *Built) any { return b.Upstream.Faults[3].Factor }, 0.25},
		{"stack.concurrency.controller=static", func(b *Built) any { return b.Stack.Concurrency.Controller }, "static"},
		{"stack.routes.gpt-4.1.3.max_output=64", func(b *Built) any { return b.Stack.Routes[0].Steps[3].MaxOut }, int64(64)},
		{"stack.retry.jitter=false", func(b *Built) any { return b.Stack.Retry.NoJitter }, true},
		{"stack.queue=null", func(b *Built) any { return b.Stack.Queue }, stack.Default().Queue},
		{"stack.queue.bound=null", func(b *Built) any { return b.Stack.Queue.Bound }, stack.Default().Queue.Bound},
		{"workload.streams.ramp.rate.2.rate=7", func(b *Built) any { return b.Workload.Streams[2].Curve.Points[2].Rate }, 7.0},
		{"workload.streams.chats.sessions.notes=7", func(b *Built) any { return b.Workload.Streams[6].Sessions[0].Rounds.Mean() }, 7.0},
		{"upstreams.openai.models.gpt-4.1-nano.latency.first_token_noise=0.5", func(b *Built) any { return b.Upstream.Models[2].Latency.FirstTokenFactors == nil }, true},
		{"workload.streams.ramp.rate=7", func(b *Built) any { return b.Workload.Streams[2].Rate }, 7.0},
		{"workload.streams.day.sine.amplitude=0.1", func(b *Built) any { return b.Workload.Streams[3].Curve.Sine.Amplitude }, 0.1},
		{"workload.streams.jumpy.bursts.busy.dwell=1m", func(b *Built) any { return b.Workload.Streams[4].Curve.States[1].Dwell }, time.Minute},
		{"workload.streams.jumpy.spikes.launch.extra=6", func(b *Built) any { return b.Workload.Streams[4].Curve.Spikes[0].Extra }, 6.0},
		{"workload.streams.tenants.groups.heavy.requests=60", func(b *Built) any { return b.Workload.Streams[5].Mix.Groups[0].Share }, 60.0},
		{"workload.agents.researchers.wave_every=1m", func(b *Built) any { return b.Workload.Agents[0].WaveEvery }, time.Minute},
		{"workload.traces.azure.loop=forever", func(b *Built) any { return b.Workload.Traces[0].Loop }, -1},
		{"workload.traces.burst.models.GPT-4*=notes", func(b *Built) any { return b.Workload.Traces[2].Models[0].Profile }, 2},
		{"upstreams.europe.keys.eu.limits.*.slope.growth=25%", func(b *Built) any { return b.Upstream.Quotas[15].Slope.Growth }, 0.25},
		{"upstreams.europe.keys.eu.long.from=64k", func(b *Built) any { return b.Upstream.Models[4].LongFrom }, int64(64_000)},
		{"upstreams.europe.keys.eu.known_limits.gpt-eu.rpm=null", func(b *Built) any { return b.Stack.Quotas[15].RPM }, int64(5000)},
		{"upstreams.europe.projects.research.limits.*.tpm=7k", func(b *Built) any { return b.Upstream.Quotas[16].TPM }, int64(7000)},
		{"upstreams.claude.faults.late.status=429", func(b *Built) any { return b.Upstream.Faults[len(b.Upstream.Faults)-2].Status }, 429},
		{"prices.models.gpt-4.1.long.input=5", func(b *Built) any { return b.Upstream.Models[0].Price.Long.Input }, int64(5_000_000)},
		// Entries that refer to something else may be added.
		{"workload.streams.ramp.mix.literature=2", func(b *Built) any { return len(b.Workload.Streams[2].Mix.Profiles) }, 3},
		{"workload.traces.burst.models.*=notes", func(b *Built) any { return b.Workload.Traces[2].Models[2].Match }, "*"},
		{"stack.context.hypothesis=9k", func(b *Built) any { return b.Stack.Kinds[1].Context }, int64(9000)},
		{"stack.targets.gpt-4.1-mini.concurrency.start=5", func(b *Built) any { return b.Stack.Targets[1].Concurrency.Start }, 5},
		{"prices.models.gpt-4.1-nano.output=0.3", func(b *Built) any { return b.Report.Models[2].Price.Output }, int64(300_000)},
		{"alerts.p99.notes=3s", func(b *Built) any { return b.Report.Profiles[2].P99Alert }, 3 * time.Second},
		// An overlay lies above the base, and can be set itself.
		{"variants.as-is.stack.queue.bound=11", func(b *Built) any { return b.Stack.Queue.Bound }, 11},
		{"variants.as-is.upstreams.openai.models.gpt-4.1.max_output=12", func(b *Built) any { return b.Upstream.Models[0].MaxOutput }, int64(12)},
		{"variants.as-is.stack.fallback=null", func(b *Built) any { return b.Stack.Fallback }, stack.Default().Fallback},
	} {
		if got := c.get(build(c.set)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.set, got, c.want)
		}
	}
	// Later overrides see earlier ones.
	if b := build("stack.queue={bound: 3}", "stack.queue.bound=4"); b.Stack.Queue.Bound != 4 {
		t.Errorf("two overrides: bound %d, want 4", b.Stack.Queue.Bound)
	}
}

func TestSetReachesEveryVariant(t *testing.T) {
	s, err := Load("testdata/full.yaml", []string{"workload.agents.researchers.count=4", "upstreams.openai.keys.oa.count=2"})
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]int{"as-is": 2, "one-key": 1, "flat": 2} // one-key says so itself
	for _, v := range s.Variants() {
		if n := v.Spec.Workload.Agents.Values[0].Count; n != 4 {
			t.Errorf("%s: %d agents, want 4", v.Name, n)
		}
		if n := *v.Spec.Upstreams.Values[0].Keys.Get("oa").Count; n != keys[v.Name] {
			t.Errorf("%s: %d keys, want %d", v.Name, n, keys[v.Name])
		}
	}
}

func TestWrongSets(t *testing.T) {
	for _, c := range []struct {
		set  string
		want Error
	}{
		{"stack.queu.bound=1", Error{Path: "stack.queu.bound", Problem: "no such key", Found: "queu", Allowed: "instances, shared, routes, queue, concurrency, targets, rotation, budget, reserve, retry, breaker, timeouts, and 8 more", Hint: `did you mean "queue"?`}},
		{"workload.agents.researcher.count=1", Error{Path: "workload.agents.researcher.count", Problem: "no such name", Found: "researcher", Allowed: "researchers", Hint: `did you mean "researchers"?`}},
		{"upstreams.openai.models.gpt-4.2.charge=max", Error{Path: "upstreams.openai.models.gpt-4.2.charge", Problem: "no such name", Found: "gpt-4.2", Allowed: "gpt-4.1, gpt-4.1-mini, gpt-4.1-nano", Hint: `did you mean "gpt-4.1"?`}},
		{"variants.one-kye.stack.queue.bound=1", Error{Path: "variants.one-kye.stack.queue.bound", Problem: "no such name", Found: "one-kye", Allowed: "as-is, one-key, flat", Hint: `did you mean "one-key"?`}},
		{"variants.one-key.seed=1", Error{Path: "variants.one-key.seed", Problem: "no such key", Found: "seed", Allowed: "description, workload, upstreams, stack, prices, alerts", Hint: "`simload schema` describes every key"}},
		{"workload.agents.researchers.phases.3.rounds=1", Error{Path: "workload.agents.researchers.phases.3.rounds", Problem: "no such item", Found: "3", Allowed: "0 to 2", Hint: "set the whole list to make it longer"}},
		{"workload.streams.jumpy.spikes.lunch.extra=1", Error{Path: "workload.streams.jumpy.spikes.lunch.extra", Problem: "no such name", Found: "lunch", Allowed: "launch, cron", Hint: `did you mean "launch"?`}},
		{"workload.streams.jumpy.bursts.bussy.rate=1", Error{Path: "workload.streams.jumpy.bursts.bussy.rate", Problem: "no such name", Found: "bussy", Allowed: "calm, busy", Hint: `did you mean "busy"?`}},
		{"workload.streams.tenants.groups.hevy.cv=1", Error{Path: "workload.streams.tenants.groups.hevy.cv", Problem: "no such name", Found: "hevy", Allowed: "heavy, light", Hint: `did you mean "heavy"?`}},
		{"upstreams.europe.projects.reserch.limits=1", Error{Path: "upstreams.europe.projects.reserch.limits", Problem: "no such name", Found: "reserch", Allowed: "research", Hint: `did you mean "research"?`}},
		{"epoch.year=1", Error{Path: "epoch.year", Problem: "a value has no keys", Found: "year", Allowed: "the path epoch", Hint: "leave out .year"}},
		{"duration.x=1", Error{Path: "duration.x", Problem: "a value has no keys", Found: "x", Allowed: "the path duration", Hint: "leave out .x"}},
		{"duration=10", Error{Path: "duration", Problem: "a duration without a unit", Found: "10", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, above 0s up to 744h", Hint: "write 10s for seconds"}},
		{"duration=", Error{Path: "duration", Problem: "no value", Found: "nothing", Allowed: "a value, or null to remove the key", Hint: `is a variable of the shell empty? an empty text is '""'`}},
		{"upstreams.openai.keys.oa.count= ", Error{Path: "upstreams.openai.keys.oa.count", Problem: "no value", Found: "nothing", Allowed: "a value, or null to remove the key", Hint: `is a variable of the shell empty? an empty text is '""'`}},
		{"duration=null", Error{Path: "duration", Problem: "a required key cannot be removed in variant as-is", Found: "null", Allowed: "a value", Hint: "set a value, or leave out this override"}},
		{"duration=[", Error{Path: "duration", Problem: "not YAML: did not find expected node content", Found: "text that YAML cannot read", Allowed: "YAML", Hint: "quote the value for the shell; it is read as YAML"}},
		{"stack.context.hypotheses=1k", Error{Path: "stack.context.hypotheses", Problem: "unknown kind in variant as-is", Found: "hypotheses", Allowed: "default, hypothesis, literature, writing", Hint: `did you mean "hypothesis"?`}},
		{"stack.queue.bound=-1", Error{Path: "stack.queue.bound", Problem: "negative", Found: "-1", Allowed: "a whole number of at least 1 up to 1000000", Hint: "remove the minus sign"}},
		{"seed=-1", Error{Path: "seed", Problem: "negative", Found: "-1", Allowed: "a whole number from 0 to 18446744073709551615", Hint: "remove the minus sign"}},
		{"workload.agents.researchers.count=3,000", Error{Path: "workload.agents.researchers.count", Problem: "not a whole number", Found: "3,000", Allowed: "a whole number of at least 1 up to 10000000", Hint: "write 3000"}},
		{"seed", Error{Problem: "not an override", Found: "seed", Allowed: "path=value", Hint: "write for example --set workload.agents.researchers.count=200"}},
		{"a..b=1", Error{Path: "a..b", Problem: "not a path", Found: "a..b", Allowed: "names with dots between them", Hint: "put a name that has dots in double quotes"}},
		{"=1", Error{Problem: "not an override", Found: "=1", Allowed: "path=value", Hint: "write for example --set workload.agents.researchers.count=200"}},
	} {
		_, err := Load("testdata/full.yaml", []string{c.set})
		c.want.File = "--set"
		if es := errorsOf(t, err); es[0] != c.want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.set, es[0], c.want)
		}
	}
}

func TestSetOnAFileOfAnotherShape(t *testing.T) {
	for _, text := range []string{"workload: [1]\n", "workload: 3\n", "stack: {routes: {a: 1}}\n", "variants: [1]\n", "variants: {a: 1}\n"} {
		for _, set := range []string{"workload.agents.a.count=1", "stack.routes.a.0=m", "variants.a.stack.queue.bound=1", "stack.routes.a.0.model=m"} {
			if _, err := Parse("x.yaml", []byte(text), []string{set}); err == nil {
				t.Errorf("%q with %s: no error", text, set)
			}
		}
	}
}

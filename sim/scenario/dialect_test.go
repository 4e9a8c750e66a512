package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// every is one quota for each limit there is, by its key.
var every = map[string]mockupstream.Quota{
	"rpm": {RPM: 60}, "tpm": {TPM: 1000}, "otpm": {OTPM: 1000}, "rpd": {RPD: 1000}, "tpd": {TPD: 1000},
	"concurrency": {Concurrency: 5}, "quantum": {Quantum: time.Second}, "spend": {Spend: 1}, "slope": {Slope: mockupstream.Slope{From: 1}},
}

// Ensure the limits of a dialect are those that the mock takes from it.
func TestDialectsKnowTheLimitsOfTheMock(t *testing.T) {
	for _, d := range dialects {
		if d.is.String() != d.name {
			t.Errorf("%s is the mock's %v", d.name, d.is)
		}
		for limit, q := range every {
			q.Name = "q"
			cfg := mockupstream.Config{
				Models: []mockupstream.Model{{Name: "m", Vendor: "v", Dialect: d.is}},
				Quotas: []mockupstream.Quota{q},
				Keys:   []mockupstream.Key{{ID: "k", Quotas: []int{0}}},
			}
			if err := cfg.Validate(); (err == nil) != contains(d.knows, limit) {
				t.Errorf("%s: the scenario knows %v, the mock says of %s: %v", d.name, d.knows, limit, err)
			}
		}
	}
}

// built is the small scenario with overrides.
func built(t testing.TB, sets ...string) *Built {
	t.Helper()
	b, err := mustParse(t, small(t), sets...).Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Ensure the vendor's dialect reaches the mock, and the client's arithmetic follows it
// unless the model says otherwise.
func TestDialectsChargeTheClientAsTheyDo(t *testing.T) {
	for _, c := range []struct {
		dialect string
		is      mockupstream.Dialect
		charge  stack.Charge
	}{
		{"openai", mockupstream.DialectOpenAI, stack.ChargeMax},
		{"anthropic", mockupstream.DialectAnthropic, stack.ChargeUncached},
		{"gemini", mockupstream.DialectGemini, stack.ChargeInput},
		{"deepseek", mockupstream.DialectDeepSeek, stack.ChargeInput},
		{"azure", mockupstream.DialectAzure, stack.ChargeSum},
		{"openrouter", mockupstream.DialectOpenRouter, stack.ChargeMax},
	} {
		sets := []string{"upstreams.v.dialect=" + c.dialect, `upstreams.v.keys.k.limits."*"={}`}
		b := built(t, sets...)
		if b.Upstream.Models[0].Dialect != c.is || b.Stack.Targets[0].Charge != c.charge {
			t.Errorf("%s: dialect %v, charge %v", c.dialect, b.Upstream.Models[0].Dialect, b.Stack.Targets[0].Charge)
		}
		for name, want := range charges {
			if got := built(t, append(sets, "upstreams.v.models.m.charge="+name)...).Stack.Targets[0].Charge; got != want {
				t.Errorf("%s with charge: %s: got %v", c.dialect, name, got)
			}
		}
	}
	b := built(t, "upstreams.v.dialect=anthropic", "upstreams.v.count_cached=true")
	if b.Stack.Targets[0].Charge != stack.ChargeInput || !b.Upstream.Quotas[0].CountCached {
		t.Errorf("with count_cached: charge %v, quota %+v", b.Stack.Targets[0].Charge, b.Upstream.Quotas[0])
	}
}

// Ensure each limit that a dialect knows can be written, reaches the mock and, as far as
// the stack has such, the client.
func TestLimitsReachTheRooms(t *testing.T) {
	written := map[string]string{
		"rpm": "60", "tpm": "1k", "otpm": "1k", "rpd": "1k", "tpd": "1k", "concurrency": "5", "quantum": "1s", "spend": "0.000000000001", "slope": "{from: 1}",
	}
	for _, d := range dialects {
		for _, limit := range d.knows {
			want, client := every[limit], every[limit]
			text := limit + ": " + written[limit]
			switch limit {
			case "quantum":
				text += ", rpm: 60"
				want.RPM, client.RPM = 60, 60
			case "slope":
				want.Slope.Growth, want.Slope.Over = 0.5, 15*time.Minute
			case "spend":
				text = "spend: 0.000001" // a millionth of a dollar
				want.Spend = 1_000_000
			}
			if d.name == "azure" && want.RPM > 0 && want.Quantum == 0 {
				want.Quantum, client.Quantum = 10*time.Second, 10*time.Second // always
			}
			b := built(t, "upstreams.v.dialect="+d.name, `upstreams.v.keys.k.limits."*"={`+text+"}")
			want.Name, want.Group = "k/m", "k"
			if got := b.Upstream.Quotas[0]; got != want {
				t.Errorf("%s, %s: the mock has %+v", d.name, limit, got)
			}
			client.Name = "k/m"
			if got := b.Stack.Quotas[0]; got != clientQuota(&client) {
				t.Errorf("%s, %s: the client has %+v", d.name, limit, got)
			}
		}
	}
}

// Ensure a tier of the catalogue brings what the dialect has, such as DeepSeek's
// concurrency, and nothing else.
func TestTiersBringWhatTheDialectHas(t *testing.T) {
	text := strings.NewReplacer(
		"models: {m: {latency: {base: 100ms, per_output_token: 10ms}}}", "models: {m: {catalogue: deepseek-v4-pro}}",
		`k: {limits: {"*": {rpm: 60, tpm: 100k}}}`, "k: {tier: all}",
	).Replace(small(t))
	for dialect, want := range map[string]int{"deepseek": 500, "anthropic": 500, "openai": 0, "azure": 0} {
		b, err := mustParse(t, text, "upstreams.v.dialect="+dialect).Variants()[0].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		if up, client := b.Upstream.Quotas[0], b.Stack.Quotas[0]; up.Concurrency != int64(want) || client.Concurrency != want || client.TPM != 0 {
			t.Errorf("%s: the mock has %+v, the client %+v", dialect, up, client)
		}
	}
}

// Ensure projects and long prompts have quotas of their own beside the group's, shared as
// far as they should be.
func TestProjectsAndLongPrompts(t *testing.T) {
	b := full(t, 0)
	u := b.Upstream
	m := b.Report.KeyQuota[21][4] // of eu-1 at gpt-eu
	names := []string{"acme-eu/gpt-eu", "research/gpt-eu", "acme-eu/gpt-eu long"}
	for i, name := range names {
		if q := u.Quotas[m+i]; q.Name != name || q.Group != "acme-eu" {
			t.Fatalf("quota %d is %+v, want %s", m+i, q, name)
		}
	}
	for _, k := range u.Keys[21:23] {
		if k.Quotas[4] != m || len(k.Extra[4]) != 1 || k.Extra[4][0] != m+1 || len(k.Long[4]) != 2 || k.Long[4][0] != m+2 || k.Long[4][1] != m+1 {
			t.Errorf("key %s counts against %d, %v, %v", k.ID, k.Quotas[4], k.Extra, k.Long)
		}
	}
	if k := u.Keys[0]; k.Extra != nil || k.Long != nil {
		t.Errorf("key %s counts against %v, %v too", k.ID, k.Extra, k.Long)
	}
	if u.Models[4].LongFrom != 128_000 || u.Models[0].LongFrom != 0 {
		t.Errorf("long from %d, %d", u.Models[4].LongFrom, u.Models[0].LongFrom)
	}
	if q := u.Quotas[m+1]; q.TPM != 1_000_000 || q.RPD != 100_000 || q.RPM != 0 {
		t.Errorf("the project has %+v", q)
	}
	want := stack.Quota{Name: names[0], RPM: 400, OTPM: 50_000, RPD: 9000, Concurrency: 20, Quantum: time.Second}
	if got := b.Stack.Quotas[m]; got != want {
		t.Errorf("the client takes the limits for %+v", got)
	}
}

// Ensure the client knows the limits of projects where these divide all of a group.
func TestTheClientKnowsProjects(t *testing.T) {
	text := strings.Replace(small(t), `keys: {k: {limits: {"*": {rpm: 60, tpm: 100k}}}}`, `projects: {a: {limits: {m: {tpm: 30k, rpd: 500}}}, b: {limits: {m: {tpm: 20k}}}}
    keys:
      a: {group: g, project: a, limits: {m: {rpm: 60, tpm: 100k}}}
      b: {group: g, project: b, limits: {m: {rpm: 60, tpm: 100k}}}
      c: {group: g, limits: {m: {rpm: 60, tpm: 100k}}}`, 1)
	for _, c := range []struct {
		sets []string
		want stack.Quota
	}{
		{nil, stack.Quota{RPM: 60, TPM: 100_000}}, // c may use all of it
		{[]string{"upstreams.v.keys.c=null"}, stack.Quota{RPM: 60, TPM: 50_000}},
		{[]string{"upstreams.v.keys.c=null", "upstreams.v.keys.b=null"}, stack.Quota{RPM: 60, TPM: 30_000, RPD: 500}},
		{[]string{"upstreams.v.keys.c=null", "upstreams.v.projects.a.limits.m.tpm=90k"}, stack.Quota{RPM: 60, TPM: 100_000}},
	} {
		b, err := mustParse(t, text, c.sets...).Variants()[0].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		c.want.Name = "g/m"
		if got := b.Stack.Quotas[0]; got != c.want {
			t.Errorf("%v: %+v, want %+v", c.sets, got, c.want)
		}
		if got := b.Upstream.Quotas[0]; got.RPM != 60 || got.TPM != 100_000 {
			t.Errorf("%v: the provider has %+v", c.sets, got)
		}
	}
}

// Ensure a tier brings its limits of long prompts where a pool asks for them.
func TestTiersBringTheLimitsOfLongPrompts(t *testing.T) {
	text := strings.NewReplacer(
		"models: {m: {latency: {base: 100ms, per_output_token: 10ms}}}", "models: {m: {catalogue: gpt-4.1}, n: {catalogue: gpt-4.1-nano}}",
		`k: {limits: {"*": {rpm: 60, tpm: 100k}}}`, "k: {tier: tier1}",
	).Replace(small(t))
	for _, c := range []struct {
		sets []string
		want mockupstream.Quota
		from int64
	}{
		{nil, mockupstream.Quota{}, 0},
		{[]string{"upstreams.v.keys.k.long={}"}, mockupstream.Quota{RPM: 100, TPM: 200_000}, 128_000},
		{[]string{"upstreams.v.keys.k.long={from: 64k, limits: {m: {tpm: 7k}}}"}, mockupstream.Quota{RPM: 100, TPM: 7000}, 64_000},
	} {
		b, err := mustParse(t, text, c.sets...).Variants()[0].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Upstream.Models; got[0].LongFrom != c.from || got[1].LongFrom != 0 {
			t.Errorf("%v: long from %d, %d", c.sets, got[0].LongFrom, got[1].LongFrom)
		}
		if c.from == 0 {
			if len(b.Upstream.Quotas) != 2 || b.Upstream.Keys[0].Long != nil {
				t.Errorf("%v: quotas %+v", c.sets, b.Upstream.Quotas)
			}
			continue
		}
		long := b.Upstream.Keys[0].Long
		if len(long[0]) != 1 || len(long[1]) != 0 {
			t.Fatalf("%v: long prompts count against %v", c.sets, long)
		}
		c.want.Name, c.want.Group = "k/m long", "k"
		if got := b.Upstream.Quotas[long[0][0]]; got != c.want {
			t.Errorf("%v: %+v", c.sets, got)
		}
	}
}

// Ensure prompt caches are off unless asked for, and then as the catalogue has them where
// the scenario does not say otherwise.
func TestPromptCachesOfTheCatalogue(t *testing.T) {
	text := strings.Replace(small(t), "latency: {base: 100ms, per_output_token: 10ms}", "catalogue: gpt-4.1", 1)
	openai := mockupstream.PromptCache{MinTokens: 1024, Block: 128, TTL: 5 * time.Minute}
	shorter := openai
	shorter.TTL = time.Minute
	for set, want := range map[string]mockupstream.PromptCache{
		"null": {}, "off": {}, "false": {}, "on": openai, "true": openai, "{}": openai, "{ttl: 1m}": shorter,
		"{min: 0, block: 1, ttl: 2s}": {Block: 1, TTL: 2 * time.Second},
	} {
		b, err := mustParse(t, text, "upstreams.v.models.m.prompt_cache="+set).Variants()[0].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Upstream.Models[0].Cache; got != want {
			t.Errorf("%q: %+v, want %+v", set, got, want)
		}
	}
}

func TestEpochWaitsAndNewFaults(t *testing.T) {
	b := full(t, 0)
	if want := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC); !b.Upstream.Epoch.Equal(want) {
		t.Errorf("epoch %v", b.Upstream.Epoch)
	}
	if got := built(t, "epoch=2030-06-01T00:30:00.5+02:00").Upstream.Epoch; !got.Equal(time.Date(2030, 5, 31, 22, 30, 0, 5e8, time.UTC)) || !built(t).Upstream.Epoch.IsZero() {
		t.Errorf("epoch %v", got)
	}
	if got := b.Upstream.Models[6].MaxWait; got != 10*time.Minute {
		t.Errorf("wait in line %v", got)
	}
	f := b.Upstream.Faults[len(b.Upstream.Faults)-2:]
	if f[0].Kind != mockupstream.FaultStreamError || f[0].Status != 529 || f[1].Kind != mockupstream.FaultNoCredit || f[1].Models[0] != 5 {
		t.Errorf("faults %+v", f)
	}
	if got := built(t, "upstreams.v.faults={f: {kind: stream_error, at: 0s, for: 1s}}").Upstream.Faults[0]; got.Status != 500 {
		t.Errorf("a stream error of status %d by default", got.Status)
	}
}

// Ensure prices reach the mock, which counts limits on spend by them, and those of the
// cache and of long prompts are as written, the catalogue's, or the usual ones.
func TestPricesReachTheMock(t *testing.T) {
	p := full(t, 0).Upstream.Models
	want := mockupstream.Price{
		Input: 2_000_000, Cached: 500_000, Output: 8_000_000, CacheWrite: 2_000_000, LongFrom: 200_000,
		Long: mockupstream.Rates{Input: 4_000_000, Cached: 1_000_000, Output: 12_000_000, CacheWrite: 4_000_000},
	}
	if p[0].Price != want {
		t.Errorf("gpt-4.1 costs %+v", p[0].Price)
	}
	if p[1].Price.Input == 0 || p[1].Price.Output == 0 {
		t.Errorf("gpt-4.1-mini costs %+v", p[1].Price)
	}
	for set, want := range map[string]mockupstream.Price{
		"{input: 1, output: 2}":                                 {Input: 1e6, Cached: 1e6, Output: 2e6, CacheWrite: 1e6},
		"{input: 1, output: 2, cached: 0.1, cache_write: 1.25}": {Input: 1e6, Cached: 1e5, Output: 2e6, CacheWrite: 125e4},
		"{input: 1, output: 2, long: {from: 1k, input: 3}}": {
			Input: 1e6, Cached: 1e6, Output: 2e6, CacheWrite: 1e6, LongFrom: 1000, Long: mockupstream.Rates{Input: 3e6, Cached: 1e6, Output: 2e6, CacheWrite: 3e6},
		},
		"{input: 1, output: 2, cache_write: 1.25, long: {from: 1k, output: 9}}": {
			Input: 1e6, Cached: 1e6, Output: 2e6, CacheWrite: 125e4, LongFrom: 1000, Long: mockupstream.Rates{Input: 1e6, Cached: 1e6, Output: 9e6, CacheWrite: 125e4},
		},
	} {
		b := built(t, "prices.models.m="+set)
		if got := b.Upstream.Models[0].Price; got != want {
			t.Errorf("%s: %+v, want %+v", set, got, want)
		}
		if got := b.Report.Models[0].Price; got != want {
			t.Errorf("%s: the report has %+v", set, got)
		}
	}
}

package scenario

import (
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/compaction"
	"github.com/seed-4fd17b57/simload/workload"
)

func full(t testing.TB, variant int) *Built {
	t.Helper()
	s, err := Load("testdata/full.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Variants()[variant].Build(7)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestStackAndUpstreamShareOneNumbering(t *testing.T) {
	for variant := range 3 {
		b := full(t, variant)
		if len(b.Stack.Targets) != len(b.Upstream.Models) || len(b.Stack.Keys) != len(b.Upstream.Keys) || len(b.Stack.Quotas) != len(b.Upstream.Quotas) {
			t.Fatal("lengths differ")
		}
		for i, m := range b.Upstream.Models {
			if got := b.Stack.Targets[i]; got.Name != m.Name || got.Vendor != m.Vendor || b.Report.Models[i].Name != m.Name {
				t.Errorf("model %d is %s here and %s there", i, m.Name, got.Name)
			}
		}
		for i, q := range b.Upstream.Quotas {
			if got := b.Stack.Quotas[i]; got.Name != q.Name || b.Report.Quotas[i].Name != q.Name {
				t.Errorf("quota %d differs: %+v, %+v", i, q, got)
			}
			if b.Report.Quotas[i].RPM != q.RPM || b.Report.Quotas[i].TPM != q.TPM {
				t.Errorf("quota %d of the report: %+v, %+v", i, q, b.Report.Quotas[i])
			}
			// The client knows the provider's limits, unless the scenario says otherwise.
			if got := b.Stack.Quotas[i]; q.Name != "acme-eu/gpt-eu" && got != clientQuota(&b.Upstream.Quotas[i]) {
				t.Errorf("quota %d differs: %+v, %+v", i, q, got)
			}
		}
		uses := 0
		for i, k := range b.Upstream.Keys {
			if b.Stack.Keys[i].ID != k.ID || b.Report.Keys[i] != k.ID {
				t.Errorf("key %d differs", i)
			}
			for _, q := range k.Quotas {
				if q >= 0 {
					uses++
				}
			}
		}
		for m, target := range b.Stack.Targets {
			for _, use := range target.Keys {
				uses--
				if b.Upstream.Keys[use.Key].Quotas[m] != use.Quota {
					t.Errorf("model %d, key %d: quota %d there, %d here", m, use.Key, b.Upstream.Keys[use.Key].Quotas[m], use.Quota)
				}
			}
		}
		if uses != 0 {
			t.Errorf("the upstream has %d pairs of key and model more than the stack", uses)
		}
	}
}

func TestKeysAndQuotas(t *testing.T) {
	b := full(t, 0)
	want := "oa-1 oa-2 oa-3 oa-4 oa-5 oa-6 oa-7 oa-8 own-01 own-02 own-03 own-04 own-05 own-06 own-07 own-08 own-09 own-10 own-11 own-12 g eu-1 eu-2 an ds"
	if got := strings.Join(b.Report.Keys, " "); got != want {
		t.Errorf("keys\n%s\nwant\n%s", got, want)
	}
	// The eight keys of acme share one quota per family; each of the others has its own.
	if n := len(b.Stack.Quotas); n != 2+12+1+3+2 {
		t.Errorf("%d quotas, want 20", n)
	}
	if q := b.Stack.Quotas[0]; q != (stack.Quota{Name: "acme/gpt-4.1", RPM: 10_000, TPM: 2_000_000}) {
		t.Errorf("quota 0 is %+v", q)
	}
	if q := b.Upstream.Quotas[2]; q.Name != "own-01/gpt-4.1" || q.RPM != 500 || q.TPM != 200_000 {
		t.Errorf("quota 2 is %+v", q)
	}
	for i := range 8 {
		if got := b.Upstream.Keys[i].Quotas; !reflect.DeepEqual(got, []int{0, 1, 1, -1, -1, -1, -1}) {
			t.Errorf("key %d counts against %v", i, got)
		}
	}
	if one := full(t, 1); one.Report.Keys[0] != "oa" || !reflect.DeepEqual(one.Upstream.Faults[0].Keys, []int{0}) {
		t.Errorf("a pool of one: key %q, fault on keys %v", one.Report.Keys[0], one.Upstream.Faults[0].Keys)
	}
}

func TestTiersAndExplicitLimits(t *testing.T) {
	limitsFor := func(pool string) [][2]int64 {
		t.Helper()
		s := mustParse(t, strings.NewReplacer(
			"models: {m: {latency: {base: 100ms, per_output_token: 10ms}}}", "models: {gpt-4.1: {}, gpt-4.1-mini: {family: small}}",
			`k: {limits: {"*": {rpm: 60, tpm: 100k}}}`, "k: "+pool, "model: m", "model: gpt-4.1", "m: {input: 1, output: 2}", "",
		).Replace(small(t)))
		b, err := s.Variants()[0].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		var out [][2]int64
		for _, q := range b.Stack.Quotas {
			out = append(out, [2]int64{q.RPM, q.TPM})
		}
		return out
	}
	for pool, want := range map[string][][2]int64{
		`{tier: tier2}`: {{5000, 450_000}, {5000, 2_000_000}},
		`{tier: tier2, limits: {gpt-4.1: {tpm: 1M}}}`:                            {{5000, 1_000_000}, {5000, 2_000_000}},
		`{tier: tier2, limits: {small: {rpm: 7}}}`:                               {{5000, 450_000}, {7, 2_000_000}},
		`{limits: {"*": {rpm: 7}, gpt-4.1: {}}}`:                                 {{0, 0}, {7, 0}},
		`{limits: {"*": {}}}`:                                                    {{0, 0}, {0, 0}},
		`{limits: {small: {rpm: 1}, gpt-4.1-mini: {rpm: 2}, gpt-4.1: {rpm: 3}}}`: {{3, 0}, {2, 0}},
	} {
		if got := limitsFor(pool); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", pool, got, want)
		}
	}
}

func TestRoutesKindsAndEntries(t *testing.T) {
	b := full(t, 0)
	var names []string
	for _, r := range b.Stack.Routes {
		names = append(names, r.Name)
	}
	if got := strings.Join(names, " "); got != "gpt-4.1 cheap gpt-4.1-mini gpt-4.1-nano fast gpt-eu claude-haiku-4-5 deepseek-v4-pro" {
		t.Errorf("routes %q: those of the file come first, then models without one", got)
	}
	want := []stack.RouteStep{{Target: 0}, {Target: 1}, {Target: 3}, {Target: 2, MaxOut: 128}}
	if got := b.Stack.Routes[0].Steps; !reflect.DeepEqual(got, want) {
		t.Errorf("steps %+v, want %+v", got, want)
	}
	if got := b.Stack.Kinds; !reflect.DeepEqual(got, []stack.Kind{{Name: "default", Context: 128_000}, {Name: "hypothesis", Context: 128_000}, {Name: "literature", Context: 64_000}, {Name: "writing"}, {Name: "summary"}}) {
		t.Errorf("kinds %+v", got)
	}
	if got := b.Profiles; !reflect.DeepEqual(got, []Entry{{stack.P0, 0, 1}, {stack.P1, 0, 2}, {stack.P2, 2, 3}, {stack.P0, 2, 4}, {stack.P1, 2, 4}}) {
		t.Errorf("entries %+v: those of the file come first, then their summaries", got)
	}
	summary := func(limit int64, profile int) Summary {
		return Summary{compaction.Policy{Cap: limit, Keep: limit / 2, Output: 500}, profile, time.Minute}
	}
	if got := b.Summaries; !reflect.DeepEqual(got, []Summary{summary(128_000, 3), summary(64_000, 4), {}}) {
		t.Errorf("summaries %+v", got)
	}
}

func TestFaults(t *testing.T) {
	b := full(t, 0)
	f := b.Upstream.Faults
	want := mockupstream.Fault{
		Name: "evening", Kind: mockupstream.FaultBurst429, At: 20 * time.Minute, For: time.Minute, Every: 30 * time.Minute, Share: 0.5,
		Models: []int{0}, Keys: []int{0}, RetryAfter: 20 * time.Second, Mode: mockupstream.RetryAfterFixed,
	}
	if !reflect.DeepEqual(f[0], want) {
		t.Errorf("evening is %+v", f[0])
	}
	if f[1].Mode != mockupstream.RetryAfterAbsent || f[2].Mode != mockupstream.RetryAfterWrong {
		t.Errorf("modes %v, %v", f[1].Mode, f[2].Mode)
	}
	if hung := f[10]; hung.Name != "hung" || len(hung.Keys) != 12 || hung.Keys[0] != 8 {
		t.Errorf("the name of a pool means all its keys: %+v", hung)
	}
	// A fault of one vendor does not touch the others.
	if !reflect.DeepEqual(f[3].Models, []int{0, 1, 2}) || !reflect.DeepEqual(f[11].Models, []int{3}) {
		t.Errorf("models %v, %v", f[3].Models, f[11].Models)
	}
}

func TestWorkloadAndSettings(t *testing.T) {
	b := full(t, 0)
	w := b.Workload
	if w.Duration != time.Hour || len(w.Profiles) != 3 || w.Agents[0].Count != 1900 || !w.Agents[0].RandomStart || w.Agents[0].Stagger != 20*time.Second {
		t.Errorf("workload %+v", w)
	}
	if p := w.Profiles[0]; p.Interval.Mean() != 15 || p.MaxContext != 32_000 || p.EstimateSigma != 0.1 || p.Growth.Mean() != 300 {
		t.Errorf("profile %+v", p)
	}
	if ph := w.Agents[0].Phases; ph[0].Profile != 1 || ph[0].Rounds.Mean() != 10 || !ph[1].Keep || ph[2].Profile != 2 {
		t.Errorf("phases %+v", ph)
	}
	if s := w.Streams; !reflect.DeepEqual(s[0], workload.Stream{Name: "background", Rate: 12.5, Arrivals: workload.ArrivalsPoisson, Clients: 10}) || s[1].Arrivals != workload.ArrivalsConstant || s[1].Clients != defaultClients {
		t.Errorf("streams %+v", s)
	}
	if s := w.Streams[len(w.Streams)-1]; s.Name != "chats" || len(s.Sessions) != 1 || s.Sessions[0].Profile != 2 || s.Sessions[0].Rounds.Mean() != 3.8 || w.Profiles[0].SharedPrefix.Mean() != 1500 {
		t.Errorf("sessions %+v", s)
	}
	if l := b.Upstream.Models[2].Latency; l.FirstTokenSigma != 0 || l.OutputSigma != 0.2 || l.OutputFactors != nil ||
		!reflect.DeepEqual(l.FirstTokenFactors, &mockupstream.Factors{Shares: []float64{0, 0.5, 0.95, 1}, Values: []float64{0.8, 1, 1.9, 6}}) {
		t.Errorf("latency %+v", l)
	}
	if got := w.Traces[0].Path; got != "testdata/traces/small.csv" {
		t.Errorf("trace at %q: relative to the scenario file", got)
	}
	if k := b.Stack.Targets[0].Concurrency; k == nil || k.Controller != "static" || k.Start != 300 || !k.DecreaseOnTimeout {
		t.Errorf("the override of a target lies over stack.concurrency: %+v", k)
	}
	if b.Stack.Timeouts.Deadline != [stack.NumClasses]time.Duration{0, 0, 2 * time.Minute} {
		t.Errorf("deadlines %v", b.Stack.Timeouts.Deadline)
	}
	if b.Stack.Targets[3].Charge != stack.ChargeInput || b.Instances != 2 {
		t.Errorf("charge %v, instances %d", b.Stack.Targets[3].Charge, b.Instances)
	}
	r := b.Report
	if r.Models[0].Price.Input != 2_000_000 || r.Models[0].Price.Cached != 500_000 || r.Models[3].Price.Input == 0 || r.CNYPerUSD != 7.18 || r.MonthlyBudgetUSD != 500_000 {
		t.Errorf("prices %+v", r.Models)
	}
	if r.Profiles[0].P99Alert != 8*time.Second || r.Ratio429Alert != 0.05 || r.TPMAlert != 0.95 || r.Warmup != 2*time.Minute {
		t.Errorf("alerts %+v", r)
	}
}

func TestWhatIsLeftOutIsTheDefault(t *testing.T) {
	s := mustParse(t, small(t))
	b, err := s.Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	want := stack.Default()
	want.Seed, want.Targets, want.Keys, want.Quotas, want.Routes, want.Kinds = b.Stack.Seed, b.Stack.Targets, b.Stack.Keys, b.Stack.Quotas, b.Stack.Routes, b.Stack.Kinds
	if !reflect.DeepEqual(b.Stack, want) {
		t.Errorf("got %+v\nwant %+v", b.Stack, want)
	}
	if s.Seed() != 1 || s.Mode() != "virtual" || s.Name() != "x" {
		t.Errorf("seed %d, mode %s, name %s", s.Seed(), s.Mode(), s.Name())
	}
}

func TestSeeds(t *testing.T) {
	s := mustParse(t, small(t))
	v := s.Variants()[0]
	one, err := v.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := v.Build(1)
	if err != nil || !reflect.DeepEqual(one, again) {
		t.Errorf("two builds of one seed differ (%v)", err)
	}
	two, err := v.Build(2)
	if err != nil {
		t.Fatal(err)
	}
	if one.Workload.Seed != 1 || two.Workload.Seed != 2 {
		t.Error("the workload's seed is not the seed")
	}
	seeds := map[uint64]bool{one.Stack.Seed: true, one.Upstream.Seed: true, two.Stack.Seed: true, two.Upstream.Seed: true}
	if len(seeds) != 4 {
		t.Error("rooms or seeds share a derived seed")
	}
}

func TestBuildsAreIndependent(t *testing.T) {
	s, err := Load("testdata/full.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for seed := range uint64(4) {
		for _, v := range s.Variants() {
			wait.Go(func() {
				b, err := v.Build(seed)
				if err != nil || b.Workload.Seed != seed {
					t.Errorf("%s, seed %d: %v", v.Name, seed, err)
					return
				}
				b.Stack.Targets[0].Keys[0].Weight = 99
				b.Upstream.Models[1].Capacity[0].Slots = 99
			})
		}
	}
	wait.Wait()
	b, err := s.Variants()[0].Build(1)
	if err != nil || b.Stack.Targets[0].Keys[0].Weight != 1 || b.Upstream.Models[1].Capacity[0].Slots != 400 {
		t.Errorf("one build changed another: %v", err)
	}
}

func TestBudgetInCNY(t *testing.T) {
	s, err := Load("testdata/small.yaml", []string{"prices.monthly_budget_cny=36k", "prices.cny_per_usd=7.2"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Report.MonthlyBudgetUSD; math.Abs(got-5000) > 1e-9 {
		t.Errorf("36 000 CNY at 7.2 are %v USD, want 5000", got)
	}
}

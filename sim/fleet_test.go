package sim

import (
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// fleet is a hand-made setup: agents of one profile on one model with some keys.
func fleet(agents, keys int, tpm int64, d time.Duration) *scenario.Built {
	must := workload.Must
	s := &scenario.Built{Instances: 1, Profiles: []scenario.Entry{{Class: stack.P0}}}
	s.Workload = workload.Config{
		Seed: 1, Duration: d,
		Profiles: []workload.Profile{{
			Name: "p", Interval: must(workload.Uniform(15, 25)), Context: must(workload.LogNormal(4000, 9000)),
			Growth: must(workload.Constant(300)), Output: must(workload.LogNormal(100, 250)), MaxOutput: 1000, EstimateSigma: 0.1,
		}},
		Agents: []workload.AgentGroup{{
			Name: "a", Count: agents, Stagger: 20 * time.Second, RandomStart: true,
			Phases: []workload.Phase{{Profile: 0, Rounds: must(workload.Constant(20))}},
		}},
	}
	s.Stack = stack.Default()
	target := stack.Target{Name: "m", Vendor: "v"}
	s.Upstream.Models = []mockupstream.Model{{
		Name: "m", Vendor: "v",
		Latency: mockupstream.Latency{
			Base: 400 * time.Millisecond, PerPromptToken: 160 * time.Microsecond, PerCachedToken: 16 * time.Microsecond,
			PerOutputToken: 12 * time.Millisecond, FirstTokenSigma: .25, OutputSigma: .1, Load: 1, Refusal: 50 * time.Millisecond,
		},
		Capacity: []mockupstream.CapacityStep{{Slots: 2000}},
		Cache:    mockupstream.PromptCache{MinTokens: 1024, Block: 128, TTL: 5 * time.Minute},
	}}
	s.Report = report.Setup{
		Name: "base", Duration: d, Warmup: d / 30, CNYPerUSD: 7.18,
		Profiles: []report.ProfileInfo{{Name: "p", Class: stack.P0}},
		Models:   []report.ModelInfo{{Name: "m", Vendor: "v", Price: mockupstream.Price{Input: 2e6, Cached: 5e5, Output: 8e6, CacheWrite: 2e6}}},
	}
	for k := range keys {
		id := "k" + string(rune('a'+k))
		s.Stack.Keys = append(s.Stack.Keys, stack.Key{ID: id})
		s.Stack.Quotas = append(s.Stack.Quotas, stack.Quota{Name: id, RPM: 10000, TPM: tpm})
		target.Keys = append(target.Keys, stack.KeyUse{Key: k, Quota: k, Weight: 1})
		s.Upstream.Keys = append(s.Upstream.Keys, mockupstream.Key{ID: id, Quotas: []int{k}})
		s.Upstream.Quotas = append(s.Upstream.Quotas, mockupstream.Quota{Name: id, RPM: 10000, TPM: tpm})
		s.Report.Keys = append(s.Report.Keys, id)
		s.Report.Quotas = append(s.Report.Quotas, report.QuotaInfo{Name: id, RPM: 10000, TPM: tpm})
		s.Report.KeyQuota = append(s.Report.KeyQuota, []int{k})
	}
	s.Stack.Targets = []stack.Target{target}
	s.Stack.Routes = []stack.Route{{Name: "m", Steps: []stack.RouteStep{{}}}}
	return s
}

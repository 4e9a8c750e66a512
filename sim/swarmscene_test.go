package sim

import (
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/compaction"
	"github.com/seed-4fd17b57/simload/stack/jitter"
	"github.com/seed-4fd17b57/simload/workload"
)

func randomWorkload(d dice, s *scenario.Built, seed uint64, length time.Duration) {
	must := workload.Must
	s.Workload = workload.Config{Seed: seed, Duration: length}
	profiles := d.between(1, 4)
	for i := range profiles {
		median := float64(d.between(50, 6000))
		s.Workload.Profiles = append(s.Workload.Profiles, workload.Profile{
			Name: "p" + strconv.Itoa(i), Interval: must(workload.Uniform(1, float64(d.between(2, 30)))),
			Context: must(workload.LogNormal(median, median*float64(d.between(1, 4)))),
			Growth:  must(workload.Constant(float64(d.between(0, 300)))), MaxContext: int64(d.between(8000, 60_000)),
			Output: must(workload.LogNormal(float64(d.between(1, 300)), 400)), MaxOutput: int64(d.between(1, 3000)),
			WriteShare: float64(d.between(0, 2)) / 2, EstimateSigma: float64(d.between(0, 2)) / 10,
		})
		if int(median)%4 == 0 { // not a draw of its own, so that a seed's scenario stays what it was otherwise
			s.Workload.Profiles[i].SharedPrefix = must(workload.Constant(median / 2))
		}
		class := stack.Class(d.IntN(stack.NumClasses))
		s.Profiles = append(s.Profiles, scenario.Entry{Class: class, Kind: d.IntN(2)})
		s.Report.Profiles = append(s.Report.Profiles, report.ProfileInfo{Name: "p" + strconv.Itoa(i), Class: class})
	}
	s.Stack.Kinds = []stack.Kind{{Name: "default"}, {Name: "capped", Context: int64(d.between(500, 5000))}}
	randomAgents(d, s, profiles)
	if d.chance(60) {
		s.Workload.Streams = []workload.Stream{randomStream(d, profiles)}
	}
	if d.chance(15) {
		s.Workload.Traces = []workload.Trace{{
			Name: "t", Path: "../scenarios/traces/sample.csv", Profile: d.IntN(profiles), Speed: float64(d.between(1, 20)),
			Clients: d.between(1, 50), Loop: pick(d, 0, 2, -1), Spread: pick(d, 0, time.Second), SkipBad: d.chance(50),
		}}
	}
}

func randomAgents(d dice, s *scenario.Built, profiles int) {
	must := workload.Must
	if d.chance(40) {
		s.Workload.Profiles[d.IntN(profiles)].Patience = must(workload.Exponential(float64(d.between(2, 60))))
	}
	phases := []workload.Phase{{Profile: d.IntN(profiles), Rounds: must(workload.Constant(5))}}
	if d.chance(50) {
		phases = append(phases, workload.Phase{Profile: d.IntN(profiles), Rounds: must(workload.Uniform(1, 6)), Keep: d.chance(50)})
	}
	if d.chance(40) {
		phases[0].Tool = must(workload.Uniform(0, float64(d.between(1, 20))))
	}
	if d.chance(30) {
		phases[0].FanOut, phases[0].SubProfile = must(workload.Constant(float64(d.between(1, 4)))), d.IntN(profiles)
		phases[0].SubRounds = must(workload.Constant(float64(d.between(1, 3))))
	}
	g := workload.AgentGroup{
		Name: "a", Count: d.between(4, 60), Phases: phases, Stagger: d.span(0, 20*time.Second), RandomStart: d.chance(50),
	}
	if d.chance(30) {
		g.Waves, g.WaveEvery = d.between(2, 4), d.span(0, 30*time.Second)
	}
	if d.chance(30) {
		g.TaskDeadline = must(workload.Uniform(5, float64(d.between(10, 200))))
	}
	s.Workload.Agents = []workload.AgentGroup{g}
}

func randomStream(d dice, profiles int) workload.Stream {
	st := workload.Stream{
		Name: "s", Profile: d.IntN(profiles), Rate: float64(d.between(1, 60)) / 10, Clients: d.between(4, 20),
		Arrivals: pick(d, workload.ArrivalsConstant, workload.ArrivalsPoisson, workload.ArrivalsGamma, workload.ArrivalsWeibull),
	}
	if st.Arrivals == workload.ArrivalsGamma || st.Arrivals == workload.ArrivalsWeibull {
		st.CV = float64(d.between(5, 40)) / 10
	}
	switch d.IntN(5) {
	case 0:
		st.Rate = 0
		st.Curve = &workload.Curve{Points: workload.Stages(workload.Stage{For: d.span(time.Second, time.Minute), To: float64(d.between(1, 8))}, workload.Stage{For: time.Minute, From: 5, To: 1})}
	case 1:
		st.Rate = 0
		st.Curve = &workload.Curve{Sine: &workload.Sine{Base: 3, Amplitude: float64(d.between(0, 3)), Period: d.span(10*time.Second, 3*time.Minute)}}
	case 2:
		st.Rate = 0
		st.Curve = &workload.Curve{States: []workload.State{{Rate: .5, Dwell: d.span(time.Second, time.Minute)}, {Rate: float64(d.between(2, 20)), Dwell: d.span(time.Second, 20*time.Second)}}}
	case 3:
		st.Curve = &workload.Curve{Spikes: []workload.Spike{{At: d.span(0, time.Minute), Count: int64(d.between(1, 100)), Every: time.Minute}}}
	}
	if d.chance(30) {
		st.Mix = &workload.Mix{Groups: []workload.ClientGroup{
			{Name: "few", Weight: 1, Share: 9, Profile: d.IntN(profiles)}, {Name: "many", Weight: 3, Share: 1, Profile: d.IntN(profiles)},
		}}
	}
	if st.Clients%3 == 0 { // not a draw of its own, as above
		p := st.Profile
		if st.Mix != nil {
			p = st.Mix.Groups[0].Profile
		}
		st.Sessions = []workload.Session{{Profile: p, Rounds: workload.Must(workload.Uniform(1, 12))}}
	}
	return st
}

// randomSummaries has the capped profiles' conversations summarised.
func randomSummaries(d dice, s *scenario.Built) {
	kind := len(s.Stack.Kinds)
	s.Stack.Kinds = append(s.Stack.Kinds, stack.Kind{Name: "summary"})
	s.Summaries = make([]scenario.Summary, len(s.Workload.Profiles))
	for p := range s.Summaries {
		limit := s.Stack.Kinds[s.Profiles[p].Kind].Context
		if limit == 0 {
			continue
		}
		keep := int64(d.between(int(limit)/4, int(limit)))
		s.Summaries[p] = scenario.Summary{
			Policy: compaction.Policy{Cap: limit, Keep: keep, Output: int64(d.between(1, int(keep)/2))}, Profile: len(s.Profiles), MaxWait: pick(d, 0, d.span(time.Second, time.Minute)),
		}
		s.Profiles = append(s.Profiles, scenario.Entry{Class: s.Profiles[p].Class, Route: d.IntN(len(s.Stack.Routes)), Kind: kind})
		s.Report.Profiles = append(s.Report.Profiles, report.ProfileInfo{Name: s.Report.Profiles[p].Name + "/summary", Class: s.Profiles[p].Class})
	}
}

func randomUpstream(d dice, s *scenario.Built, seed uint64) {
	models, keys := d.between(1, 4), d.between(1, 6)
	shared := d.chance(40) // all keys are of one group
	family := d.chance(30) // all models are of one family
	speaks := map[string]mockupstream.Dialect{"u": mockupstream.Dialect(d.IntN(dialects)), "v": mockupstream.Dialect(d.IntN(dialects))}
	if family {
		speaks["v"] = speaks["u"]
	}
	s.Upstream.Seed = jitter.Hash(seed, 1, 0)
	for m := range models {
		name := "m" + strconv.Itoa(m)
		s.Upstream.Models = append(s.Upstream.Models, mockupstream.Model{
			Name: name, Vendor: pick(d, "u", "v"), ContextWindow: int64(pick(d, 0, 8000, 128_000)), MaxWait: d.span(0, time.Minute), Heartbeat: pick(d, 0, 0, d.span(time.Second, 40*time.Second)),
			Latency: mockupstream.Latency{
				Base: d.span(0, time.Second), PerPromptToken: d.span(0, 200*time.Microsecond),
				PerOutputToken: d.span(0, 30*time.Millisecond), FirstTokenSigma: float64(d.between(0, 5)) / 10,
				OutputSigma: float64(d.between(0, 2)) / 10, Load: float64(d.between(0, 3)), Refusal: d.span(0, 200*time.Millisecond),
			},
			Cache: mockupstream.PromptCache{MinTokens: 1024, Block: 128, TTL: d.span(time.Second, 5*time.Minute)},
		})
		s.Upstream.Models[m].Dialect = speaks[s.Upstream.Models[m].Vendor]
		if d.chance(60) {
			s.Upstream.Models[m].Capacity = []mockupstream.CapacityStep{{Slots: int64(d.between(1, 100))}, {At: time.Minute, Slots: int64(d.between(0, 100))}}
		}
		s.Report.Models = append(s.Report.Models, report.ModelInfo{Name: name, Vendor: s.Upstream.Models[m].Vendor, Price: mockupstream.Price{Input: 2e6, Cached: 5e5, Output: 8e6, CacheWrite: 2e6}})
		s.Stack.Targets = append(s.Stack.Targets, stack.Target{Name: name, Vendor: s.Upstream.Models[m].Vendor, Charge: charges[s.Upstream.Models[m].Dialect], ContextWindow: s.Upstream.Models[m].ContextWindow})
	}
	quotas := map[[2]int]int{}
	for k := range keys {
		id := "k" + strconv.Itoa(k)
		s.Stack.Keys = append(s.Stack.Keys, stack.Key{ID: id})
		s.Report.Keys = append(s.Report.Keys, id)
		row := make([]int, models)
		for m := range models {
			at := [2]int{k, m}
			if shared {
				at[0] = 0
			}
			if family {
				at[1] = 0
			}
			q, ok := quotas[at]
			if !ok {
				q = len(quotas)
				quotas[at] = q
				randomQuota(d, s, q, s.Upstream.Models[m].Dialect)
			}
			row[m] = q
			s.Stack.Targets[m].Keys = append(s.Stack.Targets[m].Keys, stack.KeyUse{Key: k, Quota: q, Weight: int64(d.between(1, 3))})
		}
		s.Upstream.Keys = append(s.Upstream.Keys, mockupstream.Key{ID: id, Quotas: row})
		s.Report.KeyQuota = append(s.Report.KeyQuota, row)
	}
	randomFaults(d, s, models)
}

const dialects = int(mockupstream.DialectOpenRouter) + 1

// charges is how a stack counts for each dialect.
var charges = [dialects]stack.Charge{
	mockupstream.DialectOpenAI: stack.ChargeMax, mockupstream.DialectAnthropic: stack.ChargeUncached,
	mockupstream.DialectGemini: stack.ChargeInput, mockupstream.DialectDeepSeek: stack.ChargeMax,
	mockupstream.DialectAzure: stack.ChargeSum, mockupstream.DialectOpenRouter: stack.ChargeMax,
}

func randomQuota(d dice, s *scenario.Built, q int, speaks mockupstream.Dialect) {
	name := "q" + strconv.Itoa(q)
	c := stack.Quota{Name: name}
	if speaks == mockupstream.DialectDeepSeek {
		c.Concurrency = d.between(1, 40)
	} else {
		c.RPM = int64(pick(d, 0, d.between(5, 60), d.between(60, 1000)))
	}
	switch speaks {
	case mockupstream.DialectOpenAI, mockupstream.DialectAnthropic, mockupstream.DialectGemini, mockupstream.DialectAzure:
		c.TPM = int64(pick(d, 0, d.between(5000, 60_000), d.between(60_000, 2_000_000)))
	}
	switch speaks {
	case mockupstream.DialectAnthropic:
		c.OTPM = int64(pick(d, 0, d.between(3000, 50_000)))
	case mockupstream.DialectOpenAI, mockupstream.DialectGemini, mockupstream.DialectOpenRouter:
		c.RPD = int64(pick(d, 0, 0, d.between(20, 5000)))
	}
	s.Stack.Quotas = append(s.Stack.Quotas, c)
	s.Upstream.Quotas = append(s.Upstream.Quotas, mockupstream.Quota{
		Name: name, Group: name, RPM: c.RPM, TPM: c.TPM, OTPM: c.OTPM, RPD: c.RPD, Concurrency: int64(c.Concurrency),
		CountRefused: speaks == mockupstream.DialectOpenAI && d.chance(20),
	})
	s.Report.Quotas = append(s.Report.Quotas, report.QuotaInfo{Name: name, RPM: c.RPM, TPM: c.TPM})
}

func randomFaults(d dice, s *scenario.Built, models int) {
	for i := range d.between(0, 4) {
		f := mockupstream.Fault{
			Name: "f" + strconv.Itoa(i), Kind: mockupstream.FaultKind(d.IntN(int(mockupstream.FaultNoCredit) + 1)),
			At: d.span(0, 4*time.Minute), For: d.span(time.Second, time.Minute), Share: float64(d.between(1, 100)) / 100,
			Status: pick(d, 500, 502, 503, 529), Factor: float64(d.between(1, 9)) / 10,
			Mode:       mockupstream.RetryAfterMode(d.IntN(3)),
			RetryAfter: d.span(0, 90*time.Second).Truncate(time.Millisecond),
		}
		switch f.Kind {
		case mockupstream.FaultSlowdown:
			f.Factor = float64(d.between(11, 60)) / 10
		case mockupstream.FaultCutLimit:
			f.Share = 1
		}
		if d.chance(40) {
			f.Every = f.For + d.span(0, time.Minute)
		}
		if d.chance(40) {
			f.Models = []int{d.IntN(models)}
		}
		s.Upstream.Faults = append(s.Upstream.Faults, f)
	}
}

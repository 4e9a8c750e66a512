package report

import (
	"math"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

func mustExpects(t *testing.T, texts ...string) []Expect {
	t.Helper()
	out := make([]Expect, len(texts))
	for i, s := range texts {
		e, err := ParseExpect(s)
		if err != nil {
			t.Fatalf("parsing %q: %v", s, err)
		}
		out[i] = e
	}
	return out
}

// latencyFixture is a row of n latencies that grow evenly from 1 to n steps of stepMS, with its histogram.
func latencyFixture(by By, metric string, n, failures int64, stepMS float64) Latency {
	h := hdr.NewPacked(1, 24*3600e6, 3)
	for i := int64(1); i <= n; i++ {
		if err := h.RecordValue(int64(float64(i) * stepMS * 1000)); err != nil {
			panic(err)
		}
	}
	code, err := h.Encode()
	if err != nil {
		panic(err)
	}
	at := func(p float64) Num { return Num(float64(rankOf(p, n)) * stepMS) }
	return Latency{
		By: by, Metric: metric, Count: n, Failures: failures, MeanMS: Num(float64(n+1) / 2 * stepMS),
		P50MS: at(50), P90MS: at(90), P95MS: at(95), P99MS: at(99), P999MS: at(99.9), MaxMS: at(100), HDR: string(code),
	}
}

type profileFixture struct {
	by                   By
	requests, ok, r429   int64
	p50, p90, p95, p99   Num
	p999, max            Num
	queue, backoff, ttft Num
}

// variantFixture is a plausible hour of 2000 agents.
func variantFixture(name string) Variant {
	v := Variant{
		Name: name,
		Totals: Totals{
			Requests: 380_435, Attempts: 381_020, Succeeded: 379_921, DeadLettered: 12, Rejected: 502, Retries: 1_120,
			HTTP429: 3_310, HTTP5xx: 41, Timeouts: 7, Fallback1: 311, Fallback2: 42, Fallback3: 3,
			TokensIn: 3_011_228_411, TokensCached: 902_118_220, TokensOut: 61_400_110, TokensWasted: 1_203_411,
		},
		Offered:    Offered{RequestsPerS: 100.1234567, TokensPerMin: 48.21e6, MeanIn: 7915, MeanOut: 161},
		Throughput: Throughput{RequestsPerS: 99.91, TokensPerMin: 48.09e6, AttemptsPerS: 100.3},
		Stack: Stack{
			Gates: []Gate{
				{
					Model: "gpt-4.1", LimitMean: 212.4, LimitMin: 64, LimitMax: 300, Increases: 391, Decreases: 14, InFlightMean: 148.2, InFlightMax: 300,
					QueueMean: 3.21, QueueMax: 188, BlockedOn: []Share{{"slots", 0.021}, {"tpm", 0.112}},
				},
				{Model: "claude-sonnet-4.5", LimitMean: 96, LimitMin: 64, LimitMax: 128, Increases: 12, Decreases: 3, InFlightMean: 40.9, InFlightMax: 97},
				{Model: "unused"},
			},
			RetryPeak100ms: 9, BreakerOpened: 2,
			RejectedByReason: []Count{{"queue_full", 502}}, DeadByReason: []Count{{"attempts_exhausted", 12}},
			AttemptsByOutcome: []Count{{"success", 379_921}, {"rate_limited", 3_310}},
		},
		Cost: Cost{
			Currency: "USD", Total: 812.4, Wasted: 3.104, Per1000: 2.13834, CNYPerUSD: 7.18, TotalCNY: 5833.03, BudgetUSD: 1_000_000, BudgetUse: 0.6049,
			By: []CostItem{
				{By: By{Model: "gpt-4.1"}, Cost: 611.09, Wasted: 2.9},
				{By: By{Model: "claude-sonnet-4.5"}, Cost: 201.31, Wasted: 0.204},
				{By: By{Profile: "hypothesis", Class: "P0"}, Cost: 240.11},
				{By: By{Profile: "literature", Class: "P1"}, Cost: 511.2},
				{By: By{Profile: "notes", Class: "P1"}, Cost: 30.89},
				{By: By{Profile: "log-clean", Class: "P2"}, Cost: 30.2},
			},
		},
		Upstream: Upstream{Received: 392_000, CommittedWrites: 35_970},
		Laws:     Laws{ConservationOK: true, BooksAgree: true, LittleResidual: 0},
		Bound: Bound{
			Resource:  "TPM of gpt-4.1 keys (97 % in the worst minute)",
			Resources: []Share{{"TPM of gpt-4.1 keys", 0.97}, {"concurrency of gpt-4.1", 0.698}, {"RPM of gpt-4.1 keys", 0.41}, {"TPM of claude-sonnet-4.5 keys", 0.22}},
		},
		Alerts: []Alert{
			{AtS: 872, ForS: 60, Rule: RuleRatio429, Subject: "k07", Value: 0.06, Bound: 0.05, Text: "429 share of key k07 6.12 % (> 5 %) for 1 min"},
			{AtS: 3120, ForS: 120, Rule: RuleP99, Subject: "log-clean", Value: 118, Bound: 60, Text: "p99 of log-clean 118 s (> 60 s) for 2 min"},
		},
		Slowest: []Slow{
			slowFixture("hypothesis", "9c1d0a7be2f40031", 11_200, "succeeded", "rate_limited", "success"),
			slowFixture("hypothesis", "9c1d0a7be2f40032", 11_100, "succeeded", "success"),
			slowFixture("log-clean", "77aa0a7be2f40033", 300_000, "dead_lettered", "rate_limited", "rate_limited", "rate_limited", "overloaded"),
		},
		Fairness: fairnessFixture(),
		Series:   Series{IntervalS: 20, Columns: []Column{{Name: "requests", Unit: "count", Values: make([]Num, 180)}}},
		Digest:   "9f3c2a10bb0e4d5f",
	}
	for _, p := range []profileFixture{
		{By{}, 380_435, 379_921, 3310, 2100, 5100, 7300, 14800, 61000, 300_000, 21000, 4100, 2400},
		{By{Profile: "hypothesis", Class: "P0"}, 180_021, 180_003, 700, 1210, 2300, 2910, 4430, 7900, 11_200, 98, 2010, 1120},
		{By{Profile: "literature", Class: "P1"}, 144_300, 144_199, 2200, 4110, 8010, 9820, 14_040, 22_100, 41_900, 6210, 4100, 2930},
		{By{Profile: "notes", Class: "P1"}, 35_970, 35_970, 0, 902, 1400, 1610, 3020, 5100, 8810, 412, 0, 806},
		{By{Profile: "log-clean", Class: "P2"}, 20_144, 19_749, 410, 7710, 33_000, 61_000, 118_200, 220_000, 300_000, 99_100, 8000, 2210},
		{By{Class: "P0"}, 180_021, 180_003, 700, 1210, 2300, 2910, 4430, 7900, 11_200, 98, 2010, 1120},
		{By{Class: "P1"}, 180_270, 180_169, 2200, 3110, 7010, 9120, 13_700, 22_000, 41_900, 6010, 4000, 2900},
		{By{Class: "P2"}, 20_144, 19_749, 410, 7710, 33_000, 61_000, 118_200, 220_000, 300_000, 99_100, 8000, 2210},
		{By{Model: "gpt-4.1"}, 300_120, 299_700, 3200, 2000, 5000, 7200, 14_500, 60_000, 300_000, 0, 0, 2400},
		{By{Model: "claude-sonnet-4.5"}, 80_315, 80_221, 110, 2300, 5300, 7600, 15_100, 62_000, 290_000, 0, 0, 2500},
	} {
		v.Groups = append(v.Groups, Group{
			By: p.by, Requests: p.requests, Succeeded: p.ok, Rejected: p.requests - p.ok, Attempts: p.requests + 200, HTTP429: p.r429,
			Served: p.ok, ServedTokens: p.ok * 8076,
			TokensIn: p.requests * 7915, TokensCached: p.requests * 2000, TokensOut: p.requests * 161,
		})
		row := Latency{
			By: p.by, Metric: MetricTotal, Count: p.ok, Failures: p.requests - p.ok, MeanMS: p.p50 * 1.2,
			P50MS: p.p50, P90MS: p.p90, P95MS: p.p95, P99MS: p.p99, P999MS: p.p999, MaxMS: p.max,
		}
		v.Latency = append(v.Latency, row)
		for _, part := range []struct {
			name string
			p99  Num
		}{{MetricQueue, p.queue}, {MetricBackoff, p.backoff}, {MetricFirstToken, p.ttft}} {
			if p.by.Model == "" {
				row.Metric, row.P99MS = part.name, part.p99
				v.Latency = append(v.Latency, row)
			}
		}
	}
	for i, n := range []int64{3, 210, 0, 1800, 41, 1200, 56, 0} {
		k := Key{
			Key: "k0" + string(rune('1'+i)), Model: "gpt-4.1", Requests: 37_000 + n, HTTP429: n,
			Minutes: 58, RPMUtilisation: 0.311, TPMUtilisation: 0.74, RPMWorst: 0.41, TPMWorst: 0.97 - Num(i)/100,
		}
		if n > 100 {
			k.ExcludedS = Num(60 * n / 100)
		}
		v.Keys = append(v.Keys, k)
		v.Latency = append(v.Latency, Latency{By: By{Key: k.Key}, Metric: MetricTotal, Count: 37_000, P50MS: 2000, P90MS: 5000, P95MS: 7200, P99MS: 14_500, P999MS: 60_000, MaxMS: 200_000})
	}
	return v
}

func slowFixture(profile, id string, ms Num, ending string, outcomes ...string) Slow {
	s := Slow{
		Profile: profile, Request: id, Agent: 17, IntendedS: 872.4, TotalMS: ms, Ending: ending,
		Parts: []Part{{"agent busy", 0}, {"agent cap", ms * 0.005}, {"queue", ms * 0.61}, {"backoff", ms * 0.085}, {"on wire", ms * 0.3}},
	}
	for _, o := range outcomes {
		s.Steps = append(s.Steps, SlowStep{Model: "gpt-4.1", Key: "k04", SentS: 873, EndedS: 874, Outcome: o})
	}
	return s
}

func scenarioFixture() Scenario {
	return Scenario{
		Name: "2000-agents", File: "scenarios/2000-agents.yaml", SHA256: "4be1c0ffee00112233445566778899aabbccddeeff00112233445566778899aa",
		DemandSHA256: "77", Seed: 1, Mode: "virtual", DurationS: 3600, WarmupS: 120, Agents: 2000,
	}
}

// passFixture has one variant and holds its expectations.
func passFixture(t *testing.T) *Report {
	r := &Report{
		Schema: Schema, Tool: Tool{Version: "0.1.0", Go: "go1.26", Arch: "linux/amd64"},
		Scenario: scenarioFixture(), Variants: []Variant{variantFixture("base")},
	}
	Judge(r, mustExpects(t,
		"p99{profile=hypothesis} < 6s", "p99{profile=notes} < 6s", "ratio_429 < 1%", "ratio_ok > 99.5%",
		"duplicate_writes == 0", "cost_per_1000 < 3", "throughput >= 98"), false, nil)
	return r
}

// failFixture has three variants, of which some miss expectations.
func failFixture(t *testing.T) *Report {
	r := passFixture(t)
	slow, none := variantFixture("aimd"), variantFixture("no-limiter")
	slow.Throughput.RequestsPerS, slow.Cost.Total = 137.9, 1_204.77
	none.Totals.HTTP429, none.Totals.Attempts, none.Totals.DeadLettered = 180_000, 700_000, 21_000
	for i := range none.Latency {
		none.Latency[i].Failures += none.Latency[i].Count / 50
	}
	none.Bound.Resource = "nothing: no request waited"
	r.Variants = []Variant{r.Variants[0], slow, none}
	r.Variants[0].Name = "static"
	r.Scenario.Overrides = []string{"stack.retry.attempts=5", "description=it's a test"}
	Judge(r, mustExpects(t,
		"p99{profile=hypothesis} < 6s", "ratio_429 < 1%", "throughput{variant=aimd} / throughput{variant=static} >= 1.5",
		"throughput{variant=aimd} / throughput{variant=static} >= 1.38", "p99{profile=hypotesis} < 6s", "duplicate_writes == 0"), false, nil)
	return r
}

// invalidFixture breaks laws and was replicated.
func invalidFixture(t *testing.T) *Report {
	r := passFixture(t)
	v := &r.Variants[0]
	v.Laws = Laws{LittleResidual: 0.034, Details: []string{"books: attempts: client 381020, provider 392000"}}
	for i := range 5 {
		x := Num(i)
		v.SummedRuns = i + 1
		v.Replications = append(v.Replications, Replication{Seed: uint64(i), Figures: []Share{
			{"throughput", 99.9 + x/10}, {"p99_s{profile=hypothesis}", 4.4 + x/7}, {"p99_s{profile=log-clean}", Num(math.NaN())}, {"cost", 812.4 + x},
		}})
	}
	Judge(r, mustExpects(t, "ratio_429 < 1%"), false, []string{"the generator fell behind its schedule by 1.2 s: fewer agents, or --mode virtual"})
	return r
}

// pairedFixture has three variants of four replications each, with the same seeds.
func pairedFixture(t *testing.T) *Report {
	r := passFixture(t)
	r.Variants = []Variant{variantFixture("static"), variantFixture("aimd"), variantFixture("no-limiter")}
	for i := range r.Variants {
		v, times := &r.Variants[i], Num(i)
		v.SummedRuns = 4
		v.Throughput.RequestsPerS += 38 * times
		for k := range 4 {
			x := Num(k)
			v.Replications = append(v.Replications, Replication{Seed: uint64(k), Figures: []Share{
				{"throughput", (99.9 + x) * (1 + 0.38*times) * (1 + 0.01*times*x)},
				{"success", 0.998},
				{"ratio_429", 0.0087 * (1 + times*times)},
				{"p50_s{profile=hypothesis}", 1.21},
				{"p99_s{profile=hypothesis}", 4.43 + x/7},
				{"p99_s{profile=log-clean}", Num(math.Inf(1))},
				{"cost", 203.1 + x*(1+times)},
				{"wasted", 0.8},
				{"retry_peak", 9 * x},
				{"dead_letters", max(0, 2-x*times)},
			}})
		}
	}
	r.Variants[2].Bound.Resource = "concurrency of gpt-4.1 (requests waited for it 41 % of the time)"
	Judge(r, mustExpects(t,
		"throughput{variant=aimd} / throughput{variant=static} >= 1.38", "cost{variant=static} / cost{variant=aimd} < 0.9",
		"dead_letters{variant=aimd} / dead_letters{variant=static} < 1", "p90{variant=aimd} / p90{variant=static} < 2",
		"p99{profile=log-clean,variant=aimd} / throughput{variant=static} < 3",
		"retry_peak{variant=aimd} / retry_peak{variant=static} <= 1"), false, nil)
	return r
}

func partialFixture(t *testing.T) *Report {
	r := passFixture(t)
	r.Variants[0].Interrupted, r.Variants[0].StoppedS = true, 737.25
	r.Variants[0].Totals.InFlight = 311
	Judge(r, mustExpects(t, "ratio_429 < 0.1%", "degraded < 1%"), true, nil)
	return r
}

// hostileFixture has names that try to break lines, tables, pages and terminals.
func hostileFixture(t *testing.T) *Report {
	r := passFixture(t)
	long := ""
	for len(long) < 10_000 {
		long += "long-name/"
	}
	names := map[string]string{
		"hypothesis": "</script><script>alert(1)</script>", "literature": long, "notes": "a|b`c\n| d | *e* _f_ [g](h)",
		"log-clean": "\x1b[31mred\x1b[0m\x07\u202eabc\u200d\u0300\u0300\u0300\u0300漢字漢字漢字", "gpt-4.1": "gpt\t4.1\r\n" + long,
	}
	rename := func(s *string) {
		if n, ok := names[*s]; ok {
			*s = n
		}
	}
	v := &r.Variants[0]
	for i := range v.Latency {
		rename(&v.Latency[i].By.Profile)
		rename(&v.Latency[i].By.Model)
	}
	for i := range v.Groups {
		rename(&v.Groups[i].By.Profile)
		rename(&v.Groups[i].By.Model)
	}
	for i := range v.Keys {
		v.Keys[i].Key = names["notes"] + v.Keys[i].Key
		rename(&v.Keys[i].Model)
	}
	for i := range v.Slowest {
		rename(&v.Slowest[i].Profile)
	}
	for i := range v.Fairness.Groups {
		rename(&v.Fairness.Groups[i].By.Profile)
	}
	for i := range v.Stack.Gates {
		rename(&v.Stack.Gates[i].Model)
	}
	v.Bound.Resource = "TPM of " + names["gpt-4.1"]
	v.Bound.Resources = append(v.Bound.Resources, Share{names["log-clean"], 0.99})
	v.Alerts[0].Text = "p99 of " + names["log-clean"] + " " + names["notes"]
	v.Laws.Details = []string{names["notes"]}
	r.Scenario.Name, r.Scenario.File = names["log-clean"], "a b/"+names["notes"]+".yaml"
	r.Scenario.Overrides = []string{"x=" + long}
	r.Tool.Version = "0\x1b]0;title\x07"
	Judge(r, mustExpects(t,
		`p99{profile="`+names["notes"]+`"} < 6s`, `p99{profile="`+long+`"} < 6s`, `p99{profile="</script>"} < 6s`), false, []string{names["log-clean"], long})
	return r
}

package draft_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
	"github.com/seed-4fd17b57/simload/workload"
	"github.com/seed-4fd17b57/simload/workload/fit"
)

const data = "../../../../shared/data/"

func model(t *testing.T) (catalog.Model, *catalog.Catalog) {
	t.Helper()
	models, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	m, ok := models.Model("gpt-4.1-mini")
	if !ok {
		t.Fatal("the catalogue has no gpt-4.1-mini")
	}
	return m, models
}

// drafted fits a trace and returns the scenario.
func drafted(t *testing.T, tr *fit.Trace, change func(*draft.Demand)) []byte {
	t.Helper()
	f, err := fit.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Judge(tr)
	if err != nil {
		t.Fatal(err)
	}
	d := draft.Demand{Path: "traces/trace.csv.gz", Trace: tr, Fit: f, Goodness: g}
	d.Model, _ = model(t)
	change(&d)
	return d.YAML()
}

// loaded parses a scenario that must be valid.
func loaded(t *testing.T, yaml []byte) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("draft.yaml", yaml, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return s
}

// simulated runs a scenario and returns its log of requests.
func simulated(t *testing.T, s *scenario.Scenario, seed uint64) []byte {
	t.Helper()
	var log bytes.Buffer
	out, err := sim.Run(s, sim.Options{Seed: &seed, Events: &log})
	if err != nil {
		t.Fatal(err)
	}
	if status := out.Report.Verdict.Status; status != "pass" {
		t.Errorf("seed %d: the run ends with %s", seed, status)
	}
	return log.Bytes()
}

func traceOf(t *testing.T, log []byte) *fit.Trace {
	t.Helper()
	r, err := workload.ReadTrace(bytes.NewReader(log), "events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := fit.Read(r, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// tokens returns mean and quantiles of what a trace's requests hold.
func tokens(tr *fit.Trace, of func(workload.TraceRow) int64) []float64 {
	var xs []int64
	sum := 0.0
	for _, r := range tr.Rows {
		xs = append(xs, of(r))
		sum += float64(of(r))
	}
	slices.Sort(xs)
	out := []float64{sum / float64(len(xs))}
	for _, share := range fit.Shares {
		out = append(out, float64(xs[int(share*float64(len(xs)))]))
	}
	return out
}

// figures are what an imported trace and its run are compared by: tokens, and share of the prompts'
// tokens that was known from before, in blocks of 512.
func figures(tr *fit.Trace) []float64 {
	in := tokens(tr, func(r workload.TraceRow) int64 { return r.In })
	out := tokens(tr, func(r workload.TraceRow) int64 { return r.Out })
	prefix := tokens(tr, func(r workload.TraceRow) int64 { return r.Prefix / 512 * 512 })
	return slices.Concat(in, out, []float64{prefix[0] / in[0]})
}

// rounds returns the share of the sessions of a recording that have more requests than 1, 3 and 6, and the
// median time between them in seconds.
func rounds(tr *fit.Trace) []float64 {
	out := make([]float64, 3)
	l := fit.Link(tr)
	var gaps []float64
	for _, s := range l.Sessions {
		for i, more := range []int{1, 3, 6} {
			if len(s) > more {
				out[i] += 1 / float64(len(l.Sessions))
			}
		}
		for i := 1; i < len(s); i++ {
			gaps = append(gaps, (tr.Rows[s[i]].At - tr.Rows[s[i-1]].At).Seconds())
		}
	}
	if len(gaps) == 0 {
		return append(out, 0)
	}
	slices.Sort(gaps)
	return append(out, gaps[len(gaps)/2])
}

// Ensure a recorded trace, imported, written as a scenario and run as it is, asks what the trace
// did: mean, 50th, 95th and 99th percentile of tokens and the share of tokens seen before within 5 %,
// the dispersion of arrivals at 1 s, 10 s and 60 s within 20 %, and sessions as long as the trace's, on the mean of
// five runs.
func TestImportedTracesRun(t *testing.T) {
	for _, name := range []string{"azure_llm_2023_conv.csv.gz", "mooncake_conversation_trace.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(data + name); err != nil {
				t.Skipf("the reference trace is not here: %v", err)
			}
			r, err := workload.OpenTrace(data + name)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			tr, err := fit.Read(r, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			yaml := drafted(t, tr, func(*draft.Demand) {})
			if again := drafted(t, tr, func(*draft.Demand) {}); !bytes.Equal(yaml, again) {
				t.Error("the same trace gives other bytes")
			}
			s := loaded(t, yaml)
			const runs = 5
			dispersion, mean, sessions := make([]float64, len(fit.Scales)), make([]float64, len(figures(tr))), make([]float64, len(rounds(tr)))
			for seed := uint64(1); seed <= runs; seed++ {
				run := traceOf(t, simulated(t, s, seed))
				for i, w := range fit.Scales {
					dispersion[i] += fit.Dispersion(run.Instants(), w, tr.Length) / runs
				}
				for i, x := range figures(run) {
					mean[i] += x / runs
				}
				for i, x := range rounds(run) {
					sessions[i] += x / runs
				}
			}
			want := figures(tr)
			t.Logf("tokens in, tokens out (mean, 50, 95, 99 %%), share seen before: %.4g of the trace, %.4g of the runs", want, mean)
			for i := range want {
				if math.Abs(mean[i]-want[i]) > 0.05*want[i] {
					t.Errorf("figure %d: %v, want %v", i, mean[i], want[i])
				}
			}
			want = rounds(tr)
			t.Logf("share of sessions with more than 1, 3, 6 requests, median gap: %.4f of the trace, %.4f of the runs", want, sessions)
			for i, x := range want {
				// By chance the share of a class of the trace's 8000 sessions is off by its root.
				if off := math.Abs(sessions[i] - x); i < 3 && off > 3*math.Sqrt(x/8000) || i == 3 && off > 0.1*x {
					t.Errorf("sessions, figure %d: %v, want %v", i, sessions[i], x)
				}
			}
			for i, w := range fit.Scales {
				want := fit.Dispersion(tr.Instants(), w, tr.Length)
				t.Logf("dispersion at %v: %.3f of the trace, %.3f of the runs", w, want, dispersion[i])
				if off := dispersion[i]/want - 1; math.Abs(off) > 0.20 {
					t.Errorf("dispersion at %v: %v, want %v", w, dispersion[i], want)
				}
			}
		})
	}
}

// burstGPT is a recording in BurstGPT's form, made up: two models of different lengths, whole
// seconds, conversations, and failures.
func burstGPT() string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n")
	for at := 0.0; at < 3600; at += rng.ExpFloat64() / 3 {
		name, in, out := "ChatGPT", 300+rng.IntN(400), 100+rng.IntN(200)
		if rng.IntN(5) == 0 {
			name, in, out = "GPT-4", 2000+rng.IntN(3000), 400+rng.IntN(100)
		}
		if rng.IntN(20) == 0 {
			out = 0
		}
		fmt.Fprintf(&b, "%d,s%d,1,%s,%d,%d,%d,Conversation log\n", int(at), rng.IntN(400), name, in, out, in+out)
	}
	return b.String()
}

// Ensure models, sessions, failures and whole seconds of a BurstGPT trace are in the scenario.
func TestBurstGPT(t *testing.T) {
	r, err := workload.ReadTrace(strings.NewReader(burstGPT()), "burst.csv")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := fit.Read(r, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := loaded(t, drafted(t, tr, func(*draft.Demand) {}))
	w := s.Spec.Workload
	if got := strings.Join(w.Profiles.Names, " "); got != "ChatGPT GPT-4" {
		t.Errorf("profiles %q", got)
	}
	st := w.Streams.Values[0]
	if st.Tick == nil || time.Duration(*st.Tick) != time.Second || *st.Clients != 400 {
		t.Errorf("tick %v, %v clients", st.Tick, st.Clients)
	}
	run := traceOf(t, simulated(t, s, 1))
	for _, w := range fit.Scales {
		want, got := fit.Dispersion(tr.Instants(), w, tr.Length), fit.Dispersion(run.Instants(), w, tr.Length)
		// One run of Poisson arrivals: chance alone is the square root of 2 over the windows.
		if chance := math.Sqrt(2 / tr.Length.Seconds() * w.Seconds()); math.Abs(got/want-1) > max(0.20, 3*chance) {
			t.Errorf("dispersion at %v: %v, want %v", w, got, want)
		}
	}
	for name, want := range map[string][2]float64{"ChatGPT": {499.5, 199.5}, "GPT-4": {3499.5, 449.5}} {
		in, out, n := 0.0, 0.0, 0.0
		for _, row := range run.Rows {
			if row.Model == name {
				in, out, n = in+float64(row.In), out+float64(row.Out), n+1
			}
		}
		if math.Abs(in/n/want[0]-1) > 0.05 || math.Abs(out/n/want[1]-1) > 0.05 {
			t.Errorf("%s: %v in, %v out, want %v", name, in/n, out/n, want)
		}
	}
}

// measured is a scenario whose model answers by known figures.
const measured = `
duration: 30m
workload:
  profiles:
    ask: {class: P1, model: m, context: {lognormal: {median: 2k, p95: 20k}}, output: {lognormal: {median: 150, p95: 600}}, max_output: 4k}
  streams: {s: {profile: ask, rate: 3}}
upstreams:
  v:
    models: {m: {catalogue: gpt-4.1-mini, latency: {base: 350ms, per_prompt_token: 90us, per_output_token: 11ms, first_token_noise: 0.3, output_noise: 0.15, load: 0}}}
    keys: {k: {limits: {"*": {}}}}
stack: {agent_cap: {per_minute: 0}, concurrency: {controller: static, start: 1000, max: 1000}, timeouts: {first_token: 60s}}
expect: ["ratio_429 < 1%"]
`

// Ensure the latency of a run is found in its log, and what is written of it runs.
func TestLatencyOfARun(t *testing.T) {
	log := simulated(t, loaded(t, []byte(measured)), 1)
	calls, _, err := fit.ReadCalls(bytes.NewReader(log), "events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	fits, few, err := fit.FitLatencies(calls)
	if err != nil || len(fits) != 1 || few != 0 {
		t.Fatalf("%d fits, %d left out, %v", len(fits), few, err)
	}
	l := fits[0]
	for _, c := range []struct {
		what            string
		got, want, most float64
	}{
		{"base", l.Base.Seconds(), 0.350, 0.02},
		{"per prompt token", l.PerPromptToken.Seconds(), 90e-6, 3e-6},
		{"per output token", l.PerOutputToken.Seconds(), 11e-3, 1e-4},
		{"noise of the first token", l.FirstToken.Sigma, 0.3, 0.02},
		{"noise of the output", l.Output.Sigma, 0.15, 0.01},
		{"distance of the first token's noise", l.FirstToken.KS, 0, 0.03},
		{"distance of the output's noise", l.Output.KS, 0, 0.03},
	} {
		if math.Abs(c.got-c.want) > c.most {
			t.Errorf("%s: %v, want %v +- %v", c.what, c.got, c.want, c.most)
		}
	}
	m, models := model(t)
	d := draft.Latency{Path: "events.jsonl", Calls: calls, Fits: fits, Model: m, Catalog: models}
	simulated(t, loaded(t, d.YAML()), 1)

	tr := traceOf(t, log)
	with := drafted(t, tr, func(d *draft.Demand) { d.Latency = l })
	simulated(t, loaded(t, with), 1)
}

// Ensure the workload alone is a section that a scenario takes as it is.
func TestWorkloadOnly(t *testing.T) {
	r, err := workload.ReadTrace(strings.NewReader(burstGPT()), "burst.csv")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := fit.Read(r, 0, 20*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	only := drafted(t, tr, func(d *draft.Demand) { d.WorkloadOnly = true })
	rest := "duration: 5m\nupstreams: {v: {models: {gpt-4.1-mini: {}}, keys: {k: {tier: tier5}}}}\n"
	loaded(t, append(only, rest...))
}

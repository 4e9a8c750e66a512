package sim

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// agreeScenario is an open loop against limits that are known to the provider alone: exclusion, retries
// and budgets are off, so that each refusal is the provider's own decision about an arrival.
const agreeScenario = `name: agreement
description: The same open loop on both clocks.
seed: 7
duration: %s
workload:
  profiles:
    ask: {class: P1, model: m, context: {uniform: {min: 200, max: 400}}, output: {uniform: {min: 5, max: 15}}, max_output: 20}
  streams:
    s: {profile: ask, rate: 160, arrivals: poisson, clients: 20}
upstreams:
  v:
    models: {m: {latency: {base: 60ms, per_prompt_token: 100us, per_output_token: 5ms, first_token_noise: 0.2, output_noise: 0.1, load: 0, refusal: 20ms}}}
    keys: {k: {count: 2, limits: {"*": {rpm: 2400, tpm: 100M, quantum: 1s}}}}
prices: {models: {m: {input: 1, output: 2}}}
stack: none
`

// figures are what is compared of a run.
type agreeFigures struct {
	offered, succeeded, refused int64
	p50, p95                    float64 // ms, of successes from send
	perKey                      []int64 // 429s
}

func agreeRun(t *testing.T, mode, duration string) agreeFigures {
	t.Helper()
	sc, err := scenario.Parse("agreement.yaml", fmt.Appendf(nil, agreeScenario, duration), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := runValid(t, sc, Options{Mode: mode})
	v := &out.Variants[0]
	if v.Harness != nil {
		t.Logf("harness: %+v", *v.Harness)
	}
	if !v.Laws.ConservationOK || !v.Laws.BooksAgree {
		t.Fatalf("%s: laws %+v", mode, v.Laws)
	}
	f := agreeFigures{offered: v.Totals.Requests, succeeded: v.Totals.Succeeded, refused: v.Totals.HTTP429}
	for _, l := range v.Latency {
		if l.Metric == report.MetricFromSend && l.By == (report.By{}) {
			f.p50, f.p95 = float64(l.P50MS), float64(l.P95MS)
		}
	}
	for _, k := range v.Keys {
		f.perKey = append(f.perKey, k.HTTP429)
	}
	return f
}

// TestAgreement holds the two clocks together: what virtual time says is what real sockets do. "make
// agree" runs the minute that the bounds are meant for, and prints the table.
func TestAgreement(t *testing.T) {
	duration, least := "6s", int64(150)
	if os.Getenv("SIMLOAD_AGREE") != "" {
		duration, least = "1m", 1000
	} else if testing.Short() {
		t.Skip("takes seconds on the wall clock")
	}
	virtual, wall := agreeRun(t, scenario.ModeVirtual, duration), agreeRun(t, scenario.ModeWall, duration)
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-22s %12s %12s %10s\n", "", "virtual", "wall", "apart")
	row := func(name string, a, b, most float64) {
		fmt.Fprintf(&table, "%-22s %12.2f %12.2f %9.2f%%\n", name, a, b, (b-a)/a*100)
		if !(math.Abs(b-a) <= most) {
			t.Errorf("%s: virtual %.2f, wall %.2f: more than %.2f apart", name, a, b, most)
		}
	}
	count := func(name string, a, b int64, share float64) {
		row(name, float64(a), float64(b), share*float64(a))
	}
	count("requests", virtual.offered, wall.offered, 0)
	count("succeeded", virtual.succeeded, wall.succeeded, 0.01)
	count("429s", virtual.refused, wall.refused, 0.01)
	row("p50 ms from send", virtual.p50, wall.p50, 0.03*virtual.p50+3)
	row("p95 ms from send", virtual.p95, wall.p95, 0.03*virtual.p95+3)
	for i := range virtual.perKey {
		count(fmt.Sprintf("429s of key %d", i+1), virtual.perKey[i], wall.perKey[i], 0.02)
		if virtual.perKey[i] < least {
			t.Errorf("key %d met %d refusals, too few to judge by", i+1, virtual.perKey[i])
		}
	}
	t.Log(table.String())
}

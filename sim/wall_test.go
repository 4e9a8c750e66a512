package sim

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"go.uber.org/goleak"
)

// wallScenario is a fleet that meets 429s, with writes and retries.
const wallScenario = `name: wall
duration: %s
workload:
  profiles:
    ask: {class: P0, model: m, context: {uniform: {min: 100, max: 300}}, output: {uniform: {min: 1, max: 20}}, max_output: 20, estimate_error: 5%%}
    note: {class: P1, model: m, context: 100, output: 5, max_output: 10, writes: 60%%}
  streams:
    a: {profile: ask, rate: %d, clients: 50}
    b: {profile: note, rate: %d, clients: 50}
upstreams:
  v:
    models: {m: {latency: {base: 5ms, per_prompt_token: 0s, per_output_token: 500us, first_token_noise: 0.3, output_noise: 0.1, load: 0, refusal: 2ms}}}
    keys: {k: {count: 4, limits: {"*": {rpm: 1M, tpm: 1000M}}}}
    faults: %s
prices: {models: {m: {input: 1, output: 2}}}
stack: {retry: {attempts: 4, base: 20ms, cap: 100ms}, agent_cap: {per_minute: 0}, rotation: {exclude: 0s}, concurrency: {start: 400}, breaker: {enabled: false}}
`

func wallRun(t *testing.T, text string, o Options) *report.Report {
	t.Helper()
	sc, err := scenario.Parse("wall.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Mode = scenario.ModeWall
	out, err := Run(sc, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Report
}

// runValid runs a scenario until a run is valid, three times at most: one in which the harness was the bottleneck, as it
// says itself, tells nothing of what it measured.
func runValid(t *testing.T, sc *scenario.Scenario, o Options) *report.Report {
	t.Helper()
	for try := 1; ; try++ {
		out, err := Run(sc, o)
		if err != nil {
			t.Fatal(err)
		}
		why := invalid(out.Report)
		if len(why) == 0 {
			return out.Report
		}
		if t.Logf("try %d: %v", try, why); try == 3 {
			t.Fatal("the machine is too busy to measure real sockets on")
		}
	}
}

// TestHundredThousand: requests over real sockets, with faults: none is lost, none is counted twice,
// the books of both sides agree (INV-1, INV-6), and nothing is left behind.
func TestHundredThousand(t *testing.T) {
	seconds, rate := 3, 250
	if socketsBench() {
		seconds, rate = 50, 1000
	}
	before := descriptors(t)
	faults := `{burst: {kind: burst_429, at: 1s, for: 500ms, share: 30%, retry_after: 50ms}, torn: {kind: broken_stream, at: 0s, for: 1h, share: 0.5%}, e: {kind: error, status: 500, at: 0s, for: 1h, share: 0.5%}, r: {kind: refuse_connection, at: 0s, for: 1h, share: 0.2%}, s: {kind: stream_error, status: 503, at: 0s, for: 1h, share: 0.5%}}`
	r := wallRun(t, fmt.Sprintf(wallScenario, time.Duration(seconds)*time.Second, rate, rate, faults), Options{})
	v := &r.Variants[0]
	if !v.Laws.ConservationOK || !v.Laws.BooksAgree || float64(v.Laws.LittleResidual) > 0.01 {
		t.Errorf("laws %+v", v.Laws)
	}
	want := int64(seconds * rate * 2)
	if n := v.Totals.Requests; n < want*95/100 || n > want*105/100 || v.Totals.Succeeded < n*99/100 {
		t.Errorf("%d requests of about %d, %d succeeded", n, want, v.Totals.Succeeded)
	}
	if v.Totals.Retries == 0 || v.Totals.HTTP429 == 0 || v.Totals.DuplicateWrites != 0 {
		t.Errorf("%d retries, %d 429s, %d duplicates", v.Totals.Retries, v.Totals.HTTP429, v.Totals.DuplicateWrites)
	}
	t.Logf("%d requests, %d attempts; harness %+v", v.Totals.Requests, v.Totals.Attempts, *v.Harness)
	goleak.VerifyNone(t)
	if after := descriptors(t); after > before+5 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// Ensure a target that takes connections and never answers, one that hangs up, and one where nobody
// listens end every request, and the run.
func TestWallTargetsThatFail(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	rude := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer rude.Close()
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	text := strings.Replace(fmt.Sprintf(wallScenario, "1s", 20, 5, "{}"), "stack: {", "stack: {timeouts: {first_token: 100ms, prefill_per_token: 0s}, ", 1)
	for name, url := range map[string]string{"silent": "http://" + silent.Addr().String(), "rude": rude.URL, "nobody": "http://" + nobody.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			r := wallRun(t, text, Options{Wall: WallOptions{Target: url + "/v1", Secret: stack.NewSecret("x")}})
			v := &r.Variants[0]
			if v.Totals.Requests == 0 || v.Totals.Succeeded != 0 || v.Totals.InFlight != 0 || !v.Laws.ConservationOK {
				t.Errorf("totals %+v, laws %+v", v.Totals, v.Laws)
			}
		})
	}
}

// Ensure an interrupted run says so, with what it measured, and leaves nothing behind.
func TestWallInterrupted(t *testing.T) {
	var stop atomic.Bool
	r := wallRun(t, fmt.Sprintf(wallScenario, "1h", 50, 50, "{}"), Options{Stop: &stop, Progress: func(p Progress) {
		if p.Now > 500*time.Millisecond {
			stop.Store(true)
		}
	}})
	if r.Verdict.Status != report.StatusPartial || r.Variants[0].Totals.Requests == 0 {
		t.Errorf("verdict %+v, totals %+v", r.Verdict, r.Variants[0].Totals)
	}
	goleak.VerifyNone(t)
}

// Ensure a figure of the harness is allowed at its bound and makes the run INVALID beyond it.
func TestHarnessBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		at, beyond report.Harness
		want       string
	}{
		"lag":         {report.Harness{LagP99MS: 50}, report.Harness{LagP99MS: 51}, "issued 51ms or more after their instant (allowed 50ms)"},
		"cpu":         {report.Harness{CPUShare: 0.95}, report.Harness{CPUShare: 0.97}, "97 % of 2 in use (allowed 95 %)"},
		"pause":       {report.Harness{GCPauseMaxMS: 20}, report.Harness{GCPauseMaxMS: 21}, "stopped the harness for 21ms (allowed 20ms)"},
		"descriptors": {report.Harness{Descriptors: 90, DescriptorsAllowed: 100}, report.Harness{Descriptors: 91, DescriptorsAllowed: 100}, "91 of 100 open"},
		"unknown":     {report.Harness{Descriptors: 91}, report.Harness{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if list := harnessReasons(&tt.at, 2); len(list) > 0 {
				t.Errorf("at the bound: %q", list)
			}
			list := harnessReasons(&tt.beyond, 2)
			if tt.want == "" && len(list) > 0 || tt.want != "" && (len(list) != 1 || !strings.Contains(list[0], tt.want)) {
				t.Errorf("beyond the bound: %q, want %q", list, tt.want)
			}
		})
	}
}

// Ensure each bound of the watch makes the run INVALID, with the reason.
func TestWatchKnowsTheBottleneck(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(w *watch)
		want  string
	}{
		"late": {func(w *watch) {
			for range 100 {
				w.lag(80 * time.Millisecond)
			}
		}, "the harness was late: 1 % of the requests were issued 80ms or more"},
		"cpu":         {func(w *watch) { w.cpu -= time.Hour }, "out of processor time"},
		"descriptors": {func(w *watch) { w.allowed, w.descriptors = 100, 95 }, "95 of 100 open"},
		"none":        {func(*watch) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch()
			w.look()
			w.lag(time.Millisecond)
			tt.spoil(w)
			time.Sleep(30 * time.Millisecond)
			w.stop()
			h := w.harness()
			has := slices.ContainsFunc(h.Reasons, func(r string) bool { return strings.Contains(r, tt.want) })
			if tt.want == "" && len(h.Reasons) > 0 || tt.want != "" && !has {
				t.Errorf("reasons %q, want %q", h.Reasons, tt.want)
			}
		})
	}
}

// Ensure that a harness that falls behind says so of every arrival that it put off, not of the first
// alone, and that the run is INVALID then.
func TestLateHarnessIsInvalid(t *testing.T) {
	slept := false
	r := wallRun(t, fmt.Sprintf(wallScenario, "1s", 100, 10, "{}"), Options{Progress: func(p Progress) {
		if p.Now > 200*time.Millisecond && !slept {
			slept = true
			time.Sleep(400 * time.Millisecond) // the harness has other things to do
		}
	}})
	h := r.Variants[0].Harness
	if r.Verdict.Status != report.StatusInvalid || h.LagP99MS < 300 || len(h.Reasons) == 0 || !strings.Contains(h.Reasons[0], "the harness was late") {
		t.Errorf("verdict %+v, harness %+v", r.Verdict, h)
	}
}

const cacheScenario = `duration: 2s
workload:
  profiles: {ask: {class: P0, model: m, interval: 200ms, context: 1500, growth: 100, output: 5, max_output: 10}}
  agents: {crew: {count: 4, phases: [{profile: ask, rounds: 20}]}}
upstreams:
  v:
    dialect: anthropic
    models: {m: {prompt_cache: {min: 1024, block: 1, ttl: 5m}, latency: {base: 5ms, per_output_token: 1ms}}}
    keys: {k: {limits: {"*": {rpm: 100k, tpm: 100M, otpm: 1M}}}}
prices: {models: {m: {input: 3, output: 15, cached: 0.3, cache_write: 3.75}}}
stack: {agent_cap: {per_minute: 0}}
`

// Ensure the bill of a wall run is the virtual one's, cache writes at their own price included, and that the
// books of both sides agree about it.
func TestWallBillsCacheWrites(t *testing.T) {
	wall := wallRun(t, cacheScenario, Options{})
	sc, err := scenario.Parse("cache.yaml", []byte(cacheScenario), nil)
	if err != nil {
		t.Fatal(err)
	}
	virtual := mustRun(t, sc, Options{})
	w, v := &wall.Variants[0], &virtual.Variants[0]
	if !w.Laws.BooksAgree || w.Totals.Requests != v.Totals.Requests || v.Totals.TokensCached == 0 {
		t.Fatalf("wall %+v %+v, virtual %+v", w.Totals, w.Laws, v.Totals)
	}
	if w.Cost.Total != v.Cost.Total {
		t.Errorf("the wall run costs %v, the virtual one %v", w.Cost.Total, v.Cost.Total)
	}
}

// Ensure a target's report names it, claims no books, and does not judge by what only a mock of ours can tell.
func TestTargetReport(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer target.Close()
	text := fmt.Sprintf(wallScenario, "1s", 20, 5, "{}") + "expect: [\"ratio_ok > 99%\", \"duplicate_writes == 0\"]\n"
	sc, err := scenario.Parse("target.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := runValid(t, sc, Options{Mode: scenario.ModeWall, Wall: WallOptions{Target: target.URL + "/v1", Secret: stack.NewSecret("x")}})
	if r.Scenario.Target != target.URL+"/v1" || !r.Variants[0].Laws.NoBooks {
		t.Errorf("scenario %+v, laws %+v", r.Scenario, r.Variants[0].Laws)
	}
	if r.Verdict.Status != report.StatusPass || len(r.Verdict.Checks) != 1 || !slices.ContainsFunc(r.Verdict.Reasons, func(s string) bool { return strings.HasPrefix(s, "not judged: duplicate_writes") }) {
		t.Errorf("verdict %+v", r.Verdict)
	}
	var page strings.Builder
	if err := report.RenderTable(&page, r, report.Options{}); err != nil || !strings.Contains(page.String(), "--target "+target.URL) || !strings.Contains(page.String(), "no books to agree with") {
		t.Errorf("%v\n%s", err, page.String())
	}
}

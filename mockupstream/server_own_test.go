package mockupstream

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// get asks one of the server's own paths.
func (h *host) get(path string) heard {
	r, err := http.NewRequest("GET", h.url+path, nil)
	if err != nil {
		panic(err)
	}
	return h.send(r)
}

// troubled is a provider on which about half of all calls go wrong in some way.
func troubled() Config {
	cfg := fleet(2, 3)
	for m := range cfg.Models {
		cfg.Models[m].Latency = Latency{Base: 5 * tms, PerOutputToken: 500_000, Refusal: tms, FirstTokenSigma: .3}
		cfg.Models[m].Cache = PromptCache{Block: 10, TTL: time.Hour}
	}
	cfg.Models[1].Capacity = []CapacityStep{{0, 30}}
	cfg.Quotas[0].RPM = 20
	for i, k := range []FaultKind{FaultBurst429, FaultError, FaultRefuseConnection, FaultBrokenStream, FaultStreamError} {
		cfg.Faults = append(cfg.Faults, Fault{Kind: k, For: time.Hour, Share: .08, Status: []int{0, 500, 0, 0, 503}[i], RetryAfter: ts})
	}
	return cfg
}

// TestStatsINV1INV6: after a random run of parallel calls, /stats holds each call once (INV-1), and what it says
// is what the clients saw; of the calls whose end they did not see, what the server billed (INV-6).
func TestStatsINV1INV6(t *testing.T) {
	const calls = 200
	cfg := troubled()
	h := launch(t, ServerConfig{Provider: cfg})
	random := rand.New(rand.NewPCG(1, 2))
	answers := make([]heard, calls)
	var wg sync.WaitGroup
	for i := range answers {
		c := Call{
			ID: uint64(i / 2), Attempt: 1 + i%2, In: random.Int64N(500), MaxOut: 60, Out: random.Int64N(60),
			Conversation: uint64(i % 9), Prefix: 100, Write: i%5 == 0,
		}
		r := h.request(t.Context(), c, i%2 == 0)
		r.Header.Set("Authorization", fmt.Sprint("Bearer k", i%3))
		if i%4 < 2 {
			r.Body, _ = http.NoBody, 0
			r = h.requestTo(r, "m1", i%2 == 0)
		}
		wg.Go(func() { answers[i] = h.send(r) })
	}
	wg.Wait()
	var st Stats
	if err := json.Unmarshal([]byte(h.get("/stats").body), &st); err != nil {
		t.Fatal(err)
	}
	var told, unknown Usage
	status := map[int]int64{}
	for i, a := range answers {
		whole := a.status == 200 && a.err == nil && (strings.Contains(a.body, "[DONE]") || strings.Contains(a.body, `"object":"chat.completion"`))
		if status[a.status]++; whole {
			told.add(usageOf(t, a.body))
		}
		if s := h.over(); s.Plan.Fate != FateAnswer {
			unknown.add(s.Used)
		}
		if a.status == 0 && a.err == nil {
			t.Errorf("call %d: nothing", i)
		}
	}
	b := st.Books
	if b.Received != calls || b.Received != b.Admitted+b.Refused+b.Faulted || b.Running != 0 || st.InFlight != 0 {
		t.Errorf("INV-1: %d received, %d admitted, %d refused, %d faulted, %d run", b.Received, b.Admitted, b.Refused, b.Faulted, b.Running)
	}
	if b.Admitted != status[200] || b.Refused429 != status[429] || b.Refused != status[429] || b.Faulted != status[500]+status[503]+status[0] {
		t.Errorf("INV-6: clients saw %v, books say %+v", status, b)
	}
	if status[0]*status[429]*status[500] == 0 || status[200] == calls || unknown.Out == 0 {
		t.Errorf("clients saw %v: the run shows nothing", status)
	}
	if told.add(unknown); told != b.Billed {
		t.Errorf("INV-6: clients were told %+v with what they could not know, billed %+v", told, b.Billed)
	}
	h.checkMetrics(t, &b)
}

// requestTo is r for another model.
func (h *host) requestTo(r *http.Request, model string, stream bool) *http.Request {
	body := fmt.Sprintf(`{"model":%q,"stream":%v,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hello"}]}`, model, stream)
	if !stream {
		body = fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hello"}]}`, model)
	}
	to, err := http.NewRequestWithContext(r.Context(), "POST", r.URL.String(), strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	to.Header = r.Header
	return to
}

var sample = regexp.MustCompile(`(?m)^(\w+)(?:\{(.*)\})? (\S+)$`)

// checkMetrics compares what Prometheus is told with the books.
func (h *host) checkMetrics(t *testing.T, b *Books) {
	sums := map[string]float64{}
	for _, m := range sample.FindAllStringSubmatch(h.get("/metrics").body, -1) {
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		sums[m[1]] += v
		for label := range strings.SplitSeq(m[2], ",") {
			sums[m[1]+" "+label] += v
		}
	}
	for name, want := range map[string]int64{
		"simload_mock_requests_total":                          b.Received,
		`simload_mock_requests_total status="429"`:             b.Refused429,
		`simload_mock_requests_total status="200"`:             b.Admitted,
		`simload_mock_requests_total gen_ai_request_model="m"`: b.Keys[0].Received + b.Keys[2].Received + b.Keys[4].Received,
		"gen_ai_server_request_duration_seconds_count":         b.Received,
		"gen_ai_server_time_to_first_token_seconds_count":      b.Admitted,
		`simload_mock_tokens_total gen_ai_token_type="input"`:  b.Billed.In,
		`simload_mock_tokens_total gen_ai_token_type="cached"`: b.Billed.Cached,
		`simload_mock_tokens_total gen_ai_token_type="output"`: b.Billed.Out,
		"simload_mock_in_flight":                               0,
		"simload_mock_early_retries_total":                     b.EarlyRetries,
		`simload_mock_writes_total outcome="committed"`:        b.CommittedWrites,
		`simload_mock_writes_total outcome="duplicate"`:        b.DuplicateWrites,
		`simload_mock_herd_peak of="calls"`:                    b.PeakCalls100ms,
		`simload_mock_herd_peak of="retries"`:                  b.PeakRetries100ms,
	} {
		if got := sums[name]; got != float64(want) {
			t.Errorf("%s is %v, the books say %d", name, got, want)
		}
	}
}

// TestStatsShape: the names in JSON are stable.
func TestStatsShape(t *testing.T) {
	cfg := fleet(1, 1)
	cfg.Quotas[0].RPM = 1
	h := launch(t, ServerConfig{Provider: cfg})
	h.term.Load().provider.Admit(0, Call{})
	h.term.Load().provider.Admit(0, Call{})
	h.term.Load().provider.Disconnect(ts, 1<<32|1)
	got := regexp.MustCompile(`_ns":\d+`).ReplaceAllString(strings.TrimSpace(h.get("/stats").body), `_ns":0`)
	want := `{"now_ns":0,"uptime_ns":0,"in_flight":0,"model_names":["m"],"key_names":["k0"],"quota_names":["q0"],"rejected":{},"books":{` +
		`"received":2,"admitted":1,"answered":0,"refused":1,"refused_429":1,"faulted":0,"early_retries":0,"peak_calls_100ms":2,"peak_retries_100ms":0,` +
		`"committed_writes":0,"duplicate_writes":0,"replayed_writes":0,"billed":{"in":0,"cached":0,"out":0},` +
		`"tariff":{"cache_write":0,"long":{"in":0,"cached":0,"out":0},"long_cache_write":0},"running":0,` +
		`"keys":[{"key":0,"model":0,"received":2,"admitted":1,"answered":0,"refused_429":1,"billed":{"in":0,"cached":0,"out":0},` +
		`"tariff":{"cache_write":0,"long":{"in":0,"cached":0,"out":0},"long_cache_write":0}}],` +
		`"quotas":[{"quota":0,"minutes":[{"requests":1,"tokens":0,"refused":1,"output":0}],"peak_requests":1,"peak_tokens":0}]}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestServerOwnPaths(t *testing.T) {
	h := launch(t, ServerConfig{Provider: brisk(DialectOpenAI)})
	if got := h.get("/healthz"); got.status != 200 || got.body != "ok" {
		t.Errorf("/healthz: %d %q", got.status, got.body)
	}
	for path, allowed := range map[string]string{"/healthz": "GET", "/stats": "GET", "/metrics": "GET", "/reset": "POST"} {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
			r, _ := http.NewRequest(method, h.url+path, nil)
			got := h.send(r)
			if ok := got.status/100 == 2; ok != (method == allowed || method == "HEAD" && allowed == "GET") || !ok && got.header.Get("Allow") != allowed {
				t.Errorf("%s %s: status %d, allowed %q", method, path, got.status, got.header.Get("Allow"))
			}
		}
	}
}

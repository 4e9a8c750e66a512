package promstack_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/promstack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

var update = flag.Bool("update", false, "write testdata")

const secret = "sk-test-0123456789abcdef"

// exposition returns what a scrape of a registry gets, sorted as it is by name.
func exposition(t testing.TB, from prometheus.Gatherer) string {
	t.Helper()
	w := httptest.NewRecorder()
	h := promhttp.HandlerFor(from, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError})
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("scrape: %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// lines returns the samples of an exposition that do not depend on how fast the machine is.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		timed := strings.Contains(line, "_seconds_bucket") || strings.Contains(line, "_seconds_sum")
		if !strings.HasPrefix(line, "#") && !timed {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// small is a configuration of two targets and a key, and a route over both.
func small() stack.Config {
	cfg := stack.Default()
	cfg.Keys = []stack.Key{{ID: "key-0"}}
	cfg.Quotas = []stack.Quota{{Name: "quota"}}
	for _, name := range []string{"large", "little"} {
		cfg.Targets = append(cfg.Targets, stack.Target{Name: name, Vendor: "acme", Keys: []stack.KeyUse{{Weight: 1}}})
	}
	cfg.Routes = []stack.Route{{Name: "chat", Steps: []stack.RouteStep{{Target: 0}, {Target: 1}}}}
	return cfg
}

func observer(t testing.TB, cfg stack.Config, reg prometheus.Registerer) *promstack.Observer {
	t.Helper()
	o, err := promstack.New(cfg, reg)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// life tells an observer of a request that fails once and is then answered by a stand-in, of
// one that names a route and a class that do not exist, and of one that is still on the wire.
func life(o stack.Observer) {
	const s = time.Second
	first, second := &stack.Attempt{ID: 1, Number: 1}, &stack.Attempt{ID: 2, Number: 2, Target: 1, Step: 1}
	o.Sent(2*s, first)
	o.Ended(3*s, first, &stack.Step{Queued: s, Sent: 2 * s, Ended: 3 * s, Outcome: stack.Outcome{Kind: stack.Overloaded}})
	o.Sent(5*s, second)
	o.Ended(105*s, second, &stack.Step{
		Target: 1, Degrade: 1, Queued: 5 * s, Sent: 5 * s, FirstToken: 5*s + 500*time.Millisecond, Ended: 105 * s,
		Outcome: stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 1000, Cached: 400, Out: 20}},
	})
	o.Done(105*s, &stack.Result{
		Request: stack.Request{Class: stack.P1}, Ending: stack.Succeeded, Submitted: s, Ended: 105 * s,
		Queued: s, Backoff: 2 * s, OnWire: 101 * s, Degrade: 1, Usage: stack.Usage{In: 1000, Cached: 400, Out: 20},
	})
	o.Done(106*s, &stack.Result{
		Request: stack.Request{Route: 7, Class: 9}, Ending: stack.Rejected, Reason: stack.ReasonInvalid, Submitted: 106 * s, Ended: 106 * s,
	})
	o.Sent(107*s, &stack.Attempt{ID: 3, Number: 1})
}

// Ensure a made-up life is exposed as testdata has it, to the letter.
func TestExposition(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	life(observer(t, small(), reg))
	got := exposition(t, reg)
	const file = "testdata/exposition.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("exposed (see -update):\n%s", got)
	}
}

// Ensure figures of a vendor that make no sense do no harm.
func TestNegativeTokens(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	o := observer(t, small(), reg)
	a := &stack.Attempt{Number: 1}
	o.Sent(0, a)
	o.Ended(1, a, &stack.Step{Ended: 1, Outcome: stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 7, Cached: -1, Out: -2}}})
	got := exposition(t, reg)
	for _, want := range []string{`target="large",type="input"} 7`, `target="large",type="cached"} 0`, `target="large",type="output"} 0`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}

func TestNewTwice(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	observer(t, small(), prometheus.WrapRegistererWith(prometheus.Labels{"client": "a"}, reg))
	observer(t, small(), prometheus.WrapRegistererWith(prometheus.Labels{"client": "b"}, reg))
	var again prometheus.AlreadyRegisteredError
	if _, err := promstack.New(small(), prometheus.WrapRegistererWith(prometheus.Labels{"client": "b"}, reg)); !errors.As(err, &again) {
		t.Errorf("registering twice: %v", err)
	}
}

// client returns one of a vendor that answers as told, with the metrics of a registry.
func client(t testing.TB, reg prometheus.Registerer, answer http.HandlerFunc) *stack.Client {
	t.Helper()
	vendor := httptest.NewServer(answer)
	t.Cleanup(vendor.Close)
	cfg := stack.ClientConfig{Stack: small(), Secrets: []stack.Secret{stack.NewSecret(secret)}}
	cfg.Stack.AgentCap.PerMinute = 0
	cfg.Stack.Concurrency = stack.ConcurrencyConfig{Controller: "static", Start: 1, Min: 1, Max: 1, Samples: 1, MinSamples: 1, Interval: time.Second, DecreasePercent: 50}
	cfg.Stack.Reserve = stack.ReserveConfig{}
	cfg.Stack.Retry.Base, cfg.Stack.Retry.Cap = time.Millisecond, time.Millisecond
	cfg.Stack.Fallback = stack.FallbackConfig{After: 1, MaxWait: time.Hour}
	for range cfg.Stack.Targets {
		cfg.Endpoints = append(cfg.Endpoints, stack.Endpoint{BaseURL: vendor.URL})
	}
	cfg.Observer = observer(t, cfg.Stack, reg)
	c, err := stack.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := promstack.Watch(cfg.Stack, c.Inspect, reg); err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(id int, class stack.Class) stack.Call {
	return stack.Call{
		Request: stack.Request{ID: stack.RequestID(id), Class: class},
		Prompt:  &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "ping"}}},
	}
}

func say(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"choices":[{"message":{"content":"pong"},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":11,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}`)
}

// Ensure the counts of a real client are those of what it was asked and told: an answer, a
// stand-in's after an overload, a stream, and a request that the vendor refuses.
func TestClient(t *testing.T) {
	n := 0
	reg := prometheus.NewPedanticRegistry()
	c := client(t, reg, func(w http.ResponseWriter, _ *http.Request) {
		switch n++; n {
		case 2:
			http.Error(w, `{"error":{"type":"overloaded"}}`, http.StatusServiceUnavailable)
		case 4:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"pong\"}}]}\n\n")
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		case 5:
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
		default:
			say(w)
		}
	})
	for i := range 4 {
		call := ask(i, stack.Class(i%2))
		call.Whole = i != 2
		if _, err := c.Do(context.Background(), call); (err != nil) != (i == 3) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	text := exposition(t, reg)
	if strings.Contains(text, secret) {
		t.Error("the secret is exposed")
	}
	want := []string{
		`simload_answers_total{route="chat",step="0"} 2`,
		`simload_answers_total{route="chat",step="1"} 1`,
		`simload_attempt_duration_seconds_count{outcome="bad_request",target="large"} 1`,
		`simload_attempt_duration_seconds_count{outcome="overloaded",target="large"} 1`,
		`simload_attempt_duration_seconds_count{outcome="success",target="large"} 2`,
		`simload_attempt_duration_seconds_count{outcome="success",target="little"} 1`,
		`simload_attempts_in_flight{target="large"} 0`,
		`simload_attempts_in_flight{target="little"} 0`,
		`simload_attempts_total{key="key-0",outcome="bad_request",target="large"} 1`,
		`simload_attempts_total{key="key-0",outcome="overloaded",target="large"} 1`,
		`simload_attempts_total{key="key-0",outcome="success",target="large"} 2`,
		`simload_attempts_total{key="key-0",outcome="success",target="little"} 1`,
		`simload_backoff_seconds_count{class="P1",route="chat"} 1`,
		`simload_concurrency_limit{target="large"} 1`,
		`simload_concurrency_limit{target="little"} 1`,
		`simload_first_token_seconds_count{target="large"} 2`,
		`simload_first_token_seconds_count{target="little"} 1`,
		`simload_queue_length{class="P0",target="large"} 0`,
		`simload_queue_length{class="P0",target="little"} 0`,
		`simload_queue_length{class="P1",target="large"} 0`,
		`simload_queue_length{class="P1",target="little"} 0`,
		`simload_queue_length{class="P2",target="large"} 0`,
		`simload_queue_length{class="P2",target="little"} 0`,
		`simload_queue_wait_seconds_count{class="P0",route="chat"} 2`,
		`simload_queue_wait_seconds_count{class="P1",route="chat"} 2`,
		`simload_request_duration_seconds_count{class="P0",ending="succeeded",route="chat"} 2`,
		`simload_request_duration_seconds_count{class="P1",ending="failed",route="chat"} 1`,
		`simload_request_duration_seconds_count{class="P1",ending="succeeded",route="chat"} 1`,
		`simload_requests_total{class="P0",ending="succeeded",reason="none",route="chat"} 2`,
		`simload_requests_total{class="P1",ending="failed",reason="outcome",route="chat"} 1`,
		`simload_requests_total{class="P1",ending="succeeded",reason="none",route="chat"} 1`,
		`simload_retries_total{target="little"} 1`,
		`simload_tokens_total{target="large",type="cached"} 4`,
		`simload_tokens_total{target="large",type="input"} 11`,
		`simload_tokens_total{target="large",type="output"} 3`,
		`simload_tokens_total{target="little",type="cached"} 4`,
		`simload_tokens_total{target="little",type="input"} 11`,
		`simload_tokens_total{target="little",type="output"} 3`,
	}
	if got := lines(text); !slices.Equal(got, want) {
		t.Errorf("exposed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Ensure the gauges show what is on the wire and what waits while it does.
func TestWatch(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	reg := prometheus.NewPedanticRegistry()
	c := client(t, reg, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		say(w)
	})
	done := make(chan error, 3)
	for i := range 3 {
		c.Go(context.Background(), ask(i, stack.P1), func(_ *stack.Answer, err error) { done <- err })
	}
	<-arrived
	got := exposition(t, reg)
	for _, want := range []string{
		`simload_attempts_in_flight{target="large"} 1`, `simload_concurrency_limit{target="large"} 1`,
		`simload_queue_length{class="P1",target="large"} 2`, `simload_queue_length{class="P0",target="large"} 0`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	close(release)
	for i := range 3 {
		if i > 0 {
			<-arrived
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := exposition(t, reg); !strings.Contains(got, `simload_queue_length{class="P1",target="large"} 0`) {
		t.Errorf("something waits at rest:\n%s", got)
	}
	if err := promstack.Watch(small(), c.Inspect, reg); err == nil {
		t.Error("the gauges were registered twice")
	}
}

// What a request of one attempt costs under the client's lock.
func BenchmarkObserver(b *testing.B) {
	o := observer(b, small(), prometheus.NewRegistry())
	a := &stack.Attempt{Number: 1}
	s := &stack.Step{FirstToken: 1e8, Ended: 1e9, Outcome: stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 1000, Out: 100}}}
	r := &stack.Result{Ending: stack.Succeeded, Ended: 2e9, Queued: 1e9}
	b.ReportAllocs()
	for b.Loop() {
		o.Sent(0, a)
		o.Ended(1e9, a, s)
		o.Done(2e9, r)
	}
}

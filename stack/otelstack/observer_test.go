package otelstack_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/otelstack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

var update = flag.Bool("update", false, "write testdata")

const secret = "sk-test-0123456789abcdef"

// newMeter returns a meter and what collects from it.
func newMeter(t testing.TB) (metric.Meter, *sdk.ManualReader) {
	reader := sdk.NewManualReader()
	p := sdk.NewMeterProvider(sdk.WithReader(reader))
	t.Cleanup(func() { _ = p.Shutdown(context.Background()) })
	return p.Meter("test"), reader
}

// collected returns a line for each series, sorted. Of times it has the count alone if brief
// is set, and all there is otherwise.
func collected(t testing.TB, from *sdk.ManualReader, brief bool) []string {
	t.Helper()
	var rm metricdata.ResourceMetrics
	if err := from.Collect(context.Background(), &rm); err != nil {
		t.Fatal(err)
	}
	var all []string
	add := func(m metricdata.Metrics, set attribute.Set, value string) {
		all = append(all, fmt.Sprintf("%s{%s} %s", m.Name, set.Encoded(attribute.DefaultEncoder()), value))
	}
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(m, p.Attributes, fmt.Sprint(p.Value, m.Unit))
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					add(m, p.Attributes, fmt.Sprint(p.Value, m.Unit))
				}
			case metricdata.Histogram[int64]:
				for _, p := range data.DataPoints {
					add(m, p.Attributes, fmt.Sprint(p.Count, " of ", p.Sum, m.Unit, " ", p.Bounds, " ", p.BucketCounts))
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					value := fmt.Sprint(p.Count)
					if !brief {
						value = fmt.Sprint(p.Count, " of ", p.Sum, m.Unit, " ", p.Bounds, " ", p.BucketCounts)
					}
					add(m, p.Attributes, value)
				}
			default:
				t.Fatalf("%s: data of type %T", m.Name, data)
			}
		}
	}
	slices.Sort(all)
	return all
}

// small is a configuration of two targets and a key, and a route over both.
func small() stack.Config {
	cfg := stack.Default()
	cfg.Keys = []stack.Key{{ID: "key-0"}}
	cfg.Quotas = []stack.Quota{{Name: "quota"}}
	cfg.Targets = []stack.Target{
		{Name: "large", Vendor: "Mistral", Keys: []stack.KeyUse{{Weight: 1}}},
		{Name: "little", Keys: []stack.KeyUse{{Weight: 1}}},
	}
	cfg.Routes = []stack.Route{{Name: "chat", Steps: []stack.RouteStep{{Target: 0}, {Target: 1}}}}
	return cfg
}

func observer(t testing.TB, cfg stack.Config, m metric.Meter) *otelstack.Observer {
	t.Helper()
	o, err := otelstack.New(cfg, m)
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
	o.Ended(3*s, first, &stack.Step{Queued: s, Sent: 2 * s, Ended: 3 * s, Outcome: stack.Outcome{
		Kind: stack.StreamBroken, Usage: stack.Usage{In: 10},
	}})
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

// Ensure a made-up life is collected as testdata has it, to the letter.
func TestCollection(t *testing.T) {
	m, reader := newMeter(t)
	life(observer(t, small(), m))
	got := strings.Join(collected(t, reader, false), "\n") + "\n"
	const file = "testdata/collected.txt"
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
		t.Errorf("collected (see -update):\n%s", got)
	}
}

// Ensure figures of a vendor that make no sense are not counted down.
func TestNegativeTokens(t *testing.T) {
	m, reader := newMeter(t)
	o := observer(t, small(), m)
	a := &stack.Attempt{Number: 1}
	o.Sent(0, a)
	o.Ended(1, a, &stack.Step{Ended: 1, Outcome: stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 7, Cached: -1, Out: -2}}})
	got := collected(t, reader, true)
	for _, want := range []string{
		"simload.tokens{simload.target=large,simload.token_type=input} 7{token}",
		"simload.tokens{simload.target=large,simload.token_type=cached} 0{token}",
		"simload.tokens{simload.target=large,simload.token_type=output} 0{token}",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// Ensure vendors go by the well-known names of providers.
func TestProvider(t *testing.T) {
	for vendor, want := range map[string]string{
		"openai": "openai", "OpenAI": "openai", "anthropic": "anthropic", "google": "gcp.gen_ai", "Gemini": "gcp.gemini",
		"vertex_ai": "gcp.vertex_ai", "Vertex AI": "gcp.vertex_ai", "azure-openai": "azure.ai.openai", "azure.ai.openai": "azure.ai.openai",
		"bedrock": "aws.bedrock", "deepseek": "deepseek", "xAI": "x_ai", "x_ai": "x_ai", "mistral_ai": "mistral_ai", "Acme Corp": "acme corp", "": "",
	} {
		m, reader := newMeter(t)
		cfg := small()
		cfg.Targets[0].Vendor = vendor
		o := observer(t, cfg, m)
		a := &stack.Attempt{Number: 1}
		o.Sent(0, a)
		o.Ended(1, a, &stack.Step{Ended: 1, Outcome: stack.Outcome{Kind: stack.Success}})
		if want != "" {
			want = "gen_ai.provider.name=" + want + ","
		}
		line := "gen_ai.client.operation.duration{gen_ai.operation.name=chat," + want + "gen_ai.request.model=large} 1"
		if got := collected(t, reader, true); !slices.Contains(got, line) {
			t.Errorf("vendor %q: %s is missing in\n%s", vendor, line, strings.Join(got, "\n"))
		}
	}
}

// client returns one of a vendor that answers as told, with the metrics of a meter.
func client(t testing.TB, m metric.Meter, answer http.HandlerFunc) (*stack.Client, metric.Registration) {
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
	cfg.Observer = observer(t, cfg.Stack, m)
	c, err := stack.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	r, err := otelstack.Watch(cfg.Stack, c.Inspect, m)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
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

// Ensure the counts of a real client are those of what it was asked and told: a stand-in's
// answer after an overload, and a request that the vendor refuses.
func TestClient(t *testing.T) {
	n := 0
	m, reader := newMeter(t)
	c, _ := client(t, m, func(w http.ResponseWriter, _ *http.Request) {
		switch n++; n {
		case 1:
			http.Error(w, `{"error":{"type":"overloaded"}}`, http.StatusServiceUnavailable)
		case 3:
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
		default:
			say(w)
		}
	})
	for i := range 2 {
		if _, err := c.Do(context.Background(), ask(i, stack.P1)); (err != nil) != (i == 1) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	const bounds = "{token} [1 4 16 64 256 1024 4096 16384 65536 262144 1.048576e+06 4.194304e+06 1.6777216e+07 6.7108864e+07]"
	want := []string{
		"gen_ai.client.operation.duration{error.type=bad_request,gen_ai.operation.name=chat,gen_ai.provider.name=mistral_ai,gen_ai.request.model=large} 1",
		"gen_ai.client.operation.duration{error.type=overloaded,gen_ai.operation.name=chat,gen_ai.provider.name=mistral_ai,gen_ai.request.model=large} 1",
		"gen_ai.client.operation.duration{gen_ai.operation.name=chat,gen_ai.request.model=little} 1",
		"gen_ai.client.operation.time_to_first_chunk{gen_ai.operation.name=chat,gen_ai.request.model=little} 1",
		"gen_ai.client.token.usage{gen_ai.operation.name=chat,gen_ai.request.model=little,gen_ai.token.type=input} 1 of 11" + bounds + " [0 0 1 0 0 0 0 0 0 0 0 0 0 0 0]",
		"gen_ai.client.token.usage{gen_ai.operation.name=chat,gen_ai.request.model=little,gen_ai.token.type=output} 1 of 3" + bounds + " [0 1 0 0 0 0 0 0 0 0 0 0 0 0 0]",
		"simload.answers{simload.route=chat,simload.step=1} 1{request}",
		"simload.attempts.in_flight{simload.target=large} 0{attempt}",
		"simload.attempts.in_flight{simload.target=little} 0{attempt}",
		"simload.attempts{simload.key=key-0,simload.outcome=bad_request,simload.target=large} 1{attempt}",
		"simload.attempts{simload.key=key-0,simload.outcome=overloaded,simload.target=large} 1{attempt}",
		"simload.attempts{simload.key=key-0,simload.outcome=success,simload.target=little} 1{attempt}",
		"simload.concurrency.limit{simload.target=large} 1{attempt}",
		"simload.concurrency.limit{simload.target=little} 1{attempt}",
		"simload.queue.length{simload.class=P0,simload.target=large} 0{request}",
		"simload.queue.length{simload.class=P0,simload.target=little} 0{request}",
		"simload.queue.length{simload.class=P1,simload.target=large} 0{request}",
		"simload.queue.length{simload.class=P1,simload.target=little} 0{request}",
		"simload.queue.length{simload.class=P2,simload.target=large} 0{request}",
		"simload.queue.length{simload.class=P2,simload.target=little} 0{request}",
		"simload.request.backoff{simload.class=P1,simload.route=chat} 1",
		"simload.request.duration{simload.class=P1,simload.ending=failed,simload.route=chat} 1",
		"simload.request.duration{simload.class=P1,simload.ending=succeeded,simload.route=chat} 1",
		"simload.request.queue{simload.class=P1,simload.route=chat} 2",
		"simload.requests{simload.class=P1,simload.ending=failed,simload.reason=outcome,simload.route=chat} 1{request}",
		"simload.requests{simload.class=P1,simload.ending=succeeded,simload.reason=none,simload.route=chat} 1{request}",
		"simload.retries{simload.target=little} 1{attempt}",
		"simload.tokens{simload.target=little,simload.token_type=cached} 4{token}",
		"simload.tokens{simload.target=little,simload.token_type=input} 11{token}",
		"simload.tokens{simload.target=little,simload.token_type=output} 3{token}",
	}
	got := collected(t, reader, true)
	if !slices.Equal(got, want) {
		t.Errorf("collected\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Contains(strings.Join(got, "\n"), secret) {
		t.Error("the secret is told")
	}
}

// Ensure the gauges show what is on the wire and what waits while it does, until they are
// unregistered.
func TestWatch(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	m, reader := newMeter(t)
	c, gauges := client(t, m, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		say(w)
	})
	done := make(chan error, 3)
	for i := range 3 {
		c.Go(context.Background(), ask(i, stack.P1), func(_ *stack.Answer, err error) { done <- err })
	}
	<-arrived
	got := collected(t, reader, true)
	for _, want := range []string{
		"simload.attempts.in_flight{simload.target=large} 1{attempt}", "simload.concurrency.limit{simload.target=large} 1{attempt}",
		"simload.queue.length{simload.class=P1,simload.target=large} 2{request}", "simload.queue.length{simload.class=P0,simload.target=large} 0{request}",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, strings.Join(got, "\n"))
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
	if err := gauges.Unregister(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(collected(t, reader, true), "\n"); strings.Contains(got, "simload.queue.length") {
		t.Errorf("gauges that were unregistered are collected:\n%s", got)
	}
}

// bad is a meter that refuses.
type bad struct{ noop.Meter }

func (bad) Int64UpDownCounter(string, ...metric.Int64UpDownCounterOption) (metric.Int64UpDownCounter, error) {
	return noop.Int64UpDownCounter{}, os.ErrInvalid
}

func (bad) RegisterCallback(metric.Callback, ...metric.Observable) (metric.Registration, error) {
	return nil, os.ErrInvalid
}

func TestErrors(t *testing.T) {
	if _, err := otelstack.New(small(), bad{}); err == nil || !strings.Contains(err.Error(), "instruments of a client") {
		t.Errorf("New: %v", err)
	}
	if _, err := otelstack.Watch(small(), nil, bad{}); err == nil || !strings.Contains(err.Error(), "gauges of a client") {
		t.Errorf("Watch: %v", err)
	}
}

// What a request of one attempt costs under the client's lock.
func BenchmarkObserver(b *testing.B) {
	m, _ := newMeter(b)
	o := observer(b, small(), m)
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

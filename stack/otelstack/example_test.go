package otelstack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/otelstack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// A client whose metrics are collected by hand. A program has a reader that exports them, and a
// meter of its own: otel.Meter("my/agent").
func Example() {
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json") // it does not stream
		fmt.Fprint(w, `{"choices":[{"message":{"content":"Paris."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
	}))
	defer vendor.Close()

	cfg := stack.ClientConfig{Stack: stack.Default()}
	cfg.Stack.Quotas = []stack.Quota{{Name: "tier 1", RPM: 500, TPM: 200_000}}
	cfg.Stack.Keys, cfg.Secrets = []stack.Key{{ID: "key 1"}}, []stack.Secret{stack.NewSecret("sk-...")}
	cfg.Stack.Targets = []stack.Target{{Name: "gpt-4.1", Vendor: "openai", Keys: []stack.KeyUse{{Weight: 1}}}}
	cfg.Stack.Routes = []stack.Route{{Name: "chat", Steps: []stack.RouteStep{{Target: 0}}}}
	cfg.Endpoints = []stack.Endpoint{{BaseURL: vendor.URL + "/v1"}}

	reader := sdk.NewManualReader()
	meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("example")
	cfg.Observer, _ = otelstack.New(cfg.Stack, meter)
	client, _ := stack.NewClient(cfg)
	defer client.Close()
	gauges, _ := otelstack.Watch(cfg.Stack, client.Inspect, meter)
	defer func() { _ = gauges.Unregister() }()

	prompt := &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "What is the capital of France?"}}}
	_, _ = client.Do(context.Background(), stack.Call{Request: stack.Request{ID: 42}, Prompt: prompt})

	var all metricdata.ResourceMetrics
	_ = reader.Collect(context.Background(), &all)
	for _, m := range all.ScopeMetrics[0].Metrics {
		if h, ok := m.Data.(metricdata.Histogram[int64]); ok {
			for _, p := range h.DataPoints {
				kind, _ := p.Attributes.Value("gen_ai.token.type")
				fmt.Println(m.Name, kind.AsString(), p.Sum)
			}
		}
	}
	// Unordered output:
	// gen_ai.client.token.usage input 9
	// gen_ai.client.token.usage output 2
}

package promstack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/promstack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// A client whose metrics are scraped. A program that has a registry already, such as
// [prometheus.DefaultRegisterer], uses that.
func Example() {
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json") // it does not stream
		fmt.Fprint(w, `{"choices":[{"message":{"content":"Paris."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
	}))
	defer vendor.Close()

	cfg := stack.ClientConfig{Stack: stack.Default()}
	cfg.Stack.Quotas = []stack.Quota{{Name: "tier 1", RPM: 500, TPM: 200_000}}
	cfg.Stack.Keys, cfg.Secrets = []stack.Key{{ID: "key 1"}}, []stack.Secret{stack.NewSecret("sk-...")}
	cfg.Stack.Targets = []stack.Target{{Name: "gpt-4.1", Keys: []stack.KeyUse{{Weight: 1}}}}
	cfg.Stack.Routes = []stack.Route{{Name: "chat", Steps: []stack.RouteStep{{Target: 0}}}}
	cfg.Endpoints = []stack.Endpoint{{BaseURL: vendor.URL + "/v1"}}

	registry := prometheus.NewRegistry()
	cfg.Observer, _ = promstack.New(cfg.Stack, registry)
	client, _ := stack.NewClient(cfg)
	defer client.Close()
	_ = promstack.Watch(cfg.Stack, client.Inspect, registry)

	prompt := &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "What is the capital of France?"}}}
	_, _ = client.Do(context.Background(), stack.Call{Request: stack.Request{ID: 42}, Prompt: prompt})

	scrape := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(scrape, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(scrape.Body.String()) {
		if strings.HasPrefix(line, "simload_tokens_total") || strings.HasPrefix(line, "simload_requests_total") {
			fmt.Print(line)
		}
	}
	// Output:
	// simload_requests_total{class="P0",ending="succeeded",reason="none",route="chat"} 1
	// simload_tokens_total{target="gpt-4.1",type="cached"} 0
	// simload_tokens_total{target="gpt-4.1",type="input"} 9
	// simload_tokens_total{target="gpt-4.1",type="output"} 2
}

package stack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// An agent asks a vendor through the stack. Ten lines are all it takes: the limits that the vendor
// grants, where it is, and a key.
func ExampleClient() {
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
	cfg.Endpoints = []stack.Endpoint{{BaseURL: vendor.URL + "/v1", Format: wire.OpenAI}}
	client, _ := stack.NewClient(cfg)
	defer client.Close()
	prompt := &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "What is the capital of France?"}}}
	answer, err := client.Do(context.Background(), stack.Call{Request: stack.Request{ID: 42}, Prompt: prompt})

	fmt.Println(answer.Text, answer.Usage.Out, "tokens", err)
	// Output: Paris. 2 tokens <nil>
}

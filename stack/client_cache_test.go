package stack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/semcache"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// TestClientRemembers_INV60: what was asked before is answered without a call, whole and as a stream,
// with nothing billed; not under another system prompt, temperature or tenant, and not if the
// answer was cut off.
func TestClientRemembers_INV60(t *testing.T) {
	var calls atomic.Int64
	finish := "stop"
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"answer %d"},"finish_reason":%q}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, calls.Add(1), finish)
	}))
	defer vendor.Close()
	cfg := stack.ClientConfig{Stack: stack.Default()}
	cache := semcache.Default()
	cfg.Stack.Cache = &cache
	cfg.Stack.Quotas = []stack.Quota{{Name: "q"}}
	cfg.Stack.Keys, cfg.Secrets = []stack.Key{{ID: "k"}}, []stack.Secret{stack.NewSecret("s")}
	cfg.Stack.Targets = []stack.Target{{Name: "m", Keys: []stack.KeyUse{{Weight: 1}}}}
	cfg.Stack.Routes = []stack.Route{{Name: "m", Steps: []stack.RouteStep{{}}}}
	cfg.Endpoints = []stack.Endpoint{{BaseURL: vendor.URL + "/v1", Format: wire.OpenAI}}
	c := newClient(t, cfg)
	prompt := func(change func(*wire.Prompt)) *wire.Prompt {
		p := &wire.Prompt{System: "be brief", Messages: []wire.Message{{Role: "user", Text: "Hello?"}, {Role: "assistant", Text: "Yes."}, {Role: "user", Text: "What is the capital of France?"}}}
		if change != nil {
			change(p)
		}
		return p
	}
	half := 0.5
	for i, tt := range []struct {
		call stack.Call
		want string
	}{
		{stack.Call{Prompt: prompt(nil)}, "answer 1"},
		{stack.Call{Prompt: prompt(nil)}, "answer 1"},
		{stack.Call{Prompt: prompt(func(p *wire.Prompt) { p.System = "be long" })}, "answer 2"},
		{stack.Call{Prompt: prompt(func(p *wire.Prompt) { p.Temperature = &half })}, "answer 3"},
		{stack.Call{Prompt: prompt(func(p *wire.Prompt) { p.Messages[0].Text = "Hello!" })}, "answer 4"},
		{stack.Call{Prompt: prompt(func(p *wire.Prompt) { p.Extra = map[string]json.RawMessage{"seed": json.RawMessage("7")} })}, "answer 5"},
		{stack.Call{Request: stack.Request{Tenant: 2}, Prompt: prompt(nil)}, "answer 6"},
		{stack.Call{Request: stack.Request{Write: true}, Prompt: prompt(nil)}, "answer 7"},
		{stack.Call{Prompt: prompt(nil)}, "answer 1"},
	} {
		tt.call.ID = stack.RequestID(i + 1)
		a, err := c.Do(context.Background(), tt.call)
		if err != nil || a.Text != tt.want {
			t.Errorf("%d: %q, %v; want %q", i, a.Text, err, tt.want)
		}
		if hit := i == 1 || i == 8; a.Result.CacheHit != hit || hit && (a.Usage != wire.Usage{}) {
			t.Errorf("%d: hit %t, usage %+v", i, a.Result.CacheHit, a.Usage)
		}
	}
	streamed := ""
	a, err := c.Stream(context.Background(), stack.Call{Request: stack.Request{ID: 90}, Prompt: prompt(nil)}, func(p stack.Piece) error {
		streamed += p.Text
		return nil
	})
	if err != nil || streamed != "answer 1" || !a.Result.CacheHit {
		t.Errorf("streamed %q, %v, %+v", streamed, err, a.Result)
	}
	finish = "length"
	cut := func(p *wire.Prompt) { p.System = "be cut" }
	for i := range 2 {
		if a, err := c.Do(context.Background(), stack.Call{Request: stack.Request{ID: stack.RequestID(100 + i)}, Prompt: prompt(cut)}); err != nil || a.Result.CacheHit {
			t.Errorf("a cut answer was kept: %q, %v", a.Text, err)
		}
	}
	atRest(t, c)
}

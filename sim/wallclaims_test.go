package sim

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
	"go.uber.org/goleak"
)

// wallVendors are hosts that answer after a while, and a client of all of them.
func wallVendors(t *testing.T, hosts int, pool stack.PoolConfig) (*stack.Client, func()) {
	t.Helper()
	var servers []*httptest.Server
	cfg := stack.ClientConfig{Stack: stack.Default(), Pool: pool}
	for i := range hosts {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			time.Sleep(20 * time.Millisecond)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`)
		}))
		servers = append(servers, s)
		name := fmt.Sprintf("m%d", i)
		cfg.Stack.Targets = append(cfg.Stack.Targets, stack.Target{Name: name, Vendor: name, Keys: []stack.KeyUse{{Weight: 1}}})
		cfg.Stack.Routes = append(cfg.Stack.Routes, stack.Route{Name: name, Steps: []stack.RouteStep{{Target: i}}})
		cfg.Endpoints = append(cfg.Endpoints, stack.Endpoint{BaseURL: s.URL + "/v1", Format: wire.OpenAI})
	}
	cfg.Stack.Quotas, cfg.Stack.Keys = []stack.Quota{{Name: "q"}}, []stack.Key{{ID: "k"}}
	cfg.Stack.AgentCap = stack.AgentCapConfig{}
	cfg.Secrets = []stack.Secret{stack.NewSecret("k")}
	c, err := stack.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c, func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for _, s := range servers {
			s.Close()
		}
	}
}

// wallLoad lets callers ask all hosts in turn, and returns the share of requests that were sent on a
// connection that was there.
func wallLoad(t *testing.T, c *stack.Client, callers, each, hosts int) float64 {
	t.Helper()
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for n := range each {
				call := stack.Call{
					Request: stack.Request{ID: stack.RequestID(i*each + n + 1), Agent: uint32(i), Route: (i + n*n) % hosts, MaxOut: 5},
					Prompt:  &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "yes?"}}},
				}
				if _, err := c.Do(context.Background(), call); err != nil {
					t.Errorf("caller %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
	var requests, reused int64
	for _, p := range c.Pools() {
		requests += p.Requests
		reused += p.Reused
	}
	if requests < int64(callers*each) {
		t.Fatalf("%d requests went through the pools, want %d", requests, callers*each)
	}
	return float64(reused) / float64(requests)
}

// TestClaimPoolSplit: one pool for all hosts that keeps two idle connections each, as Go's default does, against
// a pool per host that is sized by rate x response time x 1.3 (claim B3: reuse from 62 % to 91 %). And A11: nothing
// is left of the connections afterwards.
func TestClaimPoolSplit(t *testing.T) {
	const hosts, callers = 4, 40
	each := 60 // so that the first connections, which every pool has to make, are few among them
	if socketsBench() {
		each = 250
	}
	reuse := func(pool stack.PoolConfig) float64 {
		c, done := wallVendors(t, hosts, pool)
		defer done()
		return wallLoad(t, c, callers, each, hosts)
	}
	shared := reuse(stack.PoolConfig{Shared: true})
	split := reuse(stack.PoolConfig{PeakRate: 500, MeanResponse: 20 * time.Millisecond})
	t.Logf("connections reused: one pool %.0f %%, one for each host %.0f %% (claim: 62 %% and 91 %%)", shared*100, split*100)
	if split < shared+0.1 || split < 0.8 {
		t.Errorf("a pool for each host reuses %.2f, one for all %.2f", split, shared)
	}
	goleak.VerifyNone(t)
}

package redisstore_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/redisstore"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

var reply = []byte(`{"id":"x","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"pong"},` +
	`"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":3}}`)

// vendor answers from memory.
type vendor struct{ wait time.Duration }

func (v vendor) RoundTrip(r *http.Request) (*http.Response, error) {
	if v.wait > 0 {
		time.Sleep(v.wait)
	}
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(reply)), Body: io.NopCloser(bytes.NewReader(reply)), Request: r,
	}, nil
}

// clientConfig is a client with some keys of limits that bind no one.
func clientConfig(keys int, v vendor) stack.ClientConfig {
	cfg := stack.ClientConfig{Stack: stack.Default(), Transport: v}
	s := &cfg.Stack
	s.AgentCap.PerMinute = 0
	s.Concurrency = stack.ConcurrencyConfig{Controller: "static", Start: 100_000}
	s.Queue.Bound = 100_000
	t := stack.Target{Name: "m", Vendor: "v"}
	for k := range keys {
		s.Keys = append(s.Keys, stack.Key{ID: fmt.Sprint("key-", k)})
		s.Quotas = append(s.Quotas, stack.Quota{Name: fmt.Sprint("quota-", k), RPM: 1 << 32, TPM: 1 << 32})
		t.Keys = append(t.Keys, stack.KeyUse{Key: k, Quota: k, Weight: 1})
		cfg.Secrets = append(cfg.Secrets, stack.NewSecret(fmt.Sprint("secret-", k)))
	}
	s.Targets = []stack.Target{t}
	s.Routes = []stack.Route{{Name: "main", Steps: []stack.RouteStep{{}}}}
	cfg.Endpoints = []stack.Endpoint{{BaseURL: "http://memory"}}
	return cfg
}

func ask(id int) stack.Call {
	return stack.Call{
		Request: stack.Request{ID: stack.RequestID(id), Class: stack.P1, Whole: true},
		Prompt:  &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "ping"}}},
	}
}

// newClient returns a client that is a member of a fleet.
func newClient(tb testing.TB, cfg stack.ClientConfig, fleet stack.FleetConfig) *stack.Client {
	tb.Helper()
	cfg.Fleet = &fleet
	c, err := stack.NewClient(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// open returns a store of a namespace of its own at a server.
func open(tb testing.TB, server *redistest.Server, namespace string) *redisstore.Store {
	tb.Helper()
	s, err := redisstore.Open(server.URL(), redisstore.Config{Namespace: namespace})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// Ensure calls go through a fleet's books in Redis, and leave nothing there.
func TestClients(t *testing.T) {
	server := redistest.Start(t)
	const clients, each = 4, 200
	done := make(chan error, clients*each)
	for i := range clients {
		c := newClient(t, clientConfig(3, vendor{}), stack.FleetConfig{Store: open(t, server, "clients"), Name: fmt.Sprint("c", i)})
		for id := range each {
			c.Go(context.Background(), ask(i*each+id), func(_ *stack.Answer, err error) { done <- err })
		}
	}
	for range clients * each {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

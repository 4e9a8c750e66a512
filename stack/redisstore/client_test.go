package redisstore_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/fleet"
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
func newClient(tb testing.TB, cfg stack.ClientConfig, f stack.FleetConfig) *stack.Client {
	tb.Helper()
	cfg.Fleet = &f
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

// nothingLeft looks at the books as a member that comes when all others have gone.
func nothingLeft(t *testing.T, store *redisstore.Store, keys int, lease time.Duration) {
	t.Helper()
	cfg := clientConfig(keys, vendor{}).Stack
	books := cfg.Fleet()
	books.Lease = lease
	m := &fleet.Message{Member: "last", Given: time.Duration(time.Now().UnixMicro()) * time.Microsecond, Batch: 1, Join: true, Config: &books, Fingerprint: books.Fingerprint()}
	if r := exchange(t, store, m); r.Status != fleet.StatusOK || r.Members != 1 || r.News.Gates[0].InFlight != 0 {
		t.Errorf("afterwards the books have %+v, %+v", r, r.News)
	}
}

// Ensure calls go through a fleet's books in Redis, and leave nothing there.
func TestClients(t *testing.T) {
	server := redistest.Start(t)
	const clients, each = 4, 200
	done := make(chan error, clients*each)
	var all []*stack.Client
	for i := range clients {
		c := newClient(t, clientConfig(3, vendor{}), stack.FleetConfig{Store: open(t, server, "clients"), Name: fmt.Sprint("c", i)})
		all = append(all, c)
		for id := range each {
			c.Go(context.Background(), ask(i*each+id), func(_ *stack.Answer, err error) { done <- err })
		}
	}
	for range clients * each {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range all {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	nothingLeft(t, open(t, server, "clients"), 3, fleet.DefaultLease)
}

// Ensure a server that is killed and comes back with nothing stops a closed fleet and not an open one, and that both go on
// with it afterwards and leave nothing there.
func TestClientsWithoutStore(t *testing.T) {
	for _, open_ := range []bool{false, true} {
		t.Run(fmt.Sprint("open=", open_), func(t *testing.T) {
			server := redistest.Start(t)
			var clients []*stack.Client
			for i := range 2 {
				clients = append(clients, newClient(t, clientConfig(2, vendor{}), stack.FleetConfig{
					Store: open(t, server, "gone"), Name: fmt.Sprint("c", i), Open: open_, Timeout: 300 * ms, Lease: 2 * s,
				}))
			}
			id := 0
			call := func(limit time.Duration) (failed int) {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				defer cancel()
				for _, c := range clients {
					id++
					if _, err := c.Do(ctx, ask(id)); err != nil {
						failed++
					}
				}
				return failed
			}
			if n := call(time.Minute); n > 0 {
				t.Fatalf("%d failed with the store", n)
			}
			server.Kill()
			time.Sleep(100 * ms)
			patience := 2 * s
			if open_ {
				patience = time.Minute
			}
			if n := call(patience); open_ && n > 0 || !open_ && n < len(clients) {
				t.Errorf("without the store %d of %d failed", n, len(clients))
			}
			if s := clients[0].Fleet(); !s.Gone || s.Members != 2 {
				t.Errorf("without the store: %+v", s)
			}
			server.Again()
			for deadline := time.Now().Add(time.Minute); clients[0].Fleet().Gone && time.Now().Before(deadline); {
				time.Sleep(20 * ms)
			}
			if n := call(time.Minute); n > 0 || clients[0].Fleet().Gone {
				t.Errorf("%d failed when the store was back", n)
			}
			for _, c := range clients {
				c.Inspect(func(_ time.Duration, core *stack.Core) {
					if core.Pending() != 0 || core.Gate(0).InFlight != 0 {
						t.Errorf("%d pending, gate %+v", core.Pending(), core.Gate(0))
					}
				})
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			nothingLeft(t, open(t, server, "gone"), 2, 2*s)
		})
	}
}

// Ensure clients of one process share books in memory, and nothing is left of their goroutines.
func TestClientsInMemory(t *testing.T) {
	before := goleak.IgnoreCurrent()
	memory := &stack.MemoryFleet{}
	cfg := clientConfig(1, vendor{wait: 20 * ms})
	cfg.Stack.Concurrency.Start = 2
	done := make(chan error, 60)
	var clients []*stack.Client
	for i := range 3 {
		f := stack.FleetConfig{Store: memory, Name: fmt.Sprint("c", i)}
		cfg.Fleet = &f
		c, err := stack.NewClient(cfg)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
		for id := range 20 {
			c.Go(context.Background(), ask(i*100+id), func(_ *stack.Answer, err error) { done <- err })
		}
	}
	for range 60 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range clients {
		_ = c.Close()
	}
	goleak.VerifyNone(t, before)
}

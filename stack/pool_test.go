package stack_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// Ensure targets of one host share a pool, two hosts have two, and connections are used again.
func TestPools(t *testing.T) {
	answer := func(w http.ResponseWriter, q *asked) { say(w, q, "a b c") }
	one, two := newVendor(t, answer), newVendor(t, answer)
	cfg := setup(one.URL, two.URL, one.URL+"/v1")
	for i := range 3 {
		cfg.Stack.Routes = append(cfg.Stack.Routes, stack.Route{Name: "r", Steps: []stack.RouteStep{{Target: i}}})
	}
	c := newClient(t, cfg)
	for i := range 30 {
		call := ask(i, "ping")
		call.Route = 1 + i%3
		if _, err := c.Do(context.Background(), call); err != nil {
			t.Fatal(err)
		}
	}
	want := []stack.PoolStats{{Host: one.URL, Dialled: 1, Requests: 20, Reused: 19}, {Host: two.URL, Dialled: 1, Requests: 10, Reused: 9}}
	if got := c.Pools(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// burst makes rounds of n calls that are on the wire at once, and returns the pools.
func burst(t *testing.T, pool stack.PoolConfig, n, rounds int) []stack.PoolStats {
	t.Helper()
	var meet sync.WaitGroup
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		meet.Done()
		meet.Wait()
		say(w, q, "pong")
	})
	cfg := setup(v.URL)
	cfg.Pool = pool
	c := newClient(t, cfg)
	for range rounds {
		meet.Add(n)
		var done sync.WaitGroup
		for i := range n {
			done.Go(func() {
				if _, err := c.Do(context.Background(), ask(i, "ping")); err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
	}
	return c.Pools()
}

// Ensure a pool keeps as many connections as it is sized for, and a shared one Go's two.
func TestPoolSizes(t *testing.T) {
	const n, rounds = 20, 5
	own := burst(t, stack.PoolConfig{}, n, rounds)
	shared := burst(t, stack.PoolConfig{Shared: true}, n, rounds)
	if len(shared) != 1 || shared[0].Host != "shared" || own[0].Requests != n*rounds || shared[0].Requests != n*rounds {
		t.Fatalf("%+v, %+v", own, shared)
	}
	// A connection is idle a moment after its answer was read, so a few may be dialled in its place.
	if own[0].Reused <= n*rounds/2 || shared[0].Reused >= n*rounds/2 {
		t.Errorf("reused %d of %d, shared %d", own[0].Reused, n*rounds, shared[0].Reused)
	}
}

// Ensure HTTP/2 is spoken to a plain endpoint where that is known, and to TLS ones by agreement,
// many requests on one connection.
func TestHTTP2(t *testing.T) {
	for _, secure := range []bool{false, true} {
		var protos sync.Map
		v := &vendor{}
		h := v.handler(func(w http.ResponseWriter, q *asked) { say(w, q, "a b") })
		v.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			protos.Store(r.Proto, true)
			h.ServeHTTP(w, r)
		}))
		var p http.Protocols
		p.SetUnencryptedHTTP2(true)
		p.SetHTTP2(true)
		p.SetHTTP1(true)
		v.Config.Protocols, v.EnableHTTP2 = &p, true
		if secure {
			v.StartTLS()
		} else {
			v.Start()
		}
		t.Cleanup(v.Close)
		cfg := setup(v.URL)
		cfg.Pool.HTTP2 = true
		if secure {
			cfg.Pool.TLS = v.Client().Transport.(*http.Transport).TLSClientConfig
		}
		c := newClient(t, cfg)
		for i := range 20 {
			call := ask(i, "ping")
			call.Whole = i%2 != 0
			if a, err := c.Do(context.Background(), call); err != nil || strings.TrimSpace(a.Text) == "" {
				t.Fatalf("%v, secure %v", err, secure)
			}
		}
		_, one := protos.Load("HTTP/1.1")
		_, two := protos.Load("HTTP/2.0")
		if st := c.Pools()[0]; one || !two || st.Dialled != 1 || st.Reused != 19 {
			t.Errorf("secure %v: HTTP/1.1 %v, HTTP/2.0 %v, %+v", secure, one, two, st)
		}
		atRest(t, c)
	}
}

// Ensure a proxy's and a vendor's names are looked up once, addresses that are dead are passed
// over, and a failure is not kept.
func TestNamesOnTheWire(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		w.Header().Set("Connection", "close")
		say(w, q, "pong")
	})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(v.URL, "http://"))
	asked := 0
	cfg := setup("http://vendor.test:" + port)
	cfg.Pool.Lookup = func(_ context.Context, host string) ([]string, error) {
		if asked++; asked == 1 {
			return nil, errors.New("resolver is down")
		}
		if host != "vendor.test" {
			t.Errorf("looked up %q", host)
		}
		return []string{"127.0.0.2", "127.0.0.1"}, nil // nobody listens at the first
	}
	c := newClient(t, cfg)
	for i := range 5 {
		if _, err := c.Do(context.Background(), ask(i, "ping")); err != nil {
			t.Fatal(err)
		}
	}
	if st := c.Pools()[0]; asked != 2 || st.Dialled != 5 {
		t.Errorf("asked %d times, dialled %d", asked, st.Dialled)
	}
}

// Ensure addresses that are due are asked for again, a failure keeps the old, and a context is
// heeded.
func TestNameCache(t *testing.T) {
	var answer []string
	var fault error
	asked := 0
	n := stack.NewName("names.test", func(context.Context, string) ([]string, error) { asked++; return answer, fault }, time.Minute)
	want := func(what string, addr string, times int) {
		t.Helper()
		got, err := n.Addresses(context.Background())
		switch {
		case addr == "" && err == nil:
			t.Errorf("%s: %v, want an error", what, got)
		case addr != "" && (err != nil || got[0] != addr):
			t.Errorf("%s: %v, %v", what, got, err)
		case asked != times:
			t.Errorf("%s: asked %d times, want %d", what, asked, times)
		}
	}
	fault = errors.New("down")
	want("down at first", "", 1)
	want("still down", "", 2)
	answer, fault = []string{"1.1.1.1"}, nil
	want("back", "1.1.1.1", 3)
	answer = []string{"2.2.2.2"}
	want("kept", "1.1.1.1", 3)
	n.Expire()
	want("due", "2.2.2.2", 4)
	fault = errors.New("down")
	n.Expire()
	want("due and down", "2.2.2.2", 5)
	want("not asked again at once", "2.2.2.2", 5)

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	hold := make(chan struct{})
	slow := stack.NewName("slow.test", func(context.Context, string) ([]string, error) { <-hold; return answer, nil }, time.Minute)
	if _, err := slow.Addresses(ended); err == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	close(hold)
}

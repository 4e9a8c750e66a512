package conformance

import (
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	up "github.com/seed-4fd17b57/simload/mockupstream"
)

const (
	model  = "mock-1"
	secret = "sk-conformance"
)

// mock is a mock upstream of one vendor, with one model and one key, for one test.
type mock struct {
	*up.Server
	t    *testing.T
	url  string
	over chan up.Sighting // calls that are over

	mu    sync.Mutex
	asked int // requests that arrived, calls or not
	bytes []byte
}

// scenario is the mock's configuration: no limits, an answer of up to half a second. Its clock begins a
// second before a full minute, so that windows of a minute that are used up are open again soon.
func scenario(vendor up.Dialect) up.ServerConfig {
	return up.ServerConfig{
		ChunkEvery: 5 * time.Millisecond,
		FillEvery:  20 * time.Millisecond,
		Provider: up.Config{
			Seed:  1,
			Epoch: time.Date(2026, 1, 5, 12, 0, 59, 0, time.UTC),
			Models: []up.Model{{
				Name: model, Vendor: vendor.String(), Dialect: vendor,
				ContextWindow: 10_000, MaxOutput: 4_000,
				Latency: up.Latency{Base: 20 * time.Millisecond, PerOutputToken: time.Millisecond, Refusal: time.Millisecond},
				Cache:   up.PromptCache{MinTokens: 64, Block: 16, TTL: time.Hour},
				Price:   up.Price{Input: 1_000_000, Cached: 100_000, Output: 4_000_000, CacheWrite: 1_250_000},
			}},
			Quotas: []up.Quota{{Name: "q", Group: "conformance"}},
			Keys:   []up.Key{{ID: secret, Quotas: []int{0}}},
		},
	}
}

// start runs the mock until the test's end.
func start(t *testing.T, cfg up.ServerConfig) *mock {
	t.Helper()
	m := &mock{t: t, over: make(chan up.Sighting, 100)}
	cfg.Observe = func(s up.Sighting) { m.over <- s }
	var err error
	if m.Server, err = up.NewServer(cfg); err != nil {
		t.Fatal(err)
	}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.asked++
		m.mu.Unlock()
		m.ServeHTTP(tap{w, m}, r)
	}))
	t.Cleanup(func() {
		host.CloseClientConnections()
		host.Close()
		if n := m.Books().Running; n != 0 {
			t.Errorf("%d calls still run", n)
		}
	})
	m.url = host.URL
	return m
}

// question is one for the mock's model.
func (m *mock) question(turns ...string) question {
	return question{Base: m.url, Key: secret, Model: model, Turns: turns, MaxOut: 1000}
}

// tries returns how many requests have arrived.
func (m *mock) tries() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// sent returns the bodies of all answers so far.
func (m *mock) sent() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return string(m.bytes)
}

// tap is a response whose body is noted.
type tap struct {
	http.ResponseWriter
	m *mock
}

func (w tap) Write(b []byte) (int, error) {
	w.m.mu.Lock()
	w.m.bytes = append(w.m.bytes, b...)
	w.m.mu.Unlock()
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w tap) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// next returns the next call that is over.
func (m *mock) next() up.Sighting {
	m.t.Helper()
	select {
	case s := <-m.over:
		return s
	case <-time.After(20 * time.Second):
		m.t.Fatal("no call came to an end")
		panic("unreachable")
	}
}

// fault has every call meet a fault.
func fault(cfg *up.ServerConfig, f up.Fault) {
	f.For, f.Share = time.Hour, 1
	cfg.Provider.Faults = append(cfg.Provider.Faults, f)
}

// missing skips a test for want of something that is not the module's; where everything must be there,
// the test fails.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("SIMLOAD_REQUIRE") != "" {
		t.Fatalf("%s, and SIMLOAD_REQUIRE is set", what)
	}
	t.Skip(what)
}

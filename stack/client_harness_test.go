package stack_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

const secret0 = "sk-test-0123456789abcdef"

// asked is what a vendor sees of a request.
type asked struct {
	Model    string `json:"model"`
	MaxOut   int64  `json:"max_tokens"`
	Stream   bool   `json:"stream"`
	Messages []struct{ Content string }
	Head     http.Header `json:"-"`
	Number   int         `json:"-"` // from 1, of all requests
}

func (a *asked) text() string {
	if len(a.Messages) == 0 {
		return ""
	}
	return a.Messages[len(a.Messages)-1].Content
}

// vendor is a made-up one that speaks OpenAI's form on a real socket.
type vendor struct {
	*httptest.Server
	mu   sync.Mutex
	seen []asked
}

// newVendor starts a vendor whose answers are given by a function.
func newVendor(t testing.TB, answer func(w http.ResponseWriter, q *asked)) *vendor {
	v := &vendor{}
	v.Server = httptest.NewServer(v.handler(answer))
	t.Cleanup(v.Close)
	return v
}

func (v *vendor) handler(answer func(w http.ResponseWriter, q *asked)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := asked{Head: r.Header}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		v.mu.Lock()
		q.Number = len(v.seen) + 1
		v.seen = append(v.seen, q)
		v.mu.Unlock()
		answer(w, &q)
	})
}

func (v *vendor) requests() []asked {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]asked(nil), v.seen...)
}

// forget begins to count again.
func (v *vendor) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen = nil
}

// say answers with a text, streamed if that was asked for.
func say(w http.ResponseWriter, q *asked, text string) {
	if !q.Stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"x","model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":11,"completion_tokens":3}}`, q.Model, text)
		return
	}
	for word := range strings.SplitSeq(text, " ") {
		delta(w, word+" ")
	}
	last(w)
}

// delta sends one event of a stream.
func delta(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
	w.(http.Flusher).Flush()
}

// last ends a stream.
func last(w http.ResponseWriter) {
	fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"+
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n")
	w.(http.Flusher).Flush()
}

// fail answers with an error.
func fail(w http.ResponseWriter, status int, code, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"message":%q,"type":%q,"code":%q}}`, text, code, code)
}

// setup is a configuration with one key for each base URL, each of which is a target, and one
// route over all of them; it waits for next to nothing.
func setup(urls ...string) stack.ClientConfig {
	cfg := stack.ClientConfig{Stack: stack.Default()}
	s := &cfg.Stack
	s.AgentCap.PerMinute = 0
	s.Retry.Base, s.Retry.Cap = time.Millisecond, 4*time.Millisecond
	s.Rotation.Exclude = 0
	s.Breaker.Enabled = false
	s.Routes = []stack.Route{{Name: "main"}}
	for i, u := range urls {
		s.Keys = append(s.Keys, stack.Key{ID: fmt.Sprint("key-", i)})
		s.Quotas = append(s.Quotas, stack.Quota{Name: fmt.Sprint("quota-", i)})
		s.Targets = append(s.Targets, stack.Target{
			Name: fmt.Sprint("model-", i), Vendor: "v", Keys: []stack.KeyUse{{Key: i, Quota: i, Weight: 1}},
		})
		s.Routes[0].Steps = append(s.Routes[0].Steps, stack.RouteStep{Target: i})
		cfg.Endpoints = append(cfg.Endpoints, stack.Endpoint{BaseURL: u})
		cfg.Secrets = append(cfg.Secrets, stack.NewSecret(strings.Replace(secret0, "0", fmt.Sprint(i), 1)))
	}
	return cfg
}

func newClient(t testing.TB, cfg stack.ClientConfig) *stack.Client {
	t.Helper()
	c, err := stack.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// ask is a call with a text, for an answer that is not streamed.
func ask(id int, text string) stack.Call {
	return stack.Call{
		Request: stack.Request{ID: stack.RequestID(id), Class: stack.P1, Whole: true},
		Prompt:  &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: text}}},
	}
}

func streamed(c stack.Call) stack.Call {
	c.Whole = false
	return c
}

// atRest ensures that a client has nothing under way, waiting or armed (INV-21).
func atRest(t testing.TB, c *stack.Client) {
	t.Helper()
	c.Inspect(func(_ time.Duration, core *stack.Core) {
		if n := core.Pending(); n != 0 {
			t.Errorf("%d requests are pending", n)
		}
		if n := core.Timers(); n != 0 {
			t.Errorf("%d timers are set", n)
		}
		for g := range core.Gates() {
			if s := core.Gate(g); s.InFlight != 0 || s.Waiting != [stack.NumClasses]int{} {
				t.Errorf("gate %d: %+v", g, s)
			}
		}
	})
}

// ends counts how often each request was done.
type ends struct {
	sent  map[stack.AttemptID]int
	ended map[stack.AttemptID]int
	done  map[stack.RequestID]int
}

func newEnds() *ends {
	return &ends{sent: map[stack.AttemptID]int{}, ended: map[stack.AttemptID]int{}, done: map[stack.RequestID]int{}}
}

func (e *ends) Sent(_ time.Duration, a *stack.Attempt) { e.sent[a.ID]++ }

func (e *ends) Ended(_ time.Duration, a *stack.Attempt, s *stack.Step) {
	if s.Ended < s.Sent || s.Outcome.Kind == stack.OutcomeNone {
		panic("a step that has not ended")
	}
	e.ended[a.ID]++
}

func (e *ends) Done(_ time.Duration, r *stack.Result) { e.done[r.Request.ID]++ }

// check ensures that all requests ended once, and every attempt that was sent (INV-1, INV-21).
// The client is closed.
func (e *ends) check(t testing.TB, requests int) {
	t.Helper()
	if len(e.done) != requests {
		t.Errorf("%d requests ended, want %d", len(e.done), requests)
	}
	for id, n := range e.done {
		if n != 1 {
			t.Errorf("request %d ended %d times", id, n)
		}
	}
	for id, n := range e.sent {
		if n != 1 || e.ended[id] != 1 {
			t.Errorf("attempt %d: sent %d times, ended %d times", id, n, e.ended[id])
		}
	}
}

package stack_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// Ensure a call says what it should on the wire, and comes back with what the vendor said.
func TestDo(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) { say(w, q, "pong") })
	cfg := setup(v.URL)
	cfg.Endpoints[0].Model = "gpt-x"
	cfg.Header = func(a *stack.Attempt, h http.Header) { h.Set("X-Attempt", fmt.Sprint(a.Number)) }
	c := newClient(t, cfg)
	for _, stream := range []bool{false, true} {
		call := ask(1, strings.Repeat("word", 100))
		call.Whole = !stream
		a, err := c.Do(context.Background(), call)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(a.Text) != "pong" || a.Usage != (wire.Usage{In: 11, Out: 3}) || !a.HasUsage {
			t.Errorf("reply %+v", a.Reply)
		}
		r := a.Result
		if r.Ending != stack.Succeeded || len(r.Steps) != 1 || r.Steps[0].Outcome.Status != 200 || r.Usage != (stack.Usage{In: 11, Out: 3}) {
			t.Errorf("result %+v", r)
		}
		if r.Request.EstIn != 100 || r.Request.MaxOut != stack.DefaultMaxOut {
			t.Errorf("estimates %d, %d", r.Request.EstIn, r.Request.MaxOut)
		}
		if st := r.Steps[0]; st.FirstToken < st.Sent || st.FirstToken > st.Ended || r.FirstToken <= 0 {
			t.Errorf("first token at %v of %v to %v", st.FirstToken, st.Sent, st.Ended)
		}
	}
	for _, q := range v.requests() {
		if q.Model != "gpt-x" || q.MaxOut != stack.DefaultMaxOut || q.Head.Get("Authorization") != "Bearer "+secret0 || q.Head.Get("X-Attempt") != "1" {
			t.Errorf("asked %+v", q)
		}
	}
	atRest(t, c)
}

// Ensure every answer is what the core is told, and the caller can tell them apart.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		status    int
		code      string
		kind      stack.OutcomeKind
		is        error
		transient bool // tried again
	}{
		{400, "invalid_request_error", stack.BadRequest, stack.ErrRefused, false},
		{401, "invalid_api_key", stack.Unauthorized, stack.ErrRefused, false},
		{404, "model_not_found", stack.BadRequest, stack.ErrRefused, false},
		{402, "insufficient_balance", stack.OutOfCredit, stack.ErrNoKey, false},
		{429, "insufficient_quota", stack.OutOfCredit, stack.ErrNoKey, false},
		{429, "rate_limit_exceeded", stack.RateLimited, stack.ErrAttempts, true},
		{503, "overloaded", stack.Overloaded, stack.ErrAttempts, true},
		{500, "server_error", stack.ServerError, stack.ErrAttempts, true},
		{302, "elsewhere", stack.BadRequest, stack.ErrRefused, false},
	} {
		t.Run(fmt.Sprint(tt.status, tt.code), func(t *testing.T) {
			v := newVendor(t, func(w http.ResponseWriter, _ *asked) { fail(w, tt.status, tt.code, "no") })
			c := newClient(t, setup(v.URL))
			a, err := c.Do(context.Background(), ask(1, "ping"))
			var e *stack.EndError
			if !errors.As(err, &e) || !errors.Is(err, tt.is) {
				t.Fatalf("error %v", err)
			}
			if e.Outcome.Kind != tt.kind || e.Outcome.Status != tt.status || e.Problem == nil || a == nil {
				t.Errorf("error %+v, outcome %v", e, e.Outcome.Kind)
			}
			want := 1
			if tt.transient {
				want = 4
			}
			if n := len(v.requests()); n != want {
				t.Errorf("%d requests, want %d", n, want)
			}
			atRest(t, c)
		})
	}
}

// Ensure the time that a vendor names is waited for, and a stand-in is not made to wait (INV-41).
func TestRetryAfter(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		if q.Number == 1 {
			w.Header().Set("Retry-After-Ms", "60")
			fail(w, 429, "rate_limit_exceeded", "slow down")
			return
		}
		say(w, q, "pong")
	})
	c := newClient(t, setup(v.URL))
	a, err := c.Do(context.Background(), ask(1, "ping"))
	if err != nil {
		t.Fatal(err)
	}
	st := a.Result.Steps
	if len(st) != 2 || !st[0].Outcome.HasRetryAfter || st[0].Outcome.RetryAfter != 60*time.Millisecond {
		t.Fatalf("steps %+v", st)
	}
	if wait := st[1].Sent - st[0].Ended; wait < 60*time.Millisecond {
		t.Errorf("asked again after %v, told 60ms", wait)
	}
}

// Ensure a stream's pieces come in order, those of a broken attempt are void, and together they
// are the answer.
func TestStreamPieces(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		if q.Number == 1 {
			delta(w, "wrong ")
			return // without the last event
		}
		say(w, q, "a b c d e f g h i j k l m n o p q r s t u v w x y z")
	})
	c := newClient(t, setup(v.URL))
	var text strings.Builder
	latest, voided := 0, false
	a, err := c.Stream(context.Background(), ask(1, "ping"), func(p stack.Piece) error {
		if p.Attempt < latest {
			t.Errorf("a piece of attempt %d after one of %d", p.Attempt, latest)
		}
		if p.Attempt > latest {
			voided = voided || text.Len() > 0
			latest = p.Attempt
			text.Reset()
		}
		text.WriteString(p.Text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if latest != 2 || !voided || text.String() != a.Text || !strings.HasPrefix(a.Text, "a b c") {
		t.Errorf("attempt %d, pieces %q, answer %q", latest, text.String(), a.Text)
	}
	if k := a.Result.Steps[0].Outcome.Kind; k != stack.StreamBroken {
		t.Errorf("first attempt: %v", k)
	}
}

// Ensure a caller that wants no more pieces is heard, and a vendor that does not stream is read.
func TestStreamEnds(t *testing.T) {
	enough := errors.New("enough")
	gone := make(chan struct{})
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		if q.text() == "plain" {
			q.Stream = false
			say(w, q, "pong")
			return
		}
		defer close(gone)
		for {
			if _, err := w.Write([]byte(": beat\n\n")); err != nil {
				return
			}
			delta(w, "x")
		}
	})
	c := newClient(t, setup(v.URL))
	a, err := c.Stream(context.Background(), ask(1, "ping"), func(stack.Piece) error { return enough })
	if !errors.Is(err, enough) || a.Result.Ending != stack.Cancelled {
		t.Errorf("error %v, ending %v", err, a.Result.Ending)
	}
	<-gone // the vendor notices
	pieces := ""
	if _, err = c.Stream(context.Background(), ask(2, "plain"), func(p stack.Piece) error { pieces += p.Text; return nil }); err != nil || pieces != "pong" {
		t.Errorf("pieces %q, error %v", pieces, err)
	}
	atRest(t, c)
}

// Ensure answers of a batch come in input order whatever the order in which they are made, and
// no more are under way than is said (INV-A4).
func TestBatchOrder(t *testing.T) {
	const n, window = 60, 8
	var turn [n]chan struct{}
	for i := range turn {
		turn[i] = make(chan struct{})
	}
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		var i int
		fmt.Sscan(q.text(), &i)
		// Within each window the last is answered first.
		if next := i + 1; next%window != 0 && next < n {
			<-turn[next]
		}
		say(w, q, q.text())
		close(turn[i])
	})
	cfg := setup(v.URL)
	cfg.Stack.Queue.Bound = window
	cfg.Stack.Reserve = stack.ReserveConfig{}
	c := newClient(t, cfg)
	var calls []stack.Call
	for i := range n {
		calls = append(calls, ask(i, fmt.Sprint(i)))
	}
	i := 0
	for a, err := range c.Batch(context.Background(), calls) {
		if err != nil || a.Text != fmt.Sprint(i) {
			t.Fatalf("answer %d: %q, %v", i, a.Text, err)
		}
		if seen := len(v.requests()); seen > i+window+1 {
			t.Fatalf("%d were asked when %d had been taken", seen, i)
		}
		i++
	}
	if i != n {
		t.Errorf("%d answers of %d", i, n)
	}
	atRest(t, c)
}

// Ensure leaving a batch early cancels what is under way.
func TestBatchBreak(t *testing.T) {
	hold := make(chan struct{})
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		if q.text() != "0" {
			<-hold
		}
		say(w, q, "pong")
	})
	defer close(hold)
	cfg := setup(v.URL)
	watch := newEnds()
	cfg.Observer = watch
	c := newClient(t, cfg)
	var calls []stack.Call
	for i := range 20 {
		calls = append(calls, ask(i, fmt.Sprint(i)))
	}
	for _, err := range c.Batch(context.Background(), calls) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	atRest(t, c)
	_ = c.Close()
	watch.check(t, len(calls))
}

// Ensure an error of one call of a batch is its own.
func TestBatchErrors(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		if q.text() == "bad" {
			fail(w, 400, "invalid", "no")
			return
		}
		say(w, q, "pong")
	})
	c := newClient(t, setup(v.URL))
	var got []bool
	for _, err := range c.Batch(context.Background(), []stack.Call{ask(0, "good"), ask(1, "bad"), ask(2, "good")}) {
		got = append(got, err == nil)
	}
	if !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("succeeded: %v", got)
	}
}

// Ensure 2000 requests leave no goroutine and no connection.
func TestNothingIsLeft(t *testing.T) {
	before := goleak.IgnoreCurrent()
	v := newVendor(t, func(w http.ResponseWriter, q *asked) { say(w, q, "a b") })
	const n = 2000
	cfg := setup(v.URL)
	cfg.Stack.Queue.Bound = 2 * n
	watch := newEnds()
	cfg.Observer = watch
	c := newClient(t, cfg)
	done := make(chan error, n)
	for i := range n {
		call := ask(i, "ping")
		call.Whole = i%2 != 0
		c.Go(context.Background(), call, func(_ *stack.Answer, err error) { done <- err })
	}
	for range n {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	atRest(t, c)
	p := c.Pools()
	if len(p) != 1 || p[0].Requests != n || p[0].Dialled+p[0].Reused < n || p[0].Reused < n/2 {
		t.Errorf("pools %+v", p)
	}
	_ = c.Close()
	watch.check(t, n)
	v.Close() // blocks until all connections are closed
	goleak.VerifyNone(t, before)
}

// Ensure what is wrong with a configuration is named, all of it, without a secret.
func TestClientConfig(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*stack.ClientConfig)
		want   string // "": nothing is wrong
	}{
		{"sound", func(*stack.ClientConfig) {}, ""},
		{"endpoints", func(c *stack.ClientConfig) { c.Endpoints = nil }, "0 endpoints for 1 targets"},
		{"secrets", func(c *stack.ClientConfig) { c.Secrets = append(c.Secrets, stack.NewSecret(secret0)) }, "2 secrets for 1 keys"},
		{"empty secret", func(c *stack.ClientConfig) { c.Secrets[0] = stack.Secret{} }, "secret of key key-0: it is empty"},
		{"secret with a line end", func(c *stack.ClientConfig) { c.Secrets[0] = stack.NewSecret(secret0 + "\n") }, "secret of key key-0"},
		{"scheme", func(c *stack.ClientConfig) { c.Endpoints[0].BaseURL = "ftp://x" }, "base URL is not one of http or https"},
		{"no scheme", func(c *stack.ClientConfig) { c.Endpoints[0].BaseURL = "example.com/v1" }, "base URL is not one of http or https"},
		{"no host", func(c *stack.ClientConfig) { c.Endpoints[0].BaseURL = "http:///v1" }, "base URL is not one of http or https"},
		{"user", func(c *stack.ClientConfig) { c.Endpoints[0].BaseURL = "http://" + secret0 + "@x" }, "holds a user"},
		{"unreadable", func(c *stack.ClientConfig) { c.Endpoints[0].BaseURL = "http://" + secret0 + ":%" }, "cannot be read"},
		{"query", func(c *stack.ClientConfig) { c.Endpoints[0].BaseURL = "http://x?key=" + secret0 }, "use Query"},
		{"format", func(c *stack.ClientConfig) { c.Endpoints[0].Format = 9 }, "unknown format"},
		{"header", func(c *stack.ClientConfig) { c.Endpoints[0].AuthHeader = "X Y" }, `"X Y" is no name`},
		{"shared", func(c *stack.ClientConfig) { c.Stack.Shared = true }, "no fleet"},
		{"fleet without a store", func(c *stack.ClientConfig) { c.Fleet = &stack.FleetConfig{Name: "a b", Lease: time.Hour} }, "fleet without a store\nlease is 1h0m0s (allowed: 1s to 10m0s)\nname in the fleet is \"a b\""},
		{"a controller that cannot be shared", func(c *stack.ClientConfig) {
			c.Fleet = &stack.FleetConfig{Store: &stack.MemoryFleet{}}
			c.Stack.Concurrency.Controller = "vegas"
		}, "allowed for a shared limit: static, aimd"},
		{"stack", func(c *stack.ClientConfig) { c.Stack.Retry.Attempts = 0 }, "attempts"},
		{"pool rate", func(c *stack.ClientConfig) { c.Pool.PeakRate = -1 }, "pool peak rate is -1"},
		{"origin", func(c *stack.ClientConfig) { c.Origin = time.Now().Add(time.Hour) }, "origin is in the future"},
		{"fragment", func(c *stack.ClientConfig) { c.Endpoints[0].Query = "a=b#c" }, "fragment"},
		{"pool max", func(c *stack.ClientConfig) { c.Pool.Max = -1 }, "pool max is -1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := setup("http://127.0.0.1:1")
			tt.change(&cfg)
			c, err := stack.NewClient(cfg)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				_ = c.Close()
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret0) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Ensure a prompt beyond its kind's cap is shortened by the caller's function.
func TestCompact(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) { say(w, q, q.text()) })
	cfg := setup(v.URL)
	cfg.Stack.Kinds = []stack.Kind{{Name: "default", Context: 5}}
	cfg.Compact = func(_ *wire.Prompt, limit int64) *wire.Prompt {
		return ask(0, fmt.Sprint("cut to ", limit)).Prompt
	}
	c := newClient(t, cfg)
	for text, want := range map[string]string{"short": "short", strings.Repeat("long ", 40): "cut to 5"} {
		if a, err := c.Do(context.Background(), ask(1, text)); err != nil || a.Text != want {
			t.Errorf("%q became %q, %v", text, a.Text, err)
		}
	}
}

// Ensure the caller's function may ask for a summary by the same client.
func TestCompactBySummary(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) { say(w, q, "what was said: "+q.text()[:4]) })
	cfg := setup(v.URL)
	cfg.Stack.Kinds = []stack.Kind{{Name: "default", Context: 20}, {Name: "summary"}}
	var c *stack.Client
	cfg.Compact = func(p *wire.Prompt, _ int64) *wire.Prompt {
		call := ask(2, p.Messages[0].Text)
		call.Kind = 1
		a, err := c.Do(context.Background(), call)
		if err != nil {
			t.Errorf("the summary: %v", err)
		}
		return ask(0, a.Text).Prompt
	}
	c = newClient(t, cfg)
	if a, err := c.Do(context.Background(), ask(1, strings.Repeat("long ", 40))); err != nil || a.Text != "what was said: what" {
		t.Errorf("%q, %v", a.Text, err)
	}
}

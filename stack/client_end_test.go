package stack_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// Ensure an error whose body hangs is judged by its status and headers, before the core gives it up.
func TestErrorBodyHangs(t *testing.T) {
	for head, kind := range map[string]stack.OutcomeKind{
		"429 Slow\r\nRetry-After: 7":       stack.RateLimited,
		"401 No":                           stack.Unauthorized,
		"400 No":                           stack.BadRequest,
		"503 Full\r\nConnection: close":    stack.Overloaded,
		"302 There\r\nLocation: http://x/": stack.BadRequest,
	} {
		t.Run(head[:3], func(t *testing.T) {
			t.Parallel()
			url := listen(t, func(conn net.Conn) {
				raw("HTTP/1.1 " + head + "\r\nContent-Length: 100\r\n\r\n{")(conn)
				_, _ = io.Copy(io.Discard, conn)
			})
			cfg := setup(url)
			once(&cfg, stack.FirstTokenTimeout)
			cfg.Stack.Timeouts.Whole = 500 * time.Millisecond
			c := newClient(t, cfg)
			a, _ := c.Do(context.Background(), ask(1, "ping"))
			o := a.Result.Steps[0].Outcome
			if o.Kind != kind || o.HasRetryAfter != (kind == stack.RateLimited) || kind == stack.RateLimited && o.RetryAfter != 7*time.Second {
				t.Errorf("outcome %+v, %v", o, o.Kind)
			}
			atRest(t, c)
		})
	}
}

// Ensure a stream that brings signs of life alone ends, and one that brings thoughts or parts of tool calls
// does not.
func TestSilence(t *testing.T) {
	const gap = 20 * time.Millisecond
	for name, tt := range map[string]struct {
		beat string
		kind stack.OutcomeKind
	}{
		"comments":   {": beat\n\n", stack.GapTimeout},
		"empty":      {"data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n", stack.GapTimeout},
		"thoughts":   {"data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n", stack.Success},
		"tool calls": {"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"x\"}}]}}]}\n\n", stack.Success},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := listen(t, func(conn net.Conn) {
				_, err := io.WriteString(conn, eventHead+oneToken)
				for begun := time.Now(); err == nil && (tt.kind != stack.Success || time.Since(begun) < 2*stack.SilentGaps*gap); time.Sleep(gap / 10) {
					_, err = io.WriteString(conn, tt.beat)
				}
				_, _ = io.WriteString(conn, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			})
			cfg := setup(url)
			once(&cfg, tt.kind)
			cfg.Stack.Timeouts.Gap = gap
			if tt.kind == stack.Success {
				cfg.Stack.Timeouts.Gap = 10 * gap // a pause of the machine is no silence
			}
			c := newClient(t, cfg)
			a, err := c.Do(context.Background(), streamed(ask(1, "ping")))
			st := a.Result.Steps[0]
			if st.Outcome.Kind != tt.kind {
				t.Errorf("outcome %v after %v: %v", st.Outcome.Kind, st.Ended-st.Sent, err)
			}
		})
	}
}

// Ensure the pieces of an attempt that broke off are void when the next succeeds without a text.
func TestLastPieces(t *testing.T) {
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter, q *asked)
		want   []stack.Piece
	}{
		"no text": {func(w http.ResponseWriter, q *asked) {
			if q.Number == 1 {
				delta(w, "half an answer")
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			last(w)
		}, []stack.Piece{{Text: "half an answer", Attempt: 1}, {Attempt: 2}}},
		"no text at all": {func(w http.ResponseWriter, _ *asked) {
			w.Header().Set("Content-Type", "text/event-stream")
			last(w)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVendor(t, tt.answer)
			c := newClient(t, setup(v.URL))
			var got []stack.Piece
			a, err := c.Stream(context.Background(), ask(1, "ping"), func(p stack.Piece) error { got = append(got, p); return nil })
			if err != nil || a.Text != "" || len(got) != len(tt.want) {
				t.Fatalf("%q, pieces %+v, %v", a.Text, got, err)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("piece %d: %+v, want %+v", i, got[i], tt.want[i])
				}
			}
			enough := errors.New("enough")
			if len(tt.want) > 1 {
				v.forget()
				_, err := c.Stream(context.Background(), ask(2, "ping"), func(p stack.Piece) error {
					if p.Text == "" {
						return enough
					}
					return nil
				})
				if !errors.Is(err, enough) {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

// Ensure a write that has had no connection when its first token is due is known to be unsent, and is tried again
// even where unknown outcomes are not.
func TestUnsentWrite(t *testing.T) {
	cfg := setup("http://vendor.test:1")
	once(&cfg, stack.Success)
	cfg.Stack.Timeouts.FirstToken = 200 * time.Millisecond
	cfg.Stack.Retry.Attempts = 2
	cfg.Stack.Idempotency = stack.IdempotencyNone
	cfg.Pool.Lookup = func(ctx context.Context, _ string) ([]string, error) { <-ctx.Done(); return nil, ctx.Err() }
	c := newClient(t, cfg)
	call := streamed(ask(1, "ping"))
	call.Write = true
	a, err := c.Do(context.Background(), call)
	if !errors.Is(err, stack.ErrAttempts) || len(a.Result.Steps) != 2 {
		t.Fatalf("%v, %d steps", err, len(a.Result.Steps))
	}
	for _, st := range a.Result.Steps {
		if st.Outcome.Kind != stack.ConnectFailed {
			t.Errorf("outcome %v", st.Outcome.Kind)
		}
	}
}

// Ensure an answer tells what its headers said about limits, those of a refusal too, and nothing where
// there was none.
func TestAnswerLimits(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		w.Header().Set("X-Ratelimit-Limit-Requests", "500")
		w.Header().Set("X-Ratelimit-Remaining-Requests", strings.TrimPrefix(q.text(), "left "))
		if q.text() == "left 0" {
			fail(w, 400, "x", "no")
			return
		}
		say(w, q, "pong")
	})
	c := newClient(t, setup(v.URL))
	for text, want := range map[string]int64{"left 0": 0, "left 7": 7} {
		a, _ := c.Do(context.Background(), ask(1, text))
		if l := a.Limits; l.LimitRequests != 500 || l.RemainingRequests != want || l.LimitTokens != -1 {
			t.Errorf("%s: %+v", text, l)
		}
	}
	_ = c.Close()
	if a, _ := c.Do(context.Background(), ask(1, "ping")); a.Limits.LimitRequests != -1 || a.Limits.ResetTokens != -1 {
		t.Errorf("no answer: %+v", a.Limits)
	}
}

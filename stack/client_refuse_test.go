package stack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// Ensure a prompt that cannot be written is refused before the core hears of it, and everybody is told
// once: observer, log and dead letters.
func TestPromptsThatCannotBeWritten(t *testing.T) {
	say := wire.Message{Role: "user", Text: "ping"}
	nan := math.NaN()
	for _, tt := range []struct {
		name   string
		prompt *wire.Prompt
		says   string
	}{
		{"none", nil, "no prompt"},
		{"no message", &wire.Prompt{System: "be brief"}, "no message"},
		{"role", &wire.Prompt{Messages: []wire.Message{say, {Role: "wizard", Text: "x"}}}, `"wizard"`},
		{"temperature", &wire.Prompt{Messages: []wire.Message{say}, Temperature: &nan}, "temperature"},
		{"reserved", &wire.Prompt{Messages: []wire.Message{say}, Extra: map[string]json.RawMessage{"model": json.RawMessage(`"x"`)}}, `"model"`},
		{"not JSON", &wire.Prompt{Messages: []wire.Message{say}, Extra: map[string]json.RawMessage{"tools": json.RawMessage(`[`)}}, `"tools"`},
		{"compacted away", &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: strings.Repeat("long ", 40)}}}, "Compact"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log, out bytes.Buffer
			inputs := 0
			watch := newEnds()
			cfg := setup("http://127.0.0.1:1")
			cfg.Stack.Kinds = []stack.Kind{{Name: "default", Context: 5}}
			cfg.Compact = func(*wire.Prompt, int64) *wire.Prompt { return nil }
			cfg.Tape = func(stack.Input) { inputs++ }
			cfg.Observer, cfg.DeadLetters, cfg.Log = watch, &out, slog.New(slog.NewTextHandler(&log, nil))
			c := newClient(t, cfg)
			call := ask(1, "")
			call.Prompt = tt.prompt
			a, err := c.Do(context.Background(), call)
			if !errors.Is(err, stack.ErrInvalid) || errors.Is(err, stack.ErrRefused) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v", err)
			}
			if r := a.Result; r.Ending != stack.Rejected || r.Reason != stack.ReasonInvalid || r.Ended != r.Submitted || r.Ended == 0 {
				t.Errorf("result %+v", r)
			}
			_ = c.Close()
			watch.check(t, 1)
			if inputs != 0 || strings.Count(out.String(), "\n") != 1 || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("%d inputs, letters %q, log %q", inputs, &out, &log)
			}
		})
	}
}

// Ensure a call whose context has ended, and one after Close, are told like any that is cancelled: to the
// observer and the log, and in no dead letter. What Close waits for includes who is told of a refusal.
func TestRefusedCallsAreTold(t *testing.T) {
	var log, out bytes.Buffer
	watch := newEnds()
	cfg := setup("http://127.0.0.1:1")
	cfg.Observer, cfg.DeadLetters = watch, &out
	cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := newClient(t, cfg)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Do(ended, ask(1, "ping")); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	begun, told := make(chan struct{}), false
	c.Go(context.Background(), stack.Call{Request: stack.Request{ID: 2}}, func(*stack.Answer, error) {
		<-begun
		told = true
	})
	closed := make(chan struct{})
	go func() { _ = c.Close(); close(closed) }()
	select {
	case <-closed:
		t.Error("Close did not wait")
	default:
	}
	close(begun)
	<-closed
	if !told {
		t.Error("Close returned before the caller was told")
	}
	if _, err := c.Do(context.Background(), ask(3, "ping")); !errors.Is(err, stack.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	watch.check(t, 3)
	if n := strings.Count(log.String(), "cancelled"); n < 2 || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("log %q, letters %q", &log, &out)
	}
}

// Ensure Close puts nothing on the wire, not even what the dropped head of a line makes room for.
func TestCloseSendsNothing(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, _ *asked) { // no usage: what was charged stays so
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"pong"},"finish_reason":"stop"}]}`)
	})
	cfg := setup(v.URL)
	cfg.Stack.Quotas[0].RPM, cfg.Stack.Quotas[0].TPM = 10_000, 100_000
	watch := newEnds()
	cfg.Observer = watch
	c := newClient(t, cfg)
	sized := func(id int, in int64) stack.Call {
		call := ask(id, "ping")
		call.EstIn, call.MaxOut = in, 1
		return call
	}
	if _, err := c.Do(context.Background(), sized(0, 30_000)); err != nil {
		t.Fatal(err)
	}
	const n = 20
	done := make(chan *stack.Answer, n)
	c.Go(context.Background(), sized(1, 60_000), func(a *stack.Answer, _ error) { done <- a }) // waits for tokens
	for i := 2; i <= n; i++ {
		c.Go(context.Background(), sized(i, 10), func(a *stack.Answer, _ error) { done <- a })
	}
	_ = c.Close()
	for range n {
		if a := <-done; a.Result.Ending != stack.Cancelled {
			t.Errorf("request %d: %v", a.Result.Request.ID, a.Result.Ending)
		}
	}
	atRest(t, c)
	watch.check(t, n+1)
	if len(watch.sent) != 1 || len(v.requests()) != 1 {
		t.Errorf("%d attempts were sent, %d reached the vendor", len(watch.sent), len(v.requests()))
	}
}

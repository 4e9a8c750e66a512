package stack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/stack"
)

// letterStep and letter are a line as a reader sees it.
type letterStep struct {
	Model   string       `json:"model"`
	Key     string       `json:"key"`
	Queued  json.Number  `json:"queued_s"`
	Sent    json.Number  `json:"sent_s"`
	First   *json.Number `json:"first_token_s"`
	Ended   json.Number  `json:"ended_s"`
	Outcome string       `json:"outcome"`
	Status  int          `json:"status"`
}

type letter struct {
	ID        string       `json:"id"`
	Agent     uint32       `json:"agent"`
	Profile   string       `json:"profile"`
	Intended  json.Number  `json:"intended_s"`
	Submitted json.Number  `json:"submitted_s"`
	Ended     json.Number  `json:"ended_s"`
	Ending    string       `json:"ending"`
	Reason    string       `json:"reason"`
	In        int64        `json:"tokens_in"`
	Out       int64        `json:"tokens_out"`
	UsedIn    int64        `json:"used_in"`
	UsedOut   int64        `json:"used_out"`
	Steps     []letterStep `json:"steps"`
}

// Ensure a dead letter is a line of an events log, with what a replay needs.
func TestDeadLetters(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		switch q.text() {
		case "good":
			say(w, q, "pong")
		case "bad":
			fail(w, 400, "x", "no")
		default:
			fail(w, 500, "x", "no")
		}
	})
	var out bytes.Buffer
	cfg := setup(v.URL)
	cfg.DeadLetters = &out
	cfg.Stack.Routes[0].Name = `ma"in`
	cfg.Stack.Targets[0].ContextWindow = 100_000
	c := newClient(t, cfg)
	large, lost := ask(4, "large"), ask(5, "lost")
	large.EstIn, lost.Route = 200_000, 9
	for _, call := range []stack.Call{ask(1, "good"), ask(2, "bad"), ask(0xfedcba9876543210>>1, "ill"), large, lost} {
		call.Agent = 7
		_, err := c.Do(context.Background(), call)
		if (err == nil) != (call.ID == 1) {
			t.Errorf("request %d: %v", call.ID, err)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, _ = c.Do(cancelled, ask(6, "good"))
	_ = c.Close() // the last letter is written

	want := []struct {
		id, profile, ending, reason string
		in                          int64
		steps                       int
	}{
		{"0000000000000002", `ma"in`, "failed", "outcome", 1, 1},
		{"7f6e5d4c3b2a1908", `ma"in`, "dead_lettered", "attempts", 1, 4},
		{"0000000000000004", `ma"in`, "rejected", "too_large", 200_000, 0},
		{"0000000000000005", "", "rejected", "invalid", 1, 0},
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	for i, w := range want {
		var l letter
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if l.ID != w.id || l.Agent != 7 || l.Profile != w.profile || l.Ending != w.ending || l.Reason != w.reason ||
			l.In != w.in || l.Out != stack.DefaultMaxOut || len(l.Steps) != w.steps {
			t.Errorf("line %d: %+v", i, l)
		}
		if l.Intended != l.Submitted || len(l.Submitted) < len("0.000000000") {
			t.Errorf("line %d: intended %s, submitted %s", i, l.Intended, l.Submitted)
		}
		for _, s := range l.Steps {
			if s.Model != "model-0" || s.Key != "key-0" || s.Status < 400 || s.Outcome == "" || s.First != nil {
				t.Errorf("line %d: %+v", i, s)
			}
		}
	}
	if d.More() {
		t.Error("there are more lines")
	}
}

// slow is a writer that takes a line whenever it is let.
type slow struct {
	bytes.Buffer
	let chan struct{}
}

func (s *slow) Write(b []byte) (int, error) {
	<-s.let
	return s.Buffer.Write(b)
}

// Ensure a writer that hangs holds up no call, gets what waits for it in order, and that what is too much
// is lost and told.
func TestSlowDeadLetters(t *testing.T) {
	const more = 10
	var log bytes.Buffer
	s := &slow{let: make(chan struct{})}
	cfg := setup("http://127.0.0.1:1")
	cfg.DeadLetters = s
	cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))
	c := newClient(t, cfg)
	for i := range stack.MostLetters + more {
		call := ask(i, "ping")
		call.Prompt = nil
		if _, err := c.Do(context.Background(), call); !errors.Is(err, stack.ErrInvalid) {
			t.Fatal(err)
		}
	}
	close(s.let)
	_ = c.Close() // waits for the writer
	n := 0
	for d := json.NewDecoder(&s.Buffer); d.More(); n++ {
		var l letter
		if err := d.Decode(&l); err != nil || l.ID != fmt.Sprintf("%016x", n) {
			t.Fatalf("line %d: %+v, %v", n, l, err)
		}
	}
	// The first may have been with the writer already.
	if lost := strings.Count(log.String(), "dead letters are lost"); n+lost != stack.MostLetters+more || lost < more-1 || lost > more {
		t.Errorf("%d written, %d told to be lost", n, lost)
	}
}

type full struct{ writes int }

func (f *full) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("disk full")
}

// Ensure a writer that fails is told once, and calls go on.
func TestDeadLettersAreLost(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, _ *asked) { fail(w, 400, "x", "no") })
	var log bytes.Buffer
	var f full
	cfg := setup(v.URL)
	cfg.DeadLetters, cfg.Log = &f, slog.New(slog.NewTextHandler(&log, nil))
	c := newClient(t, cfg)
	for i := range 3 {
		if _, err := c.Do(context.Background(), ask(i, "bad")); !errors.Is(err, stack.ErrRefused) {
			t.Error(err)
		}
	}
	_ = c.Close() // what is to be told has been told
	if n := strings.Count(log.String(), "dead letters are lost"); n != 1 || f.writes != 1 {
		t.Errorf("told %d times, %d writes", n, f.writes)
	}
}

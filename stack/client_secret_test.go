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

// Ensure a secret is printed by nothing.
func TestSecretIsNotPrinted(t *testing.T) {
	s := stack.NewSecret(secret0)
	text, _ := s.MarshalText()
	asJSON, err := json.Marshal(map[string]any{"a": s, "b": []stack.Secret{s}, "c": struct{ K stack.Secret }{s}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("x", "key", s, "all", []stack.Secret{s}, "in", stack.ClientConfig{Secrets: []stack.Secret{s}}.Secrets)
	}
	cfg := setup("http://x")
	c := newClient(t, cfg)
	type app struct { // package fmt does not ask the methods of what is in it
		cfg stack.ClientConfig
		key stack.Secret
		c   *stack.Client
	}
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "client", c, "app", app{cfg, s, c})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, v := range []any{c, cfg, app{cfg, s, c}, &app{cfg, s, c}, struct{ s *stack.Secret }{&s}} {
			if out := fmt.Sprintf(verb, v); strings.Contains(out, secret0) || strings.Contains(out, fmt.Sprintf("%x", secret0)) {
				t.Errorf("%s of %T: %s", verb, v, out)
			}
		}
	}
	if out := c.LogValue().String(); out != c.String() || !strings.Contains(out, "1 keys") {
		t.Errorf("client: %s", out)
	}
	for i, out := range []string{
		s.String(), s.GoString(), string(text), string(asJSON), log.String(), fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s %q %x %d %10s", s, s, s, s, s, s, s, s),
		fmt.Sprintf("%+v %#v", cfg.Secrets, cfg.Secrets), fmt.Errorf("x %w %v", errors.New("y"), s).Error(),
	} {
		if strings.Contains(out, secret0) || strings.Contains(out, fmt.Sprintf("%x", secret0)) || !strings.Contains(out, "[secret]") {
			t.Errorf("%d: %s", i, out)
		}
	}
}

// leaky is a transport whose errors repeat the key.
type leaky struct{}

func (leaky) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, errors.New("cannot send with " + r.Header.Get("Authorization"))
}

// Ensure the key shows in nothing that a client says: logs, errors, dead letters, its tape, even
// where the vendor or a transport repeats it, whole or cut; and every line of the log tells whose
// it is.
func TestNothingShowsTheSecret(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		switch said := q.Head.Get("Authorization"); q.text() {
		case "whole":
			fail(w, 401, said, "incorrect key: "+said)
		case "cut":
			fail(w, 400, "x", strings.Repeat("x", 1000-len("Bearer ")-12)+said)
		case "often":
			fail(w, 500, "x", said)
		default:
			delta(w, said)
		}
	})
	for _, tt := range []struct {
		text      string
		transport http.RoundTripper
	}{
		{"whole", nil},
		{"cut", nil},
		{"often", nil},
		{"stream", nil},
		{"transport", leaky{}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			var log, letters, tape bytes.Buffer
			cfg := setup(v.URL)
			cfg.Transport = tt.transport
			cfg.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			cfg.DeadLetters = &letters
			cfg.Tape = func(in stack.Input) { fmt.Fprintf(&tape, "%+v\n", in) }
			c := newClient(t, cfg)
			_, err := c.Do(context.Background(), streamed(ask(0xabc, tt.text)))
			var e *stack.EndError
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			_ = c.Close() // the last line of the log is written
			all := fmt.Sprintf("%v\n%+v\n%#v\n%s%s%s", err, e, e, &log, &letters, &tape)
			for e := range allErrors(err) {
				all += fmt.Sprintf("%v %+v\n", e, e)
			}
			if strings.Contains(all, secret0[:10]) {
				t.Errorf("the secret is in\n%s", all)
			}
			if log.Len() == 0 || letters.Len() == 0 || tape.Len() == 0 {
				t.Errorf("%d bytes of log, %d of letters, %d of tape", log.Len(), letters.Len(), tape.Len())
			}
			checkLines(t, &log)
		})
	}
}

// allErrors yields an error and all that it wraps.
func allErrors(err error) func(yield func(error) bool) {
	return func(yield func(error) bool) {
		if !yield(err) {
			return
		}
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range many.Unwrap() {
				allErrors(e)(yield)
			}
		}
	}
}

// checkLines ensures that every line of a log bears the request and the key.
func checkLines(t *testing.T, log *bytes.Buffer) {
	t.Helper()
	levels := map[string]bool{}
	for line := range strings.Lines(log.String()) {
		var l struct {
			Level, Msg string
			Request    string `json:"request_id"`
			Key        string `json:"key_id"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Request != "0000000000000abc" || l.Key != "key-0" {
			t.Errorf("line %s: %v", line, err)
		}
		levels[l.Level] = true
	}
	if !levels["DEBUG"] || !levels["ERROR"] {
		t.Errorf("levels %v", levels)
	}
}

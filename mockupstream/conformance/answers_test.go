package conformance

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	up "github.com/seed-4fd17b57/simload/mockupstream"
)

// finished is how each vendor says that the model came to its end, and that it was cut off.
var finished = map[up.Dialect][2]string{
	up.DialectOpenAI:     {"stop", "length"},
	up.DialectAzure:      {"stop", "length"},
	up.DialectDeepSeek:   {"stop", "length"},
	up.DialectOpenRouter: {"stop", "length"},
	up.DialectAnthropic:  {"end_turn", "max_tokens"},
	up.DialectGemini:     {"STOP", "MAX_TOKENS"},
}

// check holds a reply against the bill.
func (r *reply) check(t *testing.T, c client, s up.Sighting) {
	t.Helper()
	if r.Failure != nil {
		t.Fatalf("%+v", *r.Failure)
	}
	if r.Used != s.Used {
		t.Errorf("used %+v, billed %+v", r.Used, s.Used)
	}
	if got, want := int64(len(r.Text)), 4*s.Used.Out; got != want || strings.Trim(r.Text, "abcdefghijklmnopqrstuvwxyz ") != "" {
		t.Errorf("%d characters of text, want %d: %q", got, want, r.Text)
	}
	if c.vendor == up.DialectAnthropic && r.Written != s.Plan.CacheWrite {
		t.Errorf("%d tokens written to the cache, want %d", r.Written, s.Plan.CacheWrite)
	}
	if r.Model != model {
		t.Errorf("model %q", r.Model)
	}
	if c.vendor != up.DialectDeepSeek && r.Request == "" { // which has no such header
		t.Errorf("no request id among %v", r.Header)
	}
}

// TestAnswers: whole answers and streams, to the model's end and cut off.
func TestAnswers(t *testing.T) {
	forEach(t, all, func(t *testing.T, c client) {
		for i, maxOut := range []int64{1000, 40} {
			for _, stream := range []bool{false, true} {
				m := start(t, scenario(c.vendor))
				q := m.question("Why is the sky blue?")
				q.MaxOut, q.Stream = maxOut, stream
				r := c.ask(t, q)
				s := m.next()
				r.check(t, c, s)
				if want := finished[c.vendor][i]; r.Finish != want {
					t.Errorf("at most %d tokens, stream %v: finish reason %q, want %q", maxOut, stream, r.Finish, want)
				}
				if s.Ask.Stream != stream || stream && r.Chunks < 3 {
					t.Errorf("stream %v, was asked as %v and came in %d chunks", stream, s.Ask.Stream, r.Chunks)
				}
				if b := m.Books(); m.tries() != 1 || b.Admitted != 1 || b.Billed != s.Used {
					t.Errorf("%d requests, books %+v", m.tries(), b)
				}
			}
		}
	})
}

// TestLimitsAreTold: the state of the limits, in the headers of an answer.
func TestLimitsAreTold(t *testing.T) {
	told := map[up.Dialect]map[string]string{
		up.DialectOpenAI: {
			"x-ratelimit-limit-requests": "600", "x-ratelimit-remaining-requests": "599", "x-ratelimit-reset-requests": "100ms",
			"x-ratelimit-limit-tokens": "60000", "x-ratelimit-remaining-tokens": "59000", "x-ratelimit-reset-tokens": "1s",
		},
		up.DialectAzure: {
			"x-ratelimit-limit-requests": "100", "x-ratelimit-remaining-requests": "99",
			"x-ratelimit-limit-tokens": "60000", "x-ratelimit-remaining-tokens": "58995", "x-ratelimit-reset-tokens": "1",
		},
		up.DialectAnthropic: {
			"anthropic-ratelimit-requests-limit": "600", "anthropic-ratelimit-requests-remaining": "599",
			"anthropic-ratelimit-tokens-limit": "60000", "anthropic-ratelimit-tokens-remaining": "60000",
			"anthropic-ratelimit-input-tokens-limit": "60000", "anthropic-ratelimit-input-tokens-remaining": "60000",
			"anthropic-ratelimit-requests-reset": "2026-01-05T12:01:00Z",
		},
	}
	forEach(t, with(told), func(t *testing.T, c client) {
		for _, stream := range []bool{false, true} {
			cfg := scenario(c.vendor)
			cfg.Provider.Quotas[0].RPM, cfg.Provider.Quotas[0].TPM = 600, 60_000
			m := start(t, cfg)
			q := m.question("Why is the sky blue?")
			q.Stream = stream
			r := c.ask(t, q)
			for name, want := range told[c.vendor] {
				if r.Header[name] != want {
					t.Errorf("stream %v: %s: %q, want %q", stream, name, r.Header[name], want)
				}
			}
		}
	})
}

// TestHeartbeats: signs of life disturb nobody. Gemini sends none: its SDK takes a comment for an error.
func TestHeartbeats(t *testing.T) {
	signs := map[up.Dialect]string{
		up.DialectOpenAI: ": keep-alive\n\n", up.DialectAzure: ": keep-alive\n\n", up.DialectDeepSeek: ": keep-alive\n\n",
		up.DialectOpenRouter: ": OPENROUTER PROCESSING\n\n", up.DialectAnthropic: "event: ping\n",
	}
	forEach(t, all, func(t *testing.T, c client) {
		cfg := scenario(c.vendor)
		latency := &cfg.Provider.Models[0].Latency
		latency.Base, latency.PerOutputToken = 100*time.Millisecond, 50*time.Millisecond
		cfg.Provider.Models[0].Heartbeat = 10 * time.Millisecond
		m := start(t, cfg)
		q := m.question("Why is the sky blue?")
		q.Stream, q.MaxOut = true, 5
		r := c.ask(t, q)
		r.check(t, c, m.next())
		sent := m.sent()
		if sign := signs[c.vendor]; sign != "" && strings.Count(sent, sign) < 10 || sign == "" && strings.Contains(sent, "\n:") {
			t.Errorf("too few signs of life, or none of this vendor's:\n%s", sent)
		}
	})
}

// TestCaches: what a conversation's second prompt repeats is read from the cache.
func TestCaches(t *testing.T) {
	forEach(t, all, func(t *testing.T, c client) {
		for _, stream := range []bool{false, true} {
			m := start(t, scenario(c.vendor))
			q := m.question(strings.Repeat("The sky is blue. ", 100))
			q.Stream = stream
			first := c.ask(t, q)
			s := m.next()
			first.check(t, c, s)
			if first.Used.Cached != 0 {
				t.Errorf("stream %v: %d tokens cached of the first prompt", stream, first.Used.Cached)
			}
			q.Turns = append(q.Turns, first.Text, "Why?")
			second := c.ask(t, q)
			second.check(t, c, m.next())
			if want := s.Used.In - s.Used.In%16; second.Used.Cached != want {
				t.Errorf("stream %v: %d tokens cached of %d, want %d", stream, second.Used.Cached, second.Used.In, want)
			}
		}
	})
}

// TestModels: the list of models.
func TestModels(t *testing.T) {
	forEach(t, all, func(t *testing.T, c client) {
		cfg := scenario(c.vendor)
		cfg.Provider.Models = append(cfg.Provider.Models, cfg.Provider.Models[0])
		cfg.Provider.Models[1].Name = "mock-2"
		cfg.Provider.Keys[0].Quotas = []int{0, 0}
		m := start(t, cfg)
		q := m.question()
		q.Want = models
		r := c.ask(t, q)
		if r.Failure != nil || !slices.Equal(r.Models, []string{model, "mock-2"}) {
			t.Errorf("%v, %+v", r.Models, r.Failure)
		}
	})
}

// TestEmbeddings: vectors as numbers (Go) and packed (npm) are of length 1, and equal where the texts are.
func TestEmbeddings(t *testing.T) {
	offer := func(v up.Dialect) bool { return v != up.DialectAnthropic && v != up.DialectGemini }
	forEach(t, offer, func(t *testing.T, c client) {
		m := start(t, scenario(c.vendor))
		q := m.question("blue", "red", "blue")
		q.Want = embed
		r := c.ask(t, q)
		if r.Failure != nil || len(r.Vectors) != 3 {
			t.Fatalf("%d vectors, %+v", len(r.Vectors), r.Failure)
		}
		if !slices.Equal(r.Vectors[0], r.Vectors[2]) || slices.Equal(r.Vectors[0], r.Vectors[1]) {
			t.Errorf("%v", r.Vectors)
		}
		for _, v := range r.Vectors {
			sum := 0.
			for _, x := range v {
				sum += x * x
			}
			if len(v) != 64 || math.Abs(sum-1) > 1e-6 {
				t.Errorf("%d numbers, of length %v", len(v), math.Sqrt(sum))
			}
		}
		if s := m.next(); r.Model != model || r.Used != s.Used || s.Used.In != 3 {
			t.Errorf("model %q, used %+v, billed %+v", r.Model, r.Used, s.Used)
		}
	})
}

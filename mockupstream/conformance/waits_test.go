package conformance

import (
	"strconv"
	"testing"
	"time"

	up "github.com/seed-4fd17b57/simload/mockupstream"
)

// limits make the second of two requests wait for about a second, by vendor.
var limits = map[up.Dialect]up.Quota{
	up.DialectOpenAI:     {Name: "q", RPM: 40, Quantum: 1500 * time.Millisecond},
	up.DialectAnthropic:  {Name: "q", RPM: 40, Quantum: 1500 * time.Millisecond},
	up.DialectAzure:      {Name: "q", RPM: 60, Quantum: time.Second},
	up.DialectGemini:     {Name: "q", RPM: 1},
	up.DialectOpenRouter: {Name: "q", RPM: 1},
}

// limited starts a mock and uses its limit up with a first request. The question is the second one. On a
// machine so slow that the limit has nearly recovered meanwhile, it starts over.
func limited(t *testing.T, c client) (*mock, question) {
	t.Helper()
	for range 10 {
		cfg := scenario(c.vendor)
		cfg.Provider.Quotas[0] = limits[c.vendor]
		m := start(t, cfg)
		q := m.question("Why is the sky blue?")
		q.MaxOut = 10
		if r := c.ask(t, q); r.Failure != nil {
			t.Fatalf("%+v", *r.Failure)
		}
		since := m.next().Plan.At
		if cfg.Provider.Quotas[0].Quantum != 1500*time.Millisecond {
			since = 0 // a window, which began at instant 0
		}
		if m.Now()-since < 300*time.Millisecond {
			return m, q
		}
	}
	t.Fatal("the machine is too slow: a limit of a second recovers before it is met")
	panic("unreachable")
}

// TestWait: a refused request, streamed or not, is sent again when the told wait is over, and not before.
// All SDKs follow what they are told but genai, which does not read it: its own first wait is a second at
// least. OpenRouter's wait stands where no SDK looks (see TestOpenRouterWait).
func TestWait(t *testing.T) {
	tells := func(v up.Dialect) bool { return limits[v].RPM > 0 && v != up.DialectOpenRouter }
	forEach(t, tells, func(t *testing.T, c client) {
		for _, stream := range []bool{false, true} {
			m, q := limited(t, c)
			q.Stream, q.Retries = stream, 2
			r := c.ask(t, q)
			refused, answered := m.next(), m.next()
			r.check(t, c, answered)
			if refused.Plan.Status != 429 || !refused.Plan.HasRetryAfter || refused.Plan.RetryAfter < 500*time.Millisecond {
				t.Fatalf("stream %v: first answered with %+v, want a 429 and a wait", stream, refused.Plan)
			}
			if wait := answered.Plan.At - refused.Plan.End; wait < refused.Plan.RetryAfter || wait > refused.Plan.RetryAfter+5*time.Second {
				t.Errorf("stream %v: asked again after %v, told to wait %v", stream, wait, refused.Plan.RetryAfter)
			}
			b := m.Books()
			if m.tries() != 3 || b.Received != 3 || b.Admitted != 2 || b.Refused429 != 1 || b.EarlyRetries != 0 {
				t.Errorf("stream %v: %d requests, books %+v", stream, m.tries(), b)
			}
			if answered.Ask.Call.Attempt != 2 {
				t.Errorf("stream %v: known as attempt %d, want 2", stream, answered.Ask.Call.Attempt)
			}
		}
	})
}

// TestRefused: with retries off, a 429 is a typed error, and the headers say what the plan does.
func TestRefused(t *testing.T) {
	want := map[up.Dialect]failure{
		up.DialectOpenAI:     {Status: 429, Type: "requests", Code: "rate_limit_exceeded", Message: "Please try again in"},
		up.DialectAzure:      {Status: 429, Code: "429", Message: "Please retry after 1 second"},
		up.DialectAnthropic:  {Status: 429, Type: "rate_limit_error", Message: "40 requests per minute"},
		up.DialectGemini:     {Status: 429, Code: "RESOURCE_EXHAUSTED", Message: "Please retry in"},
		up.DialectOpenRouter: {Status: 429, Code: "429", Message: "Rate limit exceeded"},
	}
	forEach(t, with(limits), func(t *testing.T, c client) {
		m, q := limited(t, c)
		r := c.ask(t, q)
		plan := m.next().Plan
		w := want[c.vendor]
		w.Class = c.class(w)
		r.failed(t, w)
		if m.tries() != 2 {
			t.Errorf("%d requests, want 2", m.tries())
		}
		seconds := strconv.Itoa(int((plan.RetryAfter + time.Second - 1) / time.Second))
		ms := strconv.Itoa(int(plan.RetryAfter / time.Millisecond))
		for name, value := range map[up.Dialect]map[string]string{
			up.DialectOpenAI: {
				"retry-after": seconds, "retry-after-ms": ms,
				"x-ratelimit-limit-requests": "40", "x-ratelimit-remaining-requests": "39",
			},
			up.DialectAzure: {
				"retry-after": seconds, "retry-after-ms": ms, "policy-id": "DeploymentRatelimit-Call",
				"x-ratelimit-limit-requests": "1", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": seconds,
			},
			up.DialectAnthropic: {
				"retry-after": seconds, "anthropic-ratelimit-requests-limit": "40", "anthropic-ratelimit-requests-remaining": "39",
			},
			up.DialectOpenRouter: {
				"retry-after": "", "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0",
			},
		}[c.vendor] {
			if r.Header[name] != value {
				t.Errorf("%s: %q, want %q", name, r.Header[name], value)
			}
		}
		r.resets(t, c.vendor, plan)
	})
}

// resets checks the instants in the headers, which must be readable and right.
func (r *reply) resets(t *testing.T, vendor up.Dialect, plan up.Plan) {
	t.Helper()
	switch vendor {
	case up.DialectOpenAI:
		d, err := time.ParseDuration(r.Header["x-ratelimit-reset-requests"])
		if err != nil || d != plan.Limits.ResetRequests.Truncate(time.Millisecond) {
			t.Errorf("reset after %v, %v; want %v", d, err, plan.Limits.ResetRequests)
		}
	case up.DialectOpenRouter: // the minute's end, rounded up twice
		ms, err := strconv.ParseInt(r.Header["x-ratelimit-reset"], 10, 64)
		if late := ms - time.Date(2026, 1, 5, 12, 1, 0, 0, time.UTC).UnixMilli(); err != nil || late < 0 || late > 1 {
			t.Errorf("reset %d ms after the minute's end, %v", late, err)
		}
	case up.DialectAnthropic:
		at, err := time.Parse(time.RFC3339, r.Header["anthropic-ratelimit-requests-reset"])
		full := scenario(vendor).Provider.Epoch.Add(plan.At + plan.Limits.ResetRequests)
		if err != nil || at.Before(full) || at.After(full.Add(time.Second)) {
			t.Errorf("reset at %v, %v; want %v", at, err, full)
		}
	}
}

package mockupstream

import (
	"strings"
	"testing"
	"time"
)

func TestOpenRouterSteps(t *testing.T) {
	cfg := speaking(DialectOpenRouter, Quota{RPM: 2, RPD: 3})
	cfg.Epoch = time.Date(2026, 6, 1, 23, 58, 30, 0, time.UTC)
	p := mustNew(t, cfg)
	for i, s := range []struct {
		at    time.Duration
		meter Meter
		told  time.Duration
		text  string
	}{
		{0, MeterNone, 0, ""},
		{ts, MeterNone, 0, ""},
		{2 * ts, MeterRequests, 28 * ts, `{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-min.","metadata":{"headers":{"X-RateLimit-Limit":"2","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1780358340000"}}},"user_id":"user_`},
		{30 * ts, MeterNone, 0, ""},
		{31 * ts, MeterDayRequests, 59 * ts, `"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","metadata":{"headers":{"X-RateLimit-Limit":"3","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1780358400000"}}`},
		{90 * ts, MeterNone, 0, ""},
	} {
		c := Call{ID: uint64(i)}
		plan := p.Admit(s.at, c)
		if plan.Refusal.Meter != s.meter || plan.RetryAfter != s.told {
			t.Errorf("step %d: meter %d, told %v", i, plan.Refusal.Meter, plan.RetryAfter)
		}
		if body := p.ErrorBody(&c, &plan); !strings.Contains(body, s.text) {
			t.Errorf("step %d: %s, want %s in it", i, body, s.text)
		}
		h := p.Headers(&c, &plan)
		if plan.Status == 200 && h[0].Name != "X-Generation-Id" || plan.Status == 429 && (h[2].Name != "X-RateLimit-Reset" || !strings.Contains(s.text, h[2].Value)) {
			t.Errorf("step %d: headers %v", i, h)
		}
	}
}

// TestOpenRouterCredit: what a call could cost at most is looked at before it is taken.
func TestOpenRouterCredit(t *testing.T) {
	cfg := speaking(DialectOpenRouter, Quota{Spend: 1000})
	cfg.Models[0].Price = Price{Input: 1, Cached: 1, Output: 10, CacheWrite: 1}
	p := mustNew(t, cfg)
	c := Call{In: 100, MaxOut: 91, Out: 5}
	plan := p.Admit(0, c)
	if body := p.ErrorBody(&c, &plan); plan.Status != 402 || plan.Refusal.Requested != 1010 || !strings.Contains(body, `"code":402,"message":"This request requires more credits, or fewer max_tokens. You requested up to 91 tokens."`) {
		t.Errorf("plan %+v, body %s", plan, body)
	}
	c.MaxOut = 90
	if plan = p.Admit(0, c); plan.Status != 200 {
		t.Fatalf("with fewer max_tokens: %+v", plan)
	}
	p.Complete(plan.End, plan.ID)
	if got := p.quotas[0].spent; got != 150 {
		t.Errorf("spent %d", got)
	}
}

// TestDatedWaitIsNotEarly: the told wait is a date, so a client that comes at that date is no early
// retry, although it has heard of it later; one that comes before it is.
func TestDatedWaitIsNotEarly(t *testing.T) {
	for early, before := range map[int64]time.Duration{0: 0, 1: 2 * tms} {
		cfg := speaking(DialectOpenRouter, Quota{RPM: 1})
		cfg.Models[0].Latency.Refusal = 300 * tms
		p := mustNew(t, cfg)
		p.Admit(0, Call{ID: 1, Attempt: 1})
		plan := p.Admit(ts, Call{ID: 2, Attempt: 1})
		if plan.Status != 429 || plan.End != ts+300*tms {
			t.Fatalf("%+v", plan)
		}
		p.Admit(plan.At+plan.RetryAfter-before, Call{ID: 2, Attempt: 2})
		if got := p.Books().EarlyRetries; got != early {
			t.Errorf("%v before the date: %d early retries, want %d", before, got, early)
		}
	}
}

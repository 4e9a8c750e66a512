package mockupstream

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestLimitSteps(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	type step struct {
		at         time.Duration
		in, maxOut int64
		code       Code
		retry      time.Duration
		requests   int64 // remaining
		tokens     int64
	}
	for name, c := range map[string]struct {
		rpm, tpm int64
		steps    []step
	}{
		"charged the larger of prompt and max_tokens": {10, 1000, []step{
			{0, 100, 300, CodeOK, 0, 9, 700},
			{0, 300, 100, CodeOK, 0, 8, 400},
			{0, 400, 0, CodeOK, 0, 7, 0},
			{0, 1, 0, CodeRateLimitTokens, 60 * ms, 7, 0},
			{60 * ms, 1, 0, CodeOK, 0, 6, 0},
		}},
		"INV-12: a refusal by one limit leaves the other alone": {2, 1000, []step{
			{0, 900, 0, CodeOK, 0, 1, 100},
			{0, 200, 0, CodeRateLimitTokens, 6 * s, 1, 100},
			{0, 50, 0, CodeOK, 0, 0, 50},
			{0, 10, 0, CodeRateLimitRequests, 30 * s, 0, 50},
			{30 * s, 550, 0, CodeOK, 0, 0, 0},
		}},
		"both broken: the longer wait counts": {2, 1000, []step{
			{0, 500, 0, CodeOK, 0, 1, 500},
			{0, 500, 0, CodeOK, 0, 0, 0},
			{0, 1000, 0, CodeRateLimitTokens, 60 * s, 0, 0},
			{0, 100, 0, CodeRateLimitRequests, 30 * s, 0, 0},
		}},
		"INV-12: larger than the limit itself is never worth a wait": {10, 1000, []step{
			{0, 1001, 0, CodeRequestTooLarge, 0, 10, 1000},
			{0, 5, 1001, CodeRequestTooLarge, 0, 10, 1000},
			{0, 1000, 1000, CodeOK, 0, 9, 0},
		}},
		"no limits": {0, 0, []step{{0, 1 << 30, 0, CodeOK, 0, 0, 0}, {0, 1 << 30, 0, CodeOK, 0, 0, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustNew(t, single(c.rpm, c.tpm))
			for i, s := range c.steps {
				plan := p.Admit(s.at, Call{ID: uint64(i), In: s.in, MaxOut: s.maxOut})
				l := plan.Limits
				if plan.Code != s.code || plan.RetryAfter != s.retry || l.RemainingRequests != s.requests || l.RemainingTokens != s.tokens {
					t.Errorf("step %d: code %d, retry after %v, remaining %d and %d; want %d, %v, %d and %d",
						i, plan.Code, plan.RetryAfter, l.RemainingRequests, l.RemainingTokens, s.code, s.retry, s.requests, s.tokens)
				}
				if l.LimitRequests != c.rpm || l.LimitTokens != c.tpm {
					t.Errorf("step %d: limits %d and %d", i, l.LimitRequests, l.LimitTokens)
				}
				if plan.HasRetryAfter != (s.code == CodeRateLimitRequests || s.code == CodeRateLimitTokens) {
					t.Errorf("step %d: HasRetryAfter = %v", i, plan.HasRetryAfter)
				}
				if status := map[bool]int{true: 200, false: 429}[s.code == CodeOK]; plan.Status != status || (plan.ID != 0) != (status == 200) {
					t.Errorf("step %d: status %d, id %d", i, plan.Status, plan.ID)
				}
			}
		})
	}
}

func TestRefusalArrivesAfterRefusalTime(t *testing.T) {
	p := mustNew(t, single(1, 0))
	p.Admit(0, Call{ID: 1})
	if plan := p.Admit(time.Second, Call{ID: 2}); plan.End != time.Second+50*time.Millisecond || plan.Limits.ResetRequests != time.Minute {
		t.Errorf("End = %v, reset = %v; want 1.05s, 1m0s (remaining is rounded down)", plan.End, plan.Limits.ResetRequests)
	}
}

// TestINV14SharedQuota: keys of one quota share it; more keys add nothing.
func TestINV14SharedQuota(t *testing.T) {
	cfg := fleet(2, 3)
	for k := range cfg.Keys {
		cfg.Keys[k].Quotas = []int{0, 0}
	}
	cfg.Quotas[0].RPM = 10
	p := mustNew(t, cfg)
	admitted := 0
	for i := range 30 {
		if p.Admit(0, Call{ID: uint64(i), Key: i % 3, Model: i % 2}).Status == 200 {
			admitted++
		}
	}
	if admitted != 10 {
		t.Errorf("%d admitted on three keys of one quota of 10", admitted)
	}
}

func TestCountRefused(t *testing.T) {
	cfg := single(2, 0)
	cfg.Quotas[0].CountRefused = true
	p := mustNew(t, cfg)
	at := func(now time.Duration) Plan { return p.Admit(now, Call{ID: uint64(now)}) }
	at(0)
	at(0)
	// 15 s drain half a request. A refusal takes it back: the bucket is full again.
	if plan := at(15 * time.Second); plan.RetryAfter != 30*time.Second {
		t.Errorf("retry after %v, want 30s", plan.RetryAfter)
	}
	if plan := at(44 * time.Second); plan.Status != 429 {
		t.Errorf("a second early: status %d", plan.Status)
	}
	if plan := at(45 * time.Second); plan.Status != 429 {
		t.Errorf("the early call has cost the room: status %d", plan.Status)
	}
	if plan := at(75 * time.Second); plan.Status != 200 {
		t.Errorf("waited as told: status %d", plan.Status)
	}
	if m := p.Books().Quotas[0].Minutes; m[0] != (Minute{Requests: 5, Refused: 3}) || m[1] != (Minute{Requests: 1}) {
		t.Errorf("minutes %v", m)
	}
}

// TestRetryAfterIsAPromise: a refused call that follows Retry-After exactly is
// admitted, and one that comes 1 ms early is not, if nobody else calls. That holds
// for both limits together, whether or not refused calls count.
func TestRetryAfterIsAPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := single(rapid.Int64Range(1, 40).Draw(t, "rpm"), rapid.Int64Range(1, 40_000).Draw(t, "tpm"))
		cfg.Quotas[0].CountRefused = rapid.Bool().Draw(t, "count refused")
		type event struct {
			dt time.Duration
			n  int64
		}
		var events []event
		for range rapid.IntRange(1, 80).Draw(t, "calls") {
			events = append(events, event{time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "dt")), rapid.Int64Range(0, cfg.Quotas[0].TPM).Draw(t, "n")})
		}
		// Replays the events up to the first refusal.
		build := func() (*Provider, time.Duration, Call, Plan) {
			p, now := mustNew(t, cfg), time.Duration(0)
			for i, e := range events {
				now += e.dt
				c := Call{ID: uint64(i), In: e.n}
				if plan := p.Admit(now, c); plan.Status == 429 {
					return p, now, c, plan
				}
			}
			return nil, 0, Call{}, Plan{}
		}
		p, now, c, plan := build()
		if p == nil {
			return
		}
		if got := p.Admit(now+plan.RetryAfter, c); got.Status != 200 {
			t.Fatalf("waited %v as told and got %d", plan.RetryAfter, got.Status)
		}
		p, now, c, plan = build()
		if got := p.Admit(now+plan.RetryAfter-time.Millisecond, c); got.Status != 429 {
			t.Fatalf("came 1 ms earlier than %v and got %d", plan.RetryAfter, got.Status)
		}
	})
}

// TestResetIsExact: at now + reset the limit is whole again, if nobody calls until then.
func TestResetIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := single(rapid.Int64Range(2, 1000).Draw(t, "rpm"), rapid.Int64Range(2, 1_000_000).Draw(t, "tpm"))
		p := mustNew(t, cfg)
		now := time.Duration(0)
		var l Limits
		for i := range rapid.IntRange(1, 20).Draw(t, "calls") {
			now += time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "dt"))
			l = p.Admit(now, Call{ID: uint64(i), In: rapid.Int64Range(1, cfg.Quotas[0].TPM).Draw(t, "n")}).Limits
		}
		if want := time.Duration(ceilDiv((l.LimitTokens-l.RemainingTokens)*int64(time.Minute), l.LimitTokens)); l.ResetTokens != want {
			t.Fatalf("%d of %d remain: reset %v, want %v", l.RemainingTokens, l.LimitTokens, l.ResetTokens, want)
		}
		q := &p.quotas[0]
		q.drain(now + max(l.ResetTokens, l.ResetRequests))
		var after Limits
		q.limits(&after)
		if after.RemainingTokens != after.LimitTokens || after.RemainingRequests != after.LimitRequests || after.ResetTokens != 0 {
			t.Fatalf("after the reset: %+v", after)
		}
	})
}

func ceilDiv(a, b int64) int64 {
	return (a + b - 1) / b
}

func TestSizesAndPermission(t *testing.T) {
	cfg := fleet(2, 1)
	cfg.Models[0].ContextWindow, cfg.Models[0].MaxOutput = 1000, 200
	cfg.Keys[0].Quotas[1] = -1
	cfg.Quotas[0].TPM = 100_000
	p := mustNew(t, cfg)
	for _, s := range []struct {
		call   Call
		status int
		code   Code
	}{
		{Call{In: 800, MaxOut: 200}, 200, CodeOK},
		{Call{In: 801, MaxOut: 200}, 400, CodeContextLength},
		{Call{In: 1001}, 400, CodeContextLength},
		{Call{In: 10, MaxOut: 201}, 400, CodeContextLength},
		{Call{In: 10, Model: 1}, 401, CodeUnauthorized},
		{Call{In: -5, MaxOut: -5, Out: -5, Prefix: -5}, 200, CodeOK},
	} {
		if plan := p.Admit(0, s.call); plan.Status != s.status || plan.Code != s.code {
			t.Errorf("%+v: %d, code %d; want %d, code %d", s.call, plan.Status, plan.Code, s.status, s.code)
		}
	}
	if m := p.Books().Quotas[0].Minutes[0]; m != (Minute{Requests: 2, Tokens: 800}) {
		t.Errorf("charged %+v: a 4xx about the call itself costs nothing", m)
	}
}

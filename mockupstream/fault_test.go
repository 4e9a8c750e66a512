package mockupstream

import (
	"math"
	"testing"
	"time"
)

const (
	tms = time.Millisecond
	ts  = time.Second
)

func withFault(cfg Config, faults ...Fault) Config {
	for _, f := range faults {
		if f.Share == 0 {
			f.Share = 1
		}
		cfg.Faults = append(cfg.Faults, f)
	}
	return cfg
}

func TestFaultWindows(t *testing.T) {
	for name, c := range map[string]struct {
		fault Fault
		hit   map[time.Duration]bool
	}{
		"once": {Fault{At: 10 * ts, For: 5 * ts}, map[time.Duration]bool{0: false, 10*ts - 1: false, 10 * ts: true, 15*ts - 1: true, 15 * ts: false, 70 * ts: false}},
		"periodic": {Fault{At: 10 * ts, For: 5 * ts, Every: time.Minute}, map[time.Duration]bool{
			10 * ts: true, 15 * ts: false, 70*ts - 1: false, 70 * ts: true, 75 * ts: false, 10*ts + time.Hour: true, 15*ts + time.Hour: false,
		}},
		"period without a gap": {Fault{At: 0, For: ts, Every: ts}, map[time.Duration]bool{0: true, ts - 1: true, ts: true, 100*ts + 1: true}},
	} {
		c.fault.Kind, c.fault.Status = FaultError, 500
		for at, hit := range c.hit {
			p := mustNew(t, withFault(single(0, 0), c.fault))
			if got := p.Admit(at, Call{}).Status == 500; got != hit {
				t.Errorf("%s: hit at %v: %v, want %v", name, at, got, hit)
			}
		}
		// The same in one life of the provider, step by step.
		p := mustNew(t, withFault(single(0, 0), c.fault))
		for at := time.Duration(0); at <= 2*time.Hour; at += ts / 2 {
			since := at - c.fault.At
			if c.fault.Every > 0 && since >= 0 {
				since %= c.fault.Every
			}
			if got, want := p.Admit(at, Call{}).Status == 500, since >= 0 && since < c.fault.For; got != want {
				t.Fatalf("%s: hit at %v: %v, want %v", name, at, got, want)
			}
		}
	}
}

func TestFaultMatching(t *testing.T) {
	p := mustNew(t, withFault(fleet(3, 3), Fault{Kind: FaultError, Status: 503, For: ts, Models: []int{1}, Keys: []int{0, 2}}))
	for k := range 3 {
		for m := range 3 {
			hit := p.Admit(0, Call{Key: k, Model: m}).Status == 503
			if want := m == 1 && k != 1; hit != want {
				t.Errorf("key %d, model %d: hit %v", k, m, hit)
			}
		}
	}
}

// TestFaultShare: the share of calls hit is inside its 99.9 % confidence interval, is drawn
// per fault and attempt, and does not depend on order.
func TestFaultShare(t *testing.T) {
	const n, share = 40_000, .3
	cfg := withFault(fleet(2, 1),
		Fault{Kind: FaultError, Status: 500, For: ts, Share: share, Models: []int{0}},
		Fault{Kind: FaultError, Status: 500, For: ts, Share: share, Models: []int{1}})
	draw := func(p *Provider, id, attempt, model int) int {
		if p.Admit(0, Call{ID: uint64(id), Attempt: attempt, Model: model}).Status == 500 {
			return 1
		}
		return 0
	}
	p := mustNew(t, cfg)
	hit := make([]int, n)
	var sum, other, retry int
	for i := range n {
		hit[i] = draw(p, i, 1, 0)
		sum += hit[i]
		other += hit[i] & draw(p, i, 1, 1)
		retry += hit[i] & draw(p, i, 2, 0)
	}
	within := func(what string, got int, p float64) {
		if d := 3.29 * math.Sqrt(p*(1-p)/n); math.Abs(float64(got)/n-p) > d {
			t.Errorf("%s: share %g, want %g within %g", what, float64(got)/n, p, d)
		}
	}
	within("hit", sum, share)
	within("hit by both faults", other, share*share)
	within("hit twice", retry, share*share)
	p = mustNew(t, cfg)
	for i := n - 1; i >= 0; i-- {
		if draw(p, i, 1, 0) != hit[i] {
			t.Fatalf("call %d: another fate in another order", i)
		}
	}
}

func TestFaultBurst429(t *testing.T) {
	for name, c := range map[string]struct {
		fault Fault
		at    time.Duration
		retry time.Duration
		has   bool
	}{
		"fixed":                  {Fault{Mode: RetryAfterFixed, RetryAfter: 3 * ts}, 12 * ts, 3 * ts, true},
		"fixed is whole ms":      {Fault{Mode: RetryAfterFixed, RetryAfter: 1}, 12 * ts, tms, true},
		"absent":                 {Fault{Mode: RetryAfterAbsent, RetryAfter: 3 * ts}, 12 * ts, 0, false},
		"wrong: a tenth of rest": {Fault{Mode: RetryAfterWrong}, 12 * ts, 800 * tms, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.fault.Kind, c.fault.At, c.fault.For = FaultBurst429, 10*ts, 10*ts
			p := mustNew(t, withFault(single(100, 1000), c.fault))
			p.Admit(0, Call{In: 300})
			plan := p.Admit(c.at, Call{ID: 1, In: 10})
			if plan.Status != 429 || plan.Code != CodeRateLimitRequests || plan.RetryAfter != c.retry || plan.HasRetryAfter != c.has {
				t.Errorf("plan %+v", plan)
			}
			if plan.Limits.RemainingRequests != 100 || plan.Limits.RemainingTokens != 900 {
				t.Errorf("limits %+v: 12 s drain 200 of 300 tokens, and a burst charges nothing", plan.Limits)
			}
			if plan := p.Admit(20*ts, Call{ID: 2, In: 10}); plan.Status != 200 {
				t.Errorf("after the burst: status %d", plan.Status)
			}
		})
	}
}

func TestFaultCutLimit(t *testing.T) {
	cfg := withFault(fleet(1, 2), Fault{Kind: FaultCutLimit, At: 60 * ts, For: 60 * ts, Factor: .1, Keys: []int{1}})
	for q := range cfg.Quotas {
		cfg.Quotas[q].RPM, cfg.Quotas[q].TPM = 600, 60_000
	}
	p := mustNew(t, cfg)
	p.Admit(59*ts, Call{Key: 1, In: 60_000})
	// One second at 60 000 a minute, then one at 6 000: 1 100 have drained.
	plan := p.Admit(61*ts, Call{Key: 1, In: 600})
	l := plan.Limits
	if plan.Status != 429 || l.LimitTokens != 6000 || l.LimitRequests != 60 || l.RemainingTokens != 0 || l.ResetTokens != 589*ts {
		t.Errorf("in the cut: %+v", plan)
	}
	if want := time.Duration(58_900+600-6000) * 10 * tms; plan.RetryAfter != want {
		t.Errorf("retry after %v, want %v", plan.RetryAfter, want)
	}
	if plan := p.Admit(61*ts, Call{Key: 0, In: 60_000}); plan.Status != 200 {
		t.Errorf("another quota: %d", plan.Status)
	}
	if plan := p.Admit(61*ts, Call{Key: 1, In: 6001}); plan.Code != CodeRequestTooLarge {
		t.Errorf("larger than the cut limit: code %d", plan.Code)
	}
	// Over the whole cut 6 000 drain, and after it 1 000 a second again.
	plan = p.Admit(121*ts, Call{Key: 1, In: 9000})
	if l := plan.Limits; plan.Status != 429 || l.LimitTokens != 60_000 || l.RemainingTokens != 60_000-52_000 || plan.RetryAfter != ts {
		t.Errorf("after the cut: %+v", plan)
	}
}

func TestFaultCutsMultiply(t *testing.T) {
	p := mustNew(t, withFault(single(10, 1000),
		Fault{Kind: FaultCutLimit, For: 10 * ts, Factor: .5}, Fault{Kind: FaultCutLimit, At: 5 * ts, For: 10 * ts, Factor: .01}))
	for _, s := range []struct {
		at       time.Duration
		rpm, tpm int64
	}{{0, 5, 500}, {5 * ts, 1, 5}, {10 * ts, 1, 10}, {15 * ts, 10, 1000}} {
		if l := p.Admit(s.at, Call{}).Limits; l.LimitRequests != s.rpm || l.LimitTokens != s.tpm {
			t.Errorf("at %v: limits %d and %d, want %d and %d", s.at, l.LimitRequests, l.LimitTokens, s.rpm, s.tpm)
		}
	}
}

func TestFaultError(t *testing.T) {
	for status, code := range map[int]Code{500: CodeServerError, 502: CodeServerError, 504: CodeServerError, 503: CodeOverloaded, 529: CodeOverloaded} {
		p := mustNew(t, withFault(single(10, 0), Fault{Kind: FaultError, Status: status, For: ts}))
		plan := p.Admit(0, Call{Write: true})
		if plan.Status != status || plan.Code != code || plan.ID != 0 || plan.End != 50*tms {
			t.Errorf("%d: plan %+v", status, plan)
		}
		if b := p.Books(); b.Faulted != 1 || len(b.Quotas[0].Minutes) != 0 || b.CommittedWrites != 0 {
			t.Errorf("%d: books %+v", status, b)
		}
	}
}

func TestFaultSlowdown(t *testing.T) {
	p := mustNew(t, withFault(single(0, 0), Fault{Kind: FaultSlowdown, For: ts, Factor: 3}, Fault{Kind: FaultSlowdown, For: ts, Factor: 2}))
	if plan := p.Admit(0, Call{Out: 11}); plan.FirstToken != 6*ts || plan.End != 6600*tms {
		t.Errorf("plan %+v", plan)
	}
}

func TestFaultBlackhole(t *testing.T) {
	cfg := withFault(single(10, 1000), Fault{Kind: FaultBlackhole, For: ts})
	cfg.Models[0].Capacity = []CapacityStep{{0, 1}}
	p := mustNew(t, cfg)
	plan := p.Admit(0, Call{In: 100, Out: 5, Write: true, IdempotencyKey: 3})
	if plan.Fate != FateHang || plan.Status != 0 || plan.ID == 0 {
		t.Errorf("plan %+v", plan)
	}
	if got := p.Admit(ts, Call{ID: 2}); got.Status != 503 {
		t.Errorf("it occupies the only slot, yet status %d", got.Status)
	}
	if u := p.Disconnect(time.Minute, plan.ID); u != (Usage{}) {
		t.Errorf("billed %+v", u)
	}
	if got := p.Admit(time.Minute, Call{ID: 2, Write: true, IdempotencyKey: 3}); got.Status != 200 {
		t.Errorf("its idempotency key was used up: %+v", got)
	}
	if b := p.Books(); b.Faulted != 2 || b.Admitted != 1 || b.CommittedWrites != 0 || b.Running != 1 {
		t.Errorf("books %+v", b)
	}
}

func TestFaultRefuseConnection(t *testing.T) {
	p := mustNew(t, withFault(single(10, 1000), Fault{Kind: FaultRefuseConnection, For: ts}))
	plan := p.Admit(0, Call{})
	if plan.Fate != FateRefused || plan.Status != 0 || plan.ID != 0 || plan.End != 50*tms {
		t.Errorf("plan %+v", plan)
	}
	if b := p.Books(); b.Faulted != 1 || b.Running != 0 {
		t.Errorf("books %+v", b)
	}
}

func TestFaultLostResponse(t *testing.T) {
	p := mustNew(t, withFault(single(10, 1000), Fault{Kind: FaultLostResponse, For: ts}))
	if plan := p.Admit(0, Call{ID: 1, In: 10, Out: 4}); plan.Fate != FateAnswer {
		t.Errorf("a read was hit: %+v", plan)
	}
	plan := p.Admit(0, Call{ID: 2, In: 10, Out: 4, Write: true})
	if plan.Fate != FateHang || plan.Status != 0 || plan.ID == 0 {
		t.Errorf("plan %+v", plan)
	}
	if b := p.Books(); b.CommittedWrites != 1 || b.Admitted != 2 {
		t.Errorf("books %+v", b)
	}
	if u := p.Disconnect(tms, plan.ID); u != (Usage{In: 10, Out: 4}) {
		t.Errorf("billed %+v, want the whole call", u)
	}
}

func TestFaultBrokenAndStalledStreams(t *testing.T) {
	for kind, fate := range map[FaultKind]Fate{FaultBrokenStream: FateBreak, FaultStall: FateStall} {
		p := mustNew(t, withFault(single(10, 1000), Fault{Kind: kind, For: ts}))
		plan := p.Admit(0, Call{In: 10, Out: 101, Write: true})
		if plan.Status != 200 || plan.Fate != fate || plan.FirstToken != ts || plan.End != 1500*tms {
			t.Errorf("plan %+v", plan)
		}
		at := plan.End
		if fate == FateStall {
			at += time.Hour
		}
		if u := p.Disconnect(at, plan.ID); u != (Usage{In: 10, Out: 51}) {
			t.Errorf("billed %+v, want half of the output", u)
		}
		if b := p.Books(); b.CommittedWrites != 1 || b.Admitted != 1 || b.Running != 0 {
			t.Errorf("books %+v", b)
		}
	}
}

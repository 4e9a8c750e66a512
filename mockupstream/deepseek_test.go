package mockupstream

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDeepSeekConcurrency(t *testing.T) {
	p := mustNew(t, withFault(speaking(DialectDeepSeek, Quota{Concurrency: 2}), Fault{Kind: FaultBlackhole, At: 10 * ts, For: ts}))
	first := p.Admit(0, Call{Out: 101}) // 2 s
	p.Admit(ts, Call{ID: 1, Out: 101})
	c := Call{ID: 2}
	plan := p.Admit(2*ts-tms, c)
	if plan.Status != 429 || plan.Code != CodeConcurrency || plan.HasRetryAfter || plan.Refusal.Limit != 2 || plan.Refusal.Used != 2 {
		t.Errorf("plan %+v", plan)
	}
	if m, _, _ := errorOf(t, p.ErrorBody(&c, &plan)); m != "Rate Limit Reached" || p.Headers(&c, &plan) != nil {
		t.Errorf("says %q, headers %v", m, p.Headers(&c, &plan))
	}
	p.Complete(first.End, first.ID)
	if plan := p.Admit(2*ts, c); plan.Status != 200 {
		t.Errorf("the moment one has ended: %+v", plan)
	}
	// A call that hangs is open, too.
	p = mustNew(t, withFault(speaking(DialectDeepSeek, Quota{Concurrency: 1}), Fault{Kind: FaultBlackhole, For: ts}))
	hang := p.Admit(0, Call{})
	if plan := p.Admit(ts, c); plan.Code != CodeConcurrency {
		t.Errorf("beside a hanging call: %+v", plan)
	}
	p.Disconnect(ts, hang.ID)
	if plan := p.Admit(ts, c); plan.Status != 200 {
		t.Errorf("after it: %+v", plan)
	}
}

// TestDeepSeekLine: two slots, and calls of 4 s (1 s to the first token, then 301 of them).
func TestDeepSeekLine(t *testing.T) {
	cfg := speaking(DialectDeepSeek, Quota{Concurrency: 100})
	cfg.Models[0].Capacity, cfg.Models[0].MaxWait = []CapacityStep{{0, 2}}, 8*ts
	p := mustNew(t, cfg)
	var plans []Plan
	for i, s := range []struct {
		at        time.Duration
		fill, end time.Duration
		fate      Fate
	}{
		{0, 0, 4 * ts, FateAnswer},
		{ts, 0, 5 * ts, FateAnswer},
		{2 * ts, 4 * ts, 8 * ts, FateAnswer},
		{2 * ts, 5 * ts, 9 * ts, FateAnswer},
		{2 * ts, 8 * ts, 12 * ts, FateAnswer},
		{2 * ts, 9 * ts, 13 * ts, FateAnswer},
		{2 * ts, 10 * ts, 10 * ts, FateClosed}, // its turn would be at 12 s
		{4 * ts, 12 * ts, 16 * ts, FateAnswer}, // who was closed out takes no place
	} {
		plan := p.Admit(s.at, Call{ID: uint64(i), Out: 301})
		plans = append(plans, plan)
		if plan.Status != 200 || plan.FillUntil != s.fill || plan.End != s.end || plan.Fate != s.fate {
			t.Errorf("step %d: %+v", i, plan)
		}
	}
	if b := p.Books(); b.Admitted != 7 || b.Faulted != 1 || b.Running != 8 {
		t.Errorf("books %+v", b)
	}
	if u := p.Complete(plans[6].End, plans[6].ID); u != (Usage{}) {
		t.Errorf("a call that was closed out is billed %+v", u)
	}
	// One that goes away leaves its turn, and the slot, to the next one that comes.
	p.Disconnect(10*ts, plans[7].ID)
	if plan := p.Admit(10*ts, Call{ID: 9}); plan.FillUntil != 12*ts {
		t.Errorf("after one left the line: %+v", plan)
	}
}

// TestLineIsFair: with a constant number of slots, first come is first served, no more run than
// there are slots, and nobody waits while a slot is free.
func TestLineIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.Int64Range(1, 4).Draw(t, "slots")
		cfg := speaking(DialectDeepSeek, Quota{})
		cfg.Models[0].Capacity = []CapacityStep{{0, slots}}
		cfg.Models[0].Latency.OutputSigma = 1
		cfg.Models[0].MaxWait = rapid.SampledFrom([]time.Duration{0, 3 * ts}).Draw(t, "max wait")
		c := &client{p: mustNew(t, cfg)}
		type span struct{ from, until time.Duration }
		var served []span
		now := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			now += time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "dt"))
			plan := c.call(now, Call{Out: rapid.Int64Range(0, 300).Draw(t, "out")})
			busy := func(at time.Duration) (n int64) {
				for _, s := range served {
					if s.from <= at && at < s.until {
						n++
					}
				}
				return n
			}
			start := max(now, plan.FillUntil)
			if plan.Fate == FateClosed {
				if plan.Status != 200 || plan.End != now+c.p.models[0].maxWait() || plan.FillUntil != plan.End || busy(plan.End) < slots {
					t.Fatalf("closed at %v with %d of %d slots busy: %+v", plan.End, busy(plan.End), slots, plan)
				}
				continue
			}
			if len(served) > 0 && start < served[len(served)-1].from {
				t.Fatalf("starts at %v, an earlier call at %v", start, served[len(served)-1].from)
			}
			if busy(start) >= slots || start > now && busy(start-1) < slots || start-now > c.p.models[0].maxWait() {
				t.Fatalf("waits from %v to %v with %d slots busy before and %d then, of %d", now, start, busy(start-1), busy(start), slots)
			}
			served = append(served, span{start, plan.End})
		}
		for _, r := range c.running {
			c.p.Complete(r.End, r.ID)
		}
		if b := c.p.Books(); b.Admitted != int64(len(served)) || b.Admitted+b.Faulted != b.Received || b.Running != 0 {
			t.Fatalf("books %+v", b)
		}
	})
}

func TestDeepSeekFillers(t *testing.T) {
	if d := DialectDeepSeek; d.Filler(true) != ": keep-alive\n\n" || d.Filler(false) != "\n" {
		t.Error("DeepSeek's fillers are others")
	}
	// A comment breaks Gemini's own client.
	if DialectGemini.Filler(true) != "" || DialectOpenRouter.Filler(true) == "" {
		t.Error("Gemini has a filler, or OpenRouter none")
	}
	p := mustNew(t, speaking(DialectOpenRouter, Quota{}))
	if plan := p.Admit(ts, Call{Out: 5}); plan.FillUntil != plan.FirstToken || plan.FirstToken != 2*ts {
		t.Errorf("OpenRouter: %+v", plan)
	}
}

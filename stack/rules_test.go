package stack_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

const (
	sec = time.Second
	ms  = time.Millisecond
)

// plain is a configuration in which nothing binds: one target, one key, no limits.
func plain(change ...func(*stack.Config)) stack.Config {
	cfg := stack.Default()
	cfg.Targets = []stack.Target{target("a", stack.KeyUse{Weight: 1})}
	cfg.Keys = []stack.Key{{ID: "k0"}}
	cfg.Quotas = []stack.Quota{{Name: "q0"}}
	cfg.Routes = []stack.Route{{Name: "r0", Steps: []stack.RouteStep{{}}}}
	cfg.Queue = stack.QueueConfig{Bound: 1000, Overflow: stack.OverflowBlock}
	cfg.Concurrency = stack.ConcurrencyConfig{Controller: "static", Start: 1000}
	cfg.Rotation.Weights = stack.WeightsFixed
	cfg.Budget = stack.BudgetConfig{RPMHeadroom: 80, TPMHeadroom: 80, Burst: 5 * sec}
	cfg.Reserve = stack.ReserveConfig{}
	cfg.Retry.BudgetPercent, cfg.Retry.BudgetBurst = 0, 0
	cfg.Breaker.Enabled = false
	cfg.AgentCap = stack.AgentCapConfig{}
	for _, f := range change {
		f(&cfg)
	}
	return cfg
}

func target(name string, keys ...stack.KeyUse) stack.Target {
	return stack.Target{Name: name, Keys: keys}
}

// chain adds targets b, c ... with the one key, as steps of the one route.
func chain(n int) func(*stack.Config) {
	return func(cfg *stack.Config) {
		for g := 1; g < n; g++ {
			cfg.Targets = append(cfg.Targets, target(string(rune('a'+g)), stack.KeyUse{Weight: 1}))
			cfg.Routes[0].Steps = append(cfg.Routes[0].Steps, stack.RouteStep{Target: g})
		}
	}
}

func limits(rpm, tpm int64) func(*stack.Config) {
	return func(cfg *stack.Config) { cfg.Quotas[0].RPM, cfg.Quotas[0].TPM = rpm, tpm }
}

func slots(n int) func(*stack.Config) {
	return func(cfg *stack.Config) { cfg.Concurrency.Start = n }
}

var (
	success = plan{first: 100 * ms, end: sec, outcome: stack.Outcome{Kind: stack.Success}}
	silent  = plan{}
)

func failure(kind stack.OutcomeKind) plan {
	return plan{end: 100 * ms, outcome: stack.Outcome{Kind: kind}}
}

func told(kind stack.OutcomeKind, after time.Duration) plan {
	p := failure(kind)
	p.outcome.RetryAfter, p.outcome.HasRetryAfter = after, true
	return p
}

func always(p plan) func(time.Duration, stack.Attempt) plan {
	return func(time.Duration, stack.Attempt) plan { return p }
}

// script answers the attempts in the order of their sends, the last plan for ever.
func script(plans ...plan) func(time.Duration, stack.Attempt) plan {
	n := 0
	return func(time.Duration, stack.Attempt) plan {
		n++
		return plans[min(n, len(plans))-1]
	}
}

func (h *harness) flood(n int, r stack.Request) {
	for range n {
		r.ID++
		h.submit(r)
	}
}

// only ends the run and returns its one result.
func (h *harness) only() stack.Result {
	h.t.Helper()
	h.run(0)
	h.rest()
	if len(h.results) != 1 {
		h.t.Fatalf("%d results, want 1", len(h.results))
	}
	return h.results[0]
}

func want(t *testing.T, r stack.Result, ending stack.Ending, why stack.Reason, attempts int) {
	t.Helper()
	if r.Ending != ending || r.Reason != why || len(r.Steps) != attempts {
		t.Errorf("ended %v for %v after %d attempts, want %v for %v after %d", r.Ending, r.Reason, len(r.Steps), ending, why, attempts)
	}
}

// INV-13: saturating demand is served at 99 % of the client's rate, by requests and by
// tokens, whatever the vendor's arithmetic.
func TestSaturatingDemandIsServed_INV13(t *testing.T) {
	const d = 10 * 62 * sec
	for _, charge := range []stack.Charge{stack.ChargeMax, stack.ChargeSum, stack.ChargeInput} {
		for name, limit := range map[string]func(*stack.Config){"requests": limits(600, 0), "tokens": limits(0, 600_000)} {
			cfg := plain(limit, slots(50))
			cfg.Targets[0].Charge = charge
			r := stack.Request{EstIn: 800, MaxOut: 200}
			tokens := int64(1000)
			switch charge {
			case stack.ChargeInput:
				r.EstIn = 1000
			case stack.ChargeMax:
				r.MaxOut = 1000
			}
			p := success
			p.outcome.Usage = stack.Usage{In: r.EstIn, Out: 10}
			h := newHarness(t, cfg, always(p))
			h.light = true
			for at := time.Duration(0); at < d; at += 10 * sec {
				h.at(at, func() { h.flood(100, r) })
			}
			h.run(d)
			if got, least := int64(len(h.sends))*tokens, int64(600_000*80/100*10*99/100); got < least {
				t.Errorf("%s, charge %d: %d tokens' worth sent in 10 spans, want %d", name, charge, got, least)
			}
		}
	}
}

// INV-14: keys of one quota share one budget; keys of their own quotas add up.
func TestKeysOfOneQuotaAddNothing_INV14(t *testing.T) {
	sent := func(keys int, shared bool) int {
		cfg := plain(limits(300, 0))
		for k := 1; k < keys; k++ {
			cfg.Keys = append(cfg.Keys, stack.Key{ID: fmt.Sprint("k", k)})
			u := stack.KeyUse{Key: k, Weight: 1}
			if !shared {
				cfg.Quotas = append(cfg.Quotas, stack.Quota{Name: fmt.Sprint("q", k), RPM: 300})
				u.Quota = k
			}
			cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, u)
		}
		h := newHarness(t, cfg, always(success))
		h.light = true
		h.flood(5000, stack.Request{})
		h.run(5 * 62 * sec)
		used := map[int]bool{}
		for _, w := range h.sends {
			used[w.Key] = true
		}
		if len(used) != keys {
			t.Errorf("%d of %d keys were used", len(used), keys)
		}
		return len(h.sends)
	}
	one, group, own := sent(1, true), sent(4, true), sent(4, false)
	if group != one {
		t.Errorf("4 keys of one quota sent %d, 1 key %d", group, one)
	}
	if own != 4*one {
		t.Errorf("4 keys of 4 quotas sent %d, 1 key %d", own, one)
	}
}

// INV-51: with fixed weights the keys' shares are exact.
func TestKeySharesAreExact_INV51(t *testing.T) {
	cfg := plain()
	cfg.Targets[0].Keys = nil
	for k, weight := range []int64{5, 0, 2, 1} {
		cfg.Keys = append(cfg.Keys, stack.Key{ID: fmt.Sprint("k", k)})
		cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, stack.KeyUse{Key: k, Weight: weight})
	}
	h := newHarness(t, cfg, always(success))
	h.flood(80, stack.Request{})
	got := make([]int, 4)
	for _, w := range h.sends {
		got[w.Key]++
	}
	if !slices.Equal(got, []int{50, 0, 20, 10}) {
		t.Errorf("keys were used %v times, want 50, 0, 20, 10", got)
	}
}

// INV-12: a request larger than the limit is refused at once and blocks nobody; what only
// P0 may have is too large for the others.
func TestTooLargeIsRefusedAtOnce_INV12(t *testing.T) {
	cfg := plain(limits(0, 10_000))
	cfg.Reserve.Rate = 10
	h := newHarness(t, cfg, always(success))
	cases := []struct {
		class stack.Class
		in    int64
		ok    bool
	}{
		{stack.P0, 8000, true},
		{stack.P0, 8001, false},
		{stack.P2, 7200, true},
		{stack.P2, 7201, false},
		{stack.P1, 1 << 40, false},
		{stack.P0, 1 << 62, false},
	}
	for _, tc := range cases {
		l := h.submit(stack.Request{Class: tc.class, EstIn: tc.in})
		if l.done == tc.ok {
			t.Errorf("%v of %d tokens: refused %v, want %v", tc.class, tc.in, l.done, !tc.ok)
		}
		if last := len(h.results) - 1; l.done && (h.results[last].Reason != stack.ReasonTooLarge || h.results[last].Ending != stack.Rejected) {
			t.Errorf("%d tokens: %v for %v", tc.in, h.results[last].Ending, h.results[last].Reason)
		}
	}
	h.run(0)
	h.rest()
	if h.endings[stack.Succeeded] != 2 {
		t.Errorf("%d succeeded, want 2", h.endings[stack.Succeeded])
	}
}

// INV-13: a success that does not tell its usage, and an unknown outcome, refund nothing.
func TestUnknownUsageRefundsNothing_INV13(t *testing.T) {
	for _, p := range []plan{success, failure(stack.ServerError), failure(stack.StreamBroken)} {
		cfg := plain(limits(0, 100_000))
		cfg.Targets[0].Charge = stack.ChargeInput
		cfg.Retry.Attempts = 1
		h := newHarness(t, cfg, always(p))
		h.submit(stack.Request{EstIn: 5000})
		h.run(2 * sec)
		if _, tokens := h.core.QuotaUsed(0); tokens != 5000 {
			t.Errorf("%v without usage: %d tokens on the books, want 5000", p.outcome.Kind, tokens)
		}
	}
}

// INV-22: a refund at one gate wakes another that shares the quota, in the same instant.
func TestRefundWakesOtherGates_INV22(t *testing.T) {
	cfg := plain(limits(0, 10_000), chain(2))
	cfg.Routes = []stack.Route{{Name: "a", Steps: []stack.RouteStep{{Target: 0}}}, {Name: "b", Steps: []stack.RouteStep{{Target: 1}}}}
	p := success
	p.outcome.Usage.In = 1
	h := newHarness(t, cfg, always(p))
	h.submit(stack.Request{EstIn: 8000})
	h.submit(stack.Request{EstIn: 7000, Route: 1})
	h.run(0)
	if len(h.sends) != 2 || h.sends[1].sent != sec {
		t.Errorf("%d sends, want the second at 1 s, when the first was settled", len(h.sends))
	}
}

// INV-50: a later refusal only extends the rest, a late success does not end it.
func TestExclusionOnlyExtends_INV50(t *testing.T) {
	at := func(d time.Duration, kind stack.OutcomeKind, after time.Duration) plan {
		return plan{end: d, outcome: stack.Outcome{Kind: kind, RetryAfter: after, HasRetryAfter: after > 0}}
	}
	exact := plain(limits(6000, 0))
	exact.Retry.NoJitter = true
	h := newHarness(t, exact, script(
		at(1*sec, stack.RateLimited, 90*sec), at(5*sec, stack.RateLimited, 0), at(6*sec, stack.Success, 0), success))
	h.flood(3, stack.Request{})
	h.run(7 * sec)
	h.flood(1, stack.Request{ID: 10})
	if total, resting := h.core.Excluded(0); total != 6*sec || !resting {
		t.Errorf("rested for %v, resting %v; want 6s, true", total, resting)
	}
	h.run(0)
	h.rest()
	for _, w := range h.sends[3:] {
		if w.sent < 91*sec {
			t.Errorf("sent at %v, before 91 s", w.sent)
		}
	}
	if total, resting := h.core.Excluded(0); total != 90*sec || resting {
		t.Errorf("rested for %v, resting %v; want 90s, false", total, resting)
	}
}

// INV-52: when all keys rest, the line waits for the first to return, and does not storm
// it, not even when refunds of earlier sends have come in meanwhile.
func TestNoStampedeAfterExclusion_INV52(t *testing.T) {
	cfg := plain(limits(600, 1_000_000)) // 480 per 62 s: 7.7 a second
	cfg.Retry.NoJitter = true
	cfg.Quotas = append(cfg.Quotas, stack.Quota{Name: "q1", RPM: 600, TPM: 1_000_000})
	cfg.Keys = append(cfg.Keys, stack.Key{ID: "k1"})
	cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, stack.KeyUse{Key: 1, Quota: 1, Weight: 1})
	refused := map[int]bool{}
	h := newHarness(t, cfg, func(_ time.Duration, a stack.Attempt) plan {
		if !refused[a.Key] {
			refused[a.Key] = true
			return told(stack.RateLimited, time.Duration(90+20*a.Key)*sec)
		}
		p := plan{first: sec, end: 10 * sec, outcome: stack.Outcome{Kind: stack.Success}}
		p.outcome.Usage.In = 1 // of 1000: a large refund
		return p
	})
	h.light = true
	h.flood(1000, stack.Request{EstIn: 1000})
	h.run(112 * sec)
	back := 90*sec + 100*ms
	early, first := 0, 0
	for _, w := range h.sends {
		switch {
		case w.sent > sec && w.sent < back:
			early++
		case w.sent >= back && w.sent < back+sec:
			first++
		}
		if w.Key == 1 && w.sent > sec && w.sent < 110*sec+100*ms {
			t.Errorf("key 1 was used at %v", w.sent)
		}
	}
	if early > 0 {
		t.Errorf("%d sends while all keys rested", early)
	}
	if first < 6 || first > 8 {
		t.Errorf("%d sends in the second after the first key's return, the smooth rate is 7.7", first)
	}
}

// INV-52: stacks that know nothing of each other and were refused together do not come back together: each
// rests a little longer than it must, by its own seed.
func TestStacksComeBackApart_INV52(t *testing.T) {
	const stacks, after = 200, 10 * sec
	back := map[time.Duration]int{}
	for seed := range uint64(stacks) {
		cfg := plain(limits(6000, 0))
		cfg.Seed = seed
		c, err := stack.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		c.Submit(0, stack.Request{ID: 1})
		c.Finish(sec, c.Effects()[0].Attempt.ID, stack.Outcome{Kind: stack.RateLimited, Status: 429, RetryAfter: after, HasRetryAfter: true})
		for sent := false; !sent; {
			at, ok := c.NextWake()
			if !ok {
				t.Fatal("nobody comes back")
			}
			c.Advance(at)
			for _, e := range c.Effects() {
				if sent = e.Kind == stack.EffectSend; sent {
					back[at.Truncate(100*ms)]++
					if at < 61*sec || at > 61*sec+after/2+100*ms { // the smooth rate begins anew
						t.Errorf("seed %d comes back at %v", seed, at)
					}
				}
			}
		}
	}
	most := 0
	for _, n := range back {
		most = max(most, n)
	}
	// 200 over 5 s are 4 in 100 ms; 15 in one is beyond anything that chance does.
	if most > 15 {
		t.Errorf("%d of %d come back within 100 ms", most, stacks)
	}
}

// A refused request whose target has another quota open does not wait as told: the rest
// of the refused quota is kept by exclusion.
func TestRefusalMovesToAnotherKey(t *testing.T) {
	cfg := plain()
	cfg.Quotas = append(cfg.Quotas, stack.Quota{Name: "q1"})
	cfg.Keys = append(cfg.Keys, stack.Key{ID: "k1"})
	cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, stack.KeyUse{Key: 1, Quota: 1, Weight: 1})
	h := newHarness(t, cfg, script(told(stack.RateLimited, time.Hour), success))
	h.submit(stack.Request{})
	r := h.only()
	want(t, r, stack.Succeeded, stack.ReasonNone, 2)
	if r.Steps[0].Key == r.Steps[1].Key || r.Backoff > 1500*ms {
		t.Errorf("keys %d and %d, waited %v", r.Steps[0].Key, r.Steps[1].Key, r.Backoff)
	}
}

// INV-41: the told wait is kept, plus a spread, once; an absurd one is bounded.
func TestRetryAfterIsKept_INV41(t *testing.T) {
	cases := []struct{ told, least, most time.Duration }{
		{0, 500 * ms, 2500 * ms},
		{sec, sec, 2500 * ms},
		{40 * sec, 40 * sec, 60 * sec},
		{1 << 62, 24 * time.Hour, 36 * time.Hour},
		{-5 * sec, 500 * ms, 2500 * ms},
	}
	for _, kind := range []stack.OutcomeKind{stack.Overloaded, stack.ServerError, stack.OutOfCredit} {
		for _, tc := range cases {
			cfg := plain()
			cfg.Keys = append(cfg.Keys, stack.Key{ID: "k1"})
			cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, stack.KeyUse{Key: 1, Weight: 1})
			h := newHarness(t, cfg, script(told(kind, tc.told), success))
			h.submit(stack.Request{ID: 5})
			if r := h.only(); r.Backoff < tc.least || r.Backoff > tc.most || len(r.Steps) != 2 {
				t.Errorf("%v, told %v: waited %v, want %v to %v", kind, tc.told, r.Backoff, tc.least, tc.most)
			}
		}
	}
}

// A large request gets through while small P2s of another gate keep the shared quota busy:
// what comes later or is of a lower class leaves a quota alone that is waited for.
func TestLargeRequestOverSharedQuota(t *testing.T) {
	for _, class := range []stack.Class{stack.P0, stack.P1} {
		t.Run(class.String(), func(t *testing.T) { largeOverShared(t, class) })
	}
}

func largeOverShared(t *testing.T, class stack.Class) {
	cfg := plain()
	cfg.Targets = append(cfg.Targets, target("b", stack.KeyUse{Weight: 1}))
	cfg.Routes = append(cfg.Routes, stack.Route{Name: "r1", Steps: []stack.RouteStep{{Target: 1}}})
	cfg.Quotas = []stack.Quota{{Name: "q", TPM: 1_000_000}}
	cfg.Reserve = stack.ReserveConfig{Slots: 10, Rate: 10, Queue: 10}
	cfg.Budget = stack.BudgetConfig{RPMHeadroom: 80, TPMHeadroom: 80, Burst: 5 * time.Second}
	c, err := stack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	const want = 64_000 // ten times what the reserve of the burst holds
	var sent time.Duration
	var flying []stack.Attempt
	id := stack.RequestID(0)
	act := func(now time.Duration) {
		for _, e := range c.Effects() {
			if e.Kind != stack.EffectSend {
				continue
			}
			if e.Attempt.EstIn == want {
				sent = now
			}
			flying = append(flying, e.Attempt)
		}
		for _, a := range flying {
			c.Finish(now, a.ID, stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: a.EstIn, Out: 1}})
		}
		flying = flying[:0]
	}
	const asked = 30 * time.Second
	for now := time.Duration(0); now < 2*time.Minute && sent == 0; now += 50 * time.Millisecond {
		c.Advance(now)
		act(now)
		id++
		c.Submit(now, stack.Request{ID: id, Class: stack.P2, Route: 1, EstIn: 2000, MaxOut: 10})
		act(now)
		if now == asked {
			c.Submit(now, stack.Request{ID: 1 << 40, Class: class, Route: 0, EstIn: want, MaxOut: 10})
			act(now)
		}
	}
	// Its own cost at the sustained rate of 800 000 tokens per 62 s is 5.0 s.
	if sent == 0 || sent-asked > 5500*time.Millisecond {
		t.Errorf("asked at %v, sent at %v", asked, sent)
	}
}

// A stand-in that is too small for a request is passed over: a fallback must not end what
// would have been served without it.
func TestFallbackTooSmallIsPassedOver(t *testing.T) {
	cfg := plain(chain(2))
	cfg.Targets[0].ContextWindow, cfg.Targets[1].ContextWindow = 1_000_000, 200_000
	cfg.Concurrency.Start = 1
	cfg.Fallback = stack.FallbackConfig{After: 1, MaxWait: 8 * sec}
	cfg.Timeouts.FirstToken = time.Minute
	c, err := stack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Submit(0, stack.Request{ID: 1, EstIn: 10, MaxOut: 1})
	first := c.Effects()[0].Attempt
	c.Submit(0, stack.Request{ID: 2, EstIn: 300_000, MaxOut: 1})
	c.Advance(20 * sec)
	for _, e := range c.Effects() {
		if e.Kind == stack.EffectDone && e.Result.Request.ID == 2 {
			t.Fatalf("ended as %v (%v)", e.Result.Ending, e.Result.Reason)
		}
	}
	c.Finish(20*sec, first.ID, stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 10, Out: 1}})
	effects := c.Effects()
	last := effects[len(effects)-1]
	if last.Kind != stack.EffectSend || last.Attempt.Request != 2 || last.Attempt.Target != 0 {
		t.Errorf("the large request was not sent to the model it asked for: %+v", last)
	}
}

// INV-43: a write of unknown outcome goes back to the account that may have carried it out.
func TestUnknownWriteStaysWithItsQuota_INV43(t *testing.T) {
	cfg := plain()
	cfg.Keys = append(cfg.Keys, stack.Key{ID: "k1"})
	cfg.Quotas = append(cfg.Quotas, stack.Quota{Name: "q1"})
	cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, stack.KeyUse{Key: 1, Quota: 1, Weight: 1})
	c, err := stack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Duration(0)
	for id := stack.RequestID(1); id <= 20; id++ {
		c.Submit(now, stack.Request{ID: id, Write: true, EstIn: 10, MaxOut: 1})
		key := c.Effects()[0].Attempt.Key
		for range 3 {
			at := attemptOf(t, c, id)
			c.Finish(now, at.ID, stack.Outcome{Kind: stack.StreamBroken})
			now += time.Minute
			c.Advance(now)
			if again := attemptOf(t, c, id); again.Key != key {
				t.Fatalf("request %d sent with key %d, then %d", id, key, again.Key)
			}
		}
		c.Finish(now, attemptOf(t, c, id).ID, stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 10, Out: 1}})
		c.Effects()
	}
}

// attemptOf returns the request's attempt among the effects not yet recycled.
func attemptOf(t *testing.T, c *stack.Core, id stack.RequestID) stack.Attempt {
	t.Helper()
	for _, e := range c.Effects() {
		if e.Kind == stack.EffectSend && e.Attempt.Request == id {
			return e.Attempt
		}
	}
	t.Fatalf("request %d was not sent", id)
	return stack.Attempt{}
}

// Without a Queue.MaxWait nothing ends a request that waits, at no step.
func TestNoMaxWaitNoEnd(t *testing.T) {
	cfg := plain(chain(2))
	cfg.Queue.MaxWait = 0
	cfg.Concurrency.Start = 1
	cfg.Fallback.MaxWait = 8 * sec
	c, err := stack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for id := stack.RequestID(1); id <= 3; id++ {
		c.Submit(0, stack.Request{ID: id, EstIn: 10, MaxOut: 1})
	}
	c.Effects()
	for now := sec; now < 7*sec; now += sec { // before the first token's time-out
		c.Advance(now)
		for _, e := range c.Effects() {
			if e.Kind == stack.EffectDone {
				t.Fatalf("ended at %v as %v (%v)", now, e.Result.Ending, e.Result.Reason)
			}
		}
	}
}

// What a gate did is integrated, so that what is over between two looks is seen too.
func TestGateUseIsExact(t *testing.T) {
	cfg := plain()
	cfg.Concurrency.Start = 1
	c, err := stack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	const at, hold = 10 * time.Millisecond, 300 * time.Millisecond
	for id := stack.RequestID(1); id <= 2; id++ {
		c.Submit(at, stack.Request{ID: id, Class: stack.P1, EstIn: 10, MaxOut: 1})
	}
	for k := range time.Duration(2) {
		a := attemptOf(t, c, stack.RequestID(k+1))
		c.Finish(at+(k+1)*hold, a.ID, stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 10, Out: 1}})
	}
	u := c.Use(time.Second, 0)
	if u.Limit != 1e9 || u.InFlight != int64(2*hold) || u.Waiting != [3]int64{0, int64(hold), 0} ||
		u.Blocked[stack.BlockedSlots] != int64(hold) || u.InFlightMax != 1 || u.WaitingMax != 1 {
		t.Errorf("%+v", u)
	}
}

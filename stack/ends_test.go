package stack_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// Degradation: After failures at a step take the next, counted anew there; a time-out
// takes it at once; a wait told by a target that was left does not bind; it never goes back.
func TestDegradation(t *testing.T) {
	over := failure(stack.Overloaded)
	cases := []struct {
		name    string
		plans   []plan
		targets []int
	}{
		{"two failures a step", []plan{over, over, over, success}, []int{0, 0, 1, 1}},
		{"no further than the last", []plan{over, over, over, over, over, over, over, success}, []int{0, 0, 1, 1, 2, 2, 2, 2}},
		{"a time-out at once", []plan{silent, silent, success}, []int{0, 1, 2}},
		{"stream that stands still", []plan{{first: 100 * ms}, success}, []int{0, 1}},
		{"a wait of a target that was left", []plan{over, told(stack.Overloaded, time.Hour), success}, []int{0, 0, 1}},
		{"credit and rate are the keys' business", []plan{failure(stack.RateLimited), failure(stack.RateLimited), success}, []int{0, 0, 0}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			cfg := plain(chain(3))
			cfg.Retry.Attempts, cfg.Rotation.Exclude = 8, 0
			h := newHarness(t, cfg, script(tc.plans...))
			h.submit(stack.Request{})
			r := h.only()
			want(t, r, stack.Succeeded, stack.ReasonNone, len(tc.targets))
			var got []int
			for _, s := range r.Steps {
				got = append(got, s.Target)
			}
			if !slices.Equal(got, tc.targets) || r.Degrade != got[len(got)-1] || r.Backoff > 2*time.Minute {
				t.Errorf("targets %v (degraded %d, waited %v), want %v", got, r.Degrade, r.Backoff, tc.targets)
			}
		})
	}
}

// INV-40: the attempts are counted over all steps together.
func TestAttemptsOverAllSteps_INV40(t *testing.T) {
	cfg := plain(chain(4))
	cfg.Fallback.After = 1
	h := newHarness(t, cfg, always(failure(stack.ServerError)))
	h.submit(stack.Request{})
	want(t, h.only(), stack.DeadLettered, stack.ReasonAttempts, 4)
}

// INV-40: when everything fails, the fleet's retries stay within the budget.
func TestRetryBudget_INV40(t *testing.T) {
	cfg := plain()
	cfg.Retry.BudgetPercent, cfg.Retry.BudgetBurst = 20, 10
	h := newHarness(t, cfg, always(failure(stack.ServerError)))
	for i := range 500 {
		h.at(time.Duration(i)*100*ms, func() { h.submit(stack.Request{ID: stack.RequestID(i)}) })
	}
	h.run(0)
	h.rest()
	if h.retries < 105 || h.retries > 110 || h.reasons[stack.ReasonRetryBudget] == 0 {
		t.Errorf("%d retries of 500 first attempts, want 10 and 20 %% (%d ended by the budget)", h.retries, h.reasons[stack.ReasonRetryBudget])
	}
}

// INV-43: writes of unknown outcome under the three policies.
func TestWritesOfUnknownOutcome_INV43(t *testing.T) {
	lost := failure(stack.StreamBroken)
	cases := []struct {
		policy  stack.Idempotency
		write   bool
		ending  stack.Ending
		why     stack.Reason
		targets []int
	}{
		{stack.IdempotencyKeys, true, stack.Succeeded, stack.ReasonNone, []int{0, 0, 0}},
		{stack.IdempotencyNone, true, stack.DeadLettered, stack.ReasonUnsafe, []int{0}},
		{stack.IdempotencyUnsafe, true, stack.Succeeded, stack.ReasonNone, []int{0, 1, 2}},
		{stack.IdempotencyNone, false, stack.Succeeded, stack.ReasonNone, []int{0, 1, 2}},
	}
	for _, tc := range cases {
		cfg := plain(chain(3))
		cfg.Fallback.After, cfg.Idempotency = 1, tc.policy
		h := newHarness(t, cfg, script(lost, lost, success))
		h.submit(stack.Request{Write: tc.write, ID: 7})
		r := h.only()
		want(t, r, tc.ending, tc.why, len(tc.targets))
		for i, s := range r.Steps {
			if s.Target != tc.targets[i] {
				t.Errorf("policy %d, write %v: attempt %d went to target %d, want %d", tc.policy, tc.write, i+1, s.Target, tc.targets[i])
			}
		}
	}
}

// INV-44: what is never retried, and which key dies of it.
func TestWhatIsNeverRetried_INV44(t *testing.T) {
	cases := []struct {
		kind     stack.OutcomeKind
		ending   stack.Ending
		attempts int
		dead     bool
	}{
		{stack.BadRequest, stack.Failed, 1, false},
		{stack.TooLarge, stack.Failed, 1, false},
		{stack.Unauthorized, stack.Failed, 1, true},
		{stack.OutOfCredit, stack.Succeeded, 2, true},
		{stack.RateLimited, stack.Succeeded, 2, false},
		{stack.Overloaded, stack.Succeeded, 2, false},
		{stack.ServerError, stack.Succeeded, 2, false},
		{stack.ConnectFailed, stack.Succeeded, 2, false},
		{stack.StreamBroken, stack.Succeeded, 2, false},
	}
	for _, tc := range cases {
		cfg := plain()
		cfg.Quotas = append(cfg.Quotas, stack.Quota{})
		cfg.Keys = append(cfg.Keys, stack.Key{ID: "k1"})
		cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, stack.KeyUse{Key: 1, Quota: 1, Weight: 1})
		h := newHarness(t, cfg, script(failure(tc.kind), success))
		h.submit(stack.Request{})
		r := h.only()
		if r.Ending != tc.ending || len(r.Steps) != tc.attempts || h.core.Dead(r.Steps[0].Key) != tc.dead || h.core.Dead(1-r.Steps[0].Key) {
			t.Errorf("%v: %v after %d attempts, key dead %v; want %v after %d, %v", tc.kind, r.Ending, len(r.Steps), h.core.Dead(r.Steps[0].Key), tc.ending, tc.attempts, tc.dead)
		}
	}
}

// When all keys are dead, those that wait and those that come are dead letters.
func TestAllKeysDead(t *testing.T) {
	h := newHarness(t, plain(slots(1)), always(failure(stack.OutOfCredit)))
	h.flood(3, stack.Request{})
	h.run(0)
	h.flood(1, stack.Request{EstIn: 100_000, ID: 9})
	h.run(0)
	h.rest()
	if h.reasons[stack.ReasonNoKey] != 4 || len(h.sends) != 1 {
		t.Errorf("%d ended for want of a key after %d sends, want 4 after 1", h.reasons[stack.ReasonNoKey], len(h.sends))
	}
}

// Deadlines and the longest wait, in every state that a request can be in.
func TestDeadlines(t *testing.T) {
	deadline := func(d time.Duration) func(*stack.Config) {
		return func(cfg *stack.Config) { cfg.Timeouts.Deadline[stack.P1] = d }
	}
	maxWait := func(cfg *stack.Config) { cfg.Queue.MaxWait = 3 * sec }
	capped := func(cfg *stack.Config) { cfg.AgentCap = stack.AgentCapConfig{PerMinute: 1, Burst: 1} }
	slow := plan{first: ms, end: 7 * sec, outcome: success.outcome}
	p1 := stack.Request{Class: stack.P1, ID: 1}
	cases := []struct {
		name     string
		cfg      stack.Config
		answer   plan
		before   int // requests ahead
		why      stack.Reason
		ended    time.Duration
		attempts int
	}{
		{"on the wire", plain(deadline(5 * sec)), silent, 0, stack.ReasonDeadline, 5 * sec, 1},
		{"queued", plain(deadline(5*sec), slots(1)), slow, 1, stack.ReasonDeadline, 5 * sec, 0},
		{"queued, MaxWait sooner", plain(deadline(5*sec), slots(1), maxWait), slow, 1, stack.ReasonQueueWait, 3 * sec, 0},
		{"queued, deadline sooner", plain(deadline(2*sec), slots(1), maxWait), slow, 1, stack.ReasonDeadline, 2 * sec, 0},
		{"capped", plain(deadline(5*sec), capped), slow, 1, stack.ReasonDeadline, 5 * sec, 0},
		{"backing off", plain(deadline(5 * sec)), told(stack.Overloaded, time.Minute), 0, stack.ReasonDeadline, 5 * sec, 1},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			h := newHarness(t, tc.cfg, always(tc.answer))
			h.flood(tc.before, stack.Request{})
			h.submit(p1)
			h.run(0)
			h.rest()
			i := slices.IndexFunc(h.results, func(r stack.Result) bool { return r.Request == p1 })
			want(t, h.results[i], stack.DeadLettered, tc.why, tc.attempts)
			if tc.attempts == 0 {
				h.results[i].Ending = stack.DeadLettered
			}
			if h.results[i].Ended != tc.ended {
				t.Errorf("ended at %v, want %v", h.results[i].Ended, tc.ended)
			}
		})
	}
}

// The first token is waited for beyond the prefill that the prompt takes; after it the
// gap between bytes counts, and not the length of the stream.
func TestTimeouts(t *testing.T) {
	cases := []struct {
		name   string
		answer plan
		in     int64
		kind   stack.OutcomeKind
		ended  time.Duration
	}{
		{"short prompt", silent, 0, stack.FirstTokenTimeout, 8 * sec},
		{"long prompt", silent, 64_000, stack.FirstTokenTimeout, 8*sec + 10240*ms},
		{"first token just in time", plan{first: 8*sec - 1, end: 9 * sec, outcome: success.outcome}, 0, stack.Success, 9 * sec},
		{"stands still", plan{first: sec}, 0, stack.GapTimeout, 31 * sec},
		{"long stream", plan{first: sec, end: 10 * time.Minute, outcome: success.outcome}, 0, stack.Success, 10 * time.Minute},
	}
	for _, tc := range cases {
		cfg := plain()
		cfg.Retry.Attempts = 1
		h := newHarness(t, cfg, always(tc.answer))
		h.submit(stack.Request{EstIn: tc.in})
		if r := h.only(); r.Ended != tc.ended || r.Steps[0].Outcome.Kind != tc.kind {
			t.Errorf("%s: %v at %v, want %v at %v", tc.name, r.Steps[0].Outcome.Kind, r.Ended, tc.kind, tc.ended)
		}
	}
}

// Cancel ends a request at once in every state; a second one, and whatever the wire still
// says of it, is ignored (INV-21, INV-33).
func TestCancelInEveryState_INV21(t *testing.T) {
	cfg := plain(slots(1))
	cfg.AgentCap = stack.AgentCapConfig{PerMinute: 1, Burst: 2}
	late := plan{first: 2 * sec, end: 3 * sec, outcome: success.outcome}
	h := newHarness(t, cfg, script(late, told(stack.Overloaded, time.Minute), success))
	wire := h.submit(stack.Request{ID: 1})
	queued := h.submit(stack.Request{ID: 2})
	capped := h.submit(stack.Request{ID: 3})
	backoff := h.submit(stack.Request{ID: 4, Agent: 1})
	h.run(sec)
	for _, l := range []*life{queued, wire, capped} {
		h.cancel(l)
		h.cancel(l)
	}
	h.run(2 * sec)
	h.cancel(backoff)
	h.run(0)
	h.rest()
	if h.endings[stack.Cancelled] != 4 || len(h.sends) != 2 {
		t.Errorf("%d cancelled after %d sends, want 4 after 2", h.endings[stack.Cancelled], len(h.sends))
	}
}

// A black-hole outage costs the requests before the breaker opens, and then a few probes.
func TestBlackHoleCostsAFewProbes(t *testing.T) {
	cfg := plain(chain(2))
	cfg.Breaker = stack.Default().Breaker
	const from, until = time.Minute, 11 * time.Minute
	h := newHarness(t, cfg, func(now time.Duration, a stack.Attempt) plan {
		if a.Target == 0 && now >= from && now < until {
			return silent
		}
		return success
	})
	for i := range 8400 {
		h.at(time.Duration(i)*100*ms, func() { h.submit(stack.Request{ID: stack.RequestID(i)}) })
	}
	h.run(0)
	h.rest()
	probes, back := 0, 0 // until 15 s into it, half of the outcomes in the window are successes from before
	for _, w := range h.sends {
		switch {
		case w.Target != 0:
		case w.sent > from+15*sec && w.sent < until:
			probes++
		case w.sent > until+2*time.Minute+sec:
			back++
		}
	}
	opened := h.core.Counts(0).BreakerOpened
	if opened < 2 || probes == 0 || probes > int(opened)*cfg.Breaker.Probes || probes > 30 {
		t.Errorf("%d probes in %d openings of an outage of 10 minutes", probes, opened)
	}
	if back == 0 || h.endings[stack.Succeeded] != 8400 {
		t.Errorf("%d sends after the outage, %d of 8400 succeeded", back, h.endings[stack.Succeeded])
	}
}

// Which failures lower the limit is configuration.
func TestDecreaseOn(t *testing.T) {
	kinds := []stack.OutcomeKind{
		stack.RateLimited, stack.Overloaded, stack.ConnectFailed, stack.FirstTokenTimeout, stack.GapTimeout,
		stack.ServerError, stack.StreamBroken, stack.BadRequest, stack.OutOfCredit,
	}
	for bits := range 8 {
		rate, over, timeout := bits&1 > 0, bits&2 > 0, bits&4 > 0
		for _, kind := range kinds {
			cfg := plain()
			cfg.Concurrency = stack.Default().Concurrency
			c := &cfg.Concurrency
			c.DecreaseOnRate, c.DecreaseOnOverload, c.DecreaseOnTimeout = rate, over, timeout
			cfg.Retry.Attempts = 1
			p := failure(kind)
			switch kind {
			case stack.FirstTokenTimeout:
				p = silent
			case stack.GapTimeout:
				p = plan{first: ms}
			}
			h := newHarness(t, cfg, always(p))
			h.submit(stack.Request{})
			h.run(0)
			cut := kind == stack.RateLimited && rate || kind == stack.Overloaded && over ||
				timeout && slices.Contains([]stack.OutcomeKind{stack.ConnectFailed, stack.FirstTokenTimeout, stack.GapTimeout}, kind)
			if got := h.core.Gate(0).Limit; (got < 64) != cut {
				t.Errorf("%v with rate %v, overload %v, time-out %v: limit %d, cut wanted %v", kind, rate, over, timeout, got, cut)
			}
		}
	}
}

// Contexts are held to the kind's cap, and a target's window is never exceeded: a larger
// one may stand in.
func TestContextCaps(t *testing.T) {
	cases := []struct {
		kind             int
		in, out          int64
		target           int // -1: too large
		estIn, capped    int64
		maxOut, minimals int64
	}{
		{0, 500, 400, 0, 500, 0, 400, 0},
		{0, 600, 401, 1, 600, 0, 100, 1},
		{1, 5000, 100, 0, 800, 800, 100, 0},
		{1, 800, 100, 0, 800, 0, 100, 0},
		{0, 4900, 100, 1, 4900, 0, 100, 1},
		{0, 4901, 100, -1, 0, 0, 0, 0},
	}
	for i, tc := range cases {
		cfg := plain(chain(2))
		cfg.Kinds = append(cfg.Kinds, stack.Kind{Name: "batch", Context: 800})
		cfg.Targets[0].ContextWindow, cfg.Targets[1].ContextWindow = 1000, 5000
		cfg.Routes[0].Steps[1].MaxOut = 100
		h := newHarness(t, cfg, always(success))
		h.submit(stack.Request{Kind: tc.kind, EstIn: tc.in, MaxOut: tc.out})
		r := h.only()
		if tc.target < 0 {
			want(t, r, stack.Rejected, stack.ReasonTooLarge, 0)
			continue
		}
		a := h.sends[0]
		if a.Target != tc.target || a.EstIn != tc.estIn || a.ContextCap != tc.capped || a.MaxOut != tc.maxOut || a.Minimal != (tc.minimals > 0) {
			t.Errorf("case %d: attempt %+v", i, a.Attempt)
		}
	}
}

// INV-10 per agent: one runaway is held back, or refused where it would wait too long, and
// the others do not feel it. Thousands of agents seen once are forgotten again.
func TestAgentCaps_INV10(t *testing.T) {
	cfg := plain()
	cfg.AgentCap = stack.AgentCapConfig{PerMinute: 30, Burst: 10, MaxWait: time.Minute}
	h := newHarness(t, cfg, always(success))
	h.flood(100, stack.Request{Agent: 1})
	for i := range 5000 {
		h.at(time.Duration(i)*5*ms, func() { h.submit(stack.Request{ID: stack.RequestID(i), Agent: uint32(i + 2)}) })
	}
	h.run(0)
	h.rest()
	if n := h.reasons[stack.ReasonAgentCap]; n != 60 { // 10 at once, 30 in the minute of MaxWait
		t.Errorf("%d of the runaway's 100 were refused, want 60", n)
	}
	for _, r := range h.results {
		if r.Request.Agent > 1 && (r.Capped > 0 || r.Ending != stack.Succeeded) {
			t.Fatalf("agent %d: %v, held back for %v", r.Request.Agent, r.Ending, r.Capped)
		}
	}
}

// INV-31: a flood of P2 leaves P0 its slots, its rate and its places in line.
func TestFloodOfP2LeavesP0Unharmed_INV31(t *testing.T) {
	cfg := plain(limits(6000, 0), slots(20))
	cfg.Reserve = stack.ReserveConfig{Slots: 10, Rate: 10, Queue: 10}
	cfg.Queue = stack.QueueConfig{Bound: 50, Overflow: stack.OverflowReject}
	h := newHarness(t, cfg, always(success))
	for i := range 600 {
		h.at(time.Duration(i)*100*ms, func() { h.flood(10, stack.Request{ID: stack.RequestID(i * 20), Class: stack.P2}) })
		if i%10 == 0 {
			h.at(time.Duration(i)*100*ms, func() { h.submit(stack.Request{ID: stack.RequestID(1_000_000 + i)}) })
		}
	}
	h.run(0)
	h.rest()
	for _, r := range h.results {
		if r.Request.Class == stack.P0 && (r.Ending != stack.Succeeded || r.Queued > 0) {
			t.Fatalf("P0 request %d: %v, queued %v", r.Request.ID, r.Ending, r.Queued)
		}
	}
	if h.reasons[stack.ReasonQueueFull] == 0 || h.core.Gate(0).Blocked != stack.BlockedNot {
		t.Errorf("%d refused; the flood was none", h.reasons[stack.ReasonQueueFull])
	}
}

// INV-3: a clock that steps back is taken as standing still.
func TestClockStepsBack_INV3(t *testing.T) {
	c, err := stack.New(plain())
	if err != nil {
		t.Fatal(err)
	}
	c.Submit(10*sec, stack.Request{ID: 1})
	a := c.Effects()[0].Attempt
	c.FirstToken(5*sec, a.ID)
	c.Finish(1*sec, a.ID, success.outcome)
	r := c.Effects()[0].Result
	if r.Ended != 10*sec || r.Steps[0].FirstToken != 10*sec {
		t.Errorf("ended at %v, first token at %v; want 10s", r.Ended, r.Steps[0].FirstToken)
	}
}

// Names are what reports print.
func TestNames(t *testing.T) {
	var names []string
	for v := range stack.OutcomeKind(stack.NumOutcomeKinds + 1) {
		names = append(names, v.String())
	}
	for v := range stack.Ending(stack.NumEndings) {
		names = append(names, "ending "+v.String())
	}
	for v := range stack.Reason(stack.NumReasons) {
		names = append(names, "reason "+v.String())
	}
	for v := range stack.Blocked(stack.NumBlocked) {
		names = append(names, "blocked "+v.String())
	}
	slices.Sort(names)
	if n := len(names); len(slices.Compact(names)) != n {
		t.Errorf("two values share a name: %v", names)
	}
	if s := fmt.Sprint(stack.P0, stack.P2, stack.Class(9)); s != "P0 P2 P?" {
		t.Errorf("classes %s", s)
	}
}

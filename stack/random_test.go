package stack_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/jitter"
)

func drawDuration(t *rapid.T, name string, lo, hi time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(int64(lo), int64(hi)).Draw(t, name))
}

// sometimes draws 0, which switches most things off, or a value of the range.
func sometimes(t *rapid.T, name string, lo, hi int64) int64 {
	if rapid.Bool().Draw(t, name+" on") {
		return rapid.Int64Range(lo, hi).Draw(t, name)
	}
	return 0
}

func drawConcurrency(t *rapid.T) stack.ConcurrencyConfig {
	c := stack.ConcurrencyConfig{
		Controller: rapid.SampledFrom([]string{"static", "aimd", "gradient2", "vegas"}).Draw(t, "controller"),
		Min:        rapid.IntRange(1, 4).Draw(t, "min"),
		Interval:   drawDuration(t, "interval", 100*time.Millisecond, 5*time.Second),
		Low:        500 * time.Millisecond, High: 2 * time.Second,
		Signal:  stack.Signal(rapid.IntRange(0, 2).Draw(t, "signal")),
		Samples: 20, MinSamples: 3,
		IncreasePercent:    rapid.IntRange(0, 50).Draw(t, "increase"),
		DecreasePercent:    rapid.IntRange(1, 99).Draw(t, "decrease"),
		DecreaseOnRate:     rapid.Bool().Draw(t, "on rate"),
		DecreaseOnOverload: rapid.Bool().Draw(t, "on overload"),
		DecreaseOnTimeout:  rapid.Bool().Draw(t, "on timeout"),
	}
	c.Max = c.Min + rapid.IntRange(0, 20).Draw(t, "max")
	c.Start = rapid.IntRange(c.Min, c.Max).Draw(t, "start")
	return c
}

// drawConfig draws small limits, so that everything binds now and then.
func drawConfig(t *rapid.T) stack.Config {
	cfg := stack.Default()
	cfg.Seed = rapid.Uint64().Draw(t, "seed")
	cfg.Kinds = append(cfg.Kinds, stack.Kind{Name: "capped", Context: 2000})
	cfg.Concurrency = drawConcurrency(t)
	cfg.Queue = stack.QueueConfig{
		Bound:    rapid.IntRange(1, 30).Draw(t, "bound"),
		Overflow: stack.Overflow(rapid.IntRange(0, 1).Draw(t, "overflow")),
		MaxWait:  time.Duration(sometimes(t, "queue wait", 0, int64(100*time.Second))),
	}
	cfg.Rotation = stack.RotationConfig{
		Weights: stack.Weights(rapid.IntRange(0, 1).Draw(t, "weights")),
		Exclude: time.Duration(sometimes(t, "exclude", 1, int64(90*time.Second))),
	}
	cfg.Budget = stack.BudgetConfig{
		RPMHeadroom: rapid.IntRange(50, 100).Draw(t, "RPM headroom"), TPMHeadroom: rapid.IntRange(50, 100).Draw(t, "TPM headroom"),
		Burst: drawDuration(t, "burst", time.Millisecond, time.Minute),
	}
	cfg.Reserve = stack.ReserveConfig{
		Slots: rapid.IntRange(0, 90).Draw(t, "slots reserve"), Rate: rapid.IntRange(0, 90).Draw(t, "rate reserve"),
		Queue: rapid.IntRange(0, 90).Draw(t, "queue reserve"),
	}
	cfg.Retry = stack.RetryConfig{
		Attempts: rapid.IntRange(1, 6).Draw(t, "attempts"),
		Base:     drawDuration(t, "base", time.Millisecond, 5*time.Second), Cap: 20 * time.Second,
		NoJitter:      rapid.Bool().Draw(t, "no jitter"),
		BudgetPercent: int(sometimes(t, "retry percent", 1, 100)), BudgetBurst: int(sometimes(t, "retry burst", 1, 50)),
	}
	cfg.Breaker = stack.BreakerConfig{
		Enabled: rapid.Bool().Draw(t, "breaker"), Window: 10 * time.Second, MinSamples: rapid.IntRange(1, 10).Draw(t, "breaker samples"),
		FailurePercent: rapid.IntRange(10, 100).Draw(t, "failure percent"),
		OpenFor:        drawDuration(t, "open for", time.Millisecond, 20*time.Second), OpenMax: time.Minute,
		Probes: rapid.IntRange(1, 3).Draw(t, "probes"),
	}
	cfg.Timeouts.FirstToken = drawDuration(t, "first token", 500*time.Millisecond, 8*time.Second)
	cfg.Timeouts.Gap = drawDuration(t, "gap", 500*time.Millisecond, 10*time.Second)
	for c := range cfg.Timeouts.Deadline {
		cfg.Timeouts.Deadline[c] = time.Duration(sometimes(t, fmt.Sprintf("deadline %d", c), 1, int64(2*time.Minute)))
	}
	cfg.AgentCap = stack.AgentCapConfig{
		PerMinute: sometimes(t, "agent cap", 6, 600), Burst: rapid.Int64Range(1, 10).Draw(t, "agent burst"),
		MaxWait: time.Duration(sometimes(t, "agent wait", 1, int64(time.Minute))),
	}
	cfg.Fallback = stack.FallbackConfig{
		After: rapid.IntRange(1, 3).Draw(t, "after"), MaxWait: time.Duration(sometimes(t, "fallback wait", 1, int64(20*time.Second))),
	}
	cfg.Idempotency = stack.Idempotency(rapid.IntRange(0, 2).Draw(t, "idempotency"))
	drawTargets(t, &cfg)
	return cfg
}

func drawTargets(t *rapid.T, cfg *stack.Config) {
	for q := range rapid.IntRange(1, 4).Draw(t, "quotas") {
		cfg.Quotas = append(cfg.Quotas, stack.Quota{
			Name: fmt.Sprint("quota", q), RPM: sometimes(t, "RPM", 2, 600), TPM: sometimes(t, "TPM", 100, 200_000),
		})
	}
	for k := range rapid.IntRange(1, 5).Draw(t, "keys") {
		cfg.Keys = append(cfg.Keys, stack.Key{ID: fmt.Sprint("key", k)})
	}
	var steps []stack.RouteStep
	for g := range rapid.IntRange(1, 3).Draw(t, "targets") {
		target := stack.Target{
			Name: fmt.Sprint("target", g), Charge: stack.Charge(rapid.IntRange(0, 2).Draw(t, "charge")),
			ContextWindow: sometimes(t, "window", 1000, 10_000),
		}
		for k := range cfg.Keys {
			least := int64(0) // the first key's weight is not 0, so that there is one
			if k == 0 {
				least = 1
			}
			if k == 0 || rapid.Bool().Draw(t, "use") {
				target.Keys = append(target.Keys, stack.KeyUse{
					Key: k, Quota: rapid.IntRange(0, len(cfg.Quotas)-1).Draw(t, "quota"), Weight: rapid.Int64Range(least, 3).Draw(t, "weight"),
				})
			}
		}
		if rapid.Bool().Draw(t, "own concurrency") {
			c := drawConcurrency(t)
			target.Concurrency = &c
		}
		cfg.Targets = append(cfg.Targets, target)
		steps = append(steps, stack.RouteStep{Target: g, MaxOut: sometimes(t, "step out", 1, 300)})
		cfg.Routes = append(cfg.Routes, stack.Route{Name: fmt.Sprint("route", g), Steps: append([]stack.RouteStep(nil), steps...)})
	}
}

// world is a toy provider: everything about an attempt is a hash of its request and number.
type world struct {
	seed         uint64
	grain        time.Duration // instants are multiples of it, for ties
	bad          uint64        // percent of attempts that fail
	settle       int           // what usage is: 0 exact, 1 at most the estimate, 2 anything
	outageFrom   time.Duration
	outageUntil  time.Duration
	outageTarget int
}

func drawWorld(t *rapid.T) world {
	w := world{
		seed:   rapid.Uint64().Draw(t, "world"),
		grain:  rapid.SampledFrom([]time.Duration{1, 250 * time.Millisecond, time.Second}).Draw(t, "grain"),
		bad:    rapid.SampledFrom([]uint64{0, 10, 40, 90}).Draw(t, "bad"),
		settle: rapid.IntRange(0, 2).Draw(t, "settle"),
	}
	if rapid.Bool().Draw(t, "outage") {
		w.outageFrom = drawDuration(t, "outage from", 0, time.Minute)
		w.outageUntil = w.outageFrom + drawDuration(t, "outage for", 0, time.Minute)
	}
	return w
}

func (w *world) round(d time.Duration) time.Duration { return (d + w.grain - 1) / w.grain * w.grain }

func (w *world) answer(now time.Duration, a stack.Attempt) plan {
	if a.Target == w.outageTarget && now >= w.outageFrom && now < w.outageUntil {
		return plan{}
	}
	n := uint64(0)
	draw := func(below uint64) uint64 {
		n++
		return jitter.Hash(w.seed+n, uint64(a.Request), uint64(a.Number)) % below
	}
	p := plan{first: w.round(time.Duration(draw(uint64(3*time.Second))) + 1)}
	p.end = p.first + w.round(time.Duration(draw(uint64(6*time.Second))))
	in := a.EstIn
	switch w.settle {
	case 1:
		in = int64(draw(uint64(in + 1)))
	case 2:
		in = int64(draw(uint64(3*in + 1)))
	}
	p.outcome = stack.Outcome{Kind: stack.Success, Status: 200, Usage: stack.Usage{In: in, Cached: in / 3, Out: a.MaxOut}}
	if draw(100) >= w.bad {
		return p
	}
	p.outcome = stack.Outcome{Kind: stack.RateLimited + stack.OutcomeKind(draw(uint64(stack.StreamBroken-stack.RateLimited)+1))}
	switch p.outcome.Kind {
	case stack.FirstTokenTimeout, stack.GapTimeout: // the stack's own; the wire never says so
		p.end = 0
		if draw(2) == 0 {
			p.first = 0
		}
		return p
	case stack.OutOfCredit, stack.Unauthorized:
		if draw(4) > 0 { // not too many
			p.outcome.Kind = stack.RateLimited
		}
	}
	if p.outcome.Kind != stack.StreamBroken {
		p.first, p.end = 0, w.round(time.Duration(draw(uint64(time.Second)))+1)
	}
	if draw(2) == 0 {
		p.outcome.HasRetryAfter = true
		p.outcome.RetryAfter = time.Duration(draw(uint64(40 * time.Second)))
		if draw(20) == 0 {
			p.outcome.RetryAfter = 1 << 62
		}
	}
	return p
}

// traffic schedules random requests, and cancellations of some.
func (h *harness) traffic(t *rapid.T, w *world) {
	n := rapid.IntRange(1, 150).Draw(t, "requests")
	over := drawDuration(t, "over", 0, 2*time.Minute)
	seed := rapid.Uint64().Draw(t, "traffic")
	cancels := rapid.SampledFrom([]uint64{0, 10, 50}).Draw(t, "cancels")
	for i := range n {
		draw := func(purpose, below uint64) uint64 { return jitter.Hash(seed, uint64(i), purpose) % below }
		r := stack.Request{
			ID: stack.RequestID(jitter.Hash(seed, uint64(i), 99)), Tag: uint64(i), Agent: uint32(draw(1, 4)),
			Class: stack.Class(draw(2, 3)), Route: int(draw(3, uint64(len(h.cfg.Routes)))), Kind: int(draw(4, 2)),
			Write: draw(5, 4) == 0, EstIn: int64(draw(6, 3000)), MaxOut: int64(draw(7, 500)),
		}
		switch draw(8, 40) {
		case 0:
			r.EstIn = 1 << 40 // larger than anything
		case 1:
			r.Route = -1
		case 2:
			r.EstIn, r.MaxOut = 0, 0
		}
		at := w.round(time.Duration(draw(9, uint64(over)+1)))
		h.at(at, func() {
			if r.Route < 0 {
				h.invalid(r)
				return
			}
			l := h.submit(r)
			if draw(10, 100) < cancels {
				h.at(h.now+w.round(time.Duration(draw(11, uint64(30*time.Second)))), func() { h.cancel(l) })
			}
		})
	}
}

// invalid submits a request that names what does not exist.
func (h *harness) invalid(r stack.Request) {
	h.t.Helper()
	l := &life{req: r, submitted: h.now}
	h.call(func() {
		l.ticket = h.core.Submit(h.now, r)
		h.lives[l.ticket] = l
		h.nSubmitted++
	})
	if last := h.results[len(h.results)-1]; last.Ticket != l.ticket || last.Reason != stack.ReasonInvalid {
		h.t.Fatalf("a request for route %d ended with %v", r.Route, last.Reason)
	}
}

// Every invariant that the harness knows, over random configurations, traffic and faults:
// INV-1, INV-3, INV-10 to INV-12, INV-20 to INV-22, INV-30 to INV-33, INV-40 to INV-44 and
// INV-50.
func TestCoreUnderRandomLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, w := drawConfig(t), drawWorld(t)
		h := newHarness(t, cfg, w.answer)
		h.exact = w.settle < 2
		h.timersFirst = rapid.Bool().Draw(t, "timers first")
		h.late = time.Duration(sometimes(t, "late", 1, int64(100*time.Millisecond)))
		h.traffic(t, &w)
		h.run(0)
		h.rest()
	})
}

// INV-4: the same configuration, traffic and answers lead to the same effects at the same
// instants.
func TestCoreIsDeterministic_INV4(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, w := drawConfig(t), drawWorld(t)
		n, seed := rapid.IntRange(1, 60).Draw(t, "requests"), rapid.Uint64().Draw(t, "traffic")
		digest := func() uint64 {
			h := newHarness(t, cfg, w.answer)
			for i := range uint64(n) {
				x := jitter.Hash(seed, i, 0)
				h.at(time.Duration(x%uint64(time.Minute)), func() {
					h.submit(stack.Request{
						ID: stack.RequestID(x), Class: stack.Class(x >> 8 % 3), Agent: uint32(x >> 16 % 50),
						Route: int(x >> 24 % uint64(len(cfg.Routes))), EstIn: int64(x >> 32 % 2000), MaxOut: int64(x >> 40 % 100),
					})
				})
			}
			h.run(0)
			return h.digest
		}
		if a, b := digest(), digest(); a != b {
			t.Fatalf("digests %x and %x of two runs", a, b)
		}
	})
}

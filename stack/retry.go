package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// longestRetryAfter bounds what a provider may ask for: a header of years is a fault
// of the header.
const longestRetryAfter = 24 * time.Hour

// conclude settles an attempt and decides what becomes of its request.
func (c *Core) conclude(i int32, o Outcome) {
	s := &c.slots[i]
	o.RetryAfter = min(max(o.RetryAfter, 0), longestRetryAfter)
	c.release(i, o)
	b := &c.budgets[s.quota]
	switch o.Kind {
	case Success:
		c.remember(s, &o)
		c.end(i, Succeeded, ReasonNone)
		return
	case BadRequest, TooLarge:
		c.end(i, Failed, ReasonOutcome)
		return
	case Unauthorized:
		c.kill(s.last().Key)
		c.end(i, Failed, ReasonOutcome)
		return
	case OutOfCredit:
		c.kill(s.last().Key)
	case RateLimited:
		if rest := c.rest(s, o); rest > 0 {
			b.exclude(c.now, c.now+rest)
			c.reweigh(b.gates)
			c.touchWaiting(b.gates)
		}
	}
	c.retry(i, o)
}

// rest is how long a quota rests after a refusal; 0: exclusion is off.
func (c *Core) rest(s *slot, o Outcome) time.Duration {
	if c.cfg.Rotation.Exclude == 0 {
		return 0
	}
	return max(c.cfg.Rotation.Exclude, o.RetryAfter) + c.straggle(s, o)
}

// straggle is how much longer than it must a quota rests: several stacks that were refused together must
// not come back together (INV-52), as requests that were told one wait must not (INV-41).
func (c *Core) straggle(s *slot, o Outcome) time.Duration {
	if c.cfg.Retry.NoJitter {
		return 0
	}
	return jitter.Spread(o.RetryAfter, c.cfg.Seed, uint64(s.req.ID), s.attempts)
}

// kill takes a key out of every rotation for good.
func (c *Core) kill(key int) {
	if c.cfg.Shared && !c.dead[key] {
		o := c.op(EffectKill)
		o.Kind, o.Key = fleet.OpKill, key
	}
	c.bury(key)
}

// bury is kill where the fleet knows it.
func (c *Core) bury(key int) {
	c.dead[key] = true
	for g := range c.gates {
		c.gates[g].stale, c.gates[g].scan = true, true
		c.measure(&c.gates[g])
		if c.gates[g].lines.Len() > 0 {
			c.touch(int32(g))
		}
	}
}

// retry lets a request wait for its next attempt, or ends it.
func (c *Core) retry(i int32, o Outcome) {
	s := &c.slots[i]
	unknown := s.req.Write && o.Kind.Unknown()
	switch {
	case unknown && c.cfg.Idempotency == IdempotencyNone:
		c.end(i, DeadLettered, ReasonUnsafe)
		return
	case s.attempts >= c.cfg.Retry.Attempts:
		c.end(i, DeadLettered, ReasonAttempts)
		return
	case !c.spend.withdraw():
		c.end(i, DeadLettered, ReasonRetryBudget)
		return
	}
	if unknown && c.cfg.Idempotency == IdempotencyKeys {
		s.pinned = true
	}
	same := true
	if o.Kind.stepFailure() {
		s.fails++
		if int(s.fails) >= c.cfg.Fallback.After || o.Kind == FirstTokenTimeout || o.Kind == GapTimeout {
			same = !c.nextStep(s)
		}
	}
	told := o.HasRetryAfter && same && (o.Kind != RateLimited || !c.elsewhere(s))
	s.state, s.since = stateBackoff, c.now
	c.arm(i, c.now+c.wait(s, o, told))
}

// wait is the one wait before a retry (INV-41, INV-42).
func (c *Core) wait(s *slot, o Outcome, told bool) time.Duration {
	r := &c.cfg.Retry
	id := uint64(s.req.ID)
	if r.NoJitter {
		d := jitter.Exponential(r.Base, r.Cap, s.attempts-1)
		if told {
			d = max(d, o.RetryAfter)
		}
		return d
	}
	d := jitter.Backoff(r.Base, r.Cap, s.attempts-1, c.cfg.Seed, id, s.attempts)
	if told {
		d = max(d, o.RetryAfter) + jitter.Spread(o.RetryAfter, c.cfg.Seed, id, s.attempts)
	}
	return d
}

// elsewhere reports whether the request's target has a quota open that the refusal
// did not concern. The told wait binds the quota that was refused, which exclusion
// keeps away from; another one may be asked after the ordinary backoff.
func (c *Core) elsewhere(s *slot) bool {
	if c.cfg.Rotation.Exclude == 0 {
		return false
	}
	for _, k := range c.gates[s.gate].keys {
		b := &c.budgets[k.Quota]
		if k.Weight > 0 && !c.dead[k.Key] && c.may(s, k.Quota) && b.excluded <= c.now {
			return true
		}
	}
	return false
}

// stepFailure reports whether the outcome speaks against the target rather than the
// key or the request.
func (k OutcomeKind) stepFailure() bool {
	switch k {
	case Overloaded, ServerError, ConnectFailed, FirstTokenTimeout, GapTimeout, StreamBroken:
		return true
	}
	return false
}

package stack

import (
	"context"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// now is the present instant.
func (c *Client) now() time.Duration { return time.Since(c.origin) }

// tell makes a call of the core, now. It is done under the lock, and drain follows.
func (c *Client) tell(in Input) Ticket {
	in.At = c.now()
	if c.cfg.Tape != nil {
		c.cfg.Tape(in)
	}
	return c.core.Apply(in)
}

// drain does what the core asks for. Like all that it calls it is done under the lock.
func (c *Client) drain() {
	effects := c.core.Effects()
	for i := range effects {
		e := &effects[i]
		if c.watch != nil {
			c.watch(e)
		}
		switch e.Kind {
		case EffectSend:
			c.send(&e.Attempt)
		case EffectAbort:
			c.abort(e)
		case EffectDone:
			c.end(e.Result)
		default:
			c.fleet.pass(e)
		}
	}
	c.arm()
	if c.fleet != nil {
		c.fleet.nudge()
	}
}

// slotOf is where a ticket's request is in the core. Its attempts have the same place.
func slotOf(t Ticket) int { return int(t >> 32) }

// keep remembers a call that was submitted, under the lock.
func (c *Client) keep(k *call) {
	i := slotOf(k.ticket)
	if n := i + 1 - len(c.calls); n > 0 {
		c.calls = append(c.calls, make([]*call, n)...)
	}
	c.calls[i] = k
}

// send starts the goroutine of an attempt. One that is granted as Close takes others out of its way
// never goes on the wire, and nobody is told of it; its call is about to be dropped.
func (c *Client) send(e *Attempt) {
	k := c.calls[slotOf(e.Ticket)]
	parent := c.base
	if k.ctx != context.Background() {
		parent = values{c.base, k.ctx}
	}
	a := &attempt{Attempt: *e, call: k, held: c.closed}
	a.ctx, a.cancel = context.WithCancel(parent)
	k.attempt, k.reply, k.problem, k.fault, k.limits = a, wire.Reply{}, nil, nil, noLimits
	if a.held {
		return
	}
	if c.cfg.Observer != nil {
		c.cfg.Observer.Sent(c.core.now, &a.Attempt)
	}
	c.busy.Add(1)
	go c.run(a)
}

// abort takes an attempt off the wire.
func (c *Client) abort(e *Effect) {
	k := c.calls[slotOf(e.Attempt.Ticket)]
	a := k.attempt
	k.attempt, a.why = nil, e.Why
	a.cancel()
	c.observeEnd(a)
}

// observeEnd shows the observer what the core has noted of an attempt that has just ended.
func (c *Client) observeEnd(a *attempt) {
	if c.cfg.Observer != nil && !a.held {
		c.cfg.Observer.Ended(c.core.now, &a.Attempt, c.core.slots[slotOf(a.Ticket)].last())
	}
}

// end hands out what became of a call that the core has ended.
func (c *Client) end(r *Result) {
	i := slotOf(r.Ticket)
	k := c.calls[i]
	c.calls[i] = nil
	if k.unhook != nil {
		k.unhook()
	}
	c.conclude(k, c.core.now, r)
}

// refuse ends a call that the core never hears of, under the lock.
func (c *Client) refuse(k *call, ending Ending, why Reason, cause error) {
	now := max(c.core.now, c.now())
	k.cause, k.late = cause, c.closed
	c.conclude(k, now, &Result{Request: k.Request, Ending: ending, Reason: why, Submitted: now, Ended: now})
}

// conclude tells everybody what became of a call.
func (c *Client) conclude(k *call, now time.Duration, r *Result) {
	k.over = true
	if r.CacheHit {
		k.reply = remembered(r)
	}
	k.answer = &Answer{Reply: k.reply, Limits: k.limits, Result: *r}
	k.answer.Result.Steps = slices.Clone(r.Steps)
	if r.Ending != Succeeded {
		k.failure = k.explain(&k.answer.Result)
	}
	if c.cfg.Observer != nil {
		c.cfg.Observer.Done(now, r)
	}
	switch {
	case k.failure == nil && k.then == nil:
		if !k.loose {
			close(k.ended)
		}
	case k.late: // Close may have returned
		go c.deliver(k)
	default:
		c.busy.Go(func() { c.deliver(k) })
	}
}

// deliver logs a failure and tells the caller that a call has ended, without the lock and on a goroutine
// of its own: a slow log or caller holds up nobody else.
func (c *Client) deliver(k *call) {
	if k.failure != nil {
		c.mourn(k)
	}
	if !k.loose {
		close(k.ended)
	} else if k.then != nil {
		k.then(k.result())
	}
}

// drop cancels a call, because of the cause, unless it has ended. It is done under the lock.
func (c *Client) drop(k *call, cause error) {
	if k.over {
		return
	}
	k.cause = cause
	c.tell(Input{Kind: InputCancel, Ticket: k.ticket})
	c.drain()
}

// arm sets the timer for the core's next deadline, under the lock. One that is set too early fires for
// nothing, which is cheaper than to set it for every request.
func (c *Client) arm() {
	at, ok := c.core.NextWake()
	if !ok || c.closed || c.armed && c.wakeAt <= at {
		return
	}
	c.armed, c.wakeAt = true, at
	c.timer.Reset(max(0, at-c.now()))
}

// wake is called by the timer.
func (c *Client) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = false
	if at, ok := c.core.NextWake(); ok && !c.closed && at <= c.now() {
		c.tell(Input{Kind: InputAdvance})
		c.drain()
		return
	}
	c.arm()
}

// hurry tells the core that an attempt has come further: its first token, or more of it.
func (c *Client) hurry(a *attempt, kind InputKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.call.attempt == a {
		c.tell(Input{Kind: kind, Attempt: a.ID})
		c.drain()
	}
}

// finish tells the core how an attempt has ended, unless it was taken off the wire before,
// and why it was.
func (c *Client) finish(a *attempt, v *verdict) (again bool, why OutcomeKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := a.call
	if k.attempt != a {
		return !k.over, a.why
	}
	k.attempt = nil
	k.reply, k.problem, k.fault, k.limits = v.reply, v.problem, v.fault, v.limits
	c.memorable(v)
	c.tell(Input{Kind: InputFinish, Attempt: a.ID, Outcome: v.Outcome})
	c.observeEnd(a)
	c.drain()
	return !k.over, OutcomeNone
}

// clock is the time of day, for the dates in answers.
func clock() time.Time { return time.Now() }

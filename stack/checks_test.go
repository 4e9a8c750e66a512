package stack_test

import (
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// checkSend: may this attempt be sent at all, here and now?
func (h *harness) checkSend(w *flight) {
	h.t.Helper()
	l, req := w.life, w.life.req
	step := h.cfg.Routes[req.Route].Steps[w.Step]
	in, capped := req.EstIn, int64(0)
	if c := h.cfg.Kinds[req.Kind].Context; c > 0 && in > c {
		in, capped = c, c
	}
	out := req.MaxOut
	if step.MaxOut > 0 {
		out = min(out, step.MaxOut)
	}
	switch window := h.cfg.Targets[w.Target].ContextWindow; {
	case w.Request != req.ID || w.Tag != req.Tag || w.Write != req.Write:
		h.t.Fatalf("attempt %+v does not belong to request %+v", w.Attempt, req)
	case w.Target != step.Target || w.Minimal != (step.MaxOut > 0):
		h.t.Fatalf("attempt at step %d went to target %d, minimal %v", w.Step, w.Target, w.Minimal)
	case w.EstIn != in || w.ContextCap != capped || w.MaxOut != out:
		h.t.Fatalf("attempt has %d tokens in (cap %d), %d out; want %d (%d), %d", w.EstIn, w.ContextCap, w.MaxOut, in, capped, out)
	case window > 0 && in+out > window:
		h.t.Fatalf("%d tokens were sent to a context window of %d", in+out, window)
	case w.quota < 0:
		h.t.Fatalf("key %d does not belong to target %d, or has weight 0", w.Key, w.Target)
	case h.dead[w.Key]:
		h.t.Fatalf("sent on the dead key %d (INV-44)", w.Key)
	case w.Number != len(l.attempts)+1 || w.Number > h.cfg.Retry.Attempts:
		h.t.Fatalf("attempt %d after %d others, %d are allowed (INV-40)", w.Number, len(l.attempts), h.cfg.Retry.Attempts)
	}
	if d := h.cfg.Timeouts.Deadline[req.Class]; d > 0 && h.now > l.submitted+d+h.late {
		h.t.Fatalf("sent at %v, after its deadline at %v", h.now, l.submitted+d)
	}
	q, lower := h.quotas[w.quota], req.Class != stack.P0
	if h.now < q.excluded {
		h.t.Fatalf("sent at %v on a quota that rests until %v (INV-50)", h.now, q.excluded)
	}
	if !q.fits(w.charge, lower) || q.earliest(h.now, w.charge, lower) > h.now {
		h.t.Fatalf("%v of %d tokens sent at %v on quota %d, which allows it at %v (INV-10, INV-12, INV-31)",
			req.Class, w.charge, h.now, w.quota, q.earliest(h.now, w.charge, lower))
	}
	if w.Write {
		want := h.cfg.Idempotency == stack.IdempotencyKeys
		if (w.IdempotencyKey != 0) != want {
			h.t.Fatalf("write sent with key %d under policy %d (INV-43)", w.IdempotencyKey, h.cfg.Idempotency)
		}
	} else if w.IdempotencyKey != 0 {
		h.t.Fatalf("read sent with an idempotency key")
	}
	if n := len(l.attempts); n > 0 {
		h.checkRetry(l.attempts[n-1], w)
	}
}

// checkRetry: may w follow prev?
func (h *harness) checkRetry(prev, w *flight) {
	h.t.Helper()
	o := prev.outcome
	if prev.open {
		h.t.Fatalf("two attempts of request %d on the wire at once (INV-21)", w.Request)
	}
	switch o.Kind {
	case stack.Success, stack.BadRequest, stack.TooLarge, stack.Unauthorized:
		h.t.Fatalf("retry after %v (INV-44)", o.Kind)
	}
	if w.Step < prev.Step {
		h.t.Fatalf("step went back from %d to %d", prev.Step, w.Step)
	}
	n := prev.Number
	if waited, least := h.now-prev.ended, h.leastBackoff(n); waited < least {
		h.t.Fatalf("attempt %d came %v after the one before, the backoff is at least %v (INV-42)", w.Number, waited, least)
	}
	told := o.HasRetryAfter && prev.Target == w.Target && (o.Kind != stack.RateLimited || prev.quota == w.quota)
	if told && h.now < prev.ended+min(o.RetryAfter, 24*time.Hour) {
		h.t.Fatalf("retry at %v, earlier than told: %v after %v (INV-41)", h.now, o.RetryAfter, prev.ended)
	}
	if !w.Write {
		return
	}
	for _, a := range w.life.attempts {
		unknown := a.outcome.Kind == stack.OutcomeNone || a.outcome.Kind.Unknown()
		switch {
		case w.IdempotencyKey != a.IdempotencyKey:
			h.t.Fatalf("write sent under the keys %d and %d (INV-43)", a.IdempotencyKey, w.IdempotencyKey)
		case unknown && h.cfg.Idempotency == stack.IdempotencyNone:
			h.t.Fatalf("write of unknown outcome retried without a key (INV-43)")
		case unknown && h.cfg.Idempotency == stack.IdempotencyKeys && (a.Target != w.Target || a.MaxOut != w.MaxOut || a.EstIn != w.EstIn):
			h.t.Fatalf("write of unknown outcome retried with another body or target (INV-43)")
		}
	}
}

// exponential is the backoff after the n-th attempt, before the jitter.
func (h *harness) exponential(n int) time.Duration {
	d := h.cfg.Retry.Base
	for ; n > 1 && d < h.cfg.Retry.Cap; n-- {
		d *= 2
	}
	return min(d, h.cfg.Retry.Cap)
}

func (h *harness) leastBackoff(n int) time.Duration {
	if h.cfg.Retry.NoJitter {
		return h.exponential(n)
	}
	return h.exponential(n) / 2
}

func (h *harness) mostBackoff(w *flight) time.Duration {
	d := h.exponential(w.Number)
	if !h.cfg.Retry.NoJitter {
		d += d / 2
	}
	if w.outcome.HasRetryAfter {
		ra := min(w.outcome.RetryAfter, 24*time.Hour)
		d = max(d, ra)
		if !h.cfg.Retry.NoJitter {
			d += max(time.Second, ra/2)
		}
	}
	return d + h.late
}

// checkLimits: concurrency and the sliding minute, w included. Of the limits before and
// after the call the higher one counts: it may have been lowered after the grant.
func (h *harness) checkLimits(w *flight) {
	h.t.Helper()
	lower := w.life.req.Class != stack.P0
	limit := max(h.limits[w.Target], h.limits2[w.Target])
	if lower {
		limit -= reserved(limit, h.cfg.Reserve.Slots)
	}
	if h.inFlight[w.Target] > limit {
		h.t.Fatalf("%d in flight at target %d, %v may have %d (INV-20, INV-31)", h.inFlight[w.Target], w.Target, w.life.req.Class, limit)
	}
	if !h.exact {
		return
	}
	q := h.quotas[w.quota]
	for _, l := range []*ledger{q.requests, q.tokens} {
		if l == nil {
			continue
		}
		if most, _ := l.limits(lower); l.minute(h.now) > most {
			h.t.Fatalf("%d in the minute up to %v on quota %d, %v may have %d (INV-11, INV-31)", l.minute(h.now), h.now, w.quota, w.life.req.Class, most)
		}
	}
}

func (h *harness) checkRetryBudget() {
	h.t.Helper()
	r := &h.cfg.Retry
	if r.BudgetPercent == 0 && r.BudgetBurst == 0 {
		return
	}
	if 100*h.retries > 100*r.BudgetBurst+r.BudgetPercent*h.firsts {
		h.t.Fatalf("%d retries of %d first attempts, budget %d %% and %d in hand (INV-40)", h.retries, h.firsts, r.BudgetPercent, r.BudgetBurst)
	}
}

// onDone checks a result on its own and against what was seen of the request.
func (h *harness) onDone(r *stack.Result) {
	h.t.Helper()
	l := h.lives[r.Ticket]
	if l == nil || l.done {
		h.t.Fatalf("ticket %d ended twice, or was never handed out (INV-1)", r.Ticket)
	}
	l.done = true
	h.nEnded++
	h.endings[r.Ending]++
	h.reasons[r.Reason]++
	c := *r
	c.Steps = slices.Clone(r.Steps)
	h.results = append(h.results, c)
	if r.Request != l.req || r.Submitted != l.submitted || r.Ended != h.now {
		h.t.Fatalf("result %+v of request %+v submitted at %v, ended at %v", r, l.req, l.submitted, h.now)
	}
	if sum := r.Capped + r.Queued + r.Backoff + r.OnWire; sum != r.Ended-r.Submitted || min(r.Capped, r.Queued, r.Backoff, r.OnWire) < 0 {
		h.t.Fatalf("parts %v + %v + %v + %v are not %v (INV-3)", r.Capped, r.Queued, r.Backoff, r.OnWire, r.Ended-r.Submitted)
	}
	if len(r.Steps) != len(l.attempts) {
		h.t.Fatalf("%d steps of %d attempts", len(r.Steps), len(l.attempts))
	}
	if d := h.cfg.Timeouts.Deadline[l.req.Class%stack.NumClasses]; d > 0 && r.Ended > r.Submitted+d+h.late && r.Reason != stack.ReasonInvalid {
		h.t.Fatalf("ended at %v, its deadline was %v", r.Ended, r.Submitted+d)
	}
	h.checkSteps(l, r)
	h.checkEnding(l, r)
	if len(r.Steps) > 0 || r.Queued > 0 {
		h.byAgent[l.req.Agent] = append(h.byAgent[l.req.Agent], r.Submitted+r.Capped)
	}
}

// checkSteps: instants in order, and the parts made of them (INV-3).
func (h *harness) checkSteps(l *life, r *stack.Result) {
	h.t.Helper()
	last, onWire, most := r.Submitted+r.Capped, time.Duration(0), time.Duration(0)
	for i, s := range r.Steps {
		w := l.attempts[i]
		if s.Target != w.Target || s.Key != w.Key || s.Degrade != w.Step || s.Sent != w.sent || s.Ended != w.ended || s.FirstToken != w.first {
			h.t.Fatalf("step %+v of attempt %+v, sent %v, first token %v, ended %v", s, w.Attempt, w.sent, w.first, w.ended)
		}
		if s.Queued < last || s.Sent < s.Queued || s.Ended < s.Sent || s.FirstToken != 0 && (s.FirstToken < s.Sent || s.FirstToken > s.Ended) {
			h.t.Fatalf("step %d: queued %v, sent %v, first token %v, ended %v, after %v (INV-3)", i, s.Queued, s.Sent, s.FirstToken, s.Ended, last)
		}
		if wait := h.cfg.Queue.MaxWait; wait > 0 && s.Sent-s.Queued > wait+h.late {
			h.t.Fatalf("step %d waited %v at one gate, at most %v is allowed", i, s.Sent-s.Queued, wait)
		}
		if s.Outcome.Kind != max(w.outcome.Kind, w.aborted) {
			h.t.Fatalf("step %d ended with %v, the wire said %v", i, s.Outcome.Kind, max(w.outcome.Kind, w.aborted))
		}
		last, onWire = s.Ended, onWire+s.Ended-s.Sent
		most += h.mostBackoff(w)
	}
	if onWire != r.OnWire {
		h.t.Fatalf("on the wire for %v, the steps say %v", r.OnWire, onWire)
	}
	if r.Backoff > most {
		h.t.Fatalf("waited %v between attempts, at most %v is allowed (INV-41, INV-42)", r.Backoff, most)
	}
}

// checkEnding: does the ending follow from the last outcome?
func (h *harness) checkEnding(l *life, r *stack.Result) {
	h.t.Helper()
	last := stack.OutcomeNone
	if n := len(r.Steps); n > 0 {
		last = r.Steps[n-1].Outcome.Kind
	}
	if n := len(l.attempts); n > 0 && l.attempts[n-1].open {
		h.t.Fatalf("request %d ended with an attempt on the wire (INV-21)", r.Request.ID)
	}
	sound := false
	switch r.Ending {
	case stack.Succeeded:
		sound = last == stack.Success && r.Reason == stack.ReasonNone
	case stack.Failed:
		sound = (last == stack.BadRequest || last == stack.TooLarge || last == stack.Unauthorized) && r.Reason == stack.ReasonOutcome
	case stack.Rejected:
		sound = len(r.Steps) == 0 && r.Reason != stack.ReasonNone
	case stack.Cancelled:
		sound = l.cancelled && r.Reason == stack.ReasonCaller
	case stack.DeadLettered:
		switch r.Reason {
		case stack.ReasonAttempts:
			sound = len(r.Steps) == h.cfg.Retry.Attempts
		case stack.ReasonUnsafe:
			sound = h.cfg.Idempotency == stack.IdempotencyNone && r.Request.Write && last.Unknown()
		case stack.ReasonDeadline:
			sound = r.Ended >= r.Submitted+h.cfg.Timeouts.Deadline[r.Request.Class]
		default:
			sound = r.Reason != stack.ReasonNone
		}
	}
	if last == stack.Success && r.Ending != stack.Succeeded || !sound {
		h.t.Fatalf("request %d: %v for %v after the outcome %v and %d attempts (cancelled %v)", r.Request.ID, r.Ending, r.Reason, last, len(r.Steps), l.cancelled)
	}
}

// checkOrder: of those that waited at a gate before and after the call, none may be of a
// higher class than one granted there meanwhile, nor before it in its class (INV-30).
func (h *harness) checkOrder() {
	h.t.Helper()
	const last = ^uint64(0)
	find := func(list []stack.Waiter, t stack.Ticket) uint64 {
		for _, w := range list {
			if w.Ticket == t {
				return w.Seq
			}
		}
		return last
	}
	for _, w := range h.sentNow {
		g, class := w.Target, w.life.req.Class
		seq := find(h.before[g], w.Ticket)
		for _, x := range h.after[g] {
			if find(h.before[g], x.Ticket) != x.Seq {
				continue // entered during the call
			}
			if x.Class < class || x.Class == class && x.Seq < seq {
				h.t.Fatalf("%v was granted at gate %d at %v while a %v waited before it (INV-30)", class, g, h.now, x.Class)
			}
		}
	}
}

// checkQueues: lines are bounded, P0's places stay free of others, nobody waits for too
// long (INV-31, INV-32).
func (h *harness) checkQueues() {
	h.t.Helper()
	bound := h.cfg.Queue.Bound
	for g, list := range h.after {
		lower := 0
		for _, w := range list {
			if w.Class != stack.P0 {
				lower++
			}
			if most := h.cfg.Queue.MaxWait; most > 0 && h.now > w.Since+most+h.late {
				h.t.Fatalf("a request has waited at gate %d from %v until %v, at most %v is allowed", g, w.Since, h.now, most)
			}
			if w.Next && h.now > w.Since+h.cfg.Fallback.MaxWait+h.late {
				h.t.Fatalf("a request that may degrade has waited at gate %d from %v until %v", g, w.Since, h.now)
			}
		}
		if h.cfg.Queue.Overflow != stack.OverflowReject {
			continue
		}
		if len(list) > bound || lower > bound-bound*h.cfg.Reserve.Queue/100 {
			h.t.Fatalf("%d wait at gate %d, %d of them lower, the bound is %d (INV-31, INV-32)", len(list), g, lower, bound)
		}
	}
}

// checkAdmission judges the rejections of the Submit that has just happened.
func (h *harness) checkAdmission(l *life) {
	h.t.Helper()
	for _, e := range h.core.Effects() {
		if e.Kind != stack.EffectDone || h.light {
			continue
		}
		r := e.Result
		target := h.cfg.Routes[r.Request.Route%len(h.cfg.Routes)].Steps[r.Degrade].Target
		lower := 0
		for _, w := range h.before[target] {
			if w.Class > l.req.Class {
				lower++
			}
		}
		switch {
		case r.Reason == stack.ReasonQueueFull && r.Ticket == l.ticket:
			full := h.cfg.Queue.Bound
			if l.req.Class != stack.P0 {
				full -= full * h.cfg.Reserve.Queue / 100
			}
			if lower > 0 || len(h.before[target]) < full {
				h.t.Fatalf("%v refused although %d of %d wait, %d of them lower (INV-32)", l.req.Class, len(h.before[target]), full, lower)
			}
		case r.Reason == stack.ReasonEvicted:
			last := h.before[target][len(h.before[target])-1]
			if r.Ticket != last.Ticket || last.Class <= l.req.Class {
				h.t.Fatalf("%v evicted for %v, the last in line was %v (INV-32)", r.Request.Class, l.req.Class, last.Class)
			}
		}
	}
}

// checkWork: no head waits that could be granted, and the next wake-up is not later than
// the instant at which it could (INV-22).
func (h *harness) checkWork() {
	h.t.Helper()
	wake, armed := h.core.NextWake()
	if armed && wake <= h.now {
		return // the driver is about to call Advance
	}
	for g, list := range h.after {
		if n := h.core.Gate(g).InFlight; n != h.inFlight[g] {
			h.t.Fatalf("gate %d has %d in flight, the wire %d", g, n, h.inFlight[g])
		}
		if len(list) == 0 {
			continue
		}
		head := list[0]
		lower := head.Class != stack.P0
		limit := h.limits2[g]
		if lower {
			limit -= reserved(limit, h.cfg.Reserve.Slots)
		}
		holds, until, known := h.core.BreakerHolds(g)
		var at time.Duration
		switch {
		case holds && known:
			at = until
		case holds, h.inFlight[g] >= limit:
			if h.inFlight[g] == 0 {
				h.t.Fatalf("gate %d holds its head back, and nothing is in flight that could wake it (INV-22)", g)
			}
			continue
		default:
			at = h.earliest(g, head, lower)
		}
		if at <= h.now {
			h.t.Fatalf("the head of gate %d could be granted at %v and waits (INV-22)", g, h.now)
		}
		if !armed || wake > at {
			h.t.Fatalf("the head of gate %d can be granted at %v, the core wakes at %v (INV-22)", g, at, wake)
		}
	}
	for q, m := range h.quotas {
		requests, tokens := h.core.QuotaUsed(q)
		if requests != m.requests.used(h.now) || tokens != m.tokens.used(h.now) {
			h.t.Fatalf("quota %d holds %d requests and %d tokens at %v, the model %d and %d",
				q, requests, tokens, h.now, m.requests.used(h.now), m.tokens.used(h.now))
		}
	}
}

// earliest returns when some key of a target could take a request of the charge.
func (h *harness) earliest(target int, head stack.Waiter, lower bool) time.Duration {
	tokens := head.Charge
	at := time.Duration(1<<63 - 1)
	for _, u := range h.cfg.Targets[target].Keys {
		if q := h.quotas[u.Quota]; (head.Pinned < 0 || head.Pinned == u.Quota) && u.Weight > 0 && !h.dead[u.Key] && q.fits(tokens, lower) {
			free := q.earliest(h.now, tokens, lower)
			if gate, until, ok := h.core.Claimed(u.Quota); ok && gate != target {
				// A request of another gate waits for this quota; if it comes before, it goes first.
				if len(h.after[gate]) == 0 {
					h.t.Fatalf("quota %d is kept for gate %d, where nothing waits", u.Quota, gate)
				}
				if first := h.after[gate][0]; first.Class < head.Class || first.Class == head.Class && first.Seq < head.Seq {
					free = max(free, until)
				}
			}
			at = min(at, free)
		}
	}
	return at
}

// checkAgentCaps: what the caps let go follows each agent's schedule (INV-10).
func (h *harness) checkAgentCaps() {
	h.t.Helper()
	c := &h.cfg.AgentCap
	if c.PerMinute == 0 {
		return
	}
	interval := (time.Minute + time.Duration(c.PerMinute) - 1) / time.Duration(c.PerMinute)
	for agent, list := range h.byAgent {
		slices.Sort(list)
		tat := time.Duration(0)
		for _, at := range list {
			if tat-at > interval*time.Duration(c.Burst-1)+h.late {
				h.t.Fatalf("agent %d was let go at %v, %v ahead of its schedule (INV-10)", agent, at, tat-at)
			}
			tat = max(tat, at) + interval
		}
	}
}

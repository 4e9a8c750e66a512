package mockupstream

import "time"

// Admit decides, at the instant a call arrives, what will become of it. Token counts are
// held to 0..10^12. It panics if the call's key or model is out of range.
func (p *Provider) Admit(now time.Duration, c Call) (plan Plan) {
	now = p.tick(now)
	c.In, c.MaxOut, c.Out, c.Prefix = count(c.In), count(c.MaxOut), count(c.Out), count(c.Prefix)
	m := &p.models[c.Model]
	cell := c.Key*len(p.models) + c.Model
	ids := p.scope(cell, m, c.In)
	book := &p.keyBooks[cell]
	p.books.Received++
	book.Received++
	p.calls.note(now)
	if c.Attempt > 1 {
		p.retries.note(now)
	}
	hash := callHash(p.seed, c.ID, c.Attempt)
	var h hits
	if len(p.active) > 0 {
		h = p.disturb(hash, &c)
	}
	plan.At, plan.End = now, now+m.cfg.Latency.Refusal // unless it is admitted
	if h.refuse {
		p.books.Faulted++
		plan.Fate = FateRefused
		return plan
	}
	if c.Attempt > 1 && p.waits.early(now, c.ID, ids) {
		p.books.EarlyRetries++
	}
	if h.blackhole {
		p.hold(&plan, &c, m, ids, modeBlackhole)
		plan = Plan{ID: plan.ID, At: now, Fate: FateHang}
		return plan
	}
	replay, conflict := p.writes.begin(p.accounts[cell], &c)
	if len(ids) == 0 || !m.fits(&c) || conflict || h.status != 0 || h.broke || h.burst != 0 {
		p.turnAway(now, &plan, &c, m, ids, book, &h, conflict)
		return plan
	}
	a := ask{tokens: m.dialect.tokens(c.In, c.MaxOut), in: c.In, maxOut: c.MaxOut}
	if m.dialect.uncached {
		p.estimate(now, &c, m, &a)
	}
	if q := &p.quotas[ids[0]]; len(ids) > 1 || !q.room(now, a.tokens) {
		if v, at := p.check(now, m, ids, &a); v.code != CodeOK {
			p.exceed(now, &plan, &c, m, ids, at, book, &a, v)
			return plan
		}
	}
	start, ok := m.place(now)
	if !ok {
		p.fail(&plan, m.dialect.overloaded)
		return plan
	}
	if start > now && start-now > m.maxWait() {
		p.close(now, &plan, &c, m, ids)
		return plan
	}
	for _, i := range ids {
		p.quotas[i].charge(now, &a)
	}
	p.books.Admitted++
	book.Admitted++
	plan.Status = 200
	p.limits(ids, &plan.Limits)
	s := p.start(start, &plan, &c, m, hash, &h, replay)
	if len(ids) > 1 || p.quotas[ids[0]].tracked {
		p.track(s, ids)
		p.follow(&plan, s, &c, m, ids)
	}
	return plan
}

// turnAway answers a call that is refused whatever the limits say.
func (p *Provider) turnAway(now time.Duration, plan *Plan, c *Call, m *model, ids []int32, book *KeyBook, h *hits, conflict bool) {
	switch {
	case len(ids) == 0:
		p.refuse(plan, 401, CodeUnauthorized)
	case !m.fits(c):
		p.refuse(plan, 400, CodeContextLength)
	case conflict:
		p.refuse(plan, 409, CodeConflict)
	case h.status != 0:
		p.fail(plan, int(h.status))
	default:
		p.script(now, plan, m, ids, book, h)
		p.tell(now, plan, c, m)
	}
}

// estimate sets what a call whose cache reads do not count is charged at first.
func (p *Provider) estimate(now time.Duration, c *Call, m *model, a *ask) {
	in := c.In
	if c.EstIn > 0 {
		in = count(c.EstIn)
	}
	a.cached = min(in, m.cache.peek(now, &m.cfg.Cache, p.tenant(c), c))
	a.tokens = in - a.cached
}

// check asks all quotas, brought up to date, and returns the gravest answer and whose it is. None
// is charged unless all agree.
func (p *Provider) check(now time.Duration, m *model, ids []int32, a *ask) (worst verdict, at int32) {
	at = ids[0]
	for _, i := range ids {
		q := &p.quotas[i]
		q.drain(now)
		if q.cfg.Spend > 0 {
			a.rates = m.cfg.Price.Rates(m.cfg.Price.IsLong(a.in))
		}
		if v := q.check(a); v.code != CodeOK && (worst.code == CodeOK || v.graver(&worst)) {
			worst, at = v, i
		}
	}
	return worst, at
}

// limits fills in what the headers say: the first quota's state, and the second one's tokens.
func (p *Provider) limits(ids []int32, l *Limits) {
	q := &p.quotas[ids[0]]
	q.limits(l)
	if len(ids) > 1 && q.fluid == nil {
		second := &p.quotas[ids[1]].tokens
		l.LimitSecond = second.leaky.limit
		l.RemainingSecond, l.ResetSecond = second.state()
	}
}

// refuse answers a 4xx.
func (p *Provider) refuse(plan *Plan, status int, code Code) {
	p.books.Refused++
	plan.Status, plan.Code = status, code
}

// fail answers a 5xx.
func (p *Provider) fail(plan *Plan, status int) {
	p.books.Faulted++
	plan.Status, plan.Code = status, CodeServerError
	if status == 503 || status == 529 {
		plan.Code = CodeOverloaded
	}
}

// script answers as a scripted refusal does: out of credit, or a burst.
func (p *Provider) script(now time.Duration, plan *Plan, m *model, ids []int32, book *KeyBook, h *hits) {
	for _, i := range ids {
		p.quotas[i].drain(now)
	}
	plan.Refusal.Quota = ids[0]
	if h.broke {
		plan.Refusal.Meter = MeterSpend
		p.limit(now, plan, m, ids, book, m.dialect.noCredit, CodeNoCredit)
		return
	}
	wait, told := p.faults[h.burst-1].retryAfter(now)
	grid, code := m.dialect.grid, CodeRateLimitRequests
	if m.dialect.burstGrid > 0 {
		grid = m.dialect.burstGrid
	}
	if m.dialect.burst != CodeOK && !told {
		code = m.dialect.burst
	}
	plan.RetryAfter, plan.HasRetryAfter = ceilTo(wait, grid), told
	p.limit(now, plan, m, ids, book, 429, code)
}

// limit answers for the quota plan.Refusal.Quota. The quotas must be drained.
func (p *Provider) limit(now time.Duration, plan *Plan, m *model, ids []int32, book *KeyBook, status int, code Code) {
	if status == 429 {
		p.books.Refused429++
		book.Refused429++
	}
	q := &p.quotas[plan.Refusal.Quota]
	q.minute(now).Refused++
	p.limits(ids, &plan.Limits)
	p.refuse(plan, status, code)
}

// tell remembers the wait that a refused call was told, if it was.
func (p *Provider) tell(now time.Duration, plan *Plan, c *Call, m *model) {
	if !plan.HasRetryAfter {
		return
	}
	from := plan.End
	if m.dialect.dated && plan.Refusal.Meter != MeterNone {
		from = now
	}
	p.waits.tell(now, plan.End, from+plan.RetryAfter, c.ID, plan.Refusal.Quota)
}

// exceed answers a call that a limit of quota at refused. Where refused calls count, the wait is
// the one after this call was charged too: following it must succeed.
func (p *Provider) exceed(now time.Duration, plan *Plan, c *Call, m *model, ids []int32, at int32, book *KeyBook, a *ask, v verdict) {
	if v.wait > 0 || m.dialect.countsRefused && v.code == CodeRequestTooLarge {
		counted := false
		for _, i := range ids {
			if q := &p.quotas[i]; q.counted {
				q.fill(now, a, v.code == CodeRequestTooLarge)
				counted = true
			}
		}
		if counted {
			v, at = p.check(now, m, ids, a)
		}
	}
	p.quotas[at].explain(&plan.Refusal, a, &v)
	plan.Refusal.Quota = at
	if v.wait > 0 {
		plan.RetryAfter, plan.HasRetryAfter = p.told(now, m.dialect, ids, v), true
	}
	status := 429
	if v.code == CodeNoCredit {
		status = m.dialect.noCredit
	}
	p.limit(now, plan, m, ids, book, status, v.code)
	p.tell(now, plan, c, m)
}

// told is the wait that the answer says: rounded up to what the dialect can say, and to an instant
// at which output that will be generated until then leaves room.
func (p *Provider) told(now time.Duration, d *dialect, ids []int32, v verdict) time.Duration {
	wait := ceilTo(v.wait, d.grid)
	if d.shortDay && v.meter == MeterDayRequests {
		return ceilTo(p.clock.next(now, time.Minute)-now, d.grid)
	}
	for settled := false; !settled; {
		settled = true
		for _, i := range ids {
			if f := p.quotas[i].fluid; f != nil {
				open := f.open(now, wait, d.grid)
				settled = settled && open == wait
				wait = open
			}
		}
	}
	return wait
}

// count holds a number of tokens to what the sums can take.
func count(tokens int64) int64 {
	return min(max(0, tokens), maxLimit)
}

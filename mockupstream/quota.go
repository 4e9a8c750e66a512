package mockupstream

import "time"

// quota is the live state of a Quota: its meters and what it saw.
type quota struct {
	cfg              Quota
	dialect          *dialect
	requests, tokens meter // per minute
	plain            bool  // these two, as buckets, are all there is: the fast way
	counted          bool  // refused calls count
	tracked          bool  // it matters when calls end
	more             []meter
	slope            *slope
	fluid            *fluid
	now              time.Duration // of the last drain
	open             int64         // calls, where that is limited
	spent            int64         // pico-USD
	minutes          []Minute
	sliding          rolling
}

func newQuota(cfg Quota, d *dialect, clock calendar) quota {
	q := quota{cfg: cfg, dialect: d, counted: cfg.CountRefused || d.countsRefused}
	d.build(&q, clock)
	q.plain = q.requests.window == nil && q.tokens.window == nil && len(q.more) == 0 && q.slope == nil &&
		q.fluid == nil && cfg.Concurrency == 0 && cfg.Spend == 0 && !cfg.CountCached
	q.tracked = q.fluid != nil || cfg.Concurrency > 0 || cfg.Spend > 0 || d.uncached
	return q
}

// ask is what a call wants of its quotas.
type ask struct {
	tokens, cached int64 // on TPM: without cache reads, where those do not count; and these
	in, maxOut     int64
	rates          Rates
}

// on is what the call is charged on the quota's TPM.
func (a *ask) on(q *quota) int64 {
	if q.cfg.CountCached {
		return a.tokens + a.cached
	}
	return a.tokens
}

// verdict is a quota's answer to a call.
type verdict struct {
	code  Code
	meter Meter         // the limit that is broken and has to be waited for longest
	wait  time.Duration // until all limits have room, in whole ms; 0: no use waiting
	exact time.Duration // wait, rounded down to ns
}

// graver reports whether v weighs more than u: no use waiting before a wait that nobody
// knows, before the longest wait.
func (v *verdict) graver(u *verdict) bool {
	weight := func(v *verdict) int64 {
		switch v.code {
		case CodeNoCredit:
			return most
		case CodeRequestTooLarge:
			return most - 1
		case CodeConcurrency:
			return most - 2
		}
		return int64(min(v.wait, most-3))
	}
	return weight(v) > weight(u)
}

// drain brings all meters up to date.
func (q *quota) drain(now time.Duration) {
	if q.plain {
		q.requests.leaky.drain(now)
		q.tokens.leaky.drain(now)
		return
	}
	q.now = now
	q.requests.drain(now)
	q.tokens.drain(now)
	for i := range q.more {
		q.more[i].drain(now)
	}
	if q.slope != nil {
		q.slope.drain(now)
	}
	if q.fluid != nil {
		q.fluid.drain(now)
	}
}

// room brings a plain quota up to date and reports whether a call is within its limits. It is
// false for other quotas: ask check.
func (q *quota) room(now time.Duration, tokens int64) bool {
	if !q.plain {
		return false
	}
	q.requests.leaky.drain(now)
	q.tokens.leaky.drain(now)
	return q.requests.leaky.room(1) && q.tokens.leaky.room(tokens)
}

// check says whether a call is within all limits, and if not, which one it breaks and how long
// it must wait. Where it breaks several, the longest wait counts: only then is the
// answer one that can be relied on. The meters must be drained.
func (q *quota) check(a *ask) verdict {
	tokens := a.on(q)
	if limit := q.tokens.leaky.limit; limit > 0 && tokens > limit {
		v := verdict{code: CodeRequestTooLarge, meter: MeterTokens}
		if q.broke(a) {
			v = verdict{code: CodeNoCredit, meter: MeterSpend}
		}
		return v
	}
	if q.plain {
		wait, exact := q.requests.leaky.waits(1)
		other, otherExact := q.tokens.leaky.waits(tokens)
		switch {
		case wait == 0 && other == 0:
			return verdict{}
		case wait >= other:
			return verdict{CodeRateLimitRequests, MeterRequests, wait, exact}
		}
		return verdict{CodeRateLimitTokens, MeterTokens, other, otherExact}
	}
	var v verdict
	q.checkAll(a, tokens, &v)
	return v
}

// checkAll is check for quotas that are not plain, less the token limit itself.
func (q *quota) checkAll(a *ask, tokens int64, v *verdict) {
	if q.broke(a) {
		*v = verdict{code: CodeNoCredit, meter: MeterSpend}
		return
	}
	longest := func(code Code, meter Meter, wait, exact time.Duration) {
		if wait > v.wait {
			*v = verdict{code, meter, wait, exact}
		}
	}
	wait, exact := q.requests.wait(1)
	longest(CodeRateLimitRequests, MeterRequests, wait, exact)
	wait, exact = q.tokens.wait(tokens)
	longest(CodeRateLimitTokens, MeterTokens, wait, exact)
	for i := range q.more {
		m := &q.more[i]
		code := CodeRateLimitRequests
		if m.tokens {
			if code = CodeRateLimitTokens; tokens > m.leaky.limit {
				*v = verdict{code: CodeRequestTooLarge, meter: m.kind}
				return
			}
		}
		wait, exact = m.wait(m.amount(tokens))
		longest(code, m.kind, wait, exact)
	}
	if q.cfg.Concurrency > 0 && q.open >= q.cfg.Concurrency {
		*v = verdict{code: CodeConcurrency, meter: MeterConcurrency}
		return
	}
	if q.slope != nil {
		wait := q.slope.wait(q.now, tokens)
		longest(CodeSlowDown, MeterSlope, ceilTo(wait, time.Millisecond), wait)
	}
	if q.fluid != nil {
		wait := q.fluid.open(q.now, 0, 1)
		longest(CodeRateLimitTokens, MeterOutput, ceilTo(wait, time.Millisecond), wait)
	}
}

// broke reports whether the credit is used up, or would not pay for the call.
func (q *quota) broke(a *ask) bool {
	if q.cfg.Spend == 0 {
		return false
	}
	if q.dialect.prepays {
		return plus(q.spent, a.rates.Cost(Usage{In: a.in, Out: a.maxOut}, 0)) > q.cfg.Spend
	}
	return q.spent >= q.cfg.Spend
}

// broken returns the limits per time that have no room for a call.
func (q *quota) broken(a *ask) (set Meters) {
	tokens := a.on(q)
	if q.requests.full(1) {
		set |= 1 << MeterRequests
	}
	if limit := q.tokens.leaky.limit; limit > 0 && (tokens > limit || q.tokens.full(tokens)) {
		set |= 1 << MeterTokens
	}
	for i := range q.more {
		m := &q.more[i]
		if n := m.amount(tokens); n > m.leaky.limit || m.full(n) {
			set |= 1 << m.kind
		}
	}
	return set
}

// explain fills in what an error text says of the limit that a call broke.
func (q *quota) explain(r *Refusal, a *ask, v *verdict) {
	tokens := a.on(q)
	r.Meter, r.Broken, r.Wait = v.meter, 1<<v.meter, v.exact
	if q.dialect.lists {
		r.Broken |= q.broken(a)
	}
	switch v.meter {
	case MeterRequests:
		r.Limit, r.Used, r.Requested = q.requests.leaky.limit, q.requests.used(), 1
	case MeterTokens:
		r.Limit, r.Used, r.Requested = q.tokens.leaky.limit, q.tokens.used(), tokens
	case MeterOutput:
		r.Limit, r.Used, r.Requested = q.fluid.limit, int64(min(q.fluid.used(), most)), 1
	case MeterSlope:
		r.Limit, r.Used, r.Requested = q.slope.limit(), q.slope.used, tokens
	case MeterConcurrency:
		r.Limit, r.Used, r.Requested = q.cfg.Concurrency, q.open, 1
	case MeterSpend:
		r.Limit, r.Used, r.Requested = q.cfg.Spend, q.spent, a.rates.Cost(Usage{In: a.in, Out: a.maxOut}, 0)
	default:
		for i := range q.more {
			if m := &q.more[i]; m.kind == v.meter {
				r.Limit, r.Used, r.Requested = m.leaky.limit, m.used(), m.amount(tokens)
			}
		}
	}
}

// charge takes an admitted request from all limits. It must have passed check at the same instant.
func (q *quota) charge(now time.Duration, a *ask) {
	tokens := a.on(q)
	if q.plain {
		q.requests.leaky.charge(1)
		q.tokens.leaky.charge(tokens)
	} else {
		q.requests.charge(1)
		q.tokens.charge(tokens)
		for i := range q.more {
			m := &q.more[i]
			m.charge(m.amount(tokens))
		}
		if q.slope != nil {
			q.slope.charge(tokens)
		}
	}
	m := q.minute(now)
	m.Requests++
	m.Tokens += tokens
	q.sliding.add(now, 1, tokens)
}

// fill charges a refused request, as far as there is room: a full bucket stays full. One
// that is larger than the token limit counts as a request alone.
func (q *quota) fill(now time.Duration, a *ask, tooLarge bool) {
	tokens := a.on(q)
	if tooLarge {
		tokens = 0
	}
	q.requests.fill(1)
	q.tokens.fill(tokens)
	for i := range q.more {
		m := &q.more[i]
		m.fill(m.amount(tokens))
	}
	m := q.minute(now)
	m.Requests++
	m.Tokens += tokens
	q.sliding.add(now, 1, tokens)
}

// minute returns the account of the minute that now lies in.
func (q *quota) minute(now time.Duration) *Minute {
	i := int(now / time.Minute)
	for len(q.minutes) <= i {
		q.minutes = append(q.minutes, Minute{})
	}
	return &q.minutes[i]
}

// limits fills in what the headers say: limits per minute, or those per day where there are
// none. The meters must be drained.
func (q *quota) limits(l *Limits) {
	l.LimitRequests, l.LimitTokens = q.requests.leaky.limit, q.tokens.leaky.limit
	if q.plain {
		l.RemainingRequests, l.ResetRequests = q.requests.leaky.state()
		l.RemainingTokens, l.ResetTokens = q.tokens.leaky.state()
		return
	}
	l.RemainingRequests, l.ResetRequests = q.requests.state()
	l.RemainingTokens, l.ResetTokens = q.tokens.state()
	for i := range q.more {
		m := &q.more[i]
		switch {
		case m.kind == MeterDayRequests && q.cfg.RPM == 0:
			l.LimitRequests = m.leaky.limit
			l.RemainingRequests, l.ResetRequests = m.state()
		case m.kind == MeterDayTokens && q.cfg.TPM == 0:
			l.LimitTokens = m.leaky.limit
			l.RemainingTokens, l.ResetTokens = m.state()
		}
	}
	if q.fluid != nil {
		l.LimitSecond = q.fluid.limit
		l.RemainingSecond, l.ResetSecond = q.fluid.state()
	}
}

// scale sets the limits per minute to the configured ones times factor, at least 1; what was
// used by then is kept, in tokens.
func (q *quota) scale(now time.Duration, factor float64) {
	q.drain(now)
	q.requests.scale(factor)
	q.tokens.scale(factor)
	for i := range q.more {
		if q.more[i].kind == MeterBurst {
			q.more[i].scale(factor)
		}
	}
	if q.fluid != nil {
		q.fluid.limit = scaled(q.cfg.OTPM, factor)
	}
}

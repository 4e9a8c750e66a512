package mockupstream

import "time"

// quota is the live state of a Quota: its two buckets and what it saw.
type quota struct {
	cfg              Quota
	requests, tokens bucket
	minutes          []Minute
	refusals         []refusal // told, or on the way to the client, oldest first
	head             int       // refusals before it are done with
	told             refusal   // the last one that has reached its client
}

// refusal is a 429 that told the client to wait.
type refusal struct {
	at    time.Duration // refused
	known time.Duration // the answer reached the client
	until time.Duration // the wait is over
}

// arrive notes a call on the quota and reports whether it is an early retry: later than
// the refusal whose answer is the last to have reached a client, at or after the
// instant it did, and before the wait it asked for was over.
func (q *quota) arrive(now time.Duration) (early bool) {
	for q.head < len(q.refusals) && q.refusals[q.head].known <= now {
		q.told = q.refusals[q.head]
		q.head++
	}
	if q.head > 0 && 2*q.head >= len(q.refusals) {
		q.refusals = q.refusals[:copy(q.refusals, q.refusals[q.head:])]
		q.head = 0
	}
	return now < q.told.until && now > q.told.at
}

// tell notes that the client will know at known that it has to wait for wait from then on.
func (q *quota) tell(now, known, wait time.Duration) {
	q.refusals = append(q.refusals, refusal{at: now, known: known, until: known + wait})
}

// drain brings both buckets up to date.
func (q *quota) drain(now time.Duration) {
	q.requests.drain(now)
	q.tokens.drain(now)
}

// check says whether a request of so many tokens is within both limits, and if not, which
// one it breaks and how long it must wait. Where it breaks both, the longer wait
// counts: only then is the answer one that can be relied on. The buckets must be drained.
func (q *quota) check(tokens int64) (Code, time.Duration) {
	if q.tokens.limit > 0 && tokens > q.tokens.limit {
		return CodeRequestTooLarge, 0
	}
	wait, other := q.requests.wait(1), q.tokens.wait(tokens)
	switch {
	case wait == 0 && other == 0:
		return CodeOK, 0
	case wait >= other:
		return CodeRateLimitRequests, wait
	}
	return CodeRateLimitTokens, other
}

// charge takes an admitted request from both limits. It must have passed check at the same instant.
func (q *quota) charge(now time.Duration, tokens int64) {
	q.requests.charge(1)
	q.tokens.charge(tokens)
	m := q.minute(now)
	m.Requests++
	m.Tokens += tokens
}

// fill charges a refused request, as far as there is room: a full bucket stays full.
func (q *quota) fill(now time.Duration, tokens int64) {
	q.requests.fill(1)
	q.tokens.fill(tokens)
	m := q.minute(now)
	m.Requests++
	m.Tokens += tokens
}

// minute returns the account of the minute that now lies in.
func (q *quota) minute(now time.Duration) *Minute {
	i := int(now / time.Minute)
	for len(q.minutes) <= i {
		q.minutes = append(q.minutes, Minute{})
	}
	return &q.minutes[i]
}

// limits fills in what the headers say. The buckets must be drained.
func (q *quota) limits(l *Limits) {
	l.LimitRequests, l.LimitTokens = q.requests.limit, q.tokens.limit
	l.RemainingRequests, l.ResetRequests = q.requests.state()
	l.RemainingTokens, l.ResetTokens = q.tokens.state()
}

// scale sets the limits to the configured ones times factor, at least 1; what was used
// by then is kept, in tokens.
func (q *quota) scale(now time.Duration, factor float64) {
	q.drain(now)
	q.requests.resize(scaled(q.cfg.RPM, factor))
	q.tokens.resize(scaled(q.cfg.TPM, factor))
}

func scaled(limit int64, factor float64) int64 {
	if limit == 0 || factor == 1 {
		return limit
	}
	return max(1, int64(float64(limit)*factor))
}

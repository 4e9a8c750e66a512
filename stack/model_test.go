package stack_test

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// ledger is an independent model of one limit: a log of what was taken instead of a
// ring of counters, summed up anew for every question.
type ledger struct {
	capacity, room int64 // for P0; for the others
	burst, shared  time.Duration
	tat, hold      time.Duration
	log            []*entry
}

type entry struct {
	at time.Duration
	n  int64
}

const span = 62 // seconds of the client's window

func newLedger(limit int64, headroom, reserve int, burst time.Duration) *ledger {
	if limit == 0 {
		return nil
	}
	capacity := max(1, limit*int64(headroom)/100)
	return &ledger{
		capacity: capacity, room: capacity - capacity*int64(reserve)/100,
		burst: burst, shared: burst - burst*time.Duration(reserve)/100,
	}
}

func (l *ledger) limits(lower bool) (int64, time.Duration) {
	if lower {
		return l.room, l.shared
	}
	return l.capacity, l.burst
}

func (l *ledger) length(n int64) time.Duration {
	return time.Duration((n*span*int64(time.Second) + l.capacity - 1) / l.capacity)
}

func (l *ledger) fits(n int64, lower bool) bool {
	if l == nil {
		return true
	}
	room, _ := l.limits(lower)
	return n <= room
}

// used returns what the client's window holds at now.
func (l *ledger) used(now time.Duration) (sum int64) {
	if l == nil {
		return 0
	}
	for _, e := range l.log {
		if e.at/time.Second > now/time.Second-span {
			sum += e.n
		}
	}
	return sum
}

// earliest returns the first instant from now on at which n could be had.
func (l *ledger) earliest(now time.Duration, n int64, lower bool) time.Duration {
	if l == nil {
		return now
	}
	room, burst := l.limits(lower)
	at := max(now, max(l.tat, l.hold)-max(0, burst-l.length(n)))
	for k := 0; k < len(l.log) && l.used(at)+n > room; k++ {
		at = max(at, (l.log[k].at/time.Second+span)*time.Second)
	}
	return at
}

func (l *ledger) take(now time.Duration, n int64) *entry {
	if l == nil {
		return nil
	}
	for len(l.log) > 0 && l.log[0].at < now-(span+2)*time.Second {
		l.log = l.log[1:]
	}
	e := &entry{now, n}
	l.log = append(l.log, e)
	l.tat = max(l.tat, l.hold, now) + l.length(n)
	return e
}

func (l *ledger) settle(now time.Duration, e *entry, actual int64) {
	if l == nil || e.n == actual {
		return
	}
	if actual > e.n {
		l.tat = max(l.tat, now)
	}
	l.tat = min(l.tat+l.length(actual)-l.length(e.n), now+time.Hour)
	e.n = actual
}

// minute returns what was taken in the sliding minute up to now.
func (l *ledger) minute(now time.Duration) (sum int64) {
	if l == nil {
		return 0
	}
	for _, e := range l.log {
		if e.at > now-time.Minute {
			sum += e.n
		}
	}
	return sum
}

// quota is the model of a quota.
type quota struct {
	requests, tokens *ledger
	excluded         time.Duration
}

func newQuota(q stack.Quota, cfg *stack.Config) *quota {
	return &quota{
		requests: newLedger(q.RPM, cfg.Budget.RPMHeadroom, cfg.Reserve.Rate, cfg.Budget.Burst),
		tokens:   newLedger(q.TPM, cfg.Budget.TPMHeadroom, cfg.Reserve.Rate, cfg.Budget.Burst),
	}
}

func (q *quota) fits(tokens int64, lower bool) bool {
	return q.requests.fits(1, lower) && q.tokens.fits(tokens, lower)
}

func (q *quota) earliest(now time.Duration, tokens int64, lower bool) time.Duration {
	now = max(now, q.excluded)
	return max(q.requests.earliest(now, 1, lower), q.tokens.earliest(now, tokens, lower))
}

func (q *quota) exclude(now, d time.Duration) {
	until := now + d
	if until <= q.excluded {
		return
	}
	q.excluded = until
	for _, l := range []*ledger{q.requests, q.tokens} {
		if l != nil {
			l.hold = max(l.hold, until+l.burst)
		}
	}
}

// charge is the vendor's arithmetic, written down a second time.
func charge(c stack.Charge, in, out int64) int64 {
	switch {
	case c == stack.ChargeInput:
		return in
	case c == stack.ChargeSum:
		return in + out
	case in > out:
		return in
	}
	return out
}

// reserved is the number of slots of a limit that P0 alone may use.
func reserved(limit, percent int) int {
	if percent == 0 || limit < 2 {
		return 0
	}
	r := limit * percent / 100
	if r == 0 {
		r = 1
	}
	return min(r, limit-1)
}

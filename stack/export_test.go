package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/breaker"
)

// Waiter is a request that waits at a gate, as tests see it.
type Waiter struct {
	Ticket Ticket
	Class  Class
	Charge int64
	Seq    uint64 // order of entry into gates
	Since  time.Duration
	Next   bool // another degradation step may be taken
	Pinned int  // the quota that alone may be used; -1: any
}

// Waiters appends those that wait at a target's gate, foremost first.
func (c *Core) Waiters(target int, to []Waiter) []Waiter {
	for class := range NumClasses {
		c.gates[target].lines.Items(class, func(i int32) {
			s := &c.slots[i]
			to = append(to, Waiter{
				Ticket: Ticket(uint64(i)<<32 | uint64(s.gen)), Class: s.req.Class, Charge: s.need.tokens, Seq: s.seq, Since: s.since,
				Next: c.following(s) >= 0, Pinned: -1,
			})
			if s.pinned {
				to[len(to)-1].Pinned = int(s.quota)
			}
		})
	}
	return to
}

// QuotaUsed returns what a quota's books hold in the window at the present instant.
func (c *Core) QuotaUsed(quota int) (requests, tokens int64) {
	b := &c.budgets[quota]
	return b.requests.Used(c.now), b.tokens.Used(c.now)
}

// BreakerHolds reports whether a target's breaker lets nothing through now, and until when at least
// if that is known.
func (c *Core) BreakerHolds(target int) (holds bool, until time.Duration, known bool) {
	st, until := c.gates[target].breaker(c.now)
	return st == breaker.Open || st == breaker.Probing, until, st == breaker.Open
}

// Claimed returns the gate whose P0 a quota is kept for, and until when at least.
func (c *Core) Claimed(quota int) (gate int, until time.Duration, ok bool) {
	b := &c.budgets[quota]
	return int(b.claim.gate) - 1, b.claim.until, b.claim.gate != 0
}

package stack

import (
	"math"
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
)

// pick returns the key, as an index within the gate's ring, that is next in rotation of
// those that can take the request now, or -1. The pick is left open for the ring's Commit.
func (c *Core) pick(g *gate, s *slot, lower bool) int {
	if g.stale || c.now >= g.fresh {
		c.weigh(g)
	}
	for {
		k := g.ring.Best()
		if k < 0 {
			g.ring.Abandon()
			return -1
		}
		b := &c.budgets[g.keys[k].Quota]
		if c.may(s, g.keys[k].Quota) && !b.claimedFrom(g, s) && b.ready(c.now, s.need, lower) {
			return k
		}
		g.ring.Drop(k)
	}
}

// weigh sets the ring's weights: none for keys that are dead or rest. By remaining quota
// they are set anew every second, which is the grain of the budgets' windows.
func (c *Core) weigh(g *gate) {
	g.stale, g.fresh = false, bucket.Never
	for k := range g.keys {
		u := &g.keys[k]
		b := &c.budgets[u.Quota]
		w := u.Weight
		switch {
		case c.dead[u.Key]:
			w = 0
		case b.excluded > c.now:
			w = 0
			g.fresh = min(g.fresh, b.excluded)
		case c.cfg.Rotation.Weights == WeightsRemaining:
			w *= max(1, b.free(c.now))
		}
		g.ring.SetWeight(k, w)
	}
	if c.cfg.Rotation.Weights == WeightsRemaining {
		g.fresh = min(g.fresh, c.now.Truncate(time.Second)+time.Second)
	}
}

// reweigh has the weights of all gates that refer to a quota set anew.
func (c *Core) reweigh(gates []int32) {
	for _, g := range gates {
		c.gates[g].stale = true
	}
}

// prospect says when a request that no key can take now may be taken.
type prospect struct {
	none   bool          // no key is alive
	misfit bool          // no living key can ever take it
	at     time.Duration // earliest instant at which one could
	why    Blocked
	quota  int // that is ready first; -1: none
}

func (c *Core) prospect(g *gate, s *slot, lower bool) prospect {
	p := prospect{none: true, misfit: true, at: bucket.Never, why: BlockedExcluded, quota: -1}
	rested := bucket.Never // when the first key that rests is back
	for k := range g.keys {
		u := &g.keys[k]
		if u.Weight == 0 || c.dead[u.Key] || !c.may(s, u.Quota) {
			continue
		}
		p.none = false
		b := &c.budgets[u.Quota]
		if !b.fits(s.need, lower) {
			continue
		}
		p.misfit = false
		if b.excluded > c.now {
			rested = min(rested, b.excluded)
			continue
		}
		at, why := b.next(c.now, s.need, lower)
		if b.claimedFrom(g, s) {
			at = max(at, b.claim.until)
		}
		if at < p.at || p.quota < 0 {
			p.at, p.why, p.quota = at, why, u.Quota
		}
	}
	p.at = min(p.at, rested)
	return p
}

// measure sets the room of a gate: what is larger need not wait there. Without a living
// key nothing is too large; that there is none is told to the head of the line.
func (c *Core) measure(g *gate) {
	g.room, g.outputRoom = [2]int64{-1, -1}, [2]int64{-1, -1}
	for k := range g.keys {
		u := &g.keys[k]
		if u.Weight > 0 && !c.dead[u.Key] {
			b := &c.budgets[u.Quota]
			for lower := range 2 {
				g.room[lower] = max(g.room[lower], b.tokens.Room(lower == 1))
				g.outputRoom[lower] = max(g.outputRoom[lower], b.output.Room(lower == 1))
			}
		}
	}
	if g.alive = g.room[0] >= 0; !g.alive {
		g.room = [2]int64{math.MaxInt64, math.MaxInt64}
		g.outputRoom = g.room
	}
}

// may reports whether the request may be sent on a quota: a write whose outcome is unknown
// stays with the account that may have carried it out, since no other knows its key.
func (c *Core) may(s *slot, quota int) bool { return !s.pinned || int(s.quota) == quota }

// claim keeps a quota for the head that waits for it at the gate. Other gates that share
// the quota would otherwise keep it just full enough: a large request would wait behind
// small ones of a lower class, or that came later, for ever. Within a gate the lines see
// to that.
func (c *Core) claim(g *gate, s *slot, p *prospect) {
	if p.quota < 0 || p.why == BlockedPlaces {
		return
	}
	b := &c.budgets[p.quota]
	if len(b.gates) < 2 {
		return
	}
	if b.claim.gate != 0 {
		if b.claimedFrom(g, s) {
			return
		}
		c.gates[b.claim.gate-1].claimed = 0
	}
	b.claim = claim{g.index + 1, p.at, s.req.Class, s.seq}
	g.claimed = int32(p.quota) + 1
}

// unclaim takes the gate's claim back and returns it with its quota, or -1.
func (c *Core) unclaim(g *gate) (quota int32, was claim) {
	q := g.claimed - 1
	if q >= 0 {
		was = c.budgets[q].claim
		c.budgets[q].claim = claim{}
		g.claimed = 0
	}
	return q, was
}

// claimedFrom reports whether the quota is kept for a request of another gate that goes
// before the gate's head s: of a higher class, or of the same and entered before.
func (b *budget) claimedFrom(g *gate, s *slot) bool {
	k := &b.claim
	if k.gate == 0 || k.gate == g.index+1 {
		return false
	}
	return k.class < s.req.Class || k.class == s.req.Class && k.seq < s.seq
}

package stack

import (
	"math"
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
)

// pick returns the key, as an index within the gate's ring, that is next in rotation of
// those that can take the request now, or -1. The pick is left open for the ring's Commit.
func (c *Core) pick(g *gate, n need, lower bool) int {
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
		if !(lower && b.claimedByOther(g)) && b.ready(c.now, n, lower) {
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

func (c *Core) prospect(g *gate, n need, lower bool) prospect {
	p := prospect{none: true, misfit: true, at: bucket.Never, why: BlockedExcluded, quota: -1}
	rested := bucket.Never // when the first key that rests is back
	for k := range g.keys {
		u := &g.keys[k]
		if u.Weight == 0 || c.dead[u.Key] {
			continue
		}
		p.none = false
		b := &c.budgets[u.Quota]
		if !b.fits(n, lower) {
			continue
		}
		p.misfit = false
		if b.excluded > c.now {
			rested = min(rested, b.excluded)
			continue
		}
		at, why := b.next(c.now, n, lower)
		if lower && b.claimedByOther(g) {
			at = max(at, b.claimed)
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
	if g.room[0] < 0 {
		g.room = [2]int64{math.MaxInt64, math.MaxInt64}
		g.outputRoom = g.room
	}
}

// claim keeps a quota for the P0 that waits for it at the gate: its reserve alone would
// not help a request that is larger than the reserve while others keep the rest in use.
// Only quotas that several gates share need it; within a gate the classes are strict.
func (c *Core) claim(g *gate, p *prospect) {
	if p.quota < 0 || p.why == BlockedPlaces {
		return
	}
	if b := &c.budgets[p.quota]; len(b.gates) > 1 && b.claim == 0 {
		b.claim, b.claimed = g.index+1, p.at
		g.claimed = int32(p.quota) + 1
	}
}

// unclaim takes the gate's claim back and returns the quota, or -1.
func (c *Core) unclaim(g *gate) int32 {
	q := g.claimed - 1
	if q >= 0 {
		c.budgets[q].claim = 0
		g.claimed = 0
	}
	return q
}

func (b *budget) claimedByOther(g *gate) bool { return b.claim != 0 && b.claim != g.index+1 }

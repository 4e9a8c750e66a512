package stack

import (
	"math"
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
)

// pick returns the key, as an index within the gate's ring, that is next in rotation of
// those that can take the request now, or -1. The pick is left open for the ring's Commit.
func (c *Core) pick(g *gate, charge int64, lower bool) int {
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
		if b.ready(c.now, charge, lower) {
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
}

func (c *Core) prospect(g *gate, charge int64, lower bool) prospect {
	p := prospect{none: true, misfit: true, at: bucket.Never, why: BlockedExcluded}
	rested := bucket.Never // when the first key that rests is back
	for k := range g.keys {
		u := &g.keys[k]
		if u.Weight == 0 || c.dead[u.Key] {
			continue
		}
		p.none = false
		b := &c.budgets[u.Quota]
		if !b.fits(charge, lower) {
			continue
		}
		p.misfit = false
		if b.excluded > c.now {
			rested = min(rested, b.excluded)
		} else if at, why := b.next(c.now, charge, lower); at < p.at {
			p.at, p.why = at, why
		}
	}
	p.at = min(p.at, rested)
	return p
}

// measure sets the room of a gate: what is larger need not wait there. Without a living
// key nothing is too large; that there is none is told to the head of the line.
func (c *Core) measure(g *gate) {
	g.room = [2]int64{-1, -1}
	for k := range g.keys {
		u := &g.keys[k]
		if u.Weight > 0 && !c.dead[u.Key] {
			b := &c.budgets[u.Quota].tokens
			g.room[0], g.room[1] = max(g.room[0], b.Room(false)), max(g.room[1], b.Room(true))
		}
	}
	if g.room[0] < 0 {
		g.room = [2]int64{math.MaxInt64, math.MaxInt64}
	}
}

package stack

import "time"

// GateState is what a gate looks like at an instant.
type GateState struct {
	Limit    int
	InFlight int
	Waiting  [NumClasses]int
	Blocked  Blocked
}

// GateCounts is what a gate has counted since the beginning.
type GateCounts struct {
	Raised, Lowered int64 // of the concurrency limit
	BreakerOpened   int64
}

// Gates returns the number of gates: one a target, in the same order.
func (c *Core) Gates() int { return len(c.gates) }

// Gate returns the present state of a target's gate.
func (c *Core) Gate(target int) GateState {
	g := &c.gates[target]
	s := GateState{Limit: g.ctl.Limit(), InFlight: g.inFlight, Blocked: g.blocked}
	for class := range s.Waiting {
		s.Waiting[class] = g.lines.LenOf(class)
	}
	return s
}

// Counts returns what a target's gate has counted.
func (c *Core) Counts(target int) GateCounts {
	g := &c.gates[target]
	var n GateCounts
	n.Raised, n.Lowered = g.ctl.Counts()
	if g.brk != nil {
		n.BreakerOpened = g.brk.Opened()
	}
	return n
}

// Excluded returns for how long a quota has rested until now, and whether it rests.
func (c *Core) Excluded(quota int) (total time.Duration, resting bool) {
	b := &c.budgets[quota]
	total = b.excludedSum
	if b.excluded > c.now {
		return total - (b.excluded - c.now), true
	}
	return total, false
}

// Dead reports whether a key is out of rotation for good.
func (c *Core) Dead(key int) bool { return c.dead[key] }

// Pending returns the number of requests that have not ended.
func (c *Core) Pending() int { return len(c.slots) - len(c.free) }

// Timers returns the number of deadlines set; 0 at rest (INV-21).
func (c *Core) Timers() int { return c.timers.Len() }

// GateUse is what a gate has done, as integrals over time: exact, however short what
// happened was. Times are in nanoseconds, what is counted in requests times nanoseconds.
type GateUse struct {
	Limit, InFlight int64
	Waiting         [NumClasses]int64
	Blocked         [NumBlocked]int64 // time in which somebody waited, by what the head waited for
	Waited          [NumBlocked]int64 // requests that waited meanwhile
	// Extremes since the last call of Use.
	LimitMin, LimitMax, InFlightMax, WaitingMax int
}

// Use returns what a target's gate has done from the beginning until now.
func (c *Core) Use(now time.Duration, target int) GateUse {
	g := &c.gates[target]
	g.sum(max(now, c.now))
	u := g.use
	l := g.ctl.Limit()
	u.LimitMin, u.LimitMax = min(l, u.LimitMin), max(l, u.LimitMax)
	g.use.LimitMin, g.use.LimitMax = l, l
	g.use.InFlightMax, g.use.WaitingMax = g.inFlight, g.lines.Len()
	return u
}

// sum brings the integrals up to now, before something changes.
func (g *gate) sum(now time.Duration) {
	dt := int64(now - g.useAt)
	if dt <= 0 {
		return
	}
	g.useAt = now
	u, l := &g.use, g.ctl.Limit()
	u.LimitMin, u.LimitMax = min(u.LimitMin, l), max(u.LimitMax, l)
	u.Limit += dt * int64(l)
	u.InFlight += dt * int64(g.inFlight)
	n := g.lines.Len()
	if n == 0 {
		return
	}
	for class := range u.Waiting {
		u.Waiting[class] += dt * int64(g.lines.LenOf(class))
	}
	u.Blocked[g.blocked] += dt
	u.Waited[g.blocked] += dt * int64(n)
}

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
	Waited          int64 // requests that could not be granted at once
	PeakWaiting     int
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
	n := GateCounts{Waited: g.waited, PeakWaiting: g.peak}
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

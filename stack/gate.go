package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/breaker"
	"github.com/seed-4fd17b57/simload/stack/bucket"
	"github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/keyring"
	"github.com/seed-4fd17b57/simload/stack/limit"
	"github.com/seed-4fd17b57/simload/stack/queue"
)

// Blocked says what the head of a gate waits for.
type Blocked uint8

// What a head waits for.
const (
	BlockedNot      Blocked = iota // nothing waits
	BlockedSlots                   // the concurrency limit
	BlockedReserve                 // slots that only P0 may use
	BlockedRPM                     // requests per minute of all usable keys
	BlockedTPM                     // tokens per minute of all usable keys
	BlockedExcluded                // all keys rest after a 429
	BlockedBreaker                 // the breaker is open
	BlockedPlaces                  // all usable keys have as many in flight as their quota allows
	BlockedOTPM                    // output tokens per minute of all usable keys
	BlockedRPD                     // requests per day of all usable keys
	BlockedStore                   // its turn in the fleet's line
	NumBlocked
)

var blockedNames = [NumBlocked]string{"none", "slots", "reserve", "rpm", "tpm", "excluded", "breaker", "places", "otpm", "rpd", "store"}

// String returns the name as reports print it.
func (b Blocked) String() string {
	if b < NumBlocked {
		return blockedNames[b]
	}
	return "?"
}

// gate is the one place where requests for a target wait: for a slot and a key
// with requests and tokens reserved, granted together to the head.
type gate struct {
	index    int32
	target   *Target
	keys     []KeyUse
	lines    *queue.Lines
	ring     *keyring.Ring
	ctl      limit.Controller
	brk      *breaker.Breaker // nil: none
	cc       ConcurrencyConfig
	inFlight int
	isDirty  bool
	alive    bool     // some key can still be used
	room     [2]int64 // most tokens that a living key can ever take: of P0, of the others
	// outputRoom is the same of output tokens; claimed is the quota (plus 1) kept for the head.
	outputRoom [2]int64
	claimed    int32
	stale      bool          // the ring's weights are to be set anew
	fresh      time.Duration // until when they hold
	asked      int           // of those that wait, in the fleet's line too
	head       fleet.Head    // of the fleet's line, where it is this stack's
	scan       bool          // there may be some that no living key can take
	blocked    Blocked
	use        GateUse
	useAt      time.Duration // until when use is summed up
}

func (g *gate) init(cfg *Config, index int, links *queue.Links) error {
	t := &cfg.Targets[index]
	g.index, g.target, g.keys, g.lines = int32(index), t, t.Keys, queue.New(links)
	g.ring, g.stale = keyring.New(len(t.Keys)), true
	g.cc = cfg.concurrency(t)
	var err error
	if cfg.Shared {
		g.ctl = &toldLimit{fleet.Gate{Limit: g.cc.Start}}
	} else {
		g.ctl, err = limit.New(g.cc.Controller, g.cc.limits())
	}
	if err == nil {
		g.use.LimitMin, g.use.LimitMax = g.ctl.Limit(), g.ctl.Limit()
	}
	if b := cfg.Breaker; b.Enabled {
		g.brk = breaker.New(breaker.Config{
			Window: b.Window, MinSamples: b.MinSamples, FailurePercent: b.FailurePercent,
			OpenFor: b.OpenFor, OpenMax: b.OpenMax, Probes: b.Probes,
		})
	}
	return err
}

// slotsReserved is the part of the present limit that only P0 may use: at least one slot
// where there is more than one.
func (g *gate) slotsReserved(percent int) int {
	l := g.ctl.Limit()
	if percent == 0 || l < 2 {
		return 0
	}
	return min(l-1, max(1, l*percent/100))
}

// touch marks a gate to be looked at before the call returns.
func (c *Core) touch(g int32) {
	if !c.gates[g].isDirty {
		c.gates[g].isDirty = true
		c.dirty = append(c.dirty, g)
	}
}

// settle grants whatever can be granted now. Of several gates the one whose head is
// of the highest class, and entered first, goes first: they may share budgets.
func (c *Core) settle() {
	for len(c.dirty) > 0 {
		at := 0
		if len(c.dirty) > 1 {
			at = c.foremost()
		}
		g := &c.gates[c.dirty[at]]
		if c.advanceHead(g) {
			continue
		}
		g.isDirty = false
		last := len(c.dirty) - 1
		c.dirty[at] = c.dirty[last]
		c.dirty = c.dirty[:last]
	}
	for _, i := range c.fresh {
		c.slots[i].fresh = false
		c.waits(i)
	}
	c.fresh = c.fresh[:0]
}

// waits starts the clock of a request that could not be granted at once.
func (c *Core) waits(i int32) {
	s := &c.slots[i]
	if s.state != stateQueued {
		return
	}
	g := &c.gates[s.gate]
	g.use.WaitingMax = max(g.use.WaitingMax, g.lines.Len())
	switch d := c.cfg.Queue.MaxWait; {
	case (d == 0 || c.cfg.Fallback.MaxWait < d) && c.following(s) >= 0:
		c.arm(i, c.now+c.cfg.Fallback.MaxWait)
	case d > 0:
		c.arm(i, c.now+d)
	case s.deadline > 0:
		c.arm(i, s.deadline)
	default:
		c.timers.Clear(c.timerID(i)) // that of the gate before
	}
}

func (c *Core) foremost() int {
	best, bestClass, bestSeq := 0, NumClasses+1, uint64(0)
	for k, gi := range c.dirty {
		item, class, ok := c.gates[gi].lines.Head()
		if !ok {
			class, item = NumClasses, -1
		}
		var seq uint64
		if item >= 0 {
			seq = c.slots[item].seq
		}
		if class < bestClass || class == bestClass && seq < bestSeq {
			best, bestClass, bestSeq = k, class, seq
		}
	}
	return best
}

// advanceHead grants, degrades or ends the head of the gate's highest waiting class,
// and reports whether it did. If not, nothing of the gate can be granted now, and its
// timer is set to when that may change.
func (c *Core) advanceHead(g *gate) bool {
	if c.cfg.Shared {
		return c.tryShared(g)
	}
	q, before := c.unclaim(g)
	moved := c.tryHead(g)
	if q >= 0 && c.budgets[q].claim != before {
		c.touchWaiting(c.budgets[q].gates)
	}
	return moved
}

func (c *Core) tryHead(g *gate) bool {
	i, _, ok := g.lines.Head()
	if !ok {
		c.block(g, BlockedNot, bucket.Never)
		return false
	}
	s := &c.slots[i]
	lower := s.req.Class != P0
	if st, until := g.breaker(c.now); st != breaker.Closed && st != breaker.HalfOpen {
		if (st == breaker.Probing || until-c.now > c.cfg.Fallback.MaxWait) && c.degrade(i) {
			return true
		}
		c.block(g, BlockedBreaker, until)
		return false
	}
	switch l := g.ctl.Limit(); {
	case g.inFlight >= l:
		g.ctl.Busy(c.now)
		c.block(g, BlockedSlots, bucket.Never)
		return false
	case lower && g.inFlight >= l-g.slotsReserved(c.cfg.Reserve.Slots):
		g.ctl.Busy(c.now)
		c.block(g, BlockedReserve, bucket.Never)
		return false
	}
	if k := c.pick(g, s, lower); k >= 0 {
		c.leave(i)
		c.send(g, i, k)
		return true
	}
	switch p := c.prospect(g, s, lower); {
	case p.none:
		if !c.degrade(i) {
			c.leave(i)
			c.end(i, DeadLettered, ReasonNoKey)
		}
	case p.misfit:
		if !c.degrade(i) {
			c.leave(i)
			c.end(i, Rejected, ReasonTooLarge)
		}
	case p.why != BlockedPlaces && p.at-c.now > c.cfg.Fallback.MaxWait && c.degrade(i):
	default:
		c.claim(g, s, &p)
		c.block(g, p.why, p.at)
		return false
	}
	return true
}

func (c *Core) block(g *gate, why Blocked, until time.Duration) {
	g.sum(c.now)
	g.blocked = why
	if until == bucket.Never {
		c.timers.Clear(g.index)
	} else if at, ok := c.timers.At(g.index); !ok || at != until {
		c.timers.Set(g.index, until)
	}
}

func (g *gate) breaker(now time.Duration) (breaker.State, time.Duration) {
	if g.brk == nil {
		return breaker.Closed, 0
	}
	st := g.brk.State(now)
	if st == breaker.Open {
		return st, g.brk.Until()
	}
	return st, bucket.Never
}

// charge is what the target's vendor will count for the request.
func (t *Target) charge(u Usage, maxOut int64) int64 {
	switch t.Charge {
	case ChargeSum:
		return u.In + maxOut
	case ChargeInput:
		return u.In
	case ChargeUncached:
		return u.In - u.Cached
	}
	return max(u.In, maxOut)
}

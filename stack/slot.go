package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

type state uint8

const (
	stateFree state = iota
	stateCapped
	stateQueued
	stateOnWire
	stateBackoff
)

// slot is the state of one request that has not ended.
type slot struct {
	req        Request
	gen        uint32 // of the ticket
	attemptGen uint32 // of the attempt on the wire
	state      state
	step       int8 // degradation step
	fails      int8 // failed attempts at this step
	fresh      bool // entered a gate during the call
	pinned     bool // a write of unknown outcome: same target, same body
	attempts   int
	route      int // that it takes: the one asked for, or the one for what is simple
	estIn      int64
	contextCap int64
	gate       int32
	quota      int32
	need       need   // reserved of the quota
	asked      uint64 // number of what is asked of the fleet's books; 0: nothing
	grant      uint64 // the same, of the attempt on the wire
	token      uint32
	seq        uint64
	since      time.Duration // start of the present phase
	submitted  time.Duration
	deadline   time.Duration // 0: none
	capped     time.Duration
	queued     time.Duration
	backoff    time.Duration
	onWire     time.Duration
	usage      Usage
	steps      []Step
}

func (c *Core) alloc() int32 {
	if n := len(c.free); n > 0 {
		i := c.free[n-1]
		c.free = c.free[:n-1]
		s := &c.slots[i]
		*s = slot{gen: s.gen, attemptGen: s.attemptGen, steps: s.steps[:0]}
		return i
	}
	c.slots = append(c.slots, slot{steps: make([]Step, 0, c.cfg.Retry.Attempts)})
	c.links.Grow(len(c.slots))
	return int32(len(c.slots) - 1)
}

func (c *Core) emit() *Effect {
	c.effects = append(c.effects, Effect{})
	return &c.effects[len(c.effects)-1]
}

func (c *Core) result() *Result {
	if c.nresult == len(c.results) {
		c.results = append(c.results, new(Result))
	}
	c.nresult++
	return c.results[c.nresult-1]
}

func (c *Core) timerID(i int32) int32 { return i + int32(len(c.gates)) }

func (c *Core) byTicket(t Ticket) (int32, bool) {
	i := int(t >> 32)
	if i >= len(c.slots) || c.slots[i].gen != uint32(t) || c.slots[i].state == stateFree {
		return 0, false
	}
	return int32(i), true
}

func (c *Core) byAttempt(id AttemptID) (int32, bool) {
	i := int(id >> 32)
	if i >= len(c.slots) || c.slots[i].attemptGen != uint32(id) || c.slots[i].state != stateOnWire {
		return 0, false
	}
	return int32(i), true
}

func (s *slot) attemptID(i int32) AttemptID {
	return AttemptID(uint64(i)<<32 | uint64(s.attemptGen))
}

func (s *slot) ticket(i int32) Ticket { return Ticket(uint64(i)<<32 | uint64(s.gen)) }

// last returns the step under way or ended last, or nil.
func (s *slot) last() *Step {
	if len(s.steps) == 0 {
		return nil
	}
	return &s.steps[len(s.steps)-1]
}

// idempotencyKey is made of the request's identity, so that a retry by another
// process of the same agent, task and operation carries the same key.
func idempotencyKey(id RequestID) uint64 {
	return max(1, jitter.Hash(0x1de0_9073, uint64(id), 0))
}

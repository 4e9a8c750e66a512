package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/complexity"
	"github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/queue"
	"github.com/seed-4fd17b57/simload/stack/timer"
)

// Core is the client stack as a state machine. It has no clock, no goroutine and
// no I/O: every method takes the present instant, and what is to be done about it
// is collected as effects. It is not safe for concurrent use.
//
// Instants are durations since an origin of the driver's choice and should not
// decrease; one that does is taken as the latest seen.
//
// After every call the driver drains [Core.Effects], and calls [Core.Advance] when
// the instant of [Core.NextWake] has come.
type Core struct {
	cfg     Config
	now     time.Duration
	slots   []slot
	free    []int32
	links   queue.Links
	gates   []gate
	budgets []budget
	dead    []bool // by key
	caps    agentCaps
	answers *answers          // nil: no cache
	rules   complexity.Scorer // the built-in one, made when it is needed first
	spend   retryBudget
	timers  timer.Heap // ids: gates first, then slots
	dirty   []int32    // gates to look at before the call returns
	fresh   []int32    // slots that entered a gate during the call
	seq     uint64     // order of entry into gates
	effects []Effect
	results []*Result
	ops     []*fleet.Op
	nop     int
	asks    map[uint64]int32 // slots by the number of what was asked of the fleet's books
	asked   uint64           // number of the last
	nresult int
	drained bool
}

// maxTokens bounds the tokens of a request, so that sums and products with times cannot
// overflow.
const maxTokens = 1 << 32

// New returns a core for the configuration, or an error that names what is wrong.
func New(cfg Config) (*Core, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Core{
		cfg: cfg, dead: make([]bool, len(cfg.Keys)),
		caps:  newAgentCaps(cfg.AgentCap),
		spend: newRetryBudget(cfg.Retry),
	}
	var err error
	if c.answers, err = newAnswers(cfg.Cache); err != nil {
		return nil, err
	}
	if cfg.Shared {
		c.asks = make(map[uint64]int32)
	}
	c.budgets = make([]budget, len(cfg.Quotas))
	for i, q := range cfg.Quotas {
		c.budgets[i] = newBudget(q, cfg.Budget, cfg.Reserve.Rate)
	}
	c.gates = make([]gate, len(cfg.Targets))
	for i := range cfg.Targets {
		if err := c.gates[i].init(&cfg, i, &c.links); err != nil {
			return nil, err
		}
		for _, k := range c.gates[i].keys {
			c.budgets[k.Quota].refer(int32(i))
		}
		c.measure(&c.gates[i])
	}
	return c, nil
}

// Submit takes a request. Its Result comes as an effect, of this call or a later one.
func (c *Core) Submit(now time.Duration, r Request) Ticket {
	now = c.begin(now)
	i := c.alloc()
	s := &c.slots[i]
	s.req, s.submitted, s.since = r, now, now
	ticket := s.ticket(i)
	if int(r.Class) >= NumClasses || r.Route < 0 || r.Route >= len(c.cfg.Routes) ||
		r.Kind < 0 || r.Kind >= len(c.cfg.Kinds) || r.EstIn < 0 || r.MaxOut < 0 {
		c.end(i, Rejected, ReasonInvalid)
		return ticket
	}
	s.estIn = r.EstIn
	if max(r.EstIn, r.MaxOut) > maxTokens {
		c.end(i, Rejected, ReasonTooLarge)
		return ticket
	}
	if limit := c.cfg.Kinds[r.Kind].Context; limit > 0 && r.EstIn > limit {
		s.estIn, s.contextCap = limit, limit
	}
	if c.remembered(i) {
		return ticket
	}
	c.direct(s)
	if d := c.cfg.Timeouts.Deadline[r.Class]; d > 0 {
		s.deadline = now + d
	}
	wait := c.caps.admit(now, r.Agent)
	switch {
	case wait == 0:
		c.enter(i)
		c.settle()
	case wait < 0:
		c.end(i, Rejected, ReasonAgentCap)
	default:
		s.state = stateCapped
		c.arm(i, now+wait)
	}
	return ticket
}

// Cancel ends a request that its caller no longer wants. A ticket that has ended
// is ignored.
func (c *Core) Cancel(now time.Duration, t Ticket) {
	c.begin(now)
	if i, ok := c.byTicket(t); ok {
		c.stop(i, Aborted, Cancelled, ReasonCaller)
		c.settle()
	}
}

// FirstToken tells that the first token of an attempt has come. An attempt that
// has ended is ignored, as with Progress and Finish.
func (c *Core) FirstToken(now time.Duration, id AttemptID) {
	now = c.begin(now)
	if i, ok := c.byAttempt(id); ok {
		if st := c.slots[i].last(); st.FirstToken == 0 {
			st.FirstToken = now
		}
		c.arm(i, now+c.cfg.Timeouts.Gap)
	}
}

// Progress tells that more of an attempt's stream has come. Before the first token it
// says nothing: heartbeats are no answer, and do not extend the wait for one.
func (c *Core) Progress(now time.Duration, id AttemptID) {
	now = c.begin(now)
	if i, ok := c.byAttempt(id); ok && c.slots[i].last().FirstToken > 0 {
		c.arm(i, now+c.cfg.Timeouts.Gap)
	}
}

// Finish tells how an attempt ended.
func (c *Core) Finish(now time.Duration, id AttemptID, o Outcome) {
	c.begin(now)
	if i, ok := c.byAttempt(id); ok {
		c.conclude(i, o)
		c.settle()
	}
}

// Advance does what is due at now.
func (c *Core) Advance(now time.Duration) {
	now = c.begin(now)
	for {
		id, at, ok := c.timers.Min()
		if !ok || at > now {
			return
		}
		c.timers.Clear(id)
		if g := int(id); g < len(c.gates) {
			c.touch(int32(g))
		} else {
			c.due(id - int32(len(c.gates)))
		}
		c.settle()
	}
}

// NextWake returns the instant at which Advance is to be called next, if any.
func (c *Core) NextWake() (time.Duration, bool) {
	_, at, ok := c.timers.Min()
	return at, ok
}

// Effects returns what the calls since the last drain ask of the driver, in order.
// The slice is valid until the next call of the core.
func (c *Core) Effects() []Effect {
	c.drained = true
	return c.effects
}

// begin clamps the clock and recycles drained effects.
func (c *Core) begin(now time.Duration) time.Duration {
	if c.drained {
		c.effects, c.nresult, c.nop, c.drained = c.effects[:0], 0, 0, false
	}
	c.now = max(c.now, now)
	return c.now
}

// due handles the timer of a slot.
func (c *Core) due(i int32) {
	s := &c.slots[i]
	if s.deadline > 0 && c.now >= s.deadline {
		c.stop(i, DeadlineExceeded, DeadLettered, ReasonDeadline)
		return
	}
	switch s.state {
	case stateCapped:
		s.capped += c.now - s.since
		c.enter(i)
	case stateBackoff:
		s.backoff += c.now - s.since
		c.enter(i)
	case stateQueued:
		if !c.degrade(i) {
			c.stop(i, OutcomeNone, DeadLettered, ReasonQueueWait)
		}
	case stateOnWire:
		o := Outcome{Kind: FirstTokenTimeout}
		if s.last().FirstToken > 0 {
			o.Kind = GapTimeout
		}
		c.abort(i, o.Kind)
		c.conclude(i, o)
	}
}

// stop ends a request in whatever state it is.
func (c *Core) stop(i int32, kind OutcomeKind, ending Ending, why Reason) {
	s := &c.slots[i]
	switch s.state {
	case stateCapped:
		s.capped += c.now - s.since
	case stateBackoff:
		s.backoff += c.now - s.since
	case stateQueued:
		c.leave(i)
	case stateOnWire:
		c.abort(i, kind)
		c.release(i, Outcome{Kind: kind})
	}
	c.end(i, ending, why)
}

// abort asks the driver to take the attempt off the wire.
func (c *Core) abort(i int32, why OutcomeKind) {
	s := &c.slots[i]
	e := c.emit()
	e.Kind, e.Why = EffectAbort, why
	e.Attempt.ID, e.Attempt.Ticket = s.attemptID(i), s.ticket(i)
	e.Attempt.Request, e.Attempt.Tag = s.req.ID, s.req.Tag
}

// end hands out the result and frees the slot.
func (c *Core) end(i int32, ending Ending, why Reason) {
	s := &c.slots[i]
	if ending == Rejected && s.attempts > 0 {
		ending = DeadLettered // something was sent for it
	}
	r := c.result()
	*r = Result{
		Ticket: s.ticket(i), Request: s.req, Ending: ending, Reason: why,
		Submitted: s.submitted, Ended: c.now, Capped: s.capped, Queued: s.queued, Backoff: s.backoff, OnWire: s.onWire,
		Steps: s.steps, Degrade: int(s.step), Usage: s.usage,
	}
	if st := s.last(); st != nil && st.FirstToken > 0 {
		r.FirstToken = st.FirstToken - st.Sent
	}
	e := c.emit()
	e.Kind, e.Result = EffectDone, r
	c.timers.Clear(c.timerID(i))
	s.state = stateFree
	s.gen++
	c.free = append(c.free, i)
}

// arm sets a slot's timer; its deadline comes first if it is earlier.
func (c *Core) arm(i int32, at time.Duration) {
	if d := c.slots[i].deadline; d > 0 && d < at {
		at = d
	}
	c.timers.Set(c.timerID(i), at)
}

package stack

import "time"

// enter puts a request into the line of its present step's gate, or of the next one that
// can ever take it: what is larger than a target's context window or limits must not even
// wait there (INV-12). The caller calls settle.
func (c *Core) enter(i int32) {
	s := &c.slots[i]
	steps := c.cfg.Routes[s.route].Steps
	need, ok := c.suits(s, &steps[s.step])
	if !ok {
		if !c.nextStep(s) {
			c.end(i, Rejected, ReasonTooLarge)
			return
		}
		need, _ = c.suits(s, &steps[s.step])
	}
	s.need = need
	g := &c.gates[steps[s.step].Target]
	if c.cfg.Queue.Overflow == OverflowReject && !c.makeRoom(g, s.req.Class) {
		c.end(i, Rejected, ReasonQueueFull)
		return
	}
	c.seq++
	s.seq, s.state, s.since, s.gate = c.seq, stateQueued, c.now, g.index
	g.sum(c.now)
	g.lines.Push(int(s.req.Class), i)
	if !s.fresh {
		s.fresh = true
		c.fresh = append(c.fresh, i)
	}
	if c.cfg.Shared && (s.pinned || !g.alive) {
		g.scan = true
	}
	c.touch(g.index)
}

// suits returns what the request is charged at a step, and whether the step's target can
// ever take it.
func (c *Core) suits(s *slot, st *RouteStep) (need, bool) {
	g, out := &c.gates[st.Target], s.maxOut(st)
	n := need{g.target.charge(Usage{In: s.estIn}, out), out}
	lower := 0
	if s.req.Class != P0 {
		lower = 1
	}
	window := g.target.ContextWindow
	return n, n.tokens <= g.room[lower] && n.output <= g.outputRoom[lower] && (window == 0 || s.estIn+out <= window)
}

// makeRoom reports whether a request of the class may join the line, after evicting
// one of a lower class if that is what it takes (INV-32). P0 alone may use the
// reserved places.
func (c *Core) makeRoom(g *gate, class Class) bool {
	bound := c.cfg.Queue.Bound
	if class != P0 {
		bound -= bound * c.cfg.Reserve.Queue / 100
	}
	if g.lines.Len() < bound {
		return true
	}
	item, low, ok := g.lines.Last()
	if !ok || low <= int(class) {
		return false
	}
	c.leave(item)
	c.end(item, Rejected, ReasonEvicted)
	return true
}

// leave takes a waiting request out of its line.
func (c *Core) leave(i int32) {
	s := &c.slots[i]
	c.unask(s)
	c.gates[s.gate].sum(c.now)
	c.gates[s.gate].lines.Remove(int(s.req.Class), i)
	s.queued += c.now - s.since
	c.touch(s.gate)
}

// degrade moves a waiting request on to its next step, if it has one.
func (c *Core) degrade(i int32) bool {
	s := &c.slots[i]
	if !c.nextStep(s) {
		return false
	}
	c.leave(i)
	c.enter(i)
	return true
}

// nextStep advances the step, which never goes back, to the next one that can take the
// request. A stand-in that is too small for it, or has no key left, is none.
func (c *Core) nextStep(s *slot) bool {
	n := c.following(s)
	if n < 0 {
		return false
	}
	s.step, s.fails = int8(n), 0
	return true
}

// following returns the next step that may be taken, or -1.
func (c *Core) following(s *slot) int {
	if s.pinned {
		return -1
	}
	steps := c.cfg.Routes[s.route].Steps
	for n := int(s.step) + 1; n < len(steps); n++ {
		if _, ok := c.suits(s, &steps[n]); ok && c.gates[steps[n].Target].alive {
			return n
		}
	}
	return -1
}

// maxOut is the output asked for in a step.
func (s *slot) maxOut(st *RouteStep) int64 {
	if st.MaxOut > 0 {
		return min(st.MaxOut, s.req.MaxOut)
	}
	return s.req.MaxOut
}

// send puts a granted request on the wire with key k of the gate's ring.
func (c *Core) send(g *gate, i int32, k int) {
	s := &c.slots[i]
	ku := &g.keys[k]
	step := &c.cfg.Routes[s.route].Steps[s.step]
	g.sum(c.now)
	if c.cfg.Shared {
		c.budgets[ku.Quota].inFlight++
	} else {
		g.ring.Commit(k)
		c.budgets[ku.Quota].take(c.now, s.need)
	}
	if g.inFlight++; g.inFlight >= g.ctl.Limit() {
		g.ctl.Busy(c.now)
	}
	g.use.InFlightMax = max(g.use.InFlightMax, g.inFlight)
	if g.brk != nil {
		s.token = g.brk.Send()
	}
	s.attempts++
	s.attemptGen++
	s.steps = append(s.steps, Step{
		Target: step.Target, Key: ku.Key, Degrade: int(s.step), Queued: s.since, Sent: c.now,
	})
	s.state, s.since, s.quota = stateOnWire, c.now, int32(ku.Quota)
	if s.attempts == 1 {
		c.spend.deposit()
	}
	e := c.emit()
	e.Kind = EffectSend
	e.Attempt = Attempt{
		ID: s.attemptID(i), Ticket: s.ticket(i), Request: s.req.ID, Tag: s.req.Tag,
		Number: s.attempts, Target: step.Target, Key: ku.Key, Step: int(s.step), Minimal: step.MaxOut > 0,
		Write: s.req.Write, EstIn: s.estIn, ContextCap: s.contextCap, MaxOut: s.maxOut(step),
	}
	if s.req.Write && c.cfg.Idempotency == IdempotencyKeys {
		e.Attempt.IdempotencyKey = idempotencyKey(s.req.ID)
	}
	t := &c.cfg.Timeouts
	e.Attempt.FirstTokenBy = c.now + t.FirstToken + time.Duration(s.estIn)*t.PrefillPerToken
	if s.req.Whole {
		e.Attempt.FirstTokenBy = c.now + t.Whole
	}
	c.arm(i, e.Attempt.FirstTokenBy)
}

// release settles an attempt that has ended: its slot, its reservation, and what it
// says about the target.
func (c *Core) release(i int32, o Outcome) {
	s := &c.slots[i]
	g := &c.gates[s.gate]
	st := s.last()
	st.Ended, st.Outcome = c.now, o
	if st.FirstToken == 0 && o.FirstToken > 0 {
		st.FirstToken = min(max(o.FirstToken, st.Sent), c.now)
	}
	s.onWire += c.now - s.since
	s.usage = o.Usage
	c.timers.Clear(c.timerID(i))
	g.sum(c.now)
	g.inFlight--
	c.touch(g.index)
	b := &c.budgets[s.quota]
	b.inFlight--
	if c.cfg.Shared {
		c.giveBack(s, g, st)
		c.inform(g, s, st)
		return
	}
	back := b.places > 0
	switch o.Kind {
	case Success:
		if o.Usage.In <= 0 {
			break // the provider did not say: the estimate stands (INV-13)
		}
		out := s.maxOut(&c.cfg.Routes[s.route].Steps[s.step])
		back = b.settle(c.now, st.Sent, s.need, need{g.target.charge(o.Usage, out), o.Usage.Out}) || back
	case ConnectFailed: // never left
		b.refund(c.now, st.Sent, s.need)
		back = true
	}
	if back {
		c.touchWaiting(b.gates)
	}
	c.inform(g, s, st)
}

// inform tells the breaker and the controller.
func (c *Core) inform(g *gate, s *slot, st *Step) {
	kind := st.Outcome.Kind
	failed := kind.stepFailure()
	if g.brk != nil {
		if failed || kind == Success {
			g.brk.Record(c.now, s.token, !failed)
		} else {
			g.brk.Forget(s.token)
		}
	}
	switch {
	case c.cfg.Shared: // the books know it by the settlement
	case c.signals(g, s, kind):
		g.ctl.Success(c.now, st.Sent, c.latency(g, st))
	case c.overloaded(g, kind):
		g.ctl.Failure(c.now, st.Sent)
	}
}

// signals reports whether an outcome's latency tells the controller something. That of a whole answer took as long as it
// is long, which says nothing of the load (INV-26).
func (c *Core) signals(g *gate, s *slot, kind OutcomeKind) bool {
	return kind == Success && (!s.req.Whole || g.cc.Signal == SignalTotal)
}

// overloaded reports whether an outcome cuts the concurrency limit.
func (c *Core) overloaded(g *gate, kind OutcomeKind) bool {
	switch kind {
	case RateLimited:
		return g.cc.DecreaseOnRate
	case Overloaded:
		return g.cc.DecreaseOnOverload
	case FirstTokenTimeout, GapTimeout, ConnectFailed:
		return g.cc.DecreaseOnTimeout
	}
	return false
}

// latency is the controller's signal of a success.
func (c *Core) latency(g *gate, st *Step) time.Duration {
	first := st.FirstToken
	if first == 0 {
		first = st.Ended
	}
	switch g.cc.Signal {
	case SignalPerToken:
		return (st.Ended - first) / time.Duration(max(1, st.Outcome.Usage.Out-1))
	case SignalTotal:
		return st.Ended - st.Sent
	}
	fresh := time.Duration(st.Outcome.Usage.In - st.Outcome.Usage.Cached)
	return max(0, first-st.Sent-fresh*c.cfg.Timeouts.PrefillPerToken)
}

// touchWaiting marks the gates at which something waits.
func (c *Core) touchWaiting(gates []int32) {
	for _, g := range gates {
		if c.gates[g].lines.Len() > 0 {
			c.touch(g)
		}
	}
}

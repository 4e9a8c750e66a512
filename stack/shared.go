package stack

import "time"

// ask sends a reservation for the head to the shared books. The head keeps its place in
// line and holds a slot until the answer comes; nothing else of the gate is granted
// meanwhile, so that the line's order holds.
func (c *Core) ask(g *gate, i int32, k int, lower bool) {
	s := &c.slots[i]
	g.ring.Abandon()
	c.seq++
	s.asked, s.askedKey, g.asking = c.seq, int32(k), true
	g.sum(c.now)
	g.inFlight++
	e := c.emit()
	e.Kind = EffectReserve
	e.Reservation = Reservation{
		Ticket: s.ticket(i), Seq: s.asked, Quota: g.keys[k].Quota, Lower: lower, Tokens: s.need.tokens, Output: s.need.output,
	}
	c.block(g, BlockedStore, 1<<63-1)
}

// unask forgets a reservation that is asked for: when its answer comes it is given back.
func (c *Core) unask(s *slot) {
	if s.asked == 0 {
		return
	}
	g := &c.gates[s.gate]
	g.sum(c.now)
	g.inFlight--
	s.asked, g.asking = 0, false
}

// Granted is the shared books' answer to an EffectReserve. A grant whose request has gone
// meanwhile is given back by an EffectSettle.
func (c *Core) Granted(now time.Duration, r Reservation, l Lease) {
	now = c.begin(now)
	i, ok := c.byTicket(r.Ticket)
	if !ok || c.slots[i].asked != r.Seq {
		if l.OK {
			r.Taken, r.Unused = now, true
			e := c.emit()
			e.Kind, e.Reservation = EffectSettle, r
		}
		return
	}
	s := &c.slots[i]
	g := &c.gates[s.gate]
	k := int(s.askedKey)
	c.unask(s)
	if l.OK {
		c.leave(i)
		c.send(g, i, k)
	} else {
		g.askAgain, g.askFor = max(l.Next, now+time.Millisecond), s.seq
	}
	c.touch(g.index)
	c.settle()
}

// giveBack tells the shared books what became of an attempt's reservation: what is not
// known is not refunded (INV-13).
func (c *Core) giveBack(s *slot, g *gate, st *Step) {
	e := c.emit()
	e.Kind = EffectSettle
	e.Reservation = Reservation{
		Quota: int(s.quota), Tokens: s.need.tokens, Output: s.need.output, Taken: st.Sent,
		UsedTokens: s.need.tokens, UsedOutput: s.need.output, Unused: st.Outcome.Kind == ConnectFailed,
	}
	if u := st.Outcome.Usage; st.Outcome.Kind == Success && u.In > 0 {
		out := s.maxOut(&c.cfg.Routes[s.route].Steps[s.step])
		e.Reservation.UsedTokens, e.Reservation.UsedOutput = g.target.charge(u, out), u.Out
	}
}

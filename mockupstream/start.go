package mockupstream

import "time"

// hold takes a call that will never be carried out, but stays connected.
func (p *Provider) hold(plan *Plan, c *Call, m *model, ids []int32, mode mode) *slot {
	p.books.Faulted++
	id, s := p.slots.take()
	plan.ID = id
	s.mode, s.model, s.key, s.in = mode, int32(c.Model), int32(c.Key), c.In
	s.frees = never
	if m.line != nil && mode == modeBlackhole {
		m.line.pass(p.now)
		m.line.join(never)
	}
	m.running++
	p.books.Running++
	p.track(s, ids)
	return s
}

// close takes a call that will wait in line for too long.
func (p *Provider) close(now time.Duration, plan *Plan, c *Call, m *model, ids []int32) {
	s := p.hold(plan, c, m, ids, modeClosed)
	s.first, s.end = now+m.maxWait(), now+m.maxWait()
	plan.Status, plan.Code, plan.Fate = 200, CodeOverloaded, FateClosed
	plan.End, plan.FillUntil = s.end, s.end
}

// start sets an admitted call going at begin, which is when it arrived or the end of its wait in
// line, and completes its plan.
func (p *Provider) start(begin time.Duration, plan *Plan, c *Call, m *model, hash uint64, h *hits, replay bool) *slot {
	id, s := p.slots.take()
	plan.ID = id
	s.model, s.key, s.in = int32(c.Model), int32(c.Key), c.In
	slow := max(1, h.slow)
	if replay {
		s.mode = modeReplay
		p.books.ReplayedWrites++
		s.first = begin + bounded(float64(m.cfg.Latency.Base)*slow)
		s.end = s.first
	} else {
		s.out = m.output(c)
		s.cached = m.cache.read(plan.At, &m.cfg.Cache, p.tenant(c), c)
		first, rest := m.latency(p.noise, hash, s.in, s.cached, s.out, slow)
		s.first = begin + first
		s.end = s.first + rest
		s.written = m.cfg.Written(s.in, s.cached)
		s.long = m.cfg.Price.IsLong(s.in)
		if c.Write {
			s.write, s.writeID = true, c.WriteID
			if s.writeID == 0 {
				s.writeID = c.ID
			}
			s.idem = p.writes.run(p.accounts[c.Key*len(p.models)+c.Model], c.IdempotencyKey)
		}
	}
	// The running call itself counts from the next one on.
	m.running++
	p.books.Running++
	if begin > plan.At {
		plan.FillUntil = begin
	}
	p.impair(plan, s, m, h)
	plan.Long, plan.CacheWrite = s.long, s.written
	if m.dialect.fills {
		plan.FillUntil = plan.FirstToken
	}
	if m.line != nil {
		m.line.join(s.frees)
	}
	return s
}

// tenant is whose prompt cache a call reads: that of the first quota its key usually counts against.
func (p *Provider) tenant(c *Call) int64 {
	return int64(p.usual.at(c.Key*len(p.models) + c.Model)[0])
}

// impair applies the faults on the way back, of several the gravest, and fixes the plan's instants.
func (p *Provider) impair(plan *Plan, s *slot, m *model, h *hits) {
	s.frees = s.end
	switch {
	case h.lostReply:
		if s.mode != modeReplay {
			s.mode = modeLost
			p.writes.commit(s.idem, s.writeID, &p.books)
		}
		*plan = Plan{ID: plan.ID, At: plan.At, Fate: FateHang}
		s.frees = never
		return
	case h.stall || h.broken || h.errorStatus != 0:
		switch {
		case h.stall:
			plan.Fate = FateStall
		case h.broken:
			plan.Fate = FateBreak
		default:
			plan.Fate, plan.ErrorStatus = FateError, h.errorStatus
			if m.dialect.inStream != nil {
				plan.ErrorStatus = m.dialect.inStream(h.errorStatus)
			}
		}
		s.end = s.first + (s.end-s.first)/2
		s.out = (s.out + 1) / 2
		if s.frees = s.end; h.stall {
			s.frees = never
		}
	}
	s.sound = plan.Fate == FateAnswer
	plan.FirstToken, plan.End = s.first, s.end
	plan.Heartbeat = m.cfg.Heartbeat
	if plan.Beat = (s.end - s.first) / time.Duration(max(1, s.out-1)); plan.Heartbeat > 0 {
		plan.Beat = min(plan.Beat, plan.Heartbeat)
	}
}

// track counts an open call where that is limited, and notes on its slot that its end matters.
func (p *Provider) track(s *slot, ids []int32) {
	for _, i := range ids {
		if q := &p.quotas[i]; q.tracked {
			s.tracked = true
			q.open++
		}
	}
}

// follow lets an admitted call's output flow into its quotas.
func (p *Provider) follow(plan *Plan, s *slot, c *Call, m *model, ids []int32) {
	if !s.tracked || s.mode == modeReplay {
		return
	}
	s.at = plan.At
	if m.dialect.uncached && c.EstIn > 0 {
		s.correction = s.in - s.cached - max(0, count(c.EstIn)-s.cached)
	}
	for _, i := range ids {
		if f := p.quotas[i].fluid; f != nil {
			f.start(plan.ID, s.first, s.end, s.out)
		}
	}
}

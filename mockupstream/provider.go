package mockupstream

import "time"

// Provider is the upstream. It is not safe for concurrent use: a driver that has
// several goroutines holds one mutex around it.
type Provider struct {
	seed   uint64
	now    time.Duration
	models []model
	quotas []quota
	// quotaOf holds Config.Keys' quotas, one row a key.
	quotaOf  []int32
	keyBooks []KeyBook // same shape
	slots    slots
	writes   writes
	noise    noise
	books    Books // without the parts that Books() adds

	faults   []fault
	active   []int32 // indices of active faults, ascending
	nextEdge time.Duration
	factors  []float64 // scratch: a limit factor for each quota
}

// New returns a provider that nothing has reached yet. It fails with an error that
// names the field if cfg is not valid (see [Config.Validate]). Config is not kept.
func New(cfg Config) (*Provider, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	p := &Provider{
		seed:     cfg.Seed,
		models:   make([]model, len(cfg.Models)),
		quotas:   make([]quota, len(cfg.Quotas)),
		quotaOf:  make([]int32, 0, len(cfg.Keys)*len(cfg.Models)),
		keyBooks: make([]KeyBook, 0, len(cfg.Keys)*len(cfg.Models)),
		writes:   newWrites(),
		noise:    newNoise(),
		faults:   newFaults(&cfg),
		nextEdge: never,
		factors:  make([]float64, len(cfg.Quotas)),
	}
	vendors := make(map[string]int32)
	for i, m := range cfg.Models {
		if _, known := vendors[m.Vendor]; !known {
			vendors[m.Vendor] = int32(len(vendors))
		}
		m.Capacity = append([]CapacityStep(nil), m.Capacity...)
		p.models[i] = model{cfg: m, vendor: vendors[m.Vendor], capacity: -1}
	}
	for i, q := range cfg.Quotas {
		p.quotas[i] = quota{cfg: q, requests: bucket{limit: q.RPM}, tokens: bucket{limit: q.TPM}}
	}
	for k := range cfg.Keys {
		for m, q := range cfg.Keys[k].Quotas {
			p.quotaOf = append(p.quotaOf, int32(q))
			p.keyBooks = append(p.keyBooks, KeyBook{Key: k, Model: m})
		}
	}
	for i := range p.faults {
		p.nextEdge = min(p.nextEdge, p.faults[i].from)
	}
	return p, nil
}

// tick holds the clock monotonic and the script of faults up to date. The clock ends
// after 146 years, so that no instant computed from it overflows.
func (p *Provider) tick(now time.Duration) time.Duration {
	now = min(max(now, p.now), never/2)
	p.now = now
	if now >= p.nextEdge {
		p.turn(now)
	}
	return now
}

// Admit decides, at the instant a call arrives, what will become of it. Token counts are
// held to 0..10^12. It panics if the call's key or model is out of range.
func (p *Provider) Admit(now time.Duration, c Call) (plan Plan) {
	now = p.tick(now)
	c.In, c.MaxOut, c.Out, c.Prefix = count(c.In), count(c.MaxOut), count(c.Out), count(c.Prefix)
	m := &p.models[c.Model]
	cell := c.Key*len(p.models) + c.Model
	book := &p.keyBooks[cell]
	p.books.Received++
	book.Received++
	hash := callHash(p.seed, c.ID, c.Attempt)
	var h hits
	if len(p.active) > 0 {
		h = p.disturb(hash, &c)
	}
	plan.End = now + m.cfg.Latency.Refusal // unless it is admitted
	if h.refuse {
		p.books.Faulted++
		plan.Fate = FateRefused
		return plan
	}
	var q *quota
	if i := p.quotaOf[cell]; i >= 0 {
		q = &p.quotas[i]
		if q.arrive(now) {
			p.books.EarlyRetries++
		}
	}
	if h.blackhole {
		p.swallow(&plan, &c, m)
		return plan
	}
	replay, conflict := p.writes.begin(m.vendor, &c)
	switch {
	case q == nil:
		p.refuse(&plan, 401, CodeUnauthorized)
		return plan
	case !m.fits(&c):
		p.refuse(&plan, 400, CodeContextLength)
		return plan
	case conflict:
		p.refuse(&plan, 409, CodeConflict)
		return plan
	case h.status != 0:
		p.fail(&plan, int(h.status))
		return plan
	case h.burst != 0:
		plan.RetryAfter, plan.HasRetryAfter = p.faults[h.burst-1].retryAfter(now)
		q.drain(now)
		p.limit(now, &plan, q, book, CodeRateLimitRequests)
		return plan
	}
	q.drain(now)
	tokens := max(c.In, c.MaxOut)
	if code, wait := q.check(tokens); code != CodeOK {
		p.exceed(now, &plan, q, book, tokens, code, wait)
		return plan
	}
	if slots := m.slots(now); slots >= 0 && m.running >= slots {
		p.fail(&plan, 503)
		return plan
	}
	q.charge(now, tokens)
	p.books.Admitted++
	book.Admitted++
	plan.Status = 200
	q.limits(&plan.Limits)
	p.start(now, &plan, &c, m, hash, &h, replay, p.quotaOf[cell])
	return plan
}

// refuse answers a 4xx.
func (p *Provider) refuse(plan *Plan, status int, code Code) {
	p.books.Refused++
	plan.Status, plan.Code = status, code
}

// fail answers a 5xx.
func (p *Provider) fail(plan *Plan, status int) {
	p.books.Faulted++
	plan.Status, plan.Code = status, CodeServerError
	if status == 503 || status == 529 {
		plan.Code = CodeOverloaded
	}
}

// limit answers 429. The quota must be drained.
func (p *Provider) limit(now time.Duration, plan *Plan, q *quota, book *KeyBook, code Code) {
	book.Refused429++
	q.minute(now).Refused++
	q.limits(&plan.Limits)
	if plan.HasRetryAfter {
		q.tell(now, plan.End, plan.RetryAfter)
	}
	p.refuse(plan, 429, code)
}

// exceed answers 429 to a call that a limit refused. Where refused calls count, the wait is
// the one after this call was charged too: following it must succeed.
func (p *Provider) exceed(now time.Duration, plan *Plan, q *quota, book *KeyBook, tokens int64, code Code, wait time.Duration) {
	if code != CodeRequestTooLarge {
		if q.cfg.CountRefused {
			q.fill(now, tokens)
			_, wait = q.check(tokens)
		}
		plan.RetryAfter, plan.HasRetryAfter = wait, true
	}
	p.limit(now, plan, q, book, code)
}

// swallow takes a call that will never be answered nor carried out.
func (p *Provider) swallow(plan *Plan, c *Call, m *model) {
	p.books.Faulted++
	id, s := p.slots.take()
	s.mode, s.model, s.key = modeBlackhole, int32(c.Model), int32(c.Key)
	m.running++
	p.books.Running++
	*plan = Plan{ID: id, Fate: FateHang}
}

// start sets an admitted call going and completes its plan.
func (p *Provider) start(now time.Duration, plan *Plan, c *Call, m *model, hash uint64, h *hits, replay bool, quota int32) {
	id, s := p.slots.take()
	plan.ID = id
	s.model, s.key = int32(c.Model), int32(c.Key)
	slow := max(1, h.slow)
	if replay {
		s.mode = modeReplay
		p.books.ReplayedWrites++
		s.first = now + bounded(float64(m.cfg.Latency.Base)*slow)
		s.end = s.first
	} else {
		s.in, s.out = c.In, m.output(c)
		s.cached = m.cache.read(now, &m.cfg.Cache, int64(quota), c)
		first, rest := m.latency(p.noise, hash, s.in, s.cached, s.out, slow)
		s.first = now + first
		s.end = s.first + rest
		if c.Write {
			s.write, s.writeID, s.idem = true, c.WriteID, c.IdempotencyKey
			if s.writeID == 0 {
				s.writeID = c.ID
			}
			p.writes.run(m.vendor, s.idem, id)
		}
	}
	// The running call itself counts from the next one on.
	m.running++
	p.books.Running++
	p.impair(plan, s, m, h)
}

// impair applies the faults on the way back, of several the gravest, and fixes the plan's instants.
func (p *Provider) impair(plan *Plan, s *slot, m *model, h *hits) {
	switch {
	case h.lostReply:
		if s.mode != modeReplay {
			s.mode = modeLost
			p.writes.commit(m.vendor, s.idem, s.writeID, &p.books)
		}
		*plan = Plan{ID: plan.ID, Fate: FateHang}
		return
	case h.stall || h.broken:
		plan.Fate = FateBreak
		if h.stall {
			plan.Fate = FateStall
		}
		s.end = s.first + (s.end-s.first)/2
		s.out = (s.out + 1) / 2
	}
	plan.FirstToken, plan.End = s.first, s.end
}

// count holds a number of tokens to what the sums can take.
func count(tokens int64) int64 {
	return min(max(0, tokens), maxLimit)
}

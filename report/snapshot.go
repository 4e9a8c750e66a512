package report

import "time"

// snapshot is what the driver and the provider count from the beginning of a run on, and
// what is reported of the window alone: from the end of the warm-up to the end of the run.
type snapshot struct {
	pairs   []pairSum   // by key and model
	gates   []GateCount // by model
	breaker int64
	// Of the provider's books.
	early, duplicates int64
}

// pairSum is what was counted of a key at a model.
type pairSum struct {
	requests, r429 int64
	excluded       time.Duration
	excludedKnown  bool
}

func newSnapshot(s *Setup) snapshot {
	return snapshot{
		pairs: make([]pairSum, len(s.Keys)*len(s.Models)),
		gates: make([]GateCount, len(s.Models)),
	}
}

// snapshotOf sums up what the driver knows.
func snapshotOf(s *Setup, run *Run) snapshot {
	x := newSnapshot(s)
	x.breaker = run.BreakerOpened
	copy(x.gates, run.Gates)
	for k, models := range run.Excluded {
		for m, d := range models {
			p := &x.pairs[k*len(s.Models)+m]
			p.excluded, p.excludedKnown = d, true
		}
	}
	if b := run.Books; b != nil {
		x.early, x.duplicates = b.EarlyRetries, b.DuplicateWrites
		for i := range b.Keys {
			k := &b.Keys[i]
			p := &x.pairs[k.Key*len(s.Models)+k.Model]
			p.requests += k.Received
			p.r429 += k.Refused429
		}
	}
	return x
}

// add adds o, sign times: 1 for another run, -1 for what went before.
func (x *snapshot) add(o *snapshot, sign int64) {
	for i := range o.pairs {
		p, q := &x.pairs[i], &o.pairs[i]
		p.requests += sign * q.requests
		p.r429 += sign * q.r429
		p.excluded += time.Duration(sign) * q.excluded
		p.excludedKnown = p.excludedKnown || q.excludedKnown
	}
	for m := range o.gates {
		x.gates[m].Increases += sign * o.gates[m].Increases
		x.gates[m].Decreases += sign * o.gates[m].Decreases
	}
	x.breaker += sign * o.breaker
	x.early += sign * o.early
	x.duplicates += sign * o.duplicates
}

func (x *snapshot) carry(t *tape, s *Setup) {
	fixed(t, &x.pairs, len(s.Keys)*len(s.Models), func(p *pairSum) {
		t.counts(&p.requests, &p.r429)
		t.spans(&p.excluded)
		t.flags(&p.excludedKnown)
	})
	fixed(t, &x.gates, len(s.Models), func(g *GateCount) { t.counts(&g.Increases, &g.Decreases) })
	t.counts(&x.breaker, &x.early, &x.duplicates)
}

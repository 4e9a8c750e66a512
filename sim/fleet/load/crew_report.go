package load

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// Sums is what all workers have told so far.
type Sums struct {
	Submitted, Ended  int64
	Attempts, HTTP429 int64
	Pending           int64
	Workers, Alive    int
	// P95 of the measured successes so far, of all workers; 0: there are none.
	P95 time.Duration
}

// Sums adds up the intervals; those of workers that were lost too.
func (c *Crew) Sums() Sums {
	s := Sums{Workers: len(c.members), Alive: c.Alive()}
	all := sim.NewLatencies()
	for _, m := range c.members {
		if m == nil {
			continue
		}
		l := m.ledger
		s.Submitted += l.Counts.Submitted
		s.Ended += l.Counts.Ended
		s.Attempts += l.Attempts
		s.HTTP429 += l.HTTP429
		s.Pending += l.Pending
		all.Merge(l.latencies)
	}
	if all.TotalCount() > 0 {
		s.P95 = time.Duration(all.ValueAtPercentile(95)) * time.Microsecond
	}
	return s
}

// Finals are what workers handed in that came to their end, by share; nil where one did not.
func (c *Crew) Finals() []*Final {
	list := make([]*Final, len(c.members))
	for i, m := range c.members {
		if m != nil && m.state == done {
			list[i] = m.final
		}
	}
	return list
}

// Discard gives up a worker whose result cannot be used, at the end.
func (c *Crew) Discard(share int, why string) {
	m := c.members[share]
	m.state, m.final = failed, nil
	c.without(fmt.Sprintf("what worker %s (share %d of %d) handed in cannot be used: %s", m.name, share+1, len(c.members), why))
}

// Harness says how all processes did, and why the run is not to be believed, if it is not. Own is the leader's, which had the mock; nil: it
// had none.
func (c *Crew) Harness(own *report.Harness) *report.Harness {
	h := &report.Harness{}
	for _, m := range c.members {
		if m == nil {
			continue
		}
		if m.final != nil {
			one := m.final.Harness
			for i, why := range one.Reasons {
				one.Reasons[i] = "worker " + m.name + ": " + why
			}
			h.Join(&one)
			h.DescriptorsAllowed = lesser(h.DescriptorsAllowed, one.DescriptorsAllowed)
		}
		h.Workers = append(h.Workers, m.row(c))
	}
	if own != nil {
		h.CPUShare, h.GCPauseMaxMS = max(h.CPUShare, own.CPUShare), max(h.GCPauseMaxMS, own.GCPauseMaxMS)
		for _, why := range own.Reasons {
			h.Reasons = append(h.Reasons, "the mock's process: "+why)
		}
		h.Workers = append(h.Workers, report.Worker{Name: "mock", State: report.WorkerMock, CPUShare: own.CPUShare, GCPauseMaxMS: own.GCPauseMaxMS})
	}
	skew := c.skew()
	h.StartSkewMS = inMS(skew)
	h.Reasons = append(append([]string(nil), c.invalid...), h.Reasons...)
	if skew > c.set.SkewMax {
		h.Reasons = append(h.Reasons, fmt.Sprintf("the workers did not start together: within %v, with the uncertainty of their clocks (allowed %v)", skew.Round(100*time.Microsecond), c.set.SkewMax))
	}
	return h
}

func lesser(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// skew is the time between the first and the last start, by the leader's clock, with what its knowledge of the others' may be wrong by.
func (c *Crew) skew() time.Duration {
	var first, last time.Duration
	any := false
	for _, m := range c.members {
		if m == nil || !m.hasGone {
			continue
		}
		from, to := m.began-m.offset.Error, m.began+m.offset.Error
		if !any {
			first, last, any = from, to, true
			continue
		}
		first, last = min(first, from), max(last, to)
	}
	return last - first
}

func inMS(d time.Duration) report.Num { return report.Num(float64(d) / float64(time.Millisecond)) }

// stateNames are the words of the report.
var stateNames = [...]string{claimed: report.WorkerStopped, prepared: report.WorkerStopped, running: report.WorkerStopped, done: report.WorkerDone, lost: report.WorkerLost, failed: report.WorkerFailed}

// row describes a worker. Of one that did not come to its end it says what it told before.
func (m *member) row(c *Crew) report.Worker {
	w := report.Worker{
		Name: m.name, Share: m.share + 1, State: stateNames[m.state], Agents: int64(m.agents), Requests: m.ledger.Counts.Submitted,
		Gaps: m.gaps, SilenceS: report.Num(m.silence.Seconds()),
	}
	if m.aimed {
		w.OffsetMS, w.OffsetErrorMS = inMS(m.offset.Offset), inMS(m.offset.Error)
	}
	if m.hasGone {
		w.StartMS = inMS(m.began - c.start)
	}
	if f := m.final; f != nil {
		h := &f.Harness
		w.LagP50MS, w.LagP99MS, w.LagMaxMS = h.LagP50MS, h.LagP99MS, h.LagMaxMS
		w.CPUShare, w.GCPauseMaxMS = h.CPUShare, h.GCPauseMaxMS
		if f.Stopped != "" {
			w.State = report.WorkerStopped
		}
	}
	return w
}

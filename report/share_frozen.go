package report

import (
	"errors"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// shareMagic begins the frozen form of a part of a run; the version and what follows are as of a whole one.
const shareMagic = "SLshr"

// FreezeShare returns a sealed part as bytes, which [ThawShare] makes one of again that joins as this one does. Equal parts
// give equal bytes. Only the version of the program that froze it is sure to thaw it.
func (r *Recorder) FreezeShare() ([]byte, error) {
	if r.share == nil || r.share.parts == 0 {
		return nil, errors.New("freezing a part of a run: it is not sealed")
	}
	return frozenAs(shareMagic, r.carryShare)
}

// ThawShare makes a part of what FreezeShare returned. Errors are those of [Thaw]; a part that is returned can be joined
// with others of its setup (see [Recorder.SameSetup]), whatever it holds.
func ThawShare(frozen []byte) (*Recorder, error) {
	r := &Recorder{nextTick: never, share: &share{}}
	if err := thawedAs(shareMagic, frozen, r.carryShare); err != nil {
		return nil, err
	}
	return r, nil
}

// carryShare names what is left of a recorder when it is sealed.
func (r *Recorder) carryShare(t *tape) {
	s := &r.setup
	if s.carry(t); t.err != nil {
		return
	}
	t.check(s.Duration >= 0 && s.Duration < never/2 && s.Interval > 0 && s.Duration/s.Interval < frozenMax, "series of too many intervals")
	r.carryCounts(t)
	np, nk, cells := len(s.Profiles), len(s.Keys), len(r.cells)
	for _, of := range [...]*[]histogram{&r.whole, &r.first} {
		fixed(t, of, cells, func(h *histogram) { h.carry(t) })
	}
	t.column(&r.keyOpen, nk)
	r.laws.carry(t, np, nk*r.models)
	r.slowest.carry(t, s)
	r.agents.carry(t, s)
	if t.err != nil {
		return
	}
	slots := int((s.Duration+s.Interval-1)/s.Interval) + 1
	for _, of := range [...]*[]int64{&r.series.requests, &r.series.r429, &r.series.retries, &r.series.tokens} {
		t.column(of, slots)
	}
	r.ended.before.carry(t, s)
	r.share.carry(t, s, slots)
}

// carry names what is known of the agents while their run goes on, but for their profiles' places, which joining does not need.
func (a *agents) carry(t *tape, s *Setup) {
	if t.reading {
		*a = newAgents(&Setup{Profiles: s.Profiles})
	}
	for c := range a.classes {
		a.classes[c].carry(t)
	}
	fixed(t, &a.waits, len(s.Profiles), func(l *longest) { l.carry(t) })
	classesOf(t, &a.starved, func(l *longest) { l.carry(t) })
	fixed(t, &a.cohorts, int((s.Duration+time.Minute-1)/time.Minute), func(c *cohort) { t.counts(&c.requests, &c.attempts) })
	t.sums(&a.backoff, &a.busy, &a.wire, &a.stay)
}

func (l *longest) carry(t *tape) {
	t.spans(&l.d, &l.at)
	number(t, &l.agent)
}

func (b *classBook) carry(t *tape) {
	list(t, &b.pages, func(page *[]entry) {
		there := *page != nil
		if t.flags(&there); there {
			fixed(t, page, agentPage*b.each, func(e *entry) { t.word((*uint64)(e)) })
		}
	})
}

// carry names what waits for the other parts.
func (h *share) carry(t *tape, s *Setup, slots int) {
	small := func(of *[]*coarse) {
		list(t, of, func(c **coarse) { carryCoarse(t, c) })
		t.check(len(*of) <= len(s.Profiles), "histograms of other profiles")
	}
	list(t, &h.minutes, func(m *minuteBook) {
		small(&m.p99)
		list(t, &m.keys, func(k *keyMinute) { t.counts(&k.attempts, &k.limited) })
		t.check(len(m.keys) <= len(s.Keys), "a minute of other keys")
	})
	t.check(int64(len(h.minutes)) <= int64(s.Duration/time.Minute)+1, "more minutes than there are")
	list(t, &h.intervals, small)
	t.check(len(h.intervals) <= slots, "more intervals than there are")
	list(t, &h.gauges, func(g *gaugeNote) {
		t.spans(&g.at, &g.gauge.Span)
		t.counts(&g.gauge.ExcludedKeys)
		fixed(t, &g.gauge.Models, len(s.Models), func(u *stack.GateUse) { carryGate(t, u) })
		t.check(g.at >= 0, "a look at the gates before the run")
	})
	list(t, &h.retries, func(r *retryNote) { t.spans(&r.at, &r.wait) })
	h.run.carry(t, s)
	t.counts(&h.parts)
	t.check(h.parts > 0, "a part of nothing")
}

func carryGate(t *tape, u *stack.GateUse) {
	t.counts(&u.Limit, &u.InFlight)
	for _, n := range [...]*int{&u.LimitMin, &u.LimitMax, &u.InFlightMax, &u.WaitingMax} {
		number(t, n)
	}
	t.each(u.Waiting[:])
	t.each(u.Blocked[:])
	t.each(u.Waited[:])
}

// carry names what a driver knew of its part.
func (u *Run) carry(t *tape, s *Setup) {
	t.spans(&u.Now)
	t.flags(&u.Interrupted, &u.Incomplete)
	t.counts(&u.BreakerOpened, &u.Abandoned)
	list(t, &u.Gates, func(g *GateCount) { t.counts(&g.Increases, &g.Decreases) })
	list(t, &u.Excluded, func(of *[]time.Duration) {
		list(t, of, func(d *time.Duration) { t.spans(d) })
		t.check(len(*of) <= len(s.Models), "exclusions at other models")
	})
	list(t, &u.InFlight, func(n *int64) { t.counts(n) })
	t.check(len(u.Gates) <= len(s.Models) && len(u.Excluded) <= len(s.Keys) && len(u.InFlight) <= len(s.Profiles), "a run of other models, keys or profiles")
	list(t, &u.Traces, func(b *TraceBook) { b.carry(t) })
	t.word(&u.Digest)
}

// carryCoarse carries a small histogram, or that there is none: the counts that are not zero, each with how many zeros stand
// before it.
func carryCoarse(t *tape, v **coarse) {
	var n int64
	if *v != nil {
		n = (*v).n
	}
	number(t, &n)
	if t.reading {
		*v = nil
	}
	if n == 0 || !t.take(0, 0) {
		return
	}
	if t.reading {
		if t.room -= 4 * coarseLen; t.room < 0 {
			t.fail("it takes too much memory")
			return
		}
		*v = &coarse{n: n}
	}
	c := *v
	for i, left := 0, n; left > 0 && t.err == nil; i++ {
		from := i
		for !t.reading && c.counts[i] == 0 {
			i++
		}
		zeros := i - from
		number(t, &zeros)
		i = from + zeros
		if t.check(zeros >= 0 && i >= 0 && i < coarseLen, "a small histogram that does not end"); t.err != nil {
			return
		}
		number(t, &c.counts[i])
		left -= int64(c.counts[i])
		t.check(c.counts[i] > 0 && left >= 0, "a small histogram with other counts than it has values")
	}
}

package workload

import (
	"math"
	"sort"
	"time"
)

// course is a Curve made ready. It does not change and is shared by the clients of a
// stream.
type course struct {
	base   uint64 // that draws of states start from
	knots  []knot
	sine   *Sine
	mean   fixed // Sine.Base
	states []knot
	dwell  []float64 // of states, seconds
	begin  []float64 // running sums of the states' shares of the time
	spikes []spike
}

type knot struct {
	at   time.Duration
	rate fixed
}

type spike struct {
	at, length, every time.Duration
	extra             fixed
}

func newCourse(s *Stream, base uint64) *course {
	c := &course{base: base}
	curve := s.Curve
	if curve == nil {
		curve = &Curve{}
	}
	for _, p := range curve.Points {
		c.knots = append(c.knots, knot{p.At, decimal(p.Rate)})
	}
	if curve.Sine != nil {
		copied := *curve.Sine
		copied.Phase %= copied.Period
		c.sine, c.mean = &copied, decimal(copied.Base)
	}
	shares := make([]float64, len(curve.States))
	for i, state := range curve.States {
		c.states = append(c.states, knot{rate: decimal(state.Rate)})
		c.dwell = append(c.dwell, state.Dwell.Seconds())
		shares[i] = c.dwell[i]
	}
	if len(shares) > 0 {
		c.begin = running(shares)
	}
	if s.Rate > 0 {
		c.knots = []knot{{0, decimal(s.Rate)}}
	}
	for _, sp := range curve.Spikes {
		if sp.Extra > 0 {
			c.spikes = append(c.spikes, spike{sp.At, sp.For, sp.Every, decimal(sp.Extra)})
		}
	}
	return c
}

// walker walks along a course, piece by piece.
type walker struct {
	piece
	course *course
	state  int
	until  time.Duration // end of the state
	turns  uint64        // states so far
}

// forward moves to the piece in which the area reaches target; false at the end. An area
// reached at the end of a piece belongs to the next one of which the rate is above 0.
func (k *walker) forward(d *dice, target fixed, end time.Duration) bool {
	for k.passed(target) {
		if k.end >= end {
			return false
		}
		k.next(d, end)
	}
	return true
}

// passed reports whether the piece ends before the area exceeds target. An area that
// was meant to be the end's may lie before it by what rounding has cost so far: half of
// the last place for each second and rate, and as much for each piece.
func (p *piece) passed(target fixed) bool {
	lost := fixed{part: 4 + uint64(p.end/time.Second)}
	return !target.plus(lost).less(p.total) || !p.area.less(p.total)
}

// next moves to the piece after the present one.
func (k *walker) next(d *dice, end time.Duration) {
	c := k.course
	p := piece{start: k.end, end: end, area: k.total}
	var from, to fixed
	switch {
	case c.sine != nil:
		whole := p.start / c.sine.Period * c.sine.Period
		p.cut(later(whole, c.sine.Period))
		p.sine, p.origin = c.sine, whole
		from, to = c.mean, c.mean
	case len(c.states) > 0:
		k.enter(d, p.start)
		p.cut(k.until)
		from = c.states[k.state].rate
		to = from
	default:
		i := sort.Search(len(c.knots), func(i int) bool { return c.knots[i].at > p.start })
		if i < len(c.knots) {
			p.cut(c.knots[i].at)
		}
		p.cut(c.edge(p.start))
		from, to = c.line(i, p.start), c.line(i, p.end)
	}
	p.cut(c.edge(p.start))
	extra := c.extra(p.start)
	p.set(from.plus(extra), to.plus(extra))
	k.piece = p
}

// enter draws the state that holds at an instant at which the one before has ended.
func (k *walker) enter(d *dice, at time.Duration) {
	if k.turns > 0 && at < k.until {
		return
	}
	c := k.course
	u := unit(c.base, forState, 2*k.turns)
	if k.turns == 0 {
		k.state = pick(c.begin, u)
	} else {
		others := float64(len(c.states) - 1)
		k.state = (k.state + 1 + int(u*others)) % len(c.states)
	}
	ns := c.dwell[k.state] * float64(time.Second) * d.seeded(c.base, forState, 2*k.turns+1).ExpFloat64()
	k.until = at + max(time.Duration(min(ns, maxWait)+0.5), 1)
	k.turns++
}

// line returns the rate at an instant between knots i-1 and i.
func (c *course) line(i int, at time.Duration) fixed {
	switch {
	case i == 0:
		return c.knots[0].rate
	case i == len(c.knots) || c.knots[i].at == at:
		return c.knots[min(i, len(c.knots)-1)].rate
	}
	a, b := c.knots[i-1], c.knots[i]
	done, span := uint64(at-a.at), uint64(b.at-a.at)
	if b.rate.less(a.rate) {
		return a.rate.minus(a.rate.minus(b.rate).times(done, span))
	}
	return a.rate.plus(b.rate.minus(a.rate).times(done, span))
}

// extra returns the rate that spikes add at an instant.
func (c *course) extra(at time.Duration) fixed {
	sum := fixed{}
	for i := range c.spikes {
		s := &c.spikes[i]
		since := at - s.at
		if s.every > 0 && since > 0 {
			since %= s.every
		}
		if since >= 0 && since < s.length {
			sum = sum.plus(s.extra)
		}
	}
	return sum
}

// edge returns the next instant at which a spike begins or ends.
func (c *course) edge(at time.Duration) time.Duration {
	next := time.Duration(math.MaxInt64)
	for i := range c.spikes {
		s := &c.spikes[i]
		since := at - s.at
		begin := s.at
		switch {
		case since < 0:
			next = min(next, begin)
			continue
		case s.every > 0:
			begin = at - since%s.every
			next = min(next, later(begin, s.every))
		}
		if end := later(begin, s.length); end > at {
			next = min(next, end)
		}
	}
	return next
}

// later returns at + d, held at what a Duration holds; neither is negative.
func later(at, d time.Duration) time.Duration {
	if sum := at + d; sum >= at {
		return sum
	}
	return math.MaxInt64
}

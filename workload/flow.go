package workload

import (
	"math"
	"time"
)

// flow is the arrival process of one source of a stream whose rate moves, whose gaps
// are Gamma or Weibull, which has a tick, or which is one client of a group.
type flow struct {
	walk    walker
	even    bool    // constant arrivals
	client  bool    // one of a group
	scale   float64 // areas of the stream for one request of this source
	gaps    Dist    // of mean 1
	drawn   uint64  // arrivals of the process so far
	target  fixed   // area at the coming arrival
	at      time.Duration
	ready   bool // at is that of the coming arrival
	over    bool // the process has none left
	last    time.Duration
	tick    time.Duration // instants are multiples of it; 0: any
	volleys []volley
}

// volley is where the requests at once of a spike stand.
type volley struct {
	at, every   time.Duration
	left, count int64
}

func newFlow(c *course, s *Stream, cv, share float64) *flow {
	f := &flow{walk: walker{course: c}, scale: 1 / share, last: -1, tick: s.Tick}
	switch s.Arrivals {
	case ArrivalsPoisson:
		f.gaps = Dist{kind: distExponential, a: 1}
	case ArrivalsGamma:
		f.gaps = Must(Gamma(1, cv))
	case ArrivalsWeibull:
		f.gaps = Must(Weibull(1, cv))
	default:
		f.even, f.gaps = true, Dist{a: 1}
	}
	if s.Curve == nil {
		return f
	}
	for i := range s.Curve.Spikes {
		sp := &s.Curve.Spikes[i]
		f.volleys = append(f.volleys, volley{at: sp.At, every: sp.Every})
	}
	return f
}

// deal gives the volley its requests.
func (v *volley) deal(count int64) { v.left, v.count = count, count }

// arrive returns the instant of the coming request, of the process or of a spike's
// requests at once, and moves on; false at the end.
func (f *flow) arrive(d *dice, base uint64, end time.Duration) (time.Duration, bool) {
	if !f.ready && !f.over {
		f.draw(d, base, end)
	}
	at, first := time.Duration(math.MaxInt64), -1
	if !f.over {
		at = f.at
	}
	for i := range f.volleys {
		if v := &f.volleys[i]; v.left > 0 && v.at < at {
			at, first = v.at, i
		}
	}
	if f.tick > 0 {
		at -= at % f.tick
	}
	at = max(at, f.last+1)
	if at >= end {
		return 0, false
	}
	f.last = at
	if first < 0 {
		f.ready = false
		return at, true
	}
	v := &f.volleys[first]
	if v.left--; v.left == 0 && v.every > 0 {
		v.at, v.left = later(v.at, v.every), v.count
	}
	return at, true
}

// draw finds the process's next arrival.
func (f *flow) draw(d *dice, base uint64, end time.Duration) {
	f.target = f.target.plus(f.gap(d, base))
	if !f.walk.forward(d, f.target, end) {
		f.over = true
		return
	}
	if f.drawn == 0 && f.even && !f.client && f.rises() {
		f.target = fixed{whole: 1}
		if !f.walk.forward(d, f.target, end) {
			f.over = true
			return
		}
	}
	f.at, f.ready = f.walk.instant(f.target), true
	f.drawn++
}

// rises reports whether the rate is 0, that is, one request in 30 years, where the area
// is so too: nothing has arrived yet.
func (f *flow) rises() bool {
	p := &f.walk.piece
	rate := p.from
	if p.sine != nil {
		rate += p.sine.Amplitude * math.Sin(p.angle(0))
	}
	return rate < 1e-9
}

// gap draws the area between two arrivals, or before the first one.
func (f *flow) gap(d *dice, base uint64) fixed {
	switch {
	case f.drawn > 0 && f.even && !f.client:
		return fixed{whole: 1}
	case f.drawn > 0:
		return toFixed(f.scale * d.draw(&f.gaps, base, forInterval, f.drawn))
	case f.even && !f.client:
		return fixed{}
	default:
		return toFixed(f.scale * f.gaps.rest(d.seeded(base, forInterval, 0)))
	}
}

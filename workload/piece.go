package workload

import (
	"math"
	"time"
)

// piece is a part of a course in which the rate is a straight line, or a sine on top
// of a constant.
type piece struct {
	start, end  time.Duration
	area, total fixed   // under the rate from 0 to start, and to end
	from, to    float64 // rate at start and end, of the straight part
	sine        *Sine
	origin      time.Duration // a whole number of periods, at or before start
	hint        hint
}

// hint is the arrival of a sine that was solved before, from which the next is not far.
type hint struct {
	at, area, rate float64 // since the start of the piece
}

// cut moves the end to an earlier instant.
func (p *piece) cut(at time.Duration) { p.end = min(p.end, at) }

// set takes the rates of the straight part, now that start and end are known.
func (p *piece) set(from, to fixed) {
	p.from, p.to = from.float(), to.float()
	p.total = p.area.plus(from.plus(to).times(uint64(p.end-p.start), 2*uint64(time.Second)))
	if p.sine == nil {
		return
	}
	p.hint.rate = p.rate(0)
	bent := p.bend((p.end - p.start).Seconds())
	if bent < 0 {
		p.total = p.total.minus(toFixed(-bent))
	} else {
		p.total = p.total.plus(toFixed(bent))
	}
	if p.total.less(p.area) { // rounding, where the rate is 0
		p.total = p.area
	}
}

// instant returns when the area reaches target, which it does within the piece.
func (p *piece) instant(target fixed) time.Duration {
	a := target.minus(p.area).float()
	if a == 0 {
		return p.start
	}
	span := (p.end - p.start).Seconds()
	var s float64
	switch {
	case p.sine != nil:
		s = p.solveSine(a, span)
	case p.from == p.to:
		s = a / p.from
	case p.from < p.to:
		s = solveRamp(a, p.from, (p.to-p.from)/span)
	default: // from the end, where the rate is least, so that nothing cancels
		s = solveRamp(p.total.minus(target).float(), p.to, (p.from-p.to)/span)
		return p.end - p.within(s)
	}
	return p.start + p.within(s)
}

// within rounds seconds since the start, or to the end, of the piece.
func (p *piece) within(seconds float64) time.Duration {
	return min(max(time.Duration(seconds*float64(time.Second)+0.5), 0), p.end-p.start)
}

// solveRamp returns the time in which a rate that begins at r and grows by slope has
// the area a: the root of slope/2*t^2 + r*t = a that does not subtract.
func solveRamp(a, r, slope float64) float64 {
	return 2 * a / (r + math.Sqrt(float64(r*r)+float64(2*slope*a)))
}

// angle returns the sine's angle at some seconds after the start.
func (p *piece) angle(seconds float64) float64 {
	at := (p.start - p.origin - p.sine.Phase).Seconds() + seconds
	return 2 * math.Pi * at / p.sine.Period.Seconds()
}

// bend returns the area under the sine alone from the start on. The integral
// A*P/(2 pi) * (cos a - cos b) is written as a product, or it would cancel.
func (p *piece) bend(seconds float64) float64 {
	a, b := p.angle(0), p.angle(seconds)
	period := p.sine.Period.Seconds()
	return p.sine.Amplitude * period / math.Pi * math.Sin((a+b)/2) * math.Sin((b-a)/2)
}

// rate returns the rate at some seconds after the start, sine included.
func (p *piece) rate(seconds float64) float64 {
	return p.from + float64(p.sine.Amplitude*math.Sin(p.angle(seconds)))
}

// solveSine returns the time in which the area reaches a: Newton's method from the
// solution before, and halving where it leaves the bracket, as it does near a rate
// of 0.
func (p *piece) solveSine(a, span float64) float64 {
	const precise = 1e-11 // seconds
	steepest := p.sine.Amplitude * 2 * math.Pi / p.sine.Period.Seconds()
	low, high := 0.0, span
	t := p.hint.at + (a-p.hint.area)/p.hint.rate
	if !(t >= low && t <= high) {
		t = min(a/p.from, span)
	}
	for range 200 {
		miss := float64(p.from*t) + p.bend(t) - a
		if miss > 0 {
			high = t
		} else {
			low = t
		}
		rate := p.rate(t)
		next := t - miss/rate
		// What is left after a step of Newton's is about half its square times the
		// slope of the rate, over the rate.
		left := (next - t) * (next - t) * steepest / rate
		if !(next >= low && next <= high) {
			next = low + (high-low)/2
			left = high - low
		}
		t = next
		if left < precise {
			break
		}
	}
	p.hint = hint{t, a, p.rate(t)}
	return t
}

package limit

import (
	"math"
	"time"
)

const (
	milli = 1000 // gradient2 counts in thousandths of a request

	gradientSmoothing = 20  // percent of the new value per window
	gradientLong      = 600 // windows of the long-term mean
	gradientWarmUp    = 10  // windows of which it is the plain mean at first
)

// gradient2 compares the latency of now with that of the long run. Once per window:
//
//	short    = mean signal of the window's successes
//	long     = exponential mean of short with factor 2/(600+1); of the first 10 windows the plain mean
//	gradient = long/short, clamped to [0.5, 1]
//	limit    = 0.8*limit + 0.2*(gradient*limit + sqrt(limit))
//
// and long shrinks by a twentieth where it is more than twice short, so that an overload
// that is over is soon forgotten. It rests where the queue is as long as allowed,
// gradient = 1 - 1/sqrt(limit): a tenth above the capacity at 100.
//
// Source: Gradient2Limit of Netflix concurrency-limits, its class documentation (the
// formula) and source (the constants); queue size sqrt(limit) as in the same library's
// SquareRootFunction and in Envoy's adaptive concurrency, where Gradient2's default is 4
// at any limit. Some versions multiply the ratio by a tolerance of 1.5, which the
// documented formula does not have; it is left out here, since with it nothing
// holds the limit until latency is half as long again.
//
// What is different, and why:
//   - The source ignores drops, so that no refusal ever lowers its limit. Here a failure
//     that means overload cuts it to DecreasePercent, as in aimd, at most once per
//     interval and not for what was sent before the last decrease (INV-23).
//   - The source takes every answer's duration, and an error is a fast answer. Here
//     only successes bring a signal (INV-26).
//   - The source holds still while less than half the limit is in flight. Here it does
//     while the limit was not reached in the window (INV-24): nothing else is known.
//   - A window above High counts as High in the long-term mean. That mean drifts up with a
//     standing overload, and then the gradient calls the overload normal (failsafe-go
//     issue 127); the drift stays, it is the rule's nature, but it ends at High.
//   - Thousandths instead of floating point: the same on every machine.
//
// What stays: started above the capacity it takes the overload for normal. Start low.
type gradient2 struct {
	cfg             Config
	win             window
	limit           int64 // in thousandths
	long            time.Duration
	windows         int64 // of the warm-up that are in long
	raised, lowered int64
}

func newGradient2(c Config) *gradient2 {
	return &gradient2{cfg: c, win: newWindow(c), limit: milli * int64(min(max(c.Start, c.Min), c.Max))}
}

func (g *gradient2) Limit() int                      { return int(g.limit / milli) }
func (g *gradient2) Counts() (raised, lowered int64) { return g.raised, g.lowered }
func (g *gradient2) Busy(time.Duration)              { g.win.busy = true }

func (g *gradient2) Success(now, sent, signal time.Duration) {
	v, ok := g.win.add(now, sent, signal)
	if !ok {
		return
	}
	g.remember(v.mean)
	if v.busy {
		g.set(now, g.limit+(g.target(v.mean)-g.limit)*gradientSmoothing/100)
	}
}

func (g *gradient2) Failure(now, sent time.Duration) {
	if g.win.mayCut(now, sent) {
		g.set(now, min(g.limit-milli, g.limit*int64(g.cfg.DecreasePercent)/100))
		g.win.lowered(now) // at Min too: a window with an overload in it raises nothing
	}
}

// remember puts a window's mean into the long-term one.
func (g *gradient2) remember(short time.Duration) {
	seen := min(short, max(g.cfg.High, floorSignal))
	if g.windows < gradientWarmUp {
		g.windows++
		g.long += (seen - g.long) / time.Duration(g.windows)
	} else {
		g.long += (seen - g.long) * 2 / (gradientLong + 1)
	}
	if g.long > 2*short {
		g.long -= g.long / 20
	}
}

// target is gradient*limit + sqrt(limit), in thousandths.
func (g *gradient2) target(short time.Duration) int64 {
	kept := g.limit
	if g.long < short {
		kept = max(g.limit/2, share(g.limit, g.long, short))
	}
	return kept + int64(math.Sqrt(float64(g.limit*milli)))
}

// set moves the limit, within its bounds. A change within the same whole request is none
// that anybody sees, and does not count.
func (g *gradient2) set(now time.Duration, to int64) {
	before := g.Limit()
	g.limit = min(max(to, milli*int64(g.cfg.Min)), milli*int64(g.cfg.Max))
	switch after := g.Limit(); {
	case after > before:
		g.raised++
	case after < before:
		g.lowered++
		g.win.lowered(now)
	}
}

package limit

import (
	"math/bits"
	"time"
)

const (
	// floorSignal is the least signal a window takes, as in the window of Netflix
	// concurrency-limits: what is shorter says nothing about a queue, and a mean of 0
	// could not be divided by.
	floorSignal = 100 * time.Microsecond
	// The two bounds keep the sum of a window below 1<<63: 100 000 days of ns are 8.64e18.
	longestSignal = 24 * time.Hour
	mostSamples   = 100_000
)

// window gathers what a controller that reads latency judges: the mean signal of the
// successes of one interval, and whether the limit was reached in it.
//
// It closes once the interval has passed and enough successes are there, so that few
// requests make it longer, not noisier. It also keeps the rule of INV-23 for its
// controller: after a cut, what was sent before counts for nothing, and the next cut is
// an interval away.
type window struct {
	interval time.Duration
	least    int // successes without which it does not close
	closes   time.Duration
	sum      time.Duration
	n        int
	busy     bool
	cut      time.Duration // instant of the last cut
	everCut  bool
}

func newWindow(c Config) window {
	return window{interval: c.Interval, least: max(1, c.MinSamples), closes: c.Interval}
}

// verdict is what a closed window says.
type verdict struct {
	mean time.Duration // of the signal, at least floorSignal
	busy bool          // the limit was reached
}

// add takes a success. When the window closes with it, ok is true and the next one opens.
func (w *window) add(now, sent, signal time.Duration) (v verdict, ok bool) {
	if w.everCut && sent < w.cut {
		return verdict{}, false
	}
	if w.n < mostSamples {
		w.sum += min(max(signal, floorSignal), longestSignal)
		w.n++
	}
	if now < w.closes || w.n < w.least {
		return verdict{}, false
	}
	v = verdict{mean: w.sum / time.Duration(w.n), busy: w.busy}
	w.open(now)
	return v, true
}

// mayCut tells whether a failure of a request sent at sent may cut the limit.
func (w *window) mayCut(now, sent time.Duration) bool {
	return !w.everCut || sent >= w.cut && now >= w.cut+w.interval
}

// lowered notes a cut and opens a window of what is sent after it.
func (w *window) lowered(now time.Duration) {
	w.cut, w.everCut = now, true
	w.open(now)
}

func (w *window) open(now time.Duration) {
	w.sum, w.n, w.busy, w.closes = 0, 0, false, now+w.interval
}

// share is n * part / whole, rounded down, for 0 <= part <= whole and n >= 0. The product
// may exceed 64 bits: a limit of a million in thousandths times an hour in ns does.
func share(n int64, part, whole time.Duration) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

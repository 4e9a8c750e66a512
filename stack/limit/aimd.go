package limit

import (
	"math"
	"slices"
	"time"
)

// aimd raises the limit by a step per interval while the 95th percentile of the
// signal is below Low and the limit is what binds, and cuts it by a factor when
// the percentile is above High or an overload failure comes in.
//
// The additive step scales with the square root of the limit (IncreasePercent of it, at
// least 1), so that hundreds in flight are reached in minutes, and clients that share a
// capacity still converge: with an increase of x^(1/2) and a decrease of x the sum of the
// exponents k = -1/2 and l = 1 is positive, the condition of Bansal and Balakrishnan
// ("Binomial Congestion Control Algorithms", 2001). A step proportional to the limit
// would not converge: it keeps the ratio of two clients as it is. At most one cut per interval, and a
// sample or failure of a request sent before the last cut says nothing about the
// limit after it (INV-23).
type aimd struct {
	cfg             Config
	limit           int
	samples         []time.Duration // ring of the latest signals
	next            int
	full            bool
	scratch         []time.Duration
	evaluate        time.Duration // instant of the next look at the signal
	busy            bool          // the limit was reached since the last look
	cut             time.Duration // instant of the last cut
	everCut         bool
	raised, lowered int64
}

func newAIMD(c Config) *aimd {
	return &aimd{
		cfg: c, limit: min(max(c.Start, c.Min), c.Max), evaluate: c.Interval,
		samples: make([]time.Duration, c.Samples), scratch: make([]time.Duration, c.Samples),
	}
}

func (a *aimd) Limit() int                      { return a.limit }
func (a *aimd) Counts() (raised, lowered int64) { return a.raised, a.lowered }
func (a *aimd) Busy(time.Duration)              { a.busy = true }

func (a *aimd) Success(now, sent, signal time.Duration) {
	if a.everCut && sent < a.cut {
		return
	}
	a.samples[a.next] = signal
	if a.next++; a.next == len(a.samples) {
		a.next, a.full = 0, true
	}
	if now >= a.evaluate {
		a.look(now)
	}
}

func (a *aimd) Failure(now, sent time.Duration) {
	if a.everCut && (sent < a.cut || now < a.cut+a.cfg.Interval) {
		return
	}
	a.lower(now)
}

// look judges the signal once per interval.
func (a *aimd) look(now time.Duration) {
	busy := a.busy
	a.busy, a.evaluate = false, now+a.cfg.Interval
	n := a.next
	if a.full {
		n = len(a.samples)
	}
	if n < a.cfg.MinSamples {
		a.busy = busy // judge it with the next look
		return
	}
	s := a.scratch[:n]
	copy(s, a.samples[:n])
	slices.Sort(s)
	p95 := s[(n*95+99)/100-1] // nearest rank
	switch {
	case p95 > a.cfg.High:
		if !a.everCut || now >= a.cut+a.cfg.Interval {
			a.lower(now)
		}
	case p95 < a.cfg.Low && busy:
		a.raise()
	}
}

// step is IncreasePercent of the square root of the limit, at least 1.
func (a *aimd) step() int {
	return max(1, int(math.Sqrt(float64(a.limit)))*a.cfg.IncreasePercent/100)
}

func (a *aimd) raise() {
	to := min(a.cfg.Max, a.limit+a.step())
	if to > a.limit {
		a.limit = to
		a.raised++
	}
}

func (a *aimd) lower(now time.Duration) {
	to := max(a.cfg.Min, min(a.limit-1, a.limit*a.cfg.DecreasePercent/100))
	if to < a.limit {
		a.limit = to
		a.lowered++
	}
	a.cut, a.everCut = now, true
	a.next, a.full, a.busy = 0, false, false
	a.evaluate = now + a.cfg.Interval
}

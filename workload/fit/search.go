package fit

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
	"gonum.org/v1/gonum/stat/distuv"
)

// prices of a cut, as parts of the logarithm of the number of arrivals, which is what the
// Bayesian information criterion asks for a rate and an instant. They are tried in order:
// a lower one follows the recorded rate more closely.
var prices = []float64{1, 0.7, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2}

const (
	// closeEnough is how far from the trace's a dispersion of the fit may be, as a logarithm;
	// noisyEnough how far below it if chance explains that; tooMuch how far above it if not.
	closeEnough = 0.10
	noisyEnough = 0.18
	tooMuch     = 0.25
	// enoughWindows is the least number over which a dispersion says more than chance does.
	enoughWindows = 30
	// draws is how often a fit is simulated to be judged, drawn the arrivals of all of them.
	draws = 8
	drawn = 2_000_000
	// rounds bounds the steps between the parts of the rate and the dispersion beside them.
	rounds = 6
	minCV  = 0.01
	maxCV  = 100
	// maxRate is the highest that a workload takes, in requests per second.
	maxRate = 1_000_000
	// leastPhi is the least dispersion that parts are cut by: counts of a few arrivals are whole
	// numbers, however even the gaps are.
	leastPhi = 0.3
	// enoughArrivals is the least number of them whose rate is followed closely. With fewer, dispersions and
	// gaps are so much by chance that to follow them is to write down noise: a cut then costs its full
	// price, at no less than the dispersion of Poisson arrivals, and each part has leastPart of them.
	enoughArrivals = 1000
	leastPart      = 10
)

// FitArrivals fits an arrival process to instants that do not fall, the first at 0, of a
// trace of the given length. The rate is cut where it changes, by a price for each cut, and
// the gaps are Gamma or Weibull with the coefficient of variation that is left; each is
// found given the other. Of several prices it takes the first with which the simulated
// process is dispersed as the trace is (see [Dispersion] and [Scales]), within 10 %, or a
// little beyond; else the one that comes closest. Scales that the trace has fewer than 30
// windows of do not count. Of fewer than 1000 arrivals the rate is cut at the full price only, into
// parts of at least ten, and a dispersion is met if chance explains what is missing.
// The error wraps [ErrRows] if arrivals are faster than a stream's can be.
// The result is a function of its arguments.
func FitArrivals(at []time.Duration, length time.Duration) (Arrivals, error) {
	s := search{at: at, length: length, tick: findTick(at), short: len(at) < enoughArrivals}
	if s.tick > 0 {
		s.at = snap(at, s.tick)
		s.length = max(length, s.at[len(s.at)-1]+s.tick)
	}
	s.bins = newBins(s.at, s.length, s.tick)
	for _, w := range Scales {
		s.target = append(s.target, Dispersion(at, w, length))
	}
	best, least := Arrivals{}, math.Inf(1)
	fastest := math.Inf(1)
	var seen [][]int
	whole := s.left([]int{0, len(s.bins.sums) - 1})
	prices := prices
	if s.short {
		prices = prices[:1]
	}
	for _, price := range prices {
		for _, start := range []float64{whole, 1} {
			cuts, phi := s.settle(start, price*math.Log(float64(len(at))))
			if slices.ContainsFunc(seen, func(c []int) bool { return slices.Equal(c, cuts) }) {
				continue
			}
			seen = append(seen, cuts)
			a := s.arrivals(cuts, phi)
			if fastest = min(fastest, a.fastest()); a.fastest() > maxRate {
				continue
			}
			miss, ok, err := s.judge(&a)
			if err != nil {
				return Arrivals{}, fmt.Errorf("simulating a fit: %w", err)
			}
			if ok {
				return a, nil
			}
			if miss < least {
				best, least = a, miss
			}
		}
	}
	if best.Steps == nil {
		return best, fmt.Errorf("%w: %.3g per second at the busiest, at most %.0f are possible", ErrRows, fastest, float64(maxRate))
	}
	return best, nil
}

// search looks for the arrival process of one trace.
type search struct {
	at     []time.Duration
	length time.Duration
	tick   time.Duration
	short  bool // fewer than enoughArrivals
	bins   *bins
	target []float64 // dispersions of the trace at Scales
}

// settle goes back and forth between the cuts and the dispersion beside them.
func (s *search) settle(phi, price float64) ([]int, float64) {
	var cuts []int
	floor, least := leastPhi, 0.0
	if s.short {
		floor, least = 1, leastPart
	}
	for range rounds {
		cuts = s.bins.segment(max(phi, floor), price, least)
		next := s.left(cuts)
		done := math.Abs(next-phi) < 1e-3*phi
		phi = next
		if done {
			break
		}
	}
	return cuts, phi
}

// left is the dispersion that the parts between cuts leave: the square of the coefficient of
// variation of the gaps, or, where instants are too coarse for gaps, the variance over mean
// of counts.
func (s *search) left(cuts []int) float64 {
	phi := 0.0
	if s.tick > 0 {
		phi = s.bins.pearson(cuts)
	} else {
		cv := cvOf(areas(s.at, s.bins.steps(cuts)))
		phi = cv * cv
	}
	return min(max(phi, minCV*minCV), maxCV*maxCV)
}

// arrivals makes a process of what was found. Gaps that chance explains as Poisson are.
func (s *search) arrivals(cuts []int, phi float64) Arrivals {
	a := Arrivals{Steps: s.bins.steps(cuts), CV: digits(math.Sqrt(phi)), Kind: workload.ArrivalsGamma, Tick: s.tick}
	n := float64(len(s.at))
	if s.tick > 0 {
		n = 2 * float64(len(s.bins.fine))
	}
	if math.Abs(a.CV-1) < max(2/math.Sqrt(n), 0.03) {
		a.Kind, a.CV = workload.ArrivalsPoisson, 0
		return a
	}
	if s.tick == 0 && weibullIsNearer(areas(s.at, a.Steps), a.CV) {
		a.Kind = workload.ArrivalsWeibull
	}
	return a
}

// weibullIsNearer reports whether gaps of mean 1 are nearer to a Weibull distribution than to
// a Gamma one, both of this coefficient of variation, by the Kolmogorov-Smirnov distance.
func weibullIsNearer(gaps []float64, cv float64) bool {
	shape := 1 / (cv * cv)
	gamma := distuv.Gamma{Alpha: shape, Beta: shape}
	k, err := workload.WeibullShape(cv)
	if err != nil {
		return false
	}
	weibull := distuv.Weibull{K: k, Lambda: 1 / math.Gamma(1+1/k)}
	sorted := slices.Sorted(slices.Values(gaps))
	return distance(sorted, weibull.CDF) < distance(sorted, gamma.CDF)
}

// judge simulates a process and tells how far its dispersions are from the trace's, as the
// largest absolute logarithm of their ratio, and whether that is good enough.
func (s *search) judge(a *Arrivals) (miss float64, ok bool, err error) {
	ok = true
	n := max(2, min(draws, drawn/len(s.at)))
	means, spreads := make([]float64, len(Scales)), make([]float64, len(Scales))
	for seed := range n {
		at, err := a.Draw(uint64(seed+1), s.length)
		if err != nil {
			return 0, false, err
		}
		for i, w := range Scales {
			d := Dispersion(at, w, s.length)
			means[i] += d / float64(n)
			spreads[i] += d * d / float64(n)
		}
	}
	for i, mean := range means {
		if s.length < enoughWindows*Scales[i] || math.IsNaN(mean) || !(s.target[i] > 0) {
			continue // too short a trace for this scale
		}
		off := math.Abs(math.Log(mean / s.target[i]))
		sd := math.Sqrt(max(0, spreads[i]-mean*mean) * float64(n) / float64(n-1))
		// More parts make a process more dispersed: one that is a little too much so already is
		// better left alone.
		lacks, chance := mean < s.target[i], math.Abs(mean-s.target[i]) <= 2*sd
		if off > closeEnough && (lacks && (off > noisyEnough && !s.short || !chance) || !lacks && off > tooMuch && !chance) {
			ok = false
		}
		miss = max(miss, off)
	}
	return miss, ok, nil
}

package report

import (
	"fmt"
	"math"
	"slices"
)

// Interval is Student's 95 % confidence interval for the mean ratio of two variants.
type Interval struct {
	Low  Num `json:"low"`
	High Num `json:"high"`
	N    int `json:"n"` // replications, 2 or more
}

// pairedRatio is the ratio of two figures that several replications have in common.
type pairedRatio struct {
	// value is the mean of the ratios: NaN when one of them has none, +Inf when a value is
	// a failure and no base is.
	value float64
	// low and high are its 95 % interval, NaN when it has none.
	low, high float64
	note      string // why the ratio or its interval is missing
}

// ratioOf returns the mean of values[i]/bases[i], and its interval, over replications that
// had the same seed and so the same demand: what a seed does to both cancels out, which an
// interval for each by itself would not show (paired t, common random numbers: Law,
// Simulation Modeling and Analysis, 10.2.1 and 11.2).
//
// Mean and interval are taken of logarithms and turned back: with d the logarithms of the n
// ratios, exp(mean(d) +- t * sd(d)/sqrt(n)), t the 97.5 % quantile of Student's
// distribution with n-1 degrees of freedom. So the mean is the geometric one, the only one
// by which a to b is the inverse of b to a (Fleming and Wallace, How not to lie with
// statistics, CACM 29(3), 1986), the interval is never below 0, and halves and doubles weigh
// the same (log response ratio: Hedges, Gurevitch and Curtis, Ecology 80(4), 1999).
//
// A base that is 0 or a failure in any replication leaves the ratio undefined. Zero has no
// logarithm: values that are all 0 give 0 [0, 0]; where only some are, the mean is the
// arithmetic one, and there is no interval. A single pair has none either.
func ratioOf(values, bases []float64, valueAs, baseAs string) pairedRatio {
	nan := math.NaN()
	r := pairedRatio{value: nan, low: nan, high: nan}
	n := len(values)
	v, b := tallyOf(values), tallyOf(bases)
	in := func(k int) string {
		if n == 1 {
			return ""
		}
		return fmt.Sprintf(" in %d of %d replications", k, n)
	}
	switch {
	case b.missing > 0:
		r.note = baseAs + " was not measured" + in(b.missing)
	case b.failed > 0:
		r.note = baseAs + " is a failure" + in(b.failed)
	case b.zero > 0:
		r.note = baseAs + " is 0" + in(b.zero)
	case v.missing > 0:
		r.note = valueAs + " was not measured" + in(v.missing)
	case v.failed > 0:
		r.value, r.note = math.Inf(1), valueAs+" is a failure"+in(v.failed)
	case v.zero == n:
		r.value = 0
		if n > 1 {
			r.low, r.high = 0, 0
		}
	case v.zero > 0:
		r.value, _ = meanInterval(quotients(values, bases))
		r.note = "arithmetic mean without an interval, as " + valueAs + " is 0" + in(v.zero)
	case n == 1:
		r.value = values[0] / bases[0]
	default:
		logs := quotients(values, bases)
		for i := range logs {
			logs[i] = math.Log(logs[i])
		}
		mean, half := meanInterval(logs)
		r.value, r.low, r.high = math.Exp(mean), math.Exp(mean-half), math.Exp(mean+half)
	}
	return r
}

// quotients are in rising order, so that the order of replications reaches no last digit.
func quotients(values, bases []float64) []float64 {
	out := make([]float64, len(values))
	for i := range out {
		out[i] = values[i] / bases[i]
	}
	slices.Sort(out)
	return out
}

// figureTally counts the figures of which no logarithm can be taken.
type figureTally struct{ missing, failed, zero int }

func tallyOf(xs []float64) (t figureTally) {
	for _, x := range xs {
		switch {
		case math.IsNaN(x) || x < 0:
			t.missing++
		case math.IsInf(x, 1):
			t.failed++
		case x == 0:
			t.zero++
		}
	}
	return t
}

// interval returns the interval, nil if there is none.
func (r *pairedRatio) interval(n int) *Interval {
	if math.IsNaN(r.low) || math.IsNaN(r.high) {
		return nil
	}
	return &Interval{Low: Num(r.low), High: Num(r.high), N: n}
}

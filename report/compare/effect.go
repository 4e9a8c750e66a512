package compare

import (
	"math"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
)

// effect is how far a metric moved. Of values that are both finite and above 0, log is the logarithm of
// NEW/BASE; it is infinite where one of them is 0 or a failure, and then delta, the difference, tells these apart.
type effect struct {
	log, delta float64
}

// logRatio is the logarithm of next/base, 0 where both are 0 or both are failures.
func logRatio(base, next float64) float64 {
	switch {
	case base == next:
		return 0
	case base == 0 || math.IsInf(next, 1):
		return math.Inf(1)
	case next == 0 || math.IsInf(base, 1):
		return math.Inf(-1)
	}
	return math.Log(next) - math.Log(base) // so that the sides can be swapped to the last digit
}

func difference(base, next float64) float64 {
	if base == next {
		return 0
	}
	return next - base
}

// middle is the median of sorted values. Between two infinities of different signs it is 0: neither side has it.
func middle(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	low, high := sorted[(n-1)/2], sorted[n/2]
	if math.IsInf(low, -1) && math.IsInf(high, 1) {
		return 0
	}
	return (low + high) / 2
}

func medianOf(xs []float64) float64 {
	sorted := slices.Clone(xs)
	slices.Sort(sorted)
	return middle(sorted)
}

// pairedEffect is the median of the pairs' effects.
func pairedEffect(base, next []float64) effect {
	logs, deltas := make([]float64, len(base)), make([]float64, len(base))
	for i := range base {
		logs[i], deltas[i] = logRatio(base[i], next[i]), difference(base[i], next[i])
	}
	return effect{medianOf(logs), medianOf(deltas)}
}

// tiedEffect is the effect of counts or shares of which most pairs are equal, so that the median of the differences is 0 whatever
// the others are: that of one mean on the other. It is none where the mean went the other way than most of the pairs that differ.
func tiedEffect(base, next []float64) effect {
	up := 0
	for i := range base {
		up += one(next[i] > base[i]) - one(next[i] < base[i])
	}
	b, n := mean(base), mean(next)
	e := effect{logRatio(b, n), difference(b, n)}
	if float64(up)*e.delta <= 0 {
		return effect{}
	}
	return e
}

// mostlyTied reports whether a metric is a count or a share, and the median of the pairs' differences is 0 by ties.
func mostlyTied(u report.Unit, base, next []float64) bool {
	switch u {
	case report.UnitNumber, report.UnitShare, report.UnitRatio:
	case report.UnitTime, report.UnitRate, report.UnitMoney:
		return false
	}
	n := untied(base, next)
	return n > 0 && 2*n <= len(base) && pairedEffect(base, next).delta == 0
}

// mean sums in rising order, so that the order of the values does not matter.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range slices.Sorted(slices.Values(xs)) {
		sum += x
	}
	return sum / float64(len(xs))
}

// sampleEffect is the effect of one median on another.
func sampleEffect(base, next []float64) effect {
	b, n := medianOf(base), medianOf(next)
	return effect{logRatio(b, n), difference(b, n)}
}

// reaches reports whether the effect is as large as the threshold, a share, or where there is no ratio as Floor.
func (e effect) reaches(threshold float64, u report.Unit) bool {
	switch {
	case e.log == 0 || math.IsNaN(e.log):
		return false
	case !math.IsInf(e.log, 0):
		return math.Abs(e.log) >= math.Log1p(threshold)-1e-9
	case math.IsInf(e.delta, 0):
		return true // to or from failure
	}
	return math.Abs(e.delta) >= Floor(u)
}

// change says in words what a ratio cannot.
func (e effect) change() string {
	to := math.IsInf(e.log, 1)
	switch {
	case !math.IsInf(e.log, 0):
		return ""
	case math.IsInf(e.delta, 0) && to:
		return "to failure"
	case math.IsInf(e.delta, 0):
		return "from failure"
	case to:
		return "from 0"
	}
	return "to 0"
}

// verdict says which way an effect went.
func (e effect) verdict(d report.Direction) Verdict {
	up := e.log > 0
	switch {
	case e.log == 0 || d == report.NoDirection:
		return Same
	case up == (d == report.HigherIsBetter):
		return Better
	}
	return Worse
}

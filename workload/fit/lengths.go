package fit

import (
	"math"
	"slices"

	"github.com/seed-4fd17b57/simload/workload"
)

// exact is the number of different lengths up to which each is kept.
const exact = 64

// edges are the shares at which a sample is cut into cells. The quantiles that people look
// at (50, 90, 95, 99, 99.9 %) are in the middle of one; cells are narrow where lengths are
// long.
var edges = makeEdges()

func makeEdges() []float64 {
	out := []float64{0, 0.0025}
	for p := 1; p <= 93; p += 2 {
		out = append(out, float64(p)/100)
	}
	return append(out, 0.945, 0.955, 0.965, 0.975, 0.9825, 0.9875, 0.9925, 0.995, 0.9975, 0.9985, 0.9995, 1)
}

// Lengths is an empirical distribution of tokens: values, rising, and how many requests
// each stands for.
type Lengths struct {
	Values, Counts []int64
}

// FitLengths fits a distribution to lengths. Up to 64 different ones are kept as they are; of
// more, each value is the mean of a cell of neighbours, so the mean is kept to the rounding,
// and no quantile is further off than its cell is wide.
func FitLengths(xs []int64) Lengths {
	sorted := slices.Sorted(slices.Values(xs))
	var l Lengths
	if different := slices.Compact(slices.Clone(sorted)); len(different) <= exact {
		for _, x := range sorted {
			l.add(x, 1)
		}
		return l
	}
	from := 0
	for _, edge := range edges[1:] {
		to := int(math.Round(edge * float64(len(sorted))))
		if to == from {
			continue
		}
		sum := 0.0
		for _, x := range sorted[from:to] {
			sum += float64(x)
		}
		l.add(int64(math.Round(sum/float64(to-from))), int64(to-from))
		from = to
	}
	return l
}

// add adds requests of a length that is not below the ones before it.
func (l *Lengths) add(value, count int64) {
	if last := len(l.Values) - 1; last >= 0 && l.Values[last] == value {
		l.Counts[last] += count
		return
	}
	l.Values, l.Counts = append(l.Values, value), append(l.Counts, count)
}

// Max returns the largest length; 0 if there is none.
func (l Lengths) Max() int64 {
	if len(l.Values) == 0 {
		return 0
	}
	return l.Values[len(l.Values)-1]
}

// Dist returns the distribution that a workload draws from.
func (l Lengths) Dist() (workload.Dist, error) {
	values, weights := make([]float64, len(l.Values)), make([]float64, len(l.Values))
	for i := range l.Values {
		values[i], weights[i] = float64(l.Values[i]), float64(l.Counts[i])
	}
	return workload.Empirical(values, weights)
}

package fit

import (
	"cmp"
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
	return append(out, 0.945, 0.955, 0.965, 0.975, 0.98, 0.984, 0.987, 0.989, 0.991, 0.993, 0.995, 0.9965, 0.998, 0.9985, 0.9995, 1)
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
	var whole Lengths
	for _, x := range sorted {
		whole.add(x, 1)
	}
	return whole.cells()
}

// fitWeighted fits a distribution to lengths of which each stands for some requests.
func fitWeighted(xs, weights []int64) Lengths {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	var whole Lengths
	for _, i := range order {
		whole.add(xs[i], weights[i])
	}
	return whole.cells()
}

// cells puts neighbours together, if there are more than 64 different lengths.
func (l Lengths) cells() Lengths {
	if len(l.Values) <= exact {
		return l
	}
	total := int64(0)
	for _, n := range l.Counts {
		total += n
	}
	var out Lengths
	i, rest := 0, l.Counts[0] // where the next cell begins, and how much of it is left
	from := int64(0)
	for _, edge := range edges[1:] {
		to := int64(math.Round(edge * float64(total)))
		if to == from {
			continue
		}
		sum := 0.0
		for need := to - from; need > 0; {
			if rest == 0 {
				i++
				rest = l.Counts[i]
			}
			n := min(need, rest)
			sum += float64(n) * float64(l.Values[i])
			need, rest = need-n, rest-n
		}
		out.add(int64(math.Round(sum/float64(to-from))), to-from)
		from = to
	}
	return out
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
func (l Lengths) Dist() (workload.Dist, error) { return l.times(1) }

// times is Dist in another unit.
func (l Lengths) times(unit float64) (workload.Dist, error) {
	values, weights := make([]float64, len(l.Values)), make([]float64, len(l.Values))
	for i := range l.Values {
		values[i], weights[i] = float64(l.Values[i])*unit, float64(l.Counts[i])
	}
	return workload.Empirical(values, weights)
}

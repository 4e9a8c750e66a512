package compare

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// signTest returns the two-sided p of the sign test: the chance that of the pairs that differ so many or more
// would lie on one side if each side were as likely. Pairs that do not differ are dropped.
func signTest(base, next []float64) float64 {
	up, down := 0, 0
	for i := range base {
		switch {
		case next[i] > base[i]:
			up++
		case next[i] < base[i]:
			down++
		}
	}
	n := up + down
	if n == 0 {
		return 1
	}
	b := distuv.Binomial{N: float64(n), P: 0.5}
	return min(1, 2*b.CDF(float64(min(up, down))))
}

// leastSign is the smallest p that the sign test can have with n pairs: all of them on one side.
func leastSign(n int) float64 { return min(1, math.Exp2(float64(1-n))) }

// rankTest returns the two-sided p of Mann and Whitney's test. It is given ranks in place of values, which
// are all that it looks at, so that failures need no number. With ties, what the library returns depends a little on which side
// comes first; the larger is taken, so that the sides can be swapped.
func rankTest(base, next []float64) float64 {
	all := slices.Concat(base, next)
	slices.Sort(all)
	all = slices.Compact(all)
	ranks := func(xs []float64) []float64 {
		out := make([]float64, len(xs))
		for i, x := range xs {
			at, _ := slices.BinarySearch(all, x)
			out[i] = float64(at)
		}
		return out
	}
	if len(all) < 2 {
		return 1
	}
	t := benchmath.DefaultThresholds
	b, n := benchmath.NewSample(ranks(base), &t), benchmath.NewSample(ranks(next), &t)
	p := max(benchmath.AssumeNothing.Compare(b, n).P, benchmath.AssumeNothing.Compare(n, b).P)
	return min(1, p)
}

// leastRank is the smallest p that Mann and Whitney's test can have: one side wholly above the other.
func leastRank(n, m int) float64 {
	if n == 0 || m == 0 {
		return 1
	}
	return min(1, 2*math.Exp(-combin.LogGeneralizedBinomial(float64(n+m), float64(n))))
}

// holm corrects p values for being several: in rising order, the i-th is multiplied by the number of those
// that are not smaller, and none becomes less than the one before.
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ps[a] < ps[b]:
			return -1
		case ps[a] > ps[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(ps))
	worst := 0.0
	for k, i := range order {
		worst = min(1, max(worst, ps[i]*float64(len(ps)-k)))
		out[i] = worst
	}
	return out
}

// enough returns the least number of replications with which least, the smallest p of a
// test, is significant in a family.
func enough(family int, alpha float64, least func(n int) float64) int {
	for n := 1; n < 64; n++ {
		if float64(family)*least(n) <= alpha {
			return n
		}
	}
	return 64
}

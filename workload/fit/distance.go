package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// distance is the Kolmogorov-Smirnov distance of a sorted sample from a distribution.
func distance(sorted []float64, cdf func(float64) float64) float64 {
	most, n := 0.0, float64(len(sorted))
	for i, x := range sorted {
		p := cdf(x)
		most = max(most, p-float64(i)/n, float64(i+1)/n-p)
	}
	return most
}

// KS is the Kolmogorov-Smirnov distance of two samples: the largest difference of the shares
// of them that are at most x, 0 to 1. It sorts its arguments.
func KS(xs, ys []float64) float64 {
	slices.Sort(xs)
	slices.Sort(ys)
	return stat.KolmogorovSmirnov(xs, nil, ys, nil)
}

// RankCorrelation is Spearman's: the correlation of ranks, with the mean rank for ties. It is
// NaN where one of the two does not vary.
func RankCorrelation(xs, ys []float64) float64 {
	return stat.Correlation(ranks(xs), ranks(ys), nil)
}

func ranks(xs []float64) []float64 {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case xs[a] < xs[b]:
			return -1
		case xs[a] > xs[b]:
			return 1
		}
		return a - b
	})
	out := make([]float64, len(xs))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && xs[order[j]] == xs[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// rank is the index of the value at a share of n sorted ones: the smallest one that at least
// so much of them does not exceed.
func rank(n int, share float64) int {
	i := int(math.Ceil(share*float64(n))) - 1
	return min(max(i, 0), n-1)
}

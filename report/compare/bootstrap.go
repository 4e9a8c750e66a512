package compare

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrap intervals: percentiles of the statistic over resamples (Efron and Tibshirani, An Introduction to
// the Bootstrap, 13.3). Not the bias-corrected ones: their acceleration comes from leaving out one value at a
// time, of which a median of few values hardly takes note.
const (
	defaultResamples = 10_000
	confidence       = 0.95
)

// resampled draws len(sorted) of the values with replacement and returns their median. counts is working memory.
func resampled(sorted []float64, counts []int, r *rand.Rand) float64 {
	n := len(sorted)
	clear(counts)
	for range n {
		counts[r.IntN(n)]++
	}
	low, high, seen := -1, -1, 0
	for i, c := range counts {
		seen += c
		if low < 0 && seen > (n-1)/2 {
			low = i
		}
		if seen > n/2 {
			high = i
			break
		}
	}
	return middle([]float64{sorted[low], sorted[high]})
}

// interval returns the bounds of the middle part of the drawn statistic; NaN for one that is infinite.
func interval(resamples int, draw func(*rand.Rand) float64) (low, high float64) {
	if resamples == 0 {
		resamples = defaultResamples
	}
	r := rand.New(rand.NewPCG(0x51301ad, 0xb007)) // any numbers: the same ones every time
	xs := make([]float64, resamples)
	for i := range xs {
		xs[i] = draw(r)
	}
	slices.Sort(xs)
	tail := int(float64(resamples) * (1 - confidence) / 2)
	return finite(xs[tail]), finite(xs[resamples-1-tail])
}

func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// pairedInterval is the interval of pairedEffect's logarithm. The order of the pairs does not matter.
func pairedInterval(resamples int, base, next []float64) (low, high float64) {
	logs := make([]float64, len(base))
	for i := range base {
		logs[i] = logRatio(base[i], next[i])
	}
	slices.Sort(logs)
	counts := make([]int, len(logs))
	return interval(resamples, func(r *rand.Rand) float64 { return resampled(logs, counts, r) })
}

// sampleInterval is the interval of sampleEffect's logarithm: both samples are drawn anew.
func sampleInterval(resamples int, base, next []float64) (low, high float64) {
	b, n := slices.Sorted(slices.Values(base)), slices.Sorted(slices.Values(next))
	bc, nc := make([]int, len(b)), make([]int, len(n))
	return interval(resamples, func(r *rand.Rand) float64 {
		return logRatio(resampled(b, bc, r), resampled(n, nc, r))
	})
}

package semcache

import "math"

// A row is a vector made ready to be compared: first its tails, then the vector scaled to
// length 1. Tail k is the length of what lies behind the first k+1 blocks.

// block is the number of dimensions between two looks at whether a row can still be near enough.
const block = 32

// slack covers the rounding of sums of float32, so that a row is given up only if it is surely
// too far away: n dimensions err by at most about n/block + block roundings of 6e-8 each.
const slack = 1e-3

func rowSize(dim int) int { return dim/block + dim }

// fillRow makes the row of a vector; it reports whether the vector has a direction at all.
func fillRow(row, v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return false
	}
	norm := math.Sqrt(sum)
	unit := row[len(v)/block:]
	var behind float64
	for i := len(v) - 1; i >= 0; i-- {
		if (i+1)%block == 0 {
			row[(i+1)/block-1] = float32(math.Sqrt(behind))
		}
		x := float64(v[i]) / norm
		unit[i] = float32(x)
		behind += float64(x * x)
	}
	return true
}

// compare returns the similarity of two rows of the same size, or false as soon as it is certain to be
// below the floor: the dot product of what is not yet summed is at most the
// product of the two tails (Cauchy and Schwarz).
func compare(a, b []float32, dim int, floor float64) (float64, bool) {
	n := dim / block
	x, y := a[n:], b[n:]
	least := float32(floor) - slack
	var sum float32
	for k := range n {
		sum += dot(x[:block], y[:block])
		x, y = x[block:], y[block:]
		if sum+float32(a[k]*b[k]) < least {
			return 0, false
		}
	}
	sum += dot(x, y)
	return float64(min(1, max(-1, sum))), true // within 1 also after rounding
}

// dot keeps four sums, so that additions need not wait for each other. The conversions forbid
// fusing a product with its sum, which some architectures do and which
// would let results differ between them.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += float32(a[0] * b[0])
		s1 += float32(a[1] * b[1])
		s2 += float32(a[2] * b[2])
		s3 += float32(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for i := range min(len(a), len(b)) {
		s0 += float32(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// Cosine returns the similarity that the cache sees between two vectors of one length: -1 to
// 1, and 0 if either is zero, not finite or of another length than the other.
func Cosine(a, b []float32) float64 {
	x, y := make([]float32, rowSize(len(a))), make([]float32, rowSize(len(b)))
	if len(a) != len(b) || !fillRow(x, a) || !fillRow(y, b) {
		return 0
	}
	const lowest = -2 // never given up
	s, _ := compare(x, y, len(a), lowest)
	return s
}

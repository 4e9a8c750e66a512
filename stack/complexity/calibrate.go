package complexity

import (
	"fmt"
	"math"
	"slices"
)

// Calibrate returns the threshold above which the hardest share of a workload lies, given the
// scores of that workload in any order. A prompt is hard if its score is greater than the
// threshold; one that equals it is easy.
//
// Of n scores, k = share * n, rounded to the nearest, are to be hard. If they are
// distinct, exactly k are, so the share is met within 1/(2n). Equal scores cannot be parted: if
// some of them would have to be hard and some easy, all are easy. So never more than k are hard, which
// bounds what the strong model costs; a workload of few distinct scores may get far
// fewer, even none.
//
// The share is from 0 (none is hard) to 1 (all are). An error is returned for another
// share, for no scores, and for one that is not finite.
func Calibrate(scores []float64, share float64) (threshold float64, err error) {
	if !(share >= 0 && share <= 1) {
		return 0, fmt.Errorf("calibrating complexity: share is %v (allowed: 0 to 1)", share)
	}
	if len(scores) == 0 {
		return 0, fmt.Errorf("calibrating complexity: no scores")
	}
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return 0, fmt.Errorf("calibrating complexity: score %d is %v (allowed: finite ones)", i, s)
		}
	}
	sorted := slices.Sorted(slices.Values(scores))
	easy := len(sorted) - int(math.Round(share*float64(len(sorted))))
	if easy == 0 {
		return math.Nextafter(sorted[0], math.Inf(-1)), nil
	}
	return sorted[easy-1], nil
}

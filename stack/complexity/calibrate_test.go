package complexity_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-4fd17b57/simload/stack/complexity"
	"pgregory.net/rapid"
)

func above(scores []float64, threshold float64) (n int) {
	for _, s := range scores {
		if s > threshold {
			n++
		}
	}
	return n
}

// Of distinct scores the share above the threshold is met within 1/(2n), in whichever order they come.
func TestCalibrateMeetsTheShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfNDistinct(rapid.Float64Range(0, 1), 1, 200, rapid.ID).Draw(t, "scores")
		share := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 0.2, 0.5, 1})).Draw(t, "share")
		before := slices.Clone(scores)
		threshold, err := complexity.Calibrate(scores, share)
		if err != nil || !slices.Equal(scores, before) {
			t.Fatalf("%v, or the scores were changed", err)
		}
		n := float64(len(scores))
		if got := float64(above(scores, threshold)) / n; math.Abs(got-share) > 0.5/n+1e-12 {
			t.Fatalf("%v of %v are above %v, want %v", got, scores, threshold, share)
		}
		again, err := complexity.Calibrate(rapid.Permutation(scores).Draw(t, "order"), share)
		if err != nil || again != threshold {
			t.Fatalf("in another order %v, %v; want %v", again, err, threshold)
		}
	})
}

// With ties: never more than the rounded share, and as many as go without parting equals.
func TestCalibrateKeepsTiesTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.1, 0.3, 0.5, 1}), 1, 60).Draw(t, "scores")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		threshold, err := complexity.Calibrate(scores, share)
		if err != nil {
			t.Fatal(err)
		}
		most := int(math.Round(share * float64(len(scores))))
		best := 0
		for _, cut := range append([]float64{-1}, scores...) {
			if n := above(scores, cut); n <= most {
				best = max(best, n)
			}
		}
		if got := above(scores, threshold); got != best {
			t.Fatalf("%d of %v are above %v, want %d", got, scores, threshold, best)
		}
	})
}

func TestCalibrateSteps(t *testing.T) {
	five := []float64{0.5, 0.1, 0.4, 0.2, 0.3}
	for _, c := range []struct {
		scores []float64
		share  float64
		above  int
	}{
		{five, 0, 0},
		{five, 0.2, 1},
		{five, 0.29, 1},
		{five, 0.3, 2}, // 1.5, rounded away from 0
		{five, 1, 5},
		{[]float64{0.7}, 0.2, 0},
		{[]float64{0.7}, 0.5, 1},
		{[]float64{0, 0, 0, 0, 0}, 1, 5},
		{[]float64{1, 1, 1, 1, 1}, 0.2, 0},
		{[]float64{0.9, 0.9, 0.1, 0.1, 0.1}, 0.2, 0},
		{[]float64{0.9, 0.9, 0.1, 0.1, 0.1}, 0.4, 2},
	} {
		threshold, err := complexity.Calibrate(c.scores, c.share)
		if got := above(c.scores, threshold); err != nil || got != c.above {
			t.Errorf("%v of %v: %d above %v (%v), want %d", c.share, c.scores, got, threshold, err, c.above)
		}
	}
	for _, c := range []struct {
		scores []float64
		share  float64
	}{{five, -0.1}, {five, 1.1}, {five, math.NaN()}, {nil, 0.2}, {[]float64{0.1, math.NaN()}, 0.2}, {[]float64{math.Inf(1)}, 0.2}} {
		if threshold, err := complexity.Calibrate(c.scores, c.share); err == nil {
			t.Errorf("%v of %v: %v, want an error", c.share, c.scores, threshold)
		}
	}
}

package workload

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Split deals total, not negative, by weights: part i is total*weights[i]/sum rounded
// down or up, the parts add up to total, and a larger weight never gets less than a
// smaller one. What rounding down leaves over goes to the largest remainders (Hamilton's
// method), of equal ones to the first. Weights are finite, not negative and taken as
// they are written in decimal; at least one is above 0.
func Split(total int64, weights []float64) ([]int64, error) {
	if total < 0 {
		return nil, fmt.Errorf("splitting: total is %d, must not be negative", total)
	}
	if err := checkNumbers("weights", weights); err != nil {
		return nil, fmt.Errorf("splitting: %w", err)
	}
	exact, sum := make([]*big.Rat, len(weights)), new(big.Rat)
	for i, w := range weights {
		exact[i], _ = new(big.Rat).SetString(strconv.FormatFloat(w, 'g', -1, 64))
		sum.Add(sum, exact[i])
	}
	if sum.Sign() == 0 {
		return nil, errors.New("splitting: weights add up to 0")
	}
	return largestRemainders(total, exact, sum), nil
}

func largestRemainders(total int64, weights []*big.Rat, sum *big.Rat) []int64 {
	parts, order := make([]int64, len(weights)), make([]int, len(weights))
	left := total
	share := new(big.Rat).SetInt64(total)
	share.Quo(share, sum)
	for i, w := range weights {
		quota := w.Mul(w, share)
		whole := new(big.Int).Quo(quota.Num(), quota.Denom())
		parts[i], order[i] = whole.Int64(), i
		left -= parts[i]
		quota.Sub(quota, new(big.Rat).SetInt(whole))
	}
	slices.SortStableFunc(order, func(a, b int) int { return weights[b].Cmp(weights[a]) })
	for _, i := range order[:left] { // fewer than there are weights
		parts[i]++
	}
	return parts
}

// running returns the running sums of weights, scaled so that the last is 1.
func running(weights []float64) []float64 {
	sums, sum := make([]float64, len(weights)), 0.0
	for i, w := range weights {
		sum += w
		sums[i] = sum
	}
	for i := range sums {
		sums[i] /= sum
	}
	return sums
}

// pick returns the first index whose running sum is above u, 0 <= u < 1.
func pick(sums []float64, u float64) int {
	i, _ := slices.BinarySearchFunc(sums, u, func(sum, u float64) int {
		if sum > u {
			return 1
		}
		return -1
	})
	return min(i, len(sums)-1)
}

// checkWeights refuses weights of which none is above 0 or whose sum overflows.
func checkWeights(weights []float64) error {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return fmt.Errorf("add up to %v", sum)
	}
	return nil
}

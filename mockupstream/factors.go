package mockupstream

import (
	"fmt"
	"math"
	"sort"
)

// Factors is the noise of a latency as it was measured: Shares[i] of the calls have at most the
// factor Values[i], and straight lines join the points. Below the first point and above the last
// one the factor is theirs. At least two points; shares rise within 0 to 1, values do not fall
// and are 0 to 1e6.
type Factors struct {
	Shares, Values []float64
}

// At returns the factor for a standard normal variate: the one of the same rank.
func (f *Factors) At(z float64) float64 {
	u := math.Erfc(-z/math.Sqrt2) / 2
	last := len(f.Shares) - 1
	i := sort.SearchFloat64s(f.Shares, u)
	switch {
	case i == 0:
		return f.Values[0]
	case i > last:
		return f.Values[last]
	}
	part := (u - f.Shares[i-1]) / (f.Shares[i] - f.Shares[i-1])
	return f.Values[i-1] + float64(part*(f.Values[i]-f.Values[i-1]))
}

func (f *Factors) validate(at string) error {
	if f == nil {
		return nil
	}
	if n := len(f.Shares); n < 2 || n != len(f.Values) {
		return fmt.Errorf("%s: %d shares and %d values, need as many of both, at least 2", at, n, len(f.Values))
	}
	for i := range f.Shares {
		err := firstOf(
			within(fmt.Sprintf("%s: share %d", at, i), f.Shares[i], 0, 1),
			within(fmt.Sprintf("%s: value %d", at, i), f.Values[i], 0, maxFactor),
		)
		switch {
		case err != nil:
			return err
		case i > 0 && f.Shares[i] <= f.Shares[i-1]:
			return fmt.Errorf("%s: share %d is %v, must be above the %v before it", at, i, f.Shares[i], f.Shares[i-1])
		case i > 0 && f.Values[i] < f.Values[i-1]:
			return fmt.Errorf("%s: value %d is %v, below the %v before it", at, i, f.Values[i], f.Values[i-1])
		}
	}
	return nil
}

package workload

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// The coefficients of variation that Gamma and Weibull take.
const (
	minCV = 0.01
	maxCV = 100
)

// Gamma has the given mean, above 0, and coefficient of variation cv (standard
// deviation over mean), 0.01 to 100. Its shape is 1/cv^2 and its scale mean*cv^2.
func Gamma(mean, cv float64) (Dist, error) {
	if err := errors.Join(checkPositive("mean", mean), checkCV(cv)); err != nil {
		return Dist{}, fmt.Errorf("gamma: %w", err)
	}
	shape := 1 / (cv * cv)
	return Dist{kind: distGamma, a: mean / shape, b: shape}, nil
}

// Weibull has the given mean, above 0, and coefficient of variation cv, 0.01 to 100.
// With g(i) = Gamma(1+i/shape), the shape is what makes cv^2 = g(2)/g(1)^2 - 1, and the
// scale is mean/g(1).
func Weibull(mean, cv float64) (Dist, error) {
	if err := errors.Join(checkPositive("mean", mean), checkCV(cv)); err != nil {
		return Dist{}, fmt.Errorf("weibull: %w", err)
	}
	inverse := weibullInverseShape(cv)
	return Dist{kind: distWeibull, a: mean / math.Gamma(1+inverse), b: inverse}, nil
}

func checkCV(cv float64) error {
	if !(cv >= minCV && cv <= maxCV) {
		return fmt.Errorf("cv is %v, must be %v to %v", cv, minCV, maxCV)
	}
	return nil
}

// weibullInverseShape solves for 1/shape by bisection: cv rises with it.
func weibullInverseShape(cv float64) float64 {
	low, high := 0.0, 16.0 // at 16 the coefficient of variation is 24 000
	want := math.Log1p(cv * cv)
	for {
		mid := low + (high-low)/2
		if mid == low || mid == high {
			return mid
		}
		second, _ := math.Lgamma(1 + 2*mid)
		first, _ := math.Lgamma(1 + mid)
		if second-2*first < want {
			low = mid
		} else {
			high = mid
		}
	}
}

// gammaVariate draws from the Gamma distribution of the given shape and scale 1, by
// rejection from the cube of a normal variate: Marsaglia and Tsang, "A simple method
// for generating gamma variables" (2000). Below shape 1 it takes shape+1 times
// U^(1/shape), as they say in section 6.
func gammaVariate(rng *rand.Rand, shape float64) float64 {
	scale := 1.0
	if shape < 1 {
		scale = exp(math.Log(rng.Float64()) / shape)
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v *= v * v
		u, square := rng.Float64(), float64(x*x)
		if u < 1-float64(0.0331*float64(square*square)) ||
			math.Log(u) < float64(square/2)+float64(d*(1-v+math.Log(v))) {
			return scale * float64(d*v)
		}
	}
}

// rest draws what is left of a gap of distribution d at an instant that knows nothing
// of it: a share, even from 0 to 1, of a gap that is met in proportion to its length
// (Cox, "Renewal theory", 1962, section 5.4). A gap met so is Gamma of shape+1 for
// Gamma; for Weibull its power of shape is Gamma of shape 1+1/shape. A constant, an
// exponential and any other kind are drawn by what is known of them: the rest of an
// exponential is one.
func (d *Dist) rest(rng *rand.Rand) float64 {
	switch d.kind {
	case distConstant:
		return d.a * rng.Float64()
	case distGamma:
		share := rng.Float64()
		return float64(share*d.a) * gammaVariate(rng, d.b+1)
	case distWeibull:
		share := rng.Float64()
		return float64(share*d.a) * exp(d.b*math.Log(gammaVariate(rng, 1+d.b)))
	default:
		return d.Draw(rng)
	}
}

// WeibullShape returns the shape of the Weibull distribution of a coefficient of variation,
// 0.01 to 100; see [Weibull].
func WeibullShape(cv float64) (float64, error) {
	if err := checkCV(cv); err != nil {
		return 0, fmt.Errorf("weibull: %w", err)
	}
	return 1 / weibullInverseShape(cv), nil
}

package workload

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Dist is the distribution of a quantity that is never negative: tokens, seconds or
// rounds. It is a plain value; the zero value is the constant 0. The constructors
// validate, so a Dist that exists can be drawn from.
type Dist struct {
	kind distKind
	a, b float64 // meaning depends on kind
	tab  *table  // empirical kinds only; never changed once built
}

type distKind uint8

const (
	distConstant    distKind = iota // a
	distUniform                     // from a on, b wide
	distExponential                 // mean a
	distLogNormal                   // median a, standard deviation of the logarithm b
	distValues                      // tab.values, equally likely
	distWeighted                    // tab.values, tab.sums are the running sums of the weights
	distQuantiles                   // tab.values at the probabilities tab.sums
	distGamma                       // scale a, shape b
	distWeibull                     // scale a, 1/shape b
)

// z95 is the 95 % quantile of the standard normal distribution.
const z95 = 1.6448536269514722

// Constant is always v.
func Constant(v float64) (Dist, error) {
	if err := checkNumber("value", v); err != nil {
		return Dist{}, fmt.Errorf("constant: %w", err)
	}
	return Dist{kind: distConstant, a: v}, nil
}

// Uniform is evenly spread from low up to, but not including, high.
func Uniform(low, high float64) (Dist, error) {
	if err := errors.Join(checkNumber("min", low), checkNumber("max", high)); err != nil {
		return Dist{}, fmt.Errorf("uniform: %w", err)
	}
	if low > high {
		return Dist{}, fmt.Errorf("uniform: min %v is above max %v", low, high)
	}
	return Dist{kind: distUniform, a: low, b: high - low}, nil
}

// Exponential has the given mean, above 0.
func Exponential(mean float64) (Dist, error) {
	if err := checkPositive("mean", mean); err != nil {
		return Dist{}, fmt.Errorf("exponential: %w", err)
	}
	return Dist{kind: distExponential, a: mean}, nil
}

// LogNormal is the exponential of a normal distribution, given by its median, above
// 0, and its 95 % quantile, at least the median.
func LogNormal(median, p95 float64) (Dist, error) {
	if err := errors.Join(checkPositive("median", median), checkPositive("p95", p95)); err != nil {
		return Dist{}, fmt.Errorf("lognormal: %w", err)
	}
	if p95 < median {
		return Dist{}, fmt.Errorf("lognormal: p95 %v is below the median %v", p95, median)
	}
	// p95 = median * exp(z95 * sigma)
	d := Dist{kind: distLogNormal, a: median, b: (math.Log(p95) - math.Log(median)) / z95}
	if math.IsInf(d.Mean(), 0) {
		return Dist{}, fmt.Errorf("lognormal: p95 %v is so far above the median %v that the mean is infinite", p95, median)
	}
	return d, nil
}

// Must returns d, and panics if err is not nil. It wraps a constructor call whose
// arguments are literals.
func Must(d Dist, err error) Dist {
	if err != nil {
		panic(err)
	}
	return d
}

// Draw returns one value. A constant takes nothing from rng.
func (d *Dist) Draw(rng *rand.Rand) float64 {
	switch d.kind {
	case distUniform:
		return d.a + float64(d.b*rng.Float64())
	case distExponential:
		return d.a * rng.ExpFloat64()
	case distLogNormal:
		return d.a * exp(d.b*rng.NormFloat64())
	case distValues:
		return d.tab.values[rng.IntN(len(d.tab.values))]
	case distWeighted:
		return d.tab.weighted(rng.Float64())
	case distQuantiles:
		return d.tab.quantile(rng.Float64())
	case distGamma:
		return d.a * gammaVariate(rng, d.b)
	case distWeibull:
		return d.a * exp(d.b*math.Log(rng.ExpFloat64()))
	default:
		return d.a
	}
}

// zero reports whether d is the constant 0.
func (d *Dist) zero() bool { return d.kind == distConstant && d.a == 0 }

// Mean returns the mean of the distribution, from its formula and not from draws.
func (d Dist) Mean() float64 {
	switch d.kind {
	case distUniform:
		return d.a + d.b/2
	case distLogNormal:
		return d.a * math.Exp(d.b*d.b/2)
	case distValues, distWeighted:
		return d.tab.valueMean()
	case distQuantiles:
		return d.tab.quantileMean()
	case distGamma:
		return d.a * d.b
	case distWeibull:
		return d.a * math.Gamma(1+d.b)
	default:
		return d.a
	}
}

// checkNumber refuses what cannot be a quantity, naming the parameter.
func checkNumber(name string, v float64) error {
	switch {
	case math.IsNaN(v):
		return fmt.Errorf("%s is not a number", name)
	case math.IsInf(v, 0):
		return fmt.Errorf("%s is infinite", name)
	case v < 0:
		return fmt.Errorf("%s is %v, must not be negative", name, v)
	}
	return nil
}

// checkPositive is checkNumber, and refuses 0 too.
func checkPositive(name string, v float64) error {
	if v == 0 {
		return fmt.Errorf("%s is 0, must be positive", name)
	}
	return checkNumber(name, v)
}

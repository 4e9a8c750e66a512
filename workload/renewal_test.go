package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// Ensure Gamma and Weibull have the mean and the second moment that mean and CV say.
func TestRenewalMoments(t *testing.T) {
	for _, cv := range []float64{0.05, 0.5, 1, 2, 3.5} {
		for name, d := range map[string]Dist{"gamma": Must(Gamma(0.2, cv)), "weibull": Must(Weibull(0.2, cv))} {
			t.Run(fmt.Sprintf("%s cv %v", name, cv), func(t *testing.T) {
				if got := d.Mean(); math.Abs(got-0.2) > 1e-12 {
					t.Errorf("Mean() = %v, want 0.2", got)
				}
				xs := drawMany(d, 400_000)
				checkMeanOf(t, "draws", xs, 0.2)
				for i := range xs {
					xs[i] *= xs[i]
				}
				checkMeanOf(t, "squares", xs, 0.04*(1+cv*cv))
			})
		}
	}
}

// Ensure the shapes are those of gonum, and so are the coefficients of variation.
func TestRenewalShape(t *testing.T) {
	for _, cv := range []float64{0.1, 0.7, 1, 1.5, 3.5, 8} {
		g, w := Must(Gamma(20, cv)), Must(Weibull(20, cv))
		gamma := distuv.Gamma{Alpha: g.b, Beta: 1 / g.a}
		weibull := distuv.Weibull{K: 1 / w.b, Lambda: w.a}
		for name, is := range map[string][2]float64{
			"gamma mean": {gamma.Mean(), 20}, "gamma cv": {gamma.StdDev() / gamma.Mean(), cv},
			"weibull mean": {weibull.Mean(), 20}, "weibull cv": {weibull.StdDev() / weibull.Mean(), cv},
		} {
			if math.Abs(is[0]-is[1]) > 1e-9*is[1] {
				t.Errorf("%s at cv %v is %v, want %v", name, cv, is[0], is[1])
			}
		}
		checkCDF(t, "gamma", drawMany(g, 50_000), gamma.CDF)
		checkCDF(t, "weibull", drawMany(w, 50_000), weibull.CDF)
	}
	if k := 1 / Must(Weibull(1, 1)).b; math.Abs(k-1) > 1e-9 {
		t.Errorf("Weibull of cv 1 has shape %v, want that of the exponential", k)
	}
}

// Ensure every coefficient of variation that is allowed has a Weibull shape.
func TestWeibullShapeIsSolved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cv := rapid.Float64Range(minCV, maxCV).Draw(t, "cv")
		b := weibullInverseShape(cv)
		first, _ := math.Lgamma(1 + b)
		second, _ := math.Lgamma(1 + 2*b)
		if got := math.Sqrt(math.Expm1(second - 2*first)); math.Abs(got-cv) > 1e-9*cv {
			t.Fatalf("1/shape %v has cv %v, want %v", b, got, cv)
		}
	})
}

// Ensure the rest of a gap has the distribution of renewal theory, whose density is
// (1-F)/mean, so that its mean is mean*(1+cv^2)/2.
func TestRestOfAGap(t *testing.T) {
	for _, cv := range []float64{0.5, 1, 2.5} {
		for name, d := range map[string]Dist{"gamma": Must(Gamma(1, cv)), "weibull": Must(Weibull(1, cv))} {
			rng := rand.New(rand.NewPCG(3, 4))
			xs := make([]float64, 200_000)
			for i := range xs {
				xs[i] = d.rest(rng)
			}
			checkMeanOf(t, fmt.Sprintf("rest of %s, cv %v", name, cv), xs, (1+cv*cv)/2)
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	xs := make([]float64, 50_000)
	for i := range xs {
		xs[i] = (&Dist{kind: distGamma, a: 1, b: 1}).rest(rng)
	}
	checkCDF(t, "rest of an exponential", xs, distuv.Exponential{Rate: 1}.CDF)
	for i := range xs {
		xs[i] = (&Dist{a: 2}).rest(rng)
	}
	checkCDF(t, "rest of a constant", xs, distuv.Uniform{Min: 0, Max: 2}.CDF)
}

// Ensure what is wrong with a mean or a CV is named.
func TestRenewalErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		make func(mean, cv float64) (Dist, error)
		mean float64
		cv   float64
		want string
	}{
		"gamma mean":  {Gamma, 0, 1, "gamma: mean is 0, must be positive"},
		"gamma cv":    {Gamma, 1, 0, "gamma: cv is 0, must be 0.01 to 100"},
		"gamma NaN":   {Gamma, 1, math.NaN(), "cv is NaN"},
		"weibull":     {Weibull, math.Inf(1), 1, "weibull: mean is infinite"},
		"weibull low": {Weibull, 1, 0.001, "weibull: cv is 0.001"},
		"weibull big": {Weibull, 1, 101, "weibull: cv is 101"},
	} {
		if _, err := tt.make(tt.mean, tt.cv); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want it to contain %q", name, err, tt.want)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	for name, d := range map[string]Dist{"gamma": Must(Gamma(1, 3.5)), "weibull": Must(Weibull(1, 3.5))} {
		b.Run(name, func(b *testing.B) {
			rng, sum := rand.New(rand.NewPCG(1, 2)), 0.0
			for b.Loop() {
				sum += d.Draw(rng)
			}
			_ = sum
		})
	}
}

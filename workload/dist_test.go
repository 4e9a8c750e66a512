package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// z999 bounds a standard normal variable with probability 99.9 %.
const z999 = 3.290527

// checkMeanOf fails unless want lies in the 99.9 % confidence interval of the mean of xs.
func checkMeanOf(t *testing.T, what string, xs []float64, want float64) {
	t.Helper()
	n := float64(len(xs))
	sum, square := 0.0, 0.0
	for _, x := range xs {
		sum += x
	}
	mean := sum / n
	for _, x := range xs {
		square += (x - mean) * (x - mean)
	}
	half := z999 * math.Sqrt(square/(n-1)/n)
	if math.Abs(mean-want) > half+1e-12 {
		t.Errorf("%s: mean of %d draws is %v +- %v, want %v", what, len(xs), mean, half, want)
	}
}

// checkShare fails unless hits of n agree with probability p at 99.9 %.
func checkShare(t *testing.T, what string, hits, n int, p float64) {
	t.Helper()
	half := z999 * math.Sqrt(float64(n)*p*(1-p))
	if math.Abs(float64(hits)-float64(n)*p) > half {
		t.Errorf("%s: %d of %d, want %v +- %v", what, hits, n, float64(n)*p, half)
	}
}

// checkCDF is the Kolmogorov-Smirnov test at 99.9 %.
func checkCDF(t *testing.T, what string, xs []float64, cdf func(float64) float64) {
	t.Helper()
	xs = slices.Clone(xs)
	slices.Sort(xs)
	n, worst := float64(len(xs)), 0.0
	for i, x := range xs {
		f := cdf(x)
		worst = max(worst, f-float64(i)/n, float64(i+1)/n-f)
	}
	if bound := 1.9495 / math.Sqrt(n); worst > bound {
		t.Errorf("%s: distance of the distribution functions is %v, want at most %v", what, worst, bound)
	}
}

func drawMany(d Dist, n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = d.Draw(rng)
	}
	return xs
}

// Ensure the mean and the second moment of every kind are those of its formula.
func TestDistMoments(t *testing.T) {
	sigma := math.Log(16.0/8) / distuv.UnitNormal.Quantile(0.95)
	tests := []struct {
		name         string
		d            Dist
		mean, square float64
	}{
		{"zero", Dist{}, 0, 0},
		{"constant", Must(Constant(7.5)), 7.5, 7.5 * 7.5},
		{"uniform", Must(Uniform(2, 6)), 4, 16 + 16.0/12},
		{"uniform of no width", Must(Uniform(3, 3)), 3, 9},
		{"exponential", Must(Exponential(20)), 20, 800},
		{"lognormal", Must(LogNormal(8, 16)), 8 * math.Exp(sigma*sigma/2), 64 * math.Exp(2*sigma*sigma)},
		{"lognormal of no width", Must(LogNormal(8, 8)), 8, 64},
		{"values", Must(Empirical([]float64{1, 2, 6}, nil)), 3, 41.0 / 3},
		{"weighted", Must(Empirical([]float64{1, 9, 2, 6}, []float64{2, 0, 1, 1})), 2.5, (2*1 + 4 + 36) / 4.0},
		{"quantiles", Must(Quantiles([]float64{0, 0.5, 1}, []float64{0, 10, 30})), 12.5, 0.5*100/3 + 0.5*(400+400.0/12)},
		{"clipped quantiles", Must(Quantiles([]float64{0.25, 0.75}, []float64{4, 8})), 6, 0.25*16 + 0.25*64 + 0.5*(36+16.0/12)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.d.Mean(); math.Abs(got-tt.mean) > 1e-9*tt.mean {
				t.Errorf("Mean() = %v, want %v", got, tt.mean)
			}
			xs := drawMany(tt.d, 200_000)
			checkMeanOf(t, "draws", xs, tt.mean)
			for i := range xs {
				xs[i] *= xs[i]
			}
			checkMeanOf(t, "squares", xs, tt.square)
		})
	}
}

// Ensure the shapes agree with gonum's distribution functions.
func TestDistShape(t *testing.T) {
	sigma := math.Log(30.0/10) / distuv.UnitNormal.Quantile(0.95)
	tests := []struct {
		name string
		d    Dist
		cdf  func(float64) float64
	}{
		{"uniform", Must(Uniform(2, 6)), distuv.Uniform{Min: 2, Max: 6}.CDF},
		{"exponential", Must(Exponential(0.3)), distuv.Exponential{Rate: 1 / 0.3}.CDF},
		{"lognormal", Must(LogNormal(10, 30)), distuv.LogNormal{Mu: math.Log(10), Sigma: sigma}.CDF},
		{"quantiles", Must(Quantiles([]float64{0, 1}, []float64{2, 6})), distuv.Uniform{Min: 2, Max: 6}.CDF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkCDF(t, tt.name, drawMany(tt.d, 100_000), tt.cdf)
		})
	}
}

// Ensure half of a log-normal lies below its median and 95 % below its p95.
func TestLogNormalQuantiles(t *testing.T) {
	below, below95 := 0, 0
	xs := drawMany(Must(LogNormal(8000, 16000)), 100_000)
	for _, x := range xs {
		if x < 8000 {
			below++
		}
		if x < 16000 {
			below95++
		}
	}
	checkShare(t, "below the median", below, len(xs), 0.5)
	checkShare(t, "below the p95", below95, len(xs), 0.95)
}

// Ensure a value of weight 0 never comes, and the others as often as their weights say.
func TestEmpiricalWeights(t *testing.T) {
	seen := map[float64]int{}
	xs := drawMany(Must(Empirical([]float64{1, 2, 3, 4}, []float64{0, 3, 1, 0})), 50_000)
	for _, x := range xs {
		seen[x]++
	}
	if seen[1]+seen[4] != 0 {
		t.Errorf("values of weight 0 were drawn: %v", seen)
	}
	checkShare(t, "weight 3 of 4", seen[2], len(xs), 0.75)
}

// Ensure a constructor names the parameter that is wrong.
func TestDistErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name string
		make func() (Dist, error)
		want string
	}{
		{"constant NaN", func() (Dist, error) { return Constant(nan) }, "constant: value is not a number"},
		{"constant negative", func() (Dist, error) { return Constant(-1) }, "value is -1, must not be negative"},
		{"constant infinite", func() (Dist, error) { return Constant(inf) }, "value is infinite"},
		{"uniform order", func() (Dist, error) { return Uniform(3, 2) }, "uniform: min 3 is above max 2"},
		{"uniform NaN", func() (Dist, error) { return Uniform(1, nan) }, "max is not a number"},
		{"uniform negative", func() (Dist, error) { return Uniform(-1, 1) }, "min is -1"},
		{"exponential zero", func() (Dist, error) { return Exponential(0) }, "exponential: mean is 0, must be positive"},
		{"exponential infinite", func() (Dist, error) { return Exponential(inf) }, "mean is infinite"},
		{"lognormal order", func() (Dist, error) { return LogNormal(10, 9) }, "lognormal: p95 9 is below the median 10"},
		{"lognormal zero", func() (Dist, error) { return LogNormal(0, 9) }, "median is 0"},
		{"lognormal NaN", func() (Dist, error) { return LogNormal(1, nan) }, "p95 is not a number"},
		{"lognormal wide", func() (Dist, error) { return LogNormal(1e-300, 1e300) }, "mean is infinite"},
		{"empirical empty", func() (Dist, error) { return Empirical(nil, nil) }, "values is empty"},
		{"empirical value", func() (Dist, error) { return Empirical([]float64{1, -2}, nil) }, "values[1] is -2"},
		{"empirical weight", func() (Dist, error) { return Empirical([]float64{1}, []float64{nan}) }, "weights[0] is not a number"},
		{"empirical lengths", func() (Dist, error) { return Empirical([]float64{1}, []float64{1, 2}) }, "2 weights for 1 values"},
		{"empirical no weight", func() (Dist, error) { return Empirical([]float64{1}, []float64{0}) }, "weights add up to 0"},
		{"empirical overflow", func() (Dist, error) { return Empirical([]float64{1e308, 1e308}, nil) }, "mean overflows"},
		{"quantiles one knot", func() (Dist, error) { return Quantiles([]float64{0}, []float64{1}) }, "1 knots, need at least 2"},
		{"quantiles lengths", func() (Dist, error) { return Quantiles([]float64{0}, []float64{1, 2}) }, "1 probs for 2 values"},
		{"quantiles probs", func() (Dist, error) { return Quantiles([]float64{0.5, 0.5}, []float64{1, 2}) }, "probs[1] is 0.5"},
		{"quantiles above 1", func() (Dist, error) { return Quantiles([]float64{0, 50}, []float64{1, 2}) }, "probs[1] is 50"},
		{"quantiles fall", func() (Dist, error) { return Quantiles([]float64{0, 1}, []float64{2, 1}) }, "values[1] is 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.make()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want it to contain %q", err, tt.want)
			}
		})
	}
}

// Ensure draws of an empirical distribution stay within its values, whatever they are.
func TestEmpiricalRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 2, 20).Draw(t, "values")
		slices.Sort(values)
		probs := make([]float64, len(values))
		for i := range probs {
			probs[i] = float64(i+1) / float64(len(values)+1)
		}
		for _, d := range []Dist{Must(Quantiles(probs, values)), Must(Empirical(values, nil)), Must(Empirical(values, probs))} {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			for range 50 {
				if x := d.Draw(rng); x < values[0] || x > values[len(values)-1] {
					t.Fatalf("drew %v, outside %v", x, values)
				}
			}
			if m := d.Mean(); m < values[0]*(1-1e-12) || m > values[len(values)-1]*(1+1e-12) {
				t.Fatalf("mean %v is outside %v", m, values)
			}
		}
	})
}

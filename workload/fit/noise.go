package fit

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"gonum.org/v1/gonum/stat/distuv"
)

// Noise is the factor by which a time varies from call to call.
type Noise struct {
	// Sigma is the standard deviation of its logarithm; where Factors are set that of the median
	// absolute deviation, which outliers do not touch.
	Sigma float64
	// KS is the Kolmogorov-Smirnov distance of the logarithms, in units of Sigma, from the normal
	// distribution; 0 where there is no noise.
	KS float64
	// Factors are the noise as it was measured, where log-normal noise of Sigma is not like it in
	// the middle or in the tail; else nil.
	Factors *mockupstream.Factors
}

// tailOff is how far log-normal noise may be off at the 95th and 99th percentile, as a logarithm, and
// mostOff if chance explains it.
const (
	tailOff = 0.05
	mostOff = 0.095
)

// mostFactor is the largest factor that a scenario may say.
const mostFactor = 1e6

// knots are the shares at which measured noise is written: those of the tails close to each other.
var knots = []float64{
	0, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.875,
	0.9, 0.925, 0.94, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 0.9975, 0.999, 0.9995, 1,
}

// fitNoise fits the logarithms of measured over fitted times, of which each counts by its weight, which
// is above 0.
func fitNoise(logs, weights []float64) Noise {
	s := newShares(logs, weights)
	if last := len(s.values) - 1; s.values[last]-s.values[0] < 1e-6 {
		return Noise{} // all alike
	}
	n := Noise{Sigma: min(s.root(), largestSigma)}
	n.KS = s.distance(distuv.Normal{Sigma: n.Sigma}.CDF)
	if n.logNormal(s) {
		return n
	}
	if robust := s.deviation(); robust > 1e-9 {
		n.Sigma, n.KS = robust, s.distance(distuv.Normal{Sigma: robust}.CDF)
	}
	f := &mockupstream.Factors{}
	for _, share := range knots {
		x := min(digits(math.Exp(s.at(share))), mostFactor)
		if k := len(f.Values); k >= 2 && f.Values[k-1] == x && f.Values[k-2] == x {
			f.Shares[k-1] = share // a level stretch has two ends
			continue
		}
		f.Shares, f.Values = append(f.Shares, share), append(f.Values, x)
	}
	n.Factors = f
	return n
}

// logNormal reports whether noise is log-normal, as far as the sample can tell.
func (n *Noise) logNormal(s *shares) bool {
	// Lilliefors' critical distance at 1 %, for a mean and a deviation that were fitted ("On the
	// Kolmogorov-Smirnov test for normality with mean and variance unknown", 1967).
	if n.KS > 1.031/math.Sqrt(s.size) {
		return false
	}
	for _, share := range []float64{0.95, 0.99} {
		z := distuv.UnitNormal.Quantile(share)
		chance := n.Sigma * math.Sqrt(share*(1-share)/s.size) / distuv.UnitNormal.Prob(z)
		if math.Abs(s.at(share)-n.Sigma*z) > min(max(tailOff, 2*chance), mostOff) {
			return false
		}
	}
	return true
}

// shares is a sorted sample whose values count by weights.
type shares struct {
	values []float64
	upTo   []float64 // share of the weights up to and including each value
	size   float64   // values of equal weight that tell as much
}

func newShares(values, weights []float64) *shares {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	s, sum, squares := &shares{}, 0.0, 0.0
	for _, i := range order {
		sum += weights[i]
		squares += weights[i] * weights[i]
		s.values, s.upTo = append(s.values, values[i]), append(s.upTo, sum)
	}
	for i := range s.upTo {
		s.upTo[i] /= sum
	}
	s.size = sum * sum / squares
	return s
}

// before is the share of the weights before value i.
func (s *shares) before(i int) float64 {
	if i == 0 {
		return 0
	}
	return s.upTo[i-1]
}

// at is a quantile: each value stands in the middle of its share, and straight lines join them.
func (s *shares) at(share float64) float64 {
	middle := func(i int) float64 { return (s.before(i) + s.upTo[i]) / 2 }
	i := sort.Search(len(s.values), func(i int) bool { return middle(i) >= share })
	switch i {
	case 0:
		return s.values[0]
	case len(s.values):
		return s.values[i-1]
	}
	part := (share - middle(i-1)) / (middle(i) - middle(i-1))
	return s.values[i-1] + part*(s.values[i]-s.values[i-1])
}

// root is the root of the mean square.
func (s *shares) root() float64 {
	sum := 0.0
	for i, x := range s.values {
		sum += x * x * (s.upTo[i] - s.before(i))
	}
	return math.Sqrt(sum)
}

// deviation is the standard deviation of normal noise about 0 with this median of absolutes.
func (s *shares) deviation() float64 {
	const toSigma = 1.4826022185056018 // 1 over the 75 % quantile of the normal distribution
	absolute, weights := make([]float64, len(s.values)), make([]float64, len(s.values))
	for i, x := range s.values {
		absolute[i], weights[i] = math.Abs(x), s.upTo[i]-s.before(i)
	}
	return toSigma * newShares(absolute, weights).at(0.5)
}

// distance is the Kolmogorov-Smirnov distance from a distribution.
func (s *shares) distance(cdf func(float64) float64) float64 {
	most := 0.0
	for i, x := range s.values {
		p := cdf(x)
		most = max(most, p-s.before(i), s.upTo[i]-p)
	}
	return most
}

// equal are n equal weights.
func equal(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// factor draws the noise of a standard normal variate, as the mock does.
func (n *Noise) factor(z float64) float64 {
	if n.Factors != nil {
		return n.Factors.At(z)
	}
	return math.Exp(n.Sigma * z)
}

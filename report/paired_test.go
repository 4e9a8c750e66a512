package report

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRatioByHand: t is 12.7062 with one degree of freedom and 4.30265 with two.
func TestRatioByHand(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name             string
		values, bases    []float64
		value, low, high float64
		note             string
	}{
		// ln 2 and ln 4: mean 1.0397, sd 0.49013, half the width 12.7062 * 0.346574 = 4.40364.
		{"two", []float64{2, 8}, []float64{1, 2}, 2.828427, 0.0345996, 231.217, ""},
		// ln 1.3, 1.4, 1.5: mean 0.334767, sd 0.071560, half 4.30265 * 0.041315 = 0.177764.
		{"three", []float64{13, 2.8, 150}, []float64{10, 2, 100}, 1.397615, 1.169982, 1.669537, ""},
		{"one pair", []float64{3}, []float64{2}, 1.5, nan, nan, ""},
		{"one pair to 0", []float64{3}, []float64{0}, nan, nan, nan, "b is 0"},
		{"a base of 0", []float64{1, 2}, []float64{1, 0}, nan, nan, nan, "b is 0 in 1 of 2 replications"},
		{"both 0", []float64{1, 0}, []float64{1, 0}, nan, nan, nan, "b is 0 in 1 of 2 replications"},
		{"a base that failed", []float64{1, 2}, []float64{inf, 1}, nan, nan, nan, "b is a failure in 1 of 2 replications"},
		{"a base that is missing", []float64{1, 2}, []float64{1, nan}, nan, nan, nan, "b was not measured in 1 of 2 replications"},
		{"a value that is missing", []float64{1, nan}, []float64{1, 1}, nan, nan, nan, "a was not measured in 1 of 2 replications"},
		{"a value that failed", []float64{1, inf}, []float64{1, 1}, inf, nan, nan, "a is a failure in 1 of 2 replications"},
		{"always 0", []float64{0, 0}, []float64{1, 4}, 0, 0, 0, ""},
		{"at times 0", []float64{0, 2}, []float64{1, 4}, 0.25, nan, nan, "arithmetic mean without an interval, as a is 0 in 1 of 2 replications"},
	} {
		r := ratioOf(c.values, c.bases, "a", "b")
		if !near(r.value, c.value) || !near(r.low, c.low) || !near(r.high, c.high) || r.note != c.note {
			t.Errorf("%s: %+v, want %v [%v, %v] %q", c.name, r, c.value, c.low, c.high, c.note)
		}
	}
}

// near is equality to the six digits of a table.
func near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 3e-6*math.Abs(b)
}

// TestRatioLaws are the properties for which the ratio is taken of logarithms (INV-4 for the
// order of replications, which reaches no digit).
func TestRatioLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		figures := rapid.SliceOfN(rapid.Float64Range(1e-3, 1e6), 2, 12)
		values := figures.Draw(t, "values")
		bases := rapid.SliceOfN(rapid.Float64Range(1e-3, 1e6), len(values), len(values)).Draw(t, "bases")
		r := ratioOf(values, bases, "a", "b")
		close := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
		if !(r.low > 0 && r.low <= r.value && r.value <= r.high) || r.note != "" {
			t.Fatalf("%+v", r)
		}
		if e := ratioOf(values, values, "a", "b"); e.value != 1 || e.low != 1 || e.high != 1 {
			t.Fatalf("equal variants: %+v", e)
		}
		back := ratioOf(bases, values, "a", "b")
		close("inverse", back.value, 1/r.value)
		if !math.IsInf(r.high, 1) && r.low > 1e-300 {
			close("inverse of the low end", back.high, 1/r.low)
		}
		scale := rapid.Float64Range(1e-3, 1e3).Draw(t, "scale")
		scaled, both := make([]float64, len(values)), make([]float64, len(values))
		for i := range values {
			scaled[i], both[i] = values[i]*scale, bases[i]*scale
		}
		close("another unit", ratioOf(scaled, both, "a", "b").value, r.value)
		close("multiple", ratioOf(scaled, bases, "a", "b").value, r.value*scale)
		order := rapid.Permutation(indices(len(values))).Draw(t, "order")
		v, b := make([]float64, len(values)), make([]float64, len(values))
		for i, k := range order {
			v[i], b[i] = values[k], bases[k]
		}
		if o := ratioOf(v, b, "a", "b"); o.value != r.value || o.low != r.low || o.high != r.high {
			t.Fatalf("in another order %+v, want %+v", o, r)
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestIntervalCovers: of 4000 samples of ten pairs whose true ratio is 1.38, the intervals
// hold it in 95 % of cases, within four standard errors of that share; and pairing makes
// them narrower than the noise that both variants share.
func TestIntervalCovers(t *testing.T) {
	const samples, n, truth, shared, own = 4000, 10, 1.38, 0.5, 0.1
	rng := rand.New(rand.NewPCG(1, 2))
	covered, width := 0, 0.0
	for range samples {
		values, bases := make([]float64, n), make([]float64, n)
		for i := range n {
			seed := shared * rng.NormFloat64()
			values[i] = truth * math.Exp(seed+own*rng.NormFloat64())
			bases[i] = math.Exp(seed + own*rng.NormFloat64())
		}
		r := ratioOf(values, bases, "a", "b")
		if r.low <= truth && truth <= r.high {
			covered++
		}
		width += math.Log(r.high/r.low) / samples
	}
	if share, se := float64(covered)/samples, math.Sqrt(0.95*0.05/samples); math.Abs(share-0.95) > 4*se {
		t.Errorf("%v of the intervals hold the truth", share)
	}
	if unpaired := 2 * 2.1 * shared * math.Sqrt2 / math.Sqrt(n); width > unpaired/3 {
		t.Errorf("intervals are %v wide in logarithms, unpaired ones would be %v", width, unpaired)
	}
}

// TestPairedChecks looks at what expectations on ratios say of replications.
func TestPairedChecks(t *testing.T) {
	checks := pairedFixture(t).Verdict.Checks
	for i, c := range []struct {
		value    float64
		ok       bool
		interval bool
		note     string
	}{
		{1.38 * math.Pow(1.01*1.02*1.03, 0.25), true, true, ""},
		{math.Pow(204.1/205.1*205.1/207.1*206.1/209.1, 0.25), false, true, ""},
		// 2, 1, 0, 0 to 2, 2, 2, 2
		{0.375, true, false, "arithmetic mean without an interval, as dead_letters{variant=aimd} is 0 in 2 of 4 replications"},
		{1, true, false, ""}, // this file does not keep it by replication
		{math.Inf(1), false, false, failureNote},
		{math.NaN(), false, false, "retry_peak{variant=static} is 0 in 1 of 4 replications"},
	} {
		got := &checks[i]
		if !near(float64(got.Value), c.value) || got.OK != c.ok || (got.Interval != nil) != c.interval || !strings.HasPrefix(got.Note, c.note) {
			t.Errorf("%s: %+v, want %+v", got.Expr, got, c)
		}
		if got.Interval != nil && (got.N != 4 || !(got.Low < got.Value && got.Value < got.High)) {
			t.Errorf("%s: %v %+v", got.Expr, got.Value, got.Interval)
		}
	}
}

// TestRatiosWithinAVariantAreOfAllReplications: the replications are one sample then.
func TestRatiosWithinAVariantAreOfAllReplications(t *testing.T) {
	r := pairedFixture(t)
	c := EvalAll(mustExpects(t, "cost{variant=aimd} / throughput{variant=aimd} > 0"), r.Variants)[0]
	if want := 812.4 / 4 / 137.91; !near(float64(c.Value), want) || c.Interval != nil {
		t.Errorf("%+v, want %v", c, want)
	}
}

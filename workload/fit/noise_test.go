package fit

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Ensure noise that is log-normal is told by its deviation alone, and other noise has the quantiles of the sample.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	var normal, slow, weights []float64
	for i := range 2000 {
		z := 0.3 * rng.NormFloat64()
		normal, weights = append(normal, z), append(weights, 1)
		if i%25 == 0 { // one in 25 takes ten times as long
			z += math.Log(10)
		}
		slow = append(slow, z)
	}
	if n := fitNoise(centred(normal), weights); n.Factors != nil || math.Abs(n.Sigma/0.3-1) > 0.08 {
		t.Errorf("log-normal noise: %+v", n)
	}
	n := fitNoise(slow, weights)
	if n.Factors == nil || math.Abs(n.Sigma/0.3-1) > 0.12 {
		t.Fatalf("noise with a tail: %+v", n)
	}
	s := newShares(slow, weights)
	for z, share := range map[float64]float64{0: 0.5, 1.6448536: 0.95, 2.3263479: 0.99} {
		if got, want := n.factor(z), math.Exp(s.at(share)); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("at %v: factor %v, want %v", share, got, want)
		}
	}
	if n := fitNoise([]float64{0, 0, 0}, []float64{1, 1, 1}); n.Sigma != 0 || n.Factors != nil || n.factor(3) != 1 {
		t.Errorf("no noise: %+v", n)
	}
}

// Ensure no factor is larger than a scenario may say, however far off a call was.
func TestNoiseIsBounded(t *testing.T) {
	logs, weights := []float64{0, 0, 0.1, -0.1, 0.2, -0.2, 0, 0.05, 20}, make([]float64, 9)
	for i := range weights {
		weights[i] = 1
	}
	n := fitNoise(logs, weights)
	if n.Factors == nil || n.Factors.Values[len(n.Factors.Values)-1] != 1e6 {
		t.Errorf("%+v, want 1e6 for the last factor", n.Factors)
	}
}

// centred moves a sample so that its median is 0, as residuals are.
func centred(xs []float64) []float64 {
	m, out := median(xs), make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x - m
	}
	return out
}

// measuredCalls returns the calls of LLMPerf's runs by model.
func measuredCalls(t *testing.T) map[string][]Call {
	t.Helper()
	file, err := os.Open(data + "llmperf_individual.csv.gz")
	if err != nil {
		t.Skipf("the measured calls are not here: %v", err)
	}
	defer file.Close()
	gz, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(gz).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]Call{}
	for _, row := range rows[1:] {
		if row[7] != "" {
			continue // an error
		}
		var n [4]float64
		for i, c := range []int{2, 3, 4, 6} {
			if n[i], err = strconv.ParseFloat(row[c], 64); err != nil {
				t.Fatal(err)
			}
		}
		model := row[0] + "/" + row[1]
		calls[model] = append(calls[model], Call{Model: model, In: int64(n[0]), Out: int64(n[1]), First: seconds(n[2]), Total: seconds(n[3])})
	}
	return calls
}

// Ensure the fit of measured calls has their 50th, 95th and 99th percentile of the time to the first token within 10 %, and
// of the total time the 50th and 95th. (The two noises are drawn independently; where a slow start goes with a
// fast end, the 99th of the total is too high.)
func TestMeasuredLatencies(t *testing.T) {
	for model, calls := range measuredCalls(t) {
		l, err := FitLatency(model, calls)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range l.First.At {
			near(t, model+": first token, quantile "+strconv.Itoa(i), p, 0.10)
		}
		for i, p := range l.Total.At[:2] {
			near(t, model+": total, quantile "+strconv.Itoa(i), p, 0.10)
		}
		if p := l.Total.At[2]; math.Abs(p.Off()) > 0.10 {
			t.Logf("%s: 99th percentile of the total: %.3g s measured, %.3g s fitted", model, p.Trace, p.Fit)
		}
	}
}

// Ensure a fit to one half of the calls of each model tells of the other half what it should: that 5 % of them
// take longer than its 95th percentile, and so on. Both halves are samples, so the share has twice the variance of one.
func TestMeasuredLatenciesHeldOut(t *testing.T) {
	above, total := make([]float64, len(Shares)), 0.0
	for model, calls := range measuredCalls(t) {
		if len(calls) < 100 {
			continue // half of them has no 99th percentile
		}
		var halves [2][]Call
		for i, c := range calls {
			halves[i%2] = append(halves[i%2], c)
		}
		for i, half := range halves {
			l, err := FitLatency(model, half)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range halves[1-i] {
				total++
				for k, p := range l.First.At {
					if c.First.Seconds() > p.Fit {
						above[k]++
					}
				}
			}
		}
	}
	for k, share := range Shares {
		got, want := above[k]/total, 1-share
		t.Logf("%.2f %% of %v calls held out are above the fit's %v %%, want %.0f %%", 100*got, total, 100*share, 100*want)
		if se := math.Sqrt(2 * want * share / total); math.Abs(got-want) > 3*se {
			t.Errorf("%v of the calls are above the %v quantile of the other half, want %v within %v", got, share, want, 3*se)
		}
	}
}

package mockupstream

import (
	"math"
	"strings"
	"testing"
)

// Measured noise has the quantiles it was given, and nothing beyond its ends.
func TestFactors(t *testing.T) {
	f := &Factors{Shares: []float64{0.1, 0.5, 0.9}, Values: []float64{0.5, 1, 4}}
	for z, want := range map[float64]float64{
		-9: 0.5, -1.2815515655446004: 0.5, -0.5244005127080409: 0.75, 0: 1, 0.5244005127080409: 2.5, 1.2815515655446004: 4, 9: 4, math.Inf(1): 4,
	} {
		if got := f.At(z); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: %v, want %v", z, got, want)
		}
	}
	n, l := newNoise(), &Latency{FirstTokenFactors: f, OutputSigma: 0.3}
	below, largest := 0, 0.0
	for i := range 20_000 {
		first, output := n.draw(mix(uint64(i)), l)
		_, alone := n.draw(mix(uint64(i)), &Latency{OutputSigma: 0.3})
		if output != alone {
			t.Fatalf("call %d: %v of the output, want %v whatever the first token's noise", i, output, alone)
		}
		if first <= 2.5 {
			below++
		}
		largest = max(largest, first)
	}
	if share := float64(below) / 20_000; math.Abs(share-0.7) > 0.015 || largest != 4 { // 4.6 standard deviations
		t.Errorf("%v of the calls have at most 2.5, want 0.7; at most %v", share, largest)
	}
}

// What is no distribution is told by its place.
func TestFactorsAreChecked(t *testing.T) {
	for want, f := range map[string]Factors{
		"1 shares and 1 values":            {[]float64{1}, []float64{1}},
		"2 shares and 1 values":            {[]float64{0, 1}, []float64{1}},
		"share 1":                          {[]float64{0, 1.5}, []float64{1, 2}},
		"share 0":                          {[]float64{math.NaN(), 1}, []float64{1, 2}},
		"share 1 is 0.5, must be above":    {[]float64{0.5, 0.5}, []float64{1, 2}},
		"value 1 is 1, below the 2 before": {[]float64{0, 1}, []float64{2, 1}},
		"value 0":                          {[]float64{0, 1}, []float64{-1, 1}},
	} {
		cfg := single(0, 0)
		cfg.Models[0].Latency.OutputFactors = &f
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "output factors") || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
}

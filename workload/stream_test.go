package workload

import (
	"math"
	"math/big"
	"strconv"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func oneStream(rate float64, arrivals Arrivals, duration time.Duration) Config {
	return Config{
		Seed: 1, Duration: duration, Profiles: []Profile{{}},
		Streams: []Stream{{Rate: rate, Arrivals: arrivals, Clients: 3}},
	}
}

// Ensure a constant stream has exactly its rate, fractions of a request carried.
func TestConstantCount(t *testing.T) {
	tests := []struct {
		rate     float64
		duration time.Duration
		want     int
	}{
		{1500, 10 * time.Second, 15_000},
		{0.3, 100 * time.Second, 30},
		{0.3, 10 * time.Second, 3},
		{0.3, 10*time.Second + 1, 4},
		{0.1, 10 * time.Second, 1},
		{0.7, time.Hour, 2520},
		{1.1, 100 * time.Second, 110},
		{100.0 / 3, 30 * time.Minute, 60_000},
		{99_999.5, 2 * time.Second, 199_999},
		{1e-9, time.Hour, 1},
		{5e-324, math.MaxInt64, 1},
	}
	for _, tt := range tests {
		ds := all(open(t, oneStream(tt.rate, ArrivalsConstant, tt.duration)), 0)
		if len(ds) != tt.want {
			t.Errorf("%v/s for %v gives %d requests, want %d", tt.rate, tt.duration, len(ds), tt.want)
		}
		for i, d := range ds[:min(len(ds), 10)] {
			if d.Client != uint32(i%3) || d.Task != uint32(i) || d.Op != 0 || d.Prefix != 0 {
				t.Errorf("request %d is client %d, task %d, round %d, prefix %d", i, d.Client, d.Task, d.Op, d.Prefix)
			}
		}
	}
}

// Ensure arrival k is at k/rate to the nearest nanosecond, for any rate as written in decimal and
// any k: checked against exact rational arithmetic.
func TestConstantInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.OneOf(rapid.Float64Range(1e-12, 1e6), rapid.Float64Range(1e-3, 10),
			rapid.Map(rapid.IntRange(1, 100_000), func(n int) float64 { return float64(n) / 100 })).Draw(t, "rate")
		k := rapid.Uint64().Draw(t, "k")
		exact, _ := new(big.Rat).SetString(strconv.FormatFloat(rate, 'g', -1, 64))
		exact.Quo(new(big.Rat).SetInt(new(big.Int).Mul(new(big.Int).SetUint64(k), big.NewInt(1e9))), exact)
		exact.Add(exact, big.NewRat(1, 2))
		want := new(big.Int).Quo(exact.Num(), exact.Denom())
		got, ok := newPeriod(rate).at(k)
		if ok != want.IsInt64() || ok && int64(got) != want.Int64() {
			t.Fatalf("arrival %d at %v/s is at %d (%v), want %v", k, rate, got, ok, want)
		}
	})
}

// Ensure Poisson arrivals have the right number, exponential gaps that no clamp has
// shortened, and clients drawn evenly.
func TestPoisson(t *testing.T) {
	const rate, seconds = 50.0, 1000
	ds := all(open(t, oneStream(rate, ArrivalsPoisson, seconds*time.Second)), 0)
	if got, want := float64(len(ds)), rate*seconds; math.Abs(got-want) > z999*math.Sqrt(want) {
		t.Errorf("%v arrivals, want %v +- %v", got, want, z999*math.Sqrt(want))
	}
	var gaps []float64
	clients, before := make([]int, 3), time.Duration(0)
	for _, d := range ds {
		gaps = append(gaps, (d.Intended - before).Seconds())
		before = d.Intended
		clients[d.Client]++
	}
	checkMeanOf(t, "gaps", gaps, 1/rate)
	checkCDF(t, "gaps", gaps, distuv.Exponential{Rate: rate}.CDF)
	for c, n := range clients {
		checkShare(t, "client "+strconv.Itoa(c), n, len(ds), 1.0/3)
	}
	longest := 0.0
	for _, g := range gaps {
		longest = max(longest, g)
	}
	if longest*rate < 7 { // of 50 000 gaps, none above 7 means has probability 1e-20
		t.Errorf("the longest gap is %v means", longest*rate)
	}
}

// Ensure two Poisson streams of one rate arrive at different instants.
func TestPoissonStreamsDiffer(t *testing.T) {
	cfg := oneStream(50, ArrivalsPoisson, time.Minute)
	cfg.Streams = append(cfg.Streams, cfg.Streams[0])
	w := open(t, cfg)
	seen := map[time.Duration]bool{}
	for _, d := range all(w, 0) {
		seen[d.Intended] = true
	}
	for _, d := range all(w, 1) {
		if seen[d.Intended] {
			t.Fatalf("both streams arrive at %v", d.Intended)
		}
	}
}

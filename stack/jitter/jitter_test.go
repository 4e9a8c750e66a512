package jitter

import (
	"math"
	"math/bits"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

const day = 24 * time.Hour

// INV-42: the wait is capped before the jitter, and then lies within 0.5 and 1.5 times
// the capped value, for every input, also for a retry count that would overflow.
func TestBackoffBounds_INV42(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1, int64(day)).Draw(t, "base"))
		limit := time.Duration(rapid.OneOf(
			rapid.Int64Range(1, int64(30*day)), rapid.Just(int64(math.MaxInt64/2)),
		).Draw(t, "limit"))
		retry := rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(0, math.MaxInt)).Draw(t, "retry")
		want := reference(base, limit, retry)
		if got := Exponential(base, limit, retry); got != want {
			t.Fatalf("Exponential = %v, want %v", got, want)
		}
		got := Backoff(base, limit, retry, rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "request"), retry+1)
		if got < want-want/2 || got-want > want/2 {
			t.Fatalf("Backoff = %v, want %v times 0.5 to 1.5", got, want)
		}
	})
}

// reference is min(base*2^retry, limit) without overflow.
func reference(base, limit time.Duration, retry int) time.Duration {
	if retry >= bits.LeadingZeros64(uint64(base))-1 {
		return limit
	}
	return min(base<<retry, limit)
}

func TestExponentialSteps(t *testing.T) {
	steps := []struct {
		base, limit time.Duration
		retry       int
		want        time.Duration
	}{
		{time.Second, 30 * time.Second, 0, time.Second},
		{time.Second, 30 * time.Second, 1, 2 * time.Second},
		{time.Second, 30 * time.Second, 4, 16 * time.Second},
		{time.Second, 30 * time.Second, 5, 30 * time.Second},
		{time.Second, 30 * time.Second, math.MaxInt, 30 * time.Second},
		{100 * time.Millisecond, 2 * time.Second, 4, 1600 * time.Millisecond},
		{time.Minute, time.Second, 0, time.Second},
		{1, math.MaxInt64, math.MaxInt, math.MaxInt64},
		{0, time.Second, math.MaxInt, 0},
	}
	for _, s := range steps {
		if got := Exponential(s.base, s.limit, s.retry); got != s.want {
			t.Errorf("Exponential(%v, %v, %d) = %v, want %v", s.base, s.limit, s.retry, got, s.want)
		}
	}
}

// INV-41: the spread lies in [0, max(1 s, Retry-After/2)).
func TestSpreadBounds_INV41(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		after := time.Duration(rapid.OneOf(
			rapid.Int64Range(0, int64(5*time.Second)), rapid.Int64Range(0, int64(30*day)),
		).Draw(t, "retry after"))
		got := Spread(after, rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "request"), rapid.IntRange(0, 20).Draw(t, "attempt"))
		if got < 0 || got >= max(time.Second, after/2) {
			t.Fatalf("Spread(%v) = %v", after, got)
		}
	})
}

// chiSquare judges counts that should be equal, with a two-sided 99.9 % bound.
func chiSquare(t *testing.T, what string, counts []int) {
	t.Helper()
	total := 0
	for _, n := range counts {
		total += n
	}
	expected := float64(total) / float64(len(counts))
	var sum float64
	for _, n := range counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	d := distuv.ChiSquared{K: float64(len(counts) - 1)}
	if sum < d.Quantile(0.0005) || sum > d.Quantile(0.9995) {
		t.Errorf("%s: chi-square %.1f with %d degrees of freedom, outside [%.1f, %.1f]",
			what, sum, len(counts)-1, d.Quantile(0.0005), d.Quantile(0.9995))
	}
}

// Ensure waits are uniform over their range, for ids that merely count up, as ids made
// of agent, task and operation numbers do.
func TestJitterIsUniform_INV42(t *testing.T) {
	const bins, n = 100, 100_000
	backoff, spread := make([]int, bins), make([]int, bins)
	for id := range uint64(n) {
		b := Backoff(time.Second, 30*time.Second, 0, 1, id, 1)
		backoff[int((b-500*time.Millisecond)*bins/time.Second)]++
		spread[int(Spread(0, 1, id, 1)*bins/time.Second)]++
	}
	chiSquare(t, "backoff", backoff)
	chiSquare(t, "spread", spread)
}

// Ensure the draws of two attempts, of two seeds, of neighbouring requests, and of the
// backoff and the spread of one attempt are independent: a herd told the same wait must
// not keep its order.
func TestJitterIsDecorrelated_INV42(t *testing.T) {
	const side, n = 10, 40_000
	draw := func(seed, id uint64, attempt int) int {
		return int((Backoff(time.Second, time.Minute, 0, seed, id, attempt) - 500*time.Millisecond) * side / time.Second)
	}
	pairs := []struct {
		what string
		f    func(id uint64) (int, int)
	}{
		{"attempts 1 and 2", func(id uint64) (int, int) { return draw(1, id, 1), draw(1, id, 2) }},
		{"attempts 2 and 3", func(id uint64) (int, int) { return draw(1, id, 2), draw(1, id, 3) }},
		{"seeds 1 and 2", func(id uint64) (int, int) { return draw(1, id, 1), draw(2, id, 1) }},
		{"neighbours", func(id uint64) (int, int) { return draw(1, 2*id, 1), draw(1, 2*id+1, 1) }},
		{"backoff and spread", func(id uint64) (int, int) {
			return draw(1, id, 1), int(Spread(0, 1, id, 1) * side / time.Second)
		}},
	}
	for _, p := range pairs {
		counts := make([]int, side*side)
		for id := range uint64(n) {
			a, b := p.f(id)
			counts[a*side+b]++
		}
		chiSquare(t, p.what, counts)
	}
}

// Ensure Mix is a bijection where it matters: no collisions among many inputs, and each
// input bit flips about half of the output bits.
func TestMixSpreadsBits(t *testing.T) {
	const n = 2000
	flips := 0
	for x := range uint64(n) {
		for bit := range 64 {
			flips += bits.OnesCount64(Mix(x*0x9e3779b97f4a7c15) ^ Mix(x*0x9e3779b97f4a7c15^1<<bit))
		}
	}
	// n*64 words of 64 bits: mean 32, standard deviation 4 a word.
	mean := float64(flips) / (n * 64)
	if bound := 3.29 * 4 / math.Sqrt(n*64); math.Abs(mean-32) > bound {
		t.Errorf("a flipped input bit flips %.3f output bits on average, want 32 +- %.3f", mean, bound)
	}
	seen := map[uint64]bool{}
	for a := range uint64(50) {
		for b := range uint64(50) {
			for c := range uint64(20) {
				h := Hash(a, b, c)
				if seen[h] {
					t.Fatalf("Hash(%d, %d, %d) collides", a, b, c)
				}
				seen[h] = true
			}
		}
	}
}

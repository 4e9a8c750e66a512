package compare

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"pgregory.net/rapid"
)

// TestSignTest: p is twice the sum of the binomial terms of the smaller side, ties dropped.
func TestSignTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signs := rapid.SliceOfN(rapid.IntRange(-1, 1), 0, 40).Draw(t, "signs")
		base, next := make([]float64, len(signs)), make([]float64, len(signs))
		up, down := 0, 0
		for i, s := range signs {
			base[i], next[i] = 5, 5+float64(s)
			if s > 0 {
				up++
			} else if s < 0 {
				down++
			}
		}
		n, sum := up+down, 0.0
		for k := 0; k <= min(up, down); k++ {
			sum += float64(combin.Binomial(n, k))
		}
		want := min(1, 2*sum/math.Exp2(float64(n)))
		if got := signTest(base, next); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%d up, %d down: p %v, want %v", up, down, got, want)
		}
	})
}

// TestLeastP: the smallest p that a test can have is what it has when one side is wholly above the other, so that ten
// pairs are significant among eight metrics at 2.5 %, and nine are not.
func TestLeastP(t *testing.T) {
	for n := 1; n <= 12; n++ {
		low, high := make([]float64, n), make([]float64, n)
		for i := range low {
			low[i], high[i] = float64(i), float64(100+i)
		}
		if got, want := leastSign(n), signTest(low, high); math.Abs(got-want) > 1e-12 {
			t.Errorf("sign test of %d: %v, want %v", n, got, want)
		}
		for m := 1; m <= n; m++ {
			if got, want := leastRank(n, m), rankTest(low, high[:m]); math.Abs(got-want) > 1e-9 {
				t.Errorf("Mann-Whitney of %d and %d: %v, want %v", n, m, got, want)
			}
		}
	}
	if n := enough(8, 0.025, leastSign); n != 10 {
		t.Errorf("eight metrics need %d pairs, want 10", n)
	}
	if n := enough(12, 0.025, leastSign); n != 10 {
		t.Errorf("twelve metrics need %d pairs, want 10", n)
	}
	if n := enough(8, 0.025, func(n int) float64 { return leastRank(n, n) }); n != 6 {
		t.Errorf("eight metrics need %d runs on each side, want 6", n)
	}
}

// TestRankTestIsExact: p is the share of all ways to deal the values to the two sides that are at least as uneven.
func TestRankTestIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.Permutation([]float64{0, 1, 2, 3, 4, 5, 6, 7, math.Inf(1)}).Draw(t, "values")
		n := rapid.IntRange(1, len(all)-1).Draw(t, "n")
		u := func(take []int) float64 { // pairs in which the first side is above the second
			count := 0.0
			for i := range all {
				for j := range all {
					if slices.Contains(take, i) && !slices.Contains(take, j) && all[i] > all[j] {
						count++
					}
				}
			}
			return count
		}
		first := make([]int, n)
		for i := range first {
			first[i] = i
		}
		centre := float64(n*(len(all)-n)) / 2
		far, dealt := 0.0, combin.Combinations(len(all), n)
		for _, take := range dealt {
			if math.Abs(u(take)-centre) >= math.Abs(u(first)-centre) {
				far++
			}
		}
		want := far / float64(len(dealt))
		if got := rankTest(all[:n], all[n:]); math.Abs(got-want) > 1e-9 {
			t.Errorf("p %v, want %v", got, want)
		}
	})
}

// TestHolm: corrected values are in the order of the raw ones, never below them, never above 1, and at most
// Bonferroni's.
func TestHolm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 20).Draw(t, "p")
		got := holm(ps)
		for i := range ps {
			if got[i] < ps[i] || got[i] > 1 || got[i] > min(1, float64(len(ps))*ps[i])+1e-15 {
				t.Errorf("%v became %v", ps[i], got[i])
			}
			for j := range ps {
				if ps[i] < ps[j] && got[i] > got[j] {
					t.Errorf("%v and %v changed places: %v and %v", ps[i], ps[j], got[i], got[j])
				}
			}
		}
	})
	if got, want := holm([]float64{0.01, 0.04, 0.03, 0.005}), []float64{0.03, 0.06, 0.06, 0.02}; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestInterval: the interval of a median lies within the values, holds the median, and is the same every time.
func TestInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := rapid.SliceOfN(rapid.Float64Range(1, 100), 2, 12).Draw(t, "values")
		base := make([]float64, len(next))
		logs := make([]float64, len(next))
		for i := range base {
			base[i], logs[i] = 10, logRatio(10, next[i])
		}
		low, high := pairedInterval(500, base, next)
		again, _ := pairedInterval(500, base, next)
		m := pairedEffect(base, next).log
		if low > m || high < m || low < slices.Min(logs) || high > slices.Max(logs) || low != again {
			t.Errorf("median %v, interval %v to %v", m, low, high)
		}
	})
}

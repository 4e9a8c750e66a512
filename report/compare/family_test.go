package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"pgregory.net/rapid"
)

// TestTarone: at most K tests can have a p of alpha/K or less, and of no smaller number is that true.
func TestTarone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const alpha = 0.025
		least := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 14), leastSign), 0, 40).Draw(t, "least")
		k := tarone(least, alpha)
		if n := inFamily(least, alpha, k); n > k || k > max(1, len(least)) {
			t.Errorf("K %d of %d has a family of %d", k, len(least), n)
		}
		for j := 1; j < k; j++ {
			if inFamily(least, alpha, j) <= j {
				t.Errorf("K %d is not the least: %d", k, j)
			}
		}
	})
	for _, tc := range []struct {
		full, idle, want int // tests of ten pairs that differ, tests that cannot differ, family
	}{{1, 0, 1}, {12, 6, 12}, {12, 600, 12}, {13, 0, 0}, {0, 8, 0}} {
		least := slices.Concat(slices.Repeat([]float64{leastSign(10)}, tc.full), slices.Repeat([]float64{1}, tc.idle))
		if n := inFamily(least, 0.025, tarone(least, 0.025)); n != tc.want {
			t.Errorf("%d tests and %d that cannot differ: a family of %d, want %d", tc.full, tc.idle, n, tc.want)
		}
	}
}

// TestAttainable: no p is below the least that values with such ties can have, whichever side they are on.
func TestAttainable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Map(rapid.IntRange(0, 6), func(n int) float64 {
			if n == 6 {
				return math.Inf(1)
			}
			return float64(n)
		})
		base, next := rapid.SliceOfN(value, 1, 9).Draw(t, "base"), rapid.SliceOfN(value, 1, 9).Draw(t, "next")
		if p, least := rankTest(base, next), leastSampled(base, next); p < least-1e-12 || math.Abs(least-leastSampled(next, base)) > 1e-12 {
			t.Errorf("ranks: p %v, least %v", p, least)
		}
		n := min(len(base), len(next))
		if p, least := signTest(base[:n], next[:n]), leastPaired(base[:n], next[:n]); p < least-1e-12 {
			t.Errorf("signs: p %v, least %v", p, least)
		}
	})
}

// TestTheLevelHolds: over all ways in which the pairs of several metrics can fall if nothing changed, anything is called
// changed in at most alpha of them; counted, not sampled.
func TestTheLevelHolds(t *testing.T) {
	for _, differ := range [][]int{{10}, {7, 7}, {8, 3, 0}, {6, 6, 6}, {9, 5, 5, 2}} { // pairs that differ, of each metric
		var least []float64
		for _, n := range differ {
			least = append(least, leastSign(n))
		}
		for _, alpha := range []float64{0.01, 0.025, 0.05, 0.2} {
			k := tarone(least, alpha)
			none := 1.0 // the chance that nothing is: the metrics are independent here
			for i, n := range differ {
				if !attains(least[i], alpha, k) {
					continue
				}
				quiet := 0.0
				for up := 0; up <= n; up++ {
					p := signTest(make([]float64, n), signs(up, n))
					if p*float64(inFamily(least, alpha, k)) > alpha { // Holm's first step
						quiet += math.Exp(lchoose(n, up) - float64(n)*math.Ln2)
					}
				}
				none *= quiet
			}
			if 1-none > alpha {
				t.Errorf("%v at %v: something is called changed in %v", differ, alpha, 1-none)
			}
		}
	}
}

func signs(up, n int) []float64 {
	return slices.Concat(slices.Repeat([]float64{1}, up), slices.Repeat([]float64{-1}, n-up))
}

func lchoose(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return lg(n) - lg(k) - lg(n-k)
}

// TestSeveralVariants: ten pairs are enough for three variants, as long as some metrics are the same in every pair; where they are
// not, the first line says how many would do, and Strict makes an exit code of it.
func TestSeveralVariants(t *testing.T) {
	three := func(n, moving int, factor float64) *report.Report {
		of := figures{}
		for i, name := range fixtureNames[:7] {
			of[name] = series(n, 1)
			if i >= moving {
				of[name] = make([]float64, n)
			} else if i == 0 {
				of[name] = series(n, factor)
			} else if factor != 1 { // noise that cancels out
				for j := range of[name] {
					of[name][j] += float64(j%2)/1000 - 1.0/2000
				}
			}
		}
		r := reportOf(n, of)
		for _, name := range []string{"second", "third"} {
			v := r.Variants[0]
			v.Name = name
			r.Variants = append(r.Variants, v)
		}
		return r
	}
	for _, tc := range []struct {
		n, moving int
		want      Verdict
		says      string
		strict    int
	}{
		{10, 4, Worse, "WORSE: 3 of 21 metrics", report.ExitRegression},
		{10, 5, NotEnough, "15 of 21 metrics could not have shown a change: 11 replications would do (--reps 11)", report.ExitRegression},
		{11, 5, Worse, "WORSE: 3 of 21 metrics", report.ExitRegression},
	} {
		o := quick()
		plain := judged(t, three(tc.n, tc.moving, 1), three(tc.n, tc.moving, 1.5), o)
		o.Strict = true
		strict := judged(t, three(tc.n, tc.moving, 1), three(tc.n, tc.moving, 1.5), o)
		if plain.Verdict != tc.want || !strings.Contains(plain.Summary, tc.says) || (plain.ExitCode() == report.ExitRegression) != (tc.want == Worse) || strict.ExitCode() != tc.strict {
			t.Errorf("%d pairs, %d metrics: exit codes %d and %d, %s", tc.n, tc.moving, plain.ExitCode(), strict.ExitCode(), plain.Summary)
		}
		o.Strict = true
		if self := judged(t, three(tc.n, tc.moving, 1), three(tc.n, tc.moving, 1), o); self.ExitCode() != report.ExitPass {
			t.Errorf("the same again is %s", self.Summary)
		}
	}
}

package compare

import (
	"slices"

	"github.com/seed-4fd17b57/simload/report"
)

// tarone returns the number K among which the tests have to share alpha, given the smallest p that each can have: the
// least K of which at most K tests can have a p of alpha/K or less (Tarone, A modified Bonferroni method for discrete
// data, Biometrics 46, 1990). The tests that can are the family that is corrected for; no other could become significant
// whatever its values were, so that it can raise no false alarm and need not be paid for: dead letters that are
// 0 in every run, say.
//
// The level holds because what is left out depends on sizes and ties alone, and not on which side is larger. It is that of
// the hypothesis that nothing changed at all.
func tarone(least []float64, alpha float64) int {
	for k := 1; k < len(least); k++ {
		if inFamily(least, alpha, k) <= k {
			return k
		}
	}
	return max(1, len(least))
}

// inFamily counts the tests that can have a p of alpha/k or less.
func inFamily(least []float64, alpha float64, k int) int {
	n := 0
	for _, p := range least {
		n += one(attains(p, alpha, k))
	}
	return n
}

func attains(least, alpha float64, k int) bool { return least*float64(k) <= alpha }

// correct gives the tests of the family their p after Holm's correction. It returns the number K by which a test
// outside is left out.
func (res *Result) correct() (k int) {
	var tested, family []*Row
	var least, ps []float64
	res.primary(func(_ *Scenario, _ *Variant, r *Row) {
		if r.tested {
			tested, least = append(tested, r), append(least, r.leastP)
		}
	})
	k = tarone(least, res.Alpha)
	for _, r := range tested {
		if r.inFamily = attains(r.leastP, res.Alpha, k); r.inFamily {
			family, ps = append(family, r), append(ps, float64(r.P))
		}
	}
	for i, p := range holm(ps) {
		family[i].PHolm = report.Num(p)
	}
	res.Tests, res.Family = len(tested), len(family)
	return k
}

// leastPaired is the smallest p that the sign test can have of these pairs: those that do not differ are dropped.
func leastPaired(base, next []float64) float64 { return leastSign(untied(base, next)) }

// untied counts the pairs that differ.
func untied(base, next []float64) int {
	n := 0
	for i := range base {
		n += one(base[i] != next[i])
	}
	return n
}

// leastSampled is the smallest p that Mann and Whitney's test can have of these values, however they were dealt to
// the two sides: that of the lowest on one side.
func leastSampled(base, next []float64) float64 {
	all := slices.Sorted(slices.Values(slices.Concat(base, next)))
	n, m := len(base), len(next)
	return min(rankTest(all[:n], all[n:]), rankTest(all[m:], all[:m]))
}

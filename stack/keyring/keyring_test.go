package keyring

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func ringOf(weights ...int64) *Ring {
	r := New(len(weights))
	for i, w := range weights {
		r.SetWeight(i, w)
	}
	return r
}

func pick(r *Ring, unable ...int) int {
	for _, i := range unable {
		r.Drop(i)
	}
	k := r.Best()
	if k < 0 {
		r.Abandon()
	} else {
		r.Commit(k)
	}
	return k
}

// The known sequence for weights 5, 1, 1: smooth, not 0000012.
func TestRingIsSmooth(t *testing.T) {
	r := ringOf(5, 1, 1)
	var got []int
	for range 14 {
		got = append(got, pick(r))
	}
	if want := []int{0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("picks %v, want %v", got, want)
	}
}

// INV-51: with fixed weights and all keys eligible, every W consecutive picks, from
// wherever they are counted, serve each key exactly its weight; weight 0 is never
// picked; and a key is never more than one pick per other key away from its even share.
func TestRingServesExactShares_INV51(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 12).Draw(t, "weights")
		var total int64
		for _, w := range weights {
			total += w
		}
		r := ringOf(weights...)
		if total == 0 {
			if k := pick(r); k != -1 {
				t.Fatalf("picked %d although all weights are 0", k)
			}
			return
		}
		picks := make([]int, 3*total)
		served := make([]int64, len(weights))
		for n := range picks {
			k := pick(r)
			picks[n] = k
			if weights[k] == 0 {
				t.Fatalf("pick %d took key %d of weight 0", n, k)
			}
			served[k]++
			for i, w := range weights {
				if d, most := served[i]*total-int64(n+1)*w, total*int64(len(weights)-1); max(d, -d) > most {
					t.Fatalf("after %d picks key %d was served %d times (weight %d of %d)", n+1, i, served[i], w, total)
				}
			}
		}
		for from := 0; from+int(total) <= len(picks); from++ {
			got := make([]int64, len(weights))
			for _, k := range picks[from : from+int(total)] {
				got[k]++
			}
			if !slices.Equal(got, weights) {
				t.Fatalf("picks %d to %d served %v, want %v", from, from+int(total)-1, got, weights)
			}
		}
	})
}

// A key that is dropped, or whose weight is 0 for a while, keeps its credit and gains
// none: when it returns it neither storms nor starves. Its weight is back with the next
// pick after a drop.
func TestRingDropKeepsCredit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Int64Range(1, 9), 2, 8).Draw(t, "weights")
		r := ringOf(weights...)
		for range rapid.IntRange(0, 20).Draw(t, "before") {
			pick(r)
		}
		gone := rapid.IntRange(0, len(weights)-1).Draw(t, "gone")
		before := r.credit[gone]
		byWeight := rapid.Bool().Draw(t, "by weight")
		if byWeight {
			r.SetWeight(gone, 0)
		}
		for range rapid.IntRange(1, 50).Draw(t, "picks") {
			var k int
			if byWeight {
				k = pick(r)
			} else {
				k = pick(r, gone)
			}
			if k == gone {
				t.Fatalf("picked the key %d that is out", k)
			}
		}
		if byWeight {
			r.SetWeight(gone, weights[gone])
		}
		if r.credit[gone] != before {
			t.Fatalf("credit of the key that was out went from %d to %d", before, r.credit[gone])
		}
		if !slices.Equal(r.weight, weights) {
			t.Fatalf("weights are %v between picks, want %v", r.weight, weights)
		}
		var sum int64
		for _, c := range r.credit {
			sum += c
		}
		if sum != 0 {
			t.Fatalf("credits add up to %d, want 0", sum)
		}
	})
}

// Only Commit moves credit: Best, Drop and Abandon leave the ring as it was.
func TestRingOnlyCommitMovesCredit(t *testing.T) {
	r := ringOf(3, 8, 0)
	for range 3 {
		if k := r.Best(); k != 1 {
			t.Errorf("Best = %d, want 1 (8 against 3 and 0)", k)
		}
	}
	r.Drop(1)
	if k := r.Best(); k != 0 || r.Weight(1) != 0 {
		t.Errorf("Best = %d after the drop of 1 (weight %d), want 0", k, r.Weight(1))
	}
	r.Drop(0)
	if k := r.Best(); k != -1 {
		t.Errorf("Best = %d with all dropped, want -1", k)
	}
	r.Abandon()
	if !slices.Equal(r.credit, []int64{0, 0, 0}) || !slices.Equal(r.weight, []int64{3, 8, 0}) {
		t.Errorf("credits %v, weights %v after a pick that was abandoned", r.credit, r.weight)
	}
	if r.Len() != 3 {
		t.Errorf("Len = %d", r.Len())
	}
}

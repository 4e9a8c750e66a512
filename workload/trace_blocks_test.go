package workload

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slowCache is the rule of the bounded cache in its simplest form: the most recent
// block first, and the head of a prompt more recent than its tail.
type slowCache struct {
	most   int
	blocks []int64
}

func (c *slowCache) visit(ids []int64) (known int64) {
	for int(known) < len(ids) && slices.Contains(c.blocks, ids[known]) {
		known++
	}
	for _, id := range slices.Backward(ids) {
		if i := slices.Index(c.blocks, id); i >= 0 {
			c.blocks = slices.Delete(c.blocks, i, i+1)
		}
		c.blocks = slices.Insert(c.blocks, 0, id)
	}
	c.blocks = c.blocks[:min(len(c.blocks), c.most)]
	return known
}

// Ensure the bounded block cache forgets the least recently used, that it holds no
// more than its bound, that more room never knows less, and that enough room knows
// what no bound knows.
func TestBlockCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 12).Draw(t, "most")
		prompts := rapid.SliceOf(rapid.SliceOfN(rapid.Int64Range(0, 15), 0, 10)).Draw(t, "prompts")
		slow, c, more := &slowCache{most: most}, newBlockCache(most), newBlockCache(most+1)
		ample, endless := newBlockCache(16), newBlockCache(0)
		for _, ids := range prompts {
			n := c.visit(ids)
			if want := slow.visit(ids); n != want {
				t.Fatalf("%v: %d known, want %d", ids, n, want)
			}
			if len(c.index) > most || len(c.ring) > most+1 {
				t.Fatalf("%d blocks, %d entries held, want at most %d", len(c.index), len(c.ring), most)
			}
			if m := more.visit(ids); m < n {
				t.Fatalf("%v: %d known with %d blocks, %d with one more", ids, n, most, m)
			}
			if a, e := ample.visit(ids), endless.visit(ids); a != e || e < n {
				t.Fatalf("%v: %d known with room for all, %d without bound, %d with %d", ids, a, e, n, most)
			}
		}
	})
}

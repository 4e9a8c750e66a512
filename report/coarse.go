package report

import "time"

const (
	coarseBits = 5 // 3.1 %
	coarseLen  = 33 << coarseBits
)

// coarse is a small histogram of one minute or interval: 2^5 buckets per octave,
// percentiles at the bucket's middle, at most 1.6 % off.
type coarse struct {
	n      int64
	counts [coarseLen]uint32
}

func (c *coarse) record(us int64) { c.put(bucketOf(us, coarseBits)) }

func (c *coarse) put(bucket int) {
	c.n++
	c.counts[bucket]++
}

// quantile returns percentile p of what was recorded; false when nothing was.
func (c *coarse) quantile(p float64) (time.Duration, bool) {
	if c.n == 0 {
		return 0, false
	}
	rank := rankOf(p, c.n)
	var seen int64
	for i := range c.counts {
		if seen += int64(c.counts[i]); seen >= rank {
			low, high := bucketEnds(i, coarseBits)
			return time.Duration(low+high) * time.Microsecond / 2, true
		}
	}
	return 0, false
}

func (c *coarse) reset() {
	if c.n > 0 {
		*c = coarse{}
	}
}

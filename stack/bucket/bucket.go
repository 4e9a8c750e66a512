// Package bucket bounds a rate in two ways at once.
//
// A window of one-second counters guarantees that no sliding minute, as the
// provider sees it, holds more than the capacity, whatever the burst. A virtual
// schedule (GCRA, the leaky bucket as a meter of ITU-T I.371) in front of it
// spreads the grants evenly, so that the window is not used up in its first
// seconds.
//
// The window spans Span seconds instead of 60: one because the current second is
// not over, one because network delay may shift arrivals against each other. The
// sustained rate is therefore Capacity per Span seconds.
//
// Time is passed in. An instant earlier than the latest one seen is taken as that
// latest one: a clock that steps back never mints tokens (INV-10).
package bucket

import (
	"math"
	"math/bits"
	"time"
)

// Span is the width of the window in bins.
const Span = 62

const ring = 64 // bins kept; a power of two above Span

// longestDebt bounds the schedule after a settlement: an actual number that is
// absurd is a fault of the report and must not close the bucket for good.
const longestDebt = time.Hour

// Never is later than every instant.
const Never = time.Duration(1<<63 - 1)

// Bucket is one rate limit. The zero value has no limit; make others with New.
type Bucket struct {
	capacity int64 // per Span; 0: no limit
	reserve  int64 // of capacity, kept for the urgent
	burst    time.Duration
	shared   time.Duration // burst that is open to all
	tat      time.Duration // theoretical arrival time: when the schedule is empty
	hold     time.Duration // the schedule counts as full until then less the burst
	width    time.Duration // of a bin
	grain    time.Duration // of the schedule
	bin      int64         // latest bin seen
	edge     time.Duration // its end
	latest   time.Duration // latest instant seen
	sum      int64
	bins     [ring]int64
}

// New returns a bucket of the given capacity per window, in units; burst is the
// length of schedule that may be granted at once; reservePercent of both the
// capacity and the burst is out of reach of lower classes.
func New(capacity int64, burst time.Duration, reservePercent int) Bucket {
	return newBucket(capacity, time.Second, burst, reservePercent)
}

// NewDaily returns a bucket whose window is a sliding day in bins of 24 minutes, without
// a schedule: a day's quota may be used as it comes.
func NewDaily(capacity int64, reservePercent int) Bucket {
	const width = 24 * time.Minute
	return newBucket(capacity, width, Span*width, reservePercent)
}

func newBucket(capacity int64, width, burst time.Duration, reservePercent int) Bucket {
	return Bucket{
		capacity: capacity, reserve: capacity * int64(reservePercent) / 100,
		burst: burst, shared: burst - burst*time.Duration(reservePercent)/100,
		width: width, grain: 1, edge: width,
	}
}

// Coarse has the schedule counted in whole grains, of which the width of a bin is a multiple: what units cost is
// rounded up to it. Instants and the burst should then be multiples of it too. It is for books that keep the
// schedule in coarser units, such as microseconds.
func (b *Bucket) Coarse(grain time.Duration) { b.grain = grain }

// Unlimited reports whether the bucket has no limit.
func (b *Bucket) Unlimited() bool { return b.capacity == 0 }

// Fits reports whether n units can ever be granted.
func (b *Bucket) Fits(n int64, lower bool) bool {
	return b.capacity == 0 || n <= b.ceiling(lower)
}

// Room returns the most units that can ever be granted at once.
func (b *Bucket) Room(lower bool) int64 {
	if b.capacity == 0 {
		return math.MaxInt64
	}
	return b.ceiling(lower)
}

// Free returns the units left in the window at now, at least 0.
func (b *Bucket) Free(now time.Duration) int64 {
	b.roll(now)
	return max(0, b.capacity-b.sum)
}

// Used returns the units in the window at now.
func (b *Bucket) Used(now time.Duration) int64 {
	b.roll(now)
	return b.sum
}

// Ready reports whether n units can be granted at now; lower classes leave the
// reserve alone.
func (b *Bucket) Ready(now time.Duration, n int64, lower bool) bool {
	if b.capacity == 0 {
		return true
	}
	now = b.roll(now)
	return b.sum+n <= b.ceiling(lower) && max(b.tat, b.hold)-now <= b.slack(n, lower)
}

// Take grants n units at now. The caller has asked Ready.
func (b *Bucket) Take(now time.Duration, n int64) {
	if b.capacity == 0 {
		return
	}
	now = b.roll(now)
	b.bins[b.bin&(ring-1)] += n
	b.sum += n
	b.tat = max(b.tat, b.hold, now) + b.cost(n)
}

// Settle replaces an estimate that was taken at the instant taken by the actual
// number of units.
func (b *Bucket) Settle(now, taken time.Duration, estimate, actual int64) {
	if b.capacity == 0 || estimate == actual {
		return
	}
	b.Recount(now, taken, estimate, actual)
	if actual > estimate {
		b.tat = max(b.tat, b.latest)
	}
	// The difference of the two costs, not the cost of the difference: both are rounded up.
	b.tat = min(b.tat+b.cost(actual)-b.cost(estimate), b.latest+longestDebt)
}

// Recount is Settle for what the schedule has never been charged with: the window alone is put right. It is for what
// was used without the bucket's knowledge, which is to count, but not to be waited for once more.
func (b *Bucket) Recount(now, taken time.Duration, estimate, actual int64) {
	if b.capacity == 0 || estimate == actual {
		return
	}
	b.roll(now)
	if s := int64(taken / b.width); s > b.bin-Span {
		b.bins[s&(ring-1)] += actual - estimate
		b.sum += actual - estimate
	}
}

// HoldUntil lets the schedule resume at t without any burst, so that a limit that
// comes back is not stormed (INV-52). Refunds of earlier grants do not shorten it.
func (b *Bucket) HoldUntil(t time.Duration) {
	b.hold = max(b.hold, t+b.burst)
}

// Next returns the earliest instant from now on at which n units could be
// granted if nothing else happened; Never if they do not fit.
func (b *Bucket) Next(now time.Duration, n int64, lower bool) time.Duration {
	if b.capacity == 0 {
		return now
	}
	now = b.roll(now)
	top := b.ceiling(lower)
	if n > top {
		return Never
	}
	at := max(now, max(b.tat, b.hold)-b.slack(n, lower))
	sum := b.sum
	for s := b.bin - Span + 1; sum+n > top && s <= b.bin; s++ {
		sum -= b.bins[s&(ring-1)]
		// Bin s leaves the window when bin s+Span begins.
		at = max(at, time.Duration(s+Span)*b.width)
	}
	return at
}

func (b *Bucket) ceiling(lower bool) int64 {
	if lower {
		return b.capacity - b.reserve
	}
	return b.capacity
}

// slack is the backlog that the schedule may have for n more units to be granted.
// A cost beyond the burst waits for an empty schedule.
func (b *Bucket) slack(n int64, lower bool) time.Duration {
	s := b.burst
	if lower {
		s = b.shared
	}
	return max(0, s-b.cost(n))
}

// cost is the length of schedule that n units take: n * Span / capacity, rounded up to a grain.
func (b *Bucket) cost(n int64) time.Duration {
	if b.grain > 1 {
		return b.coarseCost(n)
	}
	hi, lo := bits.Mul64(uint64(n), uint64(Span*b.width))
	lo, carry := bits.Add64(lo, uint64(b.capacity)-1, 0)
	hi += carry
	if hi >= uint64(b.capacity) {
		return Never / 4 // more than the schedule can express; never fits anyway
	}
	q, _ := bits.Div64(hi, lo, uint64(b.capacity))
	return time.Duration(min(q, uint64(Never/4)))
}

// coarseCost is cost in grains.
func (b *Bucket) coarseCost(n int64) time.Duration {
	hi, lo := bits.Mul64(uint64(n), uint64(Span*b.width/b.grain))
	lo, carry := bits.Add64(lo, uint64(b.capacity)-1, 0)
	hi += carry
	most := uint64(Never / 4 / b.grain)
	if hi >= uint64(b.capacity) {
		return time.Duration(most) * b.grain
	}
	q, _ := bits.Div64(hi, lo, uint64(b.capacity))
	return time.Duration(min(q, most)) * b.grain
}

// roll moves the window on to now and returns now, or the latest instant seen if
// that is later.
func (b *Bucket) roll(now time.Duration) time.Duration {
	if now <= b.latest {
		return b.latest
	}
	b.latest = now
	if now < b.edge || b.width == 0 {
		return now
	}
	s := int64(now / b.width)
	b.edge = time.Duration(s+1) * b.width
	if s-b.bin >= Span {
		b.bins = [ring]int64{}
		b.sum = 0
		b.bin = s
		return now
	}
	for b.bin < s {
		b.bin++
		old := (b.bin - Span) & (ring - 1)
		b.sum -= b.bins[old]
		b.bins[old] = 0
		b.bins[b.bin&(ring-1)] = 0
	}
	return now
}

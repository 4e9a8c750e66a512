package mockupstream

import (
	"math"
	"math/bits"
	"time"
)

// bucket is a leaky bucket of the size of its limit that drains the limit in a period.
//
//	used(t) = max(0, used(t0) - limit * (t-t0) / period)
//	n is admitted  <=>  used + n <= limit
//	wait           =    (used + n - limit) / limit * period
//
// These are the formulas that reproduce OpenAI's answers ("Limit 10000, Used 8554,
// Requested 3082. Please try again in 9.816s"). A bucket that drains limit tokens a
// period drains limit/period tokens a nanosecond, so the use, counted in units of
// 1/period tokens, stays whole; it is held exactly, in 128 bits.
// Over any window of length d the bucket admits at most limit + limit*d/period (INV-10).
type bucket struct {
	limit  int64 // tokens per period; 0: no limit
	hi, lo uint64
	last   time.Duration
	period uint64 // ns
}

// perMinute returns an empty bucket of so many tokens a minute.
func perMinute(limit int64) bucket {
	return bucket{limit: limit, period: uint64(time.Minute)}
}

// drain brings the use up to date. now must not be before the last call's.
func (b *bucket) drain(now time.Duration) {
	if b.hi|b.lo != 0 {
		hi, lo := bits.Mul64(uint64(b.limit), uint64(now-b.last))
		lo, borrow := bits.Sub64(b.lo, lo, 0)
		hi, borrow = bits.Sub64(b.hi, hi, borrow)
		if borrow != 0 {
			hi, lo = 0, 0
		}
		b.hi, b.lo = hi, lo
	}
	b.last = now
}

// over returns by how many units n more would exceed the limit; n is at most
// the limit. The bucket must be drained.
func (b *bucket) over(n int64) (hi, lo uint64) {
	roomHi, roomLo := bits.Mul64(uint64(b.limit-n), b.period)
	lo, borrow := bits.Sub64(b.lo, roomLo, 0)
	hi, borrow = bits.Sub64(b.hi, roomHi, borrow)
	if borrow != 0 {
		return 0, 0
	}
	return hi, lo
}

// room reports whether n tokens need not wait.
func (b *bucket) room(n int64) bool {
	if b.limit == 0 {
		return true
	}
	if n > b.limit {
		return false
	}
	hi, lo := b.over(n)
	return hi|lo == 0
}

// wait returns how long n tokens must wait from now on: 0 if there is room, else the
// smallest whole number of milliseconds after which there will be.
func (b *bucket) wait(n int64) time.Duration {
	ms, _ := b.waits(n)
	return ms
}

// waits returns wait, and beside it the same rounded down to nanoseconds.
func (b *bucket) waits(n int64) (ms, exact time.Duration) {
	if b.limit == 0 {
		return 0, 0
	}
	hi, lo := b.over(n)
	if hi|lo == 0 {
		return 0, 0
	}
	if hi >= uint64(b.limit) {
		return never / time.Millisecond * time.Millisecond, never
	}
	ns, rest := bits.Div64(hi, lo, uint64(b.limit))
	exact = time.Duration(min(ns, math.MaxInt64-1))
	return ceilTo(exact+time.Duration(min(1, rest)), time.Millisecond), exact
}

// charge adds n tokens to the use.
func (b *bucket) charge(n int64) {
	if b.limit == 0 {
		return
	}
	hi, lo := bits.Mul64(uint64(n), b.period)
	lo, carry := bits.Add64(b.lo, lo, 0)
	b.hi, b.lo = b.hi+hi+carry, lo
}

// fill adds n tokens to the use, but not beyond the limit: what is full spills.
func (b *bucket) fill(n int64) {
	if b.limit == 0 {
		return
	}
	hi, lo := b.over(n)
	if hi|lo == 0 {
		b.charge(n)
		return
	}
	fullHi, fullLo := bits.Mul64(uint64(b.limit), b.period)
	if b.hi < fullHi || b.hi == fullHi && b.lo < fullLo {
		b.hi, b.lo = fullHi, fullLo
	}
}

// refund takes n tokens from the use, as far as there is any.
func (b *bucket) refund(n int64) {
	hi, lo := bits.Mul64(uint64(n), b.period)
	lo, borrow := bits.Sub64(b.lo, lo, 0)
	hi, borrow = bits.Sub64(b.hi, hi, borrow)
	if borrow != 0 {
		hi, lo = 0, 0
	}
	b.hi, b.lo = hi, lo
}

// used returns the use in tokens, rounded up.
func (b *bucket) used() uint64 {
	used, rest := b.lo/b.period, b.lo%b.period
	if b.hi != 0 {
		used, rest = bits.Div64(b.hi, b.lo, b.period)
	}
	if rest != 0 {
		used++
	}
	return used
}

// state returns the tokens that remain, rounded down, and the time until the bucket
// would be empty again if they were what remains: (limit - remaining) / limit * period,
// rounded up to whole nanoseconds. After a limit was cut, the use may exceed the
// limit; then nothing remains and the reset is used/limit * period.
func (b *bucket) state() (remaining int64, reset time.Duration) {
	if b.limit == 0 {
		return 0, 0
	}
	used := b.used()
	remaining = max(0, b.limit-int64(used))
	hi, lo := bits.Mul64(used, b.period)
	limit := uint64(b.limit)
	if hi == 0 {
		return remaining, time.Duration(lo/limit + min(1, lo%limit))
	}
	if hi >= limit {
		return remaining, math.MaxInt64
	}
	ns, rest := bits.Div64(hi, lo, limit)
	return remaining, time.Duration(min(ns+min(1, rest), math.MaxInt64))
}

// resize changes the limit and keeps the use. The bucket must be drained: what drained
// before drained at the old limit.
func (b *bucket) resize(limit int64) {
	b.limit = limit
}

package mockupstream

import (
	"math"
	"math/bits"
	"time"
)

// unit is the scale of a bucket's use: a bucket that drains limit tokens a minute
// drains limit/unit tokens a nanosecond, so use counted in 1/unit tokens stays whole.
const unit = uint64(time.Minute)

// bucket is a leaky bucket of the size of its limit that drains the limit in a minute.
//
//	used(t) = max(0, used(t0) - limit * (t-t0) / 60 s)
//	n is admitted  <=>  used + n <= limit
//	wait           =    (used + n - limit) / limit * 60 s
//
// These are the formulas that reproduce OpenAI's answers ("Limit 10000, Used 8554,
// Requested 3082. Please try again in 9.816s"). The use is held exactly, in 128 bits.
// Over any window of length d the bucket admits at most limit + limit*d/60 s (INV-10).
type bucket struct {
	limit  int64 // tokens per minute; 0: no limit
	hi, lo uint64
	last   time.Duration
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

// over returns by how many 1/unit tokens n more would exceed the limit; n is at most
// the limit. The bucket must be drained.
func (b *bucket) over(n int64) (hi, lo uint64) {
	roomHi, roomLo := bits.Mul64(uint64(b.limit-n), unit)
	lo, borrow := bits.Sub64(b.lo, roomLo, 0)
	hi, borrow = bits.Sub64(b.hi, roomHi, borrow)
	if borrow != 0 {
		return 0, 0
	}
	return hi, lo
}

// wait returns how long n tokens must wait from now on: 0 if there is room, else the
// smallest whole number of milliseconds after which there will be.
func (b *bucket) wait(n int64) time.Duration {
	if b.limit == 0 {
		return 0
	}
	hi, lo := b.over(n)
	if hi|lo == 0 {
		return 0
	}
	perMS := uint64(b.limit) * uint64(time.Millisecond)
	const most = uint64(math.MaxInt64) / uint64(time.Millisecond)
	if hi >= perMS {
		return time.Duration(most) * time.Millisecond
	}
	ms, rest := bits.Div64(hi, lo, perMS)
	if rest != 0 {
		ms++
	}
	return time.Duration(min(ms, most)) * time.Millisecond
}

// charge adds n tokens to the use.
func (b *bucket) charge(n int64) {
	if b.limit == 0 {
		return
	}
	hi, lo := bits.Mul64(uint64(n), unit)
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
	fullHi, fullLo := bits.Mul64(uint64(b.limit), unit)
	if b.hi < fullHi || b.hi == fullHi && b.lo < fullLo {
		b.hi, b.lo = fullHi, fullLo
	}
}

// state returns the tokens that remain, rounded down, and the time until the bucket
// would be empty again if they were what remains: (limit - remaining) / limit * 60 s,
// rounded up to whole nanoseconds. After a limit was cut, the use may exceed the
// limit; then nothing remains and the reset is used/limit * 60 s.
func (b *bucket) state() (remaining int64, reset time.Duration) {
	if b.limit == 0 {
		return 0, 0
	}
	used, rest := b.lo/unit, b.lo%unit
	if b.hi != 0 {
		used, rest = bits.Div64(b.hi, b.lo, unit)
	}
	if rest != 0 {
		used++
	}
	remaining = max(0, b.limit-int64(used))
	hi, lo := bits.Mul64(used, unit)
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

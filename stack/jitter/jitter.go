// Package jitter draws the random part of waits from a hash of (seed, request,
// attempt): reproducible, independent of the order of events, and different for
// every attempt, so that requests told the same wait do not keep the same rank.
package jitter

import "time"

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of
// 64-bit words whose output bits each depend on all input bits.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash returns 64 pseudo-random bits for the three words.
func Hash(a, b, c uint64) uint64 {
	const golden = 0x9e3779b97f4a7c15
	return Mix(Mix(Mix(a+golden)+b+golden) + c + golden)
}

// Backoff returns min(base*2^retry, limit) times U(0.5, 1.5): capped before the
// jitter, or most waits would equal the cap (INV-42). retry counts from 0.
func Backoff(base, limit time.Duration, retry int, seed, request uint64, attempt int) time.Duration {
	d := Exponential(base, limit, retry)
	return d - d/2 + scale(d, Hash(seed, request, uint64(attempt)))
}

// Exponential returns min(base*2^retry, limit).
func Exponential(base, limit time.Duration, retry int) time.Duration {
	d := min(base, limit)
	for ; retry > 0 && d > 0 && d < limit; retry-- {
		if d > limit/2 {
			return limit
		}
		d *= 2
	}
	return d
}

// Spread returns U(0, max(1 s, retryAfter/2)), added to a wait that the provider
// asked for so that those told the same wait do not return together (INV-41).
func Spread(retryAfter time.Duration, seed, request uint64, attempt int) time.Duration {
	return scale(max(time.Second, retryAfter/2), Hash(seed^0x5bf0_3635, request, uint64(attempt)))
}

// scale returns d times a uniform number from [0, 1) made of the upper bits of h.
func scale(d time.Duration, h uint64) time.Duration {
	const unit = 1 << 24
	u := time.Duration(h >> 40)
	return d/unit*u + d%unit*u/unit
}

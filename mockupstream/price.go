package mockupstream

import "math/bits"

// Price is in pico-USD (10^-12 USD) per token. The zero value is free of charge.
type Price struct {
	Input int64
	// Cached is for prompt tokens read from the vendor's cache; equal to Input where there is no discount.
	Cached int64
	Output int64
	// CacheWrite is for prompt tokens written to the cache; equal to Input where writing is not charged apart.
	CacheWrite int64
	// LongFrom: if the prompt has more tokens than this, all tokens of the call have the
	// prices in Long; 0: never.
	LongFrom int64
	Long     Rates
}

// Rates are the four prices, in pico-USD per token.
type Rates struct {
	Input, Cached, Output, CacheWrite int64
}

// IsLong reports whether a prompt of so many tokens has the long price.
func (p *Price) IsLong(in int64) bool {
	return p.LongFrom > 0 && in > p.LongFrom
}

// Rates returns the prices of a call with the long price or without.
func (p *Price) Rates(long bool) Rates {
	if long {
		return p.Long
	}
	return Rates{p.Input, p.Cached, p.Output, p.CacheWrite}
}

// Cost is the price of one call's tokens in pico-USD, where written of u.In were written to
// the cache; at most 2^63-1.
func (r Rates) Cost(u Usage, written int64) int64 {
	sum := cost(u.In-u.Cached-written, r.Input)
	sum = plus(sum, cost(u.Cached, r.Cached))
	sum = plus(sum, cost(written, r.CacheWrite))
	return plus(sum, cost(u.Out, r.Output))
}

const most = 1<<63 - 1

// cost multiplies tokens by a price and stops at the largest number.
func cost(tokens, price int64) int64 {
	hi, lo := bits.Mul64(uint64(max(0, tokens)), uint64(max(0, price)))
	if hi != 0 || lo > most {
		return most
	}
	return int64(lo)
}

// plus adds two numbers that are not negative and stops at the largest one.
func plus(a, b int64) int64 {
	if a > most-b {
		return most
	}
	return a + b
}

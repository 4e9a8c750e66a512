package stack

import (
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
)

// budget is the client's book of one quota: shared by every key of its group and
// every model of its family, and so by every gate that uses them.
type budget struct {
	requests, tokens bucket.Bucket
	excluded         time.Duration // no send before this instant
	excludedSum      time.Duration // time excluded so far
	gates            []int32       // that refer to it
}

func newBudget(q Quota, b BudgetConfig, reserve int) budget {
	head := func(limit int64, percent int) int64 {
		if limit == 0 {
			return 0
		}
		return max(1, limit/100*int64(percent)+limit%100*int64(percent)/100)
	}
	return budget{
		requests: bucket.New(head(q.RPM, b.RPMHeadroom), b.Burst, reserve),
		tokens:   bucket.New(head(q.TPM, b.TPMHeadroom), b.Burst, reserve),
	}
}

func (b *budget) refer(gate int32) {
	if !slices.Contains(b.gates, gate) {
		b.gates = append(b.gates, gate)
	}
}

func (b *budget) fits(tokens int64, lower bool) bool {
	return b.tokens.Fits(tokens, lower) && b.requests.Fits(1, lower)
}

// ready reports whether one request and its tokens can be had together (INV-12).
func (b *budget) ready(now time.Duration, tokens int64, lower bool) bool {
	return b.tokens.Ready(now, tokens, lower) && b.requests.Ready(now, 1, lower)
}

func (b *budget) take(now time.Duration, tokens int64) {
	b.requests.Take(now, 1)
	b.tokens.Take(now, tokens)
}

// next returns the earliest instant at which ready could hold, and what holds it up.
func (b *budget) next(now time.Duration, tokens int64, lower bool) (time.Duration, Blocked) {
	t := b.tokens.Next(now, tokens, lower)
	r := b.requests.Next(now, 1, lower)
	if r > t {
		return r, BlockedRPM
	}
	return t, BlockedTPM
}

// free is the quota that remains, in the unit that binds: tokens where they are limited.
func (b *budget) free(now time.Duration) int64 {
	switch {
	case !b.tokens.Unlimited():
		return b.tokens.Free(now)
	case !b.requests.Unlimited():
		return b.requests.Free(now)
	}
	return 1
}

// exclude lets the quota rest until the instant; it only ever extends (INV-50).
func (b *budget) exclude(now, until time.Duration) {
	if until <= b.excluded {
		return
	}
	b.excludedSum += until - max(now, b.excluded)
	b.excluded = until
	b.requests.HoldUntil(until)
	b.tokens.HoldUntil(until)
}

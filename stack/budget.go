package stack

import (
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
)

// need is what a request takes of a quota, besides one request and one place.
type need struct {
	tokens int64 // by the target's Charge
	output int64 // output tokens asked for
}

// budget is the client's book of one quota: shared by every key of its group and
// every model of its family, and so by every gate that uses them.
type budget struct {
	requests, tokens bucket.Bucket
	output, daily    bucket.Bucket
	places           int // in flight at most; 0: no limit
	inFlight         int
	excluded         time.Duration // no send before this instant
	excludedSum      time.Duration // time excluded so far
	gates            []int32       // that refer to it
	claim            claim
}

// claim keeps a quota for the head of a gate: requests of other gates that come after it,
// by class and entry, leave the quota alone until it has been granted.
type claim struct {
	gate  int32         // index plus 1; 0: no claim
	until time.Duration // earliest instant at which the head can be granted
	class Class         // of the head
	seq   uint64
}

func newBudget(q Quota, b BudgetConfig, reserve int) budget {
	return budget{
		requests: bucket.New(headroom(q.RPM, b.RPMHeadroom), requestBurst(&q, headroom(q.RPM, b.RPMHeadroom), b.Burst), reserve),
		tokens:   bucket.New(headroom(q.TPM, b.TPMHeadroom), b.Burst, reserve),
		output:   bucket.New(headroom(q.OTPM, b.TPMHeadroom), b.Burst, reserve),
		daily:    bucket.NewDaily(headroom(q.RPD, b.RPMHeadroom), reserve),
		places:   q.Concurrency,
	}
}

// headroom is the part of a limit that may be used: at least 1 of one that is there.
func headroom(limit int64, percent int) int64 {
	if limit == 0 {
		return 0
	}
	return max(1, limit/100*int64(percent)+limit%100*int64(percent)/100)
}

// requestBurst is how much of the sustained rate of requests may be sent at once: what
// goes out within a quantum, the burst and what the rate adds to it, must not exceed the
// quantum's share of the provider's limit. One request is left for rounding.
func requestBurst(q *Quota, capacity int64, burst time.Duration) time.Duration {
	if q.Quantum == 0 || q.RPM == 0 {
		return burst
	}
	const window = bucket.Span * time.Second
	allowed := q.RPM * int64(q.Quantum/time.Millisecond) / 60_000
	grown := (capacity*int64(q.Quantum/time.Millisecond) + bucket.Span*1000 - 1) / (bucket.Span * 1000)
	spare := max(0, allowed-grown-1)
	return min(burst, time.Duration(spare)*(window/time.Duration(capacity)))
}

func (b *budget) refer(gate int32) {
	if !slices.Contains(b.gates, gate) {
		b.gates = append(b.gates, gate)
	}
}

// fits reports whether the quota could ever take the need.
func (b *budget) fits(n need, lower bool) bool {
	return b.tokens.Fits(n.tokens, lower) && b.output.Fits(n.output, lower) &&
		b.requests.Fits(1, lower) && b.daily.Fits(1, lower)
}

// ready reports whether everything can be had together (INV-12).
func (b *budget) ready(now time.Duration, n need, lower bool) bool {
	return (b.places == 0 || b.inFlight < b.places) &&
		b.tokens.Ready(now, n.tokens, lower) && b.requests.Ready(now, 1, lower) &&
		b.output.Ready(now, n.output, lower) && b.daily.Ready(now, 1, lower)
}

func (b *budget) take(now time.Duration, n need) {
	b.inFlight++
	b.requests.Take(now, 1)
	b.tokens.Take(now, n.tokens)
	b.output.Take(now, n.output)
	b.daily.Take(now, 1)
}

// next returns the earliest instant at which ready could hold, and what holds it up.
// A place is waited for without knowing how long.
func (b *budget) next(now time.Duration, n need, lower bool) (time.Duration, Blocked) {
	if b.places > 0 && b.inFlight >= b.places {
		return bucket.Never, BlockedPlaces
	}
	at, why := b.tokens.Next(now, n.tokens, lower), BlockedTPM
	if t := b.output.Next(now, n.output, lower); t > at {
		at, why = t, BlockedOTPM
	}
	if t := b.requests.Next(now, 1, lower); t > at {
		at, why = t, BlockedRPM
	}
	if t := b.daily.Next(now, 1, lower); t > at {
		at, why = t, BlockedRPD
	}
	return at, why
}

// settle replaces a reservation made at taken by what was used; it reports whether
// something was given back.
func (b *budget) settle(now, taken time.Duration, reserved, used need) bool {
	b.tokens.Settle(now, taken, reserved.tokens, used.tokens)
	b.output.Settle(now, taken, reserved.output, used.output)
	return used.tokens < reserved.tokens || used.output < reserved.output
}

// refund takes a request back that never left.
func (b *budget) refund(now, taken time.Duration, reserved need) {
	b.settle(now, taken, reserved, need{})
	b.requests.Settle(now, taken, 1, 0)
	b.daily.Settle(now, taken, 1, 0)
}

// free is the quota that remains, in the unit that binds: tokens where they are limited.
func (b *budget) free(now time.Duration) int64 {
	switch {
	case !b.tokens.Unlimited():
		return b.tokens.Free(now)
	case !b.requests.Unlimited():
		return b.requests.Free(now)
	case b.places > 0:
		return int64(b.places - b.inFlight)
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
	b.output.HoldUntil(until)
}

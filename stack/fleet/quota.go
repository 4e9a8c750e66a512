package fleet

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
)

// quota is the book of one quota.
type quota struct {
	// requests, tokens, output, daily, in this order everywhere
	limits   [4]bucket.Bucket
	places   int
	inFlight int
	excluded time.Duration
	shared   bool // by several targets
}

// why names what each limit makes wait.
var why = [4]Why{WhyRequests, WhyTokens, WhyOutput, WhyDaily}

// order is the order in which limits are asked how long they make wait: of several that make wait for the same
// time the first is named.
var order = [4]int{1, 2, 0, 3}

// need is what a request takes of each limit.
type need [4]int64

func needOf(tokens, output int64) need { return need{1, tokens, output, 1} }

func newQuota(c Quota) quota {
	return quota{
		limits: [4]bucket.Bucket{c.Requests.bucket(false), c.Tokens.bucket(false), c.Output.bucket(false), c.Daily.bucket(true)},
		places: c.Places,
	}
}

func (q *quota) fits(n need, lower bool) bool {
	for k := range q.limits {
		if !q.limits[k].Fits(n[k], lower) {
			return false
		}
	}
	return true
}

// ready reports whether everything can be had together (INV-12).
func (q *quota) ready(now time.Duration, n need, lower bool) bool {
	if q.places > 0 && q.inFlight >= q.places {
		return false
	}
	for k := range q.limits {
		if !q.limits[k].Ready(now, n[k], lower) {
			return false
		}
	}
	return true
}

func (q *quota) take(now time.Duration, n need) {
	q.inFlight++
	for k := range q.limits {
		q.limits[k].Take(now, n[k])
	}
}

// next is the earliest instant at which ready could hold, and what makes wait.
func (q *quota) next(now time.Duration, n need, lower bool) (at time.Duration, w Why) {
	if q.places > 0 && q.inFlight >= q.places {
		return Never, WhyPlaces
	}
	at = -1
	for _, k := range order {
		if t := q.limits[k].Next(now, n[k], lower); t > at {
			at, w = t, why[k]
		}
	}
	return min(at, Never), w
}

// settle replaces what was reserved at taken by what was used.
func (q *quota) settle(now, taken time.Duration, reserved, used need) {
	for k := range q.limits {
		q.limits[k].Settle(now, taken, reserved[k], used[k])
	}
}

// recount is settle for what the schedules have never been charged with.
func (q *quota) recount(now, taken time.Duration, reserved, used need) {
	for k := range q.limits {
		q.limits[k].Recount(now, taken, reserved[k], used[k])
	}
}

// hold lets the schedules go on at the instant without a burst. A day's limit has no schedule.
func (q *quota) hold(until time.Duration) {
	for k := range 3 {
		q.limits[k].HoldUntil(until)
	}
}

// free is what remains, in the unit that binds.
func (q *quota) free(now time.Duration) int64 {
	switch {
	case !q.limits[1].Unlimited():
		return q.limits[1].Free(now)
	case !q.limits[0].Unlimited():
		return q.limits[0].Free(now)
	case q.places > 0:
		return int64(q.places - q.inFlight)
	}
	return 1
}

package fleet

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
	"github.com/seed-4fd17b57/simload/stack/limit"
)

// Grain is the unit of time of the books. Microseconds since 1970 are whole numbers below 2^53, which a store that counts in
// doubles keeps exactly.
const Grain = time.Microsecond

// Bounds of what the books count, so that sums and products stay exact in doubles.
const (
	MaxCapacity = 1 << 40 // of a limit, per window
	maxCredit   = 1 << 52 // of the rotation: sum of weight x capacity over a target's keys
	maxUsed     = 1 << 40 // tokens of one request
)

// Classes is the number of classes; class 0 alone may use the reserves.
const Classes = 3

// Limit is one limit of a quota, as [bucket.New] takes it.
type Limit struct {
	Capacity int64         // per window; 0: no limit
	Burst    time.Duration // of the schedule; without meaning for a day's limit
	Reserve  int           // percent that class 0 alone may use
}

// Quota is what keys of one group and models of one family share.
type Quota struct {
	Requests, Tokens, Output Limit // in a sliding minute
	Daily                    Limit // requests in a sliding day
	Places                   int   // in flight at most; 0: no limit
}

// KeyUse is a key of a target, and the quota that it counts against.
type KeyUse struct {
	Key, Quota int
	Weight     int64 // of the rotation; 0: never picked
}

// Target is what a line stands in front of.
type Target struct {
	Keys []KeyUse
	// Controller of the concurrency limit: "static" or "aimd".
	Controller string
	Limit      limit.Config
	Reserve    int // percent of the slots that class 0 alone may use
}

// Config describes books. All members of a fleet must have the same.
type Config struct {
	Quotas  []Quota
	Targets []Target
	// Remaining weighs keys by what remains of their quotas too; false: by their weights alone.
	Remaining bool
	// Lease is how long a member is taken for alive after its last message; its heartbeat comes five times as
	// often. 1 s to 10 min. Shorter: a pause of the process costs it its places. Longer: what a dead process
	// held is missing for longer.
	Lease time.Duration
	// Quiet is how long a grant may wait to be fetched before its member is passed over, and how old one may be
	// that is still used: older ones are given back. Well below a second, the tolerance of the minute's window.
	Quiet time.Duration
}

// DefaultLease and DefaultQuiet are the times that a fleet has where nothing else is said.
const (
	DefaultLease = 15 * time.Second
	DefaultQuiet = 800 * time.Millisecond
)

// whole rounds down to tenths of a millisecond, of which a percentage is whole in grains.
func whole(d time.Duration) time.Duration { return d.Truncate(100 * Grain) }

// Exact returns the configuration with all times in the books' grain.
func (c Config) Exact() Config {
	c.Quotas = append([]Quota(nil), c.Quotas...)
	for i := range c.Quotas {
		q := &c.Quotas[i]
		for _, l := range []*Limit{&q.Requests, &q.Tokens, &q.Output, &q.Daily} {
			l.Burst = whole(l.Burst)
		}
	}
	c.Targets = append([]Target(nil), c.Targets...)
	for i := range c.Targets {
		l := &c.Targets[i].Limit
		l.Interval, l.Low, l.High = whole(l.Interval), whole(l.Low), whole(l.High)
	}
	c.Lease, c.Quiet = whole(c.Lease), whole(c.Quiet)
	return c
}

// Validate reports everything that books cannot keep, joined.
func (c *Config) Validate() error {
	var errs []error
	failf := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Lease < time.Second || c.Lease > 10*time.Minute {
		failf("lease is %v (allowed: 1s to 10m)", c.Lease)
	}
	if c.Quiet < 10*time.Millisecond || c.Quiet > time.Second {
		failf("quiet time is %v (allowed: 10ms to 1s)", c.Quiet)
	}
	for i := range c.Quotas {
		q := &c.Quotas[i]
		for _, l := range []Limit{q.Requests, q.Tokens, q.Output, q.Daily} {
			if l.Capacity < 0 || l.Capacity > MaxCapacity {
				failf("capacity of quota %d is %d (allowed: 0 to 2^40)", i, l.Capacity)
			}
		}
	}
	for i := range c.Targets {
		t := &c.Targets[i]
		if t.Controller != "static" && t.Controller != "aimd" {
			failf("controller of target %d is %q (allowed for a shared limit: static, aimd)", i, t.Controller)
		}
		var sum float64
		for _, k := range t.Keys {
			w := float64(k.Weight)
			if c.Remaining && k.Quota >= 0 && k.Quota < len(c.Quotas) {
				w *= float64(max(1, c.Quotas[k.Quota].free()))
			}
			sum += w
		}
		if sum > maxCredit {
			failf("weights times capacities of target %d add up to %.3g (allowed: 4.5e15); use smaller weights", i, sum)
		}
	}
	return errors.Join(errs...)
}

// free is the most that a rotation by what remains can see of a quota.
func (q *Quota) free() int64 {
	switch {
	case q.Tokens.Capacity > 0:
		return q.Tokens.Capacity
	case q.Requests.Capacity > 0:
		return q.Requests.Capacity
	}
	return int64(q.Places)
}

// Fingerprint tells configurations apart.
func (c *Config) Fingerprint() string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "1 %+v", *c)
	return fmt.Sprintf("%016x", h.Sum64())
}

// Share is the configuration of one of n members that go on alone: an n-th of every limit, at least 1.
func (c Config) Share(n int) Config {
	c = c.Exact()
	part := func(v int64) int64 {
		if v == 0 {
			return 0
		}
		return max(1, v/int64(n))
	}
	for i := range c.Quotas {
		q := &c.Quotas[i]
		for _, l := range []*Limit{&q.Requests, &q.Tokens, &q.Output, &q.Daily} {
			l.Capacity = part(l.Capacity)
		}
		q.Places = int(part(int64(q.Places)))
	}
	for i := range c.Targets {
		l := &c.Targets[i].Limit
		l.Start, l.Min, l.Max = int(part(int64(l.Start))), int(part(int64(l.Min))), int(part(int64(l.Max)))
	}
	return c
}

// Groups numbers the targets so that those which share a quota, directly or through others, have one number.
func (c *Config) Groups() []int {
	group := make([]int, len(c.Targets))
	for i := range group {
		group[i] = i
	}
	first := make(map[int]int, len(c.Quotas))
	for changed := true; changed; {
		changed = false
		for i := range c.Targets {
			for _, k := range c.Targets[i].Keys {
				f, seen := first[k.Quota]
				if !seen || group[i] < f {
					first[k.Quota], changed = group[i], true
				} else if f < group[i] {
					group[i], changed = f, true
				}
			}
		}
	}
	return group
}

// newBucket returns the bucket of a limit.
func (l Limit) bucket(daily bool) bucket.Bucket {
	var b bucket.Bucket
	switch {
	case l.Capacity == 0:
		return b
	case daily:
		b = bucket.NewDaily(l.Capacity, l.Reserve)
	default:
		b = bucket.New(l.Capacity, l.Burst, l.Reserve)
	}
	b.Coarse(Grain)
	return b
}

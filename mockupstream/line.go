package mockupstream

import (
	"slices"
	"time"
)

// line is the waiting line of a model whose calls wait for a slot instead of being
// refused. It is first come, first served, and a call's place in time is fixed when it
// arrives: it starts at the first instant at which fewer earlier calls than there are slots
// will still run. If one of those ends early, because its client goes away, the calls behind
// it keep their instants, and the next one to arrive has the gain.
type line struct {
	ends []time.Duration // of the calls that run or wait, ascending; never: nobody knows
}

// place returns when a call that arrives at now can start; never if there are no slots, or only
// ones that hang.
func (l *line) place(now time.Duration, slots int64) time.Duration {
	l.pass(now)
	if slots < 0 || int64(len(l.ends)) < slots {
		return now
	}
	if slots == 0 {
		return never
	}
	return l.ends[int64(len(l.ends))-slots]
}

// running is how many of the calls run, and do not wait, when so many slots are there.
func (l *line) running(slots int64) int64 {
	if slots < 0 {
		return int64(len(l.ends))
	}
	return min(int64(len(l.ends)), slots)
}

func (l *line) join(end time.Duration) {
	i, _ := slices.BinarySearch(l.ends, end)
	l.ends = slices.Insert(l.ends, i, end)
}

// leave takes out a call that was to end at end, if it still stands there.
func (l *line) leave(end time.Duration) {
	if i, ok := slices.BinarySearch(l.ends, end); ok {
		l.ends = slices.Delete(l.ends, i, i+1)
	}
}

// pass forgets the calls that are over.
func (l *line) pass(now time.Duration) {
	n := 0
	for n < len(l.ends) && l.ends[n] <= now {
		n++
	}
	if n > 0 {
		l.ends = slices.Delete(l.ends, 0, n)
	}
}

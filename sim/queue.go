package sim

import "time"

// kind tells what an event is about. Its value is the event's rank among events of
// one instant, lowest first.
type kind uint8

// Kinds in the order in which they happen at one instant. What the provider has
// done is told before the stack's own timers run, so that completion beats time-out
// and release beats acquire; new work comes after both.
const (
	evEnd      kind = iota // an attempt has ended
	evFirst                // an attempt's first token
	evProgress             // more of a stream
	evWake                 // a core's timer; never in the queue itself
	evCancel               // a caller gives up
	evArrive               // a source issues its next request
	evGauge                // a look at the gates
)

// event is an entry of the queue.
type event struct {
	at   time.Duration
	rank uint64 // kind << 56 | sequence
	ref  uint32 // source, or job
	gen  uint32 // of the job's attempt
}

func (e *event) kind() kind { return kind(e.rank >> 56) }

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.rank < o.rank
}

// queue is the one order of events: by instant, then kind, then the order in which
// they were scheduled. A typed 4-ary heap.
type queue struct {
	items []event
	seq   uint64
}

// push schedules an event.
func (q *queue) push(at time.Duration, k kind, ref, gen uint32) {
	q.seq++
	e := event{at: at, rank: uint64(k)<<56 | q.seq, ref: ref, gen: gen}
	q.items = append(q.items, e)
	i := len(q.items) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&q.items[p]) {
			break
		}
		q.items[i] = q.items[p]
		i = p
	}
	q.items[i] = e
}

// pop removes and returns the first event of a queue that is not empty.
func (q *queue) pop() event {
	first := q.items[0]
	n := len(q.items) - 1
	e := q.items[n]
	q.items = q.items[:n]
	if n == 0 {
		return first
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		best := c
		for k := c + 1; k < n && k < c+4; k++ {
			if q.items[k].before(&q.items[best]) {
				best = k
			}
		}
		if !q.items[best].before(&e) {
			break
		}
		q.items[i] = q.items[best]
		i = best
	}
	q.items[i] = e
	return first
}

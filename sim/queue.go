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
	evSubmit               // a request that was held back goes to its stack
	evStore                // a message reaches the books that the stacks share
	evAnswer               // their answer reaches its stack
	evWoken                // a stack hears that they have something for it
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
// they were scheduled. It is kept as two heaps, as sources outnumber what is under way:
// what is under way need not be sorted into all the sources' next arrivals.
type queue struct {
	arrivals, others heap
	seq              uint64
}

// push schedules an event.
func (q *queue) push(at time.Duration, k kind, ref, gen uint32) {
	q.seq++
	e := event{at: at, rank: uint64(k)<<56 | q.seq, ref: ref, gen: gen}
	if k == evArrive {
		q.arrivals.push(e)
	} else {
		q.others.push(e)
	}
}

// peek returns the first event, or nil if there is none.
func (q *queue) peek() *event {
	switch {
	case len(q.others) == 0 && len(q.arrivals) == 0:
		return nil
	case len(q.others) == 0:
		return &q.arrivals[0]
	case len(q.arrivals) == 0 || q.others[0].before(&q.arrivals[0]):
		return &q.others[0]
	}
	return &q.arrivals[0]
}

// pop removes and returns the first event of a queue that is not empty.
func (q *queue) pop() event {
	if len(q.arrivals) == 0 || len(q.others) > 0 && q.others[0].before(&q.arrivals[0]) {
		return q.others.pop()
	}
	return q.arrivals.pop()
}

// heap is a typed 4-ary heap.
type heap []event

func (h *heap) push(e event) {
	*h = append(*h, e)
	items := *h
	i := len(items) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&items[p]) {
			break
		}
		items[i] = items[p]
		i = p
	}
	items[i] = e
}

func (h *heap) pop() event {
	items := *h
	first := items[0]
	n := len(items) - 1
	e := items[n]
	items = items[:n]
	*h = items
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
			if items[k].before(&items[best]) {
				best = k
			}
		}
		if !items[best].before(&e) {
			break
		}
		items[i] = items[best]
		i = best
	}
	items[i] = e
	return first
}

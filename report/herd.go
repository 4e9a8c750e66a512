package report

import "time"

// herdWindow is the window whose busiest position is told as the peak of retries.
const herdWindow = 100 * time.Millisecond

// herd finds the largest number of retries in any window (t-100 ms, t]. It keeps the
// instants of the window in a ring that grows to the peak and no further.
type herd struct {
	ring  []time.Duration // length 0 or a power of two
	first int             // number of the oldest instant, counted from the beginning of the run
	next  int
	peak  int
}

// retry notes a retry. Instants must not decrease.
func (h *herd) retry(now time.Duration) {
	for h.first < h.next && h.ring[h.first&(len(h.ring)-1)] <= now-herdWindow {
		h.first++
	}
	if h.next-h.first == len(h.ring) {
		h.grow()
	}
	h.ring[h.next&(len(h.ring)-1)] = now
	h.next++
	h.peak = max(h.peak, h.next-h.first)
}

func (h *herd) grow() {
	ring := make([]time.Duration, max(64, 2*len(h.ring)))
	for i := h.first; i < h.next; i++ {
		ring[i&(len(ring)-1)] = h.ring[i&(len(h.ring)-1)]
	}
	h.ring = ring
}

// echoWindow is the time within which retries that waited equally long count as one herd.
const echoWindow = 10 * time.Second

// echoes counts the retries whose wait, cut to the millisecond, is that of another
// retry of the same ten seconds of the run ([0, 10 s), [10 s, 20 s), ...). Without
// jitter that is nearly all of them. With it, n retries in ten seconds whose waits
// spread evenly over w milliseconds meet by chance at a share of 1 - (1-1/w)^(n-1).
type echoes struct {
	end          time.Duration  // of the current window
	seen         map[int64]bool // its waits in ms; true: seen more than once
	waits, equal int64
}

// retry notes a retry sent at now, so long after the end of the attempt before.
func (e *echoes) retry(now, wait time.Duration) {
	if now >= e.end {
		if e.seen == nil {
			e.seen = make(map[int64]bool)
		}
		clear(e.seen)
		e.end = now - now%echoWindow + echoWindow
	}
	e.waits++
	ms := wait.Milliseconds()
	switch again, met := e.seen[ms]; {
	case again:
		e.equal++
	case met:
		e.seen[ms] = true
		e.equal += 2
	default:
		e.seen[ms] = false
	}
}

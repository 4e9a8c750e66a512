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

package mockupstream

import "time"

// herd is the window in which calls count as having come together.
const herd = 100 * time.Millisecond

// peak finds the largest number of arrivals in any window (t - herd, t]. It is exact: it holds the
// instants of the last window, as many as the peak itself at most, and each arrival goes in and out once.
type peak struct {
	ring        []time.Duration // a power of two in length, so that places wrap by a mask
	first, next uint            // places of the oldest instant and of the next one
	most        int64
}

// note takes an arrival. Instants must not go back.
func (p *peak) note(now time.Duration) {
	mask := uint(len(p.ring)) - 1
	for p.first != p.next && p.ring[p.first&mask] <= now-herd {
		p.first++
	}
	if p.next-p.first == uint(len(p.ring)) {
		p.grow()
		mask = uint(len(p.ring)) - 1
	}
	p.ring[p.next&mask] = now
	p.next++
	p.most = max(p.most, int64(p.next-p.first))
}

// grow doubles the ring, which is full.
func (p *peak) grow() {
	larger := make([]time.Duration, max(16, 2*len(p.ring)))
	for i := p.first; i != p.next; i++ {
		larger[i&(uint(len(larger))-1)] = p.ring[i&(uint(len(p.ring))-1)]
	}
	p.ring = larger
}

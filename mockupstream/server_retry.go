package mockupstream

import "time"

const (
	// retryWithin is how long after a failure the same request counts as its retry: above the longest
	// waits that clients follow (two minutes, of the vendors' SDKs).
	retryWithin = 5 * time.Minute
	pastMost    = 1 << 15 // bodies that are remembered at least, and at most twice as many
	failedMost  = 1 << 10 // failures that are remembered of one body
)

// history tells the calls without a CallHeader apart. All it knows of them is a hash of their body and
// secret: clients that send the same, word for word, are taken for one. What comes after a failure is its retry:
// it keeps the identity, and is one attempt further. What comes else is a new logical request, with an identity
// of its own, so that it draws its own latency and faults.
//
// A write is another one only if the one before it was answered: one that is sent again without that,
// be it a hedge or a retry ahead of the news of the first, may be carried out twice, and must be known as the same.
//
// Its memory is bounded: the bodies that were not heard of for longest are forgotten, half of them at a
// time. Such a body begins anew, with identities that it did not have before.
type history struct {
	young, old map[uint64]*past // by body
	age        uint64           // how often the young became the old
}

// past is what came of the requests of one body.
type past struct {
	asked    uint64 // logical requests so far, and
	answered uint64 // writes that were answered; both count from age<<32 on
	write    uint64 // Call.WriteID of the last one
	failed   []failure
}

// failure is a logical request that was not answered and has not come again yet.
type failure struct {
	id      uint64
	attempt int
	at      time.Duration
}

// of returns the past of a body.
func (h *history) of(body uint64) *past {
	if p, ok := h.young[body]; ok {
		return p
	}
	p, ok := h.old[body]
	if !ok {
		p = &past{asked: h.age << 32, answered: h.age << 32}
	}
	if h.young == nil || len(h.young) >= pastMost {
		if h.young != nil {
			h.age++
		}
		h.old, h.young = h.young, make(map[uint64]*past)
	}
	h.young[body] = p
	return p
}

// identify gives a call its identity and attempt, and a write its own. Until then its ID is that of its body,
// which identify returns.
func (h *history) identify(now time.Duration, c *Call) (body uint64) {
	body = c.ID
	p := h.of(body)
	again := p.asked > 0 && c.Attempt > 1 // so its client says
	if c.Write && !(again && p.write != 0) {
		p.write = max(1, nth(body, p.answered))
	}
	if c.Write {
		c.WriteID = p.write
	}
	for len(p.failed) > 0 {
		f := p.failed[0]
		p.failed = p.failed[1:]
		if now-f.at <= retryWithin {
			c.ID, c.Attempt = f.id, max(c.Attempt, f.attempt+1)
			return body
		}
	}
	if again { // the server does not know that the last one failed
		c.ID = nth(body, p.asked-1)
		return body
	}
	c.ID = nth(body, p.asked)
	p.asked++
	return body
}

// note takes what became of a call.
func (h *history) note(now time.Duration, body uint64, c *Call, answered bool) {
	p := h.of(body)
	switch {
	case answered && c.Write:
		p.answered++
	case !answered && len(p.failed) < failedMost:
		p.failed = append(p.failed, failure{c.ID, c.Attempt, now})
	}
}

// nth is the identity of the n-th request of a body: the first has the body's.
func nth(body, n uint64) uint64 {
	if n == 0 {
		return body
	}
	return mix(body ^ mix(n*golden))
}

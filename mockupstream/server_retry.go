package mockupstream

import "time"

const (
	// retryWithin is how long after a failure the same request counts as its retry: above the longest
	// waits that clients follow (two minutes, of the vendors' SDKs).
	retryWithin = 5 * time.Minute
	failuresMax = 1 << 16 // beyond it all are forgotten
)

// failures remembers requests that were not answered, so that one that comes again is known as a
// retry even if its client does not say so. It is asked of calls without a CallHeader only, whose identity is
// that of their body and secret: clients that send the same, word for word, are taken for one.
type failures map[uint64]failure

type failure struct {
	attempt int
	at      time.Duration
}

// attempt returns which attempt a call is: what it says itself, or one more than the last that failed.
func (f failures) attempt(now time.Duration, c *Call) int {
	last, known := f[c.ID]
	if !known || now-last.at > retryWithin {
		return c.Attempt
	}
	return max(c.Attempt, last.attempt+1)
}

// note takes what became of a call.
func (f failures) note(now time.Duration, c *Call, answered bool) {
	if answered {
		delete(f, c.ID)
		return
	}
	if len(f) >= failuresMax {
		clear(f)
	}
	f[c.ID] = failure{c.Attempt, now}
}

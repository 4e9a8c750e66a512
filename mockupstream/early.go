package mockupstream

import "time"

// refusals knows what a quota's clients were told, so that early retries can be counted.
type refusals struct {
	list []refusal // told, or on the way to the client, oldest first
	head int       // those before it are done with
	told refusal   // the last one that has reached its client
}

// refusal is a 429 that told the client to wait.
type refusal struct {
	at    time.Duration // refused
	known time.Duration // the answer reached the client
	until time.Duration // the wait is over
}

// arrive notes a call on the quota and reports whether it is an early retry: later than
// the refusal whose answer is the last to have reached a client, at or after the
// instant it did, and before the wait it asked for was over.
func (r *refusals) arrive(now time.Duration) (early bool) {
	for r.head < len(r.list) && r.list[r.head].known <= now {
		r.told = r.list[r.head]
		r.head++
	}
	if r.head > 0 && 2*r.head >= len(r.list) {
		r.list = r.list[:copy(r.list, r.list[r.head:])]
		r.head = 0
	}
	return now < r.told.until && now > r.told.at
}

// tell notes that the client will know at known that it has to wait until then.
func (r *refusals) tell(now, known, until time.Duration) {
	r.list = append(r.list, refusal{at: now, known: known, until: until})
}

package tee

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// New returns an observer that tells all the others, in order. Those that are nil are left out; if
// there is no other, it returns nil: no observer.
func New(observers ...stack.Observer) stack.Observer {
	var all tee
	for _, o := range observers {
		if o != nil {
			all = append(all, o)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

type tee []stack.Observer

func (t tee) Sent(now time.Duration, a *stack.Attempt) {
	for _, o := range t {
		o.Sent(now, a)
	}
}

func (t tee) Ended(now time.Duration, a *stack.Attempt, s *stack.Step) {
	for _, o := range t {
		o.Ended(now, a, s)
	}
}

func (t tee) Done(now time.Duration, r *stack.Result) {
	for _, o := range t {
		o.Done(now, r)
	}
}

package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/fleet"
)

// InputKind names a method of the core.
type InputKind uint8

// Inputs of a core.
const (
	InputSubmit     InputKind = iota + 1 // Submit(At, Request)
	InputCancel                          // Cancel(At, Ticket)
	InputFirstToken                      // FirstToken(At, Attempt)
	InputProgress                        // Progress(At, Attempt)
	InputFinish                          // Finish(At, Attempt, Outcome)
	InputAdvance                         // Advance(At)
	InputTold                            // Told(At, Told)
)

// Input is one call of a core's method: what a driver told it, and when. All inputs of a core
// in order, applied to a new core of the same configuration, have the same effects (INV-5).
type Input struct {
	At      time.Duration
	Kind    InputKind
	Request Request    // InputSubmit
	Ticket  Ticket     // InputCancel
	Attempt AttemptID  // InputFirstToken, InputProgress, InputFinish
	Outcome Outcome    // InputFinish
	Told    fleet.Told // InputTold
}

// Apply makes the call that an input stands for. It returns the ticket of an InputSubmit, and 0
// for the others.
func (c *Core) Apply(in Input) Ticket {
	switch in.Kind {
	case InputSubmit:
		return c.Submit(in.At, in.Request)
	case InputCancel:
		c.Cancel(in.At, in.Ticket)
	case InputFirstToken:
		c.FirstToken(in.At, in.Attempt)
	case InputProgress:
		c.Progress(in.At, in.Attempt)
	case InputFinish:
		c.Finish(in.At, in.Attempt, in.Outcome)
	case InputAdvance:
		c.Advance(in.At)
	case InputTold:
		c.Told(in.At, in.Told)
	}
	return 0
}

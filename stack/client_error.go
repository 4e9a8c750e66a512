package stack

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// Why a call did not succeed: an [*EndError] is one of these for errors.Is, after its Reason.
var (
	// ErrInvalid: the request names a class, route or kind that there is not, or has no prompt that can be
	// written.
	ErrInvalid = errors.New("the request is invalid")
	// ErrQueueFull: the line was at its bound, or a higher class took the place.
	ErrQueueFull = errors.New("the queue is full")
	// ErrTooLarge: for the limits and context windows known here, or for the vendor.
	ErrTooLarge = errors.New("the request is larger than any limit allows")
	// ErrAgentCap: the agent is too far beyond its own rate (AgentCap.MaxWait).
	ErrAgentCap = errors.New("the agent is over its rate cap")
	// ErrQueueWait: it waited in line longer than Queue.MaxWait.
	ErrQueueWait = errors.New("the wait in the queue was too long")
	// ErrNoKey: all keys that might be used are out of credit or unauthorized.
	ErrNoKey = errors.New("no key is left")
	// ErrAttempts: Retry.Attempts are used up.
	ErrAttempts = errors.New("all attempts are used up")
	// ErrRetryBudget: all calls together retry too much (Retry.BudgetPercent).
	ErrRetryBudget = errors.New("the retry budget is used up")
	// ErrUnsafeWrite: nobody knows whether the write was carried out, and it bears no key.
	ErrUnsafeWrite = errors.New("a write of unknown outcome is not safe to retry")
	// ErrRefused: the vendor refused the request for good (400, 401, 403, 404, 422); see Problem.
	ErrRefused = errors.New("the vendor refused the request")
	// ErrDeadline: the deadline of the request's class passed (Timeouts.Deadline).
	ErrDeadline = errors.New("the deadline has passed")
	// ErrClosed: the client was closed, before the call or under it.
	ErrClosed = errors.New("the client is closed")
)

var errAnswerTooLong = errors.New("the answer is longer than 64 MiB")

// reasonErrors holds the sentinel of each reason. ReasonCaller has that of who cancelled.
var reasonErrors = [NumReasons]error{
	ReasonQueueFull: ErrQueueFull, ReasonEvicted: ErrQueueFull, ReasonTooLarge: ErrTooLarge, ReasonAgentCap: ErrAgentCap,
	ReasonQueueWait: ErrQueueWait, ReasonNoKey: ErrNoKey, ReasonAttempts: ErrAttempts, ReasonRetryBudget: ErrRetryBudget,
	ReasonUnsafe: ErrUnsafeWrite, ReasonOutcome: ErrRefused, ReasonDeadline: ErrDeadline, ReasonInvalid: ErrInvalid,
}

// EndError tells how a call ended that did not succeed. errors.Is finds the sentinel of its
// Reason; for a cancelled call context.Canceled, context.DeadlineExceeded, [ErrClosed], or what the
// function of [Client.Stream] returned; and what the last attempt ran into on the wire.
type EndError struct {
	Request RequestID
	Ending  Ending
	Reason  Reason
	Outcome Outcome       // of the last attempt; zero if there was none
	Problem *wire.Problem // what the vendor said to the last attempt; nil: nothing
	causes  []error
}

// Error says what ended the call, and what the last attempt met.
func (e *EndError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "request %s: %v (%v)", e.Request.hex(), e.Ending, e.Reason)
	if e.Outcome.Kind != OutcomeNone {
		fmt.Fprintf(&b, ", last attempt: %v", e.Outcome.Kind)
		if e.Outcome.Status != 0 {
			fmt.Fprintf(&b, " (status %d)", e.Outcome.Status)
		}
	}
	for _, err := range e.causes {
		b.WriteString(": ")
		b.WriteString(err.Error())
	}
	return b.String()
}

// Unwrap returns the causes: the sentinel of the Reason or what cancelled the call, the Problem, and
// the error of the connection.
func (e *EndError) Unwrap() []error { return e.causes }

// explain makes the error of a call that ended with the result.
func (k *call) explain(r *Result) *EndError {
	e := &EndError{Request: k.Request.ID, Ending: r.Ending, Reason: r.Reason}
	if n := len(r.Steps); n > 0 {
		e.Outcome = r.Steps[n-1].Outcome
		e.Problem = k.problem
	}
	sentinel := reasonErrors[r.Reason]
	if r.Reason == ReasonOutcome && e.Outcome.Kind == TooLarge {
		sentinel = ErrTooLarge
	}
	for _, err := range []error{sentinel, k.cause, k.fault} {
		if err != nil {
			e.causes = append(e.causes, err)
		}
	}
	if e.Problem != nil {
		e.causes = append(e.causes, e.Problem)
	}
	return e
}

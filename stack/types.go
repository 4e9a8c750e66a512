package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/fleet"
)

// Class is a request's priority. Lower is more urgent.
type Class uint8

// The three classes. P0 has a reserve of its own that P1 and P2 never draw on.
const (
	P0 Class = iota
	P1
	P2
	NumClasses = 3
)

var classNames = [NumClasses]string{"P0", "P1", "P2"}

// String returns "P0", "P1" or "P2".
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return "P?"
}

// RequestID is the identity of a logical request. It comes from the caller (the
// workload, or agent id, task id and operation number), never from a counter, so
// that jitter and idempotency keys, which are hashes of it, do not depend on the
// order in which requests were submitted.
type RequestID uint64

// Ticket is the core's handle of a submitted request, valid until its Result.
type Ticket uint64

// AttemptID is the core's handle of one attempt on the wire.
type AttemptID uint64

// Request is one logical request as an agent hands it to the stack.
type Request struct {
	ID    RequestID // stable over retries
	Tag   uint64    // opaque; handed back in Attempt and Result
	Agent uint32    // whose rate cap applies
	Class Class
	Route int // index into Config.Routes: which model is wanted, and what may stand in for it
	Kind  int // index into Config.Kinds: task type, for context caps; 0 is the default kind
	Write bool
	// Whole: the answer is not streamed, so that nothing comes before all of it does. It is waited for as
	// Timeouts.Whole says, rather than for its first token, and the concurrency limit learns nothing from it unless
	// its signal is SignalTotal.
	Whole bool
	// Text is what is asked, for the cache and the routing by complexity; "": the request has no part in either.
	// Tenant and Params (a hash of all else that shapes the answer) keep apart what must not be
	// mixed up in the cache; Tools says that the answer may call some, so it is not kept (INV-60).
	Text           string
	Tenant, Params uint64
	Tools          bool
	// Summarised: the prompt stands for a longer one, so the answer is not kept in the cache.
	Summarised bool
	// EstIn is the estimated number of prompt tokens. The stack decides by it and
	// settles what the provider says was used.
	EstIn int64
	// MaxOut is the largest number of output tokens asked for (max_tokens).
	MaxOut int64
}

// Attempt is one try of a request on one key of one target.
type Attempt struct {
	ID      AttemptID
	Ticket  Ticket
	Request RequestID
	Tag     uint64
	Number  int // 1 for the first try of the request, over all keys and steps together
	Target  int // index into Config.Targets
	Key     int // index into Config.Keys
	Step    int // degradation step: 0 is the model asked for
	Minimal bool
	Write   bool
	EstIn   int64 // estimated prompt tokens after the context budget
	// ContextCap is the effective context in tokens the prompt is held to; 0: none.
	ContextCap int64
	MaxOut     int64
	// IdempotencyKey is sent with a write; 0: none.
	IdempotencyKey uint64
	// FirstTokenBy is the instant at which the core gives the attempt up if no first token
	// has been told by then. A driver that knows that the attempt ends before may leave
	// FirstToken out and tell the instant in the Outcome.
	FirstTokenBy time.Duration
}

// Usage counts tokens as the provider bills them.
type Usage struct {
	In     int64 // all prompt tokens, cached ones included
	Cached int64 // those of In that were read from the provider's prompt cache
	Out    int64
}

// OutcomeKind says what became of an attempt, in the words the stack decides by.
type OutcomeKind uint8

// Outcomes of an attempt.
const (
	OutcomeNone       OutcomeKind = iota
	Success                       // complete answer
	RateLimited                   // 429 that names a rate: requests or tokens per time
	Overloaded                    // 503, 529, or a 429 about concurrency: the provider is full
	OutOfCredit                   // 402, or a 429 about credit or spend: the key is dead
	Unauthorized                  // 401 or 403: the key is dead
	BadRequest                    // 400, 404, 422: never retried
	TooLarge                      // the request exceeds the limit or the context window: never retried
	ServerError                   // 500, 502, 504: unknown whether it was carried out
	ConnectFailed                 // refused or timed out before the request was sent
	FirstTokenTimeout             // nothing came within the time allowed for the first token
	GapTimeout                    // the stream stood still
	StreamBroken                  // the stream ended without its last event, or the answer was cut
	DeadlineExceeded              // the request's own deadline passed
	Aborted                       // cancelled by the caller
	NumOutcomeKinds
)

var outcomeNames = [NumOutcomeKinds]string{
	"none", "success", "rate_limited", "overloaded", "out_of_credit", "unauthorized", "bad_request",
	"too_large", "server_error", "connect_failed", "first_token_timeout", "gap_timeout", "stream_broken",
	"deadline", "aborted",
}

// String returns the outcome's name as reports print it.
func (k OutcomeKind) String() string {
	if k < NumOutcomeKinds {
		return outcomeNames[k]
	}
	return "?"
}

// Unknown reports whether the client cannot know if the provider carried the
// request out, and what it billed.
func (k OutcomeKind) Unknown() bool {
	switch k {
	case ServerError, FirstTokenTimeout, GapTimeout, StreamBroken, DeadlineExceeded, Aborted:
		return true
	}
	return false
}

// Outcome is what the wire tells the core of an attempt that ended.
type Outcome struct {
	Kind   OutcomeKind
	Status int // HTTP status; 0 where there was none
	// RetryAfter is the wait the provider asked for; HasRetryAfter tells 0 from absent.
	RetryAfter    time.Duration
	HasRetryAfter bool
	Usage         Usage // as told by the provider; zero where unknown
	// FirstToken is the instant of the first token, if it was not told before; 0: it was, or
	// none came.
	FirstToken time.Duration
	// Value is the answer, for the cache, of a kind of the driver's choice; Partial: it is cut off, or asks for
	// tools, and must not be kept.
	Value   any
	Partial bool
}

// Ending says how a logical request ended. Each ends exactly once (INV-1).
type Ending uint8

// Endings of a request.
const (
	EndingNone Ending = iota
	Succeeded
	Failed       // the request itself was at fault: never worth a retry
	DeadLettered // attempts, steps, or the retry budget are used up
	Rejected     // refused locally, nothing was sent for it
	Cancelled
	NumEndings
)

var endingNames = [NumEndings]string{"none", "succeeded", "failed", "dead_lettered", "rejected", "cancelled"}

// String returns the ending's name as reports print it.
func (e Ending) String() string {
	if e < NumEndings {
		return endingNames[e]
	}
	return "?"
}

// Reason says why a request did not succeed.
type Reason uint8

// Reasons of endings other than Succeeded.
const (
	ReasonNone        Reason = iota
	ReasonQueueFull          // the queue was at its bound (ErrQueueFull)
	ReasonEvicted            // pushed out of a full queue by a higher class
	ReasonTooLarge           // larger than any key's limit or any step's context window (ErrTooLarge)
	ReasonAgentCap           // the agent is too far beyond its own rate cap
	ReasonQueueWait          // waited longer than Queue.MaxWait
	ReasonNoKey              // every key of every permitted step is dead
	ReasonAttempts           // attempts used up
	ReasonRetryBudget        // the fleet's retry budget is used up
	ReasonUnsafe             // a write whose outcome is unknown and that has no idempotency key
	ReasonOutcome            // the last outcome forbids a retry
	ReasonDeadline           // the request's deadline passed
	ReasonCaller             // cancelled by the caller
	ReasonInvalid            // the request names a class, route or kind that does not exist
	NumReasons
)

var reasonNames = [NumReasons]string{
	"none", "queue_full", "evicted", "too_large", "agent_cap", "queue_wait", "no_key", "attempts",
	"retry_budget", "unsafe_write", "outcome", "deadline", "caller", "invalid",
}

// String returns the reason's name as reports print it.
func (r Reason) String() string {
	if r < NumReasons {
		return reasonNames[r]
	}
	return "?"
}

// Step is one attempt in the life of a request.
type Step struct {
	Target     int
	Key        int
	Degrade    int           // degradation step it belonged to
	Queued     time.Duration // instant it entered the gate
	Sent       time.Duration
	FirstToken time.Duration // instant of the first token; 0: none came
	Ended      time.Duration
	Outcome    Outcome
}

// Result tells how a request ended. Steps is only valid until the next call of
// the core.
type Result struct {
	Ticket    Ticket
	Request   Request
	Ending    Ending
	Reason    Reason
	Submitted time.Duration
	Ended     time.Duration
	// Parts of the time between Submitted and Ended.
	Capped     time.Duration // held back by the agent's rate cap
	Queued     time.Duration // in gates, all attempts together
	Backoff    time.Duration // between attempts
	OnWire     time.Duration // all attempts together
	FirstToken time.Duration // of the last attempt, from its send; 0: none
	Steps      []Step
	Degrade    int // degradation step of the last attempt
	// CacheHit: it was answered from the cache, with Value, and nothing was sent.
	CacheHit bool
	Value    any
	Usage    Usage
}

// EffectKind tells what an Effect asks of the driver.
type EffectKind uint8

// Effects of the core.
const (
	EffectSend     EffectKind = iota + 1 // put Attempt on the wire
	EffectAbort                          // take Attempt off the wire; no Finish is expected for it
	EffectDone                           // the request of Result has ended
	EffectAsk                            // ask the fleet's books for Op (Config.Shared): fleet.Member.Ask
	EffectWithdraw                       // take back what was asked for as Op.ID: fleet.Member.Withdraw
	EffectSettle                         // tell the books what became of a grant: fleet.Member.Settle
	EffectKill                           // tell the books that Op.Key is dead: fleet.Member.Kill
)

// Effect is what the core asks its driver to do. Effects are drained after each
// call; the core is never called from inside the handling of a call.
type Effect struct {
	Kind    EffectKind
	Why     OutcomeKind // EffectAbort: what the core counts the attempt as
	Attempt Attempt     // EffectSend; for EffectAbort ID, Ticket, Request and Tag alone
	Result  *Result     // EffectDone; valid until the next call of the core
	Op      *fleet.Op   // EffectAsk, EffectWithdraw, EffectSettle, EffectKill; valid until the next call of the core
}

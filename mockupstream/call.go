package mockupstream

import "time"

// CallID is the provider's handle of an admitted or hanging call.
type CallID uint64

// Call is one request as it arrives.
type Call struct {
	// ID is the identity of the logical request and Attempt its try number: noise
	// and faults are a hash of both.
	ID      uint64
	Attempt int
	Key     int // index into Config.Keys
	Model   int // index into Config.Models
	In      int64
	MaxOut  int64
	// Out is how many tokens the model would say; the answer holds at most MaxOut.
	Out int64
	// Conversation and Prefix feed the prompt cache: Prefix tokens at the start of the
	// prompt are those of the conversation's previous prompt.
	Conversation uint64
	Prefix       int64
	Write        bool
	// WriteID is the identity of the write in its body, by which the provider's books
	// know a duplicate; IdempotencyKey is what the client sent, 0: none.
	WriteID        uint64 // 0: the call's ID
	IdempotencyKey uint64
}

// Code is the machine-readable error code of an answer.
type Code uint8

// Codes.
const (
	CodeOK Code = iota
	CodeRateLimitRequests
	CodeRateLimitTokens
	CodeRequestTooLarge // larger than the limit itself: 429 that is never worth a retry
	CodeContextLength   // 400: larger than the context window
	CodeOverloaded      // 503, 529
	CodeServerError     // 500, 502, 504
	CodeUnauthorized    // key unknown for this model
	CodeConflict        // 409: a call with the same idempotency key is still running
)

// Fate says how the call will go on after admission.
type Fate uint8

// Fates.
const (
	FateAnswer  Fate = iota // answered whole: at Plan.End, after Plan.FirstToken on success
	FateHang                // never answered
	FateBreak               // first token at FirstToken, connection cut at End
	FateStall               // first token at FirstToken, last byte at End, then nothing
	FateRefused             // connection refused at End
)

// Plan is the provider's answer, fixed at admission.
type Plan struct {
	ID     CallID
	Status int // HTTP status; 0 for hanging and refused connections
	Code   Code
	Fate   Fate
	// RetryAfter as the header will say it, in whole milliseconds.
	RetryAfter    time.Duration
	HasRetryAfter bool
	// Instants. For errors End is when the answer arrives.
	FirstToken, End time.Duration
	Limits          Limits
}

// Limits is what the rate-limit headers say. A limit of 0 means that the provider has none.
type Limits struct {
	LimitRequests, RemainingRequests int64
	LimitTokens, RemainingTokens     int64
	ResetRequests, ResetTokens       time.Duration
}

// Usage counts tokens as billed.
type Usage struct {
	In, Cached, Out int64
}

// Books is the provider's account of everything it saw.
type Books struct {
	Received int64 // calls that arrived
	Admitted int64 // carried out, faults on the way back included
	Refused  int64 // 4xx
	Faulted  int64 // 5xx, hanging or refused connections: not carried out
	// EarlyRetries counts calls on a quota that arrived after the answer "retry after
	// r" to the last refusal on it had reached the client, and before r was over.
	EarlyRetries    int64
	CommittedWrites int64 // distinct writes
	DuplicateWrites int64 // commits beyond the first of a write
	ReplayedWrites  int64 // answered from an idempotency key without a second commit
	Billed          Usage
	Running         int64
	Keys            []KeyBook // one a key and model that was used, ordered by key, then model
	Quotas          []QuotaBook
}

// KeyBook counts the calls of one key at one model.
type KeyBook struct {
	Key, Model                     int
	Received, Admitted, Refused429 int64
	Billed                         Usage
}

// QuotaBook holds what was charged to a quota, minute by minute.
type QuotaBook struct {
	Quota   int
	Minutes []Minute
}

// Minute is one minute's charge, by the provider's own arithmetic.
type Minute struct {
	Requests, Tokens, Refused int64
}

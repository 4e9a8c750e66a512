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
	// EstIn is the vendor's guess at In when the call arrives (Anthropic: charged at
	// first, corrected when the call ends); 0: exact.
	EstIn int64
	// Out is how many tokens the model would say; the answer holds at most MaxOut.
	Out int64
	// Conversation and Prefix feed the prompt cache: Prefix tokens at the start of the
	// prompt are those of the conversation's previous prompt.
	Conversation uint64
	Prefix       int64
	// Shared says that Prefix is known to be in the cache, whoever sent it before: a system prompt
	// that all have, and traces with prefix blocks, which bring their own account of the cache.
	// It is one for all keys and knows no TTL (see workload.Trace.CacheBlocks for its bound).
	Shared bool
	Write  bool
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
	CodeRateLimitTokens // prompt or output tokens
	CodeRequestTooLarge // larger than the limit itself: 429 that is never worth a retry
	CodeContextLength   // 400: larger than the context window
	CodeOverloaded      // 503, 529
	CodeServerError     // 500, 502, 504
	CodeUnauthorized    // key unknown for this model
	CodeConflict        // 409: a call with the same idempotency key is still running
	CodeConcurrency     // 429: too many calls open at once; says nothing of when
	CodeSlowDown        // 429: within the limits, but growing too fast
	CodeNoCredit        // 429 or 402: out of credit, never worth a retry
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
	// FateError is status 200, first token at FirstToken, and at End an error event of
	// Plan.ErrorStatus instead of the rest; the stream is over, without its last event.
	FateError
	// FateClosed is status 200 and fillers while the call waited in line, and at End, before any
	// token, the server closes the connection. Such a call was not carried out.
	FateClosed
)

// Meter is what a limit counts.
type Meter uint8

// Meters.
const (
	MeterNone        Meter = iota
	MeterRequests          // Quota.RPM
	MeterTokens            // Quota.TPM
	MeterOutput            // Quota.OTPM
	MeterDayRequests       // Quota.RPD
	MeterDayTokens         // Quota.TPD
	MeterBurst             // RPM within Quota.Quantum
	MeterSlope             // Quota.Slope
	MeterConcurrency       // Quota.Concurrency
	MeterSpend             // Quota.Spend
)

// Meters is a set of meters.
type Meters uint16

// Has reports whether m is in the set.
func (s Meters) Has(m Meter) bool { return s&(1<<m) != 0 }

// Plan is the provider's answer, fixed at admission.
type Plan struct {
	ID     CallID
	Status int // HTTP status; 0 for hanging and refused connections
	Code   Code
	Fate   Fate
	// Long: the prompt is above Price.LongFrom, so all its tokens have the long price.
	Long bool
	// ErrorStatus of a FateError.
	ErrorStatus int16
	// RetryAfter as the answer will say it, in whole milliseconds (in whole seconds where
	// the dialect can only say seconds).
	RetryAfter    time.Duration
	HasRetryAfter bool
	// Instants. At is the arrival. For errors End is when the answer arrives.
	At, FirstToken, End time.Duration
	// FillUntil is until when a codec sends fillers, such as keep-alive comments, from
	// the arrival on; 0: none.
	FillUntil time.Duration
	// Beat is the longest silence of a stream between its first token and its End: the time per
	// token, or Model.Heartbeat if that is shorter. Heartbeats are sent every Heartbeat as long
	// as the stream is open, after the last byte of a FateStall too; 0: none.
	Beat, Heartbeat time.Duration
	// CacheWrite is how many tokens of the prompt are written to the cache at a price of their
	// own; if the prompt is billed (Usage.In above 0) they are a part of In.
	CacheWrite int64
	Limits     Limits
	// Refusal says which limit refused the call, if one did.
	Refusal Refusal
}

// Limits is what the rate-limit headers say. A limit of 0 means that the provider has none.
type Limits struct {
	LimitRequests, RemainingRequests int64
	LimitTokens, RemainingTokens     int64
	ResetRequests, ResetTokens       time.Duration
	// A second limit on tokens: Anthropic's on output; with OpenAI, where a call counts
	// against several quotas, the second one's (the project's).
	LimitSecond, RemainingSecond int64
	ResetSecond                  time.Duration
}

// Refusal is what an error text says of the limit that refused a call: the one that has
// to be waited for longest.
type Refusal struct {
	Meter  Meter
	Broken Meters // Gemini: all limits of the quota that had no room; else Meter alone
	Quota  int32  // index into Config.Quotas
	// In the meter's unit. Used is rounded up.
	Limit, Used, Requested int64
	// Wait is until this limit has room, rounded down to nanoseconds, and not rounded to
	// what the answer can say; 0 where waiting does not help.
	Wait time.Duration
}

// Usage counts tokens as billed.
type Usage struct {
	In     int64 `json:"in"`
	Cached int64 `json:"cached"`
	Out    int64 `json:"out"`
}

// Books is the provider's account of everything it saw.
type Books struct {
	Received int64 `json:"received"` // calls that arrived
	Admitted int64 `json:"admitted"` // carried out, faults on the way back included
	// Answered is how many of those were answered to their end, and without an error in it.
	Answered int64 `json:"answered"`
	Refused  int64 `json:"refused"` // 4xx
	// Refused429 is how many of those were told 429: the sum of the keys'.
	Refused429 int64 `json:"refused_429"`
	Faulted    int64 `json:"faulted"` // 5xx, hanging, closed or refused connections: not carried out
	// EarlyRetries counts retries (Call.Attempt above 1) that arrived at a quota that had told the same
	// logical request (Call.ID) to wait, after that answer had reached the client and before the
	// wait was over. What other requests were told does not matter.
	EarlyRetries int64 `json:"early_retries"`
	// PeakCalls100ms and PeakRetries100ms are the largest numbers of calls and of retries
	// (Call.Attempt above 1) that arrived within less than 100 ms, wherever that began: the herds.
	PeakCalls100ms   int64 `json:"peak_calls_100ms"`
	PeakRetries100ms int64 `json:"peak_retries_100ms"`

	CommittedWrites int64       `json:"committed_writes"` // distinct writes
	DuplicateWrites int64       `json:"duplicate_writes"` // commits beyond the first of a write
	ReplayedWrites  int64       `json:"replayed_writes"`  // answered from an idempotency key without a second commit
	Billed          Usage       `json:"billed"`
	Tariff          Tariff      `json:"tariff"`
	Running         int64       `json:"running"`
	Keys            []KeyBook   `json:"keys"` // one a key and model that was used, ordered by key, then model
	Quotas          []QuotaBook `json:"quotas"`
}

// KeyBook counts the calls of one key at one model.
type KeyBook struct {
	Key        int    `json:"key"`
	Model      int    `json:"model"`
	Received   int64  `json:"received"`
	Admitted   int64  `json:"admitted"`
	Answered   int64  `json:"answered"`
	Refused429 int64  `json:"refused_429"`
	Billed     Usage  `json:"billed"`
	Tariff     Tariff `json:"tariff"`
}

// Tariff says which of the billed tokens have a price of their own.
type Tariff struct {
	CacheWrite     int64 `json:"cache_write"`      // of Billed.In: written to the prompt cache
	Long           Usage `json:"long"`             // of Billed: of calls that have the long price
	LongCacheWrite int64 `json:"long_cache_write"` // of Long.In and CacheWrite
}

// QuotaBook holds what was charged to a quota, minute by minute.
type QuotaBook struct {
	Quota   int      `json:"quota"`
	Minutes []Minute `json:"minutes"`
	// PeakRequests and PeakTokens are the largest charges in any sliding minute, which is taken as the tenths of a second
	// that it touches, as charged at admission: Minutes have the corrections of calls that ended, these have not.
	PeakRequests int64 `json:"peak_requests"`
	PeakTokens   int64 `json:"peak_tokens"`
}

// Minute is one minute's charge, by the provider's own arithmetic.
type Minute struct {
	Requests int64 `json:"requests"`
	Tokens   int64 `json:"tokens"`
	Refused  int64 `json:"refused"`
	// Output tokens, entered when a call ends into the minutes they were made in; only
	// of quotas that limit them.
	Output int64 `json:"output"`
}

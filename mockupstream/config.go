package mockupstream

import "time"

// Config describes the upstream: every vendor of a scenario in one provider.
type Config struct {
	// Seed of latency noise and fault draws, which are hashes of (Seed, Call.ID, Call.Attempt).
	Seed   uint64
	Models []Model
	Quotas []Quota
	Keys   []Key
	Faults []Fault
}

// Dialect names a vendor's way of limiting and answering.
type Dialect uint8

// Dialects.
const (
	DialectOpenAI Dialect = iota
)

// Model is one model of one vendor.
type Model struct {
	Name, Vendor string
	Dialect      Dialect
	// ContextWindow in tokens, prompt and output together; 0: no check.
	ContextWindow int64
	// MaxOutput in tokens; 0: no check.
	MaxOutput int64
	Latency   Latency
	// Capacity is the number of calls that can run at once, from an instant on, in
	// order of time. Empty: unlimited and free of load effects. A call beyond it is
	// answered 503 (overloaded). Before the first step there is no limit.
	Capacity []CapacityStep
	Cache    PromptCache
}

// CapacityStep sets the capacity from At on.
type CapacityStep struct {
	At    time.Duration
	Slots int64
}

// Latency is a model's time to answer: first token after
// (Base + PerPromptToken*uncached + PerCachedToken*cached) * noise * load, then
// PerOutputToken * noise * load for every further token, where load is
// 1 + Load*running/capacity.
type Latency struct {
	Base           time.Duration
	PerPromptToken time.Duration
	PerCachedToken time.Duration
	PerOutputToken time.Duration
	// FirstTokenSigma and OutputSigma are the standard deviations of the logarithm
	// of the noise (median 1), drawn once per call.
	FirstTokenSigma, OutputSigma float64
	Load                         float64
	// Refusal is the time to answer an error (429, 5xx).
	Refusal time.Duration
}

// PromptCache says which prompts are read from the cache: those that repeat at
// least MinTokens of the conversation's last prompt on the same model and
// quota within TTL, rounded down to whole blocks. Block 0: no cache.
type PromptCache struct {
	MinTokens, Block int64
	TTL              time.Duration
}

// Quota is one limit: shared by the keys of a group and the models of a family.
type Quota struct {
	Name  string // group and family
	Group string
	RPM   int64 // requests per minute; 0: no limit
	TPM   int64 // tokens per minute; 0: no limit
	// CountRefused charges refused requests too (OpenAI documents that
	// unsuccessful requests contribute to the limit; observed messages say otherwise):
	// those that broke a limit, as far as there is room, since a full bucket stays full.
	CountRefused bool
}

// Key is one credential.
type Key struct {
	ID string
	// Quotas holds, for each model by index, the index of the quota that the key's
	// calls count against, or -1 where the key may not use the model.
	Quotas []int
}

// FaultKind is what goes wrong.
type FaultKind uint8

// Fault kinds.
const (
	// FaultBurst429 answers 429 whatever the limits say, and charges nothing.
	FaultBurst429 FaultKind = iota
	// FaultCutLimit multiplies RPM and TPM by Factor (0 < Factor < 1), of every quota that
	// the given keys and models count against. What was used is kept. Its Share must be 1.
	FaultCutLimit
	// FaultError answers Status (500, 502, 503, 504, 529).
	FaultError
	// FaultSlowdown multiplies latencies by Factor (> 1).
	FaultSlowdown
	// FaultBlackhole accepts the call and never answers. It charges, bills and commits
	// nothing, and holds a slot until the client disconnects.
	FaultBlackhole
	// FaultRefuseConnection refuses the connection.
	FaultRefuseConnection
	// FaultLostResponse carries the call out, commits the write (at once, so that no client
	// is too impatient to lose it), bills it whole, and never answers. Writes only.
	FaultLostResponse
	// FaultBrokenStream ends the stream half-way without its last event.
	FaultBrokenStream
	// FaultStall sends half the stream, then nothing more, with the connection open.
	FaultStall
)

// RetryAfterMode says what a FaultBurst429 tells the client.
type RetryAfterMode uint8

// Modes.
const (
	RetryAfterFixed  RetryAfterMode = iota // Fault.RetryAfter
	RetryAfterAbsent                       // no header
	RetryAfterWrong                        // a tenth of the rest of the burst: too early
)

// Fault is a scripted disturbance.
type Fault struct {
	Name string
	Kind FaultKind
	// At is the start, For the length, Every the period (0: once).
	At, For, Every time.Duration
	// Share of the matching calls that are hit, 0 to 1; drawn by hash.
	Share  float64
	Models []int // nil: all
	Keys   []int // nil: all
	Status int
	Factor float64
	Mode   RetryAfterMode
	// RetryAfter told by a burst in mode RetryAfterFixed.
	RetryAfter time.Duration
}

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
	// Epoch is the date of instant 0: it says when a vendor's minute, day and midnight
	// begin, and dates headers. Zero: 2026-01-05T08:00:00Z, which is midnight in California.
	Epoch time.Time
}

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
	// answered 503 (529 by Anthropic), or waits in line (DeepSeek). Before the first step there is
	// no limit.
	Capacity []CapacityStep
	// MaxWait is how long DeepSeek lets a call wait in line before it closes the
	// connection; 0: 10 minutes.
	MaxWait time.Duration
	// Heartbeat is how often an open stream shows a sign of life (a ping, an SSE comment) whatever
	// the model does, so that clients and proxies do not take a silent one for dead; 0: never.
	// It also keeps a stalled stream (FaultStall) alive, which then no gap between bytes betrays.
	Heartbeat time.Duration
	Cache     PromptCache
	// Price is what quotas with a limit on spend count by, and says from which prompt
	// length on a call has the long price (Plan.Long).
	Price Price
	// LongFrom: a prompt of more tokens than this counts against Key.Long's quotas; 0: none does.
	LongFrom int64
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
	// FirstTokenFactors and OutputFactors are the noise as it was measured, in place of the
	// sigmas; nil: log-normal.
	FirstTokenFactors, OutputFactors *Factors
	Load                             float64
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

// Quota is one limit: shared by the keys of a group and the models of a family. Its
// dialect is that of the models that count against it; a limit that the
// dialect does not know must be 0.
type Quota struct {
	Name  string // group and family
	Group string
	RPM   int64 // requests per minute; 0: no limit
	// TPM is tokens per minute, as the dialect counts them at admission (see [Dialect]); 0: no limit.
	TPM int64
	// OTPM is output tokens per minute, counted as they are generated (Anthropic); 0: no limit.
	OTPM int64
	// RPD and TPD are requests and tokens per day; 0: no limit.
	RPD, TPD int64
	// Concurrency is how many calls may be open at once; 0: no limit. Beyond it: 429.
	Concurrency int64
	// Quantum is the grain in which RPM is enforced: no more than RPM*Quantum/1 min,
	// rounded up, at once. OpenAI and Anthropic, 0: the minute's burst is allowed. Azure, 0: 10 s.
	Quantum time.Duration
	// Slope limits how fast the token rate may grow.
	Slope Slope
	// Spend is what the calls may cost, in pico-USD at the models' prices, over the
	// whole run; 0: no limit. Then every call is told that the credit is used up.
	Spend int64
	// CountRefused charges refused requests too (OpenAI documents that
	// unsuccessful requests contribute to the limit; observed messages say otherwise):
	// those that broke a limit, as far as there is room, since a full bucket stays full.
	// Azure always counts them, and in windows without a ceiling.
	CountRefused bool
	// CountCached counts prompt tokens read from the cache against TPM, as Anthropic does for
	// older models. OpenAI, Gemini and Azure count them anyhow.
	CountCached bool
}

// Slope lets the tokens admitted in a minute grow, from one period to the next, by no
// more than a share of the largest minute before, once they are above From.
type Slope struct {
	From   int64         // tokens per minute that are always free; 0: no slope limit
	Growth float64       // share; 0: 0.5
	Over   time.Duration // period, in whole minutes; 0: 15 min
}

// Key is one credential.
type Key struct {
	ID string
	// Quotas holds, for each model by index, the index of the quota that the key's
	// calls count against, or -1 where the key may not use the model.
	Quotas []int
	// Extra holds, for each model by index, further quotas that its calls count
	// against too: a project's beside the organisation's, a workspace's. nil: none.
	Extra [][]int
	// Long holds, for each model by index, all quotas of calls with a prompt above
	// Model.LongFrom, in place of Quotas and Extra. nil, or an empty row: the same.
	Long [][]int
}

// FaultKind is what goes wrong.
type FaultKind uint8

// Fault kinds.
const (
	// FaultBurst429 answers 429 whatever the limits say, and charges nothing.
	FaultBurst429 FaultKind = iota
	// FaultCutLimit multiplies the limits per minute by Factor (0 < Factor < 1), of every quota that
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
	// FaultStreamError answers 200 and sends half the stream, then an error event of
	// Status (429, 500, 502, 503, 504, 529) in place of the rest.
	FaultStreamError
	// FaultNoCredit answers that the credit is used up, as a limit on spend does.
	FaultNoCredit
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

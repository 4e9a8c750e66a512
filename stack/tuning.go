package stack

import "time"

// Overflow says what happens to a request that finds the queue full.
type Overflow uint8

// Overflow policies.
const (
	// OverflowReject ends a request at once, the lowest class first.
	OverflowReject Overflow = iota
	// OverflowBlock lets the caller wait in line. Use it where callers are
	// themselves bounded (a fixed number of agents).
	OverflowBlock
)

// QueueConfig bounds the line in front of each gate.
type QueueConfig struct {
	// Bound is the number of requests that may wait at one gate. 1 to 1 000 000,
	// default 2048. Smaller: overload is refused sooner, work that would have been served
	// with it. Larger: longer tails, and more work that nobody waits for any more.
	Bound int
	// Overflow says what happens beyond Bound; default reject. Blocking is for callers that
	// are themselves bounded: an open loop would wait without end.
	Overflow Overflow
	// MaxWait ends a request that has waited so long at one gate. 0 (no end) to 30 days,
	// default 5 min. Shorter: more dead letters in an outage. Longer: agents hang longer.
	MaxWait time.Duration
}

// Signal is the latency that a concurrency controller looks at. It is taken from
// successes only (INV-26).
type Signal uint8

// Signals.
const (
	SignalFirstToken Signal = iota // time to first token, less the prefill expected of the prompt
	SignalPerToken                 // time per output token after the first
	SignalTotal                    // whole attempt; only where lengths do not vary
)

// ConcurrencyConfig sets up a gate's concurrency controller.
type ConcurrencyConfig struct {
	// Controller is a name from the registry of package limit: "static" (Start for ever),
	// "aimd", "gradient2" or "vegas". Default aimd.
	Controller string
	// Start is the limit at the beginning, in requests in flight. 1 to 1 000 000, default 64.
	// Lower: a queue until the limit has grown. Higher: an overload before it has shrunk.
	Start int
	// Min and Max bound the limit; defaults 4 and 1024. Min higher: a provider in trouble is
	// pressed on. Min lower: recovery takes longer. Max lower: capacity lies idle. Max higher: a latency
	// signal that is blind to the overload finds no end.
	Min, Max int
	// Interval between increases, and the width of the window in which at most one decrease
	// happens. 1 ms to 1 h, default 5 s. Shorter: quicker to adapt, and to overshoot.
	// Longer: steadier, and late.
	Interval time.Duration
	// Low: the limit may grow while the 95th percentile of the signal is below it. High: above
	// it the limit is cut; between them it rests. Up to 24 h, defaults 1.5 s and 4 s. Lower
	// values: capacity lies idle whenever the provider is a little slow. Higher values: the
	// queue stands at the provider, where no priority holds.
	Low, High time.Duration
	// Signal is what the percentile is taken of; default time to first token.
	Signal Signal
	// Samples is the size of the signal's window, up to 100 000, default 200; MinSamples how
	// many must be there, default 50. Fewer: noise moves the limit. More: old news does.
	Samples, MinSamples int
	// IncreasePercent of the square root of the limit is added per interval, at least 1
	// request; 0: exactly 1 (A5). 0 to 1000, default 100. Less: hours until hundreds are in
	// flight. More: overshoot.
	IncreasePercent int
	// DecreasePercent of the limit remains after a cut. 1 to 99, default 50. Less: capacity is
	// lost to a single bad window. More: several windows of overload until it is enough.
	DecreasePercent int
	// DecreaseOnRate, DecreaseOnOverload and DecreaseOnTimeout say which failures cut the
	// limit besides the signal; default overload alone. Rate limits are mostly the keys'
	// business: cut on them where one key is all there is; in a fleet on many keys it
	// makes one key's limit everybody's. Time-outs are mostly the breaker's.
	DecreaseOnRate, DecreaseOnOverload, DecreaseOnTimeout bool
}

// Weights says how the rotation weighs keys.
type Weights uint8

// Weights of the rotation.
const (
	WeightsFixed     Weights = iota // KeyUse.Weight
	WeightsRemaining                // KeyUse.Weight times the quota that remains in the window
)

// RotationConfig sets up the choice among keys.
type RotationConfig struct {
	// Weights of the keys; default by remaining quota. Fixed weights waste what unequal keys
	// have more; remaining ones lean on a key that others drain behind the client's back.
	Weights Weights
	// Exclude is the least time a quota rests after a rate-limit refusal; a longer
	// Retry-After extends it. 0 (no exclusion) to 24 h, default 60 s. Shorter: more 429s.
	// Longer: more capacity lost to a single stray one.
	Exclude time.Duration
}

// BudgetConfig sets up how much of a provider's limit is used, and how evenly.
type BudgetConfig struct {
	// RPMHeadroom and TPMHeadroom are the percentages of the provider's limit that may be
	// used in any sliding minute. 1 to 100, defaults 80. Lower: capacity lies idle. Higher:
	// 429s as soon as an estimate is wrong or another client uses the quota.
	RPMHeadroom, TPMHeadroom int
	// Burst is how much of the sustained rate may be sent at once, as a duration of that
	// rate. 1 ms to 1 min, default 5 s. Shorter: waiting although quota is left. Longer:
	// the minute's quota is gone in its first seconds, and the rest of it waits.
	Burst time.Duration
}

// ReserveConfig keeps back what only P0 may use, in percent of the concurrency limit
// (Slots), of requests and tokens per minute (Rate) and of places in line (Queue). 0 to
// 90, defaults 10. Lower: a flood of P2 reaches P0. Higher: the others starve beside idle capacity.
type ReserveConfig struct {
	Slots, Rate, Queue int
}

// RetryConfig sets up retries.
type RetryConfig struct {
	// Attempts per request in all, over keys and degradation steps. 1 to 20, default 4 (one
	// try and three retries). Fewer: more dead letters. More: more load when there is too
	// much already.
	Attempts int
	// Base is the first wait, doubled with every retry and capped at Cap before the jitter.
	// Base from 1 ms, Cap to 24 h, defaults 1 s and 30 s. Shorter: retries arrive while the
	// trouble lasts. Longer: latency after a hiccup.
	Base, Cap time.Duration
	// NoJitter makes every wait exact, so that those refused together return together. Only for
	// experiments; default off.
	NoJitter bool
	// BudgetPercent of first attempts is what the fleet may spend on retries (0 to 1000,
	// default 20), with BudgetBurst retries in hand at the start and saved up at most (0 to
	// 1 000 000, default 500); both 0: retries are free. Lower: an outage ends in dead letters
	// instead of a second model. Higher: retries multiply the load of a storm.
	BudgetPercent int
	BudgetBurst   int
}

// BreakerConfig sets up the breaker in front of each target.
type BreakerConfig struct {
	// Enabled: default on. Off, every request of a black-hole outage waits for its time-out.
	Enabled bool
	// Window over which the share of failures is taken. 1 s to 1 h, default 20 s. Shorter:
	// opens on a hiccup. Longer: opens late, as old successes count.
	Window time.Duration
	// MinSamples in the window before the breaker may open. From 1, default 20. Fewer: opens on
	// chance. More: never opens at a model of little traffic.
	MinSamples int
	// FailurePercent at which it opens. 1 to 100, default 50. Lower: gives up a model that
	// mostly works. Higher: stays with one that mostly does not.
	FailurePercent int
	// OpenFor is the first pause; it doubles with every failed probe up to OpenMax. From 1 ms,
	// to 24 h, defaults 15 s and 2 min. Shorter: more requests lost to probes. Longer: a model
	// that is back is not used.
	OpenFor, OpenMax time.Duration
	// Probes in flight while half open; as many successes close it. 1 to 1000, default 3. Fewer:
	// one lucky answer closes it. More: more requests lost to an outage that goes on.
	Probes int
}

// SilentGaps is how many times Timeouts.Gap a stream may show signs of life alone, heartbeats without
// content, before a driver no longer tells the core of them: then the gap ends it.
const SilentGaps = 10

// TimeoutConfig holds the waits for the wire.
type TimeoutConfig struct {
	// Connect is enforced by the wire. 1 ms to 1 h, default 5 s. Shorter: gives up in a
	// handshake storm. Longer: hangs on a dead host.
	Connect time.Duration
	// FirstToken is the wait for the first token beyond the expected prefill, which is
	// PrefillPerToken times the prompt tokens. FirstToken 1 ms to 24 h, default 8 s;
	// PrefillPerToken 0 to 1 s, default 160 µs. Shorter: answers that were under way, and are
	// billed, are thrown away. Longer: an outage is noticed late.
	FirstToken      time.Duration
	PrefillPerToken time.Duration
	// Whole is the wait for an answer that is not streamed, generation and all. 1 ms to 24 h, default
	// 10 min, as the vendors' SDKs have it. Shorter: long answers are thrown away, and billed. Longer: an
	// outage is noticed late. Stream where you can.
	Whole time.Duration
	// Gap between bytes of a stream. 1 ms to 24 h, default 30 s. Shorter: breaks off models that
	// think. Longer: a stalled stream holds its slot.
	Gap time.Duration
	// Deadline of a whole request by class. 0 (none) to 30 days, default none. Shorter: work
	// is thrown away that was nearly done. Longer or none: answers nobody waits for.
	Deadline [NumClasses]time.Duration
}

// AgentCapConfig limits each agent by itself.
type AgentCapConfig struct {
	// PerMinute is the number of requests per minute and agent. 0 (no cap) to 60 000 000,
	// default 30. Lower: holds back agents in a dense phase. Higher: a runaway agent gets further.
	PerMinute int64
	// Burst is how many an agent may send at once. From 1, default 10. Smaller: delays
	// bursts that harm nobody. Larger: so much for a runaway agent before the cap bites.
	Burst int64
	// MaxWait beyond which an agent's request is rejected instead of held back. 0 (no end) to 30
	// days, default 5 min. Shorter: more rejections. Longer: a line of a runaway agent's requests.
	MaxWait time.Duration
}

// FallbackConfig sets up degradation.
type FallbackConfig struct {
	// After is the number of failed attempts at one step (overload, server errors, broken
	// streams) before the next step is taken. 1 to 20, default 2. A time-out takes the next
	// step at once: the caller has waited long enough. Fewer: a hiccup costs the model that
	// was asked for. More: attempts are used up before another model is tried.
	After int
	// MaxWait is how long a request waits at the gate of one step while it has another: a step
	// at which it has waited so long, or which cannot be had for so long (keys excluded,
	// budgets used up, breaker open), is passed over. 0 to 24 h, default 8 s. Shorter: more
	// requests leave the model they asked for. Longer: longer tails under pressure.
	MaxWait time.Duration
}

// Idempotency says how writes are made safe to retry.
type Idempotency uint8

// Idempotency policies.
const (
	// IdempotencyKeys sends every write with a key made of its identity and retries an
	// unknown outcome on the same target with the same key. The default. It needs a
	// provider that honours such keys.
	IdempotencyKeys Idempotency = iota
	// IdempotencyNone sends no keys and does not retry a write whose outcome is unknown:
	// no duplicates, more dead letters.
	IdempotencyNone
	// IdempotencyUnsafe sends no keys and retries all the same: what naive clients do. It
	// breaks INV-43 on purpose and exists for experiments.
	IdempotencyUnsafe
)

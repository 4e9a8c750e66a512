package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/semcache"
)

// Config describes a stack. Start from [Default] and fill in Targets, Keys,
// Quotas and Routes; [New] validates the whole.
type Config struct {
	// Seed of the jitter hash. Two stacks with one seed draw the same jitter for
	// the same request, so give every process of a fleet its own.
	Seed uint64

	Targets []Target
	Keys    []Key
	Quotas  []Quota
	Routes  []Route
	// Kinds names the task types that Request.Kind counts through; entry 0 is the
	// default kind.
	Kinds []Kind

	Queue       QueueConfig
	Concurrency ConcurrencyConfig
	Rotation    RotationConfig
	Budget      BudgetConfig
	Reserve     ReserveConfig
	Retry       RetryConfig
	Breaker     BreakerConfig
	Timeouts    TimeoutConfig
	AgentCap    AgentCapConfig
	Fallback    FallbackConfig
	Idempotency Idempotency
	// Cache remembers answers to what is asked again, in other words too; nil (the default): nothing is. It
	// looks at Request.Text. On: fewer calls, and now and then the answer to another question.
	Cache *semcache.Config
	// Shared leaves budgets, exclusions, concurrency limits and the order of the lines to books that several stacks
	// share (package fleet), by effects and [Core.Told]. Off (the default) they are in memory and answer at once. On: a way to
	// the store and back before every send; off in a fleet of processes: together they break the limits. Controllers of a shared limit
	// are static and aimd.
	Shared bool
}

// Target is one model of one vendor: what a gate stands in front of.
type Target struct {
	Name   string
	Vendor string
	// Keys that may be used for this target.
	Keys []KeyUse
	// Charge says how the vendor counts a request against its token limit.
	Charge Charge
	// ContextWindow in tokens: a prompt plus output beyond it is never sent; 0: unknown.
	ContextWindow int64
	// Concurrency overrides Config.Concurrency for this target when not nil.
	Concurrency *ConcurrencyConfig
}

// KeyUse binds a key to the quota that its requests for this target count against.
type KeyUse struct {
	Key    int   // index into Config.Keys
	Quota  int   // index into Config.Quotas
	Weight int64 // share of the rotation; 0: never picked. Not all may be 0
}

// Key is a credential. The secret itself is the wire's business.
type Key struct {
	ID string
}

// Quota is one limit of the provider: keys of one group share it, and so do the
// models of one limit family.
type Quota struct {
	Name string // for errors and reports: group and family
	RPM  int64  // requests per minute; 0: no limit
	TPM  int64  // tokens per minute, counted by the target's Charge; 0: no limit
	OTPM int64  // output tokens per minute, as produced (Anthropic); 0: no limit
	RPD  int64  // requests per day; 0: no limit
	// Concurrency is how many requests may be in flight (DeepSeek); 0: no limit.
	Concurrency int
	// Quantum is the grain in which RPM is enforced, at most a minute (Azure: 10 s): no more
	// than its share of RPM is sent in any such time. 0: the minute.
	Quantum time.Duration
}

// Route is a model as requests name it, with what may stand in for it.
type Route struct {
	Name string
	// Steps holds the targets in order of preference: the model asked for, then
	// another model of the vendor, another vendor, and a small model. At most 4.
	Steps []RouteStep
	// Routing sends what is simple another way; nil: all go the same.
	Routing *Routing
}

// RouteStep is one degradation step of a route.
type RouteStep struct {
	Target int
	// MaxOut caps the output in this step (minimal mode: a structured result and
	// nothing else), in tokens; 0: as asked.
	MaxOut int64
}

// Kind is a task type.
type Kind struct {
	Name string
	// Context is the effective context in tokens a request of this kind is held to; 0: no cap.
	Context int64
}

// Charge is the vendor's arithmetic for the token limit.
type Charge uint8

// Charges, after the vendors' documentation.
const (
	ChargeMax      Charge = iota // larger of max_tokens and the prompt estimate (OpenAI)
	ChargeSum                    // prompt plus max_tokens (Azure, Bedrock, Cerebras)
	ChargeInput                  // prompt only (Gemini)
	ChargeUncached               // prompt less what is read from the cache (Anthropic's input limit)
)

// Default returns the configuration that is right for a fleet of about 2000
// agents on some twenty keys: A5's controller with a wider range and overload as
// its only failure signal, B4's rotation, B5's retries, B7's time-outs, and
// B12's headroom. Each field's comment says what gets worse in either direction.
func Default() Config {
	return Config{
		Kinds: []Kind{{Name: "default"}},
		Queue: QueueConfig{Bound: 2048, Overflow: OverflowReject, MaxWait: 5 * time.Minute},
		Concurrency: ConcurrencyConfig{
			Controller: "aimd", Start: 64, Min: 4, Max: 1024,
			Interval: 5 * time.Second, Low: 1500 * time.Millisecond, High: 4 * time.Second,
			Signal: SignalFirstToken, Samples: 200, MinSamples: 50,
			IncreasePercent: 100, DecreasePercent: 50,
			DecreaseOnOverload: true,
		},
		Rotation: RotationConfig{Weights: WeightsRemaining, Exclude: time.Minute},
		Budget:   BudgetConfig{RPMHeadroom: 80, TPMHeadroom: 80, Burst: 5 * time.Second},
		Reserve:  ReserveConfig{Slots: 10, Rate: 10, Queue: 10},
		Retry: RetryConfig{
			Attempts: 4, Base: time.Second, Cap: 30 * time.Second,
			BudgetPercent: 20, BudgetBurst: 500,
		},
		Breaker: BreakerConfig{
			Enabled: true, Window: 20 * time.Second, MinSamples: 20, FailurePercent: 50,
			OpenFor: 15 * time.Second, OpenMax: 2 * time.Minute, Probes: 3,
		},
		Timeouts: TimeoutConfig{
			Connect: 5 * time.Second, FirstToken: 8 * time.Second, Whole: 10 * time.Minute,
			PrefillPerToken: 160 * time.Microsecond, Gap: 30 * time.Second,
		},
		AgentCap: AgentCapConfig{PerMinute: 30, Burst: 10, MaxWait: 5 * time.Minute},
		Fallback: FallbackConfig{After: 2, MaxWait: 8 * time.Second},
	}
}

package report

import (
	"reflect"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// Setup says what a run consists of. Models and keys are numbered as the stack's
// targets and keys and as the provider's models and keys are.
type Setup struct {
	Name     string // of the variant
	Seed     uint64 // of this run, for the table of replications
	Profiles []ProfileInfo
	Models   []ModelInfo
	Keys     []string
	Quotas   []QuotaInfo
	// KeyQuota holds for each key and model the index of the provider's quota, -1: none.
	// Nil: utilisations are unknown.
	KeyQuota [][]int
	// Faults is the upstream's script, in its order; told only of an upstream that keeps books.
	Faults []Fault

	// Wall: the run is on the wall clock, so that the client knows of an attempt only what its
	// answer said.
	Wall bool

	// Duration of the demand and the part at its beginning that is not measured.
	Duration, Warmup time.Duration
	// Interval of the series; 0: a 180th of Duration, rounded up to whole seconds.
	Interval time.Duration

	CNYPerUSD        float64
	MonthlyBudgetUSD float64 // 0: none

	// Ratio429Alert and TPMAlert are shares above which a minute raises an alert; 0: none.
	Ratio429Alert, TPMAlert float64
	// SlowestPerProfile is how many of the slowest requests are kept; 0: 3.
	SlowestPerProfile int
}

// ProfileInfo is a kind of request.
type ProfileInfo struct {
	Name     string
	Class    stack.Class
	P99Alert time.Duration // latency above which a minute's p99 raises an alert; 0: none
}

// ModelInfo is a model and its price.
type ModelInfo struct {
	Name, Vendor string
	Price        mockupstream.Price
}

// Bill is what the provider charges for one attempt.
type Bill struct {
	stack.Usage
	CacheWrite int64 // of In: written to the vendor's cache
	Long       bool  // all tokens have the long price
}

// priced reports whether some of the tokens have a price of their own.
func (b *Bill) priced() bool { return b.Long || b.CacheWrite > 0 }

// QuotaInfo is a limit of the provider, per minute; 0: no limit.
type QuotaInfo struct {
	Name     string
	RPM, TPM int64
}

// Job is what the recorder must know of a request besides what the stack tells. The
// recorder keeps a note in it: pass the same one from the first call about a request to the last.
type Job struct {
	Profile  int
	Agent    uint32
	ID       uint64
	Intended time.Duration // when the agent's schedule wanted it
	Issued   time.Duration // when the agent was free to ask
	In, Out  int64         // tokens as intended
	// Task of the agent, or session of the stream, whose prompts go on from each other, and how much of
	// In is known from before.
	Task   uint32
	Prefix int64
	// Held is how long it then waited for a summary of its conversation, before it went to its stack.
	Held time.Duration
	// Mistaken: the cache answered it with what is the answer to something else. Set it before Done.
	Mistaken bool

	ended time.Duration // of the last attempt; 0: none has
	// The last attempt's model and key, plus one; 0: none was sent, or the request has ended.
	model, key int32
}

// Run is what the driver knows when the run is over, and before that at the end of
// the warm-up (see [Recorder.Warm]).
type Run struct {
	Now time.Duration // instant of the last event
	// Interrupted runs are measured up to Now; others up to Duration, even when the
	// last event came earlier.
	Interrupted bool
	// Books of the mock; nil where there is none, as with a real endpoint.
	Books *mockupstream.Books
	// Incomplete: others used the upstream too, of whom nothing is recorded, such as a process that was lost. The books are told,
	// but not compared.
	Incomplete bool
	Gates      []GateCount // by model, summed over the stacks; nil: unknown
	// BreakerOpened is how often breakers opened.
	BreakerOpened int64
	// Excluded holds for each key and model how long the key was excluded; nil: unknown.
	Excluded [][]time.Duration
	// InFlight is the number of requests of each profile that have not ended, as the
	// driver counts them; nil: none.
	InFlight []int64
	Traces   []TraceBook
	// Abandoned rounds of agents whose task's deadline had passed.
	Abandoned int64
	Digest    uint64 // of the order of events
}

// GateCount counts the changes of a gate's limit.
type GateCount struct {
	Increases, Decreases int64
}

// same reports whether two setups are equal but for the seed.
func (s *Setup) same(o *Setup) bool {
	a, b := *s, *o
	a.Seed = b.Seed
	return reflect.DeepEqual(a, b)
}

func (s *Setup) carry(t *tape) {
	t.texts(&s.Name)
	t.word(&s.Seed)
	list(t, &s.Profiles, func(p *ProfileInfo) {
		t.texts(&p.Name)
		number(t, &p.Class)
		t.check(p.Class < stack.NumClasses, "a profile of no class")
		t.spans(&p.P99Alert)
	})
	list(t, &s.Models, func(m *ModelInfo) {
		t.texts(&m.Name, &m.Vendor)
		p := &m.Price
		t.counts(&p.Input, &p.Cached, &p.Output, &p.CacheWrite, &p.LongFrom)
		t.counts(&p.Long.Input, &p.Long.Cached, &p.Long.Output, &p.Long.CacheWrite)
	})
	t.names(&s.Keys)
	list(t, &s.Quotas, func(q *QuotaInfo) {
		t.texts(&q.Name)
		t.counts(&q.RPM, &q.TPM)
	})
	list(t, &s.KeyQuota, func(of *[]int) {
		fixed(t, of, len(s.Models), func(q *int) {
			number(t, q)
			t.check(*q >= -1 && *q < len(s.Quotas), "a key of no quota")
		})
	})
	t.check(s.KeyQuota == nil || len(s.KeyQuota) == len(s.Keys), "quotas of other keys")
	list(t, &s.Faults, func(f *Fault) { f.carry(t) })
	t.flags(&s.Wall)
	t.spans(&s.Duration, &s.Warmup, &s.Interval)
	t.floats(&s.CNYPerUSD, &s.MonthlyBudgetUSD, &s.Ratio429Alert, &s.TPMAlert)
	number(t, &s.SlowestPerProfile)
}

func (f *Fault) carry(t *tape) {
	t.texts(&f.Name, &f.Kind)
	t.nums(&f.FromS, &f.ToS, &f.EveryS)
	t.names(&f.Models)
	t.names(&f.Keys)
}

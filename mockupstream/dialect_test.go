package mockupstream

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// all lists the dialects.
var all = []Dialect{DialectOpenAI, DialectAnthropic, DialectGemini, DialectDeepSeek, DialectAzure, DialectOpenRouter}

// speaking is single in another dialect, with the quota as given.
func speaking(d Dialect, q Quota) Config {
	cfg := single(0, 0)
	cfg.Models[0].Dialect, cfg.Quotas[0] = d, q
	return cfg
}

// randomQuota draws limits that a dialect knows; of each kind it may be that there is none.
func randomQuota(t *rapid.T, d Dialect) (q Quota) {
	limit := func(m Meter, name string, low, high int64) int64 {
		if !dialects[d].knows.Has(m) || rapid.IntRange(0, 3).Draw(t, "no "+name) == 0 {
			return 0
		}
		return rapid.Int64Range(low, high).Draw(t, name)
	}
	q.RPM = limit(MeterRequests, "rpm", 1, 100)
	q.TPM = limit(MeterTokens, "tpm", 2000, 30_000)
	q.OTPM = limit(MeterOutput, "otpm", 1, 3000)
	q.RPD = limit(MeterDayRequests, "rpd", 1, 300)
	q.TPD = limit(MeterDayTokens, "tpd", 2000, 200_000)
	q.Concurrency = limit(MeterConcurrency, "concurrency", 1, 20)
	q.Slope.From = limit(MeterSlope, "slope", 1, 20_000)
	if q.Slope.From > 0 {
		q.Slope.Over = time.Duration(rapid.IntRange(1, 3).Draw(t, "over")) * time.Minute
	}
	if limit(MeterBurst, "quantum", 0, 1) > 0 {
		q.Quantum = rapid.SampledFrom([]time.Duration{ts, 10 * ts}).Draw(t, "grain")
	}
	return q
}

// client is a single client that follows a script: it ends its calls when their plans say so.
type client struct {
	p       *Provider
	running []Plan
	calls   int
}

// call ends what is over by now and sends a call.
func (c *client) call(now time.Duration, call Call) Plan {
	for i := 0; i < len(c.running); {
		if r := c.running[i]; r.End <= now {
			c.p.Complete(r.End, r.ID)
			c.running = append(c.running[:i], c.running[i+1:]...)
		} else {
			i++
		}
	}
	c.calls++
	call.ID = uint64(c.calls)
	plan := c.p.Admit(now, call)
	if plan.ID != 0 {
		c.running = append(c.running, plan)
	}
	return plan
}

type arrival struct {
	dt   time.Duration
	call Call
}

func randomArrivals(t *rapid.T, most int) (list []arrival) {
	gap := rapid.SampledFrom([]int64{1e8, 1e9, 1e10}).Draw(t, "gap")
	for range rapid.IntRange(1, most).Draw(t, "calls") {
		list = append(list, arrival{time.Duration(rapid.Int64Range(0, gap).Draw(t, "dt")), Call{
			In: rapid.Int64Range(0, 2500).Draw(t, "in"), MaxOut: rapid.Int64Range(0, 1500).Draw(t, "max"), Out: rapid.Int64Range(0, 1500).Draw(t, "out"),
			Conversation: rapid.Uint64Range(1, 3).Draw(t, "conversation"), Prefix: 1000,
		}})
	}
	return list
}

func randomSpeaker(t *rapid.T, d Dialect) Config {
	cfg := speaking(d, randomQuota(t, d))
	cfg.Quotas[0].CountRefused = rapid.Bool().Draw(t, "count refused")
	cfg.Epoch = time.Date(2026, 3, 8, 7, 58, rapid.IntRange(0, 59).Draw(t, "second"), rapid.IntRange(0, 1e9-1).Draw(t, "ns"), time.UTC)
	cfg.Models[0].Cache = PromptCache{Block: 100, TTL: 1000 * time.Hour} // no hit is lost by waiting
	return cfg
}

// TestPromises: in every dialect a client that was refused and follows what it is told
// exactly is admitted, and one that comes a millisecond before the wait that was rounded to
// be told is refused. Where nothing is told nothing is promised.
func TestPromises(t *testing.T) {
	for _, d := range all {
		t.Run(d.String(), func(t *testing.T) {
			told := 0
			rapid.Check(t, func(t *rapid.T) {
				cfg := randomSpeaker(t, d)
				arrivals := randomArrivals(t, 100)
				// Replays the script up to the first refusal that tells a wait.
				build := func() (c *client, now time.Duration, call Call, plan Plan) {
					c = &client{p: mustNew(t, cfg)}
					for _, a := range arrivals {
						now += a.dt
						plan := c.call(now, a.call)
						if plan.HasRetryAfter && !(d == DialectGemini && plan.Refusal.Broken.Has(MeterDayRequests)) {
							return c, now, a.call, plan
						}
					}
					return nil, 0, Call{}, Plan{}
				}
				c, now, call, plan := build()
				if c == nil {
					return
				}
				told++
				if got := c.call(now+plan.RetryAfter, call); got.Status != 200 {
					t.Fatalf("refused by meter %d, waited %v as told and got %d by meter %d", plan.Refusal.Meter, plan.RetryAfter, got.Status, got.Refusal.Meter)
				}
				c, now, call, plan = build()
				exact := ceilTo(plan.Refusal.Wait, tms)
				if exact > plan.RetryAfter || plan.RetryAfter-exact >= dialects[d].grid && plan.Refusal.Meter != MeterOutput && c.p.quotas[0].fluid == nil {
					t.Fatalf("told to wait %v for %v", plan.RetryAfter, plan.Refusal.Wait)
				}
				if got := c.call(now+exact-tms, call); got.Status != 429 {
					t.Fatalf("refused by meter %d, came 1 ms earlier than %v and got %d", plan.Refusal.Meter, plan.Refusal.Wait, got.Status)
				}
			})
			if told == 0 && d != DialectDeepSeek {
				t.Error("no wait was ever told: the test shows nothing")
			}
		})
	}
}

// TestRemainingIsAPromise: a call of exactly what remains is admitted, one token more is not,
// and at the reset all of the limit is there again.
func TestRemainingIsAPromise(t *testing.T) {
	for _, d := range []Dialect{DialectOpenAI, DialectAnthropic, DialectAzure} {
		t.Run(d.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				cfg := randomSpeaker(t, d)
				q := &cfg.Quotas[0]
				*q = Quota{RPM: q.RPM, TPM: max(1, q.TPM), Quantum: q.Quantum, CountRefused: q.CountRefused}
				cfg.Models[0].Cache = PromptCache{}
				arrivals := randomArrivals(t, 30)
				build := func() (c *client, now time.Duration, l Limits) {
					c = &client{p: mustNew(t, cfg)}
					for _, a := range arrivals {
						now += a.dt
						l = c.call(now, a.call).Limits
					}
					return c, now, l
				}
				c, now, l := build()
				burst := len(c.p.quotas[0].more) > 0 && c.p.quotas[0].more[0].leaky.wait(1) > 0
				if l.RemainingTokens > 0 && (q.RPM == 0 || l.RemainingRequests > 0 && !burst) {
					if got := c.call(now, Call{In: l.RemainingTokens}); got.Status != 200 || got.Limits.RemainingTokens != 0 {
						t.Fatalf("a call of all that remains: %d, %d remain", got.Status, got.Limits.RemainingTokens)
					}
				}
				if l.RemainingTokens < l.LimitTokens {
					c, now, l = build()
					if got := c.call(now, Call{In: l.RemainingTokens + 1}); got.Status != 429 {
						t.Fatalf("a call of one token more than remains: %d", got.Status)
					}
				}
				c, now, l = build()
				again := c.call(now+max(l.ResetTokens, l.ResetRequests), Call{}).Limits
				if again.RemainingTokens != l.LimitTokens || q.RPM > 0 && again.RemainingRequests != l.LimitRequests-1 {
					t.Fatalf("at the reset: %+v", again)
				}
			})
		})
	}
}

// TestINV10Dialects: whatever comes, what is admitted keeps to every limit as the dialect
// means it: buckets in any window of any length, windows in each of theirs, concurrency at each instant.
func TestINV10Dialects(t *testing.T) {
	for _, d := range all {
		t.Run(d.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				cfg := randomSpeaker(t, d)
				c := &client{p: mustNew(t, cfg)}
				q := &c.p.quotas[0]
				var grants []grant
				now := time.Duration(0)
				for _, a := range randomArrivals(t, 100) {
					now += a.dt
					if plan := c.call(now, a.call); plan.Status == 200 {
						cached := c.p.slots.all[uint32(plan.ID)-1].cached
						grants = append(grants, grant{now, tokensOf(d, a.call, cached)})
					}
					if n := q.open; cfg.Quotas[0].Concurrency > 0 && (n > cfg.Quotas[0].Concurrency || n != int64(len(c.running))) {
						t.Fatalf("%d calls open, %d running, of a limit of %d", n, len(c.running), cfg.Quotas[0].Concurrency)
					}
				}
				keeps(t, &q.requests, grants)
				keeps(t, &q.tokens, grants)
				for i := range q.more {
					keeps(t, &q.more[i], grants)
				}
			})
		})
	}
}

// tokensOf is each vendor's charge, written a second time.
func tokensOf(d Dialect, c Call, cached int64) int64 {
	switch d {
	case DialectOpenAI:
		return max(c.In, c.MaxOut)
	case DialectAnthropic:
		return c.In - cached
	case DialectAzure:
		return c.In + c.MaxOut
	}
	return c.In
}

type grant struct {
	at     time.Duration
	tokens int64
}

func keeps(t *rapid.T, m *meter, grants []grant) {
	limit := m.leaky.limit
	if limit == 0 {
		return
	}
	var end time.Duration
	var inWindow int64
	for i, from := range grants {
		if m.window != nil {
			if from.at >= end {
				end, inWindow = windowEnd(m.window, from.at), 0
			}
			if inWindow += m.amount(from.tokens); inWindow > limit {
				t.Fatalf("meter %d: %d in the window up to %v, limit %d", m.kind, inWindow, end, limit)
			}
			continue
		}
		var sum int64
		for _, g := range grants[i:] {
			sum += m.amount(g.tokens)
			most := new(big.Int).Mul(big.NewInt(limit), big.NewInt(int64(m.leaky.period)+int64(g.at-from.at)))
			if new(big.Int).Mul(big.NewInt(sum), big.NewInt(int64(m.leaky.period))).Cmp(most) > 0 {
				t.Fatalf("meter %d: %d from %v to %v, limit %d", m.kind, sum, from.at, g.at, limit)
			}
		}
	}
}

func windowEnd(w *window, at time.Duration) time.Duration {
	if w.period == 0 {
		return w.clock.midnight(at)
	}
	return w.clock.next(at, w.period)
}

func TestDialectNames(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range all {
		seen[d.String()] = true
	}
	if len(seen) != len(dialects) || Dialect(99).String() != "dialect 99" {
		t.Errorf("names %v, and %v for one that is not there", seen, Dialect(99))
	}
}

// TestNoDialectAllocates: none takes memory for a call, admitted or refused, once it runs.
func TestNoDialectAllocates(t *testing.T) {
	for _, d := range all {
		q := Quota{RPM: 600, TPM: 100_000, OTPM: 100_000, RPD: 1e9, Concurrency: 1000, Spend: 1 << 60}
		for m, f := range map[Meter]*int64{MeterRequests: &q.RPM, MeterTokens: &q.TPM, MeterOutput: &q.OTPM, MeterDayRequests: &q.RPD, MeterConcurrency: &q.Concurrency, MeterSpend: &q.Spend} {
			if !dialects[d].knows.Has(m) {
				*f = 0
			}
		}
		cfg := speaking(d, q)
		cfg.Models[0].Cache = PromptCache{Block: 1, TTL: time.Minute}
		cfg.Models[0].Price = Price{Input: 1, Output: 1, CacheWrite: 1}
		cfg.Models[0].Capacity = []CapacityStep{{0, 500}}
		c, i := &client{p: mustNew(t, cfg)}, 0
		step := func() {
			i++
			c.call(time.Duration(i)*50*tms, Call{In: 500, Out: 50, Conversation: uint64(i % 10), Prefix: 100})
		}
		for range 4000 {
			step()
		}
		if n := testing.AllocsPerRun(1000, step); n != 0 {
			t.Errorf("%v: %v allocations a call", d, n)
		}
	}
}

func BenchmarkDialect(b *testing.B) {
	for _, d := range all {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			cfg := benchConfig()
			for i := range cfg.Models {
				cfg.Models[i].Dialect = d
			}
			for i := range cfg.Quotas {
				if cfg.Quotas[i] = (Quota{RPM: 1e7, TPM: 1e11, OTPM: 1e9}); d == DialectDeepSeek {
					cfg.Quotas[i] = Quota{Concurrency: 1000}
				} else if d == DialectOpenRouter {
					cfg.Quotas[i].TPM = 0
				}
				if d != DialectAnthropic {
					cfg.Quotas[i].OTPM = 0
				}
			}
			p := mustNew(b, cfg)
			b.ReportAllocs()
			now, i := time.Duration(0), uint64(0)
			for b.Loop() {
				i++
				now += 10 * tms
				plan := p.Admit(now, Call{ID: i * golden, Key: int(i % 24), Model: int(i % 3), In: 8000, Prefix: 7000, MaxOut: 512, Out: 300, Conversation: i % 2000 * golden})
				p.Complete(now, plan.ID)
			}
		})
	}
}

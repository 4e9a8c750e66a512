package stack

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/stack/breaker"
	"github.com/seed-4fd17b57/simload/stack/bucket"
	"github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/limit"
)

// With Config.Shared the budgets, the concurrency limits and the order of the lines are those of books that a fleet
// shares. A request that enters a gate asks for a place in the fleet's line at once (EffectAsk) and keeps its own in the
// gate's, for the bounds of the queue; the books' answers come by Told. What stays here: the breaker, stand-ins, retries,
// caps and all timers.

// toldLimit is the fleet's concurrency limit, as it was told.
type toldLimit struct{ gate fleet.Gate }

func (l *toldLimit) Limit() int                      { return l.gate.Limit }
func (*toldLimit) Busy(time.Duration)                {}
func (*toldLimit) Success(_, _, _ time.Duration)     {}
func (*toldLimit) Failure(_, _ time.Duration)        {}
func (l *toldLimit) Counts() (raised, lowered int64) { return l.gate.Raised, l.gate.Lowered }

// whyBlocked puts the books' reasons into the gate's words.
var whyBlocked = [...]Blocked{
	fleet.WhyNone: BlockedStore, fleet.WhySlots: BlockedSlots, fleet.WhyReserve: BlockedReserve, fleet.WhyRequests: BlockedRPM,
	fleet.WhyTokens: BlockedTPM, fleet.WhyExcluded: BlockedExcluded, fleet.WhyPlaces: BlockedPlaces, fleet.WhyOutput: BlockedOTPM, fleet.WhyDaily: BlockedRPD,
}

// Fleet is the configuration of the books that a fleet of such stacks shares.
func (c *Config) Fleet() fleet.Config {
	f := fleet.Config{Remaining: c.Rotation.Weights == WeightsRemaining, Lease: fleet.DefaultLease, Quiet: fleet.DefaultQuiet}
	for i := range c.Quotas {
		q := &c.Quotas[i]
		rpm, tpm := headroom(q.RPM, c.Budget.RPMHeadroom), headroom(q.TPM, c.Budget.TPMHeadroom)
		limitOf := func(capacity int64, burst time.Duration) fleet.Limit {
			return fleet.Limit{Capacity: capacity, Burst: burst, Reserve: c.Reserve.Rate}
		}
		f.Quotas = append(f.Quotas, fleet.Quota{
			Requests: limitOf(rpm, requestBurst(q, rpm, c.Budget.Burst)), Tokens: limitOf(tpm, c.Budget.Burst),
			Output: limitOf(headroom(q.OTPM, c.Budget.TPMHeadroom), c.Budget.Burst), Daily: limitOf(headroom(q.RPD, c.Budget.RPMHeadroom), 0), Places: q.Concurrency,
		})
	}
	for i := range c.Targets {
		t := &c.Targets[i]
		cc := c.concurrency(t)
		ft := fleet.Target{Controller: cc.Controller, Reserve: c.Reserve.Slots, Limit: cc.limits()}
		for _, k := range t.Keys {
			ft.Keys = append(ft.Keys, fleet.KeyUse(k))
		}
		f.Targets = append(f.Targets, ft)
	}
	return f.Exact()
}

// concurrency is what holds for a target.
func (c *Config) concurrency(t *Target) ConcurrencyConfig {
	if t.Concurrency != nil {
		return *t.Concurrency
	}
	return c.Concurrency
}

func (cc *ConcurrencyConfig) limits() limit.Config {
	return limit.Config{
		Start: cc.Start, Min: cc.Min, Max: cc.Max, Interval: cc.Interval, Low: cc.Low, High: cc.High,
		Samples: cc.Samples, MinSamples: cc.MinSamples,
		IncreasePercent: cc.IncreasePercent, DecreasePercent: cc.DecreasePercent,
	}
}

func (c *Config) checkShared(k *checker) {
	f := c.Fleet()
	if err := f.Validate(); err != nil {
		k.failf("shared books: %w", err)
	}
}

// op is an operation on the books, valid until the next call.
func (c *Core) op(kind EffectKind) *fleet.Op {
	if c.nop == len(c.ops) {
		c.ops = append(c.ops, new(fleet.Op))
	}
	o := c.ops[c.nop]
	c.nop++
	*o = fleet.Op{}
	e := c.emit()
	e.Kind, e.Op = kind, o
	return o
}

// ask asks for a place in the fleet's line.
func (c *Core) ask(i int32) {
	s := &c.slots[i]
	g := &c.gates[s.gate]
	c.asked++
	s.asked = c.asked
	c.asks[s.asked] = i
	g.asked++
	o := c.op(EffectAsk)
	*o = fleet.Op{
		Kind: fleet.OpAsk, ID: s.asked, Target: int(s.gate), Class: int(s.req.Class), Quota: -1, Tokens: s.need.tokens, Output: s.need.output,
	}
	if s.pinned {
		o.Quota = int(s.quota)
	}
}

// unask takes the place back.
func (c *Core) unask(s *slot) {
	if s.asked != 0 {
		c.op(EffectWithdraw).ID = s.asked
		c.answered(s)
	}
}

func (c *Core) answered(s *slot) {
	delete(c.asks, s.asked)
	s.asked = 0
	c.gates[s.gate].asked--
}

// tryShared has those that wait at a gate wait in the fleet's line too, as far as the breaker lets them, and sends those on to
// a stand-in that could not be served in time. It reports whether one left the line.
func (c *Core) tryShared(g *gate) bool {
	i, _, ok := g.lines.Head()
	if !ok {
		c.block(g, BlockedNot, bucket.Never)
		return false
	}
	if g.scan && c.hopeless(g) {
		return true
	}
	g.scan = false
	switch st, until := g.breaker(c.now); st {
	case breaker.Closed:
		if g.asked < g.lines.Len() {
			c.eachWaiting(g, func(i int32) bool {
				if c.slots[i].asked == 0 {
					c.ask(i)
				}
				return g.asked == g.lines.Len()
			})
		}
	case breaker.HalfOpen:
		if g.asked == 0 {
			c.ask(i)
		}
	default:
		if g.asked > 0 {
			c.eachWaiting(g, func(i int32) bool {
				c.unask(&c.slots[i])
				return g.asked == 0
			})
		}
		if (st == breaker.Probing || until-c.now > c.cfg.Fallback.MaxWait) && c.degrade(i) {
			return true
		}
		c.block(g, BlockedBreaker, until)
		return false
	}
	if h := &g.head; h.ID != 0 {
		j, ok := c.asks[h.ID]
		long := h.At-c.now > c.cfg.Fallback.MaxWait && h.Why != fleet.WhySlots && h.Why != fleet.WhyReserve && h.Why != fleet.WhyPlaces
		if ok && long && c.degrade(j) {
			return true
		}
	}
	c.block(g, whyBlocked[g.head.Why], bucket.Never)
	return false
}

// eachWaiting calls f for those that wait at a gate, foremost first, until it returns true.
func (c *Core) eachWaiting(g *gate, f func(i int32) bool) {
	done := false
	for class := range NumClasses {
		g.lines.Items(class, func(i int32) { done = done || f(i) })
	}
}

// hopeless sends one on, or ends it, that no living key of the target can ever take.
func (c *Core) hopeless(g *gate) bool {
	found, p := int32(-1), prospect{}
	c.eachWaiting(g, func(i int32) bool {
		s := &c.slots[i]
		if p = c.prospect(g, s, s.req.Class != P0); p.misfit || p.none {
			found = i
		}
		return found >= 0
	})
	switch {
	case found < 0:
		return false
	case c.degrade(found):
	case p.none:
		c.leave(found)
		c.end(found, DeadLettered, ReasonNoKey)
	default:
		c.leave(found)
		c.end(found, Rejected, ReasonTooLarge)
	}
	return true
}

// Told takes what the fleet's books have answered: grants, what heads wait for, and news.
func (c *Core) Told(now time.Duration, t fleet.Told) {
	c.begin(now)
	if t.News != nil {
		c.news(t.News)
	}
	for _, n := range t.Grants {
		c.granted(n)
	}
	if t.Heard {
		for g := range c.gates {
			c.gates[g].head = fleet.Head{}
		}
		for _, h := range t.Heads {
			g := &c.gates[h.Target]
			if g.head = h; h.ID != 0 && h.Why == fleet.WhyNone {
				g.scan = true
			}
		}
		for g := range c.gates {
			if c.gates[g].lines.Len() > 0 {
				c.touch(int32(g))
			}
		}
	}
	c.settle()
}

// granted sends a request that was granted. One that has gone meanwhile has taken its place back, and the grant with it.
func (c *Core) granted(n fleet.Grant) {
	i, ok := c.asks[n.ID]
	if !ok {
		return
	}
	s := &c.slots[i]
	g := &c.gates[s.gate]
	c.answered(s)
	if c.budgets[n.Quota].excluded > c.now || c.dead[n.Key] {
		// It has crossed with a refusal (INV-50): it goes back, and the request to the line.
		o := c.op(EffectSettle)
		o.Kind, o.ID, o.Unused, o.Signal = fleet.OpSettle, n.ID, true, -1
		c.touch(g.index)
		return
	}
	c.leave(i)
	s.grant = n.ID
	for k := range g.keys {
		if u := &g.keys[k]; u.Key == n.Key && u.Quota == n.Quota {
			c.send(g, i, k)
			return
		}
	}
	panic(fmt.Sprintf("stack: the books granted key %d of quota %d, which target %s does not have", n.Key, n.Quota, g.target.Name))
}

// news takes what all of the fleet should know.
func (c *Core) news(n *fleet.News) {
	for _, key := range n.Dead {
		if key < len(c.dead) && !c.dead[key] {
			c.bury(key)
		}
	}
	for _, r := range n.Rests {
		b := &c.budgets[r.Quota]
		b.exclude(c.now, r.Until)
		c.reweigh(b.gates)
	}
	for i := range n.Gates {
		g := &c.gates[i]
		g.sum(c.now)
		g.ctl.(*toldLimit).gate = n.Gates[i]
	}
}

// giveBack tells the books what became of an attempt: what is not known is not refunded (INV-13).
func (c *Core) giveBack(s *slot, g *gate, st *Step) {
	o := c.op(EffectSettle)
	o.Kind, o.ID, o.Unused = fleet.OpSettle, s.grant, st.Outcome.Kind == ConnectFailed
	o.Signal, o.Failed = -1, c.overloaded(g, st.Outcome.Kind)
	if c.signals(g, s, st.Outcome.Kind) {
		o.Signal = c.latency(g, st)
	}
	if u := st.Outcome.Usage; st.Outcome.Kind == Success && u.In > 0 {
		o.Known = true
		o.Tokens, o.Output = g.target.charge(u, s.maxOut(&c.cfg.Routes[s.route].Steps[s.step])), u.Out
	}
	if st.Outcome.Kind == RateLimited {
		if o.Rest = c.rest(s, st.Outcome); o.Rest > 0 {
			o.Rest += 2 * fleet.Grain // theirs is never shorter for being rounded
		}
	}
}

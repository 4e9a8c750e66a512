package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// Gauges is what all gates did since the gauges before; with several stacks, their sum.
type Gauges struct {
	Span         time.Duration // since the gauges before
	Models       []stack.GateUse
	ExcludedKeys int64 // (key, model) pairs that are excluded now
}

// Gauge takes what happened since the call before.
func (r *Recorder) Gauge(now time.Duration, g *Gauges) {
	r.at(now)
	if r.share != nil {
		r.share.gauge(now, g)
		return
	}
	r.gauged(now, g)
}

func (r *Recorder) gauged(now time.Duration, g *Gauges) {
	if now < r.setup.Duration {
		r.series.gauge(now, g)
	}
	if now >= r.setup.Warmup && now < r.setup.Duration {
		r.gates.sample(g)
	}
}

// gates sums gauges, over the measured window, in nanoseconds and requests times nanoseconds.
type gates []gateSum

type gateSum struct {
	span, limit, limitMin, limitMax            int64
	inFlight, inFlightMax, waiting, waitingMax int64
	blocked                                    [stack.NumBlocked]int64 // time in which somebody waited
	waited                                     [stack.NumBlocked]int64 // requests that waited, times time
}

func newGates(models int) gates {
	g := make(gates, models)
	for i := range g {
		g[i].limitMin = math.MaxInt64
	}
	return g
}

func (gs gates) sample(g *Gauges) {
	for m := range g.Models {
		s, v := &gs[m], &g.Models[m]
		s.span += int64(g.Span)
		s.limit += v.Limit
		s.limitMin = min(s.limitMin, int64(v.LimitMin))
		s.limitMax = max(s.limitMax, int64(v.LimitMax))
		s.inFlight += v.InFlight
		s.inFlightMax = max(s.inFlightMax, int64(v.InFlightMax))
		for _, n := range v.Waiting {
			s.waiting += n
		}
		s.waitingMax = max(s.waitingMax, int64(v.WaitingMax))
		for b := range v.Blocked {
			s.blocked[b] += v.Blocked[b]
			s.waited[b] += v.Waited[b]
		}
	}
}

func (gs gates) add(o gates) {
	for m := range gs {
		s, v := &gs[m], &o[m]
		s.span += v.span
		s.limit += v.limit
		s.limitMin = min(s.limitMin, v.limitMin)
		s.limitMax = max(s.limitMax, v.limitMax)
		s.inFlight += v.inFlight
		s.inFlightMax = max(s.inFlightMax, v.inFlightMax)
		s.waiting += v.waiting
		s.waitingMax = max(s.waitingMax, v.waitingMax)
		for b := range s.blocked {
			s.blocked[b] += v.blocked[b]
			s.waited[b] += v.waited[b]
		}
	}
}

// share is n of the time.
func (s *gateSum) share(n int64) Num { return Num(float64(n) / float64(s.span)) }

func (s *gateSum) gate(model string, c GateCount) Gate {
	g := Gate{
		BlockedOn: []Share{},
		Model:     model, Increases: c.Increases, Decreases: c.Decreases,
		LimitMean: s.share(s.limit), LimitMin: s.limitMin, LimitMax: s.limitMax,
		InFlightMean: s.share(s.inFlight), InFlightMax: s.inFlightMax,
		QueueMean: s.share(s.waiting), QueueMax: s.waitingMax,
	}
	if s.span == 0 {
		g.LimitMin = 0
	}
	for b, n := range s.blocked {
		if n > 0 {
			g.BlockedOn = append(g.BlockedOn, Share{Name: stack.Blocked(b).String(), Share: s.share(n)})
		}
	}
	return g
}

// bound names the resource on which requests spent most of their waiting, and lists
// how far each was used: quotas by their worst minute, slots by mean use. Time that requests lost to their
// agents and in backoff competes with the gates.
func (r *Recorder) bound() Bound {
	out := Bound{Resources: []Share{}}
	best, text := int64(0), ""
	for m := range r.gates {
		g, name := &r.gates[m], r.setup.Models[m].Name
		rpm, tpm := r.ended.worst(&r.setup, m)
		out.Resources = append(
			out.Resources,
			Share{Name: "TPM of " + name + " keys", Share: tpm},
			Share{Name: "RPM of " + name + " keys", Share: rpm},
			Share{Name: "concurrency of " + name, Share: Num(float64(g.inFlight) / float64(g.limit))},
		)
		for b := range g.waited {
			if g.waited[b] > best {
				best, text = g.waited[b], waitText(name, stack.Blocked(b), g.share(g.blocked[b]), rpm, tpm)
			}
		}
	}
	most := float64(best) / 1e9 // request-seconds
	for _, w := range r.ownWaits() {
		if w.seconds > most {
			most, text = w.seconds, w.text
		}
	}
	out.Resources = slices.DeleteFunc(out.Resources, func(s Share) bool { return math.IsNaN(float64(s.Share)) })
	slices.SortStableFunc(out.Resources, func(a, b Share) int { return cmp.Compare(b.Share, a.Share) })
	out.Resource = text
	if most == 0 {
		out.Resource = r.unbound()
	}
	return out
}

// ownWait is time that requests lost outside of gates, in seconds, as it compares with waits at gates.
type ownWait struct {
	seconds float64
	text    string
}

// ownLeast is the share of the time of requests below which what they lost outside of
// gates bound nothing.
const ownLeast = 0.01

// ownWaits returns what bound requests outside of gates: their agents, who were busy with the
// request before or have a cap of their own, and backoff.
func (r *Recorder) ownWaits() []ownWait {
	all, busy := r.fair.stay.seconds(), r.fair.busy.seconds()
	var out []ownWait
	add := func(seconds, counts float64, text string) {
		if share := seconds / all; share >= ownLeast {
			out = append(out, ownWait{counts, fmt.Sprintf("%s (%s of the time of requests)", text, inPercent(share))})
		}
	}
	// An agent is busy while its request before waits or is on the wire. So its time is
	// laid to answers by their share in all time, and is else the consequence of waits.
	add(busy, busy*r.fair.wire.seconds()/all, "agents are busy: answers take longer than their interval")
	capped, backoff := float64(r.cappedUS)/1e6, r.fair.backoff.seconds()
	add(capped, capped, "the agents' own rate caps")
	add(backoff, backoff, "backoff between attempts")
	return out
}

// unbound describes a run in which no sample saw a request wait.
func (r *Recorder) unbound() string {
	var sum, n int64
	for p := range r.latency {
		sum += r.latency[p][atQueue].sumUS
		n += r.latency[p][atQueue].n
	}
	if sum == 0 {
		return "nothing: no request waited"
	}
	return fmt.Sprintf("nothing for long: a request waited %s ms on average", digits(float64(sum)/float64(n)/1000))
}

func waitText(model string, b stack.Blocked, share, rpm, tpm Num) string {
	waited := fmt.Sprintf("requests waited for it %s of the time", inPercent(float64(share)))
	quota := func(what string, worst Num) string {
		if math.IsNaN(float64(worst)) {
			return fmt.Sprintf("%s of %s keys (%s)", what, model, waited)
		}
		return fmt.Sprintf("%s of %s keys (%s in the worst minute, %s)", what, model, inPercent(float64(worst)), waited)
	}
	switch b {
	case stack.BlockedTPM:
		return quota("TPM", tpm)
	case stack.BlockedRPM:
		return quota("RPM", rpm)
	case stack.BlockedSlots:
		return fmt.Sprintf("concurrency of %s (%s)", model, waited)
	case stack.BlockedExcluded:
		return fmt.Sprintf("excluded keys of %s (%s)", model, waited)
	case stack.BlockedBreaker:
		return fmt.Sprintf("open breaker of %s (%s)", model, waited)
	case stack.BlockedOTPM:
		return fmt.Sprintf("output TPM of %s keys (%s)", model, waited)
	case stack.BlockedRPD:
		return fmt.Sprintf("requests per day of %s keys (%s)", model, waited)
	case stack.BlockedPlaces:
		return fmt.Sprintf("open calls of %s keys (%s)", model, waited)
	case stack.BlockedReserve:
		return fmt.Sprintf("P0's reserve at %s (%s)", model, waited)
	}
	return fmt.Sprintf("gate of %s (%s)", model, waited)
}

func (s *gateSum) carry(t *tape) {
	t.counts(&s.span, &s.limit, &s.limitMin, &s.limitMax, &s.inFlight, &s.inFlightMax, &s.waiting, &s.waitingMax)
	array(t, s.blocked[:])
	array(t, s.waited[:])
}

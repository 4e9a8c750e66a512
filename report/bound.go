package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// BlockedOn says what the head of a gate waits for.
type BlockedOn uint8

// What a head can wait for.
const (
	BlockedNone     BlockedOn = iota
	BlockedSlots              // the concurrency limit
	BlockedRPM                // requests per minute
	BlockedTPM                // tokens per minute
	BlockedExcluded           // every key is excluded
	BlockedBreaker            // the breaker is open
	BlockedReserve            // what is free is kept for P0
	numBlocked
)

var blockedNames = [numBlocked]string{"none", "slots", "rpm", "tpm", "excluded", "breaker", "reserve"}

// String returns the name as reports print it.
func (b BlockedOn) String() string {
	if b < numBlocked {
		return blockedNames[b]
	}
	return "?"
}

// Gauges is a sample of the state of all gates; with several stacks, their sum.
type Gauges struct {
	Models       []Gauge
	ExcludedKeys int64 // (key, model) pairs that are excluded now
}

// Gauge is a sample of one model's gate.
type Gauge struct {
	Limit, InFlight int64
	Waiting         [stack.NumClasses]int64
	// Blocked is what the most urgent head waits for; BlockedNone when nobody waits.
	Blocked BlockedOn
}

// Gauge takes a sample. Samples should be evenly spaced, a second apart.
func (r *Recorder) Gauge(now time.Duration, g *Gauges) {
	r.at(now)
	if now < r.setup.Duration {
		r.series.gauge(g)
	}
	if now >= r.setup.Warmup && now < r.setup.Duration {
		r.gates.sample(g)
	}
}

// gates sums samples of gates, over the measured window.
type gates []gateSum

type gateSum struct {
	samples, limit, limitMin, limitMax         int64
	inFlight, inFlightMax, waiting, waitingMax int64
	blocked                                    [numBlocked]int64 // samples in which somebody waited
	waited                                     [numBlocked]int64 // requests that waited, summed over samples
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
		s.samples++
		s.limit += v.Limit
		s.limitMin = min(s.limitMin, v.Limit)
		s.limitMax = max(s.limitMax, v.Limit)
		s.inFlight += v.InFlight
		s.inFlightMax = max(s.inFlightMax, v.InFlight)
		var waiting int64
		for _, n := range v.Waiting {
			waiting += n
		}
		s.waiting += waiting
		s.waitingMax = max(s.waitingMax, waiting)
		if waiting > 0 {
			s.blocked[v.Blocked]++
			s.waited[v.Blocked] += waiting
		}
	}
}

func (gs gates) add(o gates) {
	for m := range gs {
		s, v := &gs[m], &o[m]
		s.samples += v.samples
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

// share is n of the samples.
func (s *gateSum) share(n int64) Num { return Num(float64(n) / float64(s.samples)) }

func (s *gateSum) gate(model string, c GateCount) Gate {
	g := Gate{
		BlockedOn: []Share{},
		Model:     model, Increases: c.Increases, Decreases: c.Decreases,
		LimitMean: s.share(s.limit), LimitMin: s.limitMin, LimitMax: s.limitMax,
		InFlightMean: s.share(s.inFlight), InFlightMax: s.inFlightMax,
		QueueMean: s.share(s.waiting), QueueMax: s.waitingMax,
	}
	if s.samples == 0 {
		g.LimitMin = 0
	}
	for b, n := range s.blocked {
		if n > 0 {
			g.BlockedOn = append(g.BlockedOn, Share{Name: BlockedOn(b).String(), Share: s.share(n)})
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
				best, text = g.waited[b], waitText(name, BlockedOn(b), g.share(g.blocked[b]), rpm, tpm)
			}
		}
	}
	// Samples are a second apart, so that a waiting request stands for a second.
	most := float64(best)
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

func waitText(model string, b BlockedOn, share, rpm, tpm Num) string {
	waited := fmt.Sprintf("requests waited for it %s of the time", inPercent(float64(share)))
	quota := func(what string, worst Num) string {
		if math.IsNaN(float64(worst)) {
			return fmt.Sprintf("%s of %s keys (%s)", what, model, waited)
		}
		return fmt.Sprintf("%s of %s keys (%s in the worst minute, %s)", what, model, inPercent(float64(worst)), waited)
	}
	switch b {
	case BlockedTPM:
		return quota("TPM", tpm)
	case BlockedRPM:
		return quota("RPM", rpm)
	case BlockedSlots:
		return fmt.Sprintf("concurrency of %s (%s)", model, waited)
	case BlockedExcluded:
		return fmt.Sprintf("excluded keys of %s (%s)", model, waited)
	case BlockedBreaker:
		return fmt.Sprintf("open breaker of %s (%s)", model, waited)
	case BlockedReserve:
		return fmt.Sprintf("P0's reserve at %s (%s)", model, waited)
	}
	return fmt.Sprintf("gate of %s (%s)", model, waited)
}

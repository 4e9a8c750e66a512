package workload

import "github.com/seed-4fd17b57/simload/stack/jitter"

// maxFanOut bounds the sub-agents of one round.
const maxFanOut = 1024

// crew is where the sub-agents of one agent stand before their coming request. They go
// through their rounds in step.
type crew struct {
	contexts []int64 // prompt of each sub-agent's round before, in tokens
	number   uint64  // requests before the coming one, of all crews of the agent
	left     int64   // rounds left, the coming one included
	next     uint32  // sub-agent whose request is coming
	op       uint32  // round that is coming
	tasks    uint32  // conversations of crews before this one
}

// crewSalt sets the draws of an agent's crews apart from its own.
const crewSalt = 0x2545f4914f6cdd1d

// crewFollows moves past the coming request, of a crew or of the round that starts one,
// and reports whether a request of a crew comes next.
func (w *Workload) crewFollows(source int, a *agent, ph *Phase, base uint64) bool {
	c := &w.crews[source]
	if !a.crewed {
		n := int(min(w.dice.tokens(&ph.FanOut, base, forFanOut, a.number), maxFanOut))
		if n == 0 {
			return false
		}
		rounds := w.dice.tokens(&ph.SubRounds, base, forSubRounds, a.number)
		a.crewed = true
		c.left = min(max(rounds, 1), maxRounds)
		c.next, c.op = 0, 0
		c.contexts = append(c.contexts[:0], make([]int64, n)...)
	} else {
		c.number++
		c.next++
		if int(c.next) < len(c.contexts) {
			a.next++ // at once, a nanosecond apart
			return true
		}
		c.next = 0
		c.op++
		if c.left--; c.left == 0 {
			c.tasks += uint32(len(c.contexts))
			a.crewed = false
			return false
		}
	}
	interval := &w.profiles[ph.SubProfile].Interval
	a.next += w.dice.gap(interval, jitter.Mix(base^crewSalt), c.number, w.duration-a.next)
	return true
}

// nextOfCrew returns the coming request of the agent's crew.
func (w *Workload) nextOfCrew(source int, ph *Phase, base uint64) Demand {
	a, c := &w.agents[source], &w.crews[source]
	p := &w.profiles[ph.SubProfile]
	base = jitter.Mix(base ^ crewSalt)
	before, fresh := c.contexts[c.next], c.op == 0
	prompt, added := w.prompt(p, base, c.number, before, fresh)
	d := Demand{
		Source: source, Client: uint32(source), Profile: ph.SubProfile,
		Task: SubTask + c.tasks + c.next, Op: c.op, Intended: a.next,
		In:       prompt,
		Out:      w.dice.tokens(&p.Output, base, forOutput, c.number),
		With:     c.next > 0, // the first waits for the answer, or for the round before
		Deadline: a.due,
	}
	if fresh {
		w.sharedPrefix(&d, p, base, c.number)
	} else {
		d.Prefix = max(min(before, prompt-added), 0)
	}
	w.complete(&d, p, base, c.number)
	c.contexts[c.next] = prompt
	return d
}

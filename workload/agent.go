package workload

import (
	"math"
	"math/bits"
	"time"
)

// maxWalk bounds the rounds that are drawn one by one to find the context in which
// an agent starts; growth beyond them counts with its mean.
const maxWalk = 4096

// agent is where one agent stands before its coming round.
type agent struct {
	next    time.Duration // intended instant of the coming round
	context int64         // prompt of the round before, in tokens
	number  uint64        // rounds before the coming one, over all tasks
	left    int64         // rounds left in the phase, the coming one included
	due     time.Duration // deadline of the task; 0: none
	task    uint32
	op      uint32
	group   int32
	phase   int32
	begun   bool
	fresh   bool // the coming round starts a context
	cold    bool // the coming round is the first of the run
	crewed  bool // sub-agents come before the coming round, see crew
}

func (w *Workload) addAgents() {
	total, phases := 0, 0
	for i := range w.groups {
		g := &w.groups[i]
		total += g.Count
		phases = max(phases, len(g.Phases))
		g.Phases = append([]Phase(nil), g.Phases...)
	}
	w.rounds = make([]int64, phases)
	w.agents = make([]agent, 0, total)
	for i := range w.groups {
		g := &w.groups[i]
		for k := range g.Count {
			w.agents = append(w.agents, agent{next: g.start(k), group: int32(i)})
		}
		for k := range g.Phases {
			if !g.Phases[k].FanOut.zero() && w.crews == nil {
				w.crews = make([]crew, total)
			}
		}
	}
	w.clients = total
}

// start returns the first instant of agent k.
func (g *AgentGroup) start(k int) time.Duration {
	count, waves := uint64(g.Count), max(uint64(g.Waves), 1)
	// The first more waves have size+1 agents, the others size: Split with equal weights.
	size, more := count/waves, count%waves
	wave, index := uint64(k)/(size+1), uint64(k)%(size+1)
	if wave < more {
		size++
	} else {
		rest := uint64(k) - more*(size+1)
		wave, index = more+rest/size, rest%size
	}
	over, begin := bits.Mul64(wave, uint64(g.WaveEvery))
	if over != 0 || begin > math.MaxInt64 {
		return math.MaxInt64
	}
	// Stagger*index/size; the product may need 128 bits.
	hi, lo := bits.Mul64(uint64(g.Stagger), index)
	at, _ := bits.Div64(hi, lo, size)
	return later(time.Duration(begin), time.Duration(at))
}

func (w *Workload) nextOfAgent(source int) (Demand, bool) {
	a := &w.agents[source]
	if a.next >= w.duration {
		return Demand{}, false
	}
	base := w.dice.base(source)
	g := &w.groups[a.group]
	if !a.begun {
		w.begin(a, g, base)
	}
	ph := &g.Phases[a.phase]
	if a.crewed {
		d := w.nextOfCrew(source, ph, base)
		w.follow(source, a, g, base)
		return d, true
	}
	p := &w.profiles[ph.Profile]
	prompt, added := w.prompt(p, base, a.number, a.context, a.fresh)
	d := Demand{
		Source: source, Client: uint32(source), Profile: ph.Profile,
		Task: a.task, Op: a.op, Intended: a.next,
		In:       prompt,
		Out:      w.dice.tokens(&p.Output, base, forOutput, a.number),
		Deadline: a.due,
	}
	switch {
	case a.fresh:
		w.sharedPrefix(&d, p, base, a.number)
	case !a.cold:
		d.Prefix = max(min(a.context, prompt-added), 0)
	}
	if a.op > 0 && !a.cold && !ph.Tool.zero() {
		d.Tool = w.dice.wait(&ph.Tool, base, forTool, a.number)
	}
	w.complete(&d, p, base, a.number)
	a.context = prompt
	a.cold = false
	w.follow(source, a, g, base)
	return d, true
}

// follow moves the agent past the coming request: to a request of its sub-agents, or
// to its next round.
func (w *Workload) follow(source int, a *agent, g *AgentGroup, base uint64) {
	if w.crews != nil && w.crewFollows(source, a, &g.Phases[a.phase], base) {
		return
	}
	w.advance(a, g, base)
}

// Abandon skips what is left of the task of the demand that Next gave last for the
// source, an agent, its sub-agents included: the driver calls it when the deadline of
// that task has passed, or the task has failed. The schedule goes on as if the rest had
// been issued: the demands of later tasks are what they would have been, at the same
// intended instants. It returns the number of demands skipped, which are all intended
// before the end of the run. It is 0 if that demand was the task's last, before the
// first call of Next, and for streams and traces.
func (w *Workload) Abandon(source int) int {
	if w.Open(source) {
		return 0
	}
	a := &w.agents[source]
	if !a.begun || a.op == 0 && !a.crewed {
		return 0
	}
	base, g := w.dice.base(source), &w.groups[a.group]
	skipped, task := 0, a.task
	for a.task == task && a.next < w.duration {
		w.follow(source, a, g, base)
		skipped++
	}
	return skipped
}

// prompt returns the prompt of a round, and how many of its tokens are new. Before is
// the prompt of the round before it.
func (w *Workload) prompt(p *Profile, base, number uint64, before int64, fresh bool) (prompt, added int64) {
	if fresh {
		added = w.dice.tokens(&p.Context, base, forContext, number)
		prompt = added
	} else {
		added = w.dice.tokens(&p.Growth, base, forContext, number)
		prompt = min(before+added, maxTokens)
	}
	if p.MaxContext > 0 {
		prompt = min(prompt, p.MaxContext)
	}
	return max(prompt, 1), added
}

// advance moves the agent to its next round: of the phase, of the next phase, or of a
// new task.
func (w *Workload) advance(a *agent, g *AgentGroup, base uint64) {
	a.op++
	a.number++
	a.left--
	a.fresh = false
	if a.left == 0 {
		a.phase++
		if int(a.phase) == len(g.Phases) {
			a.phase = 0
			a.task++
			a.op = 0
		}
		a.fresh = !g.Phases[a.phase].Keep
		a.left = w.phaseRounds(g, base, a.task, int(a.phase))
	}
	interval := &w.profiles[g.Phases[a.phase].Profile].Interval
	a.next += w.dice.gap(interval, base, a.number, w.duration-a.next)
	if a.op == 0 && !g.TaskDeadline.zero() {
		w.limit(a, g, base)
	}
}

// limit draws the deadline of the task that begins with the coming round.
func (w *Workload) limit(a *agent, g *AgentGroup, base uint64) {
	a.due = later(a.next, max(w.dice.wait(&g.TaskDeadline, base, forDeadline, uint64(a.task)), 1))
}

// phaseRounds draws the rounds of one phase of one task.
func (w *Workload) phaseRounds(g *AgentGroup, base uint64, task uint32, phase int) int64 {
	number := uint64(task)*uint64(len(g.Phases)) + uint64(phase)
	n := w.dice.tokens(&g.Phases[phase].Rounds, base, forRounds, number)
	return min(max(n, 1), maxRounds)
}

// begin puts the agent before the first round of its first task, or before a random
// one of it.
func (w *Workload) begin(a *agent, g *AgentGroup, base uint64) {
	a.begun, a.cold, a.fresh = true, true, true
	a.left = w.phaseRounds(g, base, 0, 0)
	if g.RandomStart {
		w.place(a, g, base)
	}
	if !g.TaskDeadline.zero() {
		w.limit(a, g, base)
	}
}

// place moves the agent to the round of its first task that is due at a random point
// of the task's time, so that a phase is as likely as the time spent in it. It then
// has the context that an agent has which worked its way there.
func (w *Workload) place(a *agent, g *AgentGroup, base uint64) {
	rounds := w.rounds[:len(g.Phases)]
	total := 0.0
	for i := range rounds {
		rounds[i] = w.phaseRounds(g, base, 0, i)
		total += float64(float64(rounds[i]) * w.means[g.Phases[i].Profile])
	}
	point := unit(base, forStart, 0) * total
	for i, n := range rounds {
		interval := w.means[g.Phases[i].Profile]
		span := float64(float64(n) * interval)
		done := n
		if point < span || i == len(rounds)-1 {
			done = min(int64(point/interval), n-1)
		}
		a.phase = int32(i)
		a.fresh = i == 0 || !g.Phases[i].Keep
		w.walk(a, &w.profiles[g.Phases[i].Profile], base, done)
		a.left = n - done
		if a.left > 0 {
			return
		}
		point -= span
	}
}

// walk moves the agent by n rounds of a phase without issuing them.
func (w *Workload) walk(a *agent, p *Profile, base uint64, n int64) {
	number := a.number
	for range min(n, maxWalk) {
		a.context, _ = w.prompt(p, base, number, a.context, a.fresh)
		a.fresh = false
		number++
	}
	if n > maxWalk {
		a.context += roundTokens(float64(n-maxWalk) * p.Growth.Mean())
		if p.MaxContext > 0 {
			a.context = min(a.context, p.MaxContext)
		}
	}
	a.number += uint64(n)
	a.op += uint32(n)
}

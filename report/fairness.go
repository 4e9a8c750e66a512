package report

import (
	"math"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// Fairness tells how evenly the agents were served, who waited longest, and
// whether retries came in herds. It covers the measured requests that have ended;
// what was asked for counts whether it ended or not.
//
// Of several runs each agent counts once in every run, as if they were different
// ones; the longest times and worst minutes are those of the worst run.
type Fairness struct {
	// Agents is how many asked for something; of several runs, in the one with the most.
	Agents int64 `json:"agents"`
	// Groups are all, then profiles, then classes, as in Variant.Groups.
	Groups []FairGroup `json:"groups"`
	// RetryWaits is the number of retries whose wait since the end of the attempt before
	// is known. EqualWaits is the share of these, 0..1, that waited as long, to the
	// millisecond, as another one sent in the same ten seconds: near 1 when backoff has no jitter.
	RetryWaits int64 `json:"retry_waits"`
	EqualWaits Num   `json:"equal_waits"`
	// Amplification is attempts per request. AmplificationWorst is that of the requests
	// intended in one minute of the run, in the worst such minute, which begins at
	// AmplificationWorstS; null when no minute had 20 requests.
	Amplification       Num `json:"amplification"`
	AmplificationWorst  Num `json:"amplification_worst"`
	AmplificationWorstS Num `json:"amplification_worst_s"`
	// BackoffS is the time all requests spent between attempts, in seconds. BackoffShare
	// is its share, 0..1, in the time from their intended instants to their ends.
	BackoffS     Num `json:"backoff_s"`
	BackoffShare Num `json:"backoff_share"`
}

// FairGroup tells how the agents of one group fared. What was not measured, and
// what is undefined because nobody was served, is null.
type FairGroup struct {
	By     By    `json:"by"`
	Agents int64 `json:"agents"` // that asked for something in the group
	// Jain is Jain's index, 0..1 (1: even), over the agents' shares of requests that
	// succeeded among those they asked for. LeastShare is the lowest of these shares, 0..1.
	Jain       Num `json:"jain"`
	LeastShare Num `json:"least_share"`
	// JainThroughput is Jain's index over the agents' numbers of successes, whatever they
	// asked for; of profiles alone.
	JainThroughput Num `json:"jain_throughput"`
	// LongestWaitMS is the longest that one request waited in queues and under its
	// agent's cap, LongestWaitAgent its agent; -1: nobody waited.
	LongestWaitMS    Num   `json:"longest_wait_ms"`
	LongestWaitAgent int64 `json:"longest_wait_agent"`
	// An agent starves while it wants something of a class and nothing of that class is
	// served to it: from an intended instant, or the last success if something was wanted
	// then, to the next success, or to the last failure when nothing was wanted any more.
	// Of each agent the longest such time counts, in whole milliseconds: StarvationMS is the
	// worst agent's, StarvationP99MS the 99th percentile over the agents. Of all, an agent's
	// longest time in any class. Of a profile only where its class has no other.
	StarvationMS    Num   `json:"starvation_ms"`
	StarvationP99MS Num   `json:"starvation_p99_ms"`
	StarvationAgent int64 `json:"starvation_agent"` // the worst; -1: nobody
	// TokensWasted were billed for attempts that came to nothing.
	TokensWasted int64 `json:"tokens_wasted"`
}

// fair is what is left of agents when a run is over; of merged runs, all of them together.
type fair struct {
	agents        int64
	all           fairSum
	profiles      []fairSum
	classes       [stack.NumClasses]fairSum
	backoff, stay wide
	busy, wire    wide  // requests waited for their agents, and were on the wire
	waits, equal  int64 // retries, and those that echo another one
	worst         cohort
	worstAt       time.Duration // where the minute of worst begins
}

// fairSum sums up the agents of one group.
type fairSum struct {
	shares  jain // served of what was asked for, in units of 1/shareUnit
	counts  jain // successes; of profiles alone
	least   uint64
	wait    longest
	starved longest
	spells  histogram // each agent's longest; of classes and all
}

// close sums up the run and lets go of what was kept for each agent.
func (f *fair) close(s *Setup, a *agents, e *echoes) {
	f.profiles = make([]fairSum, len(s.Profiles))
	pages := 0
	for c := range a.classes {
		pages = max(pages, len(a.classes[c].pages))
	}
	for page := range pages {
		for i := range agentPage {
			f.agent(a, page, i)
		}
	}
	for p, w := range a.waits {
		for _, g := range []*fairSum{&f.profiles[p], &f.classes[s.Profiles[p].Class], &f.all} {
			g.wait.note(w.d, w.agent)
		}
	}
	for c, w := range a.starved {
		f.classes[c].starved.note(w.d, w.agent)
		f.all.starved.note(w.d, w.agent)
	}
	for m, c := range a.cohorts {
		f.minute(c, time.Duration(m)*time.Minute)
	}
	f.backoff, f.busy, f.wire, f.stay = a.backoff, a.busy, a.wire, a.stay
	f.waits, f.equal = e.waits, e.equal
	*a, *e = agents{}, echoes{}
}

// minute keeps the worst of the minutes that have enough requests to say anything.
func (f *fair) minute(c cohort, at time.Duration) {
	if c.requests >= alertSamples && (f.worst.requests == 0 || c.worse(f.worst)) {
		f.worst, f.worstAt = c, at
	}
}

// agent sums up one agent.
func (f *fair) agent(a *agents, page, i int) {
	var asked, served uint64
	var worst time.Duration
	for c := range a.classes {
		n, ok, long := f.agentIn(a, c, page, i)
		asked, served, worst = asked+n, served+ok, max(worst, long)
	}
	if asked > 0 {
		f.agents++
		f.all.share(asked, served)
		f.all.spells.record(worst)
	}
}

// agentIn sums up what an agent asked for in one class; long is its longest spell.
func (f *fair) agentIn(a *agents, class, page, i int) (asked, served uint64, long time.Duration) {
	entries := a.classes[class].read(page, i)
	if entries == nil {
		return 0, 0, 0
	}
	for p, at := range a.place {
		if int(at.class) != class || entries[at.slot].asked() == 0 {
			continue
		}
		n, ok := entries[at.slot].asked(), entries[at.slot].served()
		f.profiles[p].share(n, ok)
		f.profiles[p].counts.add(ok)
		asked, served = asked+n, served+ok
	}
	if asked == 0 {
		return 0, 0, 0
	}
	g := &f.classes[class]
	g.share(asked, served)
	if code := entries[0].spell().worst; code > 0 {
		long = min(time.Duration(spellLength(code))*time.Millisecond, a.starved[class].d)
	}
	g.spells.record(long)
	return asked, served, long
}

// share takes in an agent's share.
func (g *fairSum) share(asked, served uint64) {
	x := shareOf(served, asked)
	if g.shares.n == 0 || x < g.least {
		g.least = x
	}
	g.shares.add(x)
}

// merge adds the runs of o, which come after those of f.
func (f *fair) merge(o *fair) {
	f.agents = max(f.agents, o.agents)
	f.all.merge(&o.all)
	for p := range f.profiles {
		f.profiles[p].merge(&o.profiles[p])
	}
	for c := range f.classes {
		f.classes[c].merge(&o.classes[c])
	}
	f.backoff.merge(o.backoff)
	f.busy.merge(o.busy)
	f.wire.merge(o.wire)
	f.stay.merge(o.stay)
	f.waits += o.waits
	f.equal += o.equal
	f.minute(o.worst, o.worstAt)
}

func (g *fairSum) merge(o *fairSum) {
	if g.shares.n == 0 || o.shares.n > 0 && o.least < g.least {
		g.least = o.least
	}
	g.shares.merge(&o.shares)
	g.counts.merge(&o.counts)
	g.wait.note(o.wait.d, o.wait.agent)
	g.starved.note(o.starved.d, o.starved.agent)
	g.spells.add(&o.spells)
}

// fairness describes what was summed up.
func (r *Recorder) fairness(t *Totals) Fairness {
	f := &r.fair
	nan := Num(math.NaN())
	out := Fairness{
		Agents: f.agents, RetryWaits: f.waits, Amplification: Num(t.Attempts) / Num(t.Requests),
		AmplificationWorst: nan, AmplificationWorstS: nan,
		BackoffS: Num(f.backoff.seconds()), BackoffShare: Num(f.backoff.seconds() / f.stay.seconds()),
	}
	if f.waits > 0 {
		out.EqualWaits = Num(f.equal) / Num(f.waits)
	}
	if f.worst.requests > 0 {
		out.AmplificationWorst = Num(f.worst.attempts) / Num(f.worst.requests)
		out.AmplificationWorstS = inSeconds(f.worstAt)
	}
	add := func(g *fairSum, by By, want func(int) bool) *FairGroup {
		row := g.row(by)
		row.TokensWasted = r.wasted(want)
		out.Groups = append(out.Groups, row)
		return &out.Groups[len(out.Groups)-1]
	}
	add(&f.all, By{}, func(int) bool { return true }).starvation(&f.all)
	var profiles [stack.NumClasses]int
	for _, p := range r.setup.Profiles {
		profiles[p.Class]++
	}
	for p := range r.setup.Profiles {
		row := add(&f.profiles[p], r.profileBy(p), func(i int) bool { return i == p })
		row.JainThroughput = f.profiles[p].counts.index()
		if c := r.setup.Profiles[p].Class; profiles[c] == 1 {
			row.starvation(&f.classes[c])
		}
	}
	for _, c := range r.classes() {
		add(&f.classes[c], By{Class: c.String()}, r.ofClass(c)).starvation(&f.classes[c])
	}
	return out
}

func (g *fairSum) row(by By) FairGroup {
	nan := Num(math.NaN())
	row := FairGroup{
		By: by, Agents: g.shares.n, Jain: g.shares.index(), LeastShare: nan, JainThroughput: nan,
		LongestWaitMS: inMS(g.wait.d), LongestWaitAgent: g.wait.who(),
		StarvationMS: nan, StarvationP99MS: nan, StarvationAgent: -1,
	}
	if g.shares.n > 0 {
		row.LeastShare = Num(float64(g.least) / shareUnit)
	}
	return row
}

// starvation fills in how long the agents of g starved.
func (row *FairGroup) starvation(g *fairSum) {
	if g.spells.n == 0 {
		return
	}
	p99 := g.spells.quantileWithFailures(99, 0) * 1000
	row.StarvationMS, row.StarvationP99MS = inMS(g.starved.d), min(p99, inMS(g.starved.d))
	row.StarvationAgent = g.starved.who()
}

// who returns the agent, -1 if nobody took any time.
func (l *longest) who() int64 {
	if l.d == 0 {
		return -1
	}
	return int64(l.agent)
}

// wasted sums the wasted tokens of the profiles that want picks.
func (r *Recorder) wasted(want func(profile int) bool) int64 {
	var n int64
	for p := range r.setup.Profiles {
		for m := 0; want(p) && m <= r.models; m++ {
			c := r.cell(p, m)
			n += c.wasted.in + c.wasted.out
		}
	}
	return n
}

// carry names what is left of the agents' fairness when a run is closed.
func (f *fair) carry(t *tape, profiles int) {
	number(t, &f.agents)
	f.all.carry(t)
	fixed(t, &f.profiles, profiles, func(g *fairSum) { g.carry(t) })
	classesOf(t, &f.classes, func(g *fairSum) { g.carry(t) })
	t.sums(&f.backoff, &f.stay, &f.busy, &f.wire)
	t.counts(&f.waits, &f.equal, &f.worst.requests, &f.worst.attempts)
	t.spans(&f.worstAt)
}

func (g *fairSum) carry(t *tape) {
	g.shares.carry(t)
	g.counts.carry(t)
	t.word(&g.least)
	for _, l := range [...]*longest{&g.wait, &g.starved} {
		t.spans(&l.d)
		number(t, &l.agent)
	}
	g.spells.carry(t)
}

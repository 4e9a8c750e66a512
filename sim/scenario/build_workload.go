package scenario

import (
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/workload"
)

// defaultClients is how many client identities a stream or trace has if it does not say.
const defaultClients = 100

// maxAgents bounds the agents of all groups together.
const maxAgents = 10_000_000

// minInterval keeps agents from asking endlessly often.
const minInterval = time.Millisecond

// workloadConfig fills in the demand, and how it enters the stack.
func (c *compiler) workloadConfig() {
	w := &c.spec.Workload
	if w.Profiles.Len() == 0 {
		c.fail(problem{"no profiles", c.found("workload", "profiles"), "at least one profile", "add a profile with class, model, context, output and max_output"}, "workload", "profiles")
	}
	if w.Agents.Len()+w.Streams.Len()+w.Traces.Len() == 0 {
		c.fail(problem{"nothing asks anything", "no agents, streams or traces", "at least one of them", "add agents: {name: {count: 20, phases: [...]}}"}, "workload")
	}
	for i, name := range w.Profiles.Names {
		c.profile(name, w.Profiles.Values[i])
	}
	total := 0
	for i, name := range w.Agents.Names {
		c.agents(name, w.Agents.Values[i])
		if before := total; before <= maxAgents {
			if total += w.Agents.Values[i].Count; total > maxAgents {
				c.fail(problem{"too many agents", "more than 10000000 in all groups", "up to 10000000", "lower count"}, "workload", "agents", name, "count")
			}
		}
	}
	for i, name := range w.Streams.Names {
		c.stream(name, w.Streams.Values[i])
	}
	for i, name := range w.Traces.Names {
		c.trace(name, w.Traces.Values[i])
	}
}

func (c *compiler) profile(name string, p *Profile) {
	at := func(key string) []string { return []string{"workload", "profiles", name, key} }
	entry := Entry{Kind: c.kinds[orElse(p.Kind, name)]}
	entry.Class, _ = classOf(p.Class)
	route, ok := c.routes[p.Model]
	if !ok {
		pr := unknownName("model", p.Model, c.routeNames)
		pr.what = "no upstream has this model, and no route is named so"
		c.fail(pr, at("model")...)
	}
	entry.Route = route
	c.profiles[name] = len(c.profileNames)
	c.profileNames = append(c.profileNames, name)
	c.out.Profiles = append(c.out.Profiles, entry)
	c.out.Report.Profiles = append(c.out.Report.Profiles, report.ProfileInfo{Name: name, Class: entry.Class})
	if p.MaxContext > 0 && p.Context.form.Constant != nil && *p.Context.form.Constant > p.MaxContext {
		c.fail(problem{"the first prompt is longer than max_context", c.found(at("context")...), "up to max_context, " + c.found(at("max_context")...), "raise max_context"}, at("context")...)
	}
	c.out.Workload.Profiles = append(c.out.Workload.Profiles, workload.Profile{
		Name:     name,
		Interval: dist(c, &p.Interval, at("interval")), Context: dist(c, &p.Context, at("context")),
		Growth: dist(c, &p.Growth, at("growth")), MaxContext: int64(p.MaxContext), SharedPrefix: dist(c, &p.SharedPrefix, at("shared_prefix")),
		Output: dist(c, &p.Output, at("output")), MaxOutput: int64(p.MaxOutput),
		WriteShare: float64(p.Writes), EstimateSigma: float64(p.EstimateError), HardShare: float64(p.Hard),
		Patience: dist(c, &p.Patience, at("patience")),
	})
	last := &c.out.Workload.Profiles[len(c.out.Workload.Profiles)-1]
	set(&last.Topics, p.Topics.Count)
	setNumber(&last.TopicSkew, p.Topics.Skew)
	set(&last.Wordings, p.Topics.Wordings)
}

// dist makes the workload's distribution; one that was left out is the constant 0.
func dist[T quantity](c *compiler, d *Dist[T], path []string) workload.Dist {
	var out workload.Dist
	var err error
	switch f := d.form; {
	case f.Constant != nil:
		out, err = workload.Constant(base(*f.Constant))
	case f.Uniform != nil:
		out, err = workload.Uniform(base(f.Uniform.Min), base(f.Uniform.Max))
	case f.Exponential != nil:
		out, err = workload.Exponential(base(f.Exponential.Mean))
	case f.Lognormal != nil:
		out, err = workload.LogNormal(base(f.Lognormal.Median), base(f.Lognormal.P95))
	case f.Empirical != nil:
		values := make([]float64, len(f.Empirical.Values))
		for i, v := range f.Empirical.Values {
			values[i] = base(v)
		}
		var weights []float64
		for _, w := range f.Empirical.Weights {
			weights = append(weights, float64(w))
		}
		out, err = workload.Empirical(values, weights)
	}
	if err != nil {
		c.fail(problem{"not a distribution: " + err.Error(), c.found(path...), "parameters that belong together", "`simload schema` describes them"}, path...)
	}
	return out
}

// profileOf returns the index of the profile named at the path, which something asks with.
func (c *compiler) profileOf(name string, path ...string) (int, bool) {
	i, ok := c.profiles[name]
	if !ok {
		c.fail(unknownName("profile", name, c.profileNames), path...)
		return i, ok
	}
	c.asked[i] = true
	return i, ok
}

// lengths checks that a profile says how long prompts and outputs are.
func (c *compiler) lengths(i int, user string) {
	p := c.spec.Workload.Profiles.Values[i]
	if !p.Context.given() {
		c.missing(i, "context", "tokens of the prompt", user)
	}
	if !p.Output.given() {
		c.missing(i, "output", "tokens of the answer", user)
	}
}

func (c *compiler) missing(profile int, key, what, user string) {
	c.fail(problem{"missing key " + key, "no " + key, key + ": " + what, user + " need it: add " + key + ":"}, "workload", "profiles", c.profileNames[profile])
}

func (c *compiler) agents(name string, a *Agents) {
	at := []string{"workload", "agents", name}
	g := workload.AgentGroup{
		Name: name, Count: a.Count, Waves: 1, Stagger: time.Duration(a.Stagger), RandomStart: a.RandomStart,
		TaskDeadline: dist(c, &a.TaskDeadline, append(at[:3:3], "task_deadline")),
	}
	c.waves(a, &g, at)
	if len(a.Phases) == 0 {
		c.fail(problem{"no phases", "an empty list", "at least one phase", "write phases: [{profile: NAME, rounds: 20}]"}, append(at, "phases")...)
	}
	for i := range a.Phases {
		g.Phases = append(g.Phases, c.phase(i, &a.Phases[i], append(at[:3:3], "phases", strconv.Itoa(i))))
	}
	c.out.Workload.Agents = append(c.out.Workload.Agents, g)
}

// waves sets the waves that agents start in.
func (c *compiler) waves(a *Agents, g *workload.AgentGroup, at []string) {
	key := func(name string) []string { return append(at[:3:3], name) }
	set(&g.Waves, a.Waves)
	setDuration(&g.WaveEvery, a.WaveEvery)
	switch {
	case g.Waves > a.Count:
		c.fail(problem{"more waves than agents", c.found(key("waves")...), "up to the count, " + strconv.Itoa(a.Count), "lower waves or raise count"}, key("waves")...)
	case g.Waves > 1 && a.WaveEvery == nil:
		c.fail(problem{"waves that all start at once", "no wave_every", "wave_every: the time from one wave to the next", "add wave_every:"}, key("waves")...)
	case g.Waves < 2 && a.WaveEvery != nil:
		c.fail(problem{"there is no second wave", c.found(key("wave_every")...), "wave_every with waves of at least 2", "add waves:, or leave it out"}, key("wave_every")...)
	}
}

func (c *compiler) phase(i int, ph *Phase, at []string) workload.Phase {
	key := func(name string) []string { return append(at[:len(at):len(at)], name) }
	p, ok := c.profileOf(ph.Profile, key("profile")...)
	if ok {
		c.lengths(p, "agents")
		c.interval(p)
	}
	rounds := dist(c, &ph.Rounds, key("rounds"))
	if rounds.Mean() < 1 {
		c.fail(problem{"fewer than one round", c.found(key("rounds")...), "at least 1", "write rounds: 1"}, key("rounds")...)
	}
	if i == 0 && ph.KeepContext {
		c.fail(problem{"the first phase has no context to keep", "true", "false in the first phase", "leave it out"}, key("keep_context")...)
	}
	out := workload.Phase{Profile: p, Rounds: rounds, Keep: ph.KeepContext, Tool: dist(c, &ph.Tool, key("tool"))}
	c.fanOut(ph, &out, key)
	return out
}

// maxFanOut is the largest number of sub-agents of a round.
const maxFanOut = 1024

// fanOut sets the sub-agents of a phase.
func (c *compiler) fanOut(ph *Phase, out *workload.Phase, key func(string) []string) {
	if !ph.FanOut.given() {
		alone := func(name string, given bool) {
			if given {
				c.fail(problem{name + " without sub-agents", c.found(key(name)...), name + " with fan_out", "add fan_out:, or leave it out"}, key(name)...)
			}
		}
		alone("sub_profile", ph.SubProfile != "")
		alone("sub_rounds", ph.SubRounds.given())
		return
	}
	fanOut := dist(c, &ph.FanOut, key("fan_out"))
	if fanOut.Mean() > maxFanOut {
		c.fail(problem{"too many sub-agents", c.found(key("fan_out")...), "a mean of up to " + strconv.Itoa(maxFanOut), "lower it"}, key("fan_out")...)
	}
	subProfile, subRounds := 0, one()
	if ph.SubProfile == "" && fanOut.Mean() > 0 {
		c.fail(problem{"sub-agents without a profile", "no sub_profile", "sub_profile: profile of the sub-agents' requests", "add sub_profile:"}, key("fan_out")...)
	} else if ph.SubProfile != "" {
		var ok bool
		if subProfile, ok = c.profileOf(ph.SubProfile, key("sub_profile")...); ok {
			c.lengths(subProfile, "sub-agents")
		}
	}
	if ph.SubRounds.given() {
		if subRounds = dist(c, &ph.SubRounds, key("sub_rounds")); subRounds.Mean() < 1 {
			c.fail(problem{"fewer than one round", c.found(key("sub_rounds")...), "at least 1", "write sub_rounds: 1"}, key("sub_rounds")...)
		}
	}
	if fanOut.Mean() > 0 { // else a variant has switched the sub-agents off
		out.FanOut, out.SubProfile, out.SubRounds = fanOut, subProfile, subRounds
	}
}

// one is the constant 1.
func one() workload.Dist { return workload.Must(workload.Constant(1)) }

// interval checks that a profile of agents says how often they ask.
func (c *compiler) interval(p int) {
	name := c.profileNames[p]
	if !c.spec.Workload.Profiles.Values[p].Interval.given() {
		c.missing(p, "interval", "time between an agent's requests", "agents")
		return
	}
	if mean := c.out.Workload.Profiles[p].Interval.Mean(); mean < minInterval.Seconds() {
		c.fail(problem{
			"agents would ask endlessly often", c.found("workload", "profiles", name, "interval"), "a mean of at least " + minInterval.String(), "write for example interval: 15s",
		}, "workload", "profiles", name, "interval")
	}
}

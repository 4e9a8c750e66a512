package workload

import (
	"errors"
	"fmt"
)

const (
	maxAgents   = 10_000_000
	maxClients  = 100_000_000
	maxRate     = 1e6
	maxGrouped  = 1_000_000 // clients that are sources of their own
	minInterval = 1e-6      // seconds
)

// Validate reports everything that is wrong with the configuration, each with the
// path of the field, such as agents.writers.phases[0].rounds, or agents[1]... where
// there is no name. It does not look at trace files.
func (c *Config) Validate() error {
	v := &validator{profiles: c.Profiles}
	if c.Duration <= 0 {
		v.add("duration", "is %v, must be positive", c.Duration)
	}
	if err := c.Share.Validate(); err != nil {
		v.errs = append(v.errs, err)
	}
	if len(c.Agents)+len(c.Streams)+len(c.Traces) == 0 {
		v.add("workload", "has no agents, streams or traces")
	}
	for i := range c.Profiles {
		v.profile(label("profiles", i, c.Profiles[i].Name), &c.Profiles[i])
	}
	agents, clients, grouped := 0, 0, 0
	for i := range c.Agents {
		v.group(label("agents", i, c.Agents[i].Name), &c.Agents[i])
		agents = saturate(agents, c.Agents[i].Count)
	}
	for i := range c.Streams {
		v.stream(label("streams", i, c.Streams[i].Name), &c.Streams[i])
		clients = saturate(clients, c.Streams[i].Clients)
		if m := c.Streams[i].Mix; m != nil && len(m.Groups) > 0 {
			grouped = saturate(grouped, c.Streams[i].Clients)
		}
	}
	for i := range c.Traces {
		v.trace(label("traces", i, c.Traces[i].Name), &c.Traces[i])
		clients = saturate(clients, c.Traces[i].Clients)
	}
	if agents > maxAgents {
		v.add("agents", "are more than %d", maxAgents)
	}
	if grouped > maxGrouped {
		v.add("clients", "in groups are more than %d", maxGrouped)
	}
	if saturate(agents, clients) > maxClients {
		v.add("clients", "are more than %d", maxClients)
	}
	return errors.Join(v.errs...)
}

type validator struct {
	profiles []Profile
	errs     []error
}

func (v *validator) add(field, format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("%s %s", field, fmt.Sprintf(format, args...)))
}

func (v *validator) profile(at string, p *Profile) {
	if p.MaxContext < 0 || p.MaxContext > maxTokens {
		v.add(at+".max_context", "is %d, must be 0 to %d", p.MaxContext, int64(maxTokens))
	}
	if p.MaxOutput < 0 || p.MaxOutput > maxTokens {
		v.add(at+".max_output", "is %d, must be 0 to %d", p.MaxOutput, int64(maxTokens))
	}
	if p.Topics < 0 || p.Topics > maxTopics {
		v.add(at+".topics", "is %d, must be 0 to %d", p.Topics, maxTopics)
	}
	if !(p.TopicSkew >= 0 && p.TopicSkew <= 10) {
		v.add(at+".topic_skew", "is %v, must be 0 to 10", p.TopicSkew)
	}
	if p.Wordings < 0 || p.Wordings > maxTopics {
		v.add(at+".wordings", "is %d, must be 0 to %d", p.Wordings, maxTopics)
	}
	if !(p.HardShare >= 0 && p.HardShare <= 1) {
		v.add(at+".hard_share", "is %v, must be 0 to 1", p.HardShare)
	}
	if !(p.WriteShare >= 0 && p.WriteShare <= 1) {
		v.add(at+".write_share", "is %v, must be 0 to 1", p.WriteShare)
	}
	if !(p.EstimateSigma >= 0 && p.EstimateSigma <= 10) {
		v.add(at+".estimate_sigma", "is %v, must be 0 to 10", p.EstimateSigma)
	}
}

func (v *validator) fanOut(at string, ph *Phase) {
	if ph.FanOut.zero() {
		if !ph.SubRounds.zero() || ph.SubProfile != 0 {
			v.add(at+".fan_out", "is 0, but sub_rounds or sub_profile is set: there are no sub-agents")
		}
		return
	}
	if m := ph.FanOut.Mean(); m > maxFanOut {
		v.add(at+".fan_out", "has mean %v, must be at most %d", m, maxFanOut)
	}
	if m := ph.SubRounds.Mean(); m < 1 {
		v.add(at+".sub_rounds", "has mean %v, must be at least 1", m)
	}
	if n := ph.SubProfile; n < 0 || n >= len(v.profiles) {
		v.add(at+".sub_profile", "is %d, there are %d profiles", n, len(v.profiles))
	}
}

func (v *validator) group(at string, g *AgentGroup) {
	if g.Count < 1 {
		v.add(at+".count", "is %d, must be at least 1", g.Count)
	}
	if g.Stagger < 0 {
		v.add(at+".stagger", "is %v, must not be negative", g.Stagger)
	}
	if g.Waves < 0 || g.Waves > max(g.Count, 0) {
		v.add(at+".waves", "is %d, must be 0 to the count, %d", g.Waves, g.Count)
	}
	if g.WaveEvery < 0 {
		v.add(at+".wave_every", "is %v, must not be negative", g.WaveEvery)
	}
	if g.WaveEvery > 0 && g.Waves < 2 {
		v.add(at+".wave_every", "is %v, but waves is %d: there is no second wave", g.WaveEvery, g.Waves)
	}
	if len(g.Phases) == 0 {
		v.add(at+".phases", "is empty")
	}
	for i := range g.Phases {
		ph := &g.Phases[i]
		in := fmt.Sprintf("%s.phases[%d]", at, i)
		if m := ph.Rounds.Mean(); m < 1 {
			v.add(in+".rounds", "has mean %v, must be at least 1", m)
		}
		if i == 0 && ph.Keep {
			v.add(in+".keep", "is set, but the first phase has nothing to keep")
		}
		v.fanOut(in, ph)
		if !v.profileIndex(in, ph.Profile) {
			continue
		}
		if m := v.profiles[ph.Profile].Interval.Mean(); m < minInterval {
			v.add(label("profiles", ph.Profile, v.profiles[ph.Profile].Name)+".interval", "has mean %v s, must be at least %v s, since %s uses it", m, minInterval, in)
		}
	}
}

func (v *validator) clients(at string, n int) {
	if n < 1 {
		v.add(at+".clients", "is %d, must be at least 1", n)
	}
}

func (v *validator) profileIndex(at string, i int) bool {
	if i >= 0 && i < len(v.profiles) {
		return true
	}
	v.add(at+".profile", "is %d, there are %d profiles", i, len(v.profiles))
	return false
}

func label(kind string, i int, name string) string {
	if name == "" {
		return fmt.Sprintf("%s[%d]", kind, i)
	}
	return kind + "." + name
}

// saturate adds two counts, of which negative ones have been reported already,
// without overflow.
func saturate(a, b int) int {
	return min(a, maxClients+1) + min(max(b, 0), maxClients+1)
}

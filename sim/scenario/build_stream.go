package scenario

import (
	"slices"
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

// Limits on streams.
const (
	maxGrouped = 1_000_000 // clients of groups: each is a source of its own
	maxSpikes  = 100
)

var arrivals = map[string]workload.Arrivals{
	"": workload.ArrivalsPoisson, "poisson": workload.ArrivalsPoisson, "constant": workload.ArrivalsConstant,
	"gamma": workload.ArrivalsGamma, "weibull": workload.ArrivalsWeibull,
}

// streamAt makes paths below a stream.
type streamAt []string

func (at streamAt) key(names ...string) []string { return append(at[:len(at):len(at)], names...) }

func (c *compiler) stream(name string, s *Stream) {
	at := streamAt{"workload", "streams", name}
	out := workload.Stream{Name: name, Arrivals: arrivals[s.Arrivals], Clients: defaultClients}
	set(&out.Clients, s.Clients)
	setDuration(&out.Tick, s.Tick)
	c.rate(s, &out, at)
	c.spikes(s, &out, at)
	switch {
	case s.Mix.Len() > 0 && s.Groups.Len() > 0:
		c.fail(problem{"both mix and groups", c.found(at.key("mix")...), "one of them", "give each group a profile, and leave mix out"}, at.key("mix")...)
	case s.Mix.Len() > 0:
		c.mix(s, &out, at)
	case s.Groups.Len() > 0:
		c.groups(s, &out, at)
	case s.Profile == "":
		c.fail(problem{"missing key profile", "no profile", "profile: Profile of its requests", "add profile:"}, at...)
	default:
		out.Profile = c.streamProfile(s.Profile, at.key("profile"))
	}
	c.sessions(s, &out, at)
	if s.Groups.Len() == 0 {
		out.CV = c.cv(s, s.CV, at, at.key("cv"))
	}
	c.out.Workload.Streams = append(c.out.Workload.Streams, out)
}

// streamProfile returns the index of the profile named at the path.
func (c *compiler) streamProfile(name string, at []string) int {
	p, ok := c.profileOf(name, at...)
	if ok {
		c.lengths(p, "streams")
	}
	return p
}

// cv checks the coefficient of variation of a stream or a group: gamma and weibull
// gaps need one, others have none.
func (c *compiler) cv(s *Stream, cv *Number, whole, at []string) float64 {
	bursty := s.Arrivals == "gamma" || s.Arrivals == "weibull"
	switch kind := orElse(s.Arrivals, "poisson"); {
	case bursty && cv == nil:
		c.fail(problem{"missing key cv", "no cv", "cv: coefficient of variation of " + kind + " gaps", "add cv:, such as cv: 3"}, whole...)
	case !bursty && cv != nil:
		c.fail(problem{"cv has no meaning for " + kind + " arrivals", c.found(at...), "cv with arrivals: gamma or weibull", "leave it out, or set arrivals: gamma"}, at...)
	case cv != nil:
		return float64(*cv)
	}
	return 0
}

// rate sets how many requests arrive, and how that moves.
func (c *compiler) rate(s *Stream, out *workload.Stream, at streamAt) {
	var given []string
	for _, r := range []struct {
		name  string
		given bool
	}{{"rate", s.Rate.given()}, {"sine", s.Sine != nil}, {"bursts", s.Bursts.Len() > 0}} {
		if r.given {
			given = append(given, r.name)
		}
	}
	switch {
	case len(given) == 0:
		c.fail(problem{"missing key rate", "no rate", "rate: Requests per second, or one of sine and bursts", "add rate:"}, at...)
		return
	case len(given) > 1:
		c.fail(problem{"more than one rate", list(given), "one of rate, sine and bursts", "leave all but one out; spikes come on top"}, at.key(given[1])...)
		return
	}
	switch {
	case s.Rate.Constant != nil:
		out.Rate = float64(*s.Rate.Constant)
	case s.Rate.given():
		out.Curve = new(workload.Curve)
		for _, p := range s.Rate.Points {
			out.Curve.Points = append(out.Curve.Points, workload.Point{At: time.Duration(p.At), Rate: float64(p.Rate)})
		}
	case s.Sine != nil:
		out.Curve = &workload.Curve{Sine: c.sine(s.Sine, at)}
	default:
		out.Curve = &workload.Curve{States: c.bursts(&s.Bursts, at)}
	}
}

func (c *compiler) sine(s *Sine, at streamAt) *workload.Sine {
	out := &workload.Sine{Base: float64(s.Base), Amplitude: float64(s.Amplitude), Period: 24 * time.Hour, Phase: time.Duration(s.Phase)}
	setDuration(&out.Period, s.Period)
	if s.Amplitude > s.Base {
		c.fail(problem{
			"the rate would fall below 0", c.found(at.key("sine", "amplitude")...), "up to base, " + c.found(at.key("sine", "base")...), "lower amplitude or raise base",
		}, at.key("sine", "amplitude")...)
	}
	return out
}

func (c *compiler) bursts(m *Map[BurstState], at streamAt) []workload.State {
	var out []workload.State
	most := Number(0)
	for _, s := range m.Values {
		most = max(most, s.Rate)
		out = append(out, workload.State{Rate: float64(s.Rate), Dwell: time.Duration(s.Dwell)})
	}
	switch found := c.found(at.key("bursts")...); {
	case len(out) < 2:
		c.fail(problem{"a state that there is no way out of", found, "at least two states", "add a state, or write rate: instead"}, at.key("bursts")...)
	case most == 0:
		c.fail(problem{"no rate above 0", found, "at least one state with a rate above 0", "raise a rate"}, at.key("bursts")...)
	}
	return out
}

// spikes sets the load on top of the rate.
func (c *compiler) spikes(s *Stream, out *workload.Stream, at streamAt) {
	if s.Spikes.Len() == 0 {
		return
	}
	if n := s.Spikes.Len(); n > maxSpikes {
		c.fail(problem{"too many spikes", strconv.Itoa(n), "up to " + strconv.Itoa(maxSpikes), "use every to repeat one"}, at.key("spikes")...)
	}
	if out.Curve == nil {
		out.Curve = new(workload.Curve)
	}
	for i, name := range s.Spikes.Names {
		sp, in := s.Spikes.Values[i], streamAt(at.key("spikes", name))
		spike := workload.Spike{At: time.Duration(sp.At)}
		setDuration(&spike.For, sp.For)
		setDuration(&spike.Every, sp.Every)
		setNumber(&spike.Extra, sp.Extra)
		if sp.Count != nil {
			spike.Count = int64(*sp.Count)
		}
		switch {
		case sp.Extra == nil && sp.Count == nil:
			c.fail(problem{"a spike without load", "neither extra nor count", "extra with for, or count", "add extra: 100 and for: 30s, or count: 500"}, in...)
		case sp.Extra != nil && sp.For == nil:
			c.fail(problem{"missing key for", "no for", "for: Length of extra", "add for:"}, in...)
		case sp.Extra == nil && sp.For != nil:
			c.fail(problem{"for has no meaning without extra", c.found(in.key("for")...), "for with extra", "count comes at once: leave for out"}, in.key("for")...)
		}
		if sp.Every != nil && sp.For != nil && *sp.Every < *sp.For {
			c.fail(problem{"repeats before it is over", c.found(in.key("every")...), "at least the length, " + c.found(in.key("for")...), "lengthen every or shorten for"}, in.key("every")...)
		}
		out.Curve.Spikes = append(out.Curve.Spikes, spike)
	}
}

// mix sets the profiles that requests draw.
func (c *compiler) mix(s *Stream, out *workload.Stream, at streamAt) {
	if s.Profile != "" {
		c.fail(problem{"both profile and mix", c.found(at.key("profile")...), "one of them", "leave profile out: mix names them all"}, at.key("profile")...)
	}
	out.Mix = new(workload.Mix)
	most := Number(0)
	for i, name := range s.Mix.Names {
		p, weight := c.streamProfile(name, at.key("mix", name)), *s.Mix.Values[i]
		most = max(most, weight)
		out.Mix.Profiles = append(out.Mix.Profiles, workload.Weighted{Profile: p, Weight: float64(weight)})
	}
	if most == 0 {
		c.fail(problem{"all weights are 0", c.found(at.key("mix")...), "at least one weight above 0", "raise a weight"}, at.key("mix")...)
	}
}

// sessions sets which profiles have sessions, and how long those are.
func (c *compiler) sessions(s *Stream, out *workload.Stream, at streamAt) {
	for i, name := range s.Sessions.Names {
		p, ok := c.profiles[name]
		used := out.Mix == nil && out.Profile == p
		if out.Mix != nil {
			used = slices.ContainsFunc(out.Mix.Profiles, func(w workload.Weighted) bool { return w.Profile == p }) ||
				slices.ContainsFunc(out.Mix.Groups, func(g workload.ClientGroup) bool { return g.Profile == p })
		}
		in := at.key("sessions", name)
		switch {
		case !ok:
			c.fail(unknownName("profile", name, c.profileNames), in...)
			continue
		case !used:
			c.fail(problem{"sessions of a profile that the stream does not use", c.found(in...), "profiles of this stream", "add it to mix, or leave it out"}, in...)
			continue
		case !c.spec.Workload.Profiles.Values[p].Interval.given():
			c.missing(p, "interval", "least time between a session's requests", "sessions")
		}
		rounds := dist(c, s.Sessions.Values[i], in)
		if rounds.Mean() < 1 {
			c.fail(problem{"fewer than one round", c.found(in...), "at least 1", "write 1"}, in...)
		}
		out.Sessions = append(out.Sessions, workload.Session{Profile: p, Rounds: rounds})
	}
}

// groups sets the groups of clients.
func (c *compiler) groups(s *Stream, out *workload.Stream, at streamAt) {
	if out.Clients > maxGrouped {
		c.fail(problem{"too many clients in groups", strconv.Itoa(out.Clients), "up to " + strconv.Itoa(maxGrouped), "lower clients"}, at.key("clients")...)
	}
	out.Mix = new(workload.Mix)
	weights := make([]float64, s.Groups.Len())
	for i, name := range s.Groups.Names {
		g, in := s.Groups.Values[i], streamAt(at.key("groups", name))
		weights[i] = float64(g.Clients)
		group := workload.ClientGroup{Name: name, Weight: weights[i], Share: float64(g.Requests)}
		switch {
		case g.Profile != "":
			group.Profile = c.streamProfile(g.Profile, in.key("profile"))
		case s.Profile != "":
			group.Profile = c.streamProfile(s.Profile, at.key("profile"))
		default:
			c.fail(problem{"missing key profile", "no profile, and none of the stream", "profile: Profile of its requests", "add profile:"}, in...)
		}
		if g.CV != nil {
			group.CV = c.cv(s, g.CV, in, in.key("cv"))
		} else {
			group.CV = c.cv(s, s.CV, in, at.key("cv"))
		}
		out.Mix.Groups = append(out.Mix.Groups, group)
	}
	sizes, err := workload.Split(int64(out.Clients), weights)
	for i := range sizes {
		if err == nil && sizes[i] == 0 {
			in := at.key("groups", s.Groups.Names[i], "clients")
			c.fail(problem{"a group without clients", c.found(in...), "a part that comes to one of the " + strconv.Itoa(out.Clients) + " clients at least", "raise it, or the clients of the stream"}, in...)
		}
	}
}

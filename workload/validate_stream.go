package workload

import (
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	maxSpikes = 100
	maxCount  = 1_000_000 // requests at once
	minDwell  = time.Millisecond
	// minShare is the least part of a stream's requests that a client of a group has.
	minShare = 1e-12
)

func (v *validator) stream(at string, s *Stream) {
	v.clients(at, s.Clients)
	switch own := s.Curve != nil && s.Curve.kinds() > 0; {
	case own && s.Rate != 0:
		v.add(at+".rate", "is %v, must be 0 since the curve has a rate of its own", s.Rate)
	case !own && !(s.Rate > 0 && s.Rate <= maxRate):
		v.add(at+".rate", "is %v, must be above 0 and at most %v", s.Rate, maxRate)
	}
	if s.Arrivals > ArrivalsWeibull {
		v.add(at+".arrivals", "is %d, must be constant, Poisson, Gamma or Weibull", s.Arrivals)
	}
	if s.Mix == nil || len(s.Mix.Groups) == 0 {
		v.cv(at+".cv", s.CV, s.Arrivals)
	}
	if s.Curve != nil {
		v.curve(at+".curve", s.Curve)
	}
	if s.Tick < 0 || s.Tick > maxSpread {
		v.add(at+".tick", "is %v, must be 0 to %v", s.Tick, maxSpread)
	}
	v.sessions(at+".sessions", s.Sessions)
	if s.Mix == nil {
		v.profileIndex(at, s.Profile)
		return
	}
	switch profiles, groups := len(s.Mix.Profiles), len(s.Mix.Groups); {
	case profiles == 0 && groups == 0:
		v.add(at+".mix", "has neither profiles nor groups")
	case profiles > 0 && groups > 0:
		v.add(at+".mix", "has both profiles and groups: a group has its own profile")
	case profiles > 0:
		v.profileMix(at+".mix", s.Mix.Profiles)
	default:
		v.groups(at+".mix", s)
	}
}

func (v *validator) sessions(at string, list []Session) {
	for i, s := range list {
		in := fmt.Sprintf("%s[%d]", at, i)
		v.profileIndex(in, s.Profile)
		if m := s.Rounds.Mean(); m < 1 {
			v.add(in+".rounds", "has mean %v, must be at least 1", m)
		}
		if slices.ContainsFunc(list[:i], func(o Session) bool { return o.Profile == s.Profile }) {
			v.add(in+".profile", "is %d, which has sessions already", s.Profile)
		}
	}
}

func (v *validator) cv(at string, cv float64, arrivals Arrivals) {
	bursty := arrivals == ArrivalsGamma || arrivals == ArrivalsWeibull
	if err := checkCV(cv); bursty && err != nil {
		v.add(at, "is %v, must be %v to %v for Gamma and Weibull arrivals", cv, minCV, maxCV)
	}
	if !bursty && cv != 0 {
		v.add(at, "is %v, must be 0 for constant and Poisson arrivals", cv)
	}
}

func (v *validator) profileMix(at string, profiles []Weighted) {
	weights := make([]float64, len(profiles))
	for i, p := range profiles {
		in := fmt.Sprintf("%s.profiles[%d]", at, i)
		v.profileIndex(in, p.Profile)
		weights[i] = v.number(in+".weight", p.Weight, 0, math.MaxFloat64)
	}
	if err := checkWeights(weights); err != nil {
		v.add(at+".profiles", "have weights that %v", err)
	}
}

func (v *validator) groups(at string, s *Stream) {
	before, sum := len(v.errs), 0.0
	for i := range s.Mix.Groups {
		g := &s.Mix.Groups[i]
		in := label(at+".groups", i, g.Name)
		v.number(in+".weight", g.Weight, math.SmallestNonzeroFloat64, math.MaxFloat64)
		v.number(in+".share", g.Share, math.SmallestNonzeroFloat64, math.MaxFloat64)
		v.profileIndex(in, g.Profile)
		cv := g.CV
		if cv == 0 {
			cv = s.CV
		}
		v.cv(in+".cv", cv, s.Arrivals)
		sum += g.Share
	}
	if math.IsInf(sum, 0) {
		v.add(at+".groups", "have shares that add up to %v", sum)
	}
	if len(v.errs) > before || s.Clients < 1 || s.Clients > maxGrouped {
		return
	}
	sizes, shares, err := groupSizes(s)
	if err != nil {
		v.add(at+".groups", "cannot be dealt: %v", err)
		return
	}
	if i := slices.Index(sizes, 0); i >= 0 {
		v.add(label(at+".groups", i, s.Mix.Groups[i].Name)+".weight", "is %v, which is none of the stream's %d clients", s.Mix.Groups[i].Weight, s.Clients)
		return
	}
	if least := slices.Min(shares); least < minShare {
		v.add(at+".groups", "have a client with %v of the requests, must be at least %v", least, minShare)
	}
}

// kinds returns how many descriptions of the rate the curve has.
func (c *Curve) kinds() int {
	n := 0
	if len(c.Points) > 0 {
		n++
	}
	if c.Sine != nil {
		n++
	}
	if len(c.States) > 0 {
		n++
	}
	return n
}

func (v *validator) curve(at string, c *Curve) {
	switch n := c.kinds(); {
	case n > 1:
		v.add(at, "has %d of points, sine and states, must have one at most", n)
	case n == 0 && len(c.Spikes) == 0:
		v.add(at, "has none of points, sine, states and spikes")
	}
	v.points(at+".points", c.Points)
	if c.Sine != nil {
		v.sine(at+".sine", c.Sine)
	}
	v.states(at+".states", c.States)
	if len(c.Spikes) > maxSpikes {
		v.add(at+".spikes", "are %d, must be at most %d", len(c.Spikes), maxSpikes)
	}
	for i := range c.Spikes {
		v.spike(fmt.Sprintf("%s.spikes[%d]", at, i), &c.Spikes[i])
	}
}

func (v *validator) points(at string, points []Point) {
	most := 0.0
	for i, p := range points {
		in := fmt.Sprintf("%s[%d]", at, i)
		most = max(most, v.number(in+".rate", p.Rate, 0, maxRate))
		switch {
		case p.At < 0:
			v.add(in+".at", "is %v, must not be negative", p.At)
		case i > 0 && p.At < points[i-1].At:
			v.add(in+".at", "is %v, before the %v of the point before it", p.At, points[i-1].At)
		}
	}
	if len(points) > 0 && most == 0 {
		v.add(at, "have no rate above 0")
	}
}

func (v *validator) sine(at string, s *Sine) {
	if base := v.number(at+".base", s.Base, 0, maxRate); base == 0 {
		v.add(at+".base", "is 0, must be above 0")
	}
	if !(s.Amplitude >= 0 && s.Amplitude <= s.Base) {
		v.add(at+".amplitude", "is %v, must be 0 to the base, %v", s.Amplitude, s.Base)
	}
	if s.Period < minDwell {
		v.add(at+".period", "is %v, must be at least %v", s.Period, minDwell)
	}
	if s.Phase < 0 {
		v.add(at+".phase", "is %v, must not be negative", s.Phase)
	}
}

func (v *validator) states(at string, states []State) {
	if len(states) == 0 {
		return
	}
	if len(states) == 1 {
		v.add(at, "has one state, must have at least two")
	}
	most := 0.0
	for i, s := range states {
		in := fmt.Sprintf("%s[%d]", at, i)
		most = max(most, v.number(in+".rate", s.Rate, 0, maxRate))
		if s.Dwell < minDwell {
			v.add(in+".dwell", "is %v, must be at least %v", s.Dwell, minDwell)
		}
	}
	if most == 0 {
		v.add(at, "have no rate above 0")
	}
}

func (v *validator) spike(at string, s *Spike) {
	extra := v.number(at+".extra", s.Extra, 0, maxRate)
	if s.Count < 0 || s.Count > maxCount {
		v.add(at+".count", "is %d, must be 0 to %d", s.Count, maxCount)
	}
	if extra == 0 && s.Count == 0 {
		v.add(at, "has neither extra nor count")
	}
	if s.At < 0 {
		v.add(at+".at", "is %v, must not be negative", s.At)
	}
	if s.For < 0 || extra > 0 && s.For == 0 {
		v.add(at+".for", "is %v, must be positive with extra", s.For)
	}
	if s.Every != 0 && s.Every < max(s.For, minDwell) {
		v.add(at+".every", "is %v, must be 0 or at least %v", s.Every, max(s.For, minDwell))
	}
}

// number reports a value that is not from low to high, and returns it, 0 in its place.
func (v *validator) number(at string, x, low, high float64) float64 {
	switch {
	case x >= low && x <= high:
		return x
	case high < math.MaxFloat64:
		v.add(at, "is %v, must be %v to %v", x, low, high)
	case low == 0:
		v.add(at, "is %v, must be finite and not negative", x)
	default:
		v.add(at, "is %v, must be finite and above 0", x)
	}
	return 0
}

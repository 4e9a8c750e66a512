package workload

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// stream is where an open stream stands before its coming request.
type stream struct {
	source   int
	client   uint32 // its first identity
	clients  uint64
	profile  int
	number   uint64        // of the coming request
	at       time.Duration // Poisson: instant of the coming request, or of the start
	poisson  bool
	drawn    bool // at is that of the coming request
	gaps     Dist // Poisson
	schedule period
	flow     *flow     // what arrives otherwise; nil: constant or Poisson, by the above
	blend    *blend    // nil: all of one profile
	sessions *sessions // nil: each request stands by itself
	byNumber bool      // shares are dealt its requests, or its sessions, not its clients
}

// blend is what a request's profile is drawn from.
type blend struct {
	profiles []int
	sums     []float64
}

func newStream(s *Stream, source, client int) stream {
	return stream{
		source: source, client: uint32(client), clients: uint64(s.Clients), profile: s.Profile,
		poisson:  s.Arrivals != ArrivalsConstant,
		gaps:     Dist{kind: distExponential, a: 1 / s.Rate},
		schedule: newPeriod(s.Rate),
	}
}

// whoAsks draws profile and client of the coming request.
func (w *Workload) whoAsks(s *stream, base uint64) (profile int, client uint32) {
	turn := s.number % s.clients
	if s.poisson {
		turn, _ = bits.Mul64(hash(base, forClient, s.number), s.clients)
	}
	profile = s.profile
	if s.blend != nil {
		profile = s.blend.profiles[pick(s.blend.sums, unit(base, forProfile, s.number))]
	}
	return profile, s.client + uint32(turn)
}

// addStream adds the stream's sources: one, or one for each client of its groups.
func (w *Workload) addStream(s *Stream) error {
	first := newStream(s, w.Sources(), w.clients)
	first.sessions, first.byNumber = newSessions(s, len(w.profiles)), w.share.byNumber(s.Clients)
	base := w.dice.base(first.source)
	switch {
	case s.Mix != nil && len(s.Mix.Groups) > 0:
		return w.addGroups(s, &first, newCourse(s, base))
	case s.Mix != nil:
		first.blend = newBlend(s.Mix.Profiles)
	}
	if s.Curve != nil || s.Arrivals > ArrivalsPoisson || s.Tick > 0 {
		first.flow = newFlow(newCourse(s, base), s, s.CV, 1)
		for i := range first.flow.volleys {
			first.flow.volleys[i].deal(s.Curve.Spikes[i].Count)
		}
	}
	w.streams = append(w.streams, first)
	w.clients += s.Clients
	return nil
}

func newBlend(profiles []Weighted) *blend {
	m := &blend{}
	weights := make([]float64, len(profiles))
	for i, p := range profiles {
		m.profiles = append(m.profiles, p.Profile)
		weights[i] = p.Weight
	}
	m.sums = running(weights)
	return m
}

// nextOfStream returns the next request that belongs to the share. The others are drawn, too: what they are decides
// which sessions go on.
func (w *Workload) nextOfStream(s *stream) (Demand, bool) {
	base := w.dice.base(s.source)
	if s.clients == 1 && !s.byNumber && !w.share.hasClient(s.client) {
		return Demand{}, false
	}
	for {
		at, ok := w.arrival(s, base)
		if !ok {
			return Demand{}, false
		}
		number := s.number
		var d Demand
		if s.sessions != nil {
			d = w.nextOfSession(s, base, at)
			number = uint64(d.Task) // so that a session stays together
		} else {
			d = w.nextAlone(s, base, at)
		}
		s.number++
		s.drawn = false
		if w.share.hasArrival(s.byNumber, d.Client, number) {
			return d, true
		}
	}
}

// nextAlone returns the request that arrives at an instant, which goes on from no other.
func (w *Workload) nextAlone(s *stream, base uint64, at time.Duration) Demand {
	profile, client := w.whoAsks(s, base)
	p := &w.profiles[profile]
	d := Demand{
		Source: s.source, Client: client, Profile: profile,
		Task: uint32(s.number), Op: uint32(s.number >> 32), Intended: at,
		Out: w.dice.tokens(&p.Output, base, forOutput, s.number),
	}
	d.In, _ = w.prompt(p, base, s.number, 0, true)
	w.sharedPrefix(&d, p, base, s.number)
	w.complete(&d, p, base, s.number)
	return d
}

// arrival returns the instant of the coming request, false at the end.
func (w *Workload) arrival(s *stream, base uint64) (time.Duration, bool) {
	if s.flow != nil {
		return s.flow.arrive(w.dice, base, w.duration)
	}
	if !s.poisson {
		at, ok := s.schedule.at(s.number)
		return at, ok && at < w.duration
	}
	if !s.drawn {
		s.at += w.dice.gap(&s.gaps, base, s.number, w.duration-s.at)
		s.drawn = true
	}
	return s.at, s.at < w.duration
}

// period is the time between two constant arrivals, whole + part/rate nanoseconds,
// where the rate is a whole number of requests per some power of ten seconds. It is
// exact: the k-th instant carries no error from the ones before it.
type period struct {
	whole, part, rate uint64
}

// newPeriod takes the rate as it is written in decimal: 0.1 is a tenth, not the
// binary fraction nearest to it.
func newPeriod(perSecond float64) period {
	text := strconv.FormatFloat(perSecond, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	first, rest, _ := strings.Cut(mantissa, ".")
	rate, _ := strconv.ParseUint(first+rest, 10, 64)
	exp, _ := strconv.Atoi(exponent)
	exp -= len(rest) // perSecond = rate * 10^exp
	for ; exp > 0; exp-- {
		rate *= 10
	}
	hi, lo := uint64(0), uint64(time.Second)
	for ; exp < 0 && hi < rate; exp++ {
		var carry uint64
		carry, lo = bits.Mul64(lo, 10)
		hi = hi*10 + carry
	}
	if hi >= rate { // centuries
		return period{whole: math.MaxUint64, rate: 1}
	}
	whole, part := bits.Div64(hi, lo, rate)
	return period{whole: whole, part: part, rate: rate}
}

// at returns the instant of arrival k to the nearest nanosecond (so that a rate of
// 33.333333333333336 arrives on the full minute as 100/3 does); false if it is beyond
// what a Duration holds.
func (p period) at(k uint64) (time.Duration, bool) {
	over, whole := bits.Mul64(k, p.whole)
	hi, lo := bits.Mul64(k, p.part)
	part, rest := bits.Div64(hi, lo, p.rate) // part < rate, so the quotient is below k
	if rest >= p.rate-rest {
		part++
	}
	sum, carry := bits.Add64(whole, part, 0)
	if over != 0 || carry != 0 || sum > math.MaxInt64 {
		return 0, false
	}
	return time.Duration(sum), true
}

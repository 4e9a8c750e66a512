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
	flow     *flow  // what arrives otherwise; nil: constant or Poisson, by the above
	blend    *blend // nil: all of one profile
	byNumber bool   // shares are dealt its requests, not its clients
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

// addStream adds the stream's sources: one, or one for each client of its groups.
func (w *Workload) addStream(s *Stream) error {
	first := newStream(s, w.Sources(), w.clients)
	first.byNumber = w.share.byNumber(s.Clients)
	base := w.dice.base(first.source)
	switch {
	case s.Mix != nil && len(s.Mix.Groups) > 0:
		return w.addGroups(s, newCourse(s, base))
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

func (w *Workload) nextOfStream(s *stream) (Demand, bool) {
	base := w.dice.base(s.source)
	if s.clients == 1 && !s.byNumber && !w.share.hasClient(s.client) {
		return Demand{}, false
	}
	at, turn, ok := w.coming(s, base)
	for ; ok && !w.share.hasArrival(s.byNumber, s.client+uint32(turn), s.number); at, turn, ok = w.coming(s, base) {
		s.step()
	}
	if !ok {
		return Demand{}, false
	}
	profile := s.profile
	if s.blend != nil {
		profile = s.blend.profiles[pick(s.blend.sums, unit(base, forProfile, s.number))]
	}
	p := &w.profiles[profile]
	d := Demand{
		Source: s.source, Client: s.client + uint32(turn), Profile: profile,
		Task: uint32(s.number), Op: uint32(s.number >> 32), Intended: at,
		Out: w.dice.tokens(&p.Output, base, forOutput, s.number),
	}
	d.In, _ = w.prompt(p, base, s.number, 0, true)
	w.complete(&d, p, base, s.number)
	s.step()
	return d, true
}

// step moves the stream behind its coming request.
func (s *stream) step() {
	s.number++
	s.drawn = false
}

// coming returns the instant of the coming request and which of the stream's clients makes it, false at the end.
func (w *Workload) coming(s *stream, base uint64) (at time.Duration, turn uint64, ok bool) {
	at, ok = w.arrival(s, base)
	turn = s.number % s.clients
	if s.poisson {
		turn, _ = bits.Mul64(hash(base, forClient, s.number), s.clients)
	}
	return at, turn, ok
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

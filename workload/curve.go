package workload

import "time"

// Curve is how the rate of a stream moves. The rate itself is one of Points, Sine and
// States, or stays at Stream.Rate if there is none of them; Spikes come on top.
//
// Arrivals follow the area under the rate, the number of requests expected by an
// instant. Constant arrival k comes where the area reaches k. Like that of a stream of
// one rate, the first comes at area 0: at the first instant at which the rate is above
// 0. If the rate rises from 0 there, nothing has arrived yet, and the first comes where
// the area reaches 1: a ramp from 0 by s requests per second each second has its first
// arrival after sqrt(2/s) s.
//
// The gaps of other arrivals are drawn as areas, with mean 1, and then become times:
// bursts stay as bursty as they are while the rate moves, and the expected number of
// arrivals is the area.
//
// Instants are within a nanosecond of the exact ones for rates of 0.001 and more in runs
// of up to ten days; those of a sine where it is not below a thousandth of Base.
type Curve struct {
	// Points are joined by straight lines; At does not fall. Of points at one instant
	// the last holds from there on: the rate jumps. Before the first point the rate is
	// that of the first, after the last that of the last. [Stages] makes points of
	// stages. At least one rate is above 0.
	Points []Point
	Sine   *Sine
	// States are those of a Markov-modulated rate, at least two. A state lasts for an
	// exponential time, then another one follows, each as likely as the others. At the
	// beginning a state is as likely as its share of the time, so the mean rate is the
	// mean of the rates weighted by Dwell at every instant. All clients of a stream see
	// the same states.
	States []State
	Spikes []Spike
}

// Point is a rate at an instant.
type Point struct {
	At   time.Duration // not negative
	Rate float64       // requests per second, 0 to 1e6
}

// Stage is a time in which the rate moves evenly from one value to another.
type Stage struct {
	For      time.Duration
	From, To float64 // requests per second
}

// Stages returns the points of stages that follow each other, the first from 0 on.
// After the last stage the rate stays at what it ended with.
func Stages(stages ...Stage) []Point {
	var points []Point
	at := time.Duration(0)
	for _, s := range stages {
		points = append(points, Point{At: at, Rate: s.From})
		at += s.For
		points = append(points, Point{At: at, Rate: s.To})
	}
	return points
}

// Sine is the rate Base + Amplitude*sin(2 pi (t-Phase)/Period), such as that of a day.
type Sine struct {
	Base      float64 // requests per second, above 0 and at most 1e6
	Amplitude float64 // 0 to Base
	Period    time.Duration
	Phase     time.Duration // when the rate is at Base and rising; not negative
}

// State is a state of a Markov-modulated rate.
type State struct {
	Rate  float64       // requests per second, 0 to 1e6; one of them is above 0
	Dwell time.Duration // mean time in the state, at least a millisecond
}

// Spike is additional load from At on. At least one of Extra and Count is above 0.
type Spike struct {
	At    time.Duration // not negative
	For   time.Duration // how long Extra lasts; above 0 if Extra is
	Extra float64       // requests per second on top of the rate, up to 1e6
	// Count requests arrive at once, which is a nanosecond apart. Clients of groups get
	// their part by largest remainder. At most a million.
	Count int64
	// Every repeats the spike at this interval, which is not shorter than For.
	// 0: it comes once.
	Every time.Duration
}

// Mix is what a stream is made of: profiles, or groups of clients with a profile each,
// but not both.
type Mix struct {
	// Profiles are drawn for each request, as likely as their weights.
	Profiles []Weighted
	// Groups of clients with their own share of the stream and their own burstiness.
	// Each client has arrivals of its own, with the kind of the stream; constant ones
	// begin at a random point of their gap.
	Groups []ClientGroup
}

// Weighted is a profile and its weight, which is relative and not negative; one of
// a mix is above 0.
type Weighted struct {
	Profile int
	Weight  float64
}

// ClientGroup is a part of a stream's clients that are alike.
type ClientGroup struct {
	Name string
	// Weight is the group's part of the stream's clients, relative to that of the
	// others: the clients are dealt by largest remainder, see [Split], the first
	// identities to the first group. A group that gets none is an error.
	Weight float64
	// Share is the group's part of the stream's requests, relative to that of the
	// others and above 0, in equal parts from each of its clients.
	Share   float64
	CV      float64 // of the gaps of each client; 0: that of the stream
	Profile int
}

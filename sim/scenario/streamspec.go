package scenario

import "reflect"

// Stream is an open loop.
type Stream struct {
	Profile  string            `yaml:"profile" doc:"Profile of its requests; needed unless mix or each of the groups names some."`
	Rate     Rate              `yaml:"rate" doc:"Requests per second: a number, or a list of {at, rate} that straight lines join. One of rate, sine and bursts is needed."`
	Arrivals string            `yaml:"arrivals" jsonschema:"enum=poisson,enum=constant,enum=gamma,enum=weibull" doc:"Gaps between requests: poisson (default), constant, or gamma or weibull with a cv."`
	CV       *Number           `yaml:"cv" jsonschema:"minimum=0.01,maximum=100" doc:"Coefficient of variation of gamma and weibull gaps, which need it: 1 is poisson, more is burstier."`
	Clients  *int              `yaml:"clients" jsonschema:"minimum=1,maximum=10000000" doc:"Client identities that the stream is spread over, for agent caps and conversations (default 100); up to 1000000 with groups."`
	Sine     *Sine             `yaml:"sine" doc:"A rate that swings, such as that of a day."`
	Bursts   Map[BurstState]   `yaml:"bursts" doc:"A rate that jumps at random between two or more named states (Markov-modulated)."`
	Spikes   Map[Spike]        `yaml:"spikes" doc:"Load on top of the rate, by name, up to 100."`
	Mix      Map[Number]       `yaml:"mix" doc:"Profiles by weight, in place of profile: each request draws one."`
	Tick     *Duration         `yaml:"tick" jsonschema:"minimum=1us,maximum=24h" doc:"Gathers the requests at whole multiples of it, each at the one before its instant (default: as they come)."`
	Sessions Map[Dist[Tokens]] `yaml:"sessions" doc:"Rounds of a session, by profile: its requests then belong together, grow as agents' do, and come at least the profile's interval apart. Arrivals stay as they are: each goes to the session that has been due for longest, or begins one. Weights of mix count sessions."`
	Groups   Map[ClientGroup]  `yaml:"groups" doc:"Named groups of clients with their own part of the requests; each client has arrivals of its own."`
}

// RatePoint is a rate at an instant.
type RatePoint struct {
	At   Duration `yaml:"at" jsonschema:"required" doc:"Instant since the start, not before that of the point above it. Of two points at one instant the second holds from there on: a jump."`
	Rate Number   `yaml:"rate" jsonschema:"required,minimum=0,maximum=1000000" doc:"Requests per second then."`
}

// Rate is requests per second: a constant, or points joined by straight lines.
type Rate struct {
	Constant *Number
	Points   []RatePoint
}

func (v *Rate) shape() reflect.Type { return reflect.TypeFor[[]RatePoint]() }

func (v *Rate) given() bool { return v.Constant != nil || v.Points != nil }

func (v *Rate) decode(d *decoder, n *node, _ rules) {
	switch n.kind {
	case mapNode:
		d.add(n, problem{"not a rate", n.found(), "a number, or a list of {at, rate}", "write rate: 20, or [{at: 0s, rate: 0}, {at: 10m, rate: 100}]"})
		return
	case scalarNode:
		v.Constant = new(Number)
		v.Constant.decode(d, n, rules{above: "0", max: "1000000"})
		return
	}
	before := len(d.list) + d.more
	v.Points = []RatePoint{}
	d.items(n, reflect.ValueOf(&v.Points).Elem(), rules{})
	if before != len(d.list)+d.more {
		return
	}
	most := Number(0)
	for i, p := range v.Points {
		most = max(most, p.Rate)
		if i > 0 && p.At < v.Points[i-1].At {
			d.add(n.items[i].child("at"), problem{"points out of order", n.items[i].child("at").found(), "not before the point above it", "sort the points by at"})
		}
	}
	if most == 0 {
		d.add(n, problem{"no rate above 0", n.found(), "at least one point with a rate above 0", "raise a rate, or leave the stream out"})
	}
}

// Sine is a rate that swings.
type Sine struct {
	Base      Number    `yaml:"base" jsonschema:"required,exclusiveMinimum=0,maximum=1000000" doc:"Requests per second on average."`
	Amplitude Number    `yaml:"amplitude" jsonschema:"required,minimum=0,maximum=1000000" doc:"Requests per second above and below it, up to base."`
	Period    *Duration `yaml:"period" jsonschema:"minimum=1ms" doc:"Time of one swing (default 24h)."`
	Phase     Duration  `yaml:"phase" doc:"Instant at which the rate is at its base and rising (default 0s)."`
}

// BurstState is a state of a rate that jumps.
type BurstState struct {
	Rate  Number   `yaml:"rate" jsonschema:"required,minimum=0,maximum=1000000" doc:"Requests per second in this state; above 0 in one of them."`
	Dwell Duration `yaml:"dwell" jsonschema:"required,minimum=1ms" doc:"Mean time in this state, which is exponential; then each other state is as likely."`
}

// Spike is load on top of the rate.
type Spike struct {
	At    Duration  `yaml:"at" jsonschema:"required" doc:"Start, since the start of the run."`
	For   *Duration `yaml:"for" jsonschema:"exclusiveMinimum=0s" doc:"Length of extra, which needs it."`
	Extra *Number   `yaml:"extra" jsonschema:"exclusiveMinimum=0,maximum=1000000" doc:"Requests per second more, for so long. One of extra and count is needed."`
	Count *Tokens   `yaml:"count" jsonschema:"minimum=1,maximum=1000000" doc:"Requests that come at once, at the start."`
	Every *Duration `yaml:"every" jsonschema:"minimum=1ms" doc:"Period of repetition, at least for (default: once)."`
}

// ClientGroup is a part of a stream's clients that are alike.
type ClientGroup struct {
	Clients  Number  `yaml:"clients" jsonschema:"required,exclusiveMinimum=0" doc:"Part of the stream's clients, relative to the other groups'. They are dealt by largest remainder, and each group needs one at least."`
	Requests Number  `yaml:"requests" jsonschema:"required,exclusiveMinimum=0" doc:"Part of the stream's requests, relative to the other groups'; in equal parts from each of its clients."`
	CV       *Number `yaml:"cv" jsonschema:"minimum=0.01,maximum=100" doc:"Coefficient of variation of each client's gaps (default: the stream's)."`
	Profile  string  `yaml:"profile" doc:"Profile of its requests (default: the stream's)."`
}

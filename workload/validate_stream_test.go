package workload

import (
	"math"
	"strings"
	"testing"
	"time"
)

// richerConfig has one of everything that a stream and a session can be.
func richerConfig() Config {
	cfg := oneGroup(Profile{Interval: Must(Constant(1)), Patience: Must(Constant(3))}, 4)
	g := &cfg.Agents[0]
	g.Name, g.Waves, g.WaveEvery, g.TaskDeadline = "team", 2, time.Minute, Must(Constant(60))
	g.Phases[0].Tool, g.Phases[0].FanOut, g.Phases[0].SubRounds = Must(Constant(2)), Must(Constant(3)), Must(Constant(2))
	cfg.Streams = []Stream{
		{Clients: 1, Curve: &Curve{Points: []Point{{0, 1}, {time.Second, 2}}}},
		{Clients: 1, Curve: &Curve{Sine: &Sine{Base: 2, Amplitude: 1, Period: time.Hour}}},
		{Clients: 1, Curve: &Curve{States: []State{{1, time.Second}, {2, time.Second}}}},
		{Clients: 1, Rate: 1, Curve: &Curve{Spikes: []Spike{{For: time.Second, Extra: 1}}}},
		{Clients: 1, Rate: 1, Mix: &Mix{Profiles: []Weighted{{0, 1}}}},
		{Clients: 4, Rate: 1, Arrivals: ArrivalsGamma, CV: 2, Mix: &Mix{Groups: []ClientGroup{{Name: "few", Weight: 1, Share: 1}, {Weight: 1, Share: 1, CV: 3}}}},
		{Clients: 1, Rate: 1, Arrivals: ArrivalsWeibull, CV: 3.5, Sessions: []Session{{0, Must(Constant(2))}}},
	}
	return cfg
}

var wrongStreams = []struct {
	want  string
	spoil func(c *Config)
}{
	{"agents.team.waves is -1, must be 0 to the count, 4", func(c *Config) { c.Agents[0].Waves = -1 }},
	{"agents.team.waves is 5", func(c *Config) { c.Agents[0].Waves = 5 }},
	{"agents.team.wave_every is -1ns", func(c *Config) { c.Agents[0].WaveEvery = -1 }},
	{"agents.team.wave_every is 1m0s, but waves is 0", func(c *Config) { c.Agents[0].Waves = 0 }},
	{"agents.team.phases[0].fan_out has mean 2000, must be at most 1024", func(c *Config) { c.Agents[0].Phases[0].FanOut = Must(Constant(2000)) }},
	{"agents.team.phases[0].fan_out is 0, but sub_rounds or sub_profile is set", func(c *Config) { c.Agents[0].Phases[0].FanOut = Dist{} }},
	{"agents.team.phases[0].sub_rounds has mean 0", func(c *Config) { c.Agents[0].Phases[0].SubRounds = Dist{} }},
	{"agents.team.phases[0].sub_profile is 1, there are 1", func(c *Config) { c.Agents[0].Phases[0].SubProfile = 1 }},
	{"streams[0].rate is 3, must be 0 since the curve has a rate of its own", func(c *Config) { c.Streams[0].Rate = 3 }},
	{"streams[3].rate is 0, must be above 0", func(c *Config) { c.Streams[3].Rate = 0 }},
	{"streams[0].arrivals is 4", func(c *Config) { c.Streams[0].Arrivals = 4 }},
	{"streams[0].cv is 1, must be 0 for constant and Poisson", func(c *Config) { c.Streams[0].CV = 1 }},
	{"streams[6].cv is 0, must be 0.01 to 100", func(c *Config) { c.Streams[6].CV = 0 }},
	{"streams[6].cv is NaN", func(c *Config) { c.Streams[6].CV = math.NaN() }},
	{"streams[6].tick is -1ns, must be 0 to 24h0m0s", func(c *Config) { c.Streams[6].Tick = -1 }},
	{"streams[6].tick is 25h0m0s", func(c *Config) { c.Streams[6].Tick = 25 * time.Hour }},
	{"streams[6].sessions[0].rounds has mean 0, must be at least 1", func(c *Config) { c.Streams[6].Sessions[0].Rounds = Dist{} }},
	{"streams[6].sessions[0].profile is 7, there are 1", func(c *Config) { c.Streams[6].Sessions[0].Profile = 7 }},
	{"streams[6].sessions[1].profile is 0, which has sessions already", func(c *Config) {
		c.Streams[6].Sessions = append(c.Streams[6].Sessions, c.Streams[6].Sessions[0])
	}},
	{"streams[0].curve has none of points, sine, states and spikes", func(c *Config) { c.Streams[0].Curve, c.Streams[0].Rate = &Curve{}, 1 }},
	{"streams[0].curve has 2 of points, sine and states", func(c *Config) { c.Streams[0].Curve.Sine = c.Streams[1].Curve.Sine }},
	{"streams[0].curve.points[0].at is -1ns", func(c *Config) { c.Streams[0].Curve.Points[0].At = -1 }},
	{"streams[0].curve.points[1].at is 1s, before the 2s", func(c *Config) { c.Streams[0].Curve.Points[0].At = 2 * time.Second }},
	{"streams[0].curve.points[1].rate is +Inf, must be 0 to 1e+06", func(c *Config) { c.Streams[0].Curve.Points[1].Rate = math.Inf(1) }},
	{"streams[0].curve.points have no rate above 0", func(c *Config) { c.Streams[0].Curve.Points = make([]Point, 2) }},
	{"streams[1].curve.sine.base is 0, must be above 0", func(c *Config) { c.Streams[1].Curve.Sine.Base = 0 }},
	{"streams[1].curve.sine.base is -1", func(c *Config) { c.Streams[1].Curve.Sine.Base = -1 }},
	{"streams[1].curve.sine.amplitude is 3, must be 0 to the base, 2", func(c *Config) { c.Streams[1].Curve.Sine.Amplitude = 3 }},
	{"streams[1].curve.sine.period is 0s", func(c *Config) { c.Streams[1].Curve.Sine.Period = 0 }},
	{"streams[1].curve.sine.phase is -1ns", func(c *Config) { c.Streams[1].Curve.Sine.Phase = -1 }},
	{"streams[2].curve.states has one state", func(c *Config) { c.Streams[2].Curve.States = c.Streams[2].Curve.States[:1] }},
	{"streams[2].curve.states[1].rate is NaN", func(c *Config) { c.Streams[2].Curve.States[1].Rate = math.NaN() }},
	{"streams[2].curve.states[0].dwell is 1ns, must be at least 1ms", func(c *Config) { c.Streams[2].Curve.States[0].Dwell = 1 }},
	{"streams[2].curve.states have no rate above 0", func(c *Config) { c.Streams[2].Curve.States = []State{{0, time.Hour}, {0, time.Hour}} }},
	{"streams[3].curve.spikes are 101, must be at most 100", func(c *Config) { c.Streams[3].Curve.Spikes = make([]Spike, 101) }},
	{"streams[3].curve.spikes[0] has neither extra nor count", func(c *Config) { c.Streams[3].Curve.Spikes[0].Extra = 0 }},
	{"streams[3].curve.spikes[0].extra is 1e+07", func(c *Config) { c.Streams[3].Curve.Spikes[0].Extra = 1e7 }},
	{"streams[3].curve.spikes[0].count is -1", func(c *Config) { c.Streams[3].Curve.Spikes[0].Count = -1 }},
	{"streams[3].curve.spikes[0].at is -1ns", func(c *Config) { c.Streams[3].Curve.Spikes[0].At = -1 }},
	{"streams[3].curve.spikes[0].for is 0s", func(c *Config) { c.Streams[3].Curve.Spikes[0].For = 0 }},
	{"streams[3].curve.spikes[0].every is 1ms, must be 0 or at least 1s", func(c *Config) { c.Streams[3].Curve.Spikes[0].Every = time.Millisecond }},
	{"streams[4].mix has neither profiles nor groups", func(c *Config) { c.Streams[4].Mix = &Mix{} }},
	{"streams[4].mix has both profiles and groups", func(c *Config) { c.Streams[4].Mix.Groups = c.Streams[5].Mix.Groups }},
	{"streams[4].mix.profiles[0].profile is 9", func(c *Config) { c.Streams[4].Mix.Profiles[0].Profile = 9 }},
	{"streams[4].mix.profiles[0].weight is -1, must be finite and not negative", func(c *Config) { c.Streams[4].Mix.Profiles[0].Weight = -1 }},
	{"streams[4].mix.profiles have weights that add up to 0", func(c *Config) { c.Streams[4].Mix.Profiles[0].Weight = 0 }},
	{"streams[5].mix.groups.few.weight is 0, must be finite and above 0", func(c *Config) { c.Streams[5].Mix.Groups[0].Weight = 0 }},
	{"streams[5].mix.groups.few.weight is 0.01, which is none of the stream's 4", func(c *Config) { c.Streams[5].Mix.Groups[0].Weight = 0.01 }},
	{"streams[5].mix.groups[1].share is NaN", func(c *Config) { c.Streams[5].Mix.Groups[1].Share = math.NaN() }},
	{"streams[5].mix.groups have shares that add up to +Inf", func(c *Config) {
		c.Streams[5].Mix.Groups[0].Share, c.Streams[5].Mix.Groups[1].Share = math.MaxFloat64, math.MaxFloat64
	}},
	{"streams[5].mix.groups have a client with 5e-21 of the requests", func(c *Config) { c.Streams[5].Mix.Groups[1].Share = 1e-20 }},
	{"streams[5].mix.groups[1].cv is 1000", func(c *Config) { c.Streams[5].Mix.Groups[1].CV = 1000 }},
	{"streams[5].mix.groups.few.profile is -1", func(c *Config) { c.Streams[5].Mix.Groups[0].Profile = -1 }},
	{"clients in groups are more than 1000000", func(c *Config) { c.Streams[5].Clients = 1_000_001 }},
}

// Ensure each mistake in streams and sessions is an error that names the field.
func TestValidateStreams(t *testing.T) {
	for _, tt := range wrongStreams {
		t.Run(tt.want, func(t *testing.T) {
			cfg := richerConfig()
			if err := cfg.Validate(); err != nil {
				t.Fatalf("a good configuration: %v", err)
			}
			tt.spoil(&cfg)
			if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want it to contain %q", err, tt.want)
			}
			if w, err := New(cfg); err == nil || w != nil {
				t.Errorf("New accepts it")
			}
		})
	}
}

// Ensure curves and mixes that were handed over can be changed without effect.
func TestNewCopiesStreams(t *testing.T) {
	want, cfg := open(t, richerConfig()), richerConfig()
	w := open(t, cfg)
	for i := range cfg.Streams {
		s := &cfg.Streams[i]
		if s.Curve != nil {
			clear(s.Curve.Points)
			clear(s.Curve.States)
			clear(s.Curve.Spikes)
		}
		if s.Curve != nil && s.Curve.Sine != nil {
			*s.Curve.Sine = Sine{}
		}
		if s.Mix != nil {
			clear(s.Mix.Profiles)
			clear(s.Mix.Groups)
		}
		clear(s.Sessions)
	}
	for s := range w.Sources() {
		for range 100 {
			got, ok := w.Next(s)
			if d, more := want.Next(s); d != got || ok != more {
				t.Fatalf("source %d: %+v, want %+v", s, got, d)
			}
		}
	}
}

package workload

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// sessionConfig is a stream of which two profiles have sessions and one has none.
func sessionConfig(t *rapid.T) Config {
	tokens := func(low, high float64) Dist { return Must(Uniform(low, high)) }
	s := Stream{
		Rate: 20, Arrivals: ArrivalsPoisson, Clients: 7,
		Mix: &Mix{Profiles: []Weighted{{0, 2}, {1, 1}, {2, 1}}},
		Sessions: []Session{
			{0, tokens(1, rapid.Float64Range(1, 9).Draw(t, "rounds"))}, {2, Must(Constant(3))},
		},
	}
	if rapid.Bool().Draw(t, "tick") {
		s.Tick = 500 * time.Millisecond
	}
	return Config{
		Seed: rapid.Uint64().Draw(t, "seed"), Duration: 20 * time.Second,
		Profiles: []Profile{
			{Interval: Must(Exponential(5)), Context: tokens(10, 1000), Growth: tokens(0, 300), MaxContext: 1500, Output: Must(Constant(9))},
			{Context: tokens(10, 1000), Output: Must(Constant(9))},
			{Interval: Must(Constant(rapid.Float64Range(0, 20).Draw(t, "interval"))), Context: Must(Constant(50)), Growth: Must(Constant(7)), SharedPrefix: Must(Constant(60)), Output: Must(Constant(9))},
		},
		Streams: []Stream{s},
	}
}

// Ensure sessions neither add nor move an arrival, that a session keeps its client and profile,
// grows as it should, that its rounds are as many as were drawn unless the run ends, and that an
// arrival begins a session only if none is due.
func TestStreamSessions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := sessionConfig(t)
		w := open(t, cfg)
		ds := all(w, 0)
		plain := cfg
		plain.Streams = slices.Clone(cfg.Streams)
		plain.Streams[0].Sessions = nil
		alone := open(t, plain)
		if !w.Converses(0) || alone.Converses(0) {
			t.Fatal("which requests go on is told wrongly")
		}
		if want := all(alone, 0); !slices.EqualFunc(ds, want, func(a, b Demand) bool { return a.Intended == b.Intended }) {
			t.Fatalf("%d arrivals with sessions are not the %d without", len(ds), len(want))
		}
		last := map[uint32]Demand{}
		ids := map[uint64]bool{}
		for _, d := range ds {
			before, goesOn := last[d.Task]
			p := &cfg.Profiles[d.Profile]
			switch {
			case ids[d.ID]:
				t.Fatalf("%+v: its identity is there twice", d)
			case goesOn != (d.Op > 0):
				t.Fatalf("%+v: round %d of a session that %v begun", d, d.Op, goesOn)
			case d.Op == 0 && d.Profile == 2 && (!d.Shared || d.Prefix != 50): // up to the prompt
				t.Fatalf("%+v: %d tokens are shared", d, d.Prefix)
			case d.Op == 0 && d.Profile != 2 && (d.Shared || d.Prefix != 0):
				t.Fatalf("%+v: a first prompt begins with an earlier one", d)
			case d.Profile == 1 && d.Op > 0, d.Profile == 2 && d.Op > 2:
				t.Fatalf("%+v: too many rounds", d)
			case goesOn && (d.Client != before.Client || d.Profile != before.Profile || d.In < before.In || d.Shared):
				t.Fatalf("%+v goes on from %+v", d, before)
			case goesOn && d.In < 1500 && d.Prefix != before.In, goesOn && d.Profile == 2 && d.In != before.In+7:
				t.Fatalf("%+v: prompt after one of %d", d, before.In)
			}
			// Of profile 2, whose interval is constant, it is known which session is due.
			for _, o := range last {
				due := o.Intended + time.Duration(p.Interval.Mean()*1e9)
				if d.Op == 0 && d.Profile == 2 && o.Profile == 2 && o.Op < 2 && due <= d.Intended {
					t.Fatalf("%+v begins a session while %+v is due", d, o)
				}
			}
			last[d.Task], ids[d.ID] = d, true
		}
	})
}

// Ensure rounds and intervals come out as they were asked for, by their means: of many sessions at once,
// and of a few long ones, which would wait for an arrival for longer than their interval.
func TestStreamSessionMeans(t *testing.T) {
	for name, c := range map[string]struct {
		rate, interval float64
		rounds         Dist
	}{
		"many": {50, 60, Must(Empirical([]float64{1, 2, 10}, []float64{6, 3, 1}))},
		"few":  {0.7, 15, Must(Constant(20))},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := oneStream(c.rate, ArrivalsPoisson, time.Duration(2e5/c.rate)*time.Second)
			cfg.Profiles = []Profile{{Interval: Must(Exponential(c.interval)), Context: Must(Constant(100)), Growth: Must(Constant(10)), Output: Must(Constant(1))}}
			cfg.Streams[0].Sessions = []Session{{0, c.rounds}}
			begun, gaps, sum := 0, 0, 0.0
			last := map[uint32]time.Duration{}
			ds := all(open(t, cfg), 0)
			for _, d := range ds {
				if d.Op == 0 {
					begun++
				} else {
					gaps++
					sum += (d.Intended - last[d.Task]).Seconds()
				}
				last[d.Task] = d.Intended
			}
			// Of the sessions the end of the run cuts a few per cent short.
			if got := float64(len(ds)) / float64(begun); math.Abs(got/c.rounds.Mean()-1) > 0.04 {
				t.Errorf("%v requests a session, want %v", got, c.rounds.Mean())
			}
			if got := sum / float64(gaps); math.Abs(got/c.interval-1) > 0.04 {
				t.Errorf("%v s between the requests of a session, want %v", got, c.interval)
			}
		})
	}
}

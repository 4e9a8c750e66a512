package workload

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// parted hands the demands of all sources to shares, source by source.
func parted(t *rapid.T, cfg Config, n int) [][]Demand {
	shares := make([][]Demand, n)
	for i := range shares {
		cfg.Share = Share{Index: i, Count: n}
		w := open(t, cfg)
		for s := range w.Sources() {
			shares[i] = append(shares[i], all(w, s)...)
		}
		if err := w.Err(); err != nil {
			t.Fatalf("share %d: %v", i, err)
		}
	}
	return shares
}

// byIdentity orders demands by where they come from, and then by their number there.
func byIdentity(a, b Demand) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Intended, b.Intended), cmp.Compare(a.ID, b.ID))
}

// anyShared generates what shares are made of: agents with crews, streams of every kind and a trace with sessions.
var anyShared = rapid.Custom(func(t *rapid.T) Config {
	cfg := anyConfig.Draw(t, "config")
	if rapid.Bool().Draw(t, "crew") {
		ph := &cfg.Agents[0].Phases[0]
		ph.FanOut, ph.SubRounds = Must(Uniform(0, 4)), Must(Constant(2))
	}
	cfg.Streams = append(cfg.Streams, Stream{
		Rate: 5, Arrivals: ArrivalsGamma, CV: 2, Clients: rapid.IntRange(1, 12).Draw(t, "bursty clients"),
		Curve: &Curve{Spikes: []Spike{{At: 3 * time.Second, Count: 20}}},
	})
	if rapid.Bool().Draw(t, "sessions") {
		last := len(cfg.Streams) - 1
		cfg.Streams[last].Sessions = []Session{{cfg.Streams[last].Profile, Must(Uniform(1, 6))}}
	}
	if rapid.Bool().Draw(t, "groups") {
		cfg.Streams = append(cfg.Streams, Stream{
			Rate: 5, Arrivals: ArrivalsPoisson, Clients: rapid.IntRange(2, 12).Draw(t, "grouped clients"),
			Mix: &Mix{Groups: []ClientGroup{{Weight: 1, Share: 80}, {Weight: 1, Share: 20}}},
		})
	}
	text := traceHeader
	for i := range 40 {
		text += strconv.Itoa(i) + ",7,9\n"
	}
	trace := textTrace(text)
	trace.Clients, trace.Loop = rapid.IntRange(1, 12).Draw(t, "trace clients"), 2
	cfg.Traces = append(cfg.Traces, trace)
	return cfg
})

// Ensure the shares of a demand are together the whole, have nothing in common, and hold each demand as the whole has it,
// whatever their number; a client is one share's where there are enough of them.
func TestSharesAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyShared.Draw(t, "config")
		n := rapid.IntRange(1, 9).Draw(t, "shares")
		want := parted(t, cfg, 1)[0]
		shares := parted(t, cfg, n)
		owner := map[uint32]int{}
		clients := askers(&cfg)
		for i, ds := range shares {
			for _, d := range ds {
				if was, known := owner[d.Client]; known && was != i && (clients[d.Source] == 0 || clients[d.Source] >= n) {
					t.Fatalf("client %d belongs to shares %d and %d", d.Client, was, i)
				}
				owner[d.Client] = i
			}
		}
		got := slices.Concat(shares...)
		slices.SortFunc(got, byIdentity)
		slices.SortFunc(want, byIdentity)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d shares have %d demands, the whole %d, or others", n, len(got), len(want))
		}
	})
}

// askers returns how many clients ask by each source's stream or trace, 0 for agents.
func askers(cfg *Config) []int {
	var out []int
	for _, g := range cfg.Agents {
		out = append(out, make([]int, g.Count)...)
	}
	for _, s := range cfg.Streams {
		sources := 1
		if s.Mix != nil {
			sources = s.Clients
		}
		for range sources {
			out = append(out, s.Clients)
		}
	}
	for _, t := range cfg.Traces {
		out = append(out, t.Clients)
	}
	return out
}

// Ensure agents are dealt out evenly, and counted as they are dealt.
func TestShareOfAgents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents, n := rapid.IntRange(0, 100).Draw(t, "agents"), rapid.IntRange(1, 12).Draw(t, "shares")
		total := 0
		for i := range n {
			s := Share{Index: i, Count: n}
			count := 0
			for c := range agents {
				if s.hasClient(uint32(c)) {
					count++
				}
			}
			if count != s.Agents(agents) || count < agents/n || count > agents/n+1 {
				t.Fatalf("share %d of %d has %d of %d agents, says %d", i, n, count, agents, s.Agents(agents))
			}
			total += count
		}
		if total != agents {
			t.Fatalf("%d agents of %d", total, agents)
		}
	})
}

func TestShareValidate(t *testing.T) {
	for _, tc := range []struct {
		share Share
		ok    bool
	}{
		{Share{}, true},
		{Share{0, 1}, true},
		{Share{3, 4}, true},
		{Share{4, 4}, false},
		{Share{-1, 4}, false},
		{Share{1, 0}, false},
		{Share{0, -1}, false},
	} {
		if err := tc.share.Validate(); (err == nil) != tc.ok {
			t.Errorf("%+v: %v", tc.share, err)
		}
	}
}

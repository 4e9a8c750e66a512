package workload

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// crewConfig has one agent whose rounds each start sub-agents.
func crewConfig(fanOut, rounds Dist) Config {
	return Config{
		Seed: 1, Duration: time.Minute,
		Profiles: []Profile{
			{Interval: Must(Constant(10)), Context: Must(Constant(1000)), Growth: Must(Constant(100)), Output: Must(Constant(5))},
			{Interval: Must(Constant(2)), Context: Must(Constant(50)), Growth: Must(Constant(7)), Output: Must(Constant(3))},
		},
		Agents: []AgentGroup{{Count: 1, Phases: []Phase{
			{Rounds: Must(Constant(2)), FanOut: fanOut, SubProfile: 1, SubRounds: rounds, Tool: Must(Constant(1.5))},
			{Rounds: Must(Constant(1)), Keep: true},
		}}},
	}
}

// Ensure a round with sub-agents is followed by their rounds in step, each in its own
// conversation, and then by the agent's next round.
func TestFanOut(t *testing.T) {
	want := []string{
		"0s p0 task 0.0 in 1000 prefix 0 with false tool 0s",
		"2s p1 task s0.0 in 50 prefix 0 with false tool 0s",
		"2.000000001s p1 task s1.0 in 50 prefix 0 with true tool 0s",
		"4.000000001s p1 task s0.1 in 57 prefix 50 with false tool 0s",
		"4.000000002s p1 task s1.1 in 57 prefix 50 with true tool 0s",
		"14.000000002s p0 task 0.1 in 1100 prefix 1000 with false tool 1.5s",
		"16.000000002s p1 task s2.0 in 50 prefix 0 with false tool 0s",
		"16.000000003s p1 task s3.0 in 50 prefix 0 with true tool 0s",
		"18.000000003s p1 task s2.1 in 57 prefix 50 with false tool 0s",
		"18.000000004s p1 task s3.1 in 57 prefix 50 with true tool 0s",
		"28.000000004s p0 task 0.2 in 1200 prefix 1100 with false tool 0s",
		"38.000000004s p0 task 1.0 in 1000 prefix 0 with false tool 0s",
	}
	var got []string
	for _, d := range all(open(t, crewConfig(Must(Constant(2)), Must(Constant(2)))), 0) {
		task := fmt.Sprint(d.Task)
		if d.Task >= SubTask {
			task = fmt.Sprint("s", d.Task-SubTask)
		}
		got = append(got, fmt.Sprintf("%v p%d task %s.%d in %d prefix %d with %v tool %v", d.Intended, d.Profile, task, d.Op, d.In, d.Prefix, d.With, d.Tool))
	}
	if got = got[:len(want)]; !reflect.DeepEqual(got, want) {
		t.Errorf("demands are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// richConfig generates agents with sub-agents, tools, deadlines, patience and waves,
// and streams of every kind.
var richConfig = rapid.Custom(func(t *rapid.T) Config {
	cfg := anyConfig.Draw(t, "plain")
	some := func(name string, d Dist) Dist {
		if rapid.Bool().Draw(t, name) {
			return d
		}
		return Dist{}
	}
	for i := range cfg.Profiles {
		cfg.Profiles[i].Patience = some("patience", Must(Exponential(3)))
	}
	for i := range cfg.Agents {
		g := &cfg.Agents[i]
		g.Waves = rapid.IntRange(0, g.Count).Draw(t, "waves")
		if g.Waves > 1 {
			g.WaveEvery = time.Second
		}
		g.TaskDeadline = some("deadline", Must(Uniform(1, 20)))
		for j := range g.Phases {
			g.Phases[j].Tool = some("tool", Must(Exponential(1)))
			if g.Phases[j].FanOut = some("fan-out", Must(Uniform(0, 4))); !g.Phases[j].FanOut.zero() {
				g.Phases[j].SubRounds = Must(Uniform(0.5, 3))
				g.Phases[j].SubProfile = rapid.IntRange(0, len(cfg.Profiles)-1).Draw(t, "sub-profile")
			}
		}
	}
	if len(cfg.Profiles) == 1 {
		cfg.Profiles = append(cfg.Profiles, cfg.Profiles[0])
	}
	for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"gamma", "weibull", "ramp", "sine", "states", "spikes", "mix", "groups"}), 0, 3).Draw(t, "streams") {
		s := richStreams[name]
		s.Rate /= 50
		cfg.Streams = append(cfg.Streams, s)
	}
	cfg.Duration = 5 * time.Second
	return cfg
})

// INV-4: sessions and moving rates are functions of the configuration too, in whatever
// order the sources are asked.
func TestRichDemandDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := richConfig.Draw(t, "config")
		straight, mixed := open(t, cfg), open(t, cfg)
		got := make([][]Demand, straight.Sources())
		for _, s := range rapid.SliceOfN(rapid.IntRange(0, len(got)-1), 0, 100).Draw(t, "order") {
			if d, ok := mixed.Next(s); ok {
				got[s] = append(got[s], d)
			}
		}
		seen := map[uint64]bool{}
		for s := range got {
			want := all(straight, s)
			if got[s] = append(got[s], all(mixed, s)...); !reflect.DeepEqual(got[s], want) {
				t.Fatalf("source %d: demands depend on the order of asking", s)
			}
			for i, d := range want {
				if i > 0 && d.Intended <= want[i-1].Intended || d.Intended < 0 || d.Intended >= cfg.Duration {
					t.Fatalf("source %d: intended at %v", s, d.Intended) // INV-3
				}
				if seen[d.ID] || int(d.Client) >= straight.Clients() {
					t.Fatalf("source %d: identity %x is there twice, or client %d is none", s, d.ID, d.Client)
				}
				seen[d.ID] = true
			}
		}
	})
}

// Ensure sub-agents' requests come in rounds of one size after the round that starts
// them: only the first of each waits, only theirs do not, and no conversation is used
// twice.
func TestCrewStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := open(t, richConfig.Draw(t, "config"))
		for s := range w.Sources() {
			if w.Open(s) {
				continue
			}
			tasks := uint32(SubTask) // first conversation of the coming crew
			size, before := uint32(0), Demand{}
			for i, d := range all(w, s) {
				child, follows := d.Task >= SubTask, before.Task >= SubTask
				switch {
				case int(d.Client) != s:
					t.Fatalf("client %d of source %d", d.Client, s)
				case !child && d.With || child && d.Tool != 0:
					t.Fatalf("not a sub-agent's request: %+v", d)
				case !child && follows:
					tasks += size
					size = 0
				case child && !follows && (i == 0 || d.Task != tasks || d.Op != 0 || d.With):
					t.Fatalf("a crew begins with %+v after %+v", d, before)
				case child && follows && d.Task == before.Task+1 && (!d.With || d.Op != before.Op || d.Intended != before.Intended+1):
					t.Fatalf("a round goes on with %+v after %+v", d, before)
				case child && follows && d.Task != before.Task+1 && (d.With || d.Op != before.Op+1 || d.Task != tasks || size != before.Task-tasks+1):
					t.Fatalf("a round begins with %+v after %+v", d, before)
				case d.Prefix > 0 && child && d.Op == 0:
					t.Fatalf("a conversation begins with a prefix: %+v", d)
				}
				if child {
					size = max(size, d.Task-tasks+1)
				}
				before = d
			}
		}
	})
}

// Ensure the number of sub-agents is that of the distribution.
func TestFanOutSizes(t *testing.T) {
	cfg := crewConfig(Must(Empirical([]float64{0, 1, 5}, []float64{2, 1, 1})), Must(Constant(1)))
	cfg.Duration = 100 * time.Hour
	sizes, n, rounds := map[int]int{}, 0, 0
	for _, d := range all(open(t, cfg), 0) {
		if d.Task >= SubTask {
			n++
			continue
		}
		if d.Op < 2 {
			rounds++
		} else {
			sizes[n-1]-- // rounds of the second phase have none
		}
		sizes[n]++
		n = 0
	}
	checkShare(t, "crews of five", sizes[5], rounds, 0.25)
	delete(sizes, 5)
	if len(sizes) > 4 {
		t.Errorf("crews of sizes %v", sizes)
	}
}

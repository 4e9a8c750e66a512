package workload

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

func oneGroup(p Profile, count int) Config {
	return Config{
		Seed: 1, Duration: 10 * time.Minute, Profiles: []Profile{p},
		Agents: []AgentGroup{{Count: count, Phases: []Phase{{Rounds: Must(Constant(5))}}}},
	}
}

// Ensure contexts grow, are capped, are kept and start anew as the phases say, and
// that an interval is that of the coming round's profile.
func TestAgentTask(t *testing.T) {
	cfg := Config{
		Duration: 53 * time.Second,
		Profiles: []Profile{
			{Interval: Must(Constant(1)), Context: Must(Constant(100)), Growth: Must(Constant(10)), MaxContext: 115, Output: Must(Constant(7)), MaxOutput: 5},
			{Interval: Must(Constant(7)), Context: Must(Constant(900)), Growth: Must(Constant(50)), Output: Must(Constant(7))},
		},
		Agents: []AgentGroup{{Count: 1, Phases: []Phase{
			{Profile: 0, Rounds: Must(Constant(3))},
			{Profile: 1, Rounds: Must(Constant(2)), Keep: true},
			{Profile: 1, Rounds: Must(Constant(1))},
			{Profile: 0, Rounds: Must(Constant(1)), Keep: true},
		}}},
	}
	want := []string{
		"0s task 0.0 in 100 prefix 0 out 5/5",
		"1s task 0.1 in 110 prefix 100 out 5/5",
		"2s task 0.2 in 115 prefix 105 out 5/5", // 10 new ones, 5 old ones made room
		"9s task 0.3 in 165 prefix 115 out 7/7",
		"16s task 0.4 in 215 prefix 165 out 7/7",
		"23s task 0.5 in 900 prefix 0 out 7/7",
		"24s task 0.6 in 115 prefix 105 out 5/5",
		"25s task 1.0 in 100 prefix 0 out 5/5",
		"26s task 1.1 in 110 prefix 100 out 5/5",
		"27s task 1.2 in 115 prefix 105 out 5/5",
		"34s task 1.3 in 165 prefix 115 out 7/7",
		"41s task 1.4 in 215 prefix 165 out 7/7",
		"48s task 1.5 in 900 prefix 0 out 7/7",
		"49s task 1.6 in 115 prefix 105 out 5/5",
		"50s task 2.0 in 100 prefix 0 out 5/5",
		"51s task 2.1 in 110 prefix 100 out 5/5",
		"52s task 2.2 in 115 prefix 105 out 5/5",
	}
	var got []string
	for _, d := range all(open(t, cfg), 0) {
		got = append(got, fmt.Sprintf("%v task %d.%d in %d prefix %d out %d/%d", d.Intended, d.Task, d.Op, d.In, d.Prefix, d.Out, d.MaxOut))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("demands are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Ensure first instants are spread evenly over the stagger.
func TestStagger(t *testing.T) {
	cfg := oneGroup(Profile{Interval: Must(Constant(60))}, 4)
	cfg.Agents[0].Stagger = 10 * time.Second
	w := open(t, cfg)
	for i, want := range []time.Duration{0, 2500 * time.Millisecond, 5 * time.Second, 7500 * time.Millisecond} {
		if d, ok := w.Next(i); !ok || d.Intended != want {
			t.Errorf("agent %d begins at %v, want %v", i, d.Intended, want)
		}
	}
}

// Ensure an agent that starts in the middle of its task has the demands there that an
// agent has which worked its way there, but for what the provider has seen before.
func TestRandomStartContinuesATask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyConfig.Draw(t, "config")
		for i := range cfg.Agents {
			cfg.Agents[i].RandomStart = false
		}
		whole := open(t, cfg)
		for i := range cfg.Agents {
			cfg.Agents[i].RandomStart = true
		}
		started := open(t, cfg)
		for s := range whole.Sources() {
			if whole.Open(s) {
				continue
			}
			type place struct{ task, op uint32 }
			want := map[place]Demand{}
			for _, d := range all(whole, s) {
				want[place{d.Task, d.Op}] = d
			}
			for i, d := range all(started, s) {
				w, ok := want[place{d.Task, d.Op}]
				if !ok {
					break // beyond the end of the other run
				}
				w.Intended = d.Intended
				if i == 0 {
					w.Prefix = 0
				}
				if d != w {
					t.Fatalf("source %d: demand is\n%+v, want\n%+v", s, d, w)
				}
			}
		}
	})
}

// Ensure a random start finds agents in a phase as often as time is spent in it, and
// in each of its rounds equally often.
func TestRandomStartFollowsTime(t *testing.T) {
	cfg := Config{
		Seed: 3, Duration: time.Hour,
		Profiles: []Profile{{Interval: Must(Exponential(60))}, {Interval: Must(Exponential(5))}},
		Agents: []AgentGroup{{Count: 20_000, RandomStart: true, Phases: []Phase{
			{Profile: 0, Rounds: Must(Constant(4))}, {Profile: 1, Rounds: Must(Constant(12))},
		}}},
	}
	w := open(t, cfg)
	ops := make([]int, 16)
	for s := range w.Sources() {
		d, _ := w.Next(s)
		ops[d.Op]++
	}
	for op, n := range ops {
		p := 60.0 / 300
		if op >= 4 {
			p = 5.0 / 300
		}
		checkShare(t, fmt.Sprintf("round %d", op), n, w.Sources(), p)
	}
}

// Ensure a random start in a task of a million rounds is found at once.
func TestRandomStartOfALongTask(t *testing.T) {
	cfg := oneGroup(Profile{Interval: Must(Constant(1)), Growth: Must(Uniform(0, 2))}, 1)
	cfg.Agents[0].RandomStart = true
	cfg.Agents[0].Phases[0].Rounds = Must(Constant(1e9))
	d, ok := open(t, cfg).Next(0)
	if grown := float64(d.In) / float64(d.Op); !ok || d.Op < maxWalk || grown < 0.99 || grown > 1.01 {
		t.Errorf("round %d starts with %d tokens", d.Op, d.In)
	}
}

// Ensure agents offer the rate that their intervals say.
func TestAgentRate(t *testing.T) {
	cfg := oneGroup(Profile{Interval: Must(Exponential(20))}, 100)
	w := open(t, cfg)
	perAgent := make([]float64, w.Sources())
	for s := range perAgent {
		perAgent[s] = float64(len(all(w, s)))
	}
	checkMeanOf(t, "requests of an agent that begins with one", perAgent, 1+600.0/20)
}

// Ensure an agent stays small: 200 000 of them must be cheap.
func TestAgentSize(t *testing.T) {
	if size := unsafe.Sizeof(agent{}); size > 64 {
		t.Errorf("an agent has %d bytes", size)
	}
	const count = 100_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cfg := oneGroup(Profile{Interval: Must(Constant(1))}, count)
	w := open(t, cfg)
	runtime.ReadMemStats(&after)
	if each := float64(after.TotalAlloc-before.TotalAlloc) / count; each > 200 {
		t.Errorf("New allocates %v bytes for an agent", each)
	}
	source := 0
	if allocs := testing.AllocsPerRun(1000, func() { w.Next(source); source++ }); allocs != 0 {
		t.Errorf("Next allocates %v times", allocs)
	}
}

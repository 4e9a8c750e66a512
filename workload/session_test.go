package workload

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// taskOf returns the agent's task that a demand belongs to, given the one before it.
func taskOf(d *Demand, before uint32) uint32 {
	if d.Task >= SubTask {
		return before
	}
	return d.Task
}

// Ensure abandoning a task skips exactly what is left of it, and that later tasks have
// the demands that they would have had.
func TestAbandon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := richConfig.Draw(t, "config")
		whole, cut := open(t, cfg), open(t, cfg)
		for s := range whole.Sources() {
			want, task := all(whole, s), uint32(0)
			if whole.Open(s) {
				cut.Next(s)
				if n := cut.Abandon(s); n != 0 {
					t.Fatalf("an open source skips %d", n)
				}
				continue
			}
			if n := cut.Abandon(s); n != 0 {
				t.Fatalf("%d skipped before the first", n)
			}
			for i := 0; i < len(want); {
				d, ok := cut.Next(s)
				if !ok || d != want[i] {
					t.Fatalf("demand %d is %+v, want %+v", i, d, want[i])
				}
				i++
				task = taskOf(&d, task)
				if !rapid.Bool().Draw(t, "abandon") {
					continue
				}
				left := 0
				for i+left < len(want) && taskOf(&want[i+left], task) == task {
					left++
				}
				if n := cut.Abandon(s); n != left {
					t.Fatalf("%d skipped, want %d", n, left)
				}
				i += left
			}
			if _, ok := cut.Next(s); ok {
				t.Fatal("a demand after the end")
			}
		}
	})
}

// Ensure all demands of a task, those of sub-agents too, have the deadline that is drawn
// for it, from its first intended instant on.
func TestTaskDeadline(t *testing.T) {
	cfg := crewConfig(Must(Constant(1)), Must(Constant(1)))
	cfg.Duration, cfg.Agents[0].Count = time.Hour, 30
	cfg.Agents[0].TaskDeadline = Must(Exponential(50))
	w := open(t, cfg)
	var spans []float64
	for s := range w.Sources() {
		task, due := ^uint32(0), time.Duration(0)
		for _, d := range all(w, s) {
			if now := taskOf(&d, task); now != task {
				task, due = now, d.Deadline
				spans = append(spans, (due - d.Intended).Seconds())
			}
			if d.Deadline != due || due == 0 {
				t.Fatalf("deadline %v in a task that has %v", d.Deadline, due)
			}
		}
	}
	checkMeanOf(t, "time that a task has", spans, 50)
	cfg.Agents[0].TaskDeadline = Dist{}
	if d, _ := open(t, cfg).Next(0); d.Deadline != 0 {
		t.Errorf("a deadline of %v without one", d.Deadline)
	}
}

// Ensure tools precede each round but the first of a task and of the run, and have
// their distribution.
func TestTool(t *testing.T) {
	cfg := oneGroup(Profile{Interval: Must(Constant(1))}, 20)
	cfg.Agents[0].RandomStart = true
	cfg.Agents[0].Phases[0].Tool = Must(Uniform(1, 5))
	w := open(t, cfg)
	var tools []float64
	for s := range w.Sources() {
		for i, d := range all(w, s) {
			if (i == 0 || d.Op == 0) != (d.Tool == 0) {
				t.Fatalf("round %d, demand %d: tool %v", d.Op, i, d.Tool)
			}
			if d.Tool > 0 {
				tools = append(tools, d.Tool.Seconds())
			}
		}
	}
	checkMeanOf(t, "seconds with a tool", tools, 3)
}

// Ensure patience has its distribution for every kind of source, never 0, and is 0
// without one.
func TestPatience(t *testing.T) {
	cfg := oneStream(100, ArrivalsConstant, 100*time.Second)
	cfg.Agents = []AgentGroup{{Count: 1, Phases: []Phase{{Rounds: Must(Constant(2))}}}}
	cfg.Profiles[0] = Profile{Interval: Must(Constant(1)), Patience: Must(Exponential(30))}
	w := open(t, cfg)
	var patience []float64
	for s := range w.Sources() {
		for _, d := range all(w, s) {
			if d.Patience <= 0 {
				t.Fatalf("source %d: patience %v", s, d.Patience)
			}
			patience = append(patience, d.Patience.Seconds())
		}
	}
	checkMeanOf(t, "patience", patience, 30)
	cfg.Profiles[0].Patience = Must(Uniform(0, 1e-12))
	if d, _ := open(t, cfg).Next(0); d.Patience != 1 {
		t.Errorf("a patience of no time is %v, want a nanosecond", d.Patience)
	}
	cfg.Profiles[0].Patience = Dist{}
	if d, _ := open(t, cfg).Next(0); d.Patience != 0 {
		t.Errorf("patience %v without one", d.Patience)
	}
}

// Ensure agents are dealt to waves in equal parts, each spread over the stagger.
func TestWaves(t *testing.T) {
	s := time.Second
	tests := []struct {
		count, waves   int
		every, stagger time.Duration
		want           []time.Duration
	}{
		{4, 0, 0, 8 * s, []time.Duration{0, 2 * s, 4 * s, 6 * s}},
		{4, 1, 0, 8 * s, []time.Duration{0, 2 * s, 4 * s, 6 * s}},
		{5, 2, 60 * s, 6 * s, []time.Duration{0, 2 * s, 4 * s, 60 * s, 63 * s}},
		{3, 3, 10 * s, 0, []time.Duration{0, 10 * s, 20 * s}},
		{7, 3, 10 * s, 30 * s, []time.Duration{0, 10 * s, 20 * s, 10 * s, 25 * s, 20 * s, 35 * s}},
	}
	for _, tt := range tests {
		g := AgentGroup{Count: tt.count, Waves: tt.waves, WaveEvery: tt.every, Stagger: tt.stagger}
		var got []time.Duration
		for k := range tt.count {
			got = append(got, g.start(k))
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%d agents in %d waves begin at %v, want %v", tt.count, tt.waves, got, tt.want)
		}
	}
}

// Ensure waves have the sizes of a split by equal weights, and that a wave beyond all
// time never begins.
func TestWaveSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := AgentGroup{Count: rapid.IntRange(1, 500).Draw(t, "count"), WaveEvery: time.Hour}
		g.Waves = rapid.IntRange(1, g.Count).Draw(t, "waves")
		weights, got := make([]float64, g.Waves), make([]int64, g.Waves)
		for i := range weights {
			weights[i] = 1
		}
		for k := range g.Count {
			got[g.start(k)/time.Hour]++
		}
		want, err := Split(int64(g.Count), weights)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("waves of %v agents, want %v", got, want)
		}
	})
	g := AgentGroup{Count: 3, Waves: 3, WaveEvery: 1 << 62, Stagger: 1 << 62}
	if at := g.start(2); at < 1<<62 {
		t.Errorf("the last wave begins at %v", at)
	}
}

// Ensure sub-agents stay small and do not allocate once their number has been seen.
func TestCrewSize(t *testing.T) {
	cfg := crewConfig(Must(Constant(8)), Must(Constant(3)))
	cfg.Duration = 1 << 62
	w := open(t, cfg)
	for range 30 {
		w.Next(0)
	}
	if allocs := testing.AllocsPerRun(1000, func() { w.Next(0) }); allocs != 0 {
		t.Errorf("Next allocates %v times", allocs)
	}
	if size := reflect.TypeFor[agent]().Size() + reflect.TypeFor[crew]().Size() + 8*8; size > 200 {
		t.Errorf("an agent with eight sub-agents has %d bytes", size)
	}
}

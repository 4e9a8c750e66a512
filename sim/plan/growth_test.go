package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"pgregory.net/rapid"
)

// Ensure the arithmetic beside a range of more than 200 values is that of all of them, and not of those that were tried alone.
func TestStaticOfALongRange(t *testing.T) {
	answer := func(vary string) *Answer {
		q := pretend(t, Smallest, vary, 3, func(v, rep int) float64 { return wobble(max(-1, min(1, (float64(v)-150.5)/10)), rep) })
		q.sweep.Plan.sc = parse(t, "tokens.yaml", tokens)
		q.axes[0].Path = strings.TrimSuffix(keysOf("v", "k"), "=")
		a, err := q.answer()
		if err != nil {
			t.Fatal(err)
		}
		return &a
	}
	short, long := answer(keys+"1..200"), answer(keys+"1..1000")
	for _, a := range []*Answer{short, long} {
		if a.Value != "151" || a.Static.Value != "15" || a.Static.Blind {
			t.Errorf("%s, arithmetic %q (%s), want 151 and 15", a.Value, a.Static.Value, a.Static.Text)
		}
	}
	if long.Static.Error != short.Static.Error {
		t.Errorf("the arithmetic errs by %v of the longer range, and by %v of the shorter", long.Static.Error, short.Static.Error)
	}
}

// statuses is a search of a range of these statuses (true: passes).
func statuses(t *rapid.T, passes []bool, direction string) *search {
	n := len(passes)
	return pretend(t, direction, keys+"1.."+strconv.Itoa(n), 3, func(v, rep int) float64 {
		pos := v - 1
		if direction == Largest {
			pos = n - v
		}
		if passes[pos] {
			return wobble(.2, rep)
		}
		return wobble(-.2, rep)
	})
}

// Ensure a search from any position on finds the answer of a whole scan where more is never worse, and else an answer that passes
// beside a position that does not, or none where none of those tried passes.
func TestClimb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 24).Draw(t, "n")
		direction := rapid.SampledFrom([]string{Smallest, Largest}).Draw(t, "direction")
		passes := make([]bool, n)
		first := rapid.IntRange(0, n).Draw(t, "first") // n: none
		for i := range passes {
			passes[i] = i >= first
		}
		if rapid.Bool().Draw(t, "any") {
			passes = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "passes")
		}
		rises := slices.IsSortedFunc(passes, func(a, b bool) int {
			return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
		})
		q := statuses(t, passes, direction)
		for from := range n {
			q = q.newSearch(q.subject, nil, q.axis)
			if _, err := q.climb(from); err != nil {
				t.Fatal(err)
			}
			answer, before := q.boundary()
			switch {
			case rises && answer != slices.Index(passes, true):
				t.Fatalf("from %d: %d, a whole scan says %d", from, answer, slices.Index(passes, true))
			case answer < 0 && q.tried[n-1] == nil:
				t.Fatalf("from %d: none, and the most generous value was not tried", from)
			case answer >= 0 && (!passes[answer] || answer-before != 1 || before >= 0 && passes[before]):
				t.Fatalf("from %d: %d beside %d of %v", from, answer, before, passes)
			}
			if tried := n - count(q.tried, nil); tried > 2+2*5+1 {
				t.Fatalf("from %d: %d of %d tried", from, tried, n)
			}
		}
	})
}

func count[T comparable](list []T, what T) int {
	n := 0
	for _, v := range list {
		if v == what {
			n++
		}
	}
	return n
}

// Ensure a range that grows stays within the bound of ranges, and ends where the scenario goes with no more.
func TestGrownRangeIsBounded(t *testing.T) {
	sc := starter(t)
	a, err := ParseAxis("stack.queue.bound=1..10000", sc)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := a.times(2.5); len(got.Values) > MaxValues || got.Range != "1..49993:8" {
		t.Errorf("%s: %d values", got.Range, len(got.Values))
	}
	p, err := New(sc, Config{Vary: []string{keys + "1..4000"}, Objectives: []string{"p99 < 6s"}, Growth: []string{"5x"}})
	if err != nil {
		t.Fatal(err)
	}
	g := &p.growth[0]
	if last := g.axis.Values[len(g.axis.Values)-1]; last != "9996" || g.axis.Range != "1..9996:5" || !strings.Contains(g.note, "ends at 9996") {
		t.Errorf("%s (%s), a scenario has 10 000 keys of a pool at most", g.axis.Range, g.note)
	}
}

// Ensure a demand that the scenario does not go with is an error that names --growth where it was asked for, and by itself one that is left out alone.
func TestGrowthThatDoesNotGo(t *testing.T) {
	sc := starter(t, "workload.agents.researchers.count=3000000")
	cfg := Config{Vary: []string{keys + "1..4"}, Objectives: []string{"p99 < 6s"}, Growth: []string{"5x"}}
	var list scenario.Errors
	if _, err := New(sc, cfg); !errors.As(err, &list) || list[0].File != "--growth" || !strings.Contains(list[0].Hint, "--growth 5x") {
		t.Errorf("%v", err)
	}
	cfg.Growth = []string{Auto}
	p, err := New(sc, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.growth) != 2 || p.growth[1].factor != 2.5 || len(p.notes) != 1 || !strings.HasPrefix(p.notes[0], "no growth to 15000000: --growth") {
		t.Errorf("%d growths, notes %q", len(p.growth), p.notes)
	}
}

// Ensure a growth of the demand that is itself searched is refused, with what is allowed, and what of the workload does not grow is not.
func TestGrowthOfWhatIsSearched(t *testing.T) {
	for _, c := range []struct {
		vary    string
		refused bool
	}{
		{"workload.agents.researchers.count=10..60:5", true},
		{"variants.b.workload.agents.researchers.count=10..60:5", true},
		{"workload.profiles.hypothesis.max_context=8k..16k:2k", false},
		{"workload.agents.researchers.stagger=4s..20s:4s", false},
		{keys + "1..4", false},
	} {
		sc := starter(t)
		if strings.HasPrefix(c.vary, "variants") {
			sc = starter(t, "variants={a: {}, b: {workload: {agents: {researchers: {count: 9}}}}}")
		}
		cfg := Config{Vary: []string{c.vary}, Objectives: []string{"p99 < 6s"}, Growth: []string{"2x"}}
		_, err := New(sc, cfg)
		var list scenario.Errors
		if refused := errors.As(err, &list) && list[0].File == "--growth" && list[0].Allowed != ""; refused != c.refused || !refused && err != nil {
			t.Errorf("%s: %v", c.vary, err)
		}
		cfg.Growth = []string{Auto}
		if _, err := New(sc, cfg); err != nil {
			t.Errorf("%s, auto: %v", c.vary, err)
		}
	}
	if whole := (&Axis{Path: "workload.agents.researchers"}); !whole.within(starter(t).ScaleDemand(2)) {
		t.Error("a whole group of agents is not what grows")
	}
}

// Ensure a wrong --along is an error whatever grows, even if nothing does.
func TestAlongIsChecked(t *testing.T) {
	for _, growth := range [][]string{nil, {None}, {Auto}, {"40"}} {
		for along, part := range map[string]string{"foo": "not a number of the scenario", strings.TrimSuffix(keys, "="): "it is what is searched"} {
			_, err := New(starter(t), Config{Vary: []string{keys + "1..4"}, Objectives: []string{"p99 < 6s"}, Growth: growth, Along: []string{along}})
			if err == nil || !strings.Contains(err.Error(), "--along") || !strings.Contains(err.Error(), part) {
				t.Errorf("growth %q along %s: %v", growth, along, err)
			}
		}
	}
	if _, err := New(starter(t), Config{Vary: []string{keys + "1..4"}, Objectives: []string{"p99 < 6s"}, Growth: []string{Auto, "2x"}}); err == nil || !strings.Contains(err.Error(), "auto, or none, by itself") {
		t.Errorf("auto beside another: %v", err)
	}
}

// Ensure a range that a growth leaves as it is, is told.
func TestGrowthOfARangeThatStays(t *testing.T) {
	for vary, stays := range map[string]bool{
		keys + "1..4":                          false,
		"stack.reserve.rate=0%..20%:10%":       true,
		"stack.timeouts.first_token=4s..8s:1s": true,
		`upstreams.openai.keys.main.limits."gpt-4.1".tpm=100k..1000k:100k`: false,
	} {
		p, err := New(starter(t), Config{Vary: []string{vary}, Objectives: []string{"p99 < 6s"}, Growth: []string{"2.5x"}})
		if err != nil {
			t.Fatal(err)
		}
		if g := &p.growth[0]; strings.Contains(g.note, "stays as it is") != stays || (g.axis.Range == p.axes[0].Range) != stays {
			t.Errorf("%s: %s, %q", vary, g.axis.Range, g.note)
		}
	}
}

// Ensure a plan that chose its demands by itself says so in its settings, and of growth only where there is one.
func TestAutoStaysAuto(t *testing.T) {
	for _, c := range []struct {
		slo    string
		growth bool
	}{{"p95{profile=hypothesis} < 20s", true}, {"p95 < 1ms", false}} {
		r := carry(t, starter(t, "duration=90s", "warmup=10s"), Config{Vary: []string{keys + "1..6"}, Objectives: []string{c.slo}, Reps: 2, Growth: []string{Auto}})
		if !slices.Equal(r.Plan.Growth, []string{Auto}) {
			t.Errorf("settings %q", r.Plan.Growth)
		}
		said := slices.ContainsFunc(r.Notes, func(s string) bool { return strings.HasPrefix(s, "growth") })
		if grew := len(r.Answers[0].Growth) > 0; grew != c.growth || said != c.growth {
			t.Errorf("%s: %d growths, notes %q", c.slo, len(r.Answers[0].Growth), r.Notes)
		}
	}
}

// Ensure half the replications are made of a growth of ten, its note tells the runs, and the arithmetic of a range of more than 200
// values is that of all of them.
func TestGrowthOfTenReplications(t *testing.T) {
	r := carry(t, parse(t, "tokens.yaml", tokens), Config{
		Vary: []string{keysOf("v", "k") + "8..100"}, Objectives: []string{"p99 < 10s", "ratio_429 < 1%"}, Growth: []string{"2.5x"},
	})
	g := &r.Answers[0].Growth[0]
	runs := 0
	for i := range g.Answer.Points {
		if n := g.Answer.Points[i].Reps; n != 5 {
			t.Errorf("%d replications of %s", n, g.Answer.Points[i].Values)
		}
		runs += g.Answer.Points[i].Reps
	}
	if note := fmt.Sprintf("growth: %d runs, 5 replications of each point", runs); runs == 0 || !strings.HasPrefix(r.Notes[0], note) {
		t.Errorf("notes %q, want %q", r.Notes, note)
	}
	// 25 requests/s of 1980 tokens at 80 % of 100 000 tokens/min a key are 37.1 keys, of an even number 38.
	if g.Range != "8..500:2" || g.Answer.Static.Value != "38" || g.Answer.Value == "" {
		t.Errorf("%s of %s, arithmetic %q", g.Answer.Value, g.Range, g.Answer.Static.Value)
	}
}

// Ensure results are gone on with whatever else is asked for beside the search, and no run is mistaken for another.
func TestResultsGoOnWithGrowth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	plain := small(t, func(c *Config) { c.Sensitivity = false })
	more := small(t, func(c *Config) { c.Growth, c.Along = []string{"2x"}, []string{None} })
	want := text(t, more, Session{})
	for i, c := range []struct {
		p    *Plan
		want string
	}{{plain, text(t, plain, Session{})}, {more, want}} {
		j := open(t, c.p, path)
		had, ran := j.Finished(), 0
		if text(t, c.p, Session{Journal: j, Progress: func(sim.Progress) { ran++ }}) != c.want {
			t.Errorf("%d: another report than without results", i)
		}
		if i == 1 && (had == 0 || ran == 0) {
			t.Errorf("%d runs were there, %d were made", had, ran)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(data), "\n"); lines != 1+len(open(t, more, path).have) {
		t.Errorf("%d lines: a run is there twice", lines)
	}
}

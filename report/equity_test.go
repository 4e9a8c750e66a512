package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEvalFairness(t *testing.T) {
	v := variantFixture("base")
	old := variantFixture("base") // of a file from before
	old.Fairness = Fairness{}
	silent := variantFixture("base")
	for i := range silent.Fairness.Groups {
		silent.Fairness.Groups[i].Jain, silent.Fairness.Groups[i].JainThroughput = Num(math.NaN()), Num(math.NaN())
	}
	silent.Fairness.AmplificationWorst = Num(math.NaN())
	nan := math.NaN()
	for _, c := range []struct {
		text string
		of   *Variant
		want float64
		ok   bool
		note string
	}{
		{"jain >= 0.999", &v, 0.99991, true, ""},
		{"jain > 99 %", &v, 0.99991, true, ""},
		{"jain{class=P2} >= 0.995", &v, 0.9941, false, ""},
		{"jain{profile=log-clean} >= 0.99", &v, 0.9941, true, ""},
		{"jain{class=P7} > 0", &v, nan, false, "no class P7 here, only P0, P1, P2"},
		{"jain_throughput > 0.7", &v, 0.744, true, ""},
		{"jain_throughput{profile=hypothesis} > 0.7", &v, 0.978, true, ""},
		{"jain_throughput{profile=nobody} > 0.7", &v, nan, false, "no profile nobody"},
		{"longest_wait < 5m", &v, 299.1, true, ""},
		{"longest_wait{class=P0} < 100ms", &v, 0.098, true, ""},
		{"longest_wait{profile=notes} < 1s", &v, 0.412, true, ""},
		{"starvation{class=P1} < 40s", &v, 41.9, false, ""},
		{"starvation < 10m", &v, 300, true, ""},
		{"starvation_p99{class=P1} < 15s", &v, 14.1, true, ""},
		{"equal_waits < 5%", &v, 0.0312, true, ""},
		{"amplification < 1.01", &v, 381_020.0 / 380_435, true, ""},
		{"amplification_worst < 1.4", &v, 1.38, true, ""},
		{"backoff_share < 1%", &v, 0.00204, true, ""},
		{"jain > 0", &silent, nan, false, "nobody was served"},
		{"jain_throughput > 0", &silent, nan, false, "nobody was served"},
		{"amplification_worst < 9", &silent, nan, false, "no minute had 20 requests"},
		{"jain > 0", &old, nan, false, "nothing was measured"},
		{"equal_waits < 5%", &old, nan, false, "fairness was not measured"},
	} {
		got := EvalAll(mustExpects(t, c.text), []Variant{*c.of})[0]
		if x := float64(got.Value); math.Abs(x-c.want) > 1e-12 || math.IsNaN(x) != math.IsNaN(c.want) || got.OK != c.ok {
			t.Errorf("%s is %v (%v), want %v", c.text, x, got.OK, c.want)
		}
		if !strings.Contains(got.Note, c.note) || (got.Note == "") != (c.note == "") {
			t.Errorf("%s has the note %q, want %q", c.text, got.Note, c.note)
		}
	}
	for _, text := range []string{"starvation{profile=notes} < 1s", "equal_waits{class=P0} < 1%", "jain{key=k01} > 0", "longest_wait < 3"} {
		if _, err := ParseExpect(text); err == nil {
			t.Errorf("%s is an expectation", text)
		}
	}
	for _, m := range fairMetrics {
		if !slices.Contains(MetricNames(), m.name) {
			t.Errorf("%s is not among the names of metrics", m.name)
		}
	}
}

// TestMergeOfFairnessIsAssociative also compares with the agents of all runs told apart.
func TestMergeOfFairnessIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs [3][]life
		s := testSetup()
		for i := range runs {
			runs[i] = lives(newRand(rapid.Uint64().Draw(t, "seed")), rapid.IntRange(0, 60).Draw(t, "n"))
		}
		record := func(run []life) *Recorder {
			r := NewRecorder(s)
			r.Close(play(r, run, forever))
			return r
		}
		describe := func(r *Recorder) string {
			totals := r.totals()
			var b bytes.Buffer
			if err := encodeJSON(&b, r.fairness(&totals)); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		left, right, tail := record(runs[0]), record(runs[0]), record(runs[1])
		left.Merge(record(runs[1]))
		left.Merge(record(runs[2]))
		tail.Merge(record(runs[2]))
		right.Merge(tail)
		if a, b := describe(left), describe(right); a != b {
			t.Fatalf("(a+b)+c and a+(b+c) differ: %s", firstDifference(a, b))
		}
		// Agents of different runs are different agents, as if of one run with other numbers. The
		// instants of retries and minutes would coincide there, so these are left out.
		var all []life
		for i, run := range runs {
			for _, l := range run {
				l.job.Agent += uint32(i) * 1000
				all = append(all, l)
			}
		}
		one, three := record(all), left
		for i, p := range one.fair.profiles {
			if q := three.fair.profiles[i]; p.shares != q.shares || p.counts != q.counts || p.least != q.least || p.wait.d != q.wait.d {
				t.Fatalf("profile %d: %+v, merged %+v", i, p, q)
			}
		}
		for c, p := range one.fair.classes {
			q := three.fair.classes[c]
			if p.shares != q.shares || p.starved.d != q.starved.d || p.spells.n != q.spells.n {
				t.Fatalf("class %d: %+v, merged %+v", c, p, q)
			}
		}
		if one.fair.backoff != three.fair.backoff || one.fair.stay != three.fair.stay {
			t.Fatal("the times differ")
		}
	})
}

// TestFairnessOfOneAgentIsNotShown: there is nobody to be fair to. Its retries are shown.
func TestFairnessOfOneAgentIsNotShown(t *testing.T) {
	s := testSetup()
	for _, agents := range []uint32{1, 2} {
		all := []life{}
		for i := range 40 {
			all = append(all, asked(i%2, uint32(i)%agents, 100+float64(i), 0, true, [2]float64{0, 0.1}, [2]float64{0.6, 0.7}))
		}
		r := NewRecorder(s)
		rep := passFixture(t)
		rep.Variants = []Variant{r.Finish(play(r, all, forever))}
		for _, format := range []string{"table", "markdown"} {
			got := renderString(t, rep, format, Options{Width: 200})
			if strings.Contains(got, "Fairness") != (agents > 1) {
				t.Errorf("%s of %d agents: %s", format, agents, got)
			}
			if !strings.Contains(strings.ReplaceAll(got, "\u202f", " "), "equal waits 100 %") {
				t.Errorf("%s of %d agents does not tell of equal waits: %s", format, agents, got)
			}
		}
		if f := rep.Variants[0].Fairness; f.Agents != int64(agents) || f.AmplificationWorst != 2 || f.BackoffS != 20 {
			t.Errorf("%d agents: %+v", agents, f)
		}
	}
}

// TestWhatNeverEndedIsNotServed: what was asked for and never ended counts as not served.
func TestWhatNeverEndedIsNotServed(t *testing.T) {
	r := NewRecorder(testSetup())
	all := []life{asked(0, 1, 100, 0, true, [2]float64{0, 1}), asked(0, 1, 200, 0, true, [2]float64{0, 400})}
	run := play(r, all, 300*time.Second)
	run.Now, run.Interrupted = 300*time.Second, true
	if g := r.Finish(run).Fairness.Groups[0]; g.LeastShare != 0.5 || g.Jain != 1 {
		t.Errorf("got %+v", g)
	}
}

func TestFormIndex(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{{1, "1"}, {0.99999, "0.999"}, {0.5, "0.500"}, {0.0004, "0.000"}, {math.NaN(), none}} {
		if got := formIndex(c.x); got != c.want {
			t.Errorf("%v is printed as %s, want %s", c.x, got, c.want)
		}
	}
}

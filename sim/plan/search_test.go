package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// pretend is a search in which the margin of value v in replication k is what f says.
func pretend(tb fataler, direction, vary string, reps int, f func(v, rep int) float64) *search {
	tb.Helper()
	p, err := New(starter(tb), Config{Vary: []string{vary}, Direction: direction, Reps: reps, Objectives: []string{"p99 < 6s"}})
	if err != nil {
		tb.Fatal(err)
	}
	w := newSweep(p, Session{})
	w.exec = func(r run) result {
		v, err := strconv.Atoi(r.point.values[0])
		if err != nil {
			return result{err: err}
		}
		m := f(v, r.rep)
		return result{sample: Sample{
			Point: r.point.label, Variant: r.subject.name, Rep: r.rep,
			Checks: []Outcome{{Value: report.Num(6 - m), Margin: report.Num(m), OK: m > 0}}, Bound: "pretence",
		}}
	}
	return w.newSearch(&p.variants[0], nil, &p.axes[0])
}

const keys = "upstreams.openai.keys.main.count="

// wobble is a margin that differs a little between replications.
func wobble(m float64, rep int) float64 { return m + 0.01*float64(rep%3-1) }

// Ensure the search finds the boundary of a monotone margin wherever it lies, in either direction, with few points.
func TestSearchFindsTheBoundary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		at := rapid.IntRange(1, n).Draw(t, "boundary")
		direction := rapid.SampledFrom([]string{Smallest, Largest}).Draw(t, "direction")
		sign := 1.0
		if direction == Largest {
			sign = -1
		}
		q := pretend(t, direction, keys+"1.."+strconv.Itoa(n), 3, func(v, rep int) float64 {
			return wobble(max(-1, min(1, sign*(float64(v-at)+sign*0.5)/10)), rep)
		})
		a, err := q.answer()
		if err != nil {
			t.Fatal(err)
		}
		if a.Value != strconv.Itoa(at) || a.Status != Found || !a.Monotone.OK {
			t.Fatalf("%s %s (%v), want %d", a.Status, a.Value, a.Monotone, at)
		}
		beside := at - int(sign)
		if beside >= 1 && beside <= n && a.Beside != strconv.Itoa(beside) {
			t.Fatalf("beside %q, want %d", a.Beside, beside)
		}
		if tried := len(a.Points); tried > coarse+5+4 {
			t.Fatalf("%d of %d points tried", tried, n)
		}
	})
}

// Ensure a margin that is not monotone is found out and the range scanned, and the answer is one from which on all pass.
func TestSearchChecksMonotonicity(t *testing.T) {
	q := pretend(t, Smallest, keys+"1..30", 3, func(v, rep int) float64 {
		if v >= 4 && v <= 9 || v >= 20 {
			return wobble(.2, rep)
		}
		return wobble(-.2, rep)
	})
	a, err := q.answer()
	if err != nil {
		t.Fatal(err)
	}
	if a.Value != "20" || a.Beside != "19" || a.Monotone.OK || !a.Monotone.Scanned || len(a.Points) != 30 {
		t.Errorf("%s beside %s, %+v, %d points", a.Value, a.Beside, a.Monotone, len(a.Points))
	}
	if notes := strings.Join(a.Monotone.Notes, "\n"); !strings.Contains(notes, "9 passes, 10 does not") {
		t.Errorf("notes %q", notes)
	}
	// A margin that falls and still passes is told too.
	q = pretend(t, Smallest, keys+"1..6", 3, func(v, rep int) float64 { return wobble([]float64{0, -.3, .5, .5, .2, .2, .2}[v], rep) })
	if a, err = q.answer(); err != nil || a.Value != "2" || a.Monotone.OK || !strings.Contains(a.Monotone.Notes[0], "the margin falls") {
		t.Errorf("%s, %+v, %v", a.Value, a.Monotone, err)
	}
}

// Ensure nothing that passes is "not attainable" with what bound it, and a boundary that depends on the seed is uncertain.
func TestSearchSaysWhatItDoesNotKnow(t *testing.T) {
	q := pretend(t, Smallest, keys+"1..9", 3, func(_, rep int) float64 { return wobble(-.3, rep) })
	a, err := q.answer()
	if err != nil || a.Status != Unattainable || a.Value != "" || !strings.Contains(a.Sentence, "not attainable") || !strings.Contains(a.Sentence, "bound by pretence") {
		t.Errorf("%+v, %v", a, err)
	}
	q = pretend(t, Smallest, keys+"1..9", 6, func(v, rep int) float64 {
		if v == 5 {
			return .3 * float64(2*(rep%2)-1)
		}
		return wobble(math.Copysign(.3, float64(v)-5), rep)
	})
	a, err = q.answer()
	if err != nil || a.Status != Uncertain || a.Value != "6" || a.Beside != "5" || !strings.Contains(a.Sentence, "depends on the seed (3 of 6 runs") {
		t.Errorf("%+v, %v", a, err)
	}
}

// Ensure an axis that makes no difference is called so.
func TestSearchAlongNothing(t *testing.T) {
	q := pretend(t, Smallest, keys+"1..9", 3, func(_, rep int) float64 { return wobble(.3, rep) })
	if a, err := q.answer(); err != nil || a.Value != "1" || !strings.Contains(a.Sentence, "no value of the range makes a difference") {
		t.Errorf("%s, %v", a.Sentence, err)
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		margins []float64
		want    string
	}{
		{[]float64{.2, .21, .19}, Pass},
		{[]float64{.2, .21, -.01}, Uncertain},
		{[]float64{-.2, -.21, -.19}, Fail},
		{[]float64{.01, .3, .6}, Uncertain}, // all met, but a further run need not
		{[]float64{1, 1, 1}, Pass},
		{[]float64{.2}, Unknown},
	} {
		met := make([]bool, len(c.margins))
		for i, m := range c.margins {
			met[i] = m > 0
		}
		if got := judge(c.margins, met); got != c.want {
			t.Errorf("%v: %s, want %s", c.margins, got, c.want)
		}
	}
}

// Ensure the rule keeps its promise: of normal margins, a point that passes passes a further run in 95 of 100 cases, wherever
// it lies. (The chance that a point near the edge passes is small; those that do are counted together.)
func TestPredictionCoversFurtherRuns(t *testing.T) {
	const trials, reps = 20_000, 5
	normal := distuv.Normal{Mu: .1, Sigma: .05, Src: rand.NewPCG(7, 7)}
	above := 0
	for range trials {
		margins := make([]float64, reps)
		for i := range margins {
			margins[i] = normal.Rand()
		}
		if normal.Rand() > float64(predict(margins).Low) {
			above++
		}
	}
	if share := float64(above) / trials; math.Abs(share-PredictionLevel) > .005 {
		t.Errorf("a further run lies above the limit in %.4f of the cases, want %v", share, PredictionLevel)
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		n, k int
		want []int
	}{{11, 5, []int{0, 2, 5, 7, 10}}, {3, 5, []int{0, 1, 2}}, {2, 5, []int{0, 1}}} {
		if got := spread(c.n, c.k); !slices.Equal(got, c.want) {
			t.Errorf("spread(%d, %d) = %v, want %v", c.n, c.k, got, c.want)
		}
	}
}

package plan

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
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

// Ensure a value in the middle that passes is found where both ends of the range fail, of a short range and of a long one, in either
// direction and from wherever a growth begins; the sentence says that more is not always better.
func TestSearchFindsAnOptimumInside(t *testing.T) {
	for _, n := range []int{41, 400} {
		hill := func(v, rep int) float64 { // passes within a fiftieth of the range around 0.3 of it
			return wobble(.2-10*math.Abs(float64(v)/float64(n)-.3), rep)
		}
		passes := func(value string) bool {
			v, err := strconv.Atoi(value)
			return err == nil && hill(v, 0) > .02
		}
		for _, direction := range []string{Smallest, Largest} {
			q := pretend(t, direction, keys+"1.."+strconv.Itoa(n), 3, hill)
			a, err := q.answer()
			if err != nil {
				t.Fatal(err)
			}
			if a.Status == Unattainable || !passes(a.Value) || passes(a.Beside) || a.Monotone.OK || !strings.Contains(a.Sentence, "not every value beyond it does") {
				t.Errorf("%s of %d: %s", direction, n, a.Sentence)
			}
			if tried := len(a.Points); n > scanMost && tried > 40 {
				t.Errorf("%s of %d: %d points tried", direction, n, tried)
			}
			for from := 0; from < n; from += n / 4 {
				q = q.newSearch(q.subject, nil, q.axis)
				if _, err := q.climb(from); err != nil {
					t.Fatal(err)
				}
				if answer, _ := q.boundary(); answer < 0 || !passes(q.value(answer)) {
					t.Fatalf("%s of %d from %d: nothing found", direction, n, from)
				}
			}
		}
	}
}

// Ensure the value beside an answer of a long range is the one next to it, whatever the neighbours turn out to be.
func TestSearchNeighboursTouch(t *testing.T) {
	q := pretend(t, Smallest, keys+"1..70", 3, func(v, rep int) float64 {
		if pos := v - 1; pos <= 20 || pos == 22 || pos == 23 {
			return wobble(-.2, rep)
		}
		return wobble(.2, rep)
	})
	a, err := q.answer()
	if err != nil || a.Value != "25" || a.Beside != "24" {
		t.Errorf("%s beside %s, want 25 beside 24 (%v)", a.Value, a.Beside, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(65, 120).Draw(t, "n")
		q := statuses(t, rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "passes"), rapid.SampledFrom([]string{Smallest, Largest}).Draw(t, "direction"))
		if _, err := q.run(); err != nil {
			t.Fatal(err)
		}
		answer, before := q.boundary()
		if answer >= 0 && (q.status(answer) != Pass || answer-before != 1 || before >= 0 && q.status(before) == Pass) {
			t.Fatalf("%d beside %d", answer, before)
		}
	})
}

// Ensure a range of which nothing passes is told by the value that comes nearest, and not by the last.
func TestSearchNamesTheNearest(t *testing.T) {
	for _, c := range []struct {
		margin func(v int) float64
		best   string
		part   string
	}{
		{func(v int) float64 { return -.3 - math.Abs(float64(v)-4)/10 }, "4", "the nearest to it is 4 keys of main (p99 6.30 s)"},
		{func(v int) float64 { return -1 + float64(v)/20 }, "9", "9 keys of main do not meet p99 < 6s (p99 6.55 s); bound by pretence"},
		{func(int) float64 { return -.3 }, "9", "9 keys of main do not meet p99 < 6s (p99 6.30 s); bound by pretence; no value of the range makes a difference"},
	} {
		a, err := pretend(t, Smallest, keys+"1..9", 3, func(v, rep int) float64 { return wobble(c.margin(v), rep) }).answer()
		if err != nil || a.Status != Unattainable || a.Best != c.best || !strings.Contains(report.Plain(a.Sentence), c.part) {
			t.Errorf("best %q, %s (%v), want %s, %q", a.Best, a.Sentence, err, c.best, c.part)
		}
	}
}

// Ensure the other end of a range that passes is pointed at where the end that should be best fails.
func TestSearchTheWrongWay(t *testing.T) {
	for direction, flag := range map[string]string{Smallest: "--max", Largest: "--min"} {
		a, err := pretend(t, direction, keys+"1..9", 3, func(v, rep int) float64 {
			return wobble(map[string]float64{Smallest: 1, Largest: -1}[direction]*(4.5-float64(v))/10, rep)
		}).answer()
		if notes := strings.Join(a.Monotone.Notes, "\n"); err != nil || a.Monotone.OK || !strings.Contains(notes, flag+" looks from there") {
			t.Errorf("%s: %q, %v", direction, notes, err)
		}
	}
}

// Ensure an axis that makes no difference is called so.
func TestSearchAlongNothing(t *testing.T) {
	q := pretend(t, Smallest, keys+"1..9", 3, func(_, rep int) float64 { return wobble(.3, rep) })
	if a, err := q.answer(); err != nil || a.Value != "1" || !strings.Contains(a.Sentence, "no value of the range makes a difference") {
		t.Errorf("%s, %v", a.Sentence, err)
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

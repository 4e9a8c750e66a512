package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// recorded is a recorder of one run.
func recorded(name string, seed uint64, all []life) *Recorder {
	s := testSetup()
	s.Name, s.Seed = name, seed
	r := NewRecorder(s)
	r.Close(play(r, all, 601*time.Second))
	return r
}

// TestFiguresAreTheMetricsOfTheRun: what is kept of a replication is what the metric says of
// the run alone, so that ratios of figures are ratios of metrics.
func TestFiguresAreTheMetricsOfTheRun(t *testing.T) {
	all := lives(newRand(3), 900)
	alone := recorded("base", 1, all).Variant()
	pooled := recorded("base", 1, all)
	pooled.Merge(recorded("base", 2, lives(newRand(4), 900)))
	v := pooled.Variant()
	judged := 0
	for _, by := range []By{{}, {Profile: "hypothesis"}, {Profile: "notes"}, {Class: "P0"}, {Class: "P1"}} {
		names := slices.Concat(figureStats, figureRates)
		if by == (By{}) {
			for i := range plainMetrics {
				names = append(names, plainMetrics[i].name)
			}
		}
		for _, name := range names {
			m, _ := findMetric(name)
			want, _ := m.eval(&alone, by)
			xs := v.each(name, by)
			if xs == nil && math.IsNaN(want) {
				continue
			}
			judged++
			if xs == nil || math.IsInf(want, 1) != math.IsInf(xs[0], 1) || !math.IsInf(want, 1) && math.Abs(xs[0]-want) > 0.0011*want {
				t.Errorf("%s of %+v is %v, want %v first", name, by, xs, want)
			}
		}
	}
	if judged < 100 {
		t.Errorf("only %d figures", judged)
	}
}

// TestComparisonOfEqualVariants: every ratio is 1 [1, 1], or named as undefined.
func TestComparisonOfEqualVariants(t *testing.T) {
	r := &Report{Schema: Schema}
	for _, name := range []string{"a", "b", "c"} {
		pool := recorded(name, 0, lives(newRand(10), 300))
		for seed := uint64(1); seed < 4; seed++ {
			pool.Merge(recorded(name, seed, lives(newRand(10+seed), 300)))
		}
		r.Variants = append(r.Variants, pool.Variant())
	}
	Judge(r, nil, false, nil)
	ones := 0
	for _, c := range r.Comparison {
		switch {
		case c.N != 4 || c.BaseVariant != "a" || c.Variant == "a":
			t.Errorf("%+v", c)
		case c.Ratio == 1 && c.Low == 1 && c.High == 1 && c.Note == "":
			ones++
		case !math.IsNaN(float64(c.Ratio)) || !strings.HasPrefix(c.Note, undefined):
			t.Errorf("%+v", c)
		}
	}
	if ones < 20 || ones%2 != 0 {
		t.Errorf("%d ratios of %d are 1", ones, len(r.Comparison))
	}
}

// TestComparisonIsWhole: each figure of the page is compared in each variant once, a ratio lies in its
// interval, and what has none says why.
func TestComparisonIsWhole(t *testing.T) {
	for _, f := range fixtures {
		r := f.build(t)
		rows := 0
		if len(r.Variants) > 1 {
			rows = len(sideSections(r)[0].grid.rows)
		}
		if want := rows * max(0, len(r.Variants)-1); len(r.Comparison) != want {
			t.Errorf("%s: %d comparisons, want %d", f.name, len(r.Comparison), want)
		}
		for _, c := range r.Comparison {
			low, q, high := float64(c.Low), float64(c.Ratio), float64(c.High)
			switch {
			case !math.IsNaN(low) && (c.N < 2 || !(0 <= low && low <= q && q <= high)):
				t.Errorf("%s: %+v", f.name, c)
			case math.IsNaN(q) && !strings.HasPrefix(c.Note, undefined), math.IsNaN(low) && c.N > 1 && c.Note == "":
				t.Errorf("%s: nothing says why in %+v", f.name, c)
			}
		}
		var b bytes.Buffer
		if err := RenderJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if several := strings.Contains(b.String(), `"comparison"`); several != (len(r.Variants) > 1) {
			t.Errorf("%s: a comparison in the file: %v", f.name, several)
		}
	}
}

// TestOtherSeedsAreNotPaired: then only the ratio of the means is known.
func TestOtherSeedsAreNotPaired(t *testing.T) {
	for _, spoil := range []func(v *Variant){
		func(v *Variant) { v.Replications[2].Seed = 77 },
		func(v *Variant) { v.Replications = v.Replications[:3] }, // it was interrupted
		func(v *Variant) { v.Replications = nil },
	} {
		r := pairedFixture(t)
		spoil(&r.Variants[1])
		for _, c := range compareVariants(r) {
			if c.Variant != "aimd" {
				continue
			}
			if c.N != 1 || c.Note == "" || !math.IsNaN(float64(c.Low)) {
				t.Errorf("%+v", c)
			}
			if q := float64(c.Value / c.Base); !math.IsNaN(float64(c.Ratio)) && !near(float64(c.Ratio), q) {
				t.Errorf("%s: %v, want %v", c.Figure, c.Ratio, q)
			}
		}
		if c := EvalAll(mustExpects(t, "throughput{variant=aimd} / throughput{variant=static} > 1"), r.Variants)[0]; c.Interval != nil || c.Note != otherSeeds || !near(float64(c.Value), 137.91/99.91) {
			t.Errorf("%+v", c)
		}
	}
}

// TestComparisonsOfStrangersAreCleaned: a file may hold anything.
func TestComparisonsOfStrangersAreCleaned(t *testing.T) {
	r := pairedFixture(t)
	r.Comparison = append(r.Comparison, Comparison{Figure: "\x1b[31mred\n", By: By{Profile: "\x07"}, Note: "a\x1b[0m\nb"}, Comparison{Figure: "\x1b[2J", Note: "c"})
	for _, width := range []int{60, 200} {
		checkTable(t, r, renderString(t, r, "table", Options{Width: width}), width)
	}
	checkMarkdown(t, r, renderString(t, r, "markdown", Options{}))
}

// TestIntervalsLeaveFirst: where there is no room for all, none is shown.
func TestIntervalsLeaveFirst(t *testing.T) {
	r := pairedFixture(t)
	for _, c := range []struct {
		width, parts int
		intervals    bool
	}{{60, 2, false}, {80, 1, false}, {120, 1, true}} {
		got := renderString(t, r, "table", Options{Width: c.width})
		_, side, _ := strings.Cut(got, "Side by side")
		side, _, _ = strings.Cut(side, "Bound by")
		if strings.Contains(side, "[1.37, 1.43]") != c.intervals || strings.Count(side, "  figure ") != c.parts {
			t.Errorf("at %d columns:\n%s", c.width, side)
		}
	}
}

func BenchmarkFigures(b *testing.B) {
	r := recorded("base", 1, lives(newRand(3), 2000))
	t := r.totals()
	b.ReportAllocs()
	for b.Loop() {
		r.figures(&t)
	}
}

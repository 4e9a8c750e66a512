package compare

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
)

// TestMostlyTied: of counts and shares that are equal in most pairs the means are compared, as the median of the differences is 0
// whatever the others are.
func TestMostlyTied(t *testing.T) {
	some := func(n, of int, x, rest float64) []float64 {
		return append(slices.Repeat([]float64{x}, n), slices.Repeat([]float64{rest}, of-n)...)
	}
	flat := func(x float64) []float64 { return slices.Repeat([]float64{x}, 30) }
	for _, tc := range []struct {
		name, metric string
		base, next   []float64
		want         Verdict
		change, note string
	}{
		{"duplicates in 14 of 30", "duplicate_writes", flat(0), some(14, 30, 500, 0), Worse, "from 0", "differs in 14 of 30 pairs; values and change are of the means; 0 has no ratio"},
		{"and no longer", "duplicate_writes", some(14, 30, 500, 0), flat(0), Better, "to 0", "differs in 14 of 30 pairs"},
		{"one in 14 of 30", "duplicate_writes", flat(0), some(14, 30, 1, 0), Same, "from 0", "below the least difference from 0"},
		{"in 3 of 30", "duplicate_writes", flat(0), some(3, 30, 500, 0), Same, "from 0", "too few of the values differ"},
		{"twice as many in 14", "dead_letters", flat(10), some(14, 30, 20, 10), Worse, "", "differs in 14 of 30 pairs"},
		{"a share", "ratio_429", flat(0.1), some(14, 30, 0.2, 0.1), Worse, "", "differs in 14 of 30 pairs"},
		{"a share, a little", "ratio_429", flat(0.1), some(14, 30, 0.101, 0.1), Same, "", "below the threshold of 5.00 %"},
		{"the mean goes the other way", "dead_letters", some(1, 30, 9000, 10), append([]float64{10}, some(13, 29, 20, 10)...), Same, "", "differs in 14 of 30 pairs"},
		{"money is no count", "cost_per_1000", flat(1), some(14, 30, 2, 1), Same, "", "significant, but below"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := judged(t, reportOf(30, figures{tc.metric: tc.base}), reportOf(30, figures{tc.metric: tc.next}), quick())
			if r := rowOf(t, res, tc.metric); r.Verdict != tc.want || r.Change != tc.change || !strings.Contains(r.Note, tc.note) {
				t.Errorf("%s, %q, note %q", r.Verdict, r.Change, r.Note)
			}
		})
	}
	if e := tiedEffect([]float64{0, 0, 0, 9, 0, 0}, []float64{1, 1, 1, 0, 0, 0}); e != (effect{}) {
		t.Errorf("a mean against most pairs has the effect %v", e)
	}
	res := judged(t, reportOf(30, figures{"dead_letters": flat(10)}), reportOf(30, figures{"dead_letters": some(12, 30, 20, 10)}), quick())
	if r := rowOf(t, res, "dead_letters"); math.Abs(float64(r.New)-14) > 1e-9 || math.Abs(float64(r.Difference)-0.4) > 1e-9 {
		t.Errorf("means: %v and %v, %v", r.Base, r.New, r.Difference)
	}
}

// TestRemarks: a difference is laid to simload itself only if scenario, demand and seed were the same.
func TestRemarks(t *testing.T) {
	const says = "both ran the same scenario"
	o := quick()
	o.Force = true
	for _, tc := range []struct {
		edit func(*report.Scenario)
		want bool
	}{
		{func(*report.Scenario) {}, true},
		{func(s *report.Scenario) { s.Seed, s.DemandSHA256 = 2, "other" }, false},
		{func(s *report.Scenario) { s.SHA256 = "other" }, false},
	} {
		next := reportOf(10, nil)
		tc.edit(&next.Scenario)
		notes := judged(t, reportOf(10, nil), next, o).Scenarios[0].Notes
		if strings.Contains(strings.Join(notes, "\n"), says) != tc.want {
			t.Errorf("%+v: %q", next.Scenario, notes)
		}
	}
}

// TestAmbiguous: what is no report, or has two variants of a name, is refused for good and by what it is.
func TestAmbiguous(t *testing.T) {
	twice := reportOf(1, nil)
	twice.Variants = append(twice.Variants, twice.Variants[0])
	o := quick()
	o.Force = true
	for _, tc := range []struct {
		base, next *report.Report
		want       string
	}{
		{reportOf(1, nil), twice, `NEW has two variants "base" in the scenario "fixture"`},
		{&report.Report{Schema: Schema}, reportOf(1, nil), "BASE is a comparison (simload.compare/v1), and no report"},
	} {
		_, err := Reports([]*report.Report{tc.base}, []*report.Report{tc.next}, o)
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Forceable || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %s", err, tc.want)
		}
	}
}

// TestForesee: what is refused after a run is refused before it, where it can be known.
func TestForesee(t *testing.T) {
	for _, tc := range []struct {
		edit func(*report.Report)
		want string
	}{
		{func(*report.Report) {}, ""},
		{func(r *report.Report) { r.Verdict.Status = report.StatusPartial }, "BASE is partial"},
		{func(r *report.Report) { r.Verdict.Status = report.StatusInvalid }, "BASE is INVALID"},
		{func(r *report.Report) { r.Schema = "v0" }, "BASE has the schema"},
		{func(r *report.Report) { r.Scenario.DemandSHA256, r.Scenario.Seed = "other", 2 }, "seed 2 in BASE, 1 in NEW"},
		{func(r *report.Report) { r.Scenario.Mode = "wall" }, "other clock"},
		{func(r *report.Report) { r.Scenario.Target = "http://x" }, "other target"},
	} {
		base := reportOf(2, nil)
		run := base.Scenario
		tc.edit(base)
		if err := Foresee(base, &run); (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
}

// TestOneRun: of one run there is no interval, and it is written in the singular.
func TestOneRun(t *testing.T) {
	for _, tc := range []struct {
		v    Variant
		want string
	}{
		{Variant{Method: Ranks, BaseN: 1, NewN: 1}, "1 run against 1: Mann-Whitney; ratio of the medians, without an interval"},
		{Variant{Method: Ranks, BaseN: 2, NewN: 3}, "2 runs against 3: Mann-Whitney; ratio of the medians with its 95 % bootstrap interval"},
	} {
		if got := tc.v.method(); got != tc.want {
			t.Errorf("%s", got)
		}
	}
}

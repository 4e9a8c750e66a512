package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"pgregory.net/rapid"
)

// TestVerdicts: what each kind of change is called, and what is said of it.
func TestVerdicts(t *testing.T) {
	const n = 10
	inf := math.Inf(1)
	repeat := func(x float64) []float64 { return slices.Repeat([]float64{x}, n) }
	for _, tc := range []struct {
		name, metric string
		base, next   []float64
		want         Verdict
		change, note string
	}{
		{"half again as slow", "p99_s{profile=ask}", series(n, 1), series(n, 1.5), Worse, "", ""},
		{"1 % slower", "p99_s{profile=ask}", series(n, 1), series(n, 1.01), Worse, "", ""},
		{"0.3 % slower", "p99_s{profile=ask}", series(n, 1), series(n, 1.003), Same, "", "significant, but below the threshold of 0.500 %"},
		{"faster", "p99_s{profile=ask}", series(n, 1), series(n, 0.9), Better, "", ""},
		{"three pairs against seven", "p99_s{profile=ask}", series(n, 1), append(series(n-3, 1.5), 1, 1, 1), Same, "", ""},
		{"more is served", "throughput", series(n, 1), series(n, 1.1), Better, "", ""},
		{"less is served", "throughput", series(n, 1), series(n, 0.9), Worse, "", ""},
		{"now fails", "p99_s{profile=ask}", series(n, 1), repeat(inf), Worse, "to failure", "a failure in 10 of 10 runs of NEW"},
		{"fails no longer", "p99_s{profile=ask}", repeat(inf), series(n, 1), Better, "from failure", "a failure in 10 of 10 runs of BASE"},
		{"fails as before", "p99_s{profile=ask}", repeat(inf), repeat(inf), Same, "", "a failure in 10 of 10 runs of NEW"},
		{"fails in two", "p99_s{profile=ask}", series(n, 1), append(series(n-2, 1), inf, inf), Same, "", "a failure in 2 of 10 runs of NEW; too few of the values differ"},
		{"duplicates from none", "duplicate_writes", repeat(0), repeat(2), Worse, "from 0", "a difference of 1 or more counts"},
		{"duplicates to none", "duplicate_writes", repeat(2), repeat(0), Better, "to 0", ""},
		{"a trace of 429s from none", "ratio_429", repeat(0), repeat(0.0004), Same, "from 0", "below the least difference from 0"},
		{"429s from none", "ratio_429", repeat(0), repeat(0.02), Worse, "from 0", "a difference of 0.100 % or more counts"},
		{"not measured in five", "cost_per_1000", series(n, 1), append(series(n-5, 1.5), slices.Repeat([]float64{math.NaN()}, 5)...), NotEnough, "", "no value in 5 runs of NEW, left out; 5 values, and 10 would do"},
		{"not measured at all", "cost_per_1000", series(n, 1), repeat(math.NaN()), NotJudged, "", "no value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := judged(t, reportOf(n, figures{tc.metric: tc.base}), reportOf(n, figures{tc.metric: tc.next}), Default())
			r := rowOf(t, res, strings.Replace(tc.metric, "_s{", "{", 1))
			if r.Verdict != tc.want || r.Change != tc.change || !strings.Contains(r.Note, tc.note) || tc.note == "" && r.Note != "" && tc.change == "" {
				t.Errorf("%s, %q, note %q", r.Verdict, r.Change, r.Note)
			}
			if worse := res.ExitCode() == report.ExitRegression; worse != (tc.want == Worse) {
				t.Errorf("exit code %d", res.ExitCode())
			}
			if p := float64(r.PHolm); tc.want == Worse && !(p >= float64(r.P) && p <= 0.025) {
				t.Errorf("p %v, after Holm %v", r.P, p)
			}
		})
	}
}

// TestMethods: seeds, demand and clock decide how runs are compared.
func TestMethods(t *testing.T) {
	wall := func(r *report.Report) { r.Scenario.Mode = "wall" }
	reseeded := func(r *report.Report) {
		for i := range r.Variants[0].Replications {
			r.Variants[0].Replications[i].Seed += 100
		}
	}
	single := func(r *report.Report) { r.Variants[0].Replications = nil }
	for _, tc := range []struct {
		name    string
		n, m    int
		edit    func(*report.Report) // of both
		editNew func(*report.Report)
		want    Method
		verdict Verdict
		note    string
	}{
		{"ten pairs", 10, 10, nil, nil, Paired, Worse, ""},
		{"three pairs", 3, 3, nil, nil, Paired, NotEnough, "3 here, and 10 pairs of runs with the same seed would do for 7 tests at 2.50 %"},
		{"ten of twenty have a partner", 20, 10, nil, nil, Paired, Worse, "of 20 runs of BASE and 10 of NEW, 10 have the same seeds"},
		{"one in common", 1, 4, nil, nil, Exact, Worse, "1 have the same seeds"},
		{"single runs", 1, 1, single, nil, Exact, Same, ""},
		{"other seeds", 10, 10, nil, reseeded, Ranks, Worse, ""},
		{"other seeds, too few", 3, 3, nil, reseeded, Ranks, NotEnough, "3 here, and 6 runs on each side would do"},
		{"wall clock", 10, 8, wall, nil, Ranks, Worse, ""},
		{"wall clock, single", 1, 1, wall, nil, Ranks, NotEnough, "not enough replications: 1 here"},
		{"forced: other clock", 10, 10, nil, wall, Ranks, Worse, ""},
		{"forced: other demand", 10, 10, nil, func(r *report.Report) { r.Scenario.DemandSHA256 = "other" }, Ranks, Worse, ""},
		{"forced: other target", 10, 10, nil, func(r *report.Report) { r.Scenario.Target = "http://x" }, Ranks, Worse, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := reportOf(tc.n, figures{"throughput": series(tc.n, 2)})
			next := reportOf(tc.m, figures{"throughput": series(tc.m, 1)})
			if tc.edit != nil {
				tc.edit(base)
				tc.edit(next)
			}
			if tc.editNew != nil {
				tc.editNew(next)
			}
			o := Default()
			o.Force = true
			res := judged(t, base, next, o)
			v := res.Scenarios[0].Variants[0]
			if v.Method != tc.want || res.Verdict != tc.verdict || !strings.Contains(strings.Join(v.Notes, "\n"), tc.note) {
				t.Errorf("%s, %s, notes %q", v.Method, res.Verdict, v.Notes)
			}
		})
	}
}

// TestSwapping: NEW against BASE is better where BASE against NEW is worse, with the same p.
func TestSwapping(t *testing.T) {
	mirror := map[Verdict]Verdict{Better: Worse, Worse: Better, Same: Same, NotEnough: NotEnough, NotJudged: NotJudged}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{2, 10, 12}).Draw(t, "n")
		a, b := drawn(t, "a ", n), drawn(t, "b ", n)
		if rapid.Bool().Draw(t, "wall") {
			a.Scenario.Mode, b.Scenario.Mode = "wall", "wall"
		}
		there, back := judged(t, a, b, quick()), judged(t, b, a, quick())
		back.primary(func(_ *Scenario, v *Variant, r *Row) {
			at := slices.IndexFunc(there.Scenarios[0].Variants[0].Primary, func(x Row) bool { return x.Metric == r.Metric })
			if x := &there.Scenarios[0].Variants[0].Primary[at]; r.Verdict != mirror[x.Verdict] || !equal(x.PHolm, r.PHolm) || !equal(x.Base, r.New) {
				t.Errorf("%s (%s): %s and back %s, p %v and %v", r.Metric, v.Method, x.Verdict, r.Verdict, x.PHolm, r.PHolm)
			}
		})
	})
}

func equal(a, b report.Num) bool {
	x, y := float64(a), float64(b)
	return math.Abs(x-y) <= 1e-12*math.Abs(x) || math.IsNaN(x) && math.IsNaN(y) || x == y
}

// TestSelf: a report compared with itself is the same everywhere.
func TestSelf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, "", rapid.IntRange(1, 12).Draw(t, "n"))
		if rapid.Bool().Draw(t, "wall") {
			r.Scenario.Mode = "wall"
		}
		res := judged(t, r, r, quick())
		res.primary(func(_ *Scenario, _ *Variant, row *Row) {
			if row.Verdict != Same && row.Verdict != NotJudged || row.Verdict == NotJudged && row.N > 0 {
				t.Errorf("%s is %s", row.Metric, row.Verdict)
			}
		})
		if len(res.Scenarios[0].Variants[0].Information) > 0 || res.Verdict != Same {
			t.Errorf("%s, moved: %v", res.Verdict, res.Scenarios[0].Variants[0].Information)
		}
	})
}

// TestOrderOfReplications: the result does not depend on it.
func TestOrderOfReplications(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10).Draw(t, "n")
		a, b := drawn(t, "a ", n), drawn(t, "b ", n)
		if rapid.Bool().Draw(t, "wall") {
			a.Scenario.Mode, b.Scenario.Mode = "wall", "wall"
		}
		first := judged(t, a, b, quick())
		b.Variants[0].Replications = rapid.Permutation(b.Variants[0].Replications).Draw(t, "order")
		a.Variants[0].Replications = rapid.Permutation(a.Variants[0].Replications).Draw(t, "other order")
		x, errX := json.Marshal(first)
		y, errY := json.Marshal(judged(t, a, b, quick()))
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			t.Errorf("%v %v\n%s\n%s", errX, errY, x, y)
		}
	})
}

// TestRefusals: each thing that forbids to compare is named, and can be overridden, which the result says.
func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(*report.Report)
		want string
	}{
		{"seed", func(r *report.Report) { r.Scenario.Seed, r.Scenario.DemandSHA256 = 2, "other" }, "other demand: seed 1 in BASE, 2 in NEW"},
		{"duration", func(r *report.Report) { r.Scenario.DurationS, r.Scenario.DemandSHA256 = 60, "other" }, "other demand: duration 600 s in BASE, 60 s in NEW"},
		{"warm-up", func(r *report.Report) { r.Scenario.WarmupS, r.Scenario.DemandSHA256 = 1, "other" }, "other demand: warm-up"},
		{"workload", func(r *report.Report) { r.Scenario.DemandSHA256 = "other" }, "other demand: the workloads differ"},
		{"schema", func(r *report.Report) { r.Schema = "simload.report/v9" }, `NEW has the schema "simload.report/v9"`},
		{"partial", func(r *report.Report) {
			r.Verdict.Status, r.Verdict.Reasons = report.StatusPartial, []string{"interrupted after 7"}
		}, "NEW is partial: interrupted after 7"},
		{"invalid", func(r *report.Report) { r.Verdict.Status = report.StatusInvalid }, "NEW is INVALID"},
		{"unjudged", func(r *report.Report) { r.Verdict.Status = "" }, `NEW has the verdict ""`},
		{"clock", func(r *report.Report) { r.Scenario.Mode = "wall" }, "other clock: BASE ran in virtual mode, NEW in wall mode"},
		{"target", func(r *report.Report) { r.Scenario.Target = "http://x" }, "other target: BASE drove the mock, NEW http://x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base, next := reportOf(10, nil), reportOf(10, nil)
			tc.edit(next)
			sides := func(o Options) (*Result, error) {
				return Reports([]*report.Report{base}, []*report.Report{next}, o)
			}
			_, err := sides(Default())
			var refusal *Refusal
			if !errors.As(err, &refusal) || !refusal.Forceable || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("refused: %v, want %q", err, tc.want)
			}
			o := Default()
			o.Force = true
			res, err := sides(o)
			if err != nil || len(res.Scenarios[0].Forced) == 0 || !strings.Contains(strings.Join(res.Scenarios[0].Forced, "\n"), tc.want) {
				t.Errorf("forced: %v, %v", res, err)
			}
		})
	}
}

// TestMatching: sets are matched by name; what has no partner is named, and two of a name are refused.
func TestMatching(t *testing.T) {
	named := func(names ...string) []*report.Report {
		var out []*report.Report
		for _, name := range names {
			r := reportOf(10, nil)
			r.Scenario.Name = name
			out = append(out, r)
		}
		return out
	}
	res, err := Reports(named("a", "b", "gone"), named("b", "new", "a"), Default())
	if err != nil || len(res.Scenarios) != 2 || len(res.Unmatched) != 2 || res.Unmatched[0].What != "scenario gone" || res.Unmatched[1].In != "new" {
		t.Errorf("%+v, %v", res, err)
	}
	if res.Tests != 14 || res.Family != 0 || !strings.Contains(res.Summary, "2 without a partner") {
		t.Errorf("family %d: %s", res.Family, res.Summary)
	}
	if _, err := Reports(named("a"), named("b"), Default()); err != nil {
		t.Errorf("single reports of two names: %v", err)
	}
	for _, bad := range [][2][]*report.Report{{named("a", "a"), named("a", "b")}, {named("a", "b"), named("c")}, {named(), named("a")}} {
		var refusal *Refusal
		if _, err := Reports(bad[0], bad[1], Default()); !errors.As(err, &refusal) || refusal.Forceable {
			t.Errorf("not refused for good: %v", err)
		}
	}
}

// TestVanished: a variant or profile that one side lacks is named, with what that means.
func TestVanished(t *testing.T) {
	base, next := reportOf(10, nil), reportOf(10, nil)
	extra := base.Variants[0]
	extra.Name = "dropped"
	base.Variants = append(base.Variants, extra)
	next.Variants[0].Profiles = []report.Profile{{Name: "note", Class: "P1"}, {Name: "fresh", Class: "P0"}}
	res := judged(t, base, next, Default())
	s := res.Scenarios[0]
	if len(s.Unmatched) != 1 || s.Unmatched[0].What != "variant dropped" || s.Unmatched[0].In != "base" {
		t.Errorf("variants: %+v", s.Unmatched)
	}
	got := s.Variants[0].Unmatched
	if len(got) != 2 || got[0].What != "profile ask" || got[1].What != "profile fresh" {
		t.Errorf("profiles: %+v", got)
	}
	next.Variants[0].Name = "renamed"
	var refusal *Refusal
	if _, err := Reports([]*report.Report{base}, []*report.Report{next}, Default()); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "BASE has base, dropped, NEW renamed") {
		t.Errorf("no variant in common: %v", err)
	}
	base, next = reportOf(10, nil), reportOf(10, nil)
	next.Variants[0].Laws.NoBooks = true
	if got := judged(t, base, next, Default()).Scenarios[0].Variants[0].Unmatched; len(got) != 1 || got[0].What != "duplicate_writes" {
		t.Errorf("without books: %+v", got)
	}
}

// TestPrimary: at most eight metrics are judged, of the highest classes first, all of which reports know.
func TestPrimary(t *testing.T) {
	got := Primary([]report.Profile{{Name: "c", Class: "P2"}, {Name: "b", Class: "P1"}, {Name: "a", Class: "P1"}, {Name: "z", Class: "P0"}})
	var names []string
	for _, m := range got {
		if !m.Known() || report.Better(m.Metric) == report.NoDirection {
			t.Errorf("%s cannot be judged", m)
		}
		names = append(names, m.String())
	}
	want := "p99{profile=z} p99{profile=b} p99{profile=a} throughput ratio_429 dead_letters duplicate_writes cost_per_1000"
	if text := strings.Join(names, " "); text != want {
		t.Errorf("got %s\nwant %s", text, want)
	}
}

// TestThresholds: how they are written, and that they decide.
func TestThresholds(t *testing.T) {
	slower := func(sets ...string) Verdict {
		o := Default()
		for _, s := range sets {
			if err := o.SetThreshold(s); err != nil {
				t.Fatal(err)
			}
		}
		res := judged(t, reportOf(10, figures{"p99_s{profile=ask}": series(10, 1)}), reportOf(10, figures{"p99_s{profile=ask}": series(10, 1.03)}), o)
		return rowOf(t, res, "p99{profile=ask}").Verdict
	}
	for _, tc := range []struct {
		sets string
		want Verdict
	}{
		{"", Worse},
		{"4", Same},
		{"3%", Worse},
		{"p99=5%", Same},
		{"5 p99=1", Worse},
		{"p99=1 p99{profile=ask}=5", Same},
		{"p99{profile=note}=5", Worse},
		{"throughput=50%", Worse},
	} {
		if got := slower(strings.Fields(tc.sets)...); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.sets, got, tc.want)
		}
	}
	for _, bad := range []string{"", "x", "-1", "NaN", "Inf", "p98=1", "p99=", "p99{variant=a}=1", "p99{profile=a=1", "=1", "p99 / p50=1"} {
		if o := Default(); o.SetThreshold(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, tc := range []struct{ text, says string }{
		{"p98=1", `allowed is a metric that is judged: p99, throughput, ratio_429, dead_letters, duplicate_writes, cost_per_1000; did you mean "p99"?`},
		{"p50=1", "allowed is a metric that is judged"}, // known, and information
		{"trhoughput=1", `did you mean "throughput"?`},
		{"p99{class=P0}=1", "only the p99 of profiles is judged"},
		{"throughput{profile=ask}=1", "only the p99 of profiles is judged"},
	} {
		if o := Default(); o.SetThreshold(tc.text) == nil || !strings.Contains(o.SetThreshold(tc.text).Error(), tc.says) {
			t.Errorf("%s: %v", tc.text, o.SetThreshold(tc.text))
		}
	}
	o := Default()
	if err := o.SetThreshold("p99{profile=aks}=1"); err != nil {
		t.Fatal(err)
	}
	err := o.CheckThresholds([]*report.Report{reportOf(1, nil)})
	if err == nil || !strings.Contains(err.Error(), `did you mean "p99{profile=ask}"?`) {
		t.Errorf("a profile that neither report has: %v", err)
	}
	for _, bad := range []float64{0, 1, -1, math.NaN()} {
		o := Default()
		o.Alpha = bad
		if _, err := Reports(nil, nil, o); err == nil {
			t.Errorf("alpha %v is taken", bad)
		}
	}
}

package sim

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/compare"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// fullTier reports whether tests run as often as is claimed, and not only as often as CI has time for.
func fullTier() bool { return os.Getenv("SIMLOAD_FULL") == "1" }

// compareReps is the number of replications that comparisons are claimed to need.
const compareReps = 10

func compareScene(t *testing.T, name string, sets ...string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Load("testdata/compare/"+name+".yaml", sets)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// replicated runs a scenario as for a comparison, and returns its report as a file has it.
func replicated(t *testing.T, sc *scenario.Scenario, seed uint64) []*report.Report {
	t.Helper()
	r, err := report.Canonical(mustRun(t, sc, Options{Seed: &seed, Reps: compareReps}))
	if err != nil {
		t.Fatal(err)
	}
	return []*report.Report{r}
}

func mustCompare(t *testing.T, base, next []*report.Report, o compare.Options) *compare.Result {
	t.Helper()
	res, err := compare.Reports(base, next, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// verdictOn returns the verdict on a metric of the only variant.
func verdictOn(t *testing.T, res *compare.Result, metric string) compare.Verdict {
	t.Helper()
	rows := res.Scenarios[0].Variants[0].Primary
	i := slices.IndexFunc(rows, func(r compare.Row) bool { return r.Metric == metric })
	if i < 0 {
		t.Fatalf("%s is not judged", metric)
	}
	return rows[i].Verdict
}

// TestRegressionsAreFound: three configurations that are worse on purpose, and 1 % more service time, are called a
// regression with every seed, by the metric that each is about and with the exit code of one; the other way round, that metric is
// better. With SIMLOAD_FULL=1: 20 seeds each.
func TestRegressionsAreFound(t *testing.T) {
	notUnderRace(t)
	seeds := uint64(3)
	if fullTier() {
		seeds = 20
	}
	for _, name := range []string{"herd", "headroom", "reserve", "service"} {
		t.Run(name, func(t *testing.T) {
			path := "testdata/compare/" + name + ".yaml"
			worse, shows := headLine(t, path, "worse"), headLine(t, path, "shows")
			if len(worse) == 0 || len(shows) != 1 {
				t.Fatalf("the scenario does not say what makes it worse, or where that shows")
			}
			before, after := compareScene(t, name), compareScene(t, name, worse...)
			found := uint64(0)
			for seed := uint64(1); seed <= seeds; seed++ {
				base, next := replicated(t, before, seed), replicated(t, after, seed)
				res := mustCompare(t, base, next, compare.Default())
				if res.Verdict == compare.Worse && res.ExitCode() == report.ExitRegression && verdictOn(t, res, shows[0]) == compare.Worse {
					found++
				} else {
					t.Errorf("seed %d: %s", seed, res.Summary)
				}
				if back := mustCompare(t, next, base, compare.Default()); verdictOn(t, back, shows[0]) != compare.Better {
					t.Errorf("seed %d: not better the other way round: %s", seed, back.Summary)
				}
				if seed == 1 {
					t.Log(report.Plain(res.Summary))
				}
			}
			t.Logf("called a regression in %d of %d seeds", found, seeds)
		})
	}
}

// TestRegressionsOfVariantsAreFound: ten pairs are enough for a scenario with three variants too, and 18 metrics, as many of
// these are the same in every pair.
func TestRegressionsOfVariantsAreFound(t *testing.T) {
	notUnderRace(t)
	load := func(sets ...string) *scenario.Scenario {
		sc, err := scenario.Load("../scenarios/burst-429.yaml", sets)
		if err != nil {
			t.Fatal(err)
		}
		return sc
	}
	before, after := load(), load("upstreams.openai.faults.burst.for=40s")
	for seed := uint64(1); seed <= 2; seed++ {
		base, next := replicated(t, before, seed), replicated(t, after, seed)
		res := mustCompare(t, base, next, compare.Default())
		if n := len(res.Scenarios[0].Variants); n != 3 || res.Tests != 18 || res.Family >= res.Tests || res.Enough != 0 {
			t.Errorf("seed %d: %d variants, a family of %d among %d tests, %d would do", seed, n, res.Family, res.Tests, res.Enough)
		}
		if res.Verdict != compare.Worse || res.ExitCode() != report.ExitRegression {
			t.Errorf("seed %d: %s", seed, res.Summary)
		}
		if same := mustCompare(t, base, base, compare.Default()); same.Verdict != compare.Same {
			t.Errorf("seed %d: the same again is %s", seed, same.Summary)
		}
	}
}

// TestNullComparisons: of comparisons of one configuration with itself under other seeds, at most 5 % are called a
// change, at a level of 2.5 %. Their demand differs, so they are forced, and compared by ranks. With SIMLOAD_FULL=1: 400.
func TestNullComparisons(t *testing.T) {
	notUnderRace(t)
	each := 5
	if fullTier() {
		each = 100
	}
	changed, all := 0, 0
	o := compare.Default()
	o.Force = true
	for k, name := range []string{"herd", "headroom", "reserve", "service"} {
		sc := compareScene(t, name)
		for i := range each {
			seed := uint64(1_000_000*(k+1) + 2*i)
			res := mustCompare(t, replicated(t, sc, seed), replicated(t, sc, seed+1), o)
			if m := res.Scenarios[0].Variants[0].Method; m != compare.Ranks {
				t.Fatalf("other seeds were compared as %s", m)
			}
			all++
			switch res.Verdict {
			case compare.Better, compare.Worse:
				changed++
				t.Logf("%s, seeds %d and %d: %s", name, seed, seed+1, report.Plain(res.Summary))
			case compare.NotEnough:
				t.Errorf("%s: %s", name, res.Summary)
			case compare.Same, compare.NotJudged:
			}
		}
	}
	t.Logf("%d of %d null comparisons are called a change (%.2f %%)", changed, all, 100*float64(changed)/float64(all))
	if changed > all*5/100 {
		t.Errorf("%d of %d comparisons of a configuration with itself are called a change, more than 5 %%", changed, all)
	}
}

// TestOneRunIsExact: a single run of the same seed needs no statistics, and 1 % of service time shows in it too.
func TestOneRunIsExact(t *testing.T) {
	one := func(sets ...string) []*report.Report {
		r, err := report.Canonical(mustRun(t, compareScene(t, "service", sets...), Options{}))
		if err != nil {
			t.Fatal(err)
		}
		return []*report.Report{r}
	}
	base, next := one(), one(headLine(t, "testdata/compare/service.yaml", "worse")...)
	res := mustCompare(t, base, next, compare.Default())
	if v := res.Scenarios[0].Variants[0]; v.Method != compare.Exact || res.Family != 0 || res.Verdict != compare.Worse {
		t.Errorf("method %s, %d tests: %s", v.Method, res.Family, res.Summary)
	}
	if res := mustCompare(t, base, one(), compare.Default()); res.Verdict != compare.Same || !res.Scenarios[0].Variants[0].Identical {
		t.Errorf("the same again: %s", res.Summary)
	}
}

// headLine reads the words of a line "# KEY: ..." in a scenario's head.
func headLine(t *testing.T, file, key string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "# "+key+": "); ok {
			return strings.Fields(rest)
		}
	}
	return nil
}

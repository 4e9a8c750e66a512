package compare

import (
	"math"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"pgregory.net/rapid"
)

// figures are the values of one metric, by replication.
type figures map[string][]float64

// fixtureNames are the metrics that the fixture keeps by replication, as files name them.
var fixtureNames = []string{
	"p99_s{profile=ask}", "p99_s{profile=note}", "throughput", "ratio_429", "dead_letters", "duplicate_writes", "cost_per_1000", "retries", "success",
}

// reportOf is a report of replications with these figures; what is not given is constant.
func reportOf(n int, of figures) *report.Report {
	r := &report.Report{
		Schema: report.Schema,
		Scenario: report.Scenario{
			Name: "fixture", SHA256: "5ca1ab1e", DemandSHA256: "decade", Seed: 1, Mode: "virtual", DurationS: 600, WarmupS: 60,
		},
		Verdict: report.Verdict{Status: report.StatusPass, Checks: []report.Check{}, Reasons: []string{}},
	}
	v := report.Variant{
		Name: "base", SummedRuns: n,
		Profiles: []report.Profile{{Name: "note", Class: "P1"}, {Name: "ask", Class: "P0"}},
		Laws:     report.Laws{ConservationOK: true, BooksAgree: true},
	}
	for i := range n {
		rep := report.Replication{Seed: uint64(i + 1)}
		add := func(name string, x float64) {
			rep.Figures = append(rep.Figures, report.Share{Name: name, Share: report.Num(x)})
		}
		for _, name := range fixtureNames {
			x := 1.0
			if xs, ok := of[name]; ok {
				x = xs[i]
			}
			add(name, x)
		}
		add("max{profile=ask}", math.Inf(1)) // there were requests: a p99 of null is a failure
		add("max{profile=note}", 9)
		v.Replications = append(v.Replications, rep)
	}
	r.Variants = []report.Variant{v}
	return r
}

// series is n values that grow a little, times a factor.
func series(n int, factor float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = factor * (4 + float64(i)/10)
	}
	return out
}

// read returns the report as its file has it.
func read(t interface{ Fatal(...any) }, r *report.Report) *report.Report {
	c, err := report.Canonical(r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func judged(t interface{ Fatal(...any) }, base, next *report.Report, o Options) *Result {
	res, err := Reports([]*report.Report{read(t, base)}, []*report.Report{read(t, next)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func rowOf(t *testing.T, res *Result, metric string) Row {
	t.Helper()
	for _, r := range res.Scenarios[0].Variants[0].Primary {
		if r.Metric == metric {
			return r
		}
	}
	t.Fatalf("%s is not judged", metric)
	return Row{}
}

// drawn is a report with any figures: finite, 0, failures of the one profile, and what was not measured.
func drawn(t *rapid.T, label string, n int) *report.Report {
	of := figures{}
	for _, name := range fixtureNames {
		value := rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 2}), rapid.Float64Range(0, 1e4))
		switch name {
		case "p99_s{profile=ask}":
			value = rapid.OneOf(value, rapid.Just(math.Inf(1)))
		case "cost_per_1000":
			value = rapid.OneOf(value, rapid.Just(math.NaN()))
		}
		of[name] = rapid.SliceOfN(value, n, n).Draw(t, label+name)
		if rapid.Bool().Draw(t, label+name+" shifted") { // so that some differences are significant
			for i := range of[name] {
				of[name][i] = 20_000 + float64(i)
			}
		}
	}
	return reportOf(n, of)
}

// quick are the default options with few resamples, on which no verdict depends.
func quick() Options {
	o := Default()
	o.Resamples = 100
	return o
}

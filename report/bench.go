package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// RenderBench writes the key figures of reports in the text form of Go benchmarks, which
// benchstat and its relatives read (https://go.dev/design/14313-benchmark-format):
//
//	Unit p99-sec better=lower
//	demand-sha256: 77ab...
//	BenchmarkSimload/scenario=smoke/variant=base/profile=notes/clock=virtual 1 4.43 p99-sec ...
//
// with one line for each replication, or one line. Names from outside are tokens, and "clock"
// stands last because a name that ends in -99 would be read as one at GOMAXPROCS=99. The
// demand is a configuration key, so that benchstat does not set figures of different demands
// beside each other; what an invalid or interrupted run measured is kept apart by "verdict".
//
// A latency that is a failure is told as 24 h, the longest that is measured: so it ranks above
// every other in benchstat's rank test, and medians stay numbers, which they would not with an
// infinity. What was not measured is left out.
func RenderBench(w io.Writer, rs []*Report) error {
	rs, err := canonicals(rs)
	if err != nil {
		return err
	}
	out := benchfmt.NewWriter(w)
	if err := writeBench(out, rs); err != nil {
		return fmt.Errorf("writing benchmark text: %w", err)
	}
	return nil
}

func writeBench(out *benchfmt.Writer, rs []*Report) error {
	for _, u := range benchUnits(rs) {
		if err := out.Write(u); err != nil {
			return err
		}
	}
	for _, r := range rs {
		for i := range r.Variants {
			for _, res := range benchResults(r, &r.Variants[i]) {
				if err := out.Write(res); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// benchUnits says of each unit in which direction it is better, once.
func benchUnits(rs []*Report) []*benchfmt.UnitMetadata {
	var out []*benchfmt.UnitMetadata
	for i := range keyFigures {
		f, better := &keyFigures[i], "lower"
		if f.higher() {
			better = "higher"
		}
		for _, r := range rs {
			for v := range r.Variants {
				unit := f.unitIn(&r.Variants[v])
				known := func(m *benchfmt.UnitMetadata) bool { return m.OrigUnit == unit }
				if slices.ContainsFunc(out, known) {
					continue
				}
				key := benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}
				out = append(out, &benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: unit, Value: better})
			}
		}
	}
	return out
}

// benchConfig is what all results of a report have in common.
func benchConfig(r *Report) []benchfmt.Config {
	var out []benchfmt.Config
	add := func(key, value string) {
		if value != "" {
			out = append(out, benchfmt.Config{Key: key, Value: []byte(token(value)), File: true})
		}
	}
	add("demand-sha256", r.Scenario.DemandSHA256)
	if r.Verdict.Status != StatusPass && r.Verdict.Status != StatusFail {
		add("verdict", r.Verdict.Status)
	}
	return out
}

// benchResults are the lines of a variant: group by group, and for each all replications.
func benchResults(r *Report, v *Variant) []*benchfmt.Result {
	clock := "virtual"
	if r.Scenario.Mode == "wall" {
		clock = "wall"
	}
	var out []*benchfmt.Result
	rows := v.keyRows()
	for _, by := range v.keyGroups() {
		name := fmt.Sprintf("Simload/scenario=%s/variant=%s/%s/clock=%s",
			token(r.Scenario.Name), token(v.Name), benchGroup(by), clock)
		for rep := range max(1, len(v.Replications)) {
			res := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Config: benchConfig(r)}
			for i := range rows {
				if rows[i].by == by {
					res.Values = append(res.Values, rows[i].benchValue(rep, v)...)
				}
			}
			if len(res.Values) > 0 {
				out = append(out, res)
			}
		}
	}
	return out
}

// benchGroup keeps the name's parts key=value pairs, which benchstat can group and filter by.
func benchGroup(by By) string {
	if by.Profile == "" {
		return "profile=all"
	}
	// A profile that is itself called "all" is another group.
	if by.Profile == "all" {
		return "profile=%61ll"
	}
	return "profile=" + token(by.Profile)
}

// benchValue is the row's measurement in one replication, none if it has none there.
func (r *keyRow) benchValue(rep int, v *Variant) []benchfmt.Value {
	if rep >= len(r.values) || math.IsNaN(r.values[rep]) {
		return nil
	}
	x := r.values[rep]
	if math.IsInf(x, 1) {
		x = latencyMax.Seconds()
	}
	return []benchfmt.Value{{Value: x, Unit: r.unitIn(v)}}
}

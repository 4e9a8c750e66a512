package report

import (
	"math"
	"slices"
	"strings"
)

// keyFigure is a figure by which other programs follow a scenario from one version to the
// next: benchstat, github-action-benchmark, Bencher, a spreadsheet.
type keyFigure struct {
	metric string // a name of MetricNames, in its base unit
	// unit as benchstat is told it: one unit is one table there, so each figure has its own.
	// "USD" stands for the report's currency.
	unit string
	each bool // of each profile, too
	// inverse is the same figure with its direction turned, for tools that can only be
	// told that less is better; nil: such tools go without it.
	inverse *inverseFigure
}

// inverseFigure says how a figure of which more is better is told as one of which less is.
type inverseFigure struct {
	metric, unit string
	of           func(float64) float64
}

// keyFigures in the order in which they are printed. This is the one place that names
// them and their units; [Better] tells their directions.
var keyFigures = []keyFigure{
	{metric: "p50", unit: "p50-sec", each: true},
	{metric: "p95", unit: "p95-sec", each: true},
	{metric: "p99", unit: "p99-sec", each: true},
	{metric: "first_token_p95", unit: "first-token-p95-sec", each: true},
	{metric: "throughput", unit: "req/s", each: true, inverse: &inverseFigure{
		"seconds_per_success", "s/req", func(x float64) float64 { return 1 / x },
	}},
	{metric: "tokens_per_min", unit: "tokens/min", each: true},
	{metric: "ratio_ok", unit: "ok/req", each: true, inverse: &inverseFigure{
		"ratio_not_ok", "notok/req", func(x float64) float64 { return 1 - x },
	}},
	{metric: "ratio_429", unit: "429/attempt", each: true},
	{metric: "attempts_per_request", unit: "attempts/req", each: true},
	{metric: "dead_letters", unit: "dead-letters"},
	{metric: "duplicate_writes", unit: "duplicate-writes"},
	{metric: "retry_peak", unit: "retries/100ms"},
	{metric: "cost_per_1000", unit: "USD/1000ok", each: true},
}

// keyRow is a key figure of one group in one variant.
type keyRow struct {
	*keyFigure
	by By // everything, or one profile
	// values has one value for each replication, or one; NaN was not measured, and a latency
	// that is a failure is infinite. At least one is a number or infinite.
	values []float64
}

// keyRows lists the key figures of a variant: of everything first, then of each profile.
func (v *Variant) keyRows() []keyRow {
	var out []keyRow
	for _, by := range v.keyGroups() {
		for i := range keyFigures {
			f := &keyFigures[i]
			if by != (By{}) && !f.each {
				continue
			}
			if values := v.keyValues(f.metric, by); values != nil {
				out = append(out, keyRow{f, by, values})
			}
		}
	}
	return out
}

// keyGroups are everything and the profiles, in the order of the file.
func (v *Variant) keyGroups() []By {
	out := []By{{}}
	for i := range v.Groups {
		if by := (By{Profile: v.Groups[i].By.Profile}); !slices.Contains(out, by) {
			out = append(out, by)
		}
	}
	return out
}

// keyValues returns a metric's values by replication, or the one of all of them together where
// there is a single one or the file does not keep it by replication; nil when there is none.
func (v *Variant) keyValues(metric string, by By) []float64 {
	t := Term{Metric: metric, By: by}
	if len(v.Replications) > 1 {
		if xs := t.MeasureEach(v); xs != nil {
			return measuredOnly(xs)
		}
	}
	x, _ := t.Measure(v)
	return measuredOnly([]float64{Num(x).rounded()}) // as the figures of replications are
}

// measuredOnly returns the values unless none of them is one.
func measuredOnly(xs []float64) []float64 {
	if !slices.ContainsFunc(xs, func(x float64) bool { return !math.IsNaN(x) }) {
		return nil
	}
	return xs
}

// higher reports whether more is better.
func (f *keyFigure) higher() bool { return Better(f.metric) == HigherIsBetter }

// unitIn returns the figure's unit in the currency of a variant's report.
func (f *keyFigure) unitIn(v *Variant) string { return v.inCurrency(f.unit) }

// plainUnit returns the unit for readers that know the figure's name, too: seconds for times.
func (f *keyFigure) plainUnit(v *Variant) string {
	if m, _ := findMetric(f.metric); m.unit == UnitTime {
		return "s"
	}
	return f.unitIn(v)
}

func (v *Variant) inCurrency(unit string) string {
	if rest, money := strings.CutPrefix(unit, "USD"); money && v.Cost.Currency != "" {
		return token(v.Cost.Currency) + rest
	}
	return unit
}

// mean returns the mean of the values and half the width of Student's 95 % interval for it,
// NaN for a single one. ok is false when a value is no finite number: a mean of the rest would
// hide the worst of them.
func (r *keyRow) mean() (mean, half float64, ok bool) {
	for _, x := range r.values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, 0, false
		}
	}
	mean, half = meanInterval(r.values)
	return mean, half, true
}

// lessIsBetter returns the row as one of which less is better, with its name and unit; false if
// it cannot be told so.
func (r *keyRow) lessIsBetter(v *Variant) (name, unit string, out keyRow, ok bool) {
	if !r.higher() {
		return r.metric, r.plainUnit(v), *r, true
	}
	if r.inverse == nil {
		return "", "", *r, false
	}
	out = *r
	out.values = make([]float64, len(r.values))
	for i, x := range r.values {
		out.values[i] = r.inverse.of(x)
	}
	return r.inverse.metric, r.inverse.unit, out, true
}

// groupName names a group in one word: all, or profile=x.
func groupName(by By) string {
	if by.Profile == "" {
		return "all"
	}
	return "profile=" + token(by.Profile)
}

package report

import (
	"math"
	"slices"
	"strings"
)

// Direction says which way a metric is better.
type Direction int8

// Directions of metrics.
const (
	NoDirection    Direction = iota // neither way by itself: demand, and how a mechanism got there
	LowerIsBetter                   // latencies, refusals, failures, cost
	HigherIsBetter                  // what was served, and how evenly
)

// String returns "lower", "higher" or "neither".
func (d Direction) String() string {
	switch d {
	case LowerIsBetter:
		return "lower"
	case HigherIsBetter:
		return "higher"
	case NoDirection:
	}
	return "neither"
}

// directionless are the metrics of which more is neither better nor worse by itself: what was asked
// for, what it was made of, and settings and use of the stack.
var directionless = []string{
	"offered", "offered_tokens_per_min", "requests", "tokens_in", "tokens_out", "cancelled",
	"rpm_utilisation", "tpm_utilisation", "limit_mean",
}

// moreIsBetter are the metrics of which more is better. All others are better when they are lower.
var moreIsBetter = []string{"throughput", "tokens_per_min", "ratio_ok", "cache_hits", "jain", "jain_throughput"}

// Better says which way a metric of MetricNames is better.
func Better(metric string) Direction {
	switch {
	case slices.Contains(directionless, metric):
		return NoDirection
	case slices.Contains(moreIsBetter, metric):
		return HigherIsBetter
	}
	return LowerIsBetter
}

// Unit returns what the metric is measured in; UnitNumber for a name that is none.
func (t Term) Unit() Unit {
	m, _ := findMetric(t.Metric)
	return m.unit
}

// Known reports whether the term names a metric, and only groups that it is measured by.
func (t Term) Known() bool {
	m, ok := findMetric(t.Metric)
	return ok && m.by.together(t.keys())
}

// Measure returns the metric of a variant in its base unit, of all its replications together: +Inf for
// a latency that is a failure, NaN when there is none. The note says why it is one of these.
func (t Term) Measure(v *Variant) (value float64, note string) {
	m, ok := findMetric(t.Metric)
	if !ok {
		return math.NaN(), "no metric " + t.Metric
	}
	return m.eval(v, t.By)
}

// MeasureEach returns the metric of each replication of a variant, in their order and as Measure has it, or
// of its only run; nil if the report does not keep this metric by replication.
//
// A file cannot hold the infinite value of a failure: it is null there, and so is, of few figures, what was
// not measured. The maximum tells the two apart, since it is left out of a replication in which
// nothing was asked for.
func (t Term) MeasureEach(v *Variant) []float64 {
	if len(v.Replications) == 0 {
		x, _ := t.Measure(v)
		return []float64{x}
	}
	out := v.each(t.Metric, t.By)
	if out == nil || t.Unit() != UnitTime {
		return out
	}
	for i := range out {
		r := &v.Replications[i]
		if math.IsNaN(out[i]) && r.has(figureName(t.Metric, t.By)) && r.has(figureName("max", t.By)) {
			out[i] = math.Inf(1)
		}
	}
	return out
}

func (r *Replication) has(figure string) bool {
	return slices.ContainsFunc(r.Figures, func(s Share) bool { return s.Name == figure })
}

// Canonical returns the report as it is read back from its file: numbers have six digits, and infinities
// are gone. So a report that was just made can be compared with one from a file. Another schema is a *SchemaError.
func Canonical(r *Report) (*Report, error) { return canonical(r) }

// Form prints a value in a unit for people, with three significant digits at most: "4.43 s", "1.2 %". An infinite
// time is a failure and is called so; NaN is "-". The spaces do not break.
func Form(value float64, u Unit) string {
	if u == UnitTime && math.IsInf(value, 1) {
		return "fail"
	}
	return formUnit(value, u)
}

// Plain returns text with plain spaces in place of those that do not break, as files and logs want it.
func Plain(s string) string { return strings.ReplaceAll(s, thin, " ") }

// Clean makes text from outside (names, reasons) safe to print on one line of a terminal, at most width
// columns wide: control characters become visible, marks of direction vanish, and the middle of what is too long is cut out.
func Clean(s string, width int) string { return shorten(clean(s), width) }

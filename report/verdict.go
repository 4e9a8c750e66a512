package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Exit codes of the program. Where several apply, ExitOrder says which wins.
const (
	ExitPass        = 0
	ExitInternal    = 1
	ExitUsage       = 2
	ExitInvalid     = 3
	ExitRegression  = 4
	ExitFail        = 99
	ExitInterrupted = 130
)

var exitOrder = []int{ExitInternal, ExitUsage, ExitInterrupted, ExitInvalid, ExitFail, ExitRegression, ExitPass}

// littleInvalid is the residual of Little's law above which a run is not believed.
const littleInvalid = 0.01

// EvalAll judges the expectations on the variants. One whose terms all name their
// variant is judged once, any other for each variant. What cannot be judged
// (nobody was selected, a ratio to zero) is not OK, its value is NaN and its note
// says why.
//
// Of replications, the value is that of all together, but for a ratio of two variants: that is
// the geometric mean of the ratios of the runs with the same seed, and has an interval
// (see ratioOf). A figure that Replication does not keep, such as a latency by model, gives the ratio of
// both together, without one.
func EvalAll(exprs []Expect, variants []Variant) []Check {
	checks := make([]Check, 0, len(exprs)*len(variants))
	for _, e := range exprs {
		if e.NamesVariants() {
			checks = append(checks, e.eval("", variants))
			continue
		}
		for i := range variants {
			checks = append(checks, e.eval(variants[i].Name, variants))
		}
	}
	return checks
}

// eval judges the expectation with current as the variant of terms that name none.
func (e Expect) eval(current string, variants []Variant) Check {
	c := Check{Expr: e.Text, Variant: current, Bound: Num(e.Bound)}
	if r, n, ok := e.paired(current, variants); ok {
		c.Value, c.Note, c.OK, c.Interval = Num(r.value), r.note, e.holds(r.value), r.interval(n)
		return c
	}
	v, note := e.Num.eval(current, variants)
	if e.Den != nil && !math.IsNaN(v) {
		d, dnote := e.Den.eval(current, variants)
		switch {
		case math.IsNaN(d):
			v, note = d, dnote
		case d == 0:
			v, note = math.NaN(), fmt.Sprintf("%s is 0", e.Den)
		case math.IsInf(d, 0):
			v, note = math.NaN(), fmt.Sprintf("%s is a failure: %s", e.Den, dnote)
		default:
			v /= d
			if note == "" {
				note = e.unpaired(current, variants)
			}
		}
	}
	c.Value, c.Note, c.OK = Num(v), note, e.holds(v)
	return c
}

// paired returns the mean ratio of two variants over the replications with the same seeds,
// and their number; ok is false where there are none, where the terms are of one variant (whose
// replications are one sample), or a term is not kept by replication.
func (e Expect) paired(current string, variants []Variant) (r pairedRatio, n int, ok bool) {
	if e.Den == nil {
		return r, 0, false
	}
	a, b := e.Num.variant(current, variants), e.Den.variant(current, variants)
	if a == nil || b == nil || a == b || !a.pairs(b) {
		return r, 0, false
	}
	values, bases := a.each(e.Num.Metric, e.Num.By), b.each(e.Den.Metric, e.Den.By)
	if values == nil || bases == nil {
		return r, 0, false
	}
	r = ratioOf(values, bases, e.Num.String(), e.Den.String())
	if math.IsInf(r.value, 1) {
		r.note = failureNote + ": " + r.note
	}
	return r, len(values), true
}

// unpaired says why the ratio of two replicated variants has no interval.
func (e Expect) unpaired(current string, variants []Variant) string {
	a, b := e.Num.variant(current, variants), e.Den.variant(current, variants)
	switch {
	case a == b || len(a.Replications) < 2 && len(b.Replications) < 2:
		return ""
	case !a.pairs(b):
		return otherSeeds
	}
	return notKept
}

func (t Term) eval(current string, variants []Variant) (float64, string) {
	v := t.variant(current, variants)
	if v == nil {
		names := make([]string, len(variants))
		for i := range variants {
			names[i] = clip(variants[i].Name, 40)
		}
		return math.NaN(), fmt.Sprintf("no variant %s here, only %s", clip(t.Variant, 40), strings.Join(names, ", "))
	}
	m, ok := findMetric(t.Metric)
	if !ok {
		return math.NaN(), "no metric " + t.Metric
	}
	return m.eval(v, t.By)
}

func (t Term) variant(current string, variants []Variant) *Variant {
	name := t.Variant
	if name == "" {
		name = current
	}
	i := slices.IndexFunc(variants, func(v Variant) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &variants[i]
}

// Judge compares the report's variants, and sets its verdict from its expectations, its laws, whether the
// run was interrupted (partial), and what else makes it invalid, such as a harness
// that was itself the bottleneck. The status is the gravest that applies: partial,
// invalid, fail, pass, in the order of the exit codes.
func Judge(r *Report, expects []Expect, partial bool, invalid []string) {
	v := Verdict{Status: StatusPass, Checks: EvalAll(expects, r.Variants), Reasons: []string{}}
	for i := range v.Checks {
		c := &v.Checks[i]
		if c.OK {
			continue
		}
		v.Status = StatusFail
		if c.Note == "" {
			c.Note = boundOf(c, r.Variants)
		}
	}
	v.Reasons = append(v.Reasons, invalid...)
	for i := range r.Variants {
		v.Reasons = append(v.Reasons, brokenLaws(&r.Variants[i], len(r.Variants) > 1)...)
	}
	if len(v.Reasons) > 0 {
		v.Status = StatusInvalid
	}
	if partial {
		v.Status = StatusPartial
		v.Reasons = append([]string{measured(r)}, v.Reasons...)
	}
	r.Verdict = v
	r.Comparison = compareVariants(r)
}

// boundOf names the resource that bound the variant which failed a check, if the metric
// is one that such a resource can bind: a latency, a rate or a utilisation.
func boundOf(c *Check, variants []Variant) string {
	e, err := ParseExpect(c.Expr)
	if err != nil {
		return ""
	}
	switch m, _ := findMetric(e.Num.Metric); {
	case m.unit == UnitTime, slices.Contains([]string{"throughput", "tokens_per_min", "rpm_utilisation", "tpm_utilisation"}, m.name):
	default:
		return ""
	}
	v := e.Num.variant(c.Variant, variants)
	if v == nil || v.Bound.Resource == "" {
		return ""
	}
	return "bound by: " + v.Bound.Resource
}

// brokenLaws says which laws the variant breaks, and where.
func brokenLaws(v *Variant, named bool) []string {
	var out []string
	add := func(text string) {
		if named {
			text = "variant " + v.Name + ": " + text
		}
		out = append(out, text)
	}
	if !v.Laws.ConservationOK {
		add("requests are not conserved (INV-1): some ended twice, or never")
	}
	if !v.Laws.BooksAgree {
		add("the client's counts and the provider's books disagree (INV-6)")
	}
	if l := float64(v.Laws.LittleResidual); l > littleInvalid || math.IsInf(l, 0) {
		add(fmt.Sprintf("Little's law does not hold (INV-2): residual %.3g %%", l*100))
	}
	if len(out) > 0 {
		for _, d := range v.Laws.Details {
			add(d)
		}
	}
	return out
}

// measured says how much of an interrupted run was measured, and at which simulated
// instants its variants stopped.
func measured(r *Report) string {
	var requests int64
	var stopped []string
	for i := range r.Variants {
		v := &r.Variants[i]
		requests += v.Totals.Requests
		if !v.Interrupted {
			continue
		}
		at := fmt.Sprintf("at %s of %s", formSpan(float64(v.StoppedS)), formSpan(float64(r.Scenario.DurationS)))
		if len(r.Variants) > 1 {
			at = clip(v.Name, 40) + " " + at
		}
		stopped = append(stopped, at)
	}
	s := fmt.Sprintf("interrupted after %d measured requests", requests)
	if len(stopped) > 0 {
		s += ": " + strings.Join(stopped, ", ")
	}
	return s
}

// ExitCode returns the program's exit code for a verdict. A verdict that nobody
// gave is an internal error.
func ExitCode(v Verdict) int {
	switch v.Status {
	case StatusPass:
		return ExitPass
	case StatusFail:
		return ExitFail
	case StatusInvalid:
		return ExitInvalid
	case StatusPartial:
		return ExitInterrupted
	}
	return ExitInternal
}

// WorstExit returns the code that wins among several (several scenarios, or a
// verdict and a comparison): 1, 2, 130, 3, 99, 4, 0 in this order. A code that is
// none of these is an internal error.
func WorstExit(codes ...int) int {
	best := len(exitOrder) - 1
	for _, c := range codes {
		i := slices.Index(exitOrder, c)
		best = min(best, max(i, 0))
	}
	return exitOrder[best]
}

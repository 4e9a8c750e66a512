package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
)

// row sets a metric of two variants against each other; the verdict comes later, when all tests are known.
func (d *design) row(t report.Term, b, n *report.Variant, o *Options, named string) Row {
	nan := report.Num(math.NaN())
	shown := t
	shown.Variant = named
	r := Row{
		Metric: shown.String(), Unit: unitName(t.Unit()), Direction: report.Better(t.Metric).String(),
		Base: nan, New: nan, Difference: nan, Low: nan, High: nan, P: nan, PHolm: nan,
		Threshold: report.Num(o.threshold(t)), Method: d.method, term: t,
	}
	v := d.values(t, b, n)
	r.N = min(len(v.base), len(v.next))
	r.Note = v.note(t, b, n)
	if len(v.base) > 0 {
		r.Base, r.BaseFailed = report.Num(medianOf(v.base)), failures(v.base)
	}
	if len(v.next) > 0 {
		r.New, r.NewFailed = report.Num(medianOf(v.next)), failures(v.next)
	}
	if r.N == 0 {
		r.Verdict = NotJudged
		return r
	}
	r.same = v.equal(d.method)
	low, high := math.NaN(), math.NaN()
	several := len(v.base) > 1 && len(v.next) > 1
	switch d.method {
	case Exact:
		r.effect = pairedEffect(v.base, v.next)
	case Paired:
		r.effect, r.tested = pairedEffect(v.base, v.next), true
		r.P, r.leastP, r.untiedP = report.Num(signTest(v.base, v.next)), leastPaired(v.base, v.next), leastSign(r.N)
		switch {
		case mostlyTied(t.Unit(), v.base, v.next):
			r.effect = tiedEffect(v.base, v.next)
			r.Base, r.New = report.Num(mean(v.base)), report.Num(mean(v.next))
			r.remark(fmt.Sprintf("differs in %d of %d pairs; values and change are of the means", untied(v.base, v.next), r.N))
		case several:
			low, high = pairedInterval(o.Resamples, v.base, v.next)
		}
	case Ranks:
		r.effect, r.tested = sampleEffect(v.base, v.next), true
		r.P, r.leastP, r.untiedP = report.Num(rankTest(v.base, v.next)), leastSampled(v.base, v.next), leastRank(len(v.base), len(v.next))
		if several {
			low, high = sampleInterval(o.Resamples, v.base, v.next)
		}
	}
	r.Difference = report.Num(math.Expm1(finite(r.effect.log)))
	r.Low, r.High = report.Num(math.Expm1(low)), report.Num(math.Expm1(high))
	r.Change = r.effect.change()
	return r
}

// note names what there is no value of, and failures.
func (v *values) note(t report.Term, b, n *report.Variant) string {
	var out []string
	add := func(side string, of *report.Variant, unkept bool, none, some, failed int) {
		_, why := t.Measure(of)
		switch {
		case unkept:
			out = append(out, "the report of "+side+" does not have it by replication")
		case none > 0 && some == 0 && why != "":
			out = append(out, "no value in "+side+": "+report.Clean(why, 80))
		case none > 0:
			out = append(out, fmt.Sprintf("no value in %s of %s, left out", counted(none, "run"), side))
		}
		if failed > 0 {
			out = append(out, fmt.Sprintf("a failure in %d of %d runs of %s", failed, some, side))
		}
	}
	add("BASE", b, v.unkeptB, v.noBase, len(v.base), failures(v.base))
	add("NEW", n, v.unkeptN, v.noNext, len(v.next), failures(v.next))
	return strings.Join(out, "; ")
}

// equal reports whether there is no difference at all: in no pair, or between the samples.
func (v *values) equal(m Method) bool {
	if m != Ranks {
		return slices.Equal(v.base, v.next)
	}
	return slices.Equal(slices.Sorted(slices.Values(v.base)), slices.Sorted(slices.Values(v.next)))
}

// settle gives the verdict, once Holm's p is known; k is that of correct.
func (r *Row) settle(k int, alpha float64) {
	u := r.term.Unit()
	change := r.effect.verdict(report.Better(r.term.Metric))
	far := r.effect.reaches(float64(r.Threshold), u)
	small := "below " + r.leastChange()
	switch {
	case r.Verdict == NotJudged:
		return
	case r.same:
		r.Verdict = Same
	case r.tested && !attains(r.untiedP, alpha, k):
		r.Verdict = NotEnough
	case r.tested && !r.inFamily:
		r.Verdict = Same
		r.remark("too few of the values differ to tell a change from chance")
	case r.tested && float64(r.PHolm) > alpha:
		r.Verdict = Same
	case far:
		r.Verdict = change
	case r.tested:
		r.Verdict = Same
		r.remark("significant, but " + small)
	default:
		r.Verdict = Same
		r.remark("a real difference, but " + small)
	}
	if r.Change != "" && (r.Verdict == Worse || r.Verdict == Better) && !math.IsInf(r.effect.delta, 0) {
		r.remark(fmt.Sprintf("0 has no ratio: a difference of %s or more counts", report.Plain(report.Form(Floor(u), u))))
	}
}

// leastChange is the threshold in words.
func (r *Row) leastChange() string {
	if r.Change != "" {
		return "the least difference from 0 that counts"
	}
	return "the threshold of " + report.Plain(report.Form(float64(r.Threshold), report.UnitShare))
}

func (r *Row) remark(text string) {
	if r.Note != "" {
		text = r.Note + "; " + text
	}
	r.Note = text
}

// moved reports whether an information row has anything to say.
func (r *Row) moved() bool { return r.Verdict != NotJudged && !r.same }

// repeats reports whether another row of the same metric says the same already: of all profiles where there is but one, of
// successes where there were no failures.
func (r *Row) repeats(told []Row) bool {
	all := strings.TrimSuffix(r.term.Metric, "_ok")
	return slices.ContainsFunc(told, func(x Row) bool {
		return strings.TrimSuffix(x.term.Metric, "_ok") == all && x.effect == r.effect && x.Base == r.Base && x.New == r.New
	})
}

package plan

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/report"
)

// Worst is the objective that is nearest to its bound, or furthest beyond it; nil of a point that was not run.
func (p *Point) Worst() *Objective {
	var worst *Objective
	for i := range p.Objectives {
		if o := &p.Objectives[i]; worst == nil || o.Margin.Mean < worst.Margin.Mean {
			worst = o
		}
	}
	return worst
}

// Subject is what the objective is about: the expectation without its bound.
func (o *Objective) Subject() string {
	e, err := report.ParseExpect(o.Expr)
	switch {
	case err != nil:
		return o.Expr
	case e.Den != nil:
		return e.Num.String() + " / " + e.Den.String()
	}
	return e.Num.String()
}

// Text is the mean value of the objective for people, with the runs that it is not of: those in which it was a failure, and those in
// which there was nothing to measure.
func (o *Objective) Text() string {
	failures := o.Margin.N - o.Value.N - o.Unmeasured
	switch {
	case o.Margin.N == 0:
		return "not run"
	case o.Unmeasured == o.Margin.N:
		return "not measured (" + o.Note + ")"
	}
	text := "failure"
	if e, err := report.ParseExpect(o.Expr); err == nil && o.Value.N > 0 {
		text = report.FormValue(float64(o.Value.Mean), e.Unit())
		switch {
		case failures == 1:
			text += " (1 failure)"
		case failures > 1:
			text += fmt.Sprintf(" (%d failures)", failures)
		}
	}
	if o.Unmeasured > 0 {
		text += fmt.Sprintf(" (%d not measured)", o.Unmeasured)
	}
	return text
}

package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/plan"
)

// quoted puts what a shell would take apart in quotes.
func quoted(s string) string {
	if strings.ContainsAny(s, " \t{}<>|&;()$`\"*?[]!#~") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// worst names the objective with the smallest margin.
func worst(p *plan.Point) string {
	if len(p.Objectives) == 0 {
		return ""
	}
	w := &p.Objectives[0]
	for i := range p.Objectives {
		if o := &p.Objectives[i]; o.Margin.Mean < w.Margin.Mean {
			w = o
		}
	}
	return subjectOf(w.Expr) + " " + value(w)
}

// subjectOf is an expectation without its bound.
func subjectOf(expr string) string {
	e, err := report.ParseExpect(expr)
	if err != nil {
		return expr
	}
	if e.Den != nil {
		return e.Num.String() + " / " + e.Den.String()
	}
	return e.Num.String()
}

// value is the mean of an objective.
func value(o *plan.Objective) string {
	if o.Value.N == 0 {
		return "failure"
	}
	e, err := report.ParseExpect(o.Expr)
	if err != nil {
		return ""
	}
	text := report.FormValue(float64(o.Value.Mean), e.Unit())
	if o.Value.N < o.Margin.N {
		text += fmt.Sprintf(" (%d failures)", o.Margin.N-o.Value.N)
	}
	return text
}

func interval(e plan.Estimate) string {
	return report.FormMargin(float64(e.Mean)) + " (95 % interval " + between(e.Low, e.High) + ")"
}

func between(low, high report.Num) string {
	if math.IsNaN(float64(low)) || math.IsNaN(float64(high)) {
		return ""
	}
	return report.FormMargin(float64(low)) + " to " + report.FormMargin(float64(high))
}

func money(n report.Num) string { return report.FormMoney(float64(n)) }

func percent(n report.Num) string {
	if math.IsNaN(float64(n)) {
		return ""
	}
	return report.FormNumber(float64(n) * 100)
}

func dash(s string) string { return cmpOr(s, "-") }

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// last is the last two names of a path.
func last(path string) string {
	parts := strings.Split(path, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

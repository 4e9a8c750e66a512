package page

import (
	"math"
	"strings"
	"unicode"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/plan"
)

// quoted puts a word in quotes for a POSIX shell, unless nothing in it means something there.
func quoted(s string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@%+=:,./-", r)
	}
	if s == "" || strings.ContainsFunc(s, special) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// worst names the objective with the smallest margin.
func worst(p *plan.Point) string {
	w := p.Worst()
	if w == nil {
		return ""
	}
	return w.Subject() + " " + w.Text()
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

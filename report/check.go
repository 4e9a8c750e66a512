package report

import (
	"math"
	"slices"
	"strings"
)

// unjudged reports whether a check could not be judged, since the run was interrupted before anything that it is about was
// measured, as in the warm-up. In the file such a check is not ok, and its value is null.
func (r *Report) unjudged(c *Check) bool {
	return r.Verdict.Status == StatusPartial && !c.OK && math.IsNaN(float64(c.Value)) && !strings.HasPrefix(c.Note, failureNote)
}

// Figure is what a check measured: the left side of its expectation, its variant if it is one of several, and
// its value, with the interval if there is one.
func (c *Check) Figure() string {
	left := c.Expr
	if e, err := ParseExpect(c.Expr); err == nil {
		left = strings.TrimSpace(c.Expr[:strings.LastIndex(c.Expr, e.Op)])
	}
	if c.Variant != "" && !strings.Contains(left, "variant") {
		left += " of " + c.Variant
	}
	return clean(left) + ": " + strings.ReplaceAll(c.form(unitOf(c)), thin, " ")
}

// exprLong is the length to which expressions are cut.
const exprLong = 300

// checkSections returns the expectations that failed, those that could not be judged, and those that held. One
// that several variants were held to is printed once in each, with their values.
func checkSections(r *Report) (bad, open, good section) {
	bad.label, open.label, good.label = "Failed", "Not judged", "Expectations"
	for i := range r.Verdict.Checks {
		c := &r.Verdict.Checks[i]
		s, word := &good, "ok"
		switch {
		case r.unjudged(c):
			s, word = &open, none
		case !c.OK:
			s, word = &bad, "FAIL"
		}
		expr := shorten(clean(c.Expr), exprLong)
		name := ""
		if c.Variant != "" && len(r.Variants) > 1 {
			name = shorten(clean(c.Variant), nameLong) + " "
		}
		at := -1
		if name != "" {
			at = slices.IndexFunc(s.checks, func(x checked) bool { return x.expr == expr })
		}
		if at < 0 {
			at = len(s.checks)
			s.checks = append(s.checks, checked{word: word, expr: expr})
		}
		k := &s.checks[at]
		unit := unitOf(c)
		k.values = append(k.values, name+c.form(unit))
		if note := checkNote(c, unit); note != "" {
			k.note(strings.TrimSpace(name), note)
		}
	}
	if len(bad.checks)+len(open.checks) > 0 {
		good.label = "Held"
	}
	return bad, open, good
}

func unitOf(c *Check) Unit {
	e, err := ParseExpect(c.Expr)
	if err != nil {
		return UnitNumber
	}
	return e.Unit()
}

func checkNote(c *Check, u Unit) string {
	var parts []string
	if times := formTimes(float64(c.Value), float64(c.Bound)); !c.OK && times != "" {
		parts = append(parts, times[1:]+" times "+formUnit(float64(c.Bound), u))
	}
	if c.Note != "" {
		parts = append(parts, clean(c.Note))
	}
	return strings.Join(parts, "; ")
}

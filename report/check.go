package report

import (
	"math"
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

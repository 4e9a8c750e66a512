package report

import (
	"strings"
)

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

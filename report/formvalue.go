package report

import "math"

// FormValue prints a value in its unit, with three significant digits.
func FormValue(v float64, u Unit) string { return formUnit(v, u) }

// FormNumber prints a number with three significant digits, and with a suffix from a million on.
func FormNumber(v float64) string { return formSI(v) }

// FormCount prints a whole number with its digits in groups of three.
func FormCount(n int64) string { return formCount(n) }

// FormMoney prints an amount.
func FormMoney(v float64) string { return formMoney(v) }

// FormSpan prints a length of time as it was configured: 1h, 2m30s.
func FormSpan(s float64) string { return formSpan(s) }

// FormMargin prints a margin (see [Expect.Margin]) in percent with its sign.
func FormMargin(m float64) string {
	if math.IsNaN(m) || math.IsInf(m, 0) {
		return none
	}
	sign := ""
	if m > 0 {
		sign = "+"
	}
	return sign + formPercentAny(m) + thin + "%"
}

// formPercentAny is formPercent for shares that may be negative.
func formPercentAny(share float64) string {
	if share < 0 {
		return "-" + formPercent(-share)
	}
	return formPercent(share)
}

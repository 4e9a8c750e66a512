package report

import (
	"fmt"
	"math"
	"strconv"
)

// Num is a number of a report. It is printed with six significant digits, which
// is more than the three that histograms know, in the shortest form, so that
// report files are byte-identical; NaN and infinities are null.
type Num float64

// MarshalJSON implements json.Marshaler.
func (n Num) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	r := n.rounded() // which makes the shortest form short
	if r == 0 {
		return []byte("0"), nil // not -0
	}
	if a := math.Abs(r); a >= 1e-6 && a < 1e15 {
		return strconv.AppendFloat(nil, r, 'f', -1, 64), nil
	}
	return strconv.AppendFloat(nil, r, 'g', -1, 64), nil
}

// rounded returns the number with the digits that it is printed with.
func (n Num) rounded() float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(float64(n), 'g', 6, 64), 64)
	if err != nil {
		return float64(n) // beyond the greatest number once it is rounded up
	}
	return r
}

// UnmarshalJSON implements json.Unmarshaler; null is NaN.
func (n *Num) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Num(math.NaN())
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("reading a number: %w", err)
	}
	*n = Num(f)
	return nil
}

// numText prints a number as the report file has it: "" for what is not measured, Inf for a
// latency that is a failure.
func numText(n Num) string {
	f := float64(n)
	switch {
	case math.IsNaN(f):
		return ""
	case math.IsInf(f, 0):
		return "Inf"
	}
	b, err := n.MarshalJSON()
	if err != nil {
		return "" // only of what no number is
	}
	return string(b)
}

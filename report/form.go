package report

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// thin stands between groups of three digits, and between a number and its unit.
// It is not broken at the end of a line; each rendering replaces it by what its
// medium can show.
const thin = "\u00a0"

// none is printed where there is no number.
const none = "-"

// formCount prints a whole number with its digits in groups of three: 180 021.
func formCount(n int64) string {
	return group(strconv.FormatInt(n, 10))
}

// count prints a count of the variant: of several replications, the mean of a run.
func (v *Variant) count(n int64) string {
	runs := v.runs()
	mean := float64(n) / float64(runs)
	if n%runs != 0 && mean < 100 {
		return form3(mean)
	}
	return formCount(int64(math.Round(mean)))
}

// mean is the part of one run, on average, in a sum over all.
func (v *Variant) mean(sum Num) float64 { return float64(sum) / float64(v.runs()) }

// group puts thin spaces between groups of three digits; four digits stay together only as part of a column.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, rest := s, ""
	if i := strings.IndexByte(s, '.'); i >= 0 {
		whole, rest = s[:i], s[i:]
	}
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(thin)
		}
		b.WriteRune(c)
	}
	return sign + b.String() + rest
}

// form3 prints a measured number with three significant digits: 0.0123, 4.43,
// 118, 1 230. Below 0.001 it has an exponent.
func form3(f float64) string {
	switch a := math.Abs(f); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return none
	case f == 0:
		return "0"
	case a < 0.0009995 || a >= 1e15:
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 2, 64), 64)
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(r))+1e-9))
	return group(strconv.FormatFloat(r, 'f', max(decimals, 0), 64))
}

// formSI prints a large number with three significant digits and a suffix: 48.2 M.
func formSI(f float64) string {
	for _, s := range []struct {
		scale  float64
		suffix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		if math.Abs(f) >= 0.9995*s.scale && math.Abs(f) < 1e15 {
			return form3(f/s.scale) + thin + s.suffix
		}
	}
	return form3(f)
}

// formPercent prints a share in percent, without the sign. A share that is
// neither 0 nor 1 is never printed as if it were.
func formPercent(share float64) string {
	p := share * 100
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return none
	case p == 0:
		return "0"
	case p > 0 && p < 0.01:
		return "<0.01"
	case p >= 99.5 && p < 100:
		return strconv.FormatFloat(math.Floor(p*100)/100, 'f', 2, 64)
	}
	return form3(p)
}

// formOK prints the share of n in all in percent with two decimals, rounded down,
// so that 100.00 means every single one.
func formOK(n, all int64) string {
	if all == 0 {
		return ""
	}
	return strconv.FormatFloat(math.Floor(float64(n)/float64(all)*10000+1e-6)/100, 'f', 2, 64)
}

// formMoney prints an amount with two decimals from 0.1 to 1000, without above,
// and with three significant digits below.
func formMoney(f float64) string {
	switch a := math.Abs(f); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return none
	case a == 0:
		return "0.00"
	case a < 0.0995:
		return form3(f)
	case a < 999.995:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case a < 1e15:
		return group(strconv.FormatFloat(f, 'f', 0, 64))
	}
	return form3(f)
}

// formSeconds prints a measured time with its unit.
func formSeconds(s float64) string {
	switch a := math.Abs(s); {
	case math.IsNaN(s) || math.IsInf(s, 0):
		return none
	case a == 0 || a >= 0.9995:
		return form3(s) + thin + "s"
	}
	return form3(s*1000) + thin + "ms"
}

// formSpan prints a length of time as it was configured: 1h, 2m30s.
func formSpan(s float64) string {
	if math.IsNaN(s) || math.Abs(s) > 9e9 {
		return none
	}
	d := time.Duration(math.Round(s*1e3)) * time.Millisecond
	out := d.String()
	if strings.HasSuffix(out, "m0s") {
		out = strings.TrimSuffix(out, "0s")
	}
	if strings.HasSuffix(out, "h0m") {
		out = strings.TrimSuffix(out, "0m")
	}
	return out
}

// formClock prints an instant of the run: 14:32, or 1:14:32 from an hour on.
func formClock(s float64) string {
	if math.IsNaN(s) || s < 0 || s > 9e9 {
		return none
	}
	n := int64(s)
	two := func(v int64) string { return strconv.FormatInt(100+v, 10)[1:] }
	out := two(n/60%60) + ":" + two(n%60)
	if n >= 3600 {
		out = strconv.FormatInt(n/3600, 10) + ":" + out
	}
	return out
}

// formUnit prints a value in its unit.
func formUnit(v float64, u Unit) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return none
	case u == UnitTime:
		return formSeconds(v)
	case u == UnitShare:
		return formPercent(v) + thin + "%"
	case u == UnitMoney:
		return formMoney(v)
	case u == UnitNumber && v == math.Trunc(v) && math.Abs(v) < 1e15:
		return formCount(int64(v))
	}
	return formSI(v)
}

// formTimes prints a ratio: x1.38.
func formTimes(v, to float64) string {
	if math.IsNaN(v/to) || math.IsInf(v/to, 0) {
		return ""
	}
	return "x" + form3(v/to)
}

// ClockLabel prints an instant of the run, in seconds, for an axis: 14:32, or 1:14:32 from an hour on.
func ClockLabel(s float64) string { return formClock(s) }

// NumberLabel prints a number for an axis or a key: as the tables do, without zeros at its end.
func NumberLabel(x float64) string {
	s := strings.ReplaceAll(form3(x), thin, " ")
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// ShareLabel prints a share, 0..1, in percent with its sign.
func ShareLabel(share float64) string {
	return strings.ReplaceAll(formPercent(share), thin, " ") + " %"
}

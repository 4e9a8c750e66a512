package report

import "math"

// Margin is how far a value is from the expectation's bound: positive where the expectation holds, negative where
// it does not, from -1 to 1. With distance d from the bound b of a value v it is d / max(|v|, |b|), so that
// it is a part of the bound near it (0.1: a tenth to spare), and a value that is far out, or a latency
// that is a failure (infinite), weighs no more than -1 in a mean.
//
// A share whose bound is above a half is looked at from the other side, by what it lacks: 99.95 % where 99.9 % is
// wanted is half of what may be missing, a margin of 0.5. What can only be equal or not has no distance
// when it holds: == gives 1 then, and != gives 1 or -1. What was not measured (NaN) gives -1.
func (e Expect) Margin(v float64) float64 {
	b := e.Bound
	sign := 1.0 // of v - b when it holds
	switch e.Op {
	case "<", "<=":
		sign = -1
	case ">", ">=":
	default:
		if e.holds(v) {
			return 1
		}
		if e.Op == "!=" || math.IsNaN(v) || math.IsInf(v, 0) {
			return -1
		}
		return -math.Abs(relative(v, b))
	}
	switch {
	case math.IsNaN(v):
		return -1
	case math.IsInf(v, 0):
		return math.Copysign(1, sign*v)
	case e.Unit() == UnitShare && b > 0.5 && v <= 1 && b <= 1:
		v, b, sign = 1-v, 1-b, -sign
	}
	return sign * relative(v, b)
}

// relative is the distance of v from b as a part of the larger of the two.
func relative(v, b float64) float64 {
	most := max(math.Abs(v), math.Abs(b))
	if most == 0 {
		return 0
	}
	return max(-1, min(1, (v-b)/most))
}

// Holds reports whether the value meets the expectation; NaN never does.
func (e Expect) Holds(v float64) bool { return e.holds(v) }

package scenario

import (
	"reflect"
	"strconv"
	"strings"
	"time"
)

// rules are the bounds that a field's jsonschema tag states.
type rules struct {
	required   bool
	min, above string
	max, below string
	enum       []string
}

func rulesOf(f reflect.StructField) rules {
	var r rules
	for word := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "required":
			r.required = true
		case "minimum":
			r.min = value
		case "exclusiveMinimum":
			r.above = value
		case "maximum":
			r.max = value
		case "exclusiveMaximum":
			r.below = value
		case "enum":
			r.enum = append(r.enum, value)
		}
	}
	return r
}

// check compares a value with the bounds and says what is wrong, or "".
func (r rules) check(v float64) string {
	switch {
	case r.min != "" && v < bound(r.min):
		if v < 0 {
			return "negative"
		}
		return "too small"
	case r.above != "" && v <= bound(r.above):
		if v < 0 {
			return "negative"
		}
		if v == 0 {
			return "zero"
		}
		return "too small"
	case r.max != "" && v > bound(r.max), r.below != "" && v >= bound(r.below):
		return "too large"
	}
	return ""
}

// hint says what to do about a value that [rules.check] found wrong.
func (r rules) hint(what string) string {
	switch what {
	case "negative":
		return "remove the minus sign"
	case "too large":
		return "the largest is " + orElse(r.max, "just below "+r.below)
	case "too small":
		return "the smallest is " + orElse(r.min, "just above "+r.above)
	}
	return "write a value above " + orElse(r.above, r.min)
}

// bound reads a bound of a tag: a number, or a duration in nanoseconds.
func bound(s string) float64 {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		panic("scenario: bad bound " + s)
	}
	return float64(d)
}

// bounds puts the bounds in words.
func (r rules) bounds() string {
	var out string
	switch {
	case r.min != "":
		out = " of at least " + r.min
	case r.above != "":
		out = " above " + r.above
	}
	switch {
	case r.max != "":
		out += " up to " + r.max
	case r.below != "":
		out += " below " + r.below
	}
	return out
}

package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Expect is one parsed expectation: a metric, or the ratio of two, compared with
// a value. See ParseExpect for the grammar.
type Expect struct {
	Text    string  // as written, trimmed
	Num     Term    // the metric, or the numerator
	Den     *Term   // nil: no ratio
	Op      string  // < <= > >= == !=
	BoundAs string  // the value as written, such as "6s" or "1%"
	Bound   float64 // in base units: seconds, share (0..1), count, per second, per minute, currency
}

// Term is a metric of a group.
type Term struct {
	Metric  string // see MetricNames
	By      By     // empty fields mean all
	Variant string // empty: each variant in turn
}

// Unit is what a metric is measured in.
type Unit uint8

// Units of metrics and bounds.
const (
	UnitNumber Unit = iota // a count
	UnitRatio              // a ratio of two metrics; may be written in percent
	UnitTime               // seconds; written with a unit: 6s, 250ms, 1m30s
	UnitShare              // 0..1; may be written in percent
	UnitRate               // per second or per minute
	UnitMoney              // in the report's currency
)

// ExpectError says where an expectation is wrong, what stands there, what may
// stand there, and what was probably meant.
type ExpectError struct {
	Text    string // the whole expectation
	Column  int    // in characters, from 1
	Found   string
	Allowed string
	Hint    string // may be empty
}

// Error implements error.
func (e *ExpectError) Error() string {
	found := "the end"
	if e.Found != "" {
		found = strconv.Quote(clip(e.Found, 40))
	}
	s := fmt.Sprintf("expectation %s: column %d: found %s, allowed: %s",
		strconv.Quote(clip(e.Text, 120)), e.Column, found, e.Allowed)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// clip cuts text to at most n characters, for messages.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n/2]) + "…" + string(r[len(r)-n/2+1:])
}

// maxExpect is the longest expectation in bytes.
const maxExpect = 64 << 10

// ParseExpect reads one expectation:
//
//	term [/ term] op value
//	term = metric [{key=value, ...}]     key = profile, class, model, key, variant
//	op   = < <= > >= == !=
//
// Times have a unit (6s, 250ms, 1m30s), shares may have a percent sign, and
// numbers may have the suffixes k (1000) and M (1 000 000) and underscores
// between digits. A selector's value that holds a comma, a brace or outer spaces
// is written in double quotes. Each metric has its selectors, not all of which go together
// (p99 is measured by profile and class, by model, and by key). The error is an *ExpectError.
func ParseExpect(s string) (Expect, error) {
	p := &expectParser{text: s}
	if len(s) > maxExpect {
		return Expect{}, p.fail(0, s, fmt.Sprintf("at most %d bytes", maxExpect), "")
	}
	if i := invalidUTF8(s); i >= 0 {
		return Expect{}, p.fail(i, s[i:i+1], "UTF-8 text", "")
	}
	e := Expect{Text: strings.TrimSpace(s)}
	var err error
	if e.Num, err = p.term(); err != nil {
		return Expect{}, err
	}
	if p.space(); p.eat("/") {
		den, err := p.term()
		if err != nil {
			return Expect{}, err
		}
		e.Den = &den
	}
	if e.Op, err = p.op(e.Den != nil); err != nil {
		return Expect{}, err
	}
	e.BoundAs, e.Bound, err = p.value(&e)
	if err != nil {
		return Expect{}, err
	}
	return e, nil
}

// Unit returns the unit of the value: that of the metric, or UnitRatio.
func (e Expect) Unit() Unit {
	if e.Den != nil {
		return UnitRatio
	}
	m, _ := findMetric(e.Num.Metric)
	return m.unit
}

// String returns the expectation in its shortest form. Parsing it gives an equal expectation.
func (e Expect) String() string {
	s := e.Num.String()
	if e.Den != nil {
		s += " / " + e.Den.String()
	}
	return s + " " + e.Op + " " + e.BoundAs
}

// NamesVariants says whether every term names its variant, so that the
// expectation is judged once and not for each variant.
func (e Expect) NamesVariants() bool {
	return e.Num.Variant != "" && (e.Den == nil || e.Den.Variant != "")
}

// String returns the term as it is written in an expectation.
func (t Term) String() string {
	var parts []string
	for _, k := range selectorKeys {
		if v := *t.field(k); v != "" {
			parts = append(parts, k+"="+quoteValue(v))
		}
	}
	if parts == nil {
		return t.Metric
	}
	return t.Metric + "{" + strings.Join(parts, ",") + "}"
}

var selectorKeys = []string{"profile", "class", "model", "key", "variant"}

// field returns the place of a selector's value, nil for an unknown key.
func (t *Term) field(key string) *string {
	switch key {
	case "profile":
		return &t.By.Profile
	case "class":
		return &t.By.Class
	case "model":
		return &t.By.Model
	case "key":
		return &t.By.Key
	case "variant":
		return &t.Variant
	}
	return nil
}

// keys returns the selector keys that are used, but variant.
func (t *Term) keys() (set selectable) {
	for _, k := range selectorKeys {
		if *t.field(k) != "" {
			set |= selectorBit(k)
		}
	}
	return set
}

func quoteValue(v string) string {
	if strings.ContainsAny(v, `,{}"`) || v != strings.TrimSpace(v) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
	}
	return v
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// holds compares; NaN never holds.
func (e Expect) holds(v float64) bool {
	if math.IsNaN(v) {
		return false
	}
	switch e.Op {
	case "<":
		return v < e.Bound
	case "<=":
		return v <= e.Bound
	case ">":
		return v > e.Bound
	case ">=":
		return v >= e.Bound
	case "==":
		return v == e.Bound
	case "!=":
		return v != e.Bound
	}
	return false
}

package scenario

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
)

// Duration is a time in the scenario's form: a Go duration such as 1h30m or 160us,
// never a plain number.
type Duration time.Duration

// maxDuration keeps sums of durations far from the end of int64.
const maxDuration = "8784h"

func (v *Duration) decode(d *decoder, n *node, r rules) {
	allowed := "a duration such as 20s, 1h30m, 150ms or 16us" + comma(r.bounds())
	if r.max == "" {
		r.max = maxDuration
	}
	if r.min == "" && r.above == "" {
		r.min = "0s"
	}
	switch {
	case n.kind != scalarNode || n.null() || n.tag == "!!bool":
		d.add(n, problem{"not a duration", n.found(), allowed, "write a number with a unit"})
		return
	case n.tag == "!!int":
		d.add(n, problem{"a duration without a unit", n.found(), allowed, "write " + quote(n.text+"s") + " for seconds"})
		return
	case n.tag == "!!float":
		hint := "write " + quote(n.text+"s") + " for seconds"
		if f, err := strconv.ParseFloat(n.text, 64); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			hint = "write a number with a unit"
		}
		d.add(n, problem{"not a duration", n.found(), allowed, hint})
		return
	}
	t, err := time.ParseDuration(n.text)
	if err != nil || n.text == "0" {
		d.add(n, problem{"not a duration", n.found(), allowed, "units are ns, us, ms, s, m and h; a day is 24h"})
		return
	}
	if what := r.check(float64(t)); what != "" {
		d.add(n, problem{what + " duration", n.found(), allowed, r.hint(what)})
		return
	}
	*v = Duration(t)
}

// Tokens is a count in the scenario's form: a whole number, with k for 1000 and M
// for 1 000 000 if wished: 8k, 1.5M.
type Tokens int64

var tokensText = regexp.MustCompile(`^(0|[1-9][0-9]{0,14})(\.[0-9]{1,9})?([kM])?$`)

// maxTokens bounds every count, so that sums stay far from the end of int64.
const maxTokens = "1000000000000"

func (v *Tokens) decode(d *decoder, n *node, r rules) {
	allowed := "a whole number" + r.bounds() + ", with k (1000) or M (1 000 000) if wished"
	if r.max == "" {
		r.max = maxTokens
	}
	if n.kind != scalarNode || n.null() || n.tag == "!!bool" {
		d.add(n, problem{"not a number", n.found(), allowed, "write a number such as 500, 8k or 2M"})
		return
	}
	f, ok := suffixed(n.text)
	switch {
	case !ok:
		what, hint := "not a number", "write a number such as 500, 8k or 2M"
		if strings.HasPrefix(n.text, "-") {
			what, hint = "negative", "write a number from 0"
		} else if strings.HasSuffix(n.text, "m") || strings.HasSuffix(n.text, "K") {
			hint = "the suffixes are k (1000) and M (1 000 000)"
		} else if separated.MatchString(n.text) {
			hint = withoutSeparators(n.text)
		}
		d.add(n, problem{what, n.found(), allowed, hint})
		return
	case f != math.Trunc(f) || f > 1e18:
		d.add(n, problem{"not a whole number", n.found(), allowed, "write a number such as 500, 8k or 2M"})
		return
	}
	if what := r.check(f); what != "" {
		d.add(n, problem{what, n.found(), allowed, r.hint(what)})
		return
	}
	*v = Tokens(f)
}

// suffixed reads a number with an optional k or M, exactly.
func suffixed(s string) (float64, bool) {
	if !tokensText.MatchString(s) {
		return 0, false
	}
	digits := strings.TrimRight(s, "kM")
	exact, ok := new(big.Rat).SetString(digits)
	if !ok {
		return 0, false
	}
	switch s[len(s)-1] {
	case 'k':
		exact.Mul(exact, big.NewRat(1000, 1))
	case 'M':
		exact.Mul(exact, big.NewRat(1_000_000, 1))
	}
	f, _ := exact.Float64()
	return f, true
}

// Amount is a sum of money in the scenario's form: a number, with k or M if wished.
type Amount float64

func (v *Amount) decode(d *decoder, n *node, r rules) {
	f, ok := suffixed(n.text)
	if n.kind != scalarNode || !ok {
		what, hint := "not an amount", "write a number such as 1500 or 500k"
		switch {
		case n.kind == scalarNode && strings.HasPrefix(n.text, "-"):
			what = "negative"
		case separated.MatchString(n.text):
			hint = withoutSeparators(n.text)
		}
		d.add(n, problem{what, n.found(), "a number of at least 0, with k (1000) or M (1 000 000) if wished", hint})
		return
	}
	if what := r.check(f); what != "" {
		d.add(n, problem{what, n.found(), "a number" + r.bounds(), r.hint(what)})
		return
	}
	*v = Amount(f)
}

// Price is a price in USD per million tokens, kept as it was written.
type Price string

var priceText = regexp.MustCompile(`^(0|[1-9][0-9]{0,4})(\.[0-9]{1,6})?$`)

func (v *Price) decode(d *decoder, n *node, _ rules) {
	_, err := catalog.ParsePrice(n.text)
	if n.kind != scalarNode || !priceText.MatchString(n.text) || err != nil {
		what := "not a price"
		if n.kind == scalarNode && strings.HasPrefix(n.text, "-") {
			what = "negative"
		}
		d.add(n, problem{what, n.found(), "USD per million tokens, from 0 to 10000, with up to 6 decimals", "write a number such as 2 or 0.5"})
		return
	}
	*v = Price(n.text)
}

// Share is a part of a whole, 0 to 1, in the scenario's form: 5% or 0.05.
type Share float64

// Percent is a share that must come to whole percents.
type Percent int

const shareForm = "a share from 0 to 1, written as 5% or 0.05"

func (v *Share) decode(d *decoder, n *node, r rules) {
	if f, ok := d.share(n, r, shareForm); ok {
		*v = Share(f)
	}
}

func (v *Percent) decode(d *decoder, n *node, r rules) {
	allowed := "a share in whole percents, from " + orElse(r.min, "0") + "% to " + orElse(r.max, "100") + "%"
	whole := rules{}
	f, ok := d.share(n, whole, allowed)
	if !ok {
		return
	}
	percent := math.Round(f * 100)
	if math.Abs(percent-f*100) > 1e-9 {
		d.add(n, problem{"not a whole percent", n.found(), allowed, fmt.Sprintf("write %.0f%%", percent)})
		return
	}
	if what := r.check(percent); what != "" {
		d.add(n, problem{what, n.found(), allowed, percentHint(what, r)})
		return
	}
	*v = Percent(percent)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// share reads 5% or 0.05; rules are in parts of one.
func (d *decoder) share(n *node, r rules, allowed string) (float64, bool) {
	text, percent := strings.CutSuffix(n.text, "%")
	f, err := strconv.ParseFloat(text, 64)
	if n.kind != scalarNode || n.null() || n.tag == "!!bool" || err != nil || !decimalText.MatchString(text) {
		what := "not a share"
		if n.kind == scalarNode && strings.HasPrefix(text, "-") && err == nil && f < 0 {
			what = "negative"
		}
		d.add(n, problem{what, n.found(), allowed, "write 5% or 0.05"})
		return 0, false
	}
	if percent {
		f /= 100
	}
	what := r.check(f)
	if f > 1 {
		what = "too large"
	}
	if what != "" {
		hint := r.hint(what)
		if r.max == "" && what == "too large" {
			hint = "the largest is 100%"
		}
		if !percent && f > 1 {
			hint = "write " + quote(text+"%") + " if you mean percent"
		}
		d.add(n, problem{what, n.found(), allowed + comma(r.bounds()), hint})
		return 0, false
	}
	return f, true
}

func percentHint(what string, r rules) string {
	if what == "too large" {
		return "the largest is " + orElse(r.max, "100") + "%"
	}
	return "the smallest is " + orElse(r.min, "0") + "%"
}

// comma joins bounds to what goes before them.
func comma(bounds string) string {
	if bounds == "" {
		return ""
	}
	return "," + bounds
}

var decimalText = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,15})?$`)

// Map is a map whose entries keep the order of the file.
type Map[T any] struct {
	Names  []string
	Values []*T
}

// Get returns the value of a name, or nil.
func (m *Map[T]) Get(name string) *T {
	for i, have := range m.Names {
		if have == name {
			return m.Values[i]
		}
	}
	return nil
}

// Len returns the number of entries.
func (m *Map[T]) Len() int { return len(m.Names) }

func (m *Map[T]) elem() reflect.Type { return reflect.TypeFor[T]() }

// nameText is what names may look like: they appear in selectors, paths and tables. Their length is looked at apart: a repetition
// with bounds of classes as large as these makes a program that takes 20 ms to build, at every start.
var nameText = regexp.MustCompile(`^([\p{L}\p{N}_][\p{L}\p{N}_.:/@+-]*|\*)$`)

// patternText is what patterns of foreign names may look like.
var patternText = regexp.MustCompile(`^[\p{L}\p{N}_*]([\p{L}\p{N}_.:/@+* -]*[\p{L}\p{N}_.:/@+*-])?$`)

// longestName is how many characters a name may have.
const longestName = 100

// names returns the form of the map's names, in words too.
func (m *Map[T]) names() (*regexp.Regexp, string) {
	if m.elem() == reflect.TypeFor[ProfileRef]() {
		return patternText, "letters, digits, blanks and _ . : / @ + - * (up to 100)"
	}
	return nameText, "letters, digits and _ . : / @ + - (up to 100, beginning with a letter or digit)"
}

func (m *Map[T]) decode(d *decoder, n *node, r rules) {
	if n.kind != mapNode {
		if !n.null() {
			d.add(n, problem{"not a map", n.found(), "a map of names to values", "write name: value lines below it, indented"})
		}
		return
	}
	r.required = false
	usable, form := m.names()
	for i, name := range n.names {
		if d.partial && n.items[i].null() {
			continue
		}
		if !usable.MatchString(name) || utf8.RuneCountInString(name) > longestName {
			d.add(n.keys[i], problem{"not a usable name", quote(name), form, "choose a plain name"})
			continue
		}
		v := new(T)
		d.value(n.items[i], reflect.ValueOf(v).Elem(), r)
		m.Names = append(m.Names, name)
		m.Values = append(m.Values, v)
	}
}

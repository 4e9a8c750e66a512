package draft

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// width is where lines are broken, in columns.
const width = 100

// Page is a YAML file as it is being written.
type Page struct{ strings.Builder }

// Line writes a line at a depth of nesting.
func (p *Page) Line(depth int, format string, args ...any) {
	p.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// Comment writes text as a comment, broken into lines. No character ends the comment early.
func (p *Page) Comment(depth int, format string, args ...any) {
	prefix := strings.Repeat("  ", depth) + "#"
	p.wrap(prefix, prefix, strings.Fields(clean(fmt.Sprintf(format, args...))))
}

// Flow writes a key and a list in brackets, broken into lines.
func (p *Page) Flow(depth int, key string, items []string) {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = item + ","
	}
	if len(words) == 0 {
		p.Line(depth, "%s: []", key)
		return
	}
	words[0] = "[" + words[0]
	last := len(words) - 1
	words[last] = strings.TrimSuffix(words[last], ",") + "]"
	indent := strings.Repeat("  ", depth)
	p.wrap(indent+key+":", indent+" ", words)
}

// wrap writes words after a prefix, on further lines after the one for those.
func (p *Page) wrap(first, next string, words []string) {
	column := len(first)
	p.WriteString(first)
	for _, w := range words {
		if column+1+len(w) > width && column > len(next) {
			p.WriteString("\n" + next)
			column = len(next)
		}
		p.WriteString(" " + w)
		column += 1 + len(w)
	}
	p.WriteByte('\n')
}

// clean replaces what may not stand in a comment by a question mark.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f || r >= 0x80 && !strconv.IsPrint(r) || r == '\ufffd' {
			return '?'
		}
		return r
	}, text)
}

// plain is text that YAML takes as it stands, inside brackets too.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/@-]*$`)

// words that YAML takes for something other than text.
var words = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|inf|nan)$`)

// quote returns text as YAML: as it is where it can be, else in quotes.
func Quote(text string) string {
	if plain.MatchString(text) && !words.MatchString(text) {
		return text
	}
	b, err := json.Marshal(clean(text))
	if err != nil {
		return `""` // strings always encode
	}
	return string(b)
}

// Number writes a number as people do, without an exponent.
func Number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// whole writes a whole number.
func whole(n int64) string { return strconv.FormatInt(n, 10) }

// Duration writes a duration as scenarios do: a rounded one is short.
func Duration(d time.Duration) string {
	s := d.String()
	if d >= time.Minute && strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if d >= time.Hour && strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// generous rounds up to a number with two digits.
func generous(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

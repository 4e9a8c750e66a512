package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// expectParser is a recursive-descent parser over one expectation.
type expectParser struct {
	text string
	pos  int
}

func (p *expectParser) fail(at int, found, allowed, hint string) error {
	return &ExpectError{
		Text: p.text, Column: utf8.RuneCountInString(p.text[:at]) + 1,
		Found: strings.TrimSpace(found), Allowed: allowed, Hint: hint,
	}
}

func (p *expectParser) space() {
	for p.pos < len(p.text) && strings.ContainsRune(" \t\r\n", rune(p.text[p.pos])) {
		p.pos++
	}
}

func (p *expectParser) eat(s string) bool {
	if strings.HasPrefix(p.text[p.pos:], s) {
		p.pos += len(s)
		return true
	}
	return false
}

// word takes letters, digits, underscores, dots and hyphens; the latter two only to name them in errors.
func (p *expectParser) word() string {
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c != '_' && c != '-' && c != '.' && c < 0x80 && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		p.pos++
	}
	return p.text[start:p.pos]
}

// next is what stands at the position, for errors.
func (p *expectParser) next() string {
	rest := p.text[p.pos:]
	if i := strings.IndexAny(rest, " \t\r\n"); i > 0 {
		rest = rest[:i]
	}
	return rest
}

func (p *expectParser) term() (Term, error) {
	p.space()
	start := p.pos
	name := p.word()
	m, ok := findMetric(name)
	if !ok {
		if name == "" {
			return Term{}, p.fail(start, p.next(), "a metric: "+metricHelp(), "")
		}
		hint := DidYouMean(name, MetricNames())
		if strings.HasPrefix(p.text[p.pos:], "(") {
			hint = "percentiles are written p95, p99_ok or queue_p99"
		}
		return Term{}, p.fail(start, name, "a metric: "+metricHelp(), hint)
	}
	t := Term{Metric: name}
	p.space()
	if !p.eat("{") {
		return t, nil
	}
	for {
		if err := p.selector(&t, m); err != nil {
			return t, err
		}
		p.space()
		if p.eat(",") {
			continue
		}
		if p.eat("}") {
			return t, nil
		}
		return t, p.fail(p.pos, p.next(), `"," or "}"`, "")
	}
}

func (p *expectParser) selector(t *Term, m metric) error {
	p.space()
	start := p.pos
	key := p.word()
	field := t.field(key)
	if field == nil {
		found := key
		if found == "" {
			found = p.next()
		}
		return p.fail(start, found, strings.Join(selectorKeys, ", "), DidYouMean(key, selectorKeys))
	}
	if key != "variant" && m.by.any()&selectorBit(key) == 0 {
		return p.fail(start, key, m.name+" can be selected by "+strings.Join(m.selectors(), ", "), "")
	}
	if *field != "" {
		return p.fail(start, key, "each selector once", "")
	}
	if with := t.keys(); !m.by.together(with | selectorBit(key)) {
		return p.fail(start, key, fmt.Sprintf("%s is measured by %s", m.name, m.by), "leave out "+key+" or what stands before it")
	}
	if p.space(); !p.eat("=") {
		return p.fail(p.pos, p.next(), `"=" after `+key, "")
	}
	p.eat("=") // "==" is what PromQL users write by mistake; it cannot mean anything else
	v, err := p.selected()
	*field = v
	return err
}

// selected reads a selector's value, bare or in double quotes.
func (p *expectParser) selected() (string, error) {
	p.space()
	start := p.pos
	if !p.eat(`"`) {
		n := strings.IndexAny(p.text[p.pos:], `,{}"`)
		if n < 0 {
			return "", p.fail(len(p.text), "", `"}" to end the selector`, "")
		}
		p.pos += n
		v := strings.TrimSpace(p.text[start:p.pos])
		if v == "" || p.text[p.pos] == '{' || p.text[p.pos] == '"' {
			return "", p.fail(p.pos, p.next(), "a value, in double quotes if it holds , { } or \"", "")
		}
		return v, nil
	}
	var b strings.Builder
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		if c == '"' {
			if b.Len() == 0 {
				return "", p.fail(start, `""`, "a value that is not empty", "leave the selector out to mean all")
			}
			return b.String(), nil
		}
		if c == '\\' && p.pos < len(p.text) {
			c = p.text[p.pos]
			p.pos++
		}
		b.WriteByte(c)
	}
	return "", p.fail(start, p.text[start:], "a closing double quote", "")
}

var expectOps = []string{"<", "<=", ">", ">=", "==", "!="}

func (p *expectParser) op(ratio bool) (string, error) {
	p.space()
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte("<>=!", p.text[p.pos]) >= 0 {
		p.pos++
	}
	found := p.text[start:p.pos]
	if slices.Contains(expectOps, found) {
		return found, nil
	}
	allowed, hint := strings.Join(expectOps, " "), ""
	if !ratio {
		allowed += ", or / and a second metric"
	}
	switch near := (map[string]string{"=<": "<=", "=>": ">=", "=": "==", "===": "==", "<<": "<", ">>": ">", "<>": "!=", "!==": "!="})[found]; {
	case near != "":
		hint = fmt.Sprintf("did you mean %q?", near)
	case found == "":
		found = p.next()
	}
	return "", p.fail(start, found, allowed, hint)
}

var valueForms = [...]string{
	UnitNumber: "a number such as 12, 1.38, 10k or 1M",
	UnitRatio:  "a number such as 1.38, or 138%",
	UnitTime:   "a time with its unit, such as 6s, 250ms or 1m30s",
	UnitShare:  "a share such as 1% or 0.01",
	UnitRate:   "a number such as 12, 1.38, 10k or 1M",
	UnitMoney:  "an amount such as 12.50 or 10k",
}

// value reads the bound of an expectation whose left side has been read.
func (p *expectParser) value(e *Expect) (string, float64, error) {
	p.space()
	start, u := p.pos, e.Unit()
	s := strings.TrimSpace(p.text[p.pos:])
	v, hint, ok := parseValue(s, u)
	if !ok {
		return "", 0, p.fail(start, s, valueForms[u], hint)
	}
	if v > 1 && e.Den == nil && slices.Contains(partsOfAWhole, e.Num.Metric) {
		hint = "it is never above 100%"
		if _, bare := plainNumber(s); bare {
			hint = fmt.Sprintf("did you mean %s%%?", clip(s, 40))
		}
		return "", 0, p.fail(start, s, "a share from 0 to 1, such as 1% or 0.01", hint)
	}
	return s, v, nil
}

// partsOfAWhole are the shares that are never above one, so that a larger bound is an error. Utilisations are not among them.
var partsOfAWhole = []string{"ratio_429", "ratio_ok", "wasted_share", "equal_waits"}

// parseValue reads a bound. It is finite and not negative: no metric is negative.
func parseValue(s string, u Unit) (v float64, hint string, ok bool) {
	plain, plainOK := plainNumber(s)
	if u == UnitTime {
		if plainOK && plain > 0 {
			return 0, fmt.Sprintf("%s has no unit, did you mean %ss?", clip(s, 40), clip(s, 40)), false
		}
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 || strings.HasPrefix(s, "-") {
			return 0, "", false
		}
		return d.Seconds(), "", true
	}
	if plainOK {
		return plain, "", true
	}
	if n, found := strings.CutSuffix(s, "%"); found {
		v, ok := plainNumber(strings.TrimSpace(n))
		if !ok || u == UnitShare || u == UnitRatio {
			return v / 100, "", ok
		}
		return 0, "this metric is no share", false
	}
	if _, err := time.ParseDuration(s); err == nil {
		return 0, "this metric is no time", false
	}
	for _, m := range []struct {
		suffix string
		scale  float64
	}{{"k", 1e3}, {"M", 1e6}} {
		if n, found := strings.CutSuffix(s, m.suffix); found {
			v, ok := plainNumber(n)
			return v * m.scale, "", ok && !math.IsInf(v*m.scale, 0)
		}
	}
	return 0, "", false
}

// plainNumber reads a finite decimal number that is not negative; underscores may stand between digits.
func plainNumber(s string) (float64, bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == 'e' || c == 'E':
		case c == '+' || c == '-':
			if i == 0 || s[i-1]|0x20 != 'e' {
				return 0, false
			}
		case c == '_':
			if i == 0 || i == len(s)-1 || !digit(s[i-1]) || !digit(s[i+1]) {
				return 0, false
			}
		default:
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// DidYouMean returns a hint, such as: did you mean "p99"?, when a name is near enough to a known one; else "".
func DidYouMean(word string, names []string) string {
	if len(word) > 60 {
		return ""
	}
	best, dist := "", 1+(len(word)+1)/3
	for _, n := range names {
		if d := editDistance(strings.ToLower(word), n); d < dist {
			best, dist = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// editDistance is Levenshtein's, with a swap of neighbours counted as one edit
// (optimal string alignment).
func editDistance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

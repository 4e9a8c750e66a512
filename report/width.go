package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// columns returns how many columns of a terminal the text takes. Runes are summed
// one by one, as tablewriter does it; ambiguous ones are narrow.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int { return displaywidth.Options{}.Rune(r) }

// longestName is the length in runes to which any text from outside is cut.
const longestName = 400

// clean makes text from outside (names, reasons, expressions) safe to print on
// one line of a terminal: control characters, line separators and invisible
// formatting (direction marks, zero-width joiners) become visible escapes or
// vanish, heaps of combining marks are cut, and what is very long is shortened.
func clean(s string) string {
	ok := true
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			ok = false
			break
		}
	}
	if !ok {
		s = cleanRunes(s)
	}
	s = strings.ReplaceAll(s, "##[", "# [") // see tame
	if len(s) > longestName {
		s = shorten(s, longestName)
	}
	return s
}

func cleanRunes(s string) string {
	var b strings.Builder
	marks := 0
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteByte(' ')
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			const hex = "0123456789abcdef"
			b.WriteString(`\x`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		case r == utf8.RuneError || r == 0x2028 || r == 0x2029:
			b.WriteRune(utf8.RuneError)
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Cs, r):
			continue // nothing stands between the marks around it
		case unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case unicode.Is(unicode.M, r):
			if marks++; marks <= 2 && b.Len() > 0 {
				b.WriteRune(r)
			}
			continue
		default:
			b.WriteRune(r)
		}
		marks = 0
	}
	return b.String()
}

// tame keeps a line from being a command to the CI that shows it: GitHub's runner takes what a step
// prints for one when it begins with "::", blanks apart, or has "##[" anywhere (which clean takes away).
// Names are from outside, and a long one may be broken anywhere, so each finished line is looked at.
func tame(line string) string {
	rest := strings.TrimLeft(line, " "+thin)
	if !strings.HasPrefix(rest, "::") {
		return line
	}
	return line[:len(line)-len(rest)] + ":\u2236" + rest[2:] // as wide, and it looks the same
}

// shorten cuts text to at most width columns by leaving out its middle, since
// names often differ at their ends.
func shorten(s string, width int) string {
	if len(s) <= width || columns(s) <= width {
		return s
	}
	if width <= 1 {
		return strings.Repeat("…", max(width, 0))
	}
	head := width / 2
	return cutHead(s, head) + "…" + cutTail(s, width-1-head)
}

// cutHead returns the longest beginning of at most width columns.
func cutHead(s string, width int) string {
	n := 0
	for i, r := range s {
		if n += runeColumns(r); n > width {
			return s[:i]
		}
	}
	return s
}

// cutTail returns the longest ending of at most width columns.
func cutTail(s string, width int) string {
	n, i := 0, len(s)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if n += runeColumns(r); n > width {
			break
		}
		i -= size
	}
	return s[i:]
}

// wrap breaks text at spaces into lines of at most width columns; a longer word is
// broken where the line ends.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' }) {
		if line != "" && columns(line)+1+columns(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " " + word
			continue
		}
		for columns(word) > width {
			head := cutHead(word, width)
			if head == "" { // a wide rune on a line of one column
				_, size := utf8.DecodeRuneInString(word)
				head = word[:size]
			}
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// flow sets pieces that belong together, three spaces apart, in lines of at most
// width columns, and breaks a piece only when it is longer than a line.
func flow(pieces []string, width int) []string {
	var lines []string
	line := ""
	for _, p := range pieces {
		switch {
		case p == "":
		case line != "" && columns(line)+3+columns(p) <= width:
			line += "   " + p
		default:
			if line != "" {
				lines = append(lines, line)
			}
			w := wrap(p, width)
			if len(w) == 0 {
				line = ""
				continue
			}
			lines = append(lines, w[:len(w)-1]...)
			line = w[len(w)-1]
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

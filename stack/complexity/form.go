package complexity

import (
	"strings"
	"unicode"
)

// form counts what structure a text has.
type form struct {
	fences    int // lines that begin with ``` or ~~~; two make a block
	items     int // of lists: lines that begin with - * + or a number with . or ), and a blank
	numbers   int // runs of ASCII digits; a point or comma between two digits belongs to the run
	questions int // question marks, ASCII or full-width
	depth     int // of round, square and curly brackets, closed by any kind
	sentences int // stretches with a letter in them up to an end mark, or to the end of the text
}

// score is the weighted mean of the package comment.
func (f *form) score() float64 {
	part := func(n int, half, weight float64) float64 {
		return float64(weight * saturate(float64(n), half))
	}
	return part((f.fences+1)/2, 1, 0.20) + part(f.items, 5, 0.20) + part(f.numbers, 8, 0.15) +
		part(f.questions, 2, 0.15) + part(f.depth, 3, 0.15) + part(f.sentences, 10, 0.15)
}

// reader is what a form needs to know of the text so far.
type reader struct {
	form
	inLine   bool // something other than blanks stood in this line
	inNumber bool
	said     bool // a letter stood in this sentence
	open     int  // brackets
}

// read goes through a text once.
func (r *Rules) read(text string) (form, found) {
	var t reader
	var words found
	before := rune(' ')
	for i, c := range text {
		if !alphanumeric(before) || !alphanumeric(c) {
			r.words.mark(text, i, &words)
		}
		t.take(c, text[i:])
		before = c
	}
	if t.said {
		t.sentences++
	}
	return t.form, words
}

// take counts the rune c, with which rest begins.
func (t *reader) take(c rune, rest string) {
	if !t.inLine && !unicode.IsSpace(c) {
		t.line(rest)
	}
	t.inLine = c != '\n' && (t.inLine || !unicode.IsSpace(c))
	t.number(c, rest)
	switch c {
	case '(', '[', '{':
		t.open++
		t.depth = max(t.depth, t.open)
	case ')', ']', '}':
		t.open = max(0, t.open-1)
	case '.', '!', '?':
		if c == '?' {
			t.questions++
		}
		// A point within a number or name ends nothing.
		if len(rest) == 1 || strings.IndexByte(" \t\r\n", rest[1]) >= 0 {
			t.endSentence()
		}
	case '。', '！', '？':
		if c == '？' {
			t.questions++
		}
		t.endSentence()
	default:
		t.said = t.said || letter(c)
	}
}

func (t *reader) endSentence() {
	if t.said {
		t.sentences++
	}
	t.said = false
}

// number counts a run of digits at its first one.
func (t *reader) number(c rune, rest string) {
	switch {
	case digit(c):
		if !t.inNumber {
			t.numbers++
		}
		t.inNumber = true
	case (c == '.' || c == ',') && len(rest) > 1 && digit(rune(rest[1])):
	default:
		t.inNumber = false
	}
}

// line judges the beginning of a line, without the blanks before it.
func (t *reader) line(rest string) {
	if strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~") {
		t.fences++
		return
	}
	const digitsMost = 9 // as in CommonMark
	n := 0
	for n < min(len(rest), digitsMost) && digit(rune(rest[n])) {
		n++
	}
	if len(rest) < n+2 || rest[n+1] != ' ' && rest[n+1] != '\t' {
		return
	}
	mark := rest[n]
	if n == 0 && (mark == '-' || mark == '*' || mark == '+') || n > 0 && (mark == '.' || mark == ')') {
		t.items++
	}
}

func digit(c rune) bool { return c >= '0' && c <= '9' }

// letter has a fast path for ASCII.
func letter(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 && unicode.IsLetter(c)
}

// alphanumeric says what a keyword may not touch.
func alphanumeric(c rune) bool { return digit(c) || c < 0x80 && letter(c) }

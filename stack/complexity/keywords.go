package complexity

import (
	"fmt"
	"strings"
)

// maxWords bounds the list, so that a fixed set can say which have occurred.
const maxWords = 256

// Keyword is a word or phrase that speaks for a hard prompt.
type Keyword struct {
	// Text is 1 to 64 bytes in lower case, of words with single blanks or hyphens between them;
	// a '*' at the end allows any ending ("compar*"). ASCII letters match in
	// either case, any single blank or hyphen matches any other, and all else matches byte by byte. A
	// match must begin and end where no two ASCII letters or digits meet, so words of
	// scripts without blanks between words match anywhere.
	Text string
	// Weight is the share that the word takes of what is left to 1, 0 to 1.
	Weight float64
}

// Keywords returns the built-in list, in English: 0.5 for what asks for a chain of
// arguments, 0.3 for what asks for judgement or invention, 0.15 for hints.
func Keywords() []Keyword {
	const argue, judge, hint = 0.5, 0.3, 0.15
	return []Keyword{
		{"prove", argue},
		{"proof", argue},
		{"deriv*", argue},
		{"theorem", argue},
		{"step by step", argue},
		{"root cause", argue},
		{"counterexample*", argue},
		{"complexity", argue},
		{"formal*", argue},

		{"compar*", judge},
		{"contrast", judge},
		{"design*", judge},
		{"architect*", judge},
		{"analy*", judge},
		{"evaluat*", judge},
		{"critiqu*", judge},
		{"debug*", judge},
		{"refactor*", judge},
		{"optimi*", judge},
		{"algorithm*", judge},
		{"hypothes*", judge},
		{"trade off*", judge},
		{"tradeoff*", judge},
		{"strateg*", judge},
		{"plan", judge},
		{"justif*", judge},
		{"implications", judge},
		{"concurren*", judge},
		{"simulat*", judge},

		{"why", hint},
		{"how", hint},
		{"explain*", hint},
		{"implement*", hint},
		{"pros and cons", hint},
		{"constraint*", hint},
		{"assum*", hint},
		{"edge case*", hint},
		{"at least", hint},
		{"must", hint},
		{"each", hint},
	}
}

func (w *Keyword) validate() error {
	stem := strings.TrimSuffix(w.Text, "*")
	switch {
	case stem == "" || len(w.Text) > 64:
		return fmt.Errorf("keyword %q has %d bytes (allowed: 1 to 64, besides the *)", w.Text, len(stem))
	case strings.Contains(stem, "*"):
		return fmt.Errorf("keyword %q has a * before its end", w.Text)
	case strings.Join(strings.Fields(stem), " ") != stem:
		return fmt.Errorf("keyword %q has outer blanks or more than one in a row", w.Text)
	case strings.ContainsFunc(stem, func(r rune) bool { return r >= 'A' && r <= 'Z' }):
		return fmt.Errorf("keyword %q is not in lower case", w.Text)
	case !(w.Weight >= 0 && w.Weight <= 1):
		return fmt.Errorf("keyword %q has weight %v (allowed: 0 to 1)", w.Text, w.Weight)
	}
	return nil
}

// found says which words of a dictionary have occurred.
type found [maxWords / 64]uint64

// dictionary finds words by their first byte.
type dictionary struct {
	words   []entry
	byFirst [256][]int
}

type entry struct {
	stem   string
	open   bool // any ending
	weight float64
}

func newDictionary(list []Keyword) dictionary {
	var d dictionary
	for i, w := range list {
		stem, open := strings.CutSuffix(w.Text, "*")
		stem = strings.ReplaceAll(stem, "-", " ")
		d.words = append(d.words, entry{stem, open, w.Weight})
		d.byFirst[stem[0]] = append(d.byFirst[stem[0]], i)
	}
	return d
}

// mark notes the words that begin at text[at], where a word may begin.
func (d *dictionary) mark(text string, at int, f *found) {
	for _, i := range d.byFirst[fold(text[at])] {
		if w := &d.words[i]; w.begins(text[at:]) {
			f[i/64] |= 1 << (i % 64)
		}
	}
}

func (w *entry) begins(text string) bool {
	n := len(w.stem)
	if len(text) < n {
		return false
	}
	for i := range n {
		if fold(text[i]) != w.stem[i] {
			return false
		}
	}
	return w.open || n == len(text) || !alphanumeric(rune(text[n-1])) || !alphanumeric(rune(text[n]))
}

func (d *dictionary) score(f found) float64 {
	left := 1.0
	for i := range d.words {
		if f[i/64]&(1<<(i%64)) != 0 {
			left *= 1 - d.words[i].weight
		}
	}
	return 1 - left
}

// fold lowers an ASCII letter and makes one blank of all blanks and the hyphen.
func fold(b byte) byte {
	switch {
	case b >= 'A' && b <= 'Z':
		return b + 'a' - 'A'
	case b == '\t' || b == '\n' || b == '\r' || b == '-':
		return ' '
	}
	return b
}

package scenario

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// MaxErrors is how many errors of one scenario are told; the rest are counted.
const MaxErrors = 20

// fromSet is the File of errors that a --set argument caused.
const fromSet = "--set"

// Error is one thing that is wrong with a scenario.
type Error struct {
	File         string // as the caller named it; "--set" where an override is at fault
	Line, Column int    // from 1; 0 where there is no place in the file
	Path         string // dotted path of the value; may be empty
	Problem      string // what is wrong, in words
	Found        string // the value found; may be empty
	Allowed      string // what would be right; may be empty
	Hint         string // what to do next; may be empty
}

// Error returns "file:line:column: path: problem (found X; allowed: Y)" and, on a
// line of its own, the hint.
func (e Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column))
	}
	b.WriteString(": ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Problem)
	var more []string
	if e.Found != "" {
		more = append(more, "found "+e.Found)
	}
	if e.Allowed != "" {
		more = append(more, "allowed: "+e.Allowed)
	}
	if len(more) > 0 {
		b.WriteString(" (" + strings.Join(more, "; ") + ")")
	}
	if e.Hint != "" {
		b.WriteString("\nhint: " + e.Hint)
	}
	return b.String()
}

// Errors is everything that is wrong with a scenario, in the order of the file, at
// most [MaxErrors]. It is the type of every error of [Load], [Parse] and
// [Variant.Build]; use errors.As to get at it.
type Errors []Error

// Error returns all messages, one after the other.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// problem is what is wrong with a value, without its place.
type problem struct {
	what, found, allowed, hint string
}

// problems collects the errors of one scenario.
type problems struct {
	file    string
	list    Errors
	seen    map[Error]bool
	more    int
	variant string // name of the variant that is being looked at; may be empty
}

// full reports whether further errors would only be counted, so that callers can
// leave out the work of describing them.
func (p *problems) full() bool { return len(p.list) >= MaxErrors }

// add notes a problem with the value at n, or with the key below n that path
// names: rest holds the names that n lacks.
func (p *problems) add(n *node, pr problem, rest ...string) {
	e := Error{File: p.file, Problem: pr.what, Found: pr.found, Allowed: pr.allowed, Hint: pr.hint}
	if n != nil {
		e.Path = n.path()
		e.Line, e.Column = n.line, n.column
		if n.set {
			e.File, e.Line, e.Column = fromSet, 0, 0
		}
	}
	for _, name := range rest {
		if e.Path != "" {
			e.Path += "."
		}
		e.Path += name
	}
	if p.variant != "" && !strings.HasPrefix(e.Path, "variants.") {
		e.Problem += " in variant " + p.variant
	}
	p.note(e)
}

// note takes an error once, however often it is found: what is wrong in the base
// is wrong in every variant.
func (p *problems) note(e Error) {
	if p.seen == nil {
		p.seen = make(map[Error]bool)
	}
	once := e
	if i := strings.Index(once.Problem, " in variant "); i >= 0 {
		once.Problem = once.Problem[:i]
	}
	if p.seen[once] {
		return
	}
	if p.full() {
		p.more++
		return
	}
	p.seen[once] = true
	p.list = append(p.list, e)
}

// err returns what was collected, or nil.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	out := append(Errors(nil), p.list...)
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Line != out[j].Line {
			return out[i].Line < out[j].Line
		}
		return out[i].Column < out[j].Column
	})
	if p.more > 0 {
		out[len(out)-1].Hint += fmt.Sprintf(" (and %d more errors)", p.more)
	}
	return out
}

// didYouMean returns a hint that names the nearest of the candidates, or the fallback
// when none is near.
func didYouMean(name string, candidates []string, fallback string) string {
	if best := nearest(name, candidates); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return fallback
}

// nearest returns the candidate with the smallest edit distance to name, the first
// of equals, or "" when more than a third of the letters differ.
func nearest(name string, candidates []string) string {
	best, least := "", max(2, len(name)/3)+1
	low := strings.ToLower(name)
	for _, c := range candidates {
		if len(c)-len(name) >= least || len(name)-len(c) >= least || len(name) > 200 {
			continue
		}
		if d := distance(low, strings.ToLower(c)); d < least && d < max(len(name), len(c)) {
			best, least = c, d
		}
	}
	return best
}

// distance is Levenshtein's: insertions, deletions and substitutions of bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// list joins names for an "allowed" part, cutting off after a dozen.
func list(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

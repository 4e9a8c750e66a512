package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Widths of a page in columns.
const (
	widthDefault = 80 // where there is no terminal
	widthLeast   = 40
	widthMost    = 1000
	labelWidth   = 12
)

// RenderTable prints a report for people, in the order of their questions:
// verdict, who suffers, why, what it costs, and whether it is true.
// No line is wider than opt.Width; names from the scenario cannot break lines or
// send escapes to the terminal. A report that was read back from its file gives the same text.
func RenderTable(w io.Writer, r *Report, opt Options) error {
	r, err := canonical(r)
	if err != nil {
		return err
	}
	return writeTable(w, page(r), opt)
}

func writeTable(w io.Writer, sections []section, opt Options) error {
	t := &tableWriter{w: bufio.NewWriter(w), width: widthDefault, color: opt.Color}
	if opt.Width > 0 {
		t.width = min(max(opt.Width, widthLeast), widthMost)
	}
	for i, s := range sections {
		if err := t.section(&s, i); err != nil {
			return err
		}
	}
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("writing a table: %w", err)
	}
	return nil
}

// tableWriter lays out sections as plain text. Errors of writing stick to the bufio.Writer.
type tableWriter struct {
	w     *bufio.Writer
	width int
	color bool
	loose bool // the last section was a block; the next begins after an empty line
}

func (t *tableWriter) line(s string) {
	s = strings.TrimRight(s, " "+thin)
	t.w.WriteString(strings.ReplaceAll(tame(s), thin, " "))
	t.w.WriteByte('\n')
}

func (t *tableWriter) section(s *section, i int) error {
	block := s.grid != nil || s.checks != nil || s.variant
	if i > 0 && (block || t.loose || i == 1) {
		t.line("")
	}
	t.loose = block && !s.variant
	switch {
	case s.grid != nil:
		return t.table(s)
	case s.checks != nil:
		t.heading(s)
		t.checks(s.checks)
	case s.command != nil:
		t.command(s)
	case s.variant:
		for n, l := range wrap(s.label, t.width) {
			if n == 0 {
				l = t.paint(bold, l)
			}
			t.line(l)
		}
		for _, l := range flow(s.facts, t.width-2) {
			t.line("  " + l)
		}
	default:
		t.labelled(s)
	}
	return nil
}

// heading prints the label and, if there is one, what stands beside it.
func (t *tableWriter) heading(s *section) {
	text := s.label
	if s.aside != "" {
		text += " (" + s.aside + ")"
	}
	if columns(text) <= t.width {
		t.line(text)
		return
	}
	for i, l := range wrap(text, t.width-2) {
		if i > 0 {
			l = "  " + l
		}
		t.line(l)
	}
}

// labelled prints facts or paragraphs behind a label, all at one margin.
func (t *tableWriter) labelled(s *section) {
	margin := labelWidth
	if s.label == "" {
		margin = 0
	}
	lines := flow(s.facts, t.width-margin)
	for _, p := range s.lines {
		lines = append(lines, flow(strings.Split(p, "   "), t.width-margin)...)
	}
	for i, l := range lines {
		label := ""
		if i == 0 {
			label = s.label
		}
		t.line(t.word(label) + strings.Repeat(" ", max(0, margin-columns(label))) + l)
	}
}

func (t *tableWriter) table(s *section) error {
	t.heading(s)
	for _, g := range s.grid.split(t.width) {
		lines, err := g.fitted(t.width).lines()
		if err != nil {
			return err
		}
		for _, l := range lines {
			t.line(t.words(l))
		}
	}
	return nil
}

// checks prints expectations with their values in a column of their own.
func (t *tableWriter) checks(checks []checked) {
	const lead = 8 // "  FAIL  "
	left, right := 0, 0
	for _, c := range checks {
		left = max(left, columns(c.expr))
		if len(c.values) == 1 {
			right = max(right, columns(c.values[0]))
		}
	}
	room := t.width - lead - 2 - right
	beside := room >= 20 // else values stand below
	if !beside {
		room = t.width - lead
	}
	left = min(left, room)
	for _, c := range checks {
		expr := wrap(c.expr, left)
		for i, l := range expr {
			head := "        "
			if i == 0 {
				head = "  " + t.word(c.word) + strings.Repeat(" ", lead-2-len(c.word))
			}
			if i == len(expr)-1 && len(c.values) == 1 && beside {
				gap := left + 2 + right - columns(l) - columns(c.values[0])
				l += strings.Repeat(" ", max(gap, 2)) + c.values[0]
			}
			t.line(head + l)
		}
		var below []string
		if len(c.values) > 1 || !beside {
			below = flow(c.values, t.width-lead)
		}
		for _, n := range c.notes {
			below = append(below, wrap(n, t.width-lead)...)
		}
		for _, l := range below {
			t.line(strings.Repeat(" ", lead) + l)
		}
	}
}

// command prints a command so that it can be copied: lines end in a backslash.
func (t *tableWriter) command(s *section) {
	room := t.width - labelWidth - 2
	var lines []string
	line := ""
	for i := 0; i < len(s.command); i++ {
		word := s.command[i]
		if strings.HasPrefix(word, "--") && i+1 < len(s.command) { // a flag stays with its value
			i++
			word += " " + s.command[i]
		}
		word = shorten(word, room)
		if line != "" && columns(line)+1+columns(word) > room {
			lines = append(lines, line+" \\")
			line = "  "
			word = shorten(word, room-2)
		} else if line != "" {
			line += " "
		}
		line += word
	}
	lines = append(lines, line)
	t.labelled(&section{label: s.label, facts: lines[:1]})
	for _, l := range lines[1:] {
		t.line(strings.Repeat(" ", labelWidth) + l)
	}
	for _, f := range flow(s.facts, t.width-labelWidth) {
		t.line(strings.Repeat(" ", labelWidth) + f)
	}
}

// Colours: they repeat what a word says.
const (
	bold   = "\x1b[1m"
	green  = "\x1b[32m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

var wordColours = map[string]string{
	"ok": green, "PASS": bold + green, "FAIL": bold + red, "INVALID": bold + red, "PARTIAL": bold + yellow,
	"fail": red, "Failed": red, "WORSE": bold + red, "BETTER": bold + green, "SAME": bold, "NOT ENOUGH": bold + yellow,
}

func (t *tableWriter) paint(colour, s string) string {
	if !t.color || colour == "" || s == "" {
		return s
	}
	return colour + s + plain
}

func (t *tableWriter) word(s string) string { return t.paint(wordColours[s], s) }

// words colours the cells of a grid's line that say "fail", but not its first cell, a name.
func (t *tableWriter) words(l string) string {
	if !t.color || len(l) < 4 {
		return l
	}
	return l[:4] + strings.ReplaceAll(l[4:], " fail", " "+t.word("fail"))
}

package report

import (
	"io"
	"math"
)

// Document is a page that another room fills and that is set as reports are: as a table for people or as
// Markdown. The zero value is empty. Text need not be clean: what could break a line or reach the terminal is replaced.
type Document struct {
	sections []section
}

// DocumentColumn is a column of a table. Text is aligned to the left and may be shortened, all
// else is a number. Where there is no room the columns with the highest Drop go first; 0 stays. A table without text that is still too
// wide is cut into several, each with the first column.
type DocumentColumn struct {
	Head string
	Text bool
	Drop int
}

// Head begins the document with its name and facts beside it.
func (d *Document) Head(facts ...string) {
	d.sections = append(d.sections, section{facts: cleanAll(facts)})
}

// Text adds paragraphs behind a label of at most ten letters.
func (d *Document) Text(label string, paragraphs ...string) {
	if len(paragraphs) > 0 {
		d.sections = append(d.sections, section{label: clean(label), lines: cleanAll(paragraphs)})
	}
}

// Part begins a part of the document, with facts below its name.
func (d *Document) Part(name string, facts ...string) {
	d.sections = append(d.sections, section{label: clean(name), variant: true, facts: cleanAll(facts)})
}

// Table adds a table, if it has rows; columns in which no cell says anything are left out. Every row has a cell for each column.
func (d *Document) Table(label, aside string, cols []DocumentColumn, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	g := &grid{repeat: 1}
	for _, c := range cols {
		if c.Text {
			g.repeat = 0
		}
		g.cols = append(g.cols, column{head: c.Head, text: c.Text, drop: c.Drop})
	}
	for _, r := range rows {
		g.add(cleanAll(r)...)
	}
	d.sections = append(d.sections, section{label: clean(label), aside: clean(aside), grid: g})
}

// Command adds a command that can be copied, by its words.
func (d *Document) Command(label string, words ...string) {
	d.sections = append(d.sections, section{label: clean(label), command: cleanAll(words)})
}

// WriteTable writes the document for a terminal.
func (d *Document) WriteTable(w io.Writer, opt Options) error { return writeTable(w, d.sections, opt) }

// WriteMarkdown writes the document as GitHub's Markdown.
func (d *Document) WriteMarkdown(w io.Writer) error { return writeMarkdown(w, d.sections) }

func cleanAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = clean(t)
	}
	return out
}

// FormValue prints a value in its unit, with three significant digits.
func FormValue(v float64, u Unit) string { return formUnit(v, u) }

// FormNumber prints a number with three significant digits, and with a suffix from a million on.
func FormNumber(v float64) string { return formSI(v) }

// FormCount prints a whole number with its digits in groups of three.
func FormCount(n int64) string { return formCount(n) }

// FormMoney prints an amount.
func FormMoney(v float64) string { return formMoney(v) }

// FormSpan prints a length of time as it was configured: 1h, 2m30s.
func FormSpan(s float64) string { return formSpan(s) }

// FormMargin prints a margin (see [Expect.Margin]) in percent with its sign.
func FormMargin(m float64) string {
	if math.IsNaN(m) || math.IsInf(m, 0) {
		return none
	}
	sign := ""
	if m > 0 {
		sign = "+"
	}
	return sign + formPercentAny(m) + thin + "%"
}

// formPercentAny is formPercent for shares that may be negative.
func formPercentAny(share float64) string {
	if share < 0 {
		return "-" + formPercent(-share)
	}
	return formPercent(share)
}

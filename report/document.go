package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/seed-4fd17b57/simload/report/htmlpage"
)

// Document is text for people that other packages compose of the parts of which the pages of reports are made, so that
// it fits a terminal, survives hostile names and can be set in Markdown. The zero value is empty.
type Document struct {
	sections []section
}

// TableColumn is a column of a table in a document.
type TableColumn struct {
	Head string
	Text bool // left-aligned, and shortened where there is no room; else a number
	// Drop says which columns go first where there is no room: the highest; 0 stays.
	Drop int
}

// Facts adds facts behind a label, as many on a line as there is room for.
func (d *Document) Facts(label string, facts ...string) {
	d.sections = append(d.sections, section{label: clean(label), facts: cleanAll(facts)})
}

// Lines adds paragraphs behind a label, if there are any.
func (d *Document) Lines(label string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	d.sections = append(d.sections, section{label: clean(label), lines: cleanAll(lines)})
}

// Heading adds the title of what follows, with facts below it.
func (d *Document) Heading(title string, facts ...string) {
	d.sections = append(d.sections, section{label: clean(title), variant: true, facts: cleanAll(facts)})
}

// Table adds a table, if it has rows, each with a cell for every column. Columns in which no cell says anything are left out. A
// table without text that is too wide is cut into several, each with the first column.
func (d *Document) Table(label, aside string, cols []TableColumn, rows [][]string) {
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

// RenderTable writes the document as plain text, opt.Width columns wide.
func (d *Document) RenderTable(w io.Writer, opt Options) error {
	return writeTable(w, d.sections, opt)
}

// RenderMarkdown writes the document as GitHub's Markdown; unlike a report, it needs no title.
func (d *Document) RenderMarkdown(w io.Writer) error {
	m := &markdownWriter{w: bufio.NewWriter(w)}
	for i := range d.sections {
		if i > 0 {
			m.line("")
		}
		m.body(&d.sections[i])
	}
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// RenderTitled writes the document as RenderMarkdown does, with its first section for a title, as reports have one.
func (d *Document) RenderTitled(w io.Writer) error { return writeMarkdown(w, d.sections, 0) }

// PageTable sets a table for a page of htmlpage as [Document.Table] does, with every column in which a cell says anything. Nil: it has
// no rows.
func PageTable(caption string, cols []TableColumn, rows [][]string) *htmlpage.Table {
	var d Document
	if d.Table(caption, "", cols, rows); len(d.sections) == 0 {
		return nil
	}
	return htmlTable(&d.sections[0])
}

// PageTexts sets texts for a page of htmlpage.
func PageTexts(texts ...string) []string { return htmlTexts(cleanAll(texts)) }

// cleanAll cleans texts; their unbreakable spaces stay.
func cleanAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		pieces := strings.Split(s, thin)
		for j, p := range pieces {
			pieces[j] = clean(p)
		}
		out[i] = strings.Join(pieces, thin)
	}
	return out
}

package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// RenderMarkdown prints a report as GitHub's Markdown, with what RenderTable
// prints but no column left out.
func RenderMarkdown(w io.Writer, r *Report) error {
	r, err := canonical(r)
	if err != nil {
		return err
	}
	return writeMarkdown(w, page(r), 0)
}

// writeMarkdown writes sections of a page, of which the first is number from.
func writeMarkdown(w io.Writer, sections []section, from int) error {
	m := &markdownWriter{w: bufio.NewWriter(w)}
	for i, s := range sections {
		m.section(&s, from+i)
	}
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

type markdownWriter struct {
	w *bufio.Writer
}

func (m *markdownWriter) line(s string) {
	m.w.WriteString(strings.ReplaceAll(tame(s), thin, "\u202f"))
	m.w.WriteByte('\n')
}

func (m *markdownWriter) section(s *section, i int) {
	if i == 0 { // the head: its first fact is the scenario's name
		m.line("# " + mdText(s.facts[0]))
		m.line("")
		m.line(mdText(strings.Join(s.facts[1:], " · ")))
		return
	}
	m.line("")
	m.body(s)
}

// body prints any section but the head.
func (m *markdownWriter) body(s *section) {
	switch {
	case s.variant:
		m.line("## " + mdText(s.label))
		m.line("")
		m.line(mdText(strings.Join(s.facts, " · ")))
		return
	case s.grid != nil:
		m.heading(s)
		m.table(s.grid.pruned())
		return
	case s.checks != nil:
		m.heading(s)
		m.checks(s.checks)
		return
	case s.command != nil:
		m.line("**" + mdText(s.label) + "** " + mdCode(strings.Join(s.command, " ")))
		for _, f := range s.facts {
			m.line("(" + mdText(f) + ")")
		}
		return
	}
	var parts []string
	if len(s.facts) > 0 {
		parts = append(parts, mdText(strings.Join(s.facts, " · ")))
	}
	for _, l := range s.lines {
		parts = append(parts, mdText(strings.ReplaceAll(l, "   ", " · ")))
	}
	label := "**" + mdText(s.label) + "**"
	if len(parts) == 1 {
		m.line(label + " " + parts[0])
		return
	}
	m.line(label)
	m.line("")
	for _, p := range parts {
		m.line("- " + p)
	}
}

func (m *markdownWriter) heading(s *section) {
	m.line("### " + mdText(s.label))
	m.line("")
	if s.aside != "" {
		m.line(mdText(s.aside))
		m.line("")
	}
}

func (m *markdownWriter) table(g *grid) {
	head, rule := "|", "|"
	for _, c := range g.cols {
		head += " " + mdText(c.head) + " |"
		if c.text || c.list {
			rule += " :--- |"
		} else {
			rule += " ---: |"
		}
	}
	m.line(head)
	m.line(rule)
	for _, r := range g.rows {
		row := "|"
		for _, c := range r {
			row += " " + mdText(strings.Trim(c, thin)) + " |"
		}
		m.line(row)
	}
}

func (m *markdownWriter) checks(checks []checked) {
	m.line("| | expectation | measured | |")
	m.line("| :--- | :--- | ---: | :--- |")
	for _, c := range checks {
		word := c.word
		if word == "FAIL" {
			word = "**FAIL**"
		}
		values, notes := make([]string, len(c.values)), make([]string, len(c.notes))
		for i, v := range c.values {
			values[i] = mdText(v)
		}
		for i, n := range c.notes {
			notes[i] = mdText(n)
		}
		m.line("| " + word + " | " + strings.ReplaceAll(mdCode(c.expr), "|", `\|`) + " | " +
			strings.Join(values, "<br>") + " | " + strings.Join(notes, "<br>") + " |")
	}
}

var mdEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;",
)

// mdText escapes text that is clean already, so that it is text in Markdown, in a table or out of it.
func mdText(s string) string { return mdEscapes.Replace(s) }

// mdCode sets clean text as code, between more backticks than it holds in a row.
func mdCode(s string) string {
	fence, run := "`", 0
	for _, c := range s {
		if run++; c != '`' {
			run = 0
		}
		if run >= len(fence) {
			fence += "`"
		}
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

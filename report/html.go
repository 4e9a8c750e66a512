package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-4fd17b57/simload/report/htmlpage"
)

// RenderHTML writes reports as one HTML file that needs no network: what RenderTable prints
// with no row or column left out, and charts. See package htmlpage.
func RenderHTML(w io.Writer, rs []*Report) error {
	b := htmlBuilder{page: htmlpage.Page{Title: "simload report", Kind: "report", Charts: []htmlpage.Chart{}}}
	for i, r := range rs {
		r, err := canonical(r)
		if err != nil {
			return err
		}
		b.report(r, i)
	}
	if len(rs) == 1 {
		one := &b.page.Reports[0]
		b.page.Title = one.Word + " " + shorten(one.Name, 60) + " - simload report"
	}
	return htmlpage.Write(w, &b.page)
}

// narrow is thin in HTML: a space that is narrower than a digit.
const narrow = "\u202f"

// htmlText sets a finished text for HTML, which escapes by itself.
func htmlText(s string) string { return strings.ReplaceAll(s, thin, narrow) }

func htmlTexts(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = htmlText(s)
	}
	return out
}

// htmlBuilder makes a page; charts are numbered over all of it.
type htmlBuilder struct {
	page htmlpage.Page
	r    *Report
	id   string // of the report or variant under way
	unit latencyUnit
}

// add adds a chart and returns its number.
func (b *htmlBuilder) add(c htmlpage.Chart) int {
	c.Group = b.id
	b.page.Charts = append(b.page.Charts, c)
	return len(b.page.Charts) - 1
}

func (b *htmlBuilder) report(r *Report, i int) {
	b.r, b.unit = r, unitOfLatency(r)
	id := fmt.Sprintf("r%d", i+1)
	verdict, reasons := verdictSection(r), reasonsSection(r)
	head := headSection(r).facts
	if b.page.Tool == "" && r.Tool.Version != "" {
		b.page.Tool = clean("simload " + r.Tool.Version)
	}
	out := htmlpage.Report{
		ID: id, Name: htmlText(head[0]), Description: htmlText(clean(r.Scenario.Description)),
		Status: r.Verdict.Status, Word: verdict.label, Headline: htmlText(verdict.facts[0]), Facts: htmlTexts(head[1:]),
		Reasons: htmlpage.Lines{Label: reasons.label, Texts: htmlTexts(reasons.lines)}, Checks: htmlChecks(r),
	}
	if verdictWords[r.Verdict.Status] == "" {
		out.Status = ""
	}
	if out.Name == "" {
		out.Name = "(no name)"
	}
	for k := range r.Variants {
		b.id = fmt.Sprintf("%sv%d", id, k+1)
		out.Variants = append(out.Variants, b.variant(&r.Variants[k]))
	}
	b.id = id
	out.After = b.after()
	b.page.Reports = append(b.page.Reports, out)
}

// htmlChecks lists the expectations, those that failed first.
func htmlChecks(r *Report) *htmlpage.Table {
	if len(r.Verdict.Checks) == 0 {
		return nil
	}
	several := len(r.Variants) > 1
	t := &htmlpage.Table{Caption: "Expectations, failed ones first", Heads: []htmlpage.Head{{Name: "Result", Text: true}, {Name: "Expectation", Text: true}}}
	if several {
		t.Heads = append(t.Heads, htmlpage.Head{Name: "Variant", Text: true})
	}
	t.Heads = append(t.Heads, htmlpage.Head{Name: "Measured"}, htmlpage.Head{Name: "Bound"})
	var good []htmlpage.Row
	named := false
	for i := range r.Verdict.Checks {
		c := &r.Verdict.Checks[i]
		row := htmlpage.Row{State: "ok", Cells: htmlCells("ok", shorten(clean(c.Expr), exprLong))}
		row.Cells[1].Code = true
		if several {
			row.Cells = append(row.Cells, htmlCells(shorten(clean(c.Variant), nameLong))...)
		}
		unit, op := unitOf(c), ""
		if e, err := ParseExpect(c.Expr); err == nil {
			op = e.Op + thin
		}
		if note := checkNote(c, unit); note != "" {
			row.Cells[1].Lines = []string{htmlText(note)}
		}
		named = named || c.Variant != ""
		row.Cells = append(row.Cells, htmlCells(c.form(unit), op+formUnit(float64(c.Bound), unit))...)
		if c.OK {
			good = append(good, row)
			continue
		}
		row.State, row.Cells[0].Text = "fail", "FAIL"
		if r.unjudged(c) {
			row.State, row.Cells[0].Text = "", "not judged"
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, good...)
	if several && !named {
		htmlDrop(t, 2)
	}
	return t
}

// htmlDrop takes a column away.
func htmlDrop(t *htmlpage.Table, column int) {
	t.Heads = append(t.Heads[:column:column], t.Heads[column+1:]...)
	for i := range t.Rows {
		cells := t.Rows[i].Cells
		t.Rows[i].Cells = append(cells[:column:column], cells[column+1:]...)
	}
}

func htmlCells(texts ...string) []htmlpage.Cell {
	out := make([]htmlpage.Cell, len(texts))
	for i, s := range texts {
		out[i].Text = htmlText(s)
	}
	return out
}

// htmlTable sets a section's grid; columns that say nothing are left out.
func htmlTable(s *section) *htmlpage.Table {
	if s.grid == nil || len(s.grid.rows) == 0 {
		return nil
	}
	g := s.grid.pruned()
	t := &htmlpage.Table{Caption: s.label}
	if s.aside != "" {
		t.Caption += ": " + s.aside
	}
	t.Caption = htmlText(t.Caption)
	for _, c := range g.cols {
		t.Heads = append(t.Heads, htmlpage.Head{Name: htmlText(c.head), Text: c.text || c.list})
	}
	for _, r := range g.rows {
		row := htmlpage.Row{}
		for _, cell := range r {
			row.Cells = append(row.Cells, htmlCells(strings.Trim(cell, thin))...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// after tells what concerns all variants.
func (b *htmlBuilder) after() []htmlpage.Section {
	r := b.r
	var out []htmlpage.Section
	add := func(id, title, note string, blocks ...htmlpage.Block) {
		out = append(out, htmlpage.Section{ID: b.id + "-" + id, Title: title, Note: htmlText(note), Blocks: blocks})
	}
	if len(r.Variants) > 1 {
		side := sideSections(r)
		blocks := []htmlpage.Block{{Table: sideTable(r)}}
		if f := b.variantCurves(); f != nil {
			blocks = append([]htmlpage.Block{{Figure: f}}, blocks...)
		}
		for _, s := range side[1:] {
			blocks = append(blocks, htmlpage.Block{Label: s.label, Lines: htmlTexts(s.lines)})
		}
		add("side", "Variants side by side", "", blocks...)
	}
	if traces := tracesSection(r); len(traces.lines) > 0 {
		add("traces", traces.label, traces.aside, htmlpage.Block{Lines: htmlTexts(traces.lines)})
	}
	laws := lawsSection(r)
	var lines []string
	for _, l := range laws.lines {
		lines = append(lines, strings.ReplaceAll(l, "   ", " · "))
	}
	add("laws", "Laws", "Checked over the whole run; a run that breaks one is INVALID.", htmlpage.Block{Lines: htmlTexts(lines)})
	again := reproduceSection(r)
	facts := again.facts
	if r.Scenario.DemandSHA256 != "" {
		facts = append(facts, "demand sha256 "+clean(cutHead(r.Scenario.DemandSHA256, 16)))
	}
	for i := range r.Variants {
		v := &r.Variants[i]
		if v.Digest != "" {
			name := ""
			if len(r.Variants) > 1 {
				name = " of " + shorten(clean(v.Name), nameLong)
			}
			facts = append(facts, "digest"+name+" "+clean(v.Digest))
		}
	}
	if r.Tool.Version != "" {
		facts = append(facts, clean("simload "+r.Tool.Version+" "+r.Tool.Go+" "+r.Tool.Arch))
	}
	add("again", "Reproduce", "The same program, scenario, seed and architecture give the same bytes.", htmlpage.Block{Command: strings.Join(again.command, " "), Facts: htmlTexts(facts)})
	return out
}

package page

import (
	"cmp"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/htmlpage"
	"github.com/seed-4fd17b57/simload/sim/plan"
)

// renderHTML writes the page of package htmlpage. Its drawings are there without JavaScript.
func renderHTML(w io.Writer, r *plan.Report) error {
	p := htmlpage.Page{Title: text("simload plan of " + r.Scenario.Name), Kind: "plan", Charts: []htmlpage.Chart{}}
	if r.Tool.Version != "" {
		p.Tool = text("simload " + r.Tool.Version)
	}
	out := htmlpage.Report{
		ID: "plan", Name: text(cmpOr(r.Scenario.Name, "(no name)")), Description: text(r.Scenario.Description),
		Status: pageStatus(r), Word: statusWord(r), Facts: report.PageTexts(headFacts(r)[2:]...),
	}
	if len(r.Sentence) > 0 {
		out.Headline = text(r.Sentence[0])
		out.Reasons = htmlpage.Lines{Label: "The other variants", Texts: report.PageTexts(r.Sentence[1:]...)}
	}
	if len(r.Broken) > 0 {
		out.Status, out.Reasons = "invalid", htmlpage.Lines{Label: "Invalid", Texts: report.PageTexts(r.Broken...)}
	}
	for i := range r.Answers {
		out.Variants = append(out.Variants, answerPart(r, &r.Answers[i], "v"+strconv.Itoa(i+1)))
	}
	for i := range r.Frontier {
		out.Variants = append(out.Variants, frontierPart(r, &r.Frontier[i], "v"+strconv.Itoa(i+1)))
	}
	for i, t := range overview(r) {
		out.After = append(out.After, section("plan", "side"+strconv.Itoa(i+1), t.label, tableBlock(t)))
	}
	out.After = append(
		out.After,
		section("plan", "notes", "Notes", lineBlock("", notes(r)...)),
		section("plan", "again", "Reproduce", htmlpage.Block{Command: text(strings.Join(command(r), " "))}),
	)
	p.Reports = []htmlpage.Report{out}
	return htmlpage.Write(w, &p)
}

// text is a text of the page.
func text(s string) string { return report.PageTexts(s)[0] }

// pageStatus is the status of package htmlpage that looks as the plan's does.
func pageStatus(r *plan.Report) string {
	switch r.Status {
	case plan.Found:
		return report.StatusPass
	case plan.Unattainable:
		return report.StatusFail
	case plan.Invalid:
		return report.StatusInvalid
	}
	return report.StatusPartial
}

func answerPart(r *plan.Report, a *plan.Answer, id string) htmlpage.Variant {
	v := htmlpage.Variant{ID: id, Name: text(a.Variant), Tiles: tiles(r, a), Bound: report.PageTexts(boundLines(a)...)}
	points := []htmlpage.Block{
		figure(id+"-margin", "Margin", "dot: the mean; thick: its 95 % interval; thin: where a further run lies", marginPlot(r, a)),
		{Key: statusKey},
		tableBlock(pointTable(r, a)), lineBlock("Monotone", monotoneText(&a.Monotone, "")...), lineBlock("Gain", gainLines(a)...),
	}
	v.Sections = sections(
		section(id, "points", "Points", points...),
		section(id, "cost", "Cost", figure(id+"-month", "Cost of a month", "dashed: the budget, if there is one", costPlot(r, a)), tableBlock(costTable(r, a))),
		section(id, "binds", "Binds first", tableBlock(resourceTable(a))),
		section(id, "averages", "Averages", lineBlock("", nonEmpty(a.Static.Text)...), tableBlock(staticTable(a))),
		section(id, "sensitivity", "Sensitivity", tableBlock(changeTable(a.Sensitivity)), lineBlock("Not run", notRun(a.Sensitivity)...)),
		section(id, "growth", "Growth", tableBlock(growthTable(r, a)), tableBlock(growthDistance(a)), lineBlock("Bound by", growthBound(a)...)),
	)
	return v
}

func frontierPart(r *plan.Report, f *plan.Frontier, id string) htmlpage.Variant {
	v := htmlpage.Variant{ID: id, Name: text(f.Variant)}
	v.Sections = sections(
		section(id, "grid", "Grid", figure(id+"-grid", "Grid", "framed: the frontier; + passes, ? depends on the seed, . fails", gridPlot(r, f)), htmlpage.Block{Key: statusKey}, lineBlock("Monotone", monotoneText(&f.Monotone, r.Plan.Axes[1].Name())...)),
		section(id, "frontier", "Frontier", tableBlock(frontierTable(r, f))),
		section(id, "binds", "Binds first", tableBlock(frontierDistance(r, f)), lineBlock("Bound by", frontierBound(r, f)...)),
		section(id, "sensitivity", "Sensitivity", lineBlock("", nonEmpty(cheapestText(r, f))...), tableBlock(changeTable(f.Sensitivity)), lineBlock("Not run", notRun(f.Sensitivity)...)),
	)
	return v
}

var statusKey = []htmlpage.Swatch{{Class: plan.Pass, Text: "passes"}, {Class: plan.Uncertain, Text: "depends on the seed"}, {Class: plan.Fail, Text: "fails"}}

// tiles are an answer in large print.
func tiles(r *plan.Report, a *plan.Answer) []htmlpage.Tile {
	p := pointOf(a)
	if p == nil {
		return nil
	}
	axis := r.Plan.Axes[0].Name()
	out := []htmlpage.Tile{
		{Label: r.Plan.Direction + " " + axis, Value: a.Value},
		{Label: "Margin", Value: report.FormMargin(float64(p.Margin.Mean)), Note: cmpOr(between(p.Next.Low, p.Next.High), "-") + " in a further run"},
		{Label: "A month", Value: money(p.Cost.MonthUSD), Unit: "USD", Note: "CNY " + money(p.Cost.MonthCNY)},
	}
	if a.Beside != "" {
		out[0].Note = "not " + a.Beside
	}
	if p.Cost.BudgetUSD > 0 {
		out = append(out, htmlpage.Tile{Label: "Budget", Value: percent(p.Cost.BudgetUse), Unit: "%", Note: "of USD " + money(p.Cost.BudgetUSD)})
	}
	if a.Static.Value != "" {
		out = append(out, htmlpage.Tile{Label: "Arithmetic says", Value: a.Static.Value, Note: offBy(a)})
	}
	for i := range out {
		t := &out[i]
		t.Label, t.Value, t.Note = text(t.Label), text(t.Value), text(t.Note)
	}
	return out
}

// offBy is how far the arithmetic is from the answer; of what is no number only whether it is.
func offBy(a *plan.Answer) string {
	switch e := float64(a.Static.Error); {
	case a.Static.Value == a.Value:
		return "as the simulation does"
	case math.IsNaN(e):
		return "not " + a.Value
	default:
		return "off by " + report.FormMargin(e)
	}
}

func nonEmpty(lines ...string) []string {
	return slices.DeleteFunc(lines, func(s string) bool { return s == "" })
}

func section(id, name, title string, blocks ...htmlpage.Block) htmlpage.Section {
	return htmlpage.Section{ID: id + "-" + name, Title: title, Blocks: slices.DeleteFunc(blocks, func(b htmlpage.Block) bool {
		return b.Table == nil && b.Figure == nil && len(b.Lines) == 0 && len(b.Key) == 0 && b.Command == ""
	})}
}

// sections leaves out those that have nothing to say.
func sections(list ...htmlpage.Section) []htmlpage.Section {
	return slices.DeleteFunc(list, func(s htmlpage.Section) bool { return len(s.Blocks) == 0 })
}

func tableBlock(t table) htmlpage.Block {
	return htmlpage.Block{Table: report.PageTable(cmp.Or(t.aside, t.label), t.cols, t.rows)}
}

func lineBlock(label string, lines ...string) htmlpage.Block {
	return htmlpage.Block{Label: label, Lines: report.PageTexts(lines...)}
}

func figure(id, title, note, drawing string) htmlpage.Block {
	if drawing == "" {
		return htmlpage.Block{}
	}
	return htmlpage.Block{Figure: &htmlpage.Figure{ID: id, Title: title, Note: note, Picture: template.HTML(drawing)}}
}

package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/sim/plan"
)

//go:embed page.css
var css string

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// htmlPage is what the template is filled with.
type htmlPage struct {
	Title    string
	Policy   template.HTMLAttr
	Style    template.CSS
	Status   string
	Facts    []string
	Sentence []string
	Broken   []string
	Parts    []htmlPart
	Notes    []string
	Command  string
}

// htmlPart is an answer, or what all have in common.
type htmlPart struct {
	Name   string
	Blocks []htmlBlock
}

// htmlBlock is a table, a plot or a paragraph.
type htmlBlock struct {
	Label, Aside string
	Plot         template.HTML
	Cols         []column
	Rows         [][]string
	Text         []string
}

// renderHTML writes one page that needs nothing else: style and plots are in it, it runs no script, and its policy forbids
// the browser to fetch anything.
func renderHTML(w io.Writer, r *plan.Report) error {
	sum := sha256.Sum256([]byte(css))
	p := htmlPage{
		Title: "Plan of " + r.Scenario.Name, Style: template.CSS(css), Status: statusWord(r), Facts: headFacts(r)[1:], Sentence: r.Sentence,
		Policy:  template.HTMLAttr(`content="default-src 'none'; style-src 'sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `'; base-uri 'none'; form-action 'none'"`),
		Broken:  r.Broken,
		Notes:   append(slices.Clone(r.Notes), ruleText(r)),
		Command: strings.Join(command(r), " "),
	}
	if common := blocks(overview(r)...); len(common) > 0 {
		p.Parts = append(p.Parts, htmlPart{"", common})
	}
	for i := range r.Answers {
		p.Parts = append(p.Parts, answerPart(r, &r.Answers[i]))
	}
	for i := range r.Frontier {
		f := &r.Frontier[i]
		part := htmlPart{Name: partName(f.Variant)}
		part.Blocks = append(part.Blocks, htmlBlock{Label: "Grid", Plot: template.HTML(gridPlot(r, f))})
		part.Blocks = append(part.Blocks, blocks(frontierTable(r, f), boundTable(r, f))...)
		part.Blocks = append(part.Blocks, htmlBlock{Label: "Monotone", Text: monotoneText(&f.Monotone)})
		p.Parts = append(p.Parts, part)
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("writing a planning page: %w", err)
	}
	return nil
}

func partName(variant string) string {
	if variant == "base" {
		return ""
	}
	return "Variant " + variant
}

func answerPart(r *plan.Report, a *plan.Answer) htmlPart {
	part := htmlPart{Name: partName(a.Variant)}
	if plot := marginPlot(r, a); plot != "" {
		part.Blocks = append(part.Blocks, htmlBlock{Label: "Margin", Aside: "dot: the mean; thick: its 95 % interval; thin: where a further run lies", Plot: template.HTML(plot)})
	}
	part.Blocks = append(part.Blocks, blocks(pointTable(r, a))...)
	if plot := costPlot(r, a); plot != "" {
		part.Blocks = append(part.Blocks, htmlBlock{Label: "Cost", Plot: template.HTML(plot)})
	}
	part.Blocks = append(part.Blocks, blocks(costTable(r, a))...)
	if g := a.Gain; g != nil {
		part.Blocks = append(part.Blocks, htmlBlock{Label: "Gain", Text: []string{"margin at " + a.Value + " less that at " + a.Beside + ", by seed: " + interval(*g)}})
	}
	part.Blocks = append(part.Blocks, htmlBlock{Label: "Monotone", Text: monotoneText(&a.Monotone)})
	if lines := boundLines(a); len(lines) > 0 {
		part.Blocks = append(part.Blocks, htmlBlock{Label: "Bound by", Text: lines})
	}
	part.Blocks = append(part.Blocks, blocks(resourceTable(a), staticTable(a))...)
	if a.Static.Text != "" {
		part.Blocks = append(part.Blocks, htmlBlock{Label: "Arithmetic", Text: []string{a.Static.Text}})
	}
	part.Blocks = append(part.Blocks, blocks(changeTable(a), growthTable(a))...)
	if lines := notRun(a); len(lines) > 0 {
		part.Blocks = append(part.Blocks, htmlBlock{Label: "Not run", Text: lines})
	}
	return part
}

// blocks turns tables that have rows into blocks.
func blocks(tables ...table) []htmlBlock {
	var out []htmlBlock
	for _, t := range tables {
		if len(t.rows) > 0 {
			out = append(out, htmlBlock{Label: t.label, Aside: t.aside, Cols: t.cols, Rows: t.rows})
		}
	}
	return out
}

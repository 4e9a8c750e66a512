package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
)

// Formats returns the names that Render knows.
func Formats() []string { return []string{"table", "markdown", "json"} }

// Render writes a result in one of Formats.
func Render(w io.Writer, res *Result, format string, opt report.Options) error {
	switch format {
	case "table":
		return res.document().RenderTable(w, opt)
	case "markdown":
		return res.document().RenderMarkdown(w)
	case "json":
		return renderJSON(w, res)
	}
	return fmt.Errorf("format %q is not one of %s", report.Clean(format, nameWidth), strings.Join(Formats(), ", "))
}

func renderJSON(w io.Writer, res *Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(res); err != nil {
		return fmt.Errorf("writing a comparison: %w", err)
	}
	return nil
}

// document lays the result out: the verdict, then where it came from, then metric by metric.
func (res *Result) document() *report.Document {
	d := new(report.Document)
	word, rest, _ := strings.Cut(res.sentence, ": ")
	d.Facts(word, rest)
	if len(res.Unmatched) > 0 {
		d.Lines("Unmatched", missingLines(res.Unmatched)...)
	}
	for i := range res.Scenarios {
		s := &res.Scenarios[i]
		if len(res.Scenarios) > 1 {
			d.Heading("Scenario " + report.Clean(s.Name, nameWidth))
		}
		s.head(d)
		for j := range s.Variants {
			v := &s.Variants[j]
			if len(s.Variants) > 1 {
				d.Heading("Variant "+report.Clean(v.Name, nameWidth), v.method())
			} else {
				d.Lines("Method", v.method())
			}
			v.body(d)
		}
	}
	d.Lines("Level", res.level())
	return d
}

// level says what significance means here.
func (res *Result) level() string {
	if res.Tests == 0 {
		return "differences are exact: no test, and no chance, is involved"
	}
	over := "all " + counted(res.Tests, "test")
	if res.Family < res.Tests {
		over = fmt.Sprintf("the tests that could become significant (Tarone), %d of %d", res.Family, res.Tests)
	}
	return fmt.Sprintf("p is Holm's over %s, and significant up to %s; that of information is not corrected",
		over, report.Form(res.Alpha, report.UnitShare))
}

// head says where both sides came from.
func (s *Scenario) head(d *report.Document) {
	d.Facts("Base", s.Base.facts()...)
	d.Facts("New", s.New.facts()...)
	if len(s.Forced) > 0 {
		d.Lines("Forced", s.Forced...)
	}
	if len(s.Notes) > 0 {
		d.Lines("Note", s.Notes...)
	}
	if len(s.Unmatched) > 0 {
		d.Lines("Unmatched", missingLines(s.Unmatched)...)
	}
}

func (o *Origin) facts() []string {
	out := []string{report.Clean(o.Scenario, nameWidth), fmt.Sprintf("seed %d", o.Seed)}
	if o.Replications > 1 {
		out = append(out, fmt.Sprintf("%d replications", o.Replications))
	}
	out = append(out, o.Mode+" clock")
	if o.Target != "" {
		out = append(out, "target "+report.Clean(o.Target, nameWidth))
	}
	for _, set := range o.Overrides {
		out = append(out, "--set "+report.Clean(set, 2*nameWidth))
	}
	if o.SHA256 != "" {
		out = append(out, "scenario "+report.Clean(prefix(o.SHA256), 12))
	}
	if o.Tool.Version != "" {
		out = append(out, "simload "+report.Clean(o.Tool.Version+" "+o.Tool.Arch, nameWidth))
	}
	return out
}

func prefix(hash string) string { return hash[:min(len(hash), 12)] }

// method says how a variant was compared.
func (v *Variant) method() string {
	switch v.Method {
	case Exact:
		if v.Identical {
			return "the same order of events in both"
		}
		return "one run each with the same seed: every difference is real"
	case Paired:
		return fmt.Sprintf("%d pairs of runs with the same seed: sign test; median of the pairs' changes with its 95%s%% bootstrap interval", v.BaseN, noBreak)
	case Ranks:
	}
	how := counted(v.BaseN, "run") + fmt.Sprintf(" against %d: Mann-Whitney; ratio of the medians", v.NewN)
	if v.BaseN == 1 || v.NewN == 1 {
		return how + ", without an interval"
	}
	return how + fmt.Sprintf(" with its 95%s%% bootstrap interval", noBreak)
}

// infoRows is how many rows of information are printed; the JSON has all.
const infoRows = 12

func (v *Variant) body(d *report.Document) {
	if len(v.Unmatched) > 0 {
		d.Lines("Unmatched", missingLines(v.Unmatched)...)
	}
	if len(v.Notes) > 0 {
		d.Lines("Note", v.Notes...)
	}
	cols := []report.TableColumn{
		{Head: "metric", Text: true}, {Head: "base"}, {Head: "new"}, {Head: "change"}, {Head: "interval", Drop: 2}, {Head: "p", Drop: 1}, {Head: "verdict", Text: true},
	}
	aside := "median of the runs"
	if v.Method == Exact {
		aside = "failures count as the worst latency"
	}
	var rows [][]string
	var notes []string
	for i := range v.Primary {
		r := &v.Primary[i]
		rows = append(rows, append(r.cells(r.PHolm), string(r.Verdict)))
		if r.Note != "" {
			notes = append(notes, report.Clean(r.short(), nameWidth)+": "+r.Note)
		}
	}
	d.Table("Judged", aside, cols, rows)
	if len(notes) > 0 {
		d.Lines("Notes", notes...)
	}
	v.information(d, cols[:len(cols)-1])
}

// information prints what moved most.
func (v *Variant) information(d *report.Document, cols []report.TableColumn) {
	if len(v.Information) == 0 {
		return
	}
	far := slices.Clone(v.Information)
	slices.SortStableFunc(far, func(a, b Row) int {
		x, y := math.Abs(a.effect.log), math.Abs(b.effect.log)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	aside := "decides nothing"
	if len(far) > infoRows {
		aside = fmt.Sprintf("decides nothing; the %d that moved most of %d, all in the JSON", infoRows, len(far))
		far = far[:infoRows]
	}
	var rows [][]string
	for i := range far {
		rows = append(rows, far[i].cells(far[i].P))
	}
	d.Table("Information", aside, cols, rows)
}

// short is the metric without the variant, which stands above the table.
func (r *Row) short() string { return r.term.String() }

func (r *Row) cells(p report.Num) []string {
	span := ""
	if low, high := float64(r.Low), float64(r.High); !math.IsNaN(low) && !math.IsNaN(high) && (low != 0 || high != 0) {
		span = strings.TrimSuffix(signed(low), noBreak+"%") + " to " + signed(high)
	}
	chance := ""
	if r.tested {
		chance = formP(float64(p))
	}
	return []string{report.Clean(r.short(), nameWidth), r.form(r.Base, r.BaseFailed), r.form(r.New, r.NewFailed), r.formChange(), span, chance}
}

func missingLines(all []Missing) []string {
	out := make([]string, len(all))
	for i, m := range all {
		out[i] = report.Clean(m.What, nameWidth) + " (" + m.In + "): " + m.Means
	}
	return out
}

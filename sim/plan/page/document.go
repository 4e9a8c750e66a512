package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/plan"
)

type column = report.DocumentColumn

// table is what the renderings have in common: a heading and rows.
type table struct {
	label, aside string
	cols         []column
	rows         [][]string
}

// document sets the report in the order of the reader's questions: how much? how sure? what binds? what if? what would
// arithmetic have said?
func document(r *plan.Report) *report.Document {
	d := &report.Document{}
	d.Head(headFacts(r)...)
	d.Text(statusWord(r), r.Sentence...)
	d.Text("Invalid", r.Broken...)
	for _, t := range overview(r) {
		d.Table(t.label, t.aside, t.cols, t.rows)
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		if len(r.Answers) > 1 {
			d.Part("Variant "+a.Variant, a.Sentence)
		}
		answerSections(d, r, a)
	}
	for i := range r.Frontier {
		f := &r.Frontier[i]
		if len(r.Frontier) > 1 {
			d.Part("Variant "+f.Variant, f.Sentence)
		}
		for _, t := range []table{frontierTable(r, f), gridTable(r, f), boundTable(r, f)} {
			d.Table(t.label, t.aside, t.cols, t.rows)
		}
		d.Text("Monotone", monotoneText(&f.Monotone)...)
	}
	d.Text("Notes", append(slices.Clone(r.Notes), ruleText(r))...)
	d.Command("Reproduce", command(r)...)
	return d
}

func answerSections(d *report.Document, r *plan.Report, a *plan.Answer) {
	for _, t := range []table{pointTable(r, a), costTable(r, a)} {
		d.Table(t.label, t.aside, t.cols, t.rows)
	}
	if g := a.Gain; g != nil {
		d.Text("Gain", fmt.Sprintf("margin at %s less that at %s, by seed: %s", a.Value, a.Beside, interval(*g)))
	}
	d.Text("Monotone", monotoneText(&a.Monotone)...)
	d.Text("Bound by", boundLines(a)...)
	for _, t := range []table{resourceTable(a), staticTable(a)} {
		d.Table(t.label, t.aside, t.cols, t.rows)
	}
	d.Text("Arithmetic", a.Static.Text)
	for _, t := range []table{changeTable(a), growthTable(a)} {
		d.Table(t.label, t.aside, t.cols, t.rows)
	}
	d.Text("Not run", notRun(a)...)
}

// boundLines name what bound the answer and the value beside it, or the most generous value.
func boundLines(a *plan.Answer) []string {
	var out []string
	for i := range a.Points {
		p := &a.Points[i]
		if v := p.Values[len(p.Values)-1]; p.Bound != "" && (v == a.Value || v == a.Beside || a.Value == "" && i == len(a.Points)-1) {
			out = append(out, "at "+v+": "+p.Bound)
		}
	}
	return out
}

// notRun says which changes were left out, and why.
func notRun(a *plan.Answer) []string {
	var out []string
	for _, c := range a.Sensitivity {
		if c.Skipped != "" {
			out = append(out, c.Name+": "+c.Skipped)
		}
	}
	return out
}

func headFacts(r *plan.Report) []string {
	s := &r.Scenario
	facts := []string{
		s.Name, "plan of " + s.Name, r.Plan.Direction + " " + axisNames(r), fmt.Sprintf("seed %d", s.Seed),
		fmt.Sprintf("%d replications", r.Plan.Reps), report.FormSpan(float64(s.DurationS)),
	}
	if s.Agents > 0 {
		facts = append(facts, report.FormCount(int64(s.Agents))+" agents")
	}
	facts = append(facts, fmt.Sprintf("%s runs", report.FormCount(int64(r.Runs))))
	if r.Tool.Version != "" {
		facts = append(facts, "simload "+r.Tool.Version+" "+r.Tool.Arch)
	}
	return facts
}

func axisNames(r *plan.Report) string {
	names := make([]string, len(r.Plan.Axes))
	for i, a := range r.Plan.Axes {
		names[i] = a.Path + " of " + a.Range
	}
	return strings.Join(names, " by ")
}

func statusWord(r *plan.Report) string {
	switch r.Status {
	case plan.Found:
		return "FOUND"
	case plan.Uncertain:
		return "UNCERTAIN"
	case plan.Partial:
		return "PARTIAL"
	}
	return "FAIL"
}

// overview sets the variants' answers side by side, and what each makes of the others'.
func overview(r *plan.Report) []table {
	if len(r.Answers) < 2 {
		return nil
	}
	t := table{label: "Answers", aside: "of each variant; cost of a month", cols: []column{
		{Head: "variant", Text: true}, {Head: "answer"}, {Head: "one less"}, {Head: "status"}, {Head: "margin"}, {Head: "arithmetic"}, {Head: "USD"}, {Head: "CNY"}, {Head: "budget %", Drop: 1},
	}}
	for i := range r.Answers {
		a := &r.Answers[i]
		row := []string{a.Variant, dash(a.Value), dash(a.Beside), a.Status, "", a.Static.Value, "", "", ""}
		if p := pointOf(a); p != nil {
			row[4], row[6], row[7], row[8] = report.FormMargin(float64(p.Margin.Mean)), money(p.Cost.MonthUSD), money(p.Cost.MonthCNY), percent(p.Cost.BudgetUse)
		}
		t.rows = append(t.rows, row)
	}
	return []table{t, crossTable(r)}
}

func crossTable(r *plan.Report) table {
	t := table{label: "Crossed", aside: "what each variant makes of the others' answers: runs that meet its objectives, and their margin", cols: []column{{Head: "at"}}}
	for i, c := range r.Crossed {
		row := []string{c.Value + " (" + c.Of + ")"}
		for k := range c.Points {
			if i == 0 {
				t.cols = append(t.cols, column{Head: c.Variants[k]})
			}
			p := &c.Points[k]
			row = append(row, fmt.Sprintf("%d of %d, %s", p.Met, p.Reps, report.FormMargin(float64(p.Margin.Mean))))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// pointOf is the point of the answer, nil if there is none.
func pointOf(a *plan.Answer) *plan.Point {
	for i := range a.Points {
		if a.Value != "" && a.Points[i].Values[len(a.Points[i].Values)-1] == a.Value {
			return &a.Points[i]
		}
	}
	return nil
}

func pointTable(r *plan.Report, a *plan.Answer) table {
	axis := &r.Plan.Axes[len(r.Plan.Axes)-1]
	t := table{
		label: "Points", aside: "margin: distance to the bound in parts of it, + is met; 95 % interval of the mean; next: a further run lies between, each limit at 95 %",
		cols: []column{{Head: last(axis.Path)}, {Head: "status"}, {Head: "runs met"}},
	}
	if len(a.Points) == 0 {
		return t
	}
	for _, o := range a.Points[0].Objectives {
		t.cols = append(t.cols, column{Head: subjectOf(o.Expr)}, column{Head: "margin"}, column{Head: "95 %", Drop: 3})
	}
	t.cols = append(t.cols, column{Head: "next run", Drop: 1}, column{Head: "arithmetic", Drop: 2})
	for i := range a.Points {
		p := &a.Points[i]
		row := []string{p.Values[len(p.Values)-1], p.Status, fmt.Sprintf("%d of %d", p.Met, p.Reps)}
		if a.Value == row[0] {
			row[1] += " <-"
		}
		for k := range p.Objectives {
			o := &p.Objectives[k]
			row = append(row, value(o), report.FormMargin(float64(o.Margin.Mean)), between(o.Margin.Low, o.Margin.High))
		}
		row = append(row, between(p.Next.Low, p.Next.High), percent(p.Static.Use)+" %")
		t.rows = append(t.rows, row)
	}
	return t
}

func costTable(r *plan.Report, a *plan.Answer) table {
	t := table{label: "Cost", aside: "of a month of 30 days of this load", cols: []column{
		{Head: last(r.Plan.Axes[len(r.Plan.Axes)-1].Path)}, {Head: "USD"}, {Head: "CNY"}, {Head: "budget USD"}, {Head: "budget %"},
	}}
	for i := range a.Points {
		p := &a.Points[i]
		budget := ""
		if p.Cost.BudgetUSD > 0 {
			budget = money(p.Cost.BudgetUSD)
		}
		t.rows = append(t.rows, []string{p.Values[len(p.Values)-1], money(p.Cost.MonthUSD), money(p.Cost.MonthCNY), budget, percent(p.Cost.BudgetUse)})
	}
	return t
}

// resourcesShown is how many resources the page has room for.
const resourcesShown = 8

func resourceTable(a *plan.Answer) table {
	t := table{label: "Binds first", aside: "at " + cmpOr(a.Value, "the most generous value") + ": use (limits: of the worst minute), and what is left until it binds; of a reserve the time in which others waited for it, of the upstream its part of the requests' time", cols: []column{
		{Head: "resource", Text: true}, {Head: "use %"}, {Head: "left %"},
	}}
	kept := 0
	for _, x := range a.Resources {
		if x.Note == "" {
			if kept++; kept > resourcesShown {
				continue
			}
		} else if x.Use == 0 {
			continue
		}
		left := percent(x.Free)
		if x.Note != "" {
			left = ""
		}
		t.rows = append(t.rows, []string{x.Name, percent(x.Use), left})
	}
	return t
}

func staticTable(a *plan.Answer) table {
	t := table{label: "Averages", aside: "what arithmetic sees: use of the limits times the headroom; open: rate x response time (Little), pool: x 1.3", cols: []column{
		{Head: "model", Text: true}, {Head: "req/s"}, {Head: "tokens/min"}, {Head: "RPM %"}, {Head: "TPM %"}, {Head: "response s", Drop: 2}, {Head: "open"}, {Head: "measured"}, {Head: "most", Drop: 1}, {Head: "limit", Drop: 3}, {Head: "pool"},
	}}
	for _, m := range a.Static.Models {
		t.rows = append(t.rows, []string{
			m.Model, report.FormNumber(float64(m.RequestsPS)), report.FormNumber(float64(m.TokensInPM + m.TokensOutPM)), percent(m.RPMUse), percent(m.TPMUse),
			report.FormNumber(float64(m.ResponseS)), report.FormNumber(float64(m.Little)), report.FormNumber(float64(m.InFlight)), report.FormNumber(float64(m.InFlightMax)),
			report.FormNumber(float64(m.ConcurrencyN)), strconv.Itoa(m.Pool),
		})
	}
	return t
}

func changeTable(a *plan.Answer) table {
	t := table{label: "Sensitivity", aside: "the answer with one thing changed; change: of the margin, by seed", cols: []column{
		{Head: "what", Text: true}, {Head: "status"}, {Head: "runs met"}, {Head: "worst", Text: true, Drop: 2}, {Head: "margin"}, {Head: "change"}, {Head: "USD a month", Drop: 1},
	}}
	for _, c := range a.Sensitivity {
		if c.Point == nil {
			continue
		}
		delta := ""
		if c.Delta != nil {
			delta = report.FormMargin(float64(c.Delta.Mean))
		}
		t.rows = append(t.rows, []string{
			c.Name, c.Point.Status, fmt.Sprintf("%d of %d", c.Point.Met, c.Point.Reps), worst(c.Point), report.FormMargin(float64(c.Point.Margin.Mean)), delta, money(c.Point.Cost.MonthUSD),
		})
	}
	return t
}

func growthTable(a *plan.Answer) table {
	t := table{label: "Growth", aside: "the answer for other demands", cols: []column{
		{Head: "demand"}, {Head: "times", Drop: 2}, {Head: "answer"}, {Head: "one less", Drop: 1}, {Head: "status"}, {Head: "arithmetic"}, {Head: "error", Drop: 3}, {Head: "USD a month"}, {Head: "CNY", Drop: 4}, {Head: "budget %"}, {Head: "bound by", Text: true, Drop: 5},
	}}
	for i := range a.Growth {
		g := &a.Growth[i]
		row := []string{
			g.Demand, report.FormNumber(float64(g.Factor)), dash(g.Answer.Value), dash(g.Answer.Beside), g.Answer.Status, g.Answer.Static.Value,
			report.FormMargin(float64(g.Answer.Static.Error)), "", "", "", "",
		}
		p := pointOf(&g.Answer)
		if p == nil && len(g.Answer.Points) > 0 {
			p = &g.Answer.Points[len(g.Answer.Points)-1]
		}
		if p != nil {
			row[7], row[8], row[9], row[10] = money(p.Cost.MonthUSD), money(p.Cost.MonthCNY), percent(p.Cost.BudgetUse), p.Bound
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func frontierTable(r *plan.Report, f *plan.Frontier) table {
	first, second := &r.Plan.Axes[0], &r.Plan.Axes[1]
	t := table{label: "Frontier", aside: "the " + r.Plan.Direction + " " + last(second.Path) + " that passes, for each " + last(first.Path), cols: []column{
		{Head: last(first.Path)}, {Head: last(second.Path)}, {Head: "status"}, {Head: "runs met"}, {Head: "margin"}, {Head: "95 %", Drop: 2}, {Head: "arithmetic"}, {Head: "USD a month"}, {Head: "CNY", Drop: 3}, {Head: "budget %", Drop: 1},
	}}
	for _, row := range f.Rows {
		p := &f.Points[row.Point]
		t.rows = append(t.rows, []string{
			row.First, dash(row.Second), row.Status, fmt.Sprintf("%d of %d", p.Met, p.Reps), report.FormMargin(float64(p.Margin.Mean)),
			between(p.Margin.Low, p.Margin.High), row.Static, money(p.Cost.MonthUSD), money(p.Cost.MonthCNY), percent(p.Cost.BudgetUse),
		})
	}
	return t
}

// boundTable names what binds at the frontier.
func boundTable(r *plan.Report, f *plan.Frontier) table {
	t := table{label: "Bound by", aside: "at the frontier; where nothing passes, at the most generous value", cols: []column{{Head: last(r.Plan.Axes[0].Path)}, {Head: "resource", Text: true}}}
	for _, row := range f.Rows {
		t.rows = append(t.rows, []string{row.First, f.Points[row.Point].Bound})
	}
	return t
}

// signs of a point on the grid.
var signs = map[string]string{plan.Pass: "+", plan.Fail: ".", plan.Uncertain: "?", plan.Unknown: " "}

// gridTable draws the grid: a line for each value of the first axis.
func gridTable(r *plan.Report, f *plan.Frontier) table {
	first, second := &r.Plan.Axes[0], &r.Plan.Axes[1]
	n := len(second.Values)
	t := table{label: "Grid", aside: fmt.Sprintf("+ passes, ? depends on the seed, . fails; across: %s from %s to %s", last(second.Path), second.Values[0], second.Values[n-1]), cols: []column{{Head: last(first.Path)}, {Head: "", Text: true}}}
	for i := range len(f.Points) / n {
		var b strings.Builder
		for j := range n {
			b.WriteString(signs[f.Points[i*n+j].Status])
		}
		t.rows = append(t.rows, []string{first.Values[i], b.String()})
	}
	return t
}

func monotoneText(m *plan.Monotone) []string {
	how := fmt.Sprintf("%d points compared", m.Points)
	if m.Scanned {
		how = fmt.Sprintf("all %d values tried", m.Points)
	}
	if m.OK {
		return []string{how + ", none worse than one with less"}
	}
	return append([]string{"NO: " + how + "; the answer is the first from which on all that were tried pass, if there is one"}, m.Notes...)
}

func ruleText(r *plan.Report) string {
	return fmt.Sprintf("a point passes when all %d runs meet every objective and a further run does at %.0f %% (one-sided prediction limit, Student's t), fails when none does and a further run does not, else it depends on the seed", r.Plan.Reps, 100*float64(r.Plan.PredictionLevel))
}

// command repeats the plan.
func command(r *plan.Report) []string {
	words := []string{"simload", "plan", r.Scenario.File}
	for _, a := range r.Plan.Axes {
		words = append(words, "--vary", quoted(a.Path+"="+a.Range))
	}
	for _, o := range r.Plan.Objectives {
		words = append(words, "--slo", quoted(o))
	}
	for _, s := range r.Scenario.Overrides {
		words = append(words, "--set", quoted(s))
	}
	words = append(words, map[string]string{plan.Smallest: "--min", plan.Largest: "--max"}[r.Plan.Direction])
	for _, v := range r.Plan.Variants {
		words = append(words, "--variant", quoted(v))
	}
	if len(r.Plan.Growth) > 0 {
		words = append(words, "--growth", quoted(strings.Join(r.Plan.Growth, ",")))
	}
	for _, path := range r.Plan.Along {
		words = append(words, "--along", quoted(path))
	}
	if !r.Plan.Sensitivity {
		words = append(words, "--no-sensitivity")
	}
	return append(words, "--reps", strconv.Itoa(r.Plan.Reps), "--seed", strconv.FormatUint(r.Scenario.Seed, 10))
}

// quoted puts what a shell would take apart in quotes.
func quoted(s string) string {
	if strings.ContainsAny(s, " \t{}<>|&;()$`\"*?[]!#~") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// worst names the objective with the smallest margin.
func worst(p *plan.Point) string {
	if len(p.Objectives) == 0 {
		return ""
	}
	w := &p.Objectives[0]
	for i := range p.Objectives {
		if o := &p.Objectives[i]; o.Margin.Mean < w.Margin.Mean {
			w = o
		}
	}
	return subjectOf(w.Expr) + " " + value(w)
}

// subjectOf is an expectation without its bound.
func subjectOf(expr string) string {
	e, err := report.ParseExpect(expr)
	if err != nil {
		return expr
	}
	if e.Den != nil {
		return e.Num.String() + " / " + e.Den.String()
	}
	return e.Num.String()
}

// value is the mean of an objective.
func value(o *plan.Objective) string {
	if o.Value.N == 0 {
		return "failure"
	}
	e, err := report.ParseExpect(o.Expr)
	if err != nil {
		return ""
	}
	text := report.FormValue(float64(o.Value.Mean), e.Unit())
	if o.Value.N < o.Margin.N {
		text += fmt.Sprintf(" (%d failures)", o.Margin.N-o.Value.N)
	}
	return text
}

func interval(e plan.Estimate) string {
	return report.FormMargin(float64(e.Mean)) + " (95 % interval " + between(e.Low, e.High) + ")"
}

func between(low, high report.Num) string {
	if math.IsNaN(float64(low)) || math.IsNaN(float64(high)) {
		return ""
	}
	return report.FormMargin(float64(low)) + " to " + report.FormMargin(float64(high))
}

func money(n report.Num) string { return report.FormMoney(float64(n)) }

func percent(n report.Num) string {
	if math.IsNaN(float64(n)) {
		return ""
	}
	return report.FormNumber(float64(n) * 100)
}

func dash(s string) string { return cmpOr(s, "-") }

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// last is the last two names of a path.
func last(path string) string {
	parts := strings.Split(path, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

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

type column = report.TableColumn

// table is what the renderings have in common: a heading and rows.
type table struct {
	label, aside string
	cols         []column
	rows         [][]string
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
func pointOf(a *plan.Answer) *plan.Point { return pointAt(a, a.Value) }

// pointAt is the point of a value, nil if there is none.
func pointAt(a *plan.Answer, value string) *plan.Point {
	for i := range a.Points {
		if value != "" && a.Points[i].Values[len(a.Points[i].Values)-1] == value {
			return &a.Points[i]
		}
	}
	return nil
}

func pointTable(r *plan.Report, a *plan.Answer) table {
	axis := &r.Plan.Axes[len(r.Plan.Axes)-1]
	t := table{
		label: "Points", aside: "means, each with its margin: the distance to the bound in parts of it, + is met; next run: its margin lies between, each limit at 95 %",
		cols: []column{{Head: axis.Name()}, {Head: "status"}, {Head: "runs met"}},
	}
	if len(a.Points) == 0 {
		return t
	}
	for _, o := range a.Points[0].Objectives {
		t.cols = append(t.cols, column{Head: o.Subject()}, column{Head: "95 %", Drop: 3})
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
			row = append(row, o.Text()+"  "+report.FormMargin(float64(o.Margin.Mean)), between(o.Margin.Low, o.Margin.High))
		}
		row = append(row, between(p.Next.Low, p.Next.High), percent(p.Static.Use)+" %")
		t.rows = append(t.rows, row)
	}
	return t
}

func costTable(r *plan.Report, a *plan.Answer) table {
	t := table{label: "Cost", aside: "of a month of 30 days of this load", cols: []column{
		{Head: r.Plan.Axes[len(r.Plan.Axes)-1].Name()}, {Head: "USD"}, {Head: "CNY"}, {Head: "budget USD"}, {Head: "budget %"},
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

// resourcesShown is how many resources the table has room for, besides the nearest of each kind.
const resourcesShown = 8

func resourceTable(a *plan.Answer) table {
	t := table{label: "Binds first", aside: "at " + cmpOr(a.Value, cmpOr(a.Best, "the best value")) + ": use of each resource (limits: in the worst minute), and what is left until it binds", cols: []column{
		{Head: "resource", Text: true}, {Head: "use %"}, {Head: "left %"}, {Head: "", Text: true, Drop: 1},
	}}
	told := map[string]bool{} // kinds; asked, never walked
	for i, x := range a.Resources {
		if i >= resourcesShown && told[x.Kind] && (x.Note == "" || x.Use == 0) {
			continue
		}
		told[x.Kind] = true
		t.rows = append(t.rows, []string{x.Name, cmpOr(percent(x.Use), "-"), cmpOr(percent(x.Free), "-"), x.Note})
	}
	return t
}

// distance is how far the nearest resource of each kind is from binding: what is left, or the note of what has no limit.
func distance(list []plan.Resource) []string {
	var out []string
	for _, kind := range plan.Kinds() {
		i := slices.IndexFunc(list, func(x plan.Resource) bool { return x.Kind == kind })
		switch {
		case i < 0:
			out = append(out, "")
		case math.IsNaN(float64(list[i].Use)):
			out = append(out, "no limit")
		default:
			out = append(out, percent(list[i].Free))
		}
	}
	return out
}

// distanceTable tells for several points how far each kind is from binding.
func distanceTable(head string) table {
	t := table{label: "Left", aside: "of the nearest resource of each kind until it binds, in %; of the reserve and the upstream of the time", cols: []column{{Head: head}}}
	for _, kind := range plan.Kinds() {
		t.cols = append(t.cols, column{Head: kind})
	}
	return t
}

func staticTable(a *plan.Answer) table {
	t := table{label: "Averages", aside: "what arithmetic sees: use of the limits times the headroom; open: rate x response time (Little), pool: x 1.3; response times and what is cached are measured; it leaves out stand-ins, failures, limits of a day and of long prompts", cols: []column{
		{Head: "model", Text: true}, {Head: "req/s"}, {Head: "tokens/min"}, {Head: "cached %", Drop: 4}, {Head: "RPM %"}, {Head: "TPM %"}, {Head: "output TPM %", Drop: 3}, {Head: "response s", Drop: 2}, {Head: "open"}, {Head: "measured"}, {Head: "most", Drop: 1}, {Head: "limit", Drop: 3}, {Head: "pool"},
	}}
	for _, m := range a.Static.Models {
		name, cached := m.Model, ""
		if len(m.With) > 0 {
			name += " (shares limits with " + strings.Join(m.With, ", ") + ")"
		}
		if m.Cached > 0 {
			cached = percent(m.Cached)
		}
		t.rows = append(t.rows, []string{
			name, report.FormNumber(float64(m.RequestsPS)), report.FormNumber(float64(m.TokensInPM + m.TokensOutPM)), cached, percent(m.RPMUse), percent(m.TPMUse), percent(m.OTPMUse),
			report.FormNumber(float64(m.ResponseS)), report.FormNumber(float64(m.Little)), report.FormNumber(float64(m.InFlight)), report.FormNumber(float64(m.InFlightMax)),
			report.FormNumber(float64(m.ConcurrencyN)), strconv.Itoa(m.Pool),
		})
	}
	return t
}

func changeTable(list []plan.Change) table {
	t := table{label: "Sensitivity", aside: "the answer with one thing changed; change: of the margin, by seed", cols: []column{
		{Head: "what", Text: true}, {Head: "status"}, {Head: "runs met"}, {Head: "worst", Text: true, Drop: 2}, {Head: "margin"}, {Head: "change"}, {Head: "USD a month", Drop: 1},
	}}
	for _, c := range list {
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

func growthTable(r *plan.Report, a *plan.Answer) table {
	how := "in the range as it is"
	if slices.ContainsFunc(a.Growth, func(g plan.Grown) bool { return g.Range != r.Plan.Axes[0].Range }) {
		how = "in steps that grow with them"
	}
	t := table{label: "Growth", aside: "the answer for other demands, searched " + how, cols: []column{
		{Head: "demand", Text: true}, {Head: "times", Drop: 2}, {Head: "answer"}, {Head: "one less", Drop: 1}, {Head: "status"}, {Head: "margin", Drop: 4}, {Head: "runs", Drop: 5}, {Head: "arithmetic"}, {Head: "error", Drop: 3}, {Head: "USD a month"}, {Head: "CNY", Drop: 4}, {Head: "budget %"},
	}}
	for i := range a.Growth {
		g := &a.Growth[i]
		row := []string{
			demand(g), report.FormNumber(float64(g.Factor)), dash(g.Answer.Value), dash(g.Answer.Beside), g.Answer.Status, "", "", g.Answer.Static.Value,
			report.FormMargin(float64(g.Answer.Static.Error)), "", "", "",
		}
		if p := pointAt(&g.Answer, cmpOr(g.Answer.Value, g.Answer.Best)); p != nil {
			row[5], row[6] = report.FormMargin(float64(p.Margin.Mean)), fmt.Sprintf("%d of %d", p.Met, p.Reps)
			row[9], row[10], row[11] = money(p.Cost.MonthUSD), money(p.Cost.MonthCNY), percent(p.Cost.BudgetUse)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// demand is a demand of a growth plan as people write it.
func demand(g *plan.Grown) string {
	if n, err := strconv.ParseInt(g.Demand, 10, 64); err == nil {
		return report.FormCount(n) + " agents"
	}
	return g.Demand
}

func growthDistance(a *plan.Answer) table {
	t := distanceTable("demand")
	for i := range a.Growth {
		g := &a.Growth[i]
		t.rows = append(t.rows, append([]string{demand(g)}, distance(g.Answer.Resources)...))
	}
	return t
}

// growthBound names what bound the answer for each demand, or the best value where there is none.
func growthBound(a *plan.Answer) []string {
	var out []string
	for i := range a.Growth {
		g := &a.Growth[i]
		if p := pointAt(&g.Answer, cmpOr(g.Answer.Value, g.Answer.Best)); p != nil {
			out = append(out, demand(g)+", at "+p.Values[len(p.Values)-1]+": "+p.Bound)
		}
	}
	return out
}

package page

import (
	"fmt"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/plan"
)

func frontierTable(r *plan.Report, f *plan.Frontier) table {
	first, second := &r.Plan.Axes[0], &r.Plan.Axes[1]
	t := table{label: "Frontier", aside: "the " + r.Plan.Direction + " " + second.Name() + " that passes, for each " + first.Name(), cols: []column{
		{Head: first.Name()}, {Head: second.Name()}, {Head: "status"}, {Head: "runs met"}, {Head: "margin"}, {Head: "95 %", Drop: 2}, {Head: "arithmetic"}, {Head: "USD a month"}, {Head: "CNY", Drop: 3}, {Head: "budget %", Drop: 1},
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

// frontierDistance tells how far each kind is from binding along the frontier; where nothing passes, at the best value.
func frontierDistance(r *plan.Report, f *plan.Frontier) table {
	t := distanceTable(r.Plan.Axes[0].Name())
	for _, row := range f.Rows {
		t.rows = append(t.rows, append([]string{row.First}, distance(row.Resources)...))
	}
	return t
}

// frontierBound names what binds there.
func frontierBound(r *plan.Report, f *plan.Frontier) []string {
	var out []string
	for _, row := range f.Rows {
		out = append(out, "at "+r.Plan.Axes[0].Name()+"="+row.First+": "+f.Points[row.Point].Bound)
	}
	return out
}

// signs of a point on the grid.
var signs = map[string]string{plan.Pass: "+", plan.Fail: ".", plan.Uncertain: "?", plan.Unknown: " "}

// gridTable draws the grid: a line for each value of the first axis.
func gridTable(r *plan.Report, f *plan.Frontier) table {
	first, second := &r.Plan.Axes[0], &r.Plan.Axes[1]
	n := len(second.Values)
	t := table{label: "Grid", aside: fmt.Sprintf("+ passes, ? depends on the seed, . fails; across: %s from %s to %s", second.Name(), second.Values[0], second.Values[n-1]), cols: []column{{Head: first.Name()}, {Head: "", Text: true}}}
	for i := range len(f.Points) / n {
		var b strings.Builder
		for j := range n {
			b.WriteString(signs[f.Points[i*n+j].Status])
		}
		t.rows = append(t.rows, []string{first.Values[i], b.String()})
	}
	return t
}

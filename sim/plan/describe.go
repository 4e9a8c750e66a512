package plan

import (
	"math"
	"time"

	"github.com/seed-4fd17b57/simload/report"
)

// month is what costs are told for, as budgets are: 30 days.
const month = 30 * 24 * time.Hour

// describe sums up the runs of a point.
func (w *sweep) describe(c cell, samples []Sample) *Point {
	p := &Point{Values: c.point.values, Status: Unknown, Reps: len(samples), samples: samples, Objectives: []Objective{}}
	if len(samples) == 0 {
		nan := report.Num(math.NaN())
		p.Margin, p.Next = estimate(nil), Prediction{nan, nan}
		p.Cost = Cost{nan, nan, 0, nan}
		return p
	}
	var met []bool
	for i := range samples {
		least, ok := math.Inf(1), true
		for _, o := range samples[i].Checks {
			least, ok = min(least, float64(o.Margin)), ok && o.OK
		}
		p.margins, met = append(p.margins, least), append(met, ok)
		if ok {
			p.Met++
		}
	}
	for i, e := range c.subject.objectives {
		p.Objectives = append(p.Objectives, objective(e, i, samples))
	}
	p.Margin, p.Next = estimate(p.margins), predict(p.margins)
	if len(samples) == w.reps {
		p.Status = judge(p.margins, met)
	}
	p.Bound = samples[0].Bound
	w.price(p, c)
	return p
}

// objective sums up one expectation.
func objective(e report.Expect, i int, samples []Sample) Objective {
	o := Objective{Expr: e.Text}
	var values, margins []float64
	for k := range samples {
		c := &samples[k].Checks[i]
		if v := float64(c.Value); !math.IsNaN(v) {
			values = append(values, v)
		}
		margins = append(margins, float64(c.Margin))
		if c.OK {
			o.Met++
		}
		if c.Unmeasured {
			o.Unmeasured++
		}
		if o.Note == "" && !c.OK && math.IsNaN(float64(c.Value)) {
			o.Note = c.Note
		}
	}
	o.Value, o.Margin = estimate(values), estimate(margins)
	return o
}

// price turns the bill of the window into that of a month.
func (w *sweep) price(p *Point, c cell) {
	v, err := variantOf(c.point, c.subject)
	if err != nil {
		return // it ran, so it was loaded
	}
	spec := v.Spec
	window := time.Duration(spec.Duration - spec.Warmup)
	sum := 0.0
	for k := range p.samples {
		sum += float64(p.samples[k].CostUSD)
	}
	usd := sum / float64(len(p.samples)) * month.Seconds() / window.Seconds()
	budget := spec.Prices.MonthlyBudget()
	p.Cost = Cost{report.Num(usd), report.Num(usd * spec.Prices.Rate()), report.Num(budget), report.Num(math.NaN())}
	if budget > 0 {
		p.Cost.BudgetUse = report.Num(usd / budget)
	}
}

// paired is the difference of margins of two points, replication by replication: what a seed does to both cancels out.
func paired(a, b *Point) *Estimate {
	if len(a.margins) != len(b.margins) || len(a.margins) == 0 {
		return nil
	}
	d := make([]float64, len(a.margins))
	for i := range d {
		d[i] = a.margins[i] - b.margins[i]
	}
	e := estimate(d)
	return &e
}

package page

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/plan"
)

// Plots are SVG without script or style of its own: classes are those of htmlpage's pictures.

// area of a plot in pixels, with room for its axes.
const (
	plotWidth, plotHeight                 = 760, 300
	plotLeft, plotRight, plotTop, plotLow = 60, 20, 16, 44
)

// svg collects the elements of a plot. Coordinates have one decimal, so that equal reports give equal bytes.
type svg struct {
	b strings.Builder
}

func newSVG(width, height int, title string) *svg {
	s := &svg{}
	fmt.Fprintf(&s.b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s" xmlns="http://www.w3.org/2000/svg">`+"\n", width, height, html.EscapeString(title))
	return s
}

func (s *svg) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&s.b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

func (s *svg) dot(class string, x, y float64, title string) {
	fmt.Fprintf(&s.b, `<circle class="%s" cx="%.1f" cy="%.1f" r="5"><title>%s</title></circle>`+"\n", class, x, y, html.EscapeString(title))
}

func (s *svg) box(class string, x, y, w, h float64, title string) {
	fmt.Fprintf(&s.b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`+"\n", class, x, y, w, h, html.EscapeString(title))
}

func (s *svg) text(class string, x, y float64, text string) {
	fmt.Fprintf(&s.b, `<text class="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, x, y, html.EscapeString(text))
}

func (s *svg) end() string { return s.b.String() + "</svg>\n" }

// marginPlot shows the margin of each point that was tried, with the interval of its mean and the limits of a further run.
func marginPlot(r *plan.Report, a *plan.Answer) string {
	axis := &r.Plan.Axes[0]
	points := slices.DeleteFunc(slices.Clone(a.Points), func(p plan.Point) bool { return math.IsNaN(float64(p.Margin.Mean)) })
	if len(points) == 0 {
		return ""
	}
	low, high := -0.1, 0.1
	for i := range points {
		for _, v := range []report.Num{points[i].Margin.Mean, points[i].Next.Low, points[i].Next.High} {
			if f := float64(v); !math.IsNaN(f) {
				low, high = min(low, f), max(high, f)
			}
		}
	}
	low, high = max(low, -1.2), min(high, 1.2)
	y := func(m float64) float64 {
		m = min(max(m, low), high)
		return plotTop + (high-m)/(high-low)*(plotHeight-plotTop-plotLow)
	}
	x := func(i int) float64 {
		at := slices.Index(axis.Values, points[i].Values[0])
		return plotLeft + 20 + float64(at)/float64(max(1, len(axis.Values)-1))*(plotWidth-plotLeft-plotRight-40)
	}
	s := newSVG(plotWidth, plotHeight, "margin along "+axis.Path)
	for _, m := range ticks(low, high) {
		class := "grid"
		if m == 0 {
			class = "zero"
		}
		s.line(class, plotLeft, y(m), plotWidth-plotRight, y(m))
		s.text("left", plotLeft-6, y(m)+4, report.FormMargin(m))
	}
	for i := range points {
		p := &points[i]
		if !math.IsNaN(float64(p.Next.Low)) {
			s.line("span", x(i), y(float64(p.Next.Low)), x(i), y(float64(p.Next.High)))
			s.line("mean", x(i), y(float64(p.Margin.Low)), x(i), y(float64(p.Margin.High)))
		}
		s.dot(p.Status, x(i), y(float64(p.Margin.Mean)), fmt.Sprintf("%s: %s, %d of %d runs, margin %s", p.Values[0], p.Status, p.Met, p.Reps, report.FormMargin(float64(p.Margin.Mean))))
	}
	labels(s, len(points), x, func(i int) string { return points[i].Values[0] })
	s.text("middle", plotWidth/2, plotHeight-6, axis.Path)
	return s.end()
}

// labels writes names below a plot, leaving out those that have no room.
func labels(s *svg, n int, x func(int) float64, name func(int) string) {
	end := math.Inf(-1)
	for i := range n {
		half := float64(len(name(i))) * 3.6
		if x(i)-half > end+6 {
			s.text("middle", x(i), plotHeight-plotLow+18, name(i))
			end = x(i) + half
		}
	}
}

// ticks are round numbers from low to high, multiples of a step of 1, 2 or 5 times a power of ten, eight at most.
func ticks(low, high float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/8)))
	for i := 0; (high-low)/step > 8; i++ {
		step *= []float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10
	}
	var out []float64
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		out = append(out, k*step)
	}
	return out
}

// gridPlot shows a grid of two axes: a box for each point.
func gridPlot(r *plan.Report, f *plan.Frontier) string {
	first, second := &r.Plan.Axes[0], &r.Plan.Axes[1]
	n := len(second.Values)
	rows := len(f.Points) / n
	if rows == 0 {
		return ""
	}
	w := float64(plotWidth-plotLeft-plotRight) / float64(n)
	h := min(max(360/float64(rows), 4), 26)
	height := plotTop + int(h*float64(rows)) + plotLow
	s := newSVG(plotWidth, height, "grid of "+first.Path+" by "+second.Path)
	every := max(1, int(math.Ceil(12/h)))
	for i := range rows {
		top := plotTop + h*float64(rows-1-i)
		if i%every == 0 {
			s.text("left", plotLeft-6, top+h/2+4, first.Values[i])
		}
		for j := range n {
			p := &f.Points[i*n+j]
			title := fmt.Sprintf("%s, %s: %s, %d of %d runs, margin %s, USD %s a month", p.Values[0], p.Values[1], p.Status, p.Met, p.Reps, report.FormMargin(float64(p.Margin.Mean)), money(p.Cost.MonthUSD))
			s.box(p.Status, plotLeft+w*float64(j), top, max(w-1, 1), max(h-1, 1), title)
			if min(w, h) >= 12 { // room for a letter
				s.text("sign", plotLeft+w*(float64(j)+0.5), top+h/2+4, signs[p.Status])
			}
		}
	}
	for i, row := range f.Rows {
		if row.Second != "" {
			s.box("edge", plotLeft+w*float64(row.Point%n)+1, plotTop+h*float64(rows-1-i)+1, max(w-3, 1), max(h-3, 1), "the frontier")
		}
	}
	end := math.Inf(-1)
	for j, v := range second.Values {
		x, half := plotLeft+w*(float64(j)+0.5), float64(len(v))*3.6
		if x-half > end+6 {
			s.text("middle", x, float64(height-plotLow+16), v)
			end = x + half
		}
	}
	s.text("middle", plotWidth/2, float64(height-6), second.Path+"  (up: "+first.Path+")")
	return s.end()
}

// costPlot shows the cost of a month at each point that was tried, with the budget.
func costPlot(r *plan.Report, a *plan.Answer) string {
	points := slices.DeleteFunc(slices.Clone(a.Points), func(p plan.Point) bool { return math.IsNaN(float64(p.Cost.MonthUSD)) })
	most := 0.0
	for i := range points {
		most = max(most, float64(points[i].Cost.MonthUSD), float64(points[i].Cost.BudgetUSD))
	}
	if len(points) == 0 || most == 0 {
		return ""
	}
	y := func(usd float64) float64 { return plotTop + (1-usd/most)*(plotHeight-plotTop-plotLow) }
	w := float64(plotWidth-plotLeft-plotRight) / float64(len(points))
	x := func(i int) float64 { return plotLeft + w*(float64(i)+0.5) }
	s := newSVG(plotWidth, plotHeight, "cost of a month")
	for _, usd := range ticks(0, most) {
		s.line("grid", plotLeft, y(usd), plotWidth-plotRight, y(usd))
		s.text("left", plotLeft-6, y(usd)+4, report.FormNumber(usd))
	}
	for i := range points {
		p := &points[i]
		s.box(p.Status, x(i)-w*0.35, y(float64(p.Cost.MonthUSD)), w*0.7, plotHeight-plotLow-y(float64(p.Cost.MonthUSD)), fmt.Sprintf("%s: USD %s, CNY %s", p.Values[0], money(p.Cost.MonthUSD), money(p.Cost.MonthCNY)))
	}
	if b := float64(points[0].Cost.BudgetUSD); b > 0 {
		s.line("budget", plotLeft, y(b), plotWidth-plotRight, y(b))
	}
	labels(s, len(points), x, func(i int) string { return points[i].Values[0] })
	s.text("middle", plotWidth/2, plotHeight-6, "USD a month by "+r.Plan.Axes[0].Path)
	return s.end()
}

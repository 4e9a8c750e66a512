package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed-4fd17b57/simload/report/htmlpage"
)

// numList prints numbers as the report file does, NaN as null.
func numList(values []float64) []Num {
	out := make([]Num, len(values))
	for i, x := range values {
		out[i] = Num(x)
	}
	return out
}

// curves draws the percentiles of a variant; their table is the one of latencies beside it.
func (b *htmlBuilder) curves(v *Variant) *htmlpage.Figure {
	curves := Curves(v)
	if len(curves) == 0 {
		return nil
	}
	f := b.curveFigure(curves)
	f.Title, f.Note = "Percentiles", "seconds, by profile and class; each step to the right is ten times as rare"
	return f
}

// variantCurves sets the variants' curves of all requests side by side.
func (b *htmlBuilder) variantCurves() *htmlpage.Figure {
	var curves []Curve
	for i := range b.r.Variants {
		v := &b.r.Variants[i]
		of := Curves(v)
		if len(of) == 0 {
			continue
		}
		c := of[len(of)-1] // of all, or of the one profile there is
		c.Name = shorten(clean(v.Name), nameLong)
		curves = append(curves, c)
	}
	if len(curves) < 2 {
		return nil
	}
	f := b.curveFigure(curves)
	f.Title, f.Note = "Percentiles of all requests", "seconds, by variant"
	return f
}

// curveFigure draws curves, and says of each where it ends.
func (b *htmlBuilder) curveFigure(curves []Curve) *htmlpage.Figure {
	longest := 0
	for _, c := range curves {
		longest = max(longest, len(c.Points))
	}
	chart := htmlpage.Chart{Kind: htmlpage.KindCurve, Unit: "s", Log: true}
	for i := range longest {
		chart.X = append(chart.X, math.Round(CurveDepth(i)*1e4)/1e4)
	}
	data := section{label: "Percentiles", aside: "seconds", grid: &grid{cols: []column{{head: "of", text: true}, {head: "p50"}, {head: "p90"}, {head: "p99"}, {head: "p99.9"}, {head: "p99.99"}, {head: "failed %"}}}}
	summary := make([]string, 0, len(curves))
	for i, c := range curves {
		values := make([]float64, longest)
		for k := range values {
			values[k] = math.NaN()
			if k < len(c.Points) {
				values[k] = c.Points[k].Seconds
			}
		}
		line := htmlpage.Line{Name: htmlText(c.Name), Colour: i, Dash: i, Values: numList(values)}
		if c.FailedShare > 0 {
			line.Ends = htmlText(formPercent(c.FailedShare) + thin + "% failed")
		}
		if c.Estimated {
			line.Note = "estimated: the file holds no histogram"
		}
		if c.By.Profile == "" && c.Name != "" {
			line.Faint = c.By.Class != ""
		}
		chart.Lines = append(chart.Lines, line)
		row := []string{c.Name}
		for _, percent := range []float64{50, 90, 99, 99.9, 99.99} {
			row = append(row, c.at(percent))
		}
		data.grid.add(append(row, formPercent(c.FailedShare))...)
		summary = append(summary, c.summary())
	}
	return &htmlpage.Figure{
		ID: fmt.Sprintf("%s-c%d", b.id, len(b.page.Charts)), Chart: b.add(chart), Data: htmlTable(&data),
		Summary: htmlText("Percentile curves, " + strings.Join(summary, "; ")),
	}
}

// at prints a percentile, or that it is a failure; "" when nothing is known that deep.
func (c *Curve) at(percent float64) string {
	all := c.of.n + c.of.failures
	if percent > 50 && float64(all)*(100-percent) < 99.99 {
		return ""
	}
	if percent <= 99.9 { // as the table of latencies has it
		return formCurve(c.of.percentile(percent) / 1000)
	}
	return formCurve(c.percentile(percent) / 1000)
}

func formCurve(seconds float64) string { return latencyUnit{"seconds", 0.001}.form(seconds * 1000) }

func (c *Curve) summary() string {
	s := c.Name
	for _, percent := range []float64{50, 99} {
		if at := c.at(percent); at != "" {
			s += fmt.Sprintf(" p%v %s", percent, at)
		}
	}
	if c.FailedShare > 0 {
		s += ", " + formPercent(c.FailedShare) + thin + "% failed"
	}
	return s
}

// series draws the panels over one time axis.
func (b *htmlBuilder) series(v *Variant) []htmlpage.Figure {
	panels := Panels(b.r, v)
	_, windows := FaultWindows(b.r, v)
	step, end := float64(v.Series.IntervalS), End(b.r, v)
	out := make([]htmlpage.Figure, 0, len(panels))
	for i := range panels {
		p := &panels[i]
		f := htmlpage.Figure{ID: fmt.Sprintf("%s-t%d", b.id, i+1), Title: htmlText(p.Name), Note: htmlText(p.Note), Empty: p.Empty}
		if len(p.Lines) == 0 {
			out = append(out, f)
			continue
		}
		f.Empty = ""
		chart := htmlpage.Chart{Kind: htmlpage.KindTime, Unit: panelUnit(p.Unit), Log: p.Log, Step: step, End: end}
		for k := range p.Lines[0].Values {
			chart.X = append(chart.X, (float64(k)+0.5)*step)
		}
		colour := 0
		for _, l := range p.Lines {
			line := htmlpage.Line{Name: htmlText(l.Name), Colour: colour, Dash: colour, Faint: l.Bound, Values: numList(l.Values)}
			if !l.Bound {
				colour++
			}
			chart.Lines = append(chart.Lines, line)
		}
		for _, w := range windows {
			chart.Shades = append(chart.Shades, htmlpage.Shade{Name: w.Mark, From: w.From, To: w.To})
		}
		f.Chart, f.Summary, f.Data = b.add(chart), htmlText(p.summary(step)), p.table(step)
		out = append(out, f)
	}
	return out
}

// panelUnit names a unit for the script.
func panelUnit(u Unit) string {
	switch u {
	case UnitShare:
		return "share"
	case UnitTime:
		return "s"
	}
	return ""
}

func (p *Panel) form(x float64) string {
	switch {
	case math.IsNaN(x):
		return none
	case p.Unit == UnitShare:
		return formPercent(x)
	}
	return form3(x)
}

// summary tells what a picture shows at a glance: of each line the mean, the highest and when that was.
func (p *Panel) summary(step float64) string {
	parts := make([]string, 0, len(p.Lines))
	for _, l := range p.Lines {
		n, top := 0, 0
		for i, x := range l.Values {
			if math.IsNaN(x) {
				continue
			}
			n++
			if !(l.Values[top] >= x) {
				top = i
			}
		}
		if n == 0 {
			continue
		}
		unit := map[Unit]string{UnitShare: thin + "%", UnitTime: thin + "s"}[p.Unit]
		parts = append(parts, fmt.Sprintf("%s mean %s%s, highest %s%s at %s", l.Name, p.form(total(l.Values)/float64(n)), unit,
			p.form(l.Values[top]), unit, formClock(float64(top)*step)))
	}
	return p.Name + ", " + p.Note + ": " + strings.Join(parts, "; ")
}

// panelRows is about how many rows the table of a panel has.
const panelRows = 24

// table is the panel in numbers, several intervals to a row.
func (p *Panel) table(step float64) *htmlpage.Table {
	n := len(p.Lines[0].Values)
	each := max(1, (n+panelRows-1)/panelRows)
	how := "means"
	if p.Worst {
		how = "the highest value"
	}
	s := section{label: p.Name, aside: fmt.Sprintf("%s; each row is %s, %s", p.Note, formSpan(float64(each)*step), how), grid: &grid{cols: []column{{head: "from", text: true}}}}
	for _, l := range p.Lines {
		head := l.Name
		switch p.Unit {
		case UnitShare:
			head += " %"
		case UnitTime:
			head += " s"
		}
		s.grid.cols = append(s.grid.cols, column{head: head})
	}
	for i := 0; i < n; i += each {
		row := []string{formClock(float64(i) * step)}
		for _, l := range p.Lines {
			part := l.Values[i:min(i+each, len(l.Values))]
			x := highest(part)
			if !p.Worst && !math.IsNaN(x) {
				x = total(part) / float64(len(part))
			}
			row = append(row, p.form(x))
		}
		s.grid.add(row...)
	}
	return htmlTable(&s)
}

// timeNote says what all series have in common.
func (b *htmlBuilder) timeNote(v *Variant) string {
	if v.Series.IntervalS <= 0 || len(v.Series.Columns) == 0 || len(v.Series.Columns[0].Values) == 0 {
		return ""
	}
	s := "One value per " + formSpan(float64(v.Series.IntervalS)) + ", over the whole run"
	if w := b.r.Scenario.WarmupS; w > 0 {
		s += ", warm-up (" + formSpan(float64(w)) + ") included"
	}
	if len(v.Replications) > 1 {
		s += fmt.Sprintf("; of the first replication, seed %d", v.Replications[0].Seed)
	}
	return s + "."
}

// faults is the key to the shaded windows.
func (b *htmlBuilder) faults(v *Variant) htmlpage.Block {
	marks, _ := FaultWindows(b.r, v)
	if len(marks) == 0 {
		return htmlpage.Block{}
	}
	s := section{label: "Scripted faults", aside: "shaded in the charts under their letter", grid: &grid{cols: []column{
		{head: "mark", text: true},
		{head: "fault", text: true},
		{head: "kind", text: true},
		{head: "when", text: true},
		{head: "models", text: true},
		{head: "keys", text: true},
	}}}
	names := func(list []string) string {
		if list == nil {
			return "all"
		}
		out := make([]string, len(list))
		for i, n := range list {
			out[i] = shorten(clean(n), nameLong)
		}
		return shorten(strings.Join(out, ", "), exprLong)
	}
	for _, m := range marks {
		f := m.Fault
		when := formClock(float64(f.FromS)) + " to " + formClock(float64(f.ToS))
		if f.EveryS > 0 {
			when += ", every " + formSpan(float64(f.EveryS))
		}
		mark := m.Mark
		if mark == "" {
			mark, when = "not shaded", "all the time"
		}
		s.grid.add(mark, shorten(clean(f.Name), nameLong), clean(f.Kind), when, names(f.Models), names(f.Keys))
	}
	return htmlpage.Block{Table: htmlTable(&s)}
}

package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	stdfont "golang.org/x/image/font"

	"github.com/seed-4fd17b57/simload/report"
)

// Colours of a picture, which are those of the page's light theme.
var (
	ink    = color.NRGBA{0x16, 0x19, 0x1d, 0xff}
	soft   = color.NRGBA{0x54, 0x5d, 0x68, 0xff}
	rule   = color.NRGBA{0xe6, 0xe9, 0xed, 0xff}
	shade  = color.NRGBA{0x78, 0x64, 0x28, 0x24}
	pass   = color.NRGBA{0x0b, 0x6b, 0x3a, 0xff}
	fail   = color.NRGBA{0xb3, 0x26, 0x1e, 0xff}
	warn   = color.NRGBA{0x8a, 0x53, 0x00, 0xff}
	series = []color.NRGBA{
		{0x0b, 0x62, 0xa8, 0xff},
		{0xc2, 0x41, 0x0c, 0xff},
		{0x0f, 0x7a, 0x5a, 0xff},
		{0x9c, 0x2f, 0x84, 0xff},
		{0x7a, 0x62, 0x00, 0xff},
		{0x47, 0x55, 0x69, 0xff},
	}
	dashes = [][]vg.Length{nil, {6, 3}, {1.5, 2}, {7, 2, 1.5, 2}, {3.5, 3.5}, {10, 3}}
)

func verdictColour(word string) color.Color {
	switch word {
	case "PASS":
		return pass
	case "FAIL", "INVALID":
		return fail
	}
	return warn
}

func textStyle(size vg.Length, bold bool, c color.Color) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = stdfont.WeightBold
	}
	return text.Style{Font: f, Color: c, Handler: text.Plain{Fonts: font.DefaultCache}}
}

// chart is a plot with its title and key over it.
type chart struct {
	*plot.Plot
	title, note string
	key         []entry
}

// entry is a line of the key.
type entry struct {
	name string
	draw.LineStyle
}

// sample is how long the line of an entry is, and samplePad the space around it.
const (
	sample    = vg.Length(18)
	samplePad = vg.Length(4)
)

// draw draws the plot, and over it, within the cell, title and key on one line. The note gives way
// when there is no room for it, and then the key's last entries.
func (h *chart) draw(at draw.Canvas, cell vg.Rectangle) {
	h.Plot.Draw(at)
	title, note, key := textStyle(9.5, true, ink), textStyle(9, false, soft), textStyle(8.5, false, ink)
	y := cell.Max.Y + 16
	at.FillText(title, vg.Point{X: cell.Min.X, Y: y}, h.title)
	from, to := cell.Min.X+title.Width(h.title)+6, cell.Max.X
	entries := h.key
	width := func() vg.Length {
		sum := vg.Length(0)
		for _, e := range entries {
			sum += key.Width(e.name) + sample + 3*samplePad
		}
		return sum
	}
	for len(entries) > 0 && from+width() > to {
		entries = entries[:len(entries)-1]
	}
	if from+note.Width(h.note)+width() < to {
		at.FillText(note, vg.Point{X: from, Y: y}, h.note)
	}
	x := to - width()
	for _, e := range entries {
		x += 2 * samplePad
		at.StrokeLine2(e.LineStyle, x, y+3, x+sample, y+3)
		x += sample + samplePad
		at.FillText(key, vg.Point{X: x, Y: y}, e.name)
		x += key.Width(e.name)
	}
}

// empty is a plot without lines.
func empty() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Legend.TextStyle = textStyle(8.5, false, ink)
	p.Legend.ThumbnailWidth = 22
	p.Legend.Padding = 2
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Width = 0
		a.Tick.LineStyle.Width = 0
		a.Tick.Length = 0
		a.Tick.Label = textStyle(8.5, false, soft)
		a.Padding = 4
	}
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XCenter, text.YTop
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = text.XRight, text.YCenter
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: rule, Width: 0.7}
	grid.Vertical = grid.Horizontal
	p.Add(grid)
	return p
}

// style is that of line i; a bound is thinner and dotted.
func style(i int, bound bool) draw.LineStyle {
	s := draw.LineStyle{Color: series[i%len(series)], Width: 1.4, Dashes: dashes[i%len(dashes)]}
	if bound {
		s.Width, s.Dashes = 1, []vg.Length{3, 3}
	}
	return s
}

// curves draws the percentiles of each variant, all on the same scales.
func (b *band) curves(c draw.Canvas) {
	n := len(b.variants)
	low, high, deep := math.Inf(1), 0.0, 100.0
	all := make([][]report.Curve, n)
	for i, v := range b.variants {
		all[i] = report.Curves(v)
		for _, curve := range all[i] {
			for _, p := range curve.Points {
				if p.Seconds > 0 {
					low, high, deep = min(low, p.Seconds), max(high, p.Seconds), max(deep, p.Depth)
				}
			}
		}
	}
	if high == 0 {
		return
	}
	low, high = snug(low, high)
	charts, plots := make([]chart, n), [][]*plot.Plot{make([]*plot.Plot, n)}
	for i := range all {
		p := empty()
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker, p.Y.Tick.Marker = depths{}, decades{}
		for k, curve := range all[i] {
			b.curve(p, k, &curve)
		}
		p.Legend.Top, p.Legend.Left, p.Legend.XOffs, p.Legend.YOffs = true, true, 6, -4
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, deep, low, high
		charts[i] = chart{Plot: p, title: "Latency", note: "seconds, by percentile; failures are worse than all"}
		plots[0][i] = p
	}
	tiles := draw.Tiles{Rows: 1, Cols: n, PadX: gap, PadTop: headRoom}
	for i, at := range plot.Align(plots, tiles, c)[0] {
		cell := tiles.At(c, i, 0)
		charts[i].draw(at, vg.Rectangle{Min: cell.Min, Max: cell.Max})
	}
}

// curve adds one curve, and where it leaves the plot because the rest failed.
func (b *band) curve(p *plot.Plot, k int, curve *report.Curve) {
	var points plotter.XYs
	for _, at := range curve.Points {
		if at.Seconds > 0 {
			points = append(points, plotter.XY{X: at.Depth, Y: at.Seconds})
		}
	}
	if len(points) == 0 {
		return
	}
	line := &plotter.Line{XYs: points, LineStyle: style(k, false)}
	name := curve.Name
	if curve.FailedShare > 0 {
		name += ", " + report.ShareLabel(curve.FailedShare) + " failed"
		p.Add(exit{points[len(points)-1], line.LineStyle})
	}
	p.Add(line)
	p.Legend.Add(name, line)
}

// panel is one time series panel, up to the highest value of its row.
func (b *band) panel(panel *report.Panel, v *report.Variant, high float64) *chart {
	p := empty()
	h := &chart{Plot: p, title: panel.Name, note: panel.Note}
	_, windows := report.FaultWindows(b.r, v)
	p.Add(faults(windows))
	step, end := float64(v.Series.IntervalS), report.End(b.r, v)
	scale := 1.0
	if panel.Unit == report.UnitShare {
		scale = 100
	}
	colour := 0
	for _, l := range panel.Lines {
		s := style(colour, l.Bound)
		for _, points := range pieces(l.Values, step, scale) {
			p.Add(&plotter.Line{XYs: points, LineStyle: s})
		}
		if len(panel.Lines) > 1 {
			h.key = append(h.key, entry{l.Name, s})
		}
		if !l.Bound {
			colour++
		}
	}
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, end, clock{}
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, high*scale*1.12, numbers{}
	if high == 0 {
		p.Y.Max = 1
	}
	return h
}

// pieces cuts a series at its gaps; points are in the middle of their intervals.
func pieces(values []float64, step, scale float64) []plotter.XYs {
	var out []plotter.XYs
	var now plotter.XYs
	for i, x := range values {
		if math.IsNaN(x) {
			if now != nil {
				out = append(out, now)
			}
			now = nil
			continue
		}
		now = append(now, plotter.XY{X: (float64(i) + 0.5) * step, Y: x * scale})
	}
	if now != nil {
		out = append(out, now)
	}
	return out
}

// exit marks where a curve leaves the plot.
type exit struct {
	at    plotter.XY
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (e exit) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	x, y := tx(e.at.X), ty(e.at.Y)
	line := e.style
	line.Dashes = nil
	c.StrokeLine2(line, x, y, x, c.Max.Y-6)
	c.SetColor(e.style.Color)
	var head vg.Path
	head.Move(vg.Point{X: x, Y: c.Max.Y})
	head.Line(vg.Point{X: x - 3.5, Y: c.Max.Y - 7})
	head.Line(vg.Point{X: x + 3.5, Y: c.Max.Y - 7})
	head.Close()
	c.Fill(head)
}

// faults shades the windows of scripted faults, with their letters above.
type faults []report.Window

// Plot implements plot.Plotter.
func (f faults) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	label := textStyle(7.5, true, soft)
	label.XAlign = text.XCenter
	last := vg.Length(-100)
	for _, w := range f {
		from := tx(w.From)
		to := max(tx(w.To), from+1.5)
		c.SetColor(shade)
		c.Fill(vg.Rectangle{Min: vg.Point{X: from, Y: c.Min.Y}, Max: vg.Point{X: to, Y: c.Max.Y}}.Path())
		if middle := (from + to) / 2; middle-last > 7 || last-middle > 7 {
			c.FillText(label, vg.Point{X: middle, Y: c.Max.Y + 1}, w.Mark)
			last = middle
		}
	}
}

package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/seed-4fd17b57/simload/report"
)

// Sizes of a picture, in points.
const (
	margin       = vg.Length(16)
	headHeight   = vg.Length(48)
	curveHeight  = vg.Length(240)
	panelHeight  = vg.Length(150)
	nameHeight   = vg.Length(22)
	headRoom     = vg.Length(30) // over each chart, for its title and the letters of faults
	gap          = vg.Length(14)
	columnWidth  = vg.Length(340)
	oneWidth     = vg.Length(760) // of a single variant, whose panels stand in two columns
	variantsMost = 4
)

// panelsShown is how many time series a picture shows.
const panelsShown = 4

// band is one report's part of a picture.
type band struct {
	r        *report.Report
	variants []*report.Variant
	left     int // variants that the picture has no room for
	rows     [][]panelSet
}

// panelSet is the same panel of all variants, nil where one has nothing to show.
type panelSet []*report.Panel

// Render draws reports below each other as one SVG picture.
func Render(w io.Writer, rs []*report.Report) error {
	if len(rs) == 0 {
		return errors.New("drawing a picture: there is no report")
	}
	bands := make([]band, len(rs))
	width, height := vg.Length(0), margin
	for i, r := range rs {
		r, err := report.Canonical(r) // a picture of the file is the same
		if err != nil {
			return fmt.Errorf("drawing a picture: %w", err)
		}
		bands[i] = newBand(r)
		width, height = max(width, bands[i].width()), height+bands[i].height()+margin
	}
	c := vgsvg.NewWith(vgsvg.UseWH(width+2*margin, height))
	dc := draw.New(c)
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	top := dc.Max.Y - margin
	for i := range bands {
		b := &bands[i]
		part := draw.Canvas{Canvas: dc.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: margin, Y: top - b.height()}, Max: vg.Point{X: margin + b.width(), Y: top},
		}}
		b.draw(part)
		top -= b.height() + margin
	}
	var svg bytes.Buffer
	if _, err := c.WriteTo(&svg); err != nil {
		return fmt.Errorf("drawing a picture: %w", err)
	}
	if _, err := w.Write(finished(svg.Bytes(), bands)); err != nil {
		return fmt.Errorf("writing a picture: %w", err)
	}
	return nil
}

// finished gives the picture a title for those who cannot see it, and fonts that every browser has: Arial
// is as wide as Liberation Sans, which the text was measured with.
func finished(svg []byte, bands []band) []byte {
	title := "simload: "
	for i := range bands {
		h := report.HeadingOf(bands[i].r)
		if i > 0 {
			title += "; "
		}
		title += h.Name + ", " + h.Verdict + ", " + strings.Join(h.Facts, ", ")
	}
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans"), []byte("font-family:Arial,Helvetica,Liberation Sans,sans-serif"))
	at := bytes.Index(svg, []byte("<svg "))
	end := at + bytes.IndexByte(svg[at:], '>')
	var out bytes.Buffer
	out.Write(svg[:end])
	out.WriteString(` role="img">` + "\n<title>" + escape(title) + "</title>")
	out.Write(svg[end+1:])
	return out.Bytes()
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escape(s string) string { return escapes.Replace(s) }

func newBand(r *report.Report) band {
	b := band{r: r}
	for i := range r.Variants {
		if i == variantsMost {
			b.left = len(r.Variants) - i
			break
		}
		b.variants = append(b.variants, &r.Variants[i])
	}
	b.rows = b.choose()
	return b
}

// choose picks the time series that have something to show, and sets them in rows: two in a row for one
// variant, else one row for all variants.
func (b *band) choose() [][]panelSet {
	wanted := []string{"Requests", "429s and retries", "In flight", "Queue", "TPM use", "p99"}
	var sets []panelSet
	for _, name := range wanted {
		set, some := make(panelSet, len(b.variants)), false
		for i, v := range b.variants {
			for _, p := range report.Panels(b.r, v) {
				if p.Name == name || strings.HasPrefix(p.Name, name+", ") {
					if len(p.Lines) > 0 {
						set[i], some = &p, true
					}
					break
				}
			}
		}
		if some && len(sets) < panelsShown {
			sets = append(sets, set)
		}
	}
	var rows [][]panelSet
	for i := 0; i < len(sets); {
		n := 1
		if len(b.variants) == 1 {
			n = min(2, len(sets)-i)
		}
		rows = append(rows, sets[i:i+n])
		i += n
	}
	return rows
}

func (b *band) width() vg.Length {
	n := vg.Length(len(b.variants))
	if n <= 1 {
		return oneWidth
	}
	return max(oneWidth, n*columnWidth+(n-1)*gap)
}

func (b *band) height() vg.Length {
	h := headHeight
	if len(b.variants) > 0 {
		h += curveHeight + vg.Length(len(b.rows))*panelHeight
	}
	if len(b.variants) > 1 {
		h += nameHeight
	}
	return h
}

// cut takes a strip off the top of a canvas.
func cut(c *draw.Canvas, height vg.Length) draw.Canvas {
	strip := *c
	strip.Min.Y = c.Max.Y - height
	c.Max.Y = strip.Min.Y
	return strip
}

// column is the i-th of n columns.
func column(c draw.Canvas, i, n int) draw.Canvas {
	each := (c.Max.X - c.Min.X - vg.Length(n-1)*gap) / vg.Length(n)
	c.Min.X += vg.Length(i) * (each + gap)
	c.Max.X = c.Min.X + each
	return c
}

func (b *band) draw(c draw.Canvas) {
	b.head(cut(&c, headHeight))
	n := len(b.variants)
	if n == 0 {
		return
	}
	if n > 1 {
		strip := cut(&c, nameHeight)
		for i, v := range b.variants {
			at := column(strip, i, n)
			at.FillText(textStyle(11, true, ink), vg.Point{X: at.Min.X, Y: at.Min.Y + 8}, report.VariantName(v))
		}
	}
	b.curves(cut(&c, curveHeight))
	b.panels(c)
}

// panels sets the time series in a grid whose plots share their edges.
func (b *band) panels(c draw.Canvas) {
	if len(b.rows) == 0 {
		return
	}
	n := len(b.variants)
	charts := make([][]*chart, len(b.rows))
	plots := make([][]*plot.Plot, len(b.rows))
	for i, row := range b.rows {
		charts[i], plots[i] = make([]*chart, max(n, 2)), make([]*plot.Plot, max(n, 2))
		for k, set := range row {
			high := set.highest()
			for v, p := range set {
				if p != nil {
					at := max(k, v)
					charts[i][at] = b.panel(p, b.variants[v], high)
					plots[i][at] = charts[i][at].Plot
				}
			}
		}
	}
	tiles := draw.Tiles{Rows: len(b.rows), Cols: max(n, 2), PadX: gap, PadY: headRoom, PadTop: headRoom}
	for i, row := range plot.Align(plots, tiles, c) {
		for k, at := range row {
			if charts[i][k] != nil {
				cell := tiles.At(c, k, i)
				charts[i][k].draw(at, vg.Rectangle{Min: cell.Min, Max: cell.Max})
			}
		}
	}
}

// highest is the highest value of a panel in any variant.
func (s panelSet) highest() float64 {
	high := 0.0
	for _, p := range s {
		if p == nil {
			continue
		}
		for _, l := range p.Lines {
			for _, x := range l.Values {
				if !math.IsNaN(x) {
					high = max(high, x)
				}
			}
		}
	}
	return high
}

// head writes what was run, and how it went.
func (b *band) head(c draw.Canvas) {
	h := report.HeadingOf(b.r)
	title := textStyle(15, true, ink)
	y := c.Max.Y - 14
	c.FillText(title, vg.Point{X: c.Min.X, Y: y}, h.Name)
	verdict := textStyle(13, true, verdictColour(h.Verdict))
	c.FillText(verdict, vg.Point{X: c.Min.X + title.Width(h.Name) + 12, Y: y}, h.Verdict)
	facts := strings.Join(h.Facts, " \u00b7 ")
	if b.left > 0 {
		facts += fmt.Sprintf(" \u00b7 %d variants more", b.left)
	}
	c.FillText(textStyle(9.5, false, soft), vg.Point{X: c.Min.X, Y: y - 17}, facts)
}

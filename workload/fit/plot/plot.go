// Package plot draws fits as SVG: quantiles of the data against quantiles of the fit. A good
// fit lies on the diagonal; above it the fit is larger. Start with [Demand] and [Latency].
//
// The same fit gives the same bytes.
package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"

	"github.com/seed-4fd17b57/simload/workload/fit"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	side   = 9 * vg.Centimeter // of one panel
	points = 200               // quantiles drawn
)

// panel is one plot of quantiles.
type panel struct {
	title  string
	sorted [2][]float64 // of the data, of the fit
}

// Demand draws gaps, prompts and answers of a trace and its fit, and the times between the requests of a
// session where there are some. Titles tell the Kolmogorov-Smirnov distances.
func Demand(g *fit.Goodness) ([]byte, error) {
	panels := []panel{
		{title("gaps between arrivals, s", g.GapKS), g.Gaps}, {title("tokens in", g.In.KS), g.In.Sorted}, {title("tokens out", g.Out.KS), g.Out.Sorted},
	}
	if g.Sessions == nil {
		return drawPanels(panels, 3, "trace")
	}
	return drawPanels(append(panels, panel{title("time between requests of a session, s", g.PausesKS), g.Pauses}), 2, "trace")
}

func title(what string, ks float64) string {
	if math.IsNaN(ks) {
		return what
	}
	return fmt.Sprintf("%s (KS %.3f)", what, ks)
}

// Latency draws first token and total time of each model, one model below the other.
func Latency(fits []*fit.Latency) ([]byte, error) {
	var panels []panel
	for _, f := range fits {
		for _, t := range []struct {
			what string
			of   fit.Timing
		}{{"first token, s", f.First}, {"total, s", f.Total}} {
			panels = append(panels, panel{title(strings.TrimSpace(f.Model+" "+t.what), t.of.KS), t.of.Sorted})
		}
	}
	return drawPanels(panels, 2, "measured")
}

// drawPanels puts panels into rows.
func drawPanels(panels []panel, columns int, data string) ([]byte, error) {
	rows := (len(panels) + columns - 1) / columns
	c := vgsvg.New(vg.Length(columns)*side, vg.Length(rows)*side)
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 3 * vg.Millimeter, PadY: 3 * vg.Millimeter, PadTop: 2 * vg.Millimeter, PadRight: 2 * vg.Millimeter, PadLeft: 2 * vg.Millimeter, PadBottom: 2 * vg.Millimeter}
	canvas := draw.New(c)
	for i, of := range panels {
		p, err := quantiles(of, data)
		if err != nil {
			return nil, fmt.Errorf("drawing %s: %w", of.title, err)
		}
		p.Draw(tiles.At(canvas, i%columns, i/columns))
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("writing the plot: %w", err)
	}
	return b.Bytes(), nil
}

// quantiles plots one panel, on logarithmic axes where the data spans more than two decades
// and has no zero.
func quantiles(of panel, data string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.TextStyle.Font.Size = vg.Points(10) // names of models are long
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = of.title, data, "fit"
	if len(of.sorted[0]) == 0 || len(of.sorted[1]) == 0 {
		return p, nil
	}
	xys := make(plotter.XYs, points)
	for i := range xys {
		share := (float64(i) + 0.5) / points
		xys[i] = plotter.XY{X: pick(of.sorted[0], share), Y: pick(of.sorted[1], share)}
	}
	low := min(xys[0].X, xys[0].Y)
	high := max(xys[points-1].X, xys[points-1].Y)
	if low > 0 && high > 100*low {
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	}
	if high == low {
		high = math.Nextafter(low, math.Inf(1)) + 1
	}
	dots, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, err
	}
	dots.Radius, dots.Shape, dots.Color = vg.Points(1.6), draw.CircleGlyph{}, color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	diagonal, err := plotter.NewLine(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}})
	if err != nil {
		return nil, err
	}
	diagonal.Color = color.Gray{Y: 0x99}
	p.Add(diagonal, dots)
	return p, nil
}

// pick is the value at a share of a sorted sample.
func pick(sorted []float64, share float64) float64 {
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

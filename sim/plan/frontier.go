package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// gridChunk is how many points of a grid are run at a time: their scenarios are in memory together.
const gridChunk = 256

// frontier runs the grid of two axes for a variant.
func (w *sweep) frontier(s *subject) (Frontier, error) {
	f := Frontier{Variant: s.name, Rows: []FrontierRow{}, Points: []Point{}}
	first, second := &w.axes[0], &w.axes[1]
	cells := make([]cell, 0, len(first.Values)*len(second.Values))
	for i := range first.Values {
		for j := range second.Values {
			cells = append(cells, cell{w.at(nil, []int{i, j}), s})
		}
	}
	w.begin(searchPhase(s))
	points := make([]*Point, 0, len(cells))
	var failed error
	for from := 0; from < len(cells) && failed == nil; from += gridChunk {
		part := cells[from:min(from+gridChunk, len(cells))]
		out, err := w.evaluate(part)
		points, failed = append(points, out...), err
		for k := range part {
			part[k].point.unload(w.Plan)
		}
	}
	for _, p := range points {
		f.Points = append(f.Points, *p)
	}
	if failed != nil {
		f.Sentence = "interrupted before the grid was whole"
		return f, failed
	}
	f.Monotone = Monotone{OK: true, Scanned: true, Notes: []string{}}
	if err := w.rows(&f, s, points); err != nil {
		return f, err
	}
	f.Cheapest = w.cheapest(&f)
	f.Sentence = w.frontierText(&f)
	if f.Cheapest == nil || !w.cfg.Sensitivity {
		return f, nil
	}
	at := f.Rows[*f.Cheapest].Point
	f.Sensitivity, failed = w.changed(cells[at].point, points[at], s)
	return f, failed
}

// cheapest is the row of the frontier whose point costs least in a month; where one axis is of demand, of those that carry the
// most. Of equal ones it is the first. Nil: nothing passes.
func (w *sweep) cheapest(f *Frontier) *int {
	carries := func(r *FrontierRow) int { // how far along the axis of demand
		for i, value := range []string{r.First, r.Second} {
			if w.axes[i].demand() {
				return slices.Index(w.axes[i].Values, value)
			}
		}
		return 0
	}
	best := -1
	for i := range f.Rows {
		r := &f.Rows[i]
		if r.Second == "" {
			continue
		}
		if best >= 0 {
			b := &f.Rows[best]
			if order := cmp.Or(cmp.Compare(carries(b), carries(r)), cmp.Compare(f.Points[r.Point].Cost.MonthUSD, f.Points[b.Point].Cost.MonthUSD)); order >= 0 {
				continue
			}
		}
		best = i
	}
	if best < 0 {
		return nil
	}
	return &best
}

// rowResult is what is found in a row of the grid.
type rowResult struct {
	row      FrontierRow
	monotone Monotone
	err      error
}

// rows finds the best of the second axis for every value of the first, side by side: the arithmetic beside each point takes longer
// than all else once the runs are there.
func (w *sweep) rows(f *Frontier, s *subject, points []*Point) error {
	width := len(w.axes[1].Values)
	found := make([]rowResult, len(w.axes[0].Values))
	sim.Sweep(len(found), func(i int) rowResult {
		return w.row(s, i, points[i*width:(i+1)*width])
	}, func(i int, r rowResult) { found[i] = r })
	for i := range found {
		r := &found[i]
		if r.err != nil {
			return r.err
		}
		f.Rows = append(f.Rows, r.row)
		f.Monotone.Points += r.monotone.Points
		for _, n := range r.monotone.Notes {
			f.Monotone.note("at %s: %s", w.axes[0].set(i), n)
		}
	}
	for i, p := range points {
		f.Points[i].Static = p.Static
	}
	return nil
}

// row finds the best of the second axis for value i of the first, and sets the arithmetic beside the row's points.
func (w *sweep) row(s *subject, i int, points []*Point) rowResult {
	second := &w.axes[1]
	q := w.newSearch(s, []string{w.axes[0].set(i)}, second)
	for j, p := range points {
		q.tried[q.index(j)] = p // index is its own inverse
	}
	r := FrontierRow{First: w.axes[0].Values[i]}
	pos, before := q.boundary()
	most := pos
	switch {
	case pos < 0:
		r.Status, most = Unattainable, q.best(materialFall)
	case before >= 0 && q.tried[before].soft():
		r.Status, r.Second = Uncertain, q.value(pos)
	default:
		r.Status, r.Second = Found, q.value(pos)
	}
	r.Point = i*len(second.Values) + q.index(most)
	a := Answer{Value: r.Second}
	if err := q.static(&a, most); err != nil {
		return rowResult{err: err}
	}
	r.Static = a.Static.Value
	b, err := q.built(q.at(most), s)
	if err != nil {
		return rowResult{err: err}
	}
	r.Resources = resources(q.tried[most], b)
	return rowResult{row: r, monotone: q.monotone(true)}
}

// frontierText names the ends of the frontier.
func (w *sweep) frontierText(f *Frontier) string {
	who := ""
	if f.Variant != "base" {
		who = f.Variant + ": "
	}
	var rows []FrontierRow
	for _, r := range f.Rows {
		if r.Second != "" {
			rows = append(rows, r)
		}
	}
	end := func(r FrontierRow) string {
		return w.axes[0].noun(r.First) + " with " + w.axes[1].noun(r.Second)
	}
	if len(rows) == 0 {
		best := f.Rows[0]
		for _, r := range f.Rows {
			if f.Points[r.Point].Margin.Mean > f.Points[best.Point].Margin.Mean {
				best = r
			}
		}
		p := &f.Points[best.Point]
		best.Second = p.Values[1]
		return fmt.Sprintf("%snot attainable: no point of the grid is sure to meet the objectives; the nearest to it is %s (%d of %d runs meet them, %s), bound by %s",
			who, end(best), p.Met, p.Reps, pointText(p), p.Bound)
	}
	meet := "meet"
	if len(rows) == 1 {
		meet = "meets"
	}
	s := fmt.Sprintf("%s%d of %d values of %s %s the objectives: %s", who, len(rows), len(f.Rows), w.axes[0].Name(), meet, end(rows[0]))
	if len(rows) > 1 {
		s += ", to " + end(rows[len(rows)-1])
	}
	unsure := 0
	for _, r := range rows {
		if r.Status == Uncertain {
			unsure++
		}
	}
	if unsure > 0 {
		s += fmt.Sprintf("; at %d of them it depends on the seed whether one less is enough", unsure)
	}
	if c := f.Rows[*f.Cheapest]; f.Points[c.Point].Cost.MonthUSD > 0 {
		s += fmt.Sprintf("; the cheapest is %s (USD %s a month)", end(c), report.FormMoney(float64(f.Points[c.Point].Cost.MonthUSD)))
	}
	return s
}

package report

import (
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report/htmlpage"
)

// sideTable sets the figures of the variants side by side; each variant after the first has its
// ratio to the first, and the interval of that, in columns of their own.
func sideTable(r *Report) *htmlpage.Table {
	compared := r.compared()
	paired := slices.ContainsFunc(compared, func(c Comparison) bool { return c.N > 1 })
	s := section{label: "Figures", aside: sideSections(r)[0].aside, grid: &grid{cols: []column{{head: "figure", text: true}}}}
	for i := range r.Variants {
		s.grid.cols = append(s.grid.cols, column{head: shorten(clean(r.Variants[i].Name), nameLong)})
		if i > 0 {
			s.grid.cols = append(s.grid.cols, column{head: "ratio"})
		}
		if i > 0 && paired {
			s.grid.cols = append(s.grid.cols, column{head: "95 % interval"})
		}
	}
	for _, f := range sideFigures(r) {
		values, any := f.values(r)
		if !any {
			continue
		}
		row := []string{sideLabel(f.name, f.by)}
		for i, x := range values {
			text := f.form(x)
			row = append(row, text)
			if i == 0 {
				continue
			}
			ratio, interval := "", ""
			if c := f.comparison(compared, &r.Variants[i]); c != nil && text != none {
				ratio, interval = strings.Replace(c.times(), "x", "×", 1), formInterval(float64(c.Low), float64(c.High), form3)
			}
			row = append(row, ratio)
			if paired {
				row = append(row, interval)
			}
		}
		s.grid.add(row...)
	}
	return htmlTable(&s)
}

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// variantLong is the longest name of a variant over a column.
const variantLong = 24

// sideFigure is a figure that is shown side by side.
type sideFigure struct {
	name string // of its metric
	by   By
	form func(float64) string
}

// values returns the figure of each variant; any is false when it is 0 or missing in all.
func (f *sideFigure) values(r *Report) (out []float64, any bool) {
	m, _ := findMetric(f.name)
	for i := range r.Variants {
		x, _ := m.eval(&r.Variants[i], f.by)
		out = append(out, x)
		any = any || x != 0 && !math.IsNaN(x)
	}
	return out, any
}

// sideFigures lists what is shown side by side.
func sideFigures(r *Report) []sideFigure {
	var out []sideFigure
	add := func(form func(float64) string, names ...string) {
		for _, n := range names {
			out = append(out, sideFigure{n, By{}, form})
		}
	}
	u := unitOfLatency(r)
	inUnit := func(s float64) string {
		if math.IsNaN(s) {
			return none
		}
		return u.form(s * 1000)
	}
	whole := func(n float64) string { return formUnit(n, UnitNumber) }
	add(form3, "offered", "throughput")
	add(formSI, "tokens_per_min")
	add(formPercent, "ratio_ok", "ratio_429")
	add(form3, "attempts_per_request")
	add(formPercent, "degraded")
	for _, by := range profilesOf(r) {
		for _, stat := range []string{"p50", "p95", "p99"} {
			out = append(out, sideFigure{stat, by, inUnit})
		}
	}
	if slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.Fairness.Agents > 1 }) {
		add(formIndex, "jain")
		add(inUnit, "starvation")
	}
	add(inUnit, "longest_wait")
	add(whole, "retry_peak")
	add(formPercent, "equal_waits", "backoff_share")
	add(whole, "dead_letters", "rejected", "duplicate_writes")
	add(formMoney, "cost", "cost_per_1000")
	add(formPercent, "wasted_share")
	return out
}

// compared is the report's comparison, made anew when nobody judged it, or a program that did not compare.
func (r *Report) compared() []Comparison {
	if r.Comparison == nil {
		return compareVariants(r)
	}
	return r.Comparison
}

// sideSections set the figures of the variants side by side, each with its ratio to the
// first variant's, and what bound each variant.
func sideSections(r *Report) []section {
	compared := r.compared()
	paired := slices.ContainsFunc(compared, func(c Comparison) bool { return c.N > 1 })
	g := &grid{cols: []column{{head: "figure", text: true}}, repeat: 2}
	for i := range r.Variants {
		g.cols = append(g.cols, column{head: shorten(clean(r.Variants[i].Name), variantLong)})
		if paired && i > 0 {
			g.cols = append(g.cols, column{head: "95 %", drop: 1})
		}
	}
	for _, f := range sideFigures(r) {
		if values, any := f.values(r); any {
			g.add(f.row(r, values, compared, paired)...)
		}
	}
	aside := "with the ratio to the first"
	if paired {
		aside += ": the mean over seeds, and its 95 % interval if there is room"
	}
	u := unitOfLatency(r)
	out := []section{{label: "Side by side", aside: aside + "; latencies in " + u.name, grid: g}}
	for _, s := range []section{{label: "Bound by", lines: boundLines(r)}, {label: "Ratios", lines: ratioNotes(compared)}} {
		if len(s.lines) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// comparison finds that of a variant; nil: there is none.
func (f *sideFigure) comparison(compared []Comparison, v *Variant) *Comparison {
	i := slices.IndexFunc(compared, func(c Comparison) bool { return c.Figure == f.name && c.By == f.by && c.Variant == v.Name })
	if i < 0 {
		return nil
	}
	return &compared[i]
}

// row sets the figure of each variant with its ratio.
func (f *sideFigure) row(r *Report, values []float64, compared []Comparison, paired bool) []string {
	cells := []string{sideLabel(f.name, f.by)}
	for i, x := range values {
		text, interval := f.form(x), ""
		if c := f.comparison(compared, &r.Variants[i]); i > 0 && c != nil && text != none {
			// Ratios are as wide as "x0.123", so that both parts stand in columns.
			times := c.times()
			text += "  " + times + strings.Repeat(thin, max(0, 6-len(times)))
			interval = formInterval(float64(c.Low), float64(c.High), form3)
		}
		cells = append(cells, text)
		if paired && i > 0 {
			cells = append(cells, interval)
		}
	}
	return cells
}

// boundLines name what bound each variant.
func boundLines(r *Report) []string {
	var out []string
	for i := range r.Variants {
		if v := &r.Variants[i]; v.Bound.Resource != "" {
			out = append(out, shorten(clean(v.Name), nameLong)+": "+clean(v.Bound.Resource))
		}
	}
	return out
}

// notesShown is how many notes on ratios the page has room for.
const notesShown = 8

// ratioNotes say why ratios or intervals are missing, each with its figures.
func ratioNotes(compared []Comparison) []string {
	var notes []string
	var labels [][]string
	for i := range compared {
		c := &compared[i]
		if c.Note == "" {
			continue
		}
		at := slices.Index(notes, c.Note)
		if at < 0 {
			at = len(notes)
			notes, labels = append(notes, c.Note), append(labels, nil)
		}
		if l := sideLabel(c.Figure, c.By); !slices.Contains(labels[at], l) {
			labels[at] = append(labels[at], l)
		}
	}
	var out []string
	for i, n := range notes {
		if i == notesShown {
			return append(out, fmt.Sprintf("and %d more; all in the JSON", len(notes)-i))
		}
		out = append(out, clean(n)+": "+strings.Join(labels[i], ", "))
	}
	return out
}

var sideLabels = map[string]string{
	"offered": "offered req/s", "throughput": "served req/s", "tokens_per_min": "served tokens/min", "ratio_ok": "ok %",
	"ratio_429": "429 % of attempts", "attempts_per_request": "attempts per request", "degraded": "degraded %",
	"retry_peak": "retry peak in 100 ms", "jain": "Jain's index", "starvation": "longest starvation", "longest_wait": "longest wait",
	"equal_waits": "equal waits %", "backoff_share": "backoff % of time", "dead_letters": "dead letters", "duplicate_writes": "duplicate writes",
	"cost": "cost USD", "cost_per_1000": "USD per 1000", "wasted_share": "wasted %",
}

func sideLabel(name string, by By) string {
	if by.Profile != "" {
		return clean(by.Profile) + " " + clean(name)
	}
	if l := sideLabels[name]; l != "" {
		return l
	}
	return clean(name)
}

// profilesOf lists the profiles of all variants, in the order in which they appear.
func profilesOf(r *Report) []By {
	var out []By
	for i := range r.Variants {
		for _, l := range r.Variants[i].Latency {
			by := By{Profile: l.By.Profile}
			if by.Profile != "" && l.By.Model == "" && l.By.Key == "" && l.Metric == MetricTotal && !slices.Contains(out, by) {
				out = append(out, by)
			}
		}
	}
	return out
}

// replicationSection shows how far the key figures differ between seeds: the mean
// with Student's 95 % interval for it, and the extremes.
func replicationSection(v *Variant) section {
	g := &grid{cols: []column{
		{head: "figure", text: true},
		{head: "mean"},
		{head: "95 % +-"},
		{head: "+- %", drop: 3},
		{head: "least", drop: 1},
		{head: "most", drop: 1},
		{head: "seeds", drop: 2},
	}}
	if len(v.Replications) < 2 {
		return section{grid: g}
	}
	for _, f := range v.Replications[0].Figures {
		if !headFigure(f.Name) {
			continue
		}
		var xs []float64
		for i := range v.Replications {
			if x := figure(&v.Replications[i], f.Name); !math.IsNaN(x) && !math.IsInf(x, 0) {
				xs = append(xs, x)
			}
		}
		if len(xs) == 0 {
			continue
		}
		mean, half := meanInterval(xs)
		relative := none
		if mean != 0 && !math.IsNaN(half) {
			relative = formPercent(half / math.Abs(mean))
		}
		g.add(clean(f.Name), form3(mean), form3(half), relative, form3(slices.Min(xs)), form3(slices.Max(xs)), formCount(int64(len(xs))))
	}
	return section{label: "Replications", aside: "mean over the seeds and its 95 % interval", grid: g}
}

func figure(r *Replication, name string) float64 {
	i := slices.IndexFunc(r.Figures, func(s Share) bool { return s.Name == name })
	if i < 0 {
		return math.NaN()
	}
	return float64(r.Figures[i].Share)
}

// meanInterval returns the mean of independent samples and half the width of
// Student's 95 % confidence interval for it; NaN for a single sample.
func meanInterval(xs []float64) (mean, half float64) {
	n := float64(len(xs))
	for _, x := range xs {
		mean += x / n
	}
	if n < 2 {
		return mean, math.NaN()
	}
	ss := 0.0
	for _, x := range xs {
		ss += (x - mean) * (x - mean)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return mean, t * math.Sqrt(ss/(n-1)/n)
}

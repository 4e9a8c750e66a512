package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// variantLong is the longest name of a variant over a column.
const variantLong = 24

// sideSection sets the key figures of the variants side by side, each with its
// ratio to the first variant's.
func sideSection(r *Report) section {
	g := &grid{cols: []column{{head: "figure", text: true}}, repeat: 2}
	for i := range r.Variants {
		g.cols = append(g.cols, column{head: shorten(clean(r.Variants[i].Name), variantLong)})
	}
	row := func(name string, f func(v *Variant) (float64, string)) {
		cells, any := []string{name}, false
		first := math.NaN()
		for i := range r.Variants {
			value, text := f(&r.Variants[i])
			if i == 0 {
				first = value
			} else if text != none {
				// Ratios are as wide as "x0.123", so that both parts stand in columns.
				times := none
				if !math.IsInf(value, 0) && !math.IsInf(first, 0) {
					times = formTimes(value, first)
				}
				text += "  " + times + strings.Repeat(thin, max(0, 6-len(times)))
			}
			any = any || value != 0 && text != none
			cells = append(cells, text)
		}
		if any {
			g.add(cells...)
		}
	}
	eval := func(name string, by By, form func(float64) string) {
		m, _ := findMetric(name)
		row(sideLabel(name, by), func(v *Variant) (float64, string) {
			value, _ := m.eval(v, by)
			return value, form(value)
		})
	}
	whole := func(n float64) string { return formUnit(n, UnitNumber) }
	eval("offered", By{}, form3)
	eval("throughput", By{}, form3)
	eval("tokens_per_min", By{}, formSI)
	eval("ratio_ok", By{}, formPercent)
	eval("ratio_429", By{}, formPercent)
	eval("attempts_per_request", By{}, form3)
	eval("degraded", By{}, formPercent)
	u := unitOfLatency(r)
	for _, by := range profilesOf(r) {
		for _, stat := range []string{"p50", "p95", "p99"} {
			eval(stat, by, func(s float64) string {
				if math.IsInf(s, 1) {
					return "fail"
				}
				return u.form(s * 1000)
			})
		}
	}
	inUnit := func(s float64) string { return u.form(s * 1000) }
	if slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.Fairness.Agents > 1 }) {
		eval("jain", By{}, formIndex)
		eval("starvation", By{}, inUnit)
	}
	eval("longest_wait", By{}, inUnit)
	eval("retry_peak", By{}, whole)
	eval("equal_waits", By{}, formPercent)
	eval("backoff_share", By{}, formPercent)
	eval("dead_letters", By{}, whole)
	eval("rejected", By{}, whole)
	eval("duplicate_writes", By{}, whole)
	eval("cost", By{}, formMoney)
	eval("cost_per_1000", By{}, formMoney)
	eval("wasted_share", By{}, formPercent)
	return section{label: "Side by side", aside: "with the ratio to the first; latencies in " + u.name, grid: g}
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
		return clean(by.Profile) + " " + name
	}
	if l := sideLabels[name]; l != "" {
		return l
	}
	return name
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

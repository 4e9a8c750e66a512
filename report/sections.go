package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// variantSections are the measurements of one variant.
func variantSections(v *Variant, u latencyUnit) []section {
	var out []section
	put := func(s section, ok bool) {
		if ok {
			out = append(out, s)
		}
	}
	put(boundSection(v), v.Bound.Resource != "")
	s := latencySection(v, u)
	put(s, len(s.grid.rows) > 0)
	s = modelSection(v, u)
	put(s, len(s.grid.rows) > 0)
	s = keySection(v, u)
	put(s, len(s.grid.rows) > 0)
	s = gateSection(v)
	put(s, len(s.grid.rows) > 0)
	s = fairSection(v, u)
	put(s, len(s.grid.rows) > 0)
	s = slowSection(v)
	put(s, len(s.grid.rows) > 0)
	s = replicationSection(v)
	put(s, len(s.grid.rows) > 0)
	put(stackSection(v), true)
	put(costSection(v), v.Cost.Currency != "" || v.Cost.Total != 0)
	s = workerSection(v)
	put(s, len(s.grid.rows) > 0)
	s = alertSection(v)
	put(s, len(s.lines) > 0)
	return out
}

// boundSection names what bound the run and what comes next.
func boundSection(v *Variant) section {
	s := section{label: "Bound by", lines: []string{clean(v.Bound.Resource)}}
	var next []string
	for _, r := range v.Bound.Resources {
		if len(next) < 3 && !strings.HasPrefix(v.Bound.Resource, r.Name) {
			next = append(next, clean(r.Name)+" "+formPercent(float64(r.Share))+thin+"%")
		}
	}
	if next != nil {
		s.lines = append(s.lines, "next: "+strings.Join(next, ", "))
	}
	return s
}

// aside says what counts and money are of several replications.
func (v *Variant) aside() string {
	if v.runs() > 1 {
		return "; counts and money: mean of a run"
	}
	return ""
}

// latencyUnit is what the page's latencies are printed in: milliseconds when all
// their p99s are below a second.
type latencyUnit struct {
	name  string
	perMS float64
}

func unitOfLatency(r *Report) latencyUnit {
	for i := range r.Variants {
		for _, l := range r.Variants[i].Latency {
			if l.Metric == MetricTotal && l.P99MS >= 999.5 {
				return latencyUnit{"seconds", 0.001}
			}
		}
	}
	return latencyUnit{"milliseconds", 1}
}

// form prints a latency; a percentile that is a failure is printed as the word.
func (u latencyUnit) form(ms float64) string {
	if math.IsInf(ms, 1) {
		return "fail"
	}
	if u.perMS < 1 && ms > 0 && ms < 99.95 { // in seconds: whole milliseconds are as exact as it needs to be
		if ms < 1 {
			return "<0.001"
		}
		return strconv.FormatFloat(math.Round(ms)/1000, 'f', 3, 64)
	}
	return form3(ms * u.perMS)
}

// stats prints statistics of a metric in exactly this group; "" where it was not measured.
func (u latencyUnit) stats(v *Variant, metric string, by By, failures bool, names ...string) []string {
	out := make([]string, len(names))
	i := slices.IndexFunc(v.Latency, func(l Latency) bool { return l.Metric == metric && l.By == by })
	if i < 0 {
		return out
	}
	d := distribution{rows: []*Latency{&v.Latency[i]}, n: v.Latency[i].Count}
	if failures {
		d.failures = v.Latency[i].Failures
	}
	if d.n+d.failures == 0 {
		return out
	}
	for j, name := range names {
		out[j] = u.form(d.stat(name))
	}
	return out
}

// latencySection shows who suffers: a row per profile, per class and for all.
func latencySection(v *Variant, u latencyUnit) section {
	g := &grid{cols: []column{
		{head: "profile", text: true},
		{head: "class", text: true, drop: 3},
		{head: "requests", drop: 4},
		{head: "ok %", drop: 2},
		{head: "p50"},
		{head: "p90", drop: 11},
		{head: "p95", drop: 1},
		{head: "p99"},
		{head: "p99.9", drop: 10},
		{head: "max ok", drop: 5},
		{head: "queue p99", drop: 6},
		{head: "backoff p99", drop: 7},
		{head: "first token p99", drop: 8},
		{head: "USD", drop: 9},
	}}
	single := 0
	for _, grp := range v.Groups {
		by := grp.By
		if by.Model != "" || by.Key != "" {
			continue
		}
		name := clean(by.Profile)
		switch {
		case by.Profile != "":
			single++
		case by.Class != "":
			name = "class " + clean(by.Class)
		default:
			name = "all"
		}
		cells := []string{name, "", v.count(grp.Requests), formOK(grp.Succeeded, v.asked(grp.Requests, grp.InFlight))}
		if by.Profile != "" {
			cells[1] = clean(by.Class)
		}
		cells = append(cells, u.stats(v, MetricTotal, by, true, "p50", "p90", "p95", "p99", "p999")...)
		cells = append(cells, u.stats(v, MetricTotal, by, false, "max")...)
		for _, m := range []string{MetricQueue, MetricBackoff, MetricFirstToken} {
			cells = append(cells, u.stats(v, m, by, false, "p99")...)
		}
		money := ""
		if sum, _, note := billOf(v, by); note == "" {
			money = formMoney(v.mean(Num(sum)))
		}
		g.add(append(cells, money)...)
	}
	slices.SortStableFunc(g.rows, func(a, b []string) int { return cmp.Compare(latencyRank(a[0]), latencyRank(b[0])) })
	if single == 1 { // classes and all would repeat it
		g.rows = slices.DeleteFunc(g.rows, func(r []string) bool { return latencyRank(r[0]) > 0 })
	}
	return section{
		label: "Latency", aside: "from the intended start, " + u.name + "; a failure counts as the worst" + v.aside(),
		grid: g,
	}
}

func latencyRank(name string) int {
	switch {
	case name == "all":
		return 2
	case strings.HasPrefix(name, "class "):
		return 1
	}
	return 0
}

func modelSection(v *Variant, u latencyUnit) section {
	g := &grid{cols: []column{
		{head: "model", text: true},
		{head: "requests", drop: 3},
		{head: "429 %"},
		{head: "tokens in", drop: 4},
		{head: "cached %", drop: 6},
		{head: "tokens out", drop: 5},
		{head: "p50", drop: 2},
		{head: "p95", drop: 7},
		{head: "p99"},
		{head: "USD", drop: 1},
		{head: "CNY", drop: 8},
		{head: "wasted USD", drop: 9},
	}}
	for _, grp := range v.Groups {
		if grp.By != (By{Model: grp.By.Model}) || grp.By.Model == "" {
			continue
		}
		limited := ""
		if grp.Attempts > 0 {
			limited = formPercent(float64(grp.HTTP429) / float64(grp.Attempts))
		}
		cached := ""
		if grp.TokensCached > 0 {
			cached = formPercent(float64(grp.TokensCached) / float64(grp.TokensIn))
		}
		cells := []string{
			clean(grp.By.Model), v.count(grp.Requests), limited,
			formSI(v.mean(Num(grp.TokensIn))), cached, formSI(v.mean(Num(grp.TokensOut))),
		}
		cells = append(cells, u.stats(v, MetricTotal, grp.By, true, "p50", "p95", "p99")...)
		sum, wasted, note := billOf(v, grp.By)
		sum, wasted = v.mean(Num(sum)), v.mean(Num(wasted))
		money := []string{"", "", ""}
		if note == "" {
			money[0] = formMoney(sum)
			if v.Cost.CNYPerUSD > 0 {
				money[1] = formMoney(sum * float64(v.Cost.CNYPerUSD))
			}
			if wasted > 0 {
				money[2] = formMoney(wasted)
			}
		}
		g.add(append(cells, money...)...)
	}
	return section{label: "Models", aside: "latency in " + u.name + v.aside(), grid: g}
}

func stackSection(v *Variant) section {
	t, s := &v.Totals, section{label: "Stack"}
	per := ""
	if n := v.asked(t.Requests, t.InFlight); n > 0 {
		per = fmt.Sprintf(" (%.3f per request)", float64(t.Attempts)/float64(n))
	}
	if v.runs() > 1 {
		s.facts = append(s.facts, "mean of a run")
	}
	s.facts = append(s.facts, "attempts "+v.count(t.Attempts)+per)
	count := func(name string, n int64, reasons []Count) {
		if n == 0 {
			return
		}
		var why []string
		for _, r := range reasons {
			why = append(why, clean(r.Name)+" "+v.count(r.N))
		}
		text := name + " " + v.count(n)
		if why != nil {
			text += " (" + strings.Join(why, ", ") + ")"
		}
		s.facts = append(s.facts, text)
	}
	count("retries", t.Retries, nil)
	s.facts = append(s.facts, retryFacts(v)...)
	if t.Fallback1+t.Fallback2+t.Fallback3 > 0 {
		s.facts = append(s.facts, fmt.Sprintf("degraded %s / %s / %s", v.count(t.Fallback1), v.count(t.Fallback2), v.count(t.Fallback3)))
	}
	count("429s", t.HTTP429, nil)
	count("5xx", t.HTTP5xx, nil)
	count("timeouts", t.Timeouts, nil)
	count("rounds abandoned", t.Abandoned, nil)
	count("breaker opened", v.Stack.BreakerOpened, nil)
	count("retries before the time told", t.EarlyRetries, nil)
	s.facts = append(s.facts, "dead letters "+v.count(t.DeadLettered))
	if len(v.Stack.DeadByReason) > 0 {
		s.facts = s.facts[:len(s.facts)-1]
		count("dead letters", t.DeadLettered, v.Stack.DeadByReason)
	}
	count("rejected", t.Rejected, v.Stack.RejectedByReason)
	count("failed", t.Failed, nil)
	count("cancelled", t.Cancelled, nil)
	count("unfinished", t.InFlight, nil)
	count("cache hits", t.CacheHits, nil)
	count("of them wrong", t.CacheWrong, nil)
	if v.Upstream.CommittedWrites > 0 || t.DuplicateWrites > 0 {
		s.facts = append(s.facts, "duplicate writes "+v.count(t.DuplicateWrites)+" (server's books)")
	}
	return s
}

func costSection(v *Variant) section {
	c := &v.Cost
	s := section{label: "Cost"}
	s.facts = append(s.facts, fmt.Sprintf("%s %s (wasted %s)", clean(c.Currency), formMoney(v.mean(c.Total)), formMoney(v.mean(c.Wasted))))
	if v.runs() > 1 {
		s.facts[0] += " a run"
	}
	if c.CNYPerUSD > 0 {
		s.facts = append(s.facts, "CNY "+formMoney(v.mean(c.TotalCNY)))
	}
	if !math.IsNaN(float64(c.Per1000)) && v.Totals.Succeeded > 0 {
		s.facts = append(s.facts, formMoney(float64(c.Per1000))+" "+clean(c.Currency)+" per 1000 succeeded")
	}
	if c.BudgetUSD > 0 {
		s.facts = append(s.facts, "budget "+formPercent(float64(c.BudgetUse))+thin+"% of "+formMoney(float64(c.BudgetUSD))+" USD a month")
	}
	return s
}

// alertsShown is how many alerts the page has room for.
const alertsShown = 6

func alertSection(v *Variant) section {
	s := section{label: "Alerts"}
	if len(v.Replications) > 1 {
		s.aside = fmt.Sprintf("of the first replication, seed %d", v.Replications[0].Seed)
	}
	for i, a := range v.Alerts {
		if i == alertsShown {
			s.lines = append(s.lines, fmt.Sprintf("and %d more; all in the JSON", len(v.Alerts)-i))
			break
		}
		text := clean(a.Text)
		if at := formClock(float64(a.AtS)); at != none {
			text = at + " " + text
		}
		s.lines = append(s.lines, text)
	}
	return s
}

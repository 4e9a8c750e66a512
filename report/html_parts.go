package report

import (
	"math"
	"slices"

	"github.com/seed-4fd17b57/simload/report/htmlpage"
)

// split is the mean latency of a profile's successes, by where it went, in milliseconds.
type split struct {
	name                                            string
	total, queue, backoff, first, generation, other float64
}

// splits returns those of the profiles that succeeded. Means add up: what is left of the total is time in
// which the agent was busy with the request before, and attempts that came to nothing. A part that only some
// successes have (a cached answer has no first token) counts as 0 in the others.
func splits(v *Variant) []split {
	var out []split
	for i := range v.Latency {
		l := &v.Latency[i]
		if l.Metric != MetricTotal || l.By.Profile == "" || l.By.Model != "" || l.By.Key != "" || l.Count == 0 {
			continue
		}
		mean := func(metric string) float64 {
			at := slices.IndexFunc(v.Latency, func(o Latency) bool { return o.Metric == metric && o.By == l.By })
			if at < 0 || v.Latency[at].Count == 0 || math.IsNaN(float64(v.Latency[at].MeanMS)) {
				return 0
			}
			return float64(v.Latency[at].MeanMS) * float64(v.Latency[at].Count) / float64(l.Count)
		}
		s := split{
			name: clean(l.By.Profile), total: float64(l.MeanMS), queue: mean(MetricQueue), backoff: mean(MetricBackoff),
			first: mean(MetricFirstToken), generation: mean(MetricGeneration),
		}
		// Six digits are in the file: less than that is no time.
		if s.other = s.total - s.queue - s.backoff - s.first - s.generation; s.other < s.total*1e-5 {
			s.other = 0
		}
		out = append(out, s)
	}
	return out
}

// partBlocks show the means as bars of one scale, and the percentiles below.
func partBlocks(v *Variant, u latencyUnit) []htmlpage.Block {
	all := splits(v)
	if len(all) == 0 {
		return nil
	}
	longest := 0.0
	for _, s := range all {
		longest = max(longest, s.total, s.queue+s.backoff+s.first+s.generation)
	}
	means := section{label: "Mean latency of successes, which is the sum of its parts", aside: u.name, grid: &grid{cols: []column{
		{head: "profile", text: true},
		{head: "mean"},
		{head: "busy or failed"},
		{head: "queue"},
		{head: "backoff"},
		{head: "first token"},
		{head: "generation"},
	}}}
	for _, s := range all {
		means.grid.add(s.name, u.form(s.total), u.form(s.other), u.form(s.queue), u.form(s.backoff), u.form(s.first), u.form(s.generation))
	}
	t := htmlTable(&means)
	t.Heads = append(t.Heads, htmlpage.Head{})
	copy(t.Heads[2:], t.Heads[1:])
	t.Heads[1] = htmlpage.Head{Name: "in proportion", Text: true}
	for i := range t.Rows {
		t.Rows[i].Cells = slices.Insert(t.Rows[i].Cells, 1, htmlpage.Cell{Spans: all[i].spans(longest)})
	}
	key := []htmlpage.Swatch{
		{Class: "rest", Text: "agent busy before, or failed attempts"},
		{Class: "queue", Text: "queue"},
		{Class: "backoff", Text: "backoff"},
		{Class: "first", Text: "to the first token"},
		{Class: "generation", Text: "generation"},
	}
	return []htmlpage.Block{{Key: key}, {Table: t}, {Table: partPercentiles(v, u)}}
}

func (s *split) spans(longest float64) []htmlpage.Span {
	var out []htmlpage.Span
	x := 0.0
	for _, p := range []struct {
		class string
		ms    float64
	}{{"rest", s.other}, {"queue", s.queue}, {"backoff", s.backoff}, {"first", s.first}, {"generation", s.generation}} {
		if w := p.ms / longest * 100; w > 0 {
			out = append(out, htmlpage.Span{X: x, W: w, Class: p.class, Title: p.class})
			x += w
		}
	}
	return out
}

// partPercentiles are those of each part by itself.
func partPercentiles(v *Variant, u latencyUnit) *htmlpage.Table {
	s := section{
		label: "Percentiles of each part by itself", aside: u.name + "; they do not add up: the request that waits longest is seldom the one that generates longest",
		grid: &grid{cols: []column{
			{head: "profile", text: true},
			{head: "queue p50"},
			{head: "queue p99"},
			{head: "backoff p50"},
			{head: "backoff p99"},
			{head: "first token p50"},
			{head: "first token p99"},
			{head: "generation p50"},
			{head: "generation p99"},
		}},
	}
	for i := range v.Latency {
		l := &v.Latency[i]
		if l.Metric != MetricTotal || l.By.Profile == "" || l.By.Model != "" || l.By.Key != "" || l.Count == 0 {
			continue
		}
		row := []string{clean(l.By.Profile)}
		for _, m := range []string{MetricQueue, MetricBackoff, MetricFirstToken, MetricGeneration} {
			row = append(row, u.stats(v, m, l.By, false, "p50", "p99")...)
		}
		s.grid.add(row...)
	}
	return htmlTable(&s)
}

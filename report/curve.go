package report

import (
	"math"
	"slices"
)

// Curve is a latency distribution, from the intended instant, as rising percentiles.
// A failure is worse than any success, so a curve ends where the failures begin.
type Curve struct {
	Name   string // profile, "class P1" or "all", fit to be printed
	By     By
	Points []CurvePoint
	// FailedShare is the share of requests, 0..1, that failed: the curve leaves at 1 less this.
	FailedShare float64
	Estimated   bool // the file holds no histogram of the group

	of distribution
}

// CurvePoint is one percentile. Depth is 1/(1-q): 1, 10, 100 are the least, p90 and p99, so that
// equal distances on a logarithmic scale are equal factors of rarity.
type CurvePoint struct {
	Depth, Seconds float64
}

// Curves are drawn at curveSteps points a decade, over curveDecades of depth.
const (
	curveSteps   = 20
	curveDecades = 5
)

// CurveDepth returns the depth of point i of every curve.
func CurveDepth(i int) float64 { return math.Pow(10, float64(i)/curveSteps) }

// Curves returns those of a variant: each profile, then classes of several profiles, then, of several
// profiles, all. Groups without requests have none.
func Curves(v *Variant) []Curve {
	var profiles, classes, all []Curve
	members := map[string]int{}
	for i := range v.Latency {
		l := &v.Latency[i]
		if l.Metric != MetricTotal || l.By.Model != "" || l.By.Key != "" {
			continue
		}
		c := v.curve(l)
		switch {
		case len(c.Points) == 0 && c.FailedShare == 0:
		case l.By.Profile != "":
			c.Name = clean(l.By.Profile)
			members[l.By.Class]++
			profiles = append(profiles, c)
		case l.By.Class != "":
			c.Name = "class " + clean(l.By.Class)
			classes = append(classes, c)
		default:
			c.Name = "all"
			all = append(all, c)
		}
	}
	if len(profiles) < 2 {
		return profiles
	}
	classes = slices.DeleteFunc(classes, func(c Curve) bool { return members[c.By.Class] < 2 })
	return slices.Concat(profiles, classes, all)
}

// curve reads the percentiles of a row, from its histogram or, of a class, those of its profiles.
func (v *Variant) curve(l *Latency) Curve {
	d := distribution{rows: []*Latency{l}, n: l.Count, failures: l.Failures}
	if l.HDR == "" {
		parts := distribution{n: l.Count, failures: l.Failures}
		for i := range v.Latency {
			p := &v.Latency[i]
			if p.Metric == l.Metric && p.By.Profile != "" && p.By.Class == l.By.Class && p.By.Model == "" && p.By.Key == "" {
				parts.rows = append(parts.rows, p)
			}
		}
		if h := parts.histogram(); h != nil && h.TotalCount() == l.Count {
			d = parts
		}
	}
	c := Curve{By: l.By, of: d}
	all := d.n + d.failures
	if all == 0 {
		return c
	}
	c.FailedShare = float64(d.failures) / float64(all)
	c.Estimated = c.of.histogram() == nil
	for i := range curveSteps*curveDecades + 1 {
		depth := CurveDepth(i)
		// The last point is that of the slowest but one in depth: beyond it nothing is known.
		if depth > float64(all) && i > 0 {
			break
		}
		ms := c.percentile(100 - 100/depth)
		if math.IsNaN(ms) || math.IsInf(ms, 0) {
			break
		}
		c.Points = append(c.Points, CurvePoint{Depth: depth, Seconds: ms / 1000})
	}
	return c
}

// percentile is in milliseconds; infinite where it is a failure. The row's own percentiles are few, and the
// histogram knows what is between them.
func (c *Curve) percentile(percent float64) float64 {
	if rank := rankOf(percent, c.of.n+c.of.failures); rank <= c.of.n && !c.Estimated {
		return c.of.fromHistogram(rank)
	}
	return c.of.percentile(percent)
}

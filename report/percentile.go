package report

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// distribution is the latency of a group of requests: successes with their
// latencies, and failures, each of which is worse than any success. So a
// percentile whose rank falls among the failures is infinite, and so are the
// maximum and the mean as soon as there is one failure.
//
// Ranks are those of rankOf, over both.
type distribution struct {
	rows     []*Latency
	n        int64 // successes
	failures int64
	hist     *hdrhistogram.PackedHistogram
	read     bool // hist has been tried
	// estimated is set when a percentile had to be guessed from a row without a histogram.
	estimated bool
}

// latencyOf returns the distribution of a metric in a group; the note says why there is none.
func (v *Variant) latencyOf(name string, by By, failures bool) (distribution, string) {
	of := make([]Latency, 0, len(v.Latency))
	for _, l := range v.Latency {
		if l.Metric == name {
			of = append(of, l)
		}
	}
	rows, note := pick(of, func(l *Latency) By { return l.By }, by)
	d := distribution{rows: rows}
	for _, l := range rows {
		d.n += l.Count
		if failures {
			d.failures += l.Failures
		}
	}
	return d, note
}

// failureNote begins the note of a latency that is a failure. Files cannot hold its
// value, which is infinite; by this they are told apart from those without a value.
const failureNote = "a failure is the worst latency"

func latencySeconds(v *Variant, by By, name, stat string, failures bool) (float64, string) {
	d, note := v.latencyOf(name, by, failures)
	if note != "" {
		return math.NaN(), note
	}
	ms := d.stat(stat)
	switch {
	case d.n+d.failures == 0:
		return math.NaN(), "no requests"
	case math.IsNaN(ms):
		return ms, "rows without histograms cannot be merged"
	case math.IsInf(ms, 1):
		return ms, fmt.Sprintf(failureNote+", and %d of %d requests failed or never ended", d.failures, d.n+d.failures)
	}
	if d.estimated {
		return ms / 1000, "estimated, since the report holds no histogram of this group"
	}
	return ms / 1000, ""
}

// stat returns a statistic in milliseconds: NaN when there is none, +Inf when it is a failure.
func (d *distribution) stat(name string) float64 {
	if d.n+d.failures == 0 {
		return math.NaN()
	}
	switch name {
	case "max":
		return d.max()
	case "mean":
		return d.mean()
	}
	for _, p := range percentilePoints {
		if p.name == name {
			return d.percentile(p.percent)
		}
	}
	return math.NaN()
}

func (d *distribution) max() float64 {
	if d.failures > 0 {
		return math.Inf(1)
	}
	worst := 0.0
	for _, l := range d.rows {
		if l.Count > 0 {
			worst = max(worst, float64(l.MaxMS))
		}
	}
	return worst
}

func (d *distribution) mean() float64 {
	if d.failures > 0 {
		return math.Inf(1)
	}
	if len(d.rows) == 1 {
		return float64(d.rows[0].MeanMS)
	}
	sum := 0.0
	for _, l := range d.rows {
		if l.Count > 0 {
			sum += float64(l.MeanMS) * float64(l.Count)
		}
	}
	return sum / float64(d.n)
}

// percentilePoints are the percentiles that a row holds, in rising order.
var percentilePoints = []struct {
	name    string
	percent float64
	of      func(*Latency) Num
}{
	{"p50", 50, func(l *Latency) Num { return l.P50MS }},
	{"p90", 90, func(l *Latency) Num { return l.P90MS }},
	{"p95", 95, func(l *Latency) Num { return l.P95MS }},
	{"p99", 99, func(l *Latency) Num { return l.P99MS }},
	{"p999", 99.9, func(l *Latency) Num { return l.P999MS }},
}

func (d *distribution) percentile(percent float64) float64 {
	all := d.n + d.failures
	rank := rankOf(percent, all)
	if rank > d.n {
		return math.Inf(1)
	}
	switch {
	case len(d.rows) == 1 && d.failures == 0:
		return d.fromRow(percent)
	case len(d.rows) == 1 && d.histogram() == nil:
		return d.fromRow(100 * float64(rank) / float64(d.n))
	}
	if d.histogram() == nil {
		return math.NaN()
	}
	return d.fromHistogram(rank)
}

// fromHistogram returns the success of a rank, of a distribution that has a histogram. That answers with
// the upper edge of a bucket, 0.1 % wide at most; no latency is above the exact maximum.
func (d *distribution) fromHistogram(rank int64) float64 {
	worst := distribution{rows: d.rows}
	us := d.histogram().ValueAtPercentile(100 * float64(rank) / float64(d.n))
	return min(float64(us)/1000, worst.max())
}

// fromRow returns a percentile of the row. One that the row does not hold is
// estimated between its neighbours, taking latency as linear in log(1/(1-p)), as
// that of an exponential tail is.
func (d *distribution) fromRow(percent float64) float64 {
	l := d.rows[0]
	depth := func(percent float64) float64 { return -math.Log(max(1-percent/100, 0.5/float64(l.Count))) }
	between := func(x0, y0, x, y float64) float64 {
		if x <= x0 {
			return y
		}
		d.estimated = true
		return y0 + (y-y0)*(depth(percent)-x0)/(x-x0)
	}
	x0, y0 := 0.0, 0.0
	for _, p := range percentilePoints {
		x, y := depth(p.percent), float64(p.of(l))
		if math.Abs(percent-p.percent) < 1e-9 {
			return y
		}
		if percent < p.percent {
			return between(x0, y0, x, y)
		}
		x0, y0 = x, y
	}
	return between(x0, y0, depth(100), float64(l.MaxMS))
}

// histogram is that of all rows together, nil if one has none or does not agree with its count.
func (d *distribution) histogram() *hdrhistogram.PackedHistogram {
	if d.read {
		return d.hist
	}
	d.read = true
	var sum *hdrhistogram.PackedHistogram
	for _, l := range d.rows {
		if l.Count == 0 {
			continue
		}
		l.seal()
		h, err := hdrhistogram.DecodePacked([]byte(l.HDR))
		if err != nil || h.TotalCount() != l.Count {
			return nil
		}
		if sum == nil {
			sum = h
		} else if sum.Merge(h) > 0 {
			return nil
		}
	}
	d.hist = sum
	return sum
}

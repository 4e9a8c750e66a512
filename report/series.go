package report

import (
	"math"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// series holds one value per interval of [0, Duration). What happens later, while
// the last requests drain, falls into a last slot that is not shown.
type series struct {
	interval, duration time.Duration
	n, i               int           // number of intervals, the current one (n: after the last)
	end                time.Duration // of the current interval

	requests, r429, retries, tokens []int64
	latency                         []*coarse // by profile, of the current interval
	p99                             [][]Num   // by profile

	// Sums of gauges, and of their spans.
	samples, inFlight, excluded []int64
	waiting                     [stack.NumClasses][]int64
	limit                       [][]int64 // by model
}

const never = time.Duration(math.MaxInt64)

func newSeries(s *Setup) series {
	n := int((s.Duration + s.Interval - 1) / s.Interval)
	column := func() []int64 { return make([]int64, n+1) }
	t := series{
		interval: s.Interval, duration: s.Duration, n: n, end: min(s.Interval, s.Duration),
		requests: column(), r429: column(), retries: column(), tokens: column(),
		samples: column(), inFlight: column(), excluded: column(),
	}
	for c := range t.waiting {
		t.waiting[c] = column()
	}
	for range s.Models {
		t.limit = append(t.limit, column())
	}
	for range s.Profiles {
		t.latency = append(t.latency, &coarse{})
		t.p99 = append(t.p99, make([]Num, n+1))
	}
	if n == 0 {
		t.end = never
	}
	return t
}

// advance closes the intervals that are over at now.
func (t *series) advance(now time.Duration) {
	for now >= t.end {
		t.closeInterval()
		t.i++
		t.end = min(t.end+t.interval, t.duration)
		if t.i >= t.n {
			t.end = never
		}
	}
}

func (t *series) closeInterval() {
	for p, c := range t.latency {
		t.p99[p][t.i] = Num(math.NaN())
		if q, ok := c.quantile(99); ok {
			t.p99[p][t.i] = inMS(q)
		}
		c.reset()
	}
}

// close ends the series at the end of the run, which may be before Duration.
func (t *series) close(now time.Duration) {
	if t.i >= t.n {
		return
	}
	t.closeInterval()
	t.n = t.i
	if now > time.Duration(t.i)*t.interval {
		t.n++
	}
	t.duration = min(t.duration, now)
}

// gauge adds a sample to the current interval.
func (t *series) gauge(g *Gauges) {
	i := t.i
	t.samples[i] += int64(g.Span)
	t.excluded[i] += g.ExcludedKeys * int64(g.Span)
	for m := range g.Models {
		t.inFlight[i] += g.Models[m].InFlight
		t.limit[m][i] += g.Models[m].Limit
		for c, n := range g.Models[m].Waiting {
			t.waiting[c][i] += n
		}
	}
}

// report returns the columns, in an order that depends on the setup alone.
func (t *series) report(s *Setup) Series {
	out := Series{IntervalS: inSeconds(t.interval)}
	add := func(name, unit string, value func(i int) Num) {
		values := make([]Num, t.n)
		for i := range values {
			values[i] = value(i)
		}
		out.Columns = append(out.Columns, Column{Name: name, Unit: unit, Values: values})
	}
	count := func(name string, counts []int64) {
		add(name, "count", func(i int) Num { return Num(counts[i]) })
	}
	mean := func(name, unit string, sums []int64) {
		add(name, unit, func(i int) Num { return Num(float64(sums[i]) / float64(t.samples[i])) })
	}
	count("requests", t.requests)
	count("http_429", t.r429)
	count("retries", t.retries)
	mean("in_flight", "requests", t.inFlight)
	for c := range t.waiting {
		mean("queue{"+stack.Class(c).String()+"}", "requests", t.waiting[c])
	}
	for m := range t.limit {
		mean("limit{"+s.Models[m].Name+"}", "requests", t.limit[m])
	}
	mean("excluded_keys", "keys", t.excluded)
	for p := range t.p99 {
		add("p99_ms{"+s.Profiles[p].Name+"}", "ms", func(i int) Num { return t.p99[p][i] })
	}
	add("tokens_per_min", "tokens/min", func(i int) Num {
		length := min(t.interval, t.duration-time.Duration(i)*t.interval)
		return Num(float64(t.tokens[i]) / length.Minutes())
	})
	return out
}

package report

import (
	"math"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
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
	samples, excluded []int64
	waiting           [stack.NumClasses][]int64
	inFlight, limit   [][]int64 // by model
	rpm, tpm          [][]Num   // by model; see charge

	hold *share // keeps what is over, for the other parts of the run; nil: there are none
}

const never = time.Duration(math.MaxInt64)

func newSeries(s *Setup) series {
	n := int((s.Duration + s.Interval - 1) / s.Interval)
	column := func() []int64 { return make([]int64, n+1) }
	t := series{
		interval: s.Interval, duration: s.Duration, n: n, end: min(s.Interval, s.Duration),
		requests: column(), r429: column(), retries: column(), tokens: column(),
		samples: column(), excluded: column(),
	}
	for c := range t.waiting {
		t.waiting[c] = column()
	}
	for range s.Models {
		t.limit, t.inFlight = append(t.limit, column()), append(t.inFlight, column())
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
	if t.hold != nil {
		t.hold.interval(t)
		return
	}
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

// gauge adds a sample, of an instant before the end, to its interval.
func (t *series) gauge(now time.Duration, g *Gauges) {
	i := int(now / t.interval)
	t.samples[i] += int64(g.Span)
	t.excluded[i] += g.ExcludedKeys * int64(g.Span)
	for m := range g.Models {
		t.inFlight[m][i] += g.Models[m].InFlight
		t.limit[m][i] += g.Models[m].Limit
		for c, n := range g.Models[m].Waiting {
			t.waiting[c][i] += n
		}
	}
}

// charge takes what the provider charged per minute: of each model the share of the limit
// that the worst quota of its keys used. An interval has the worst of the minutes that begin
// in it or go on at its beginning. Models without use or without such a limit have none.
func (t *series) charge(s *Setup, books *mockupstream.Books) {
	if books == nil || s.KeyQuota == nil {
		return
	}
	minutes := make([][]mockupstream.Minute, len(s.Quotas))
	for _, q := range books.Quotas {
		minutes[q.Quota] = q.Minutes
	}
	t.rpm, t.tpm = make([][]Num, len(s.Models)), make([][]Num, len(s.Models))
	for m := range s.Models {
		var rpm, tpm []float64 // by minute
		for k := range s.KeyQuota {
			if q := s.KeyQuota[k][m]; q >= 0 {
				for i, used := range minutes[q] {
					rpm = raise(rpm, i, used.Requests, s.Quotas[q].RPM)
					tpm = raise(tpm, i, used.Tokens, s.Quotas[q].TPM)
				}
			}
		}
		t.rpm[m], t.tpm[m] = t.byInterval(rpm), t.byInterval(tpm)
	}
}

// raise raises minute i to the share of the limit that was used; 0 is no limit.
func raise(minutes []float64, i int, used, limit int64) []float64 {
	if limit <= 0 {
		return minutes
	}
	for len(minutes) <= i {
		minutes = append(minutes, 0)
	}
	minutes[i] = max(minutes[i], float64(used)/float64(limit))
	return minutes
}

// byInterval returns the worst minute of each interval; nil where none was used.
func (t *series) byInterval(minutes []float64) []Num {
	if !slices.ContainsFunc(minutes, func(use float64) bool { return use > 0 }) {
		return nil
	}
	out := make([]Num, t.n)
	for i := range out {
		from := time.Duration(i) * t.interval
		for m := int(from / time.Minute); m < len(minutes) && time.Duration(m)*time.Minute < from+t.interval; m++ {
			out[i] = max(out[i], Num(minutes[m]))
		}
	}
	return out
}

// inFlightAll sums the models.
func (t *series) inFlightAll() []int64 {
	all := make([]int64, t.n)
	for _, of := range t.inFlight {
		sum(all, of[:t.n])
	}
	return all
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
	mean("in_flight", "requests", t.inFlightAll())
	for c := range t.waiting {
		mean("queue{"+stack.Class(c).String()+"}", "requests", t.waiting[c])
	}
	for m := range t.limit {
		mean("limit{"+s.Models[m].Name+"}", "requests", t.limit[m])
	}
	for m := range t.inFlight {
		mean("in_flight{"+s.Models[m].Name+"}", "requests", t.inFlight[m])
	}
	use := func(name string, models [][]Num) {
		for m, values := range models {
			if values != nil {
				add(name+"{"+s.Models[m].Name+"}", "share", func(i int) Num { return values[i] })
			}
		}
	}
	use("rpm_use", t.rpm)
	use("tpm_use", t.tpm)
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

func (t *series) carry(c *tape, s *Setup) {
	c.spans(&t.interval, &t.duration, &t.end)
	number(c, &t.n)
	number(c, &t.i)
	slots := len(t.requests) // one more than there were intervals
	number(c, &slots)
	c.check(t.n >= 0 && t.n < slots, "series of more intervals than there are")
	for _, of := range [...]*[]int64{&t.requests, &t.r429, &t.retries, &t.tokens, &t.samples, &t.excluded} {
		c.column(of, slots)
	}
	classesOf(c, &t.waiting, func(of *[]int64) { c.column(of, slots) })
	for _, of := range [...]*[][]int64{&t.inFlight, &t.limit} {
		list(c, of, func(of *[]int64) { c.column(of, slots) })
		c.check(len(*of) == len(s.Models), "series of other models")
	}
	list(c, &t.p99, func(of *[]Num) { fixed(c, of, slots, func(n *Num) { c.nums(n) }) })
	c.check(len(t.p99) == len(s.Profiles), "series of other profiles")
	for _, of := range [...]*[][]Num{&t.rpm, &t.tpm} {
		list(c, of, func(of *[]Num) {
			c.values(of)
			c.check(*of == nil || len(*of) == t.n, "a share of other intervals")
		})
		c.check(*of == nil || len(*of) == len(s.Models), "shares of other models")
	}
}

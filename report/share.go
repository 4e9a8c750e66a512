package report

import (
	"slices"
	"time"
)

// NewShare returns a recorder of a part of a run that has not begun: of the same run other recorders record the other parts, in
// other processes. It is told what [NewRecorder]'s is told, of its own requests alone, and ends with [Recorder.Seal]; a further one,
// which has no part of its own, takes them all in ([Recorder.Join]) and is closed as the recorder of the whole run.
//
// It takes more memory than the recorder of a whole run, as what depends on all parts together waits for them: the small histograms of
// every minute and interval, every look at the gates, and the instants of all retries.
func NewShare(s Setup) *Recorder {
	r := NewRecorder(s)
	r.share = &share{}
	r.watch.hold, r.series.hold = r.share, r.share
	return r
}

// share is what waits for the other parts of the run.
type share struct {
	minutes   []minuteBook
	intervals [][]*coarse // by interval and profile; nil: nothing
	gauges    []gaugeNote // by their number
	retries   []retryNote // in order of time, until others are joined
	run       Run         // what the driver knew at the end, of all parts
	parts     int64       // how many there are
}

// minuteBook is a minute as the watch looks at it.
type minuteBook struct {
	p99  []*coarse // by profile; nil: nothing
	keys []keyMinute
}

// gaugeNote is a look at the gates.
type gaugeNote struct {
	at    time.Duration
	gauge Gauges
}

// retryNote is a retry, and how long after the end of the attempt before it was sent; -1: that is not known.
type retryNote struct {
	at, wait time.Duration
}

// grown returns a list with at least n elements.
func grown[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	return append(list, make([]T, n-len(list))...)
}

// take adds what current histograms hold to those of an earlier or the same time, and empties them.
func take(held, current []*coarse) []*coarse {
	held = grown(held, len(current))
	for p, c := range current {
		if c.n > 0 {
			held[p] = held[p].plus(c)
			c.reset()
		}
	}
	return held
}

// plus returns the sum; nil is an empty one. Neither is changed.
func (c *coarse) plus(o *coarse) *coarse {
	sum := &coarse{}
	for _, part := range []*coarse{c, o} {
		if part == nil {
			continue
		}
		sum.n += part.n
		for i, n := range part.counts {
			sum.counts[i] += n
		}
	}
	return sum
}

// minute takes over the current minute of a watch.
func (h *share) minute(w *watch) {
	if w.end == never {
		return // beyond the demand nothing is judged
	}
	i := int(w.end/time.Minute) - 1
	h.minutes = grown(h.minutes, i+1)
	m := &h.minutes[i]
	m.p99, m.keys = take(m.p99, w.p99), grown(m.keys, len(w.keys))
	for k := range w.keys {
		m.keys[k].add(&w.keys[k])
	}
	clear(w.keys)
}

func (m *keyMinute) add(o *keyMinute) {
	m.attempts += o.attempts
	m.limited += o.limited
}

// interval takes over the current interval of a series.
func (h *share) interval(t *series) {
	h.intervals = grown(h.intervals, t.i+1)
	h.intervals[t.i] = take(h.intervals[t.i], t.latency)
}

// gauge notes a look at the gates. g is not kept.
func (h *share) gauge(now time.Duration, g *Gauges) {
	note := gaugeNote{at: now, gauge: *g}
	note.gauge.Models = slices.Clone(g.Models)
	h.gauges = append(h.gauges, note)
}

// retry notes a retry.
func (h *share) retry(now, wait time.Duration) { h.retries = append(h.retries, retryNote{now, wait}) }

// Seal ends the records of a part; run is what its driver knows, without books. Nothing may be recorded afterwards.
func (r *Recorder) Seal(run Run) {
	if !run.Interrupted {
		run.Now = max(run.Now, r.setup.Duration)
	}
	r.at(run.Now)
	if run.Now < r.setup.Warmup {
		r.Warm(run) // nothing was measured
	}
	r.share.minute(&r.watch)
	r.share.interval(&r.series)
	run.Now = r.now
	r.share.run, r.share.parts = run, 1
}

// ShareCounts is what a part of a run comes to, over all of it, warm-up included, to be compared with what was told while it went on.
type ShareCounts struct {
	Submitted, Ended int64
	Measured         int64 // successes whose latency counts
}

// ShareCounts sums up a sealed part, or several joined.
func (r *Recorder) ShareCounts() ShareCounts {
	var c ShareCounts
	for p := range r.laws.submitted {
		c.Submitted += r.laws.submitted[p]
		for _, n := range r.laws.endings[p] {
			c.Ended += n
		}
	}
	for i := range r.whole {
		c.Measured += r.whole[i].n
	}
	return c
}

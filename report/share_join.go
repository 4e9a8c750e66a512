package report

import (
	"cmp"
	"slices"
	"time"
)

// Join takes in a sealed part of the run. Parts may be joined in any order, and each before others: the result is the same, and
// that of one recorder that was told all of it, but for the starvation of an agent that belongs to several parts, which is the longest
// that one of them saw. Both must come from [NewShare] with equal setups, and r not be sealed unless it is a part itself. o is not changed.
func (r *Recorder) Join(o *Recorder) {
	r.addCounts(o)
	for i := range r.whole {
		r.whole[i].add(&o.whole[i])
		r.first[i].add(&o.first[i])
	}
	sum(r.keyOpen, o.keyOpen)
	r.slowest.join(&o.slowest)
	r.agents.join(&o.agents)
	r.laws.join(&o.laws)
	r.series.join(&o.series)
	r.ended.before.add(&o.ended.before, 1)
	r.share.join(o.share)
}

// join adds up what waits for the others.
func (h *share) join(o *share) {
	h.minutes = grown(h.minutes, len(o.minutes))
	for i := range o.minutes {
		m, other := &h.minutes[i], &o.minutes[i]
		m.p99, m.keys = joined(m.p99, other.p99), grown(m.keys, len(other.keys))
		for k := range other.keys {
			m.keys[k].add(&other.keys[k])
		}
	}
	h.intervals = grown(h.intervals, len(o.intervals))
	for i := range o.intervals {
		h.intervals[i] = joined(h.intervals[i], o.intervals[i])
	}
	h.gauges = grown(h.gauges, len(o.gauges))
	for i := range o.gauges {
		h.gauges[i].join(&o.gauges[i])
	}
	h.retries = append(h.retries, o.retries...)
	h.run.join(&o.run)
	h.parts += o.parts
}

// joined adds histograms to others, which are replaced, not changed.
func joined(list, more []*coarse) []*coarse {
	list = grown(list, len(more))
	for i, c := range more {
		if c != nil {
			list[i] = list[i].plus(c)
		}
	}
	return list
}

// join adds the same look at the gates of other stacks, as one driver of all of them would have taken it.
func (g *gaugeNote) join(o *gaugeNote) {
	g.at = max(g.at, o.at)
	g.gauge.Span = max(g.gauge.Span, o.gauge.Span)
	g.gauge.ExcludedKeys += o.gauge.ExcludedKeys
	g.gauge.Models = slices.Clone(grown(g.gauge.Models, len(o.gauge.Models)))
	for m := range o.gauge.Models {
		u, v := &g.gauge.Models[m], &o.gauge.Models[m]
		u.Limit += v.Limit
		u.InFlight += v.InFlight
		u.LimitMin += v.LimitMin
		u.LimitMax += v.LimitMax
		u.InFlightMax += v.InFlightMax
		u.WaitingMax += v.WaitingMax
		sum(u.Waiting[:], v.Waiting[:])
		sum(u.Blocked[:], v.Blocked[:])
		sum(u.Waited[:], v.Waited[:])
	}
}

// join adds what the driver of another part knew. The books are those of the whole run, and nobody's part.
func (u *Run) join(o *Run) {
	u.Now = max(u.Now, o.Now)
	u.Interrupted = u.Interrupted || o.Interrupted
	u.Incomplete = u.Incomplete || o.Incomplete
	u.Gates = slices.Clone(grown(u.Gates, len(o.Gates)))
	for m := range o.Gates {
		u.Gates[m].Increases += o.Gates[m].Increases
		u.Gates[m].Decreases += o.Gates[m].Decreases
	}
	u.BreakerOpened += o.BreakerOpened
	u.Excluded = slices.Clone(grown(u.Excluded, len(o.Excluded)))
	for k := range o.Excluded {
		u.Excluded[k] = slices.Clone(grown(u.Excluded[k], len(o.Excluded[k])))
		for m, d := range o.Excluded[k] {
			u.Excluded[k][m] += d
		}
	}
	u.InFlight = slices.Clone(grown(u.InFlight, len(o.InFlight)))
	sum(u.InFlight, o.InFlight)
	u.Abandoned += o.Abandoned
	u.Traces = slices.Clone(u.Traces)
	for i := range o.Traces { // every part reads the whole trace, and may have been stopped on the way
		if i == len(u.Traces) {
			u.Traces = append(u.Traces, o.Traces[i])
		} else if o.Traces[i].Rows > u.Traces[i].Rows {
			u.Traces[i] = o.Traces[i]
		}
	}
}

// join keeps the slowest of both; of equal ones those that ended first.
func (s *slowest) join(o *slowest) {
	for p := range s.top {
		all := slices.Concat(s.top[p], o.top[p])
		slices.SortFunc(all, func(a, b slowRequest) int {
			return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.intended, b.intended), cmp.Compare(a.id, b.id))
		})
		s.top[p] = all[:min(len(all), max(s.keep, 0))]
	}
}

// join adds up the counters; the time in system goes on as far as the later of both.
func (l *laws) join(o *laws) {
	other := *o
	t := max(l.last, other.last)
	l.flow(t)
	other.flow(t)
	l.last = t
	l.backwards += other.backwards
	l.inSystem += other.inSystem
	sum(l.submitted, other.submitted)
	for p := range l.endings {
		sum(l.endings[p][:], other.endings[p][:])
	}
	for _, w := range []struct{ to, from *wide }{
		{&l.area, &other.area}, {&l.stay, &other.stay}, {&l.submittedAt, &other.submittedAt}, {&l.endedFrom, &other.endedFrom},
	} {
		w.to.merge(*w.from)
	}
	sum(l.sent, other.sent)
	l.attempted += other.attempted
	l.client429 += other.client429
	l.client4xx += other.client4xx
	l.answered += other.answered
	l.writes += other.writes
	l.reported.plus(&other.reported)
	l.unknown += other.unknown
	l.unknownTokens.plus(&other.unknownTokens)
	for i := range l.priced {
		l.priced[i].plus(&other.priced[i])
	}
}

// join adds up the columns that are counted as it happens.
func (t *series) join(o *series) {
	sum(t.requests, o.requests)
	sum(t.r429, o.r429)
	sum(t.retries, o.retries)
	sum(t.tokens, o.tokens)
}

// join adds up what agents asked for and got.
func (a *agents) join(o *agents) {
	for c := range a.classes {
		a.classes[c].join(&o.classes[c])
	}
	for p := range a.waits {
		a.waits[p].join(&o.waits[p])
	}
	for c := range a.starved {
		a.starved[c].join(&o.starved[c])
	}
	for m := range a.cohorts {
		a.cohorts[m].requests += o.cohorts[m].requests
		a.cohorts[m].attempts += o.cohorts[m].attempts
	}
	a.backoff.merge(o.backoff)
	a.busy.merge(o.busy)
	a.wire.merge(o.wire)
	a.stay.merge(o.stay)
}

// join adds the agents of another part. Of one that belongs to both the longer spell counts.
func (b *classBook) join(o *classBook) {
	b.pages = grown(b.pages, len(o.pages))
	for p, page := range o.pages {
		if page == nil {
			continue
		}
		if b.pages[p] == nil {
			b.pages[p] = slices.Clone(page)
			continue
		}
		for i, e := range page {
			mine := &b.pages[p][i]
			if i%b.each > 0 {
				*mine += e // a tally; neither half overflows into the other
				continue
			}
			if s := e.spell(); s.worst > mine.spell().worst || *mine == 0 {
				*mine = e
			}
		}
	}
}

// join keeps the longer of both; of equal ones the first.
func (l *longest) join(o *longest) {
	if c := cmp.Or(cmp.Compare(o.d, l.d), cmp.Compare(l.at, o.at), cmp.Compare(l.agent, o.agent)); c > 0 {
		*l = *o
	}
}

// settle brings a recorder that has taken in all parts into the state of one that recorded the whole run, and adds to what the
// driver of the whole knows what those of the parts knew.
func (r *Recorder) settle(run *Run) {
	h := r.share
	run.join(&h.run)
	if !run.Interrupted {
		run.Now = max(run.Now, r.setup.Duration)
	}
	r.at(run.Now)
	h.minute(&r.watch)
	h.interval(&r.series)
	r.share, r.watch.hold, r.series.hold = nil, nil, nil
	slices.SortStableFunc(h.retries, func(a, b retryNote) int { return cmp.Compare(a.at, b.at) })
	for _, e := range h.retries {
		r.retried(e.at, e.wait)
	}
	for i := range h.gauges {
		g := &h.gauges[i].gauge
		for m := range g.Models {
			for b := range g.Models[m].Blocked {
				g.Models[m].Blocked[b] /= h.parts // a share of time, on average of the stacks
			}
		}
		r.gauged(h.gauges[i].at, g)
	}
	r.watch.settle(h.minutes)
	r.series.settle(h.intervals)
}

// settle judges minutes that were held back; the last one goes on.
func (w *watch) settle(minutes []minuteBook) {
	end := w.end
	for i := range minutes {
		from := time.Duration(i) * time.Minute
		for p, c := range minutes[i].p99 {
			if c != nil {
				*w.p99[p] = *c
			}
		}
		copy(w.keys, minutes[i].keys)
		if w.end = from + time.Minute; w.end != end {
			w.close()
		}
	}
	w.end = end
}

// settle closes intervals that were held back; the current one goes on.
func (t *series) settle(intervals [][]*coarse) {
	last := t.i
	for t.i = range max(last, 0) {
		t.load(intervals)
		t.closeInterval()
	}
	t.i = last
	if last < t.n {
		t.load(intervals)
	}
}

// load makes an interval that was held back the current one.
func (t *series) load(intervals [][]*coarse) {
	if t.i >= len(intervals) {
		return
	}
	for p, c := range intervals[t.i] {
		if c != nil {
			*t.latency[p] = *c
		}
	}
}

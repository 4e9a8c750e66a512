package report

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// Positions of the metrics in profile histograms.
const (
	atTotal = iota
	atFromSend
	atQueue
	atBackoff
	atFirstToken
	atGeneration
	numMetrics
)

var metricNames = [numMetrics]string{
	MetricTotal, MetricFromSend, MetricQueue, MetricBackoff, MetricFirstToken, MetricGeneration,
}

// Recorder records one run. Its per-request methods allocate nothing, but for the
// first latency of its magnitude in each histogram, the first request of each 256 agents
// in a class, and the table of waits when retries come thicker than ever before. Calls
// must come in order of time; it is not safe for concurrent use, and several stacks of
// one run share it.
//
// A request is told by [Recorder.Offered] and [Recorder.Submitted], then per
// attempt [Recorder.Sent] and [Recorder.Attempted], and at last [Recorder.Done].
// [Recorder.Gauge] is called every second, [Recorder.Warm] at the end of the warm-up,
// and [Recorder.Finish] once.
type Recorder struct {
	setup    Setup
	models   int
	now      time.Duration
	nextTick time.Duration // when a minute or an interval is over

	// Counts of measured requests. cells holds for each profile one per model and a last one
	// for requests that were never sent.
	offered     []offer
	cells       []cell
	outcomes    [stack.NumOutcomeKinds]int64
	rejected    [stack.NumReasons]int64
	dead        [stack.NumReasons]int64
	degraded    [4]int64
	r5xx        int64
	retries     int64
	cacheHits   int64
	cacheWrong  int64
	cappedUS    int64
	keyFailures []int64
	keyOpen     []int64 // requests that have not ended, by their last attempt's key
	// Total latencies and times to the first token as they come in, by cell; Close
	// hands them on.
	whole, first []histogram
	latency      [][numMetrics]histogram // by profile
	modelLatency [][2]histogram          // total and first token
	keyLatency   []histogram
	sentInWindow int64 // attempts

	herd      herd
	echoes    echoes
	agents    agents
	fair      fair // what Close makes of agents
	laws      laws
	series    series
	watch     watch
	gates     gates
	slowest   slowest
	left      unfinished // what Close finds
	ended     runs       // what Finish adds
	traces    []TraceBook
	abandoned int64
	share     *share // nil: the run is recorded as a whole
}

// offer counts what was asked by one profile.
type offer struct {
	requests, in, out int64
}

// NewRecorder returns a recorder of a run that has not begun.
func NewRecorder(s Setup) *Recorder {
	if s.SlowestPerProfile == 0 {
		s.SlowestPerProfile = 3
	}
	if s.Interval <= 0 {
		s.Interval = (s.Duration/180 + time.Second - 1).Truncate(time.Second)
	}
	s.Interval = max(s.Interval, time.Second)
	np, nm, nk := len(s.Profiles), len(s.Models), len(s.Keys)
	r := &Recorder{
		setup: s, models: nm,
		offered:     make([]offer, np),
		cells:       make([]cell, np*(nm+1)),
		keyFailures: make([]int64, nk), keyOpen: make([]int64, nk),
		whole:   make([]histogram, np*(nm+1)),
		first:   make([]histogram, np*(nm+1)),
		latency: make([][numMetrics]histogram, np), modelLatency: make([][2]histogram, nm),
		keyLatency: make([]histogram, nk),
		agents:     newAgents(&s),
		laws:       newLaws(np, nk*nm),
		series:     newSeries(&s),
		watch:      newWatch(&s),
		gates:      newGates(nm),
		slowest:    newSlowest(np, s.SlowestPerProfile, s.Seed),
		left:       newUnfinished(&s),
		ended:      newRuns(&s),
	}
	r.nextTick = min(r.series.end, r.watch.end)
	return r
}

// measured reports whether statistics count the request.
func (r *Recorder) measured(j *Job) bool {
	return j.Intended >= r.setup.Warmup && j.Intended < r.setup.Duration
}

// inWindow reports whether it is neither too early nor too late to measure a rate.
func (r *Recorder) inWindow() bool { return r.now >= r.setup.Warmup && r.now < r.setup.Duration }

// at moves the recorder's clock and closes the minutes and intervals that are over.
func (r *Recorder) at(now time.Duration) {
	if now < r.now {
		r.laws.backwards++
		return
	}
	r.now = now
	if now >= r.nextTick {
		r.tick()
	}
}

func (r *Recorder) tick() {
	r.watch.advance(r.now)
	r.series.advance(r.now)
	r.nextTick = min(r.series.end, r.watch.end)
}

// Offered counts a request into the offered load. Call it once per request.
func (r *Recorder) Offered(j *Job) {
	if r.measured(j) {
		o := &r.offered[j.Profile]
		o.requests++
		o.in += j.In
		o.out += j.Out
		r.agents.offered(j)
	}
}

// Submitted notes that the request was handed to the stack.
func (r *Recorder) Submitted(now time.Duration, j *Job) {
	r.at(now)
	r.laws.submit(r.now, j.Profile)
}

// Sent notes that an attempt of the request was put on the wire; number is 1 for
// the request's first.
func (r *Recorder) Sent(now time.Duration, j *Job, model, key, number int) {
	r.at(now)
	r.laws.sent[key*r.models+model]++
	wait := time.Duration(-1)
	if r.inWindow() {
		r.sentInWindow++
	}
	if r.measured(j) {
		r.cell(j.Profile, model).attempts++
		r.follow(j, model, key)
		if number > 1 {
			r.retries++
			if j.ended > 0 {
				wait = r.now - j.ended
			}
		}
	}
	if number > 1 {
		r.series.retries[r.series.i]++
		r.retried(r.now, wait)
	}
}

// retried notes when a retry was sent, and how long after the end of the attempt before; -1: that does not count.
func (r *Recorder) retried(at, wait time.Duration) {
	if r.share != nil {
		r.share.retry(at, wait)
		return
	}
	if at >= r.setup.Warmup {
		r.herd.retry(at)
	}
	if wait >= 0 {
		r.echoes.retry(at, wait)
	}
}

// Attempted notes that an attempt ended, with an answer or without: by time-out,
// abort or a broken connection. Of st, Target, Key and Outcome are read. billed is
// what the provider charges for it; unknown says that the client cannot know that.
func (r *Recorder) Attempted(now time.Duration, j *Job, st *stack.Step, billed Bill, unknown bool) {
	r.at(now)
	j.ended = r.now
	o := &st.Outcome
	r.laws.attempt(st.Key*r.models+st.Target, o, &billed, unknown)
	limited := int64(0)
	if o.Status == 429 {
		limited = 1
	}
	r.series.r429[r.series.i] += limited
	r.series.tokens[r.series.i] += billed.In + billed.Out
	r.watch.attempt(st.Key, limited)
	c := r.cell(j.Profile, st.Target)
	if o.Kind == stack.Success && r.inWindow() {
		c.servedTokens += billed.In + billed.Out
	}
	if !r.measured(j) {
		return
	}
	c.r429 += limited
	c.billed.add(&billed)
	if o.Kind != stack.Success {
		c.wasted.add(&billed)
	}
	r.outcomes[o.Kind]++
	if o.Status >= 500 {
		r.r5xx++
	}
}

// Done notes that the request ended. res is not kept.
func (r *Recorder) Done(now time.Duration, j *Job, res *stack.Result) {
	r.at(now)
	r.laws.done(r.now, j.Profile, res)
	r.series.requests[r.series.i]++
	total := res.Ended - j.Intended
	whole := read(total)
	if res.Ending == stack.Succeeded || res.Ending == stack.DeadLettered {
		bucket := bucketOf(whole.us, coarseBits)
		r.watch.p99[j.Profile].put(bucket)
		r.series.latency[j.Profile].put(bucket)
	}
	model, key := r.models, -1
	if n := len(res.Steps); n > 0 {
		model, key = res.Steps[n-1].Target, res.Steps[n-1].Key
	}
	c := r.cell(j.Profile, model)
	if res.Ending == stack.Succeeded && r.inWindow() {
		c.served++
	}
	if !r.measured(j) {
		return
	}
	r.agents.done(j, res, total)
	r.cappedUS += int64(res.Capped / time.Microsecond)
	r.leave(j)
	c.endings[res.Ending]++
	switch res.Ending {
	case stack.Succeeded:
		r.success(j, res, whole, model, key)
	case stack.Rejected:
		r.rejected[res.Reason]++
	case stack.DeadLettered:
		r.dead[res.Reason]++
	}
	if key >= 0 && failed(res.Ending) {
		r.keyFailures[key]++
	}
	if res.Ending != stack.Cancelled {
		r.slowest.offer(j, res, total)
	}
}

// Warm is told once what the driver knows at the end of the warm-up, before anything that
// comes later. What only the driver knows is then reported from there on. Without it such
// counts cover the whole run.
func (r *Recorder) Warm(run Run) { r.ended.warm(&r.setup, &run) }

// Finish closes the run and returns its measurements.
func (r *Recorder) Finish(run Run) Variant {
	r.Close(run)
	return r.Variant()
}

// Close closes the run without describing it, for runs that are only to be merged
// into another. Call Close or Finish once.
func (r *Recorder) Close(run Run) {
	if r.share != nil {
		r.settle(&run)
	}
	if !run.Interrupted {
		run.Now = max(run.Now, r.setup.Duration)
	}
	r.at(run.Now)
	r.watch.close()
	r.series.close(r.now)
	r.series.charge(&r.setup, run.Books)
	r.spread()
	if !run.Interrupted {
		r.left.close(r)
	}
	r.traces, r.abandoned = run.Traces, run.Abandoned
	r.ended.close(r, &run)
	// What was made use of is let go of: what is left is what Freeze keeps.
	r.herd, r.watch, r.series.latency, r.keyOpen, r.ended.before = herd{}, watch{}, nil, nil, snapshot{}
	r.nextTick = never
}

// spread hands the latencies of the cells on to their profiles and models.
func (r *Recorder) spread() {
	for p := range r.latency {
		for m := 0; m <= r.models; m++ {
			whole, first := &r.whole[p*(r.models+1)+m], &r.first[p*(r.models+1)+m]
			r.latency[p][atTotal].add(whole)
			r.latency[p][atFirstToken].add(first)
			if m < r.models {
				r.modelLatency[m][0].take(whole)
				r.modelLatency[m][1].take(first)
			}
			whole.free()
			first.free()
		}
	}
	r.whole, r.first = nil, nil
}

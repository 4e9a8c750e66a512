package sim

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/timer"
	"github.com/seed-4fd17b57/simload/workload"
)

const (
	// gaugeEvery is the interval between looks at the gates.
	gaugeEvery = time.Second
	// longestDrain bounds how long requests are followed after the end of the demand.
	longestDrain = time.Hour
	// mostAtOnce bounds the events of one instant beyond those of the sources; more is
	// a loop that never lets time pass.
	mostAtOnce = 10_000_000
	// stopEvery is how many events pass between looks at the stop flag.
	stopEvery = 4096
)

// job is a request on its way through a run.
type job struct {
	report   report.Job
	demand   workload.Demand
	ticket   stack.Ticket
	core     uint32
	gen      uint32 // of the attempt under way; events of earlier ones are stale
	life     uint32 // of the request; the slot is used again
	alive    bool
	attempt  stack.AttemptID
	plan     mockupstream.Plan
	step     stack.Step
	hurried  bool // may be cut off at any time: by its caller, or a deadline
	recalled bool // its caller may give it up
	hold     hold
}

// source is an agent or a stream between two requests.
type source struct {
	next   workload.Demand
	alive  bool   // next is a demand
	queued bool   // and is in the queue
	out    uint32 // requests that have not ended
}

// run is one simulated run under way.
type run struct {
	set   *scenario.Built
	work  *workload.Workload
	prov  *mockupstream.Provider
	wire  *wireLink // nil: attempts go straight to the provider
	wall  *wallLink // nil: virtual time
	reads bool      // the stack looks at what is asked
	// summaries of conversations, nil: none
	summaries *summaries
	shared    *sharedLink // books that the stacks share; nil: each has its own
	cores     []*stack.Core
	wakes     timer.Heap // the cores' next wake-ups
	armed     []time.Duration
	queue     queue
	rec       *report.Recorder
	log       *report.EventWriter // nil: none
	sources   []source
	jobs      []job
	free      []uint32
	gauges    report.Gauges
	used      [][]stack.GateUse // by core and target, at the gauges before

	now      time.Duration
	sameTime int
	waiting  int // arrivals in the queue
	pending  int // requests that have not ended
	events   int64
	requests int64
	attempts int64
	refused  int64
	// abandoned rounds of tasks whose deadline had passed
	abandoned int64
	digest    uint64
	tally     tally
	halted    bool // the caller stopped it
	err       error

	stop    func() bool // reports whether to end the run now; nil: never
	observe func(*run)  // called every stopEvery events; nil: nobody
	counted func(*run)  // called when the tally has changed; nil: nobody
	probe   probe
}

// probe is what tests see and do in a run; all are nil in earnest.
type probe struct {
	patience func(d *workload.Demand) time.Duration // until the caller gives up; 0: never
	sent     func(a *stack.Attempt, p *mockupstream.Plan)
	ended    func(j *job)
	done     func(j *job, res *stack.Result)
}

// newRun returns a run in virtual time.
func newRun(set *scenario.Built) (*run, error) {
	r, err := prepare(set)
	if err != nil {
		return nil, err
	}
	if r.prov, err = mockupstream.New(set.Upstream); err != nil {
		return nil, err
	}
	r.armed = make([]time.Duration, set.Instances)
	for i := range set.Instances {
		c, err := stack.New(stackOf(set, i))
		if err != nil {
			return nil, fmt.Errorf("stack: %w", err)
		}
		r.cores = append(r.cores, c)
		r.armed[i] = -1
	}
	if set.Shared != nil {
		err = r.share()
	}
	return r, err
}

// prepare returns a run without stacks and upstream.
func prepare(set *scenario.Built) (*run, error) {
	r := &run{set: set, reads: reads(set), summaries: newSummaries(set)}
	err := calibrate(set)
	if err != nil {
		return nil, err
	}
	if r.work, err = workload.New(set.Workload); err != nil {
		if len(set.Workload.Traces) > 0 {
			err = &TraceError{err} // all else has been checked before
		}
		return nil, err
	}
	r.rec = report.NewRecorder(set.Report)
	r.gauges.Models = make([]stack.GateUse, len(set.Stack.Targets))
	for range set.Instances {
		r.used = append(r.used, make([]stack.GateUse, len(set.Stack.Targets)))
	}
	r.sources = make([]source, r.work.Sources())
	return r, nil
}

// stackOf is the configuration of one of several stacks: every process of a fleet has its
// own jitter.
func stackOf(set *scenario.Built, i int) stack.Config {
	cfg := set.Stack
	cfg.Seed += uint64(i)
	return cfg
}

// execute runs to the end of the demand and until its requests have ended.
func (r *run) execute() error {
	for i := range r.sources {
		r.draw(uint32(i))
	}
	r.queue.push(gaugeEvery, evGauge, 0, 0)
	deadline := r.set.Workload.Duration + longestDrain
	for r.waiting+r.pending > 0 && !r.halted {
		if r.events%stopEvery == 0 && r.look() {
			break
		}
		if !r.step(deadline) {
			break
		}
	}
	r.undrawn()
	if r.err != nil {
		return r.err
	}
	if err := r.work.Err(); err != nil {
		return &TraceError{err}
	}
	return nil
}

// TraceError is a trace that turned out in the middle of a run not to be replayable: the
// file is at fault. It names the file and the row.
type TraceError struct{ Err error }

// Error implements error.
func (e *TraceError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *TraceError) Unwrap() error { return e.Err }

// look tells the observer how far the run is, and reports whether to stop.
func (r *run) look() bool {
	if r.observe != nil {
		r.observe(r)
	}
	r.halted = r.halted || r.stop != nil && r.stop()
	return r.halted
}

// step handles the next event or wake-up; false when none is left before the deadline.
func (r *run) step(deadline time.Duration) bool {
	core, wake, due := r.wakes.Min()
	if e := r.queue.peek(); e != nil {
		if !due || e.at < wake || e.at == wake && e.kind() < evWake {
			if e.at > deadline {
				return false
			}
			r.handle(r.queue.pop())
			return true
		}
	}
	if !due || wake > deadline {
		return false
	}
	r.advance(wake, evWake, uint32(core))
	r.cores[core].Advance(wake)
	r.drain(uint32(core))
	return true
}

// advance moves the clock and folds the event into the digest.
func (r *run) advance(at time.Duration, k kind, ref uint32) {
	if at == r.now {
		if r.sameTime++; r.sameTime > mostAtOnce+10*len(r.sources) {
			panic(fmt.Sprintf("sim: %d events at instant %v: time does not pass", r.sameTime, at))
		}
	} else {
		if at < r.now {
			panic(fmt.Sprintf("sim: an event at %v after the instant %v", at, r.now)) // INV-3
		}
		if r.now < r.set.Report.Warmup && at >= r.set.Report.Warmup {
			r.rec.Warm(r.closing())
		}
		r.now, r.sameTime = at, 0
	}
	r.events++
	r.fold(uint64(at)<<4 ^ uint64(k) ^ uint64(ref)<<40)
}

// fold mixes a word into the digest: multiply and rotate, order-sensitive.
func (r *run) fold(x uint64) {
	d := (r.digest ^ x) * 0x9e3779b97f4a7c15
	r.digest = d ^ d>>29
}

// handle acts on an event of the queue.
func (r *run) handle(e event) {
	k := e.kind()
	switch k {
	case evArrive:
		r.waiting--
		r.advance(e.at, k, e.ref)
		r.arrive(e.ref)
		return
	case evGauge:
		r.advance(e.at, k, 0)
		r.gauge()
		return
	case evStore, evAnswer, evWoken:
		r.advance(e.at, k, e.ref)
		r.converse(k, e.ref)
		return
	}
	j := &r.jobs[e.ref]
	if k == evCancel && j.life != e.gen || k != evCancel && j.gen != e.gen {
		return // of an attempt that is over
	}
	r.advance(e.at, k, e.ref)
	if j.hold.on {
		r.heldBack(e.ref, k)
		return
	}
	if r.wall != nil {
		r.wall.cancel(e.ref) // the only event of a request that the wire does not bring
		return
	}
	core := r.cores[j.core]
	switch k {
	case evFirst:
		j.step.FirstToken = e.at
		core.FirstToken(e.at, j.attempt)
	case evProgress:
		core.Progress(e.at, j.attempt)
		r.follow(e.ref, j)
	case evEnd:
		r.finish(e.ref)
	case evCancel:
		core.Cancel(e.at, j.ticket)
	}
	r.drain(j.core)
}

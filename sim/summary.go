package sim

import (
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/compaction"
	"github.com/seed-4fd17b57/simload/stack/jitter"
	"github.com/seed-4fd17b57/simload/workload"
)

// summaries holds conversations to their context caps. A request that has outgrown its cap is held back until a request of
// the stack's own, a summary, has ended; then it goes out shortened. If the summary could not be had, or not in time, what it was to be of is lost.
// A summary is a request like any other: it waits, is limited, retried and billed, and has a profile of its own.
type summaries struct {
	of     []scenario.Summary // by profile
	memory map[uint64]compaction.Memory
}

// hold is what a job is to summaries. Of a request whose conversation has been summarised:
type hold struct {
	summarised bool
	on         bool   // it is held back, for
	summary    uint32 // this job, plus one, of the summary; 0: that has ended
	unwanted   bool   // its caller has given it up meanwhile
	// Of a summary: the job that waits for it, plus one; 0: it is none.
	waiter uint32
}

// newSummaries returns nil if nothing is summarised.
func newSummaries(set *scenario.Built) *summaries {
	if set.Summaries == nil {
		return nil
	}
	return &summaries{of: set.Summaries, memory: make(map[uint64]compaction.Memory)}
}

// summarise shortens a request, and reports whether it is held back for that. Later requests of its conversation
// take the summary for written as soon as it is asked for.
func (r *run) summarise(k uint32) (held bool) {
	j := &r.jobs[k]
	d := &j.demand
	of := &r.summaries.of[d.Profile]
	if of.Policy.Cap == 0 {
		return false
	}
	id, m := conversation(d), compaction.Memory{}
	converses := r.work.Converses(d.Source)
	if converses {
		m = r.summaries.memory[id]
	}
	fit, read, after := of.Policy.Fit(m, compaction.Prompt{Est: d.EstIn, In: d.In, Prefix: d.Prefix})
	switch {
	case converses && after.Compacted():
		r.summaries.memory[id] = after
	case m.Compacted():
		delete(r.summaries.memory, id) // the agent has begun another one
	}
	if !after.Compacted() {
		return false
	}
	d.EstIn, d.In, d.Prefix = fit.Est, fit.In, fit.Prefix
	j.hold.summarised = true
	if read.Est == 0 {
		return false
	}
	j.hold.on = true
	n := r.newJob()
	j, s := &r.jobs[k], &r.jobs[n]
	j.hold.summary = n + 1
	s.hold.waiter, s.core, s.hurried, s.recalled = k+1, j.core, true, true
	s.demand = workload.Demand{
		ID: jitter.Hash(j.demand.ID, 0x5a11, 0), Source: j.demand.Source, Client: j.demand.Client, Task: j.demand.Task, Profile: of.Profile,
		Intended: r.now, In: read.In, EstIn: read.Est, Prefix: read.Prefix, Out: of.Policy.Output, MaxOut: of.Policy.Output,
	}
	s.report = jobOf(&s.demand, r.now)
	r.pending++
	r.requests++
	r.rec.Offered(&s.report)
	if of.MaxWait > 0 {
		r.queue.push(r.now+of.MaxWait, evCancel, n, s.life)
	}
	r.submit(n)
	return true
}

// summaryDone lets the request go on that waited for a summary. It goes to its stack by an event, as that is not to be
// called while it tells what it has done.
func (r *run) summaryDone(s *job, written bool) {
	k := s.hold.waiter - 1
	j := &r.jobs[k]
	j.hold.summary = 0
	if d := &j.demand; !written {
		cut, after := r.summaries.of[d.Profile].Policy.Truncated(compaction.Prompt{Est: d.EstIn, In: d.In})
		d.EstIn, d.In = cut.Est, cut.In
		if _, goesOn := r.summaries.memory[conversation(d)]; goesOn {
			r.summaries.memory[conversation(d)] = after
		}
	}
	r.queue.push(r.now, evSubmit, k, j.gen)
}

// heldBack handles the events of a request that is held back.
func (r *run) heldBack(k uint32, what kind) {
	j := &r.jobs[k]
	switch {
	case what == evCancel:
		j.hold.unwanted = true
		if j.hold.summary == 0 {
			return // the summary has ended at this instant
		}
		s := &r.jobs[j.hold.summary-1]
		if r.wall != nil {
			r.wall.cancel(j.hold.summary - 1)
			return
		}
		r.cores[s.core].Cancel(r.now, s.ticket)
		r.drain(s.core)
	case j.hold.unwanted:
		r.rec.Submitted(r.now, &j.report)
		j.hold.on = false
		res := stack.Result{
			Request: r.request(j, k), Ending: stack.Cancelled, Reason: stack.ReasonCaller, Submitted: r.now, Ended: r.now,
		}
		r.done(&res)
	default:
		j.hold.on = false
		r.submit(k)
	}
}

// conversation is what a demand's prompt goes on with.
func conversation(d *workload.Demand) uint64 { return uint64(d.Client)<<32 | uint64(d.Task) }

package sim

import (
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// draw takes the source's next demand and schedules it if nothing holds it back.
func (r *run) draw(i uint32) {
	s := &r.sources[i]
	if s.next, s.alive = r.work.Next(int(i)); s.alive {
		r.schedule(i)
	}
}

// schedule puts the source's next demand into the queue: at its intended instant, or now
// if that has passed. An agent first waits for its requests under way, unless this one goes
// beside them, and works with its tool.
func (r *run) schedule(i uint32) {
	s := &r.sources[i]
	at := max(r.now, s.next.Intended)
	if !r.work.Open(int(i)) && !s.next.With {
		if s.out > 0 {
			return // done comes back to it
		}
		at = max(at, r.now+s.next.Tool)
	}
	s.queued = true
	r.waiting++
	r.queue.push(at, evArrive, i, 0)
}

// jobOf is what the recorder knows of a demand.
func jobOf(d *workload.Demand, issued time.Duration) report.Job {
	return report.Job{
		Profile: d.Profile, Agent: d.Client, ID: d.ID, Intended: d.Intended, Issued: issued, In: d.In, Out: d.Out,
		Task: d.Task, Prefix: d.Prefix,
	}
}

// undrawn counts what was intended and never issued because the run ended before:
// load that was offered all the same.
func (r *run) undrawn() {
	if r.halted {
		return
	}
	for i := range r.sources {
		s := &r.sources[i]
		for s.alive {
			j := jobOf(&s.next, r.now)
			r.rec.Offered(&j)
			s.next, s.alive = r.work.Next(i)
		}
	}
}

// arrive hands a source's demand to its stack, and draws the next.
func (r *run) arrive(i uint32) {
	s := &r.sources[i]
	s.queued = false
	if by := s.next.Deadline; by > 0 && r.now >= by {
		r.abandon(i) // its task is over before it began
		return
	}
	k := r.newJob()
	j := &r.jobs[k]
	j.demand = s.next
	d := &j.demand
	j.report = jobOf(d, r.now)
	j.core = d.Client % uint32(r.set.Instances)
	s.out++
	r.draw(i)
	r.pending++
	r.requests++
	r.rec.Offered(&j.report)
	info := &r.set.Profiles[d.Profile]
	at := r.giveUp(d)
	j.recalled = at > 0
	j.hurried = at > 0 || r.set.Stack.Timeouts.Deadline[info.Class] > 0
	if at > 0 {
		r.queue.push(at, evCancel, k, j.life)
	}
	if r.summaries == nil || !r.summarise(k) {
		r.submit(k)
	}
}

// submit hands a request to its stack.
func (r *run) submit(k uint32) {
	j := &r.jobs[k]
	j.alive = true
	j.report.Held = r.now - j.report.Issued
	r.rec.Submitted(r.now, &j.report)
	req := r.request(j, k)
	if r.wall != nil {
		if r.wall.pace != nil {
			r.wall.pace.now.Submitted++
		}
		r.wall.submit(j, req, j.recalled)
		return
	}
	j.ticket = r.cores[j.core].Submit(r.now, req)
	r.drain(j.core)
}

// giveUp is when the caller no longer wants the answer: his patience is at its end, or his
// task is over. 0: never.
func (r *run) giveUp(d *workload.Demand) time.Duration {
	patience := d.Patience
	if r.probe.patience != nil {
		patience = r.probe.patience(d)
	}
	at := d.Deadline
	if patience > 0 && (at == 0 || r.now+patience < at) {
		at = r.now + patience
	}
	return at
}

// abandon drops what is left of the source's task, of which next is a part.
func (r *run) abandon(i uint32) {
	r.abandoned += int64(r.work.Abandon(int(i))) + 1 // next itself, and what follows it in the task
	r.draw(i)
}

// goOn lets a source proceed after one of its requests has ended.
func (r *run) goOn(d *workload.Demand) {
	i := uint32(d.Source)
	s := &r.sources[i]
	s.out--
	if !s.alive || s.queued {
		return
	}
	if d.Deadline > 0 && r.now >= d.Deadline && s.next.Client == d.Client && s.next.Deadline == d.Deadline {
		r.abandon(i)
		return
	}
	r.schedule(i)
}

func (r *run) newJob() uint32 {
	if n := len(r.free); n > 0 {
		k := r.free[n-1]
		r.free = r.free[:n-1]
		return k
	}
	r.jobs = append(r.jobs, job{})
	return uint32(len(r.jobs) - 1)
}

// drain does what a core asks for, once after each call of it, and notes when it wants to be woken.
func (r *run) drain(core uint32) {
	c := r.cores[core]
	list := c.Effects()
	for i := range list {
		e := &list[i]
		switch e.Kind {
		case stack.EffectSend:
			r.send(&e.Attempt)
		case stack.EffectAbort:
			r.abort(uint32(e.Attempt.Tag), e.Why)
		case stack.EffectDone:
			r.done(e.Result)
		default:
			r.shared.pass(r.now, core, e)
		}
	}
	r.rearm(core)
}

// rearm sends what a stack has to say to the books that it shares, and notes when it wants to be woken.
func (r *run) rearm(core uint32) {
	if r.shared != nil {
		r.speak(core)
	}
	at, ok := r.nextWake(core)
	if !ok {
		at = -1
	}
	if at == r.armed[core] {
		return
	}
	r.armed[core] = at
	if ok {
		r.wakes.Set(int32(core), at)
	} else {
		r.wakes.Clear(int32(core))
	}
}

// nextWake is when a core, or what it has to say to the books that it shares, is due.
func (r *run) nextWake(core uint32) (time.Duration, bool) {
	at, ok := r.cores[core].NextWake()
	if r.shared == nil {
		return at, ok
	}
	if due, has := r.shared.members[core].Due(); has && (!ok || due < at) {
		return max(due, r.now), true
	}
	return at, ok
}

// done records the end of a request and lets its source go on.
func (r *run) done(res *stack.Result) {
	k := uint32(res.Request.Tag)
	j := &r.jobs[k]
	if meant, told := res.Value.(topic); res.CacheHit && told {
		j.report.Mistaken = meant != meaning(&j.demand)
	}
	r.rec.Done(r.now, &j.report, res)
	if r.log != nil {
		r.log.Append(&j.report, res)
	}
	if r.probe.done != nil {
		r.probe.done(j, res)
	}
	r.fold(uint64(res.Request.ID) ^ uint64(res.Ending)<<56 ^ uint64(len(res.Steps))<<48)
	if r.counted != nil {
		r.count(j, res)
	}
	if r.wall != nil && r.wall.pace != nil {
		r.wall.pace.done(r, j, res)
	}
	r.pending--
	j.alive = false
	j.life++
	j.gen++
	if j.hold.waiter > 0 {
		r.summaryDone(j, res.Ending == stack.Succeeded)
	} else {
		r.goOn(&j.demand)
	}
	j.hold = hold{}
	r.free = append(r.free, k)
}

// count keeps the tally of measured requests, for a guard that ends the run by it.
func (r *run) count(j *job, res *stack.Result) {
	if j.demand.Intended < r.set.Report.Warmup {
		return
	}
	t := &r.tally
	t.requests++
	n := int64(len(res.Steps))
	t.attempts += n
	t.retries += max(0, n-1)
	t.outcomes(res.Steps)
	switch res.Ending {
	case stack.DeadLettered:
		t.dead++
	case stack.Failed:
		t.failed++
	case stack.Rejected:
		t.rejected++
	case stack.Cancelled:
		t.cancelled++
	}
	r.counted(r)
}

// books are those of the upstream, or nil if it is not ours.
func (r *run) books() *mockupstream.Books {
	if r.wall != nil {
		return r.wall.books()
	}
	b := r.prov.Books()
	return &b
}

// closing gathers what the recorder needs at the end.
func (r *run) closing() report.Run {
	end := report.Run{Abandoned: r.abandoned, Now: r.now, Interrupted: r.halted, Books: r.books(), Digest: r.digest}
	end.Gates = make([]report.GateCount, len(r.set.Stack.Targets))
	end.InFlight = make([]int64, len(r.set.Profiles))
	end.Excluded = make([][]time.Duration, len(r.set.Stack.Keys))
	for k := range end.Excluded {
		end.Excluded[k] = make([]time.Duration, len(r.set.Stack.Targets))
	}
	alike := time.Duration(r.set.Instances)
	if r.wall != nil {
		alike *= time.Duration(max(1, r.wall.alike))
	}
	r.eachCore(func(k int, c *stack.Core) {
		for m := range end.Gates {
			n := c.Counts(m)
			if k == 0 && r.tells() || !r.set.Stack.Shared { // what they share each tells
				end.Gates[m].Increases += n.Raised
				end.Gates[m].Decreases += n.Lowered
			}
			end.BreakerOpened += n.BreakerOpened
			for _, u := range r.set.Stack.Targets[m].Keys {
				total, _ := c.Excluded(u.Quota)
				end.Excluded[u.Key][m] += total / alike // the mean of the stacks
			}
		}
	})
	for i, t := range r.work.TraceCounts() {
		if len(r.set.Workload.Traces[i].Models) == 0 {
			t.Unmapped = 0 // nobody asked for a mapping
		}
		end.Traces = append(end.Traces, report.TraceBook{
			Name: t.Name, Format: t.Format.String(), Passes: t.Passes, Rows: t.Rows, Failed: t.Failed,
			Unmapped: t.Unmapped, Skipped: t.Skipped, FirstSkipped: t.FirstSkipped,
		})
	}
	for i := range r.jobs {
		if j := &r.jobs[i]; j.alive {
			end.InFlight[j.demand.Profile]++
		}
	}
	return end
}

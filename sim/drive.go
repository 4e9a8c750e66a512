package sim

import (
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// draw takes the source's next demand and schedules it: at its intended instant, or
// now if the source was not free before.
func (r *run) draw(i uint32) {
	s := &r.sources[i]
	s.next, s.alive = r.work.Next(int(i))
	if !s.alive {
		return
	}
	s.queued = true
	r.waiting++
	r.queue.push(max(r.now, s.next.Intended), evArrive, i, 0)
}

// jobOf is what the recorder knows of a demand.
func jobOf(d *workload.Demand, issued time.Duration) report.Job {
	return report.Job{
		Profile: d.Profile, Agent: d.Client, ID: d.ID, Intended: d.Intended, Issued: issued, In: d.In, Out: d.Out,
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
			if s.queued {
				j := jobOf(&s.next, r.now)
				r.rec.Offered(&j)
			}
			s.next, s.alive = r.work.Next(i)
			s.queued = true
		}
	}
}

// arrive hands a source's demand to its stack.
func (r *run) arrive(i uint32) {
	k := r.newJob()
	j := &r.jobs[k]
	j.demand = r.sources[i].next
	r.sources[i].queued = false
	d := &j.demand
	j.report = jobOf(d, r.now)
	j.core = d.Client % uint32(len(r.cores))
	j.alive = true
	info := &r.set.Requests[d.Profile]
	if j.stream = r.work.Open(int(i)); j.stream {
		r.draw(i)
	}
	r.pending++
	r.requests++
	r.rec.Offered(&j.report)
	r.rec.Submitted(r.now, &j.report)
	j.ticket = r.cores[j.core].Submit(r.now, stack.Request{
		ID: stack.RequestID(d.ID), Tag: uint64(k), Agent: d.Client, Class: info.Class, Route: info.Route,
		Kind: info.Kind, Write: d.Write, EstIn: d.EstIn, MaxOut: d.MaxOut,
	})
	if r.probe.patience != nil {
		if patience := r.probe.patience(d); patience > 0 {
			r.queue.push(r.now+patience, evCancel, k, j.life)
		}
	}
	r.drain(j.core)
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

// drain does what a core asks for, and notes when it wants to be woken.
func (r *run) drain(core uint32) {
	c := r.cores[core]
	for e := range effects(c) {
		switch e.Kind {
		case stack.EffectSend:
			r.send(&e.Attempt)
		case stack.EffectAbort:
			r.abort(uint32(e.Attempt.Tag), e.Why)
		case stack.EffectDone:
			r.done(e.Result)
		}
	}
	at, ok := c.NextWake()
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

// effects yields the effects of a core by reference.
func effects(c *stack.Core) func(yield func(*stack.Effect) bool) {
	return func(yield func(*stack.Effect) bool) {
		list := c.Effects()
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// send puts an attempt before the provider and schedules what it plans.
func (r *run) send(a *stack.Attempt) {
	k := uint32(a.Tag)
	j := &r.jobs[k]
	d := &j.demand
	in, prefix := d.In, d.Prefix
	if a.ContextCap > 0 && d.EstIn > a.ContextCap {
		// The rest is summarised: the real prompt shrinks as the estimate does, and a
		// fresh summary repeats nothing.
		in, prefix = max(1, d.In*a.ContextCap/d.EstIn), 0
	}
	j.gen++
	j.attempt, j.open = a.ID, true
	j.step = stack.Step{Target: a.Target, Key: a.Key, Degrade: a.Step, Sent: r.now}
	j.plan = r.prov.Admit(r.now, mockupstream.Call{
		ID: d.ID, Attempt: a.Number, Key: a.Key, Model: a.Target, In: in, MaxOut: a.MaxOut, Out: d.Out,
		Conversation: uint64(d.Client)<<32 | uint64(d.Task), Prefix: prefix,
		Write: a.Write, WriteID: d.ID, IdempotencyKey: a.IdempotencyKey,
	})
	j.call = j.plan.ID
	r.attempts++
	if r.probe.sent != nil {
		r.probe.sent(a, &j.plan)
	}
	r.rec.Sent(r.now, &j.report, a.Target, a.Key, a.Number)
	p := &j.plan
	switch p.Fate {
	case mockupstream.FateAnswer:
		if p.Code == mockupstream.CodeOK && p.FirstToken < p.End {
			r.queue.push(p.FirstToken, evFirst, k, j.gen)
		}
		r.queue.push(p.End, evEnd, k, j.gen)
	case mockupstream.FateBreak:
		r.queue.push(p.FirstToken, evFirst, k, j.gen)
		r.queue.push(p.End, evEnd, k, j.gen)
	case mockupstream.FateStall:
		r.queue.push(p.FirstToken, evFirst, k, j.gen)
	case mockupstream.FateRefused:
		r.queue.push(p.End, evEnd, k, j.gen)
	case mockupstream.FateHang:
	}
	if p.Fate != mockupstream.FateHang && p.Fate != mockupstream.FateRefused {
		r.follow(k, j)
	}
}

// follow schedules signs of life of a long stream: bytes come all along, but only as
// many are told as keep the stack from taking the stream for dead.
func (r *run) follow(k uint32, j *job) {
	every := r.set.Stack.Timeouts.Gap / 2
	if next := max(r.now, j.plan.FirstToken) + every; next < j.plan.End {
		r.queue.push(next, evProgress, k, j.gen)
	} else if j.plan.Fate == mockupstream.FateStall && r.now < j.plan.End && j.plan.End > j.plan.FirstToken {
		r.queue.push(j.plan.End, evProgress, k, j.gen) // the last byte
	}
}

// finish tells the stack how an attempt ended.
func (r *run) finish(k uint32) {
	j := &r.jobs[k]
	var used mockupstream.Usage
	if j.plan.Fate == mockupstream.FateBreak {
		used = r.prov.Disconnect(r.now, j.call)
	} else {
		used = r.prov.Complete(r.now, j.call)
	}
	o := outcome(&j.plan, used)
	if o.Status == 429 {
		r.refused++
	}
	if o.Kind == stack.Success && j.step.FirstToken == 0 {
		j.step.FirstToken = r.now
		r.cores[j.core].FirstToken(r.now, j.attempt)
		r.drain(j.core)
	}
	r.over(j, o, used)
	r.cores[j.core].Finish(r.now, j.attempt, o)
}

// abort takes an attempt off the wire.
func (r *run) abort(k uint32, why stack.OutcomeKind) {
	j := &r.jobs[k]
	used := r.prov.Disconnect(r.now, j.call)
	r.over(j, stack.Outcome{Kind: why}, used)
}

// over records the end of an attempt.
func (r *run) over(j *job, o stack.Outcome, used mockupstream.Usage) {
	j.step.Ended, j.step.Outcome = r.now, o
	j.open = false
	j.gen++
	r.rec.Attempted(r.now, &j.report, &j.step, stack.Usage(used), o.Kind.Unknown())
	if r.probe.ended != nil {
		r.probe.ended(j)
	}
}

// done records the end of a request and lets its source go on.
func (r *run) done(res *stack.Result) {
	k := uint32(res.Request.Tag)
	j := &r.jobs[k]
	r.rec.Done(r.now, &j.report, res)
	if r.log != nil {
		r.log.Append(&j.report, res)
	}
	if r.probe.done != nil {
		r.probe.done(j, res)
	}
	r.fold(uint64(res.Request.ID) ^ uint64(res.Ending)<<56 ^ uint64(len(res.Steps))<<48)
	r.count(j, res)
	r.pending--
	j.alive = false
	j.life++
	i, stream := uint32(j.demand.Source), j.stream
	j.gen++
	r.free = append(r.free, k)
	if !stream {
		r.draw(i)
	}
}

// count keeps the tally of measured requests.
func (r *run) count(j *job, res *stack.Result) {
	if j.demand.Intended < r.set.Report.Warmup {
		return
	}
	t := &r.tally
	t.requests++
	n := int64(len(res.Steps))
	t.attempts += n
	t.retries += max(0, n-1)
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
}

// outcome puts the provider's answer into the stack's words.
func outcome(p *mockupstream.Plan, used mockupstream.Usage) stack.Outcome {
	o := stack.Outcome{Status: p.Status, RetryAfter: p.RetryAfter, HasRetryAfter: p.HasRetryAfter}
	switch p.Fate {
	case mockupstream.FateRefused:
		o.Kind = stack.ConnectFailed
		return o
	case mockupstream.FateBreak:
		o.Kind = stack.StreamBroken
		return o
	}
	switch p.Code {
	case mockupstream.CodeOK:
		o.Kind, o.Usage = stack.Success, stack.Usage(used)
	case mockupstream.CodeRateLimitRequests, mockupstream.CodeRateLimitTokens:
		o.Kind = stack.RateLimited
	case mockupstream.CodeRequestTooLarge:
		o.Kind = stack.TooLarge
	case mockupstream.CodeContextLength:
		o.Kind = stack.BadRequest
	case mockupstream.CodeOverloaded:
		o.Kind = stack.Overloaded
	case mockupstream.CodeUnauthorized:
		o.Kind = stack.Unauthorized
	default:
		o.Kind = stack.ServerError
	}
	return o
}

// closing gathers what the recorder needs at the end.
func (r *run) closing() report.Run {
	books := r.prov.Books()
	end := report.Run{Now: r.now, Interrupted: r.halted, Books: &books, Digest: r.digest}
	end.Gates = make([]report.GateCount, len(r.set.Stack.Targets))
	end.InFlight = make([]int64, len(r.set.Requests))
	end.Excluded = make([][]time.Duration, len(r.set.Stack.Keys))
	for k := range end.Excluded {
		end.Excluded[k] = make([]time.Duration, len(r.set.Stack.Targets))
	}
	for _, c := range r.cores {
		for m := range end.Gates {
			n := c.Counts(m)
			end.Gates[m].Increases += n.Raised
			end.Gates[m].Decreases += n.Lowered
			end.BreakerOpened += n.BreakerOpened
			for _, u := range r.set.Stack.Targets[m].Keys {
				total, _ := c.Excluded(u.Quota)
				end.Excluded[u.Key][m] += total
			}
		}
	}
	for i := range r.jobs {
		if j := &r.jobs[i]; j.alive {
			end.InFlight[j.demand.Profile]++
		}
	}
	return end
}

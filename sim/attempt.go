package sim

import (
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
)

// send puts an attempt before the provider and schedules what it plans.
func (r *run) send(a *stack.Attempt) {
	k := uint32(a.Tag)
	j := &r.jobs[k]
	d := &j.demand
	j.gen++
	j.attempt = a.ID
	j.step = stack.Step{Target: a.Target, Key: a.Key, Degrade: a.Step, Sent: r.now}
	call := callOf(d, a)
	if r.wire == nil {
		j.plan = r.prov.Admit(r.now, call)
	} else if j.plan, j.step.Outcome, r.err = r.wire.admit(r.now, &call); r.err != nil {
		r.halted = true
		return
	}
	r.attempts++
	if r.probe.sent != nil {
		r.probe.sent(a, &j.plan)
	}
	r.rec.Sent(r.now, &j.report, a.Target, a.Key, a.Number)
	r.await(k, j, a.FirstTokenBy)
}

// await schedules what the provider plans.
func (r *run) await(k uint32, j *job, firstBy time.Duration) {
	p := &j.plan
	switch p.Fate {
	case mockupstream.FateHang:
		return
	case mockupstream.FateRefused, mockupstream.FateClosed:
		r.queue.push(p.End, evEnd, k, j.gen)
		return
	case mockupstream.FateAnswer:
		// An answer that ends before anybody could miss its first token needs no event for it.
		if p.Status < 400 && p.FirstToken < p.End && (j.hurried || p.End >= firstBy) {
			r.queue.push(p.FirstToken, evFirst, k, j.gen)
		}
		r.queue.push(p.End, evEnd, k, j.gen)
	case mockupstream.FateBreak, mockupstream.FateError:
		r.queue.push(p.FirstToken, evFirst, k, j.gen)
		r.queue.push(p.End, evEnd, k, j.gen)
	case mockupstream.FateStall:
		r.queue.push(p.FirstToken, evFirst, k, j.gen)
	}
	r.follow(k, j)
}

// follow schedules signs of life of a long stream: of the bytes that come, tokens and
// heartbeats, only as many are told as keep the stack from taking the stream for dead.
func (r *run) follow(k uint32, j *job) {
	p := &j.plan
	every := r.set.Stack.Timeouts.Gap / 2
	next := max(r.now, p.FirstToken) + max(every, p.Beat)
	switch {
	case next < p.End:
		r.queue.push(next, evProgress, k, j.gen)
	case p.Fate != mockupstream.FateStall:
	case r.now < p.End && p.End > p.FirstToken:
		r.queue.push(p.End, evProgress, k, j.gen) // the last byte
	case p.Heartbeat > 0 && r.now+p.Heartbeat <= p.End+stack.SilentGaps*r.set.Stack.Timeouts.Gap:
		r.queue.push(r.now+max(every, p.Heartbeat), evProgress, k, j.gen)
	}
}

// finish tells the stack how an attempt ended.
func (r *run) finish(k uint32) {
	j := &r.jobs[k]
	var used mockupstream.Usage
	if f := j.plan.Fate; f == mockupstream.FateBreak || f == mockupstream.FateClosed {
		used = r.prov.Disconnect(r.now, j.plan.ID)
	} else {
		used = r.prov.Complete(r.now, j.plan.ID)
	}
	o := j.step.Outcome
	if r.wire == nil {
		o = outcome(&j.plan, used)
	}
	if o.Status == 429 {
		r.refused++
	}
	if o.Kind == stack.Success && j.step.FirstToken == 0 {
		o.FirstToken = j.plan.FirstToken
		j.step.FirstToken = o.FirstToken
	}
	if r.set.Stack.Cache != nil {
		o.Value = meaning(&j.demand)
	}
	r.over(j, o, used)
	r.cores[j.core].Finish(r.now, j.attempt, o)
}

// abort takes an attempt off the wire.
func (r *run) abort(k uint32, why stack.OutcomeKind) {
	j := &r.jobs[k]
	used := r.prov.Disconnect(r.now, j.plan.ID)
	r.over(j, stack.Outcome{Kind: why}, used)
}

// over records the end of an attempt.
func (r *run) over(j *job, o stack.Outcome, used mockupstream.Usage) {
	j.step.Ended, j.step.Outcome = r.now, o
	j.gen++
	bill := report.Bill{Usage: stack.Usage(used)}
	if used.In > 0 {
		bill.CacheWrite, bill.Long = j.plan.CacheWrite, j.plan.Long
	}
	r.rec.Attempted(r.now, &j.report, &j.step, bill, o.Kind.Unknown())
	if r.probe.ended != nil {
		r.probe.ended(j)
	}
}

// outcome puts the provider's answer into the stack's words, as the stack's codec does with the
// bytes of it.
func outcome(p *mockupstream.Plan, used mockupstream.Usage) stack.Outcome {
	o := stack.Outcome{Status: p.Status, RetryAfter: p.RetryAfter, HasRetryAfter: p.HasRetryAfter}
	switch p.Fate {
	case mockupstream.FateRefused:
		o.Kind = stack.ConnectFailed
		return o
	case mockupstream.FateBreak, mockupstream.FateClosed:
		o.Kind = stack.StreamBroken
		return o
	case mockupstream.FateError:
		// The provider says what went wrong, but not how far it had come.
		o.Kind, o.Status = stack.StreamBroken, int(p.ErrorStatus)
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
	case mockupstream.CodeOverloaded, mockupstream.CodeConcurrency, mockupstream.CodeSlowDown:
		o.Kind = stack.Overloaded
	case mockupstream.CodeNoCredit:
		o.Kind = stack.OutOfCredit
	case mockupstream.CodeUnauthorized:
		o.Kind = stack.Unauthorized
	default:
		o.Kind = stack.ServerError
	}
	return o
}

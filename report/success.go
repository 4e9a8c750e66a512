package report

import "github.com/seed-4fd17b57/simload/stack"

// failed reports whether a request counts as a failure beside the percentiles.
func failed(e stack.Ending) bool {
	return e == stack.DeadLettered || e == stack.Failed || e == stack.Rejected
}

// success records the latencies of a measured request.
func (r *Recorder) success(j *Job, res *stack.Result, whole reading, model, key int) {
	total := res.Ended - j.Intended
	h, at := &r.latency[j.Profile], j.Profile*(r.models+1)+model
	r.whole[at].put(total, whole)
	h[atQueue].record(res.Queued + res.Capped)
	h[atBackoff].record(res.Backoff)
	if key < 0 {
		r.cacheHits++
		if j.Mistaken {
			r.cacheWrong++
		}
		return
	}
	h[atFromSend].record(res.Ended - res.Steps[0].Sent)
	r.keyLatency[key].put(total, whole)
	if d := res.Degrade; d > 0 && d < len(r.degraded) {
		r.degraded[d]++
	}
	if last := &res.Steps[len(res.Steps)-1]; last.FirstToken > 0 {
		r.first[at].record(last.FirstToken - last.Sent)
		h[atGeneration].record(last.Ended - last.FirstToken)
	}
}

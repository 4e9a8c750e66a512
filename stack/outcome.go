package stack

import "github.com/seed-4fd17b57/simload/stack/wire"

// OutcomeOf puts what the codec says of an answer that was read to its end into the words of the core:
// the reply of a success, or the problem. An error inside a 200 comes too late to be anything
// but a broken answer: how far the vendor had come, and what it bills, is unknown.
func OutcomeOf(status int, reply *wire.Reply, problem *wire.Problem) Outcome {
	o := Outcome{Status: status}
	if reply != nil && reply.HasUsage {
		o.Usage = Usage(reply.Usage)
	}
	if problem == nil {
		o.Kind = Success
		return o
	}
	o.RetryAfter, o.HasRetryAfter = problem.RetryAfter, problem.HasRetryAfter
	if status >= 300 {
		o.Kind = kindOutcomes[problem.Kind]
		return o
	}
	o.Kind = StreamBroken
	if problem.Status != 0 {
		o.Status = problem.Status
	}
	return o
}

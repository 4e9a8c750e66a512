package stack

import "github.com/seed-4fd17b57/simload/stack/wire"

// OutcomeOf puts what the codec says of an answer that was read to its end into the words of the core:
// the reply of a success, or the problem. An error inside a 200 is a broken answer: how far the vendor had
// come, and what it bills, is unknown. Only one that comes before any text and says that the request, the key or
// the credit is at fault is taken at its word, since it is never worth a retry (INV-44).
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
	if reply == nil || reply.Text == "" {
		switch problem.Kind {
		case wire.BadRequest, wire.TooLarge, wire.Unauthorized, wire.OutOfCredit:
			o.Kind = kindOutcomes[problem.Kind]
		}
	}
	return o
}

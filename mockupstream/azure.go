package mockupstream

import "time"

// azure: a deployment's token counter grows by prompt and max_tokens of every call and is
// set back to 0 each minute of the clock; requests are counted in windows of 10 s, or of
// Quota.Quantum (1 s), whose share of RPM is rounded up. Refused calls count in both, except that
// one larger than the token limit itself counts as a request alone.
//
// Resets in headers are whole seconds. A 429 says retry-after-ms, which is
// Plan.RetryAfter, and Retry-After in whole seconds, rounded up.
var azure = dialect{
	name:          "azure",
	knows:         meters(MeterRequests, MeterTokens, MeterBurst),
	tokens:        func(in, maxOut int64) int64 { return in + maxOut },
	build:         buildAzure,
	grid:          time.Millisecond,
	inStream:      openAIEvent,
	overloaded:    503,
	noCredit:      429,
	countsRefused: true,
}

func buildAzure(q *quota, clock calendar) {
	part := q.cfg.Quantum
	if part == 0 {
		part = 10 * time.Second
	}
	windows(q, clock, part)
}

package mockupstream

import "time"

// openRouter: an account has so many requests per minute of the clock and per day (UTC). Credit
// (Quota.Spend) that would not pay for prompt and max_tokens is a 402. Once processing has
// begun the status is 200, whatever happens: comments are sent until the first token
// (Plan.FillUntil), and what fails then is an error event (FaultStreamError).
var openRouter = dialect{
	name:       "openrouter",
	knows:      meters(MeterRequests, MeterDayRequests, MeterSpend),
	tokens:     promptOnly,
	build:      buildOpenRouter,
	grid:       time.Millisecond,
	burstGrid:  time.Second, // it is the upstream's, passed on with a Retry-After in seconds
	overloaded: 503,
	noCredit:   402,
	dated:      true,
	prepays:    true,
	fills:      true,
}

func buildOpenRouter(q *quota, clock calendar) {
	windows(q, clock, time.Minute)
	if q.cfg.RPD > 0 {
		q.more = append(q.more, windowMeter(MeterDayRequests, q.cfg.RPD, 24*time.Hour, clock))
	}
}

package mockupstream

import "time"

// openAI: leaky buckets that drain continuously, each as large as its limit, for requests and
// tokens per minute and per day. A call is charged the larger of its prompt and
// max_tokens when it arrives, cache reads included, and nothing is given back. The formula
// and its proof by observed answers stand at bucket.
//
// A call may count against the organisation's quota (Key.Quotas) and the project's (Key.Extra),
// and a long prompt against other ones (Key.Long). Models of a family share a quota. Above the
// grain of Quota.Quantum not even the minute's requests may come at once (60 000 a
// minute are enforced as 1 000 a second).
//
// Two waits are told. The text says it in milliseconds, cut off ("634ms" for 634.8 ms), so one who
// follows the text may be a fraction of a millisecond early. The headers say it
// rounded up: retry-after-ms is Plan.RetryAfter, and Retry-After that in whole seconds, at
// least 1. Following a header is always safe.
var openAI = dialect{
	name:       "openai",
	knows:      meters(MeterRequests, MeterTokens, MeterDayRequests, MeterDayTokens, MeterBurst, MeterSlope, MeterSpend),
	tokens:     func(in, maxOut int64) int64 { return max(in, maxOut) },
	build:      buildOpenAI,
	grid:       time.Millisecond,
	inStream:   openAIEvent,
	overloaded: 503,
	noCredit:   429,
}

func buildOpenAI(q *quota, _ calendar) {
	buckets(q)
	if q.cfg.RPD > 0 {
		q.more = append(q.more, leakyMeter(MeterDayRequests, q.cfg.RPD, 24*time.Hour))
	}
	if q.cfg.TPD > 0 {
		q.more = append(q.more, leakyMeter(MeterDayTokens, q.cfg.TPD, 24*time.Hour))
	}
}

// openAIEvent: an error event has a type and a code, and no status.
func openAIEvent(status int16) int16 {
	switch status {
	case 502, 504:
		return 500 // server_error
	case 529:
		return 503 // server_is_overloaded
	}
	return status
}

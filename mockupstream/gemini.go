package mockupstream

import "time"

// gemini: windows. Requests and input tokens are counted per minute of the clock, requests
// also per day, which ends at midnight in California (Config.Epoch says which date
// instant 0 has; daylight saving is kept). Minutes are windows, not buckets, because
// observed answers ask for up to 59 s where one slot of a bucket would be 4 s. Output and max_tokens do not count.
//
// There are no headers. The body names every limit that was broken (QuotaFailure) and a
// delay (RetryInfo) in whole seconds, rounded up. The trap: for a limit per day, too, the delay
// is the rest of the minute. Who follows it then is refused again; Refusal.Wait has the truth.
var gemini = dialect{
	name:       "gemini",
	knows:      meters(MeterRequests, MeterTokens, MeterDayRequests, MeterSpend),
	tokens:     promptOnly,
	build:      buildGemini,
	grid:       time.Second,
	overloaded: 503,
	noCredit:   429,
	lists:      true,
	shortDay:   true,
}

func buildGemini(q *quota, clock calendar) {
	windows(q, clock, time.Minute)
	if q.cfg.RPD > 0 {
		q.more = append(q.more, windowMeter(MeterDayRequests, q.cfg.RPD, 0, clock))
	}
}

package mockupstream

import "time"

// anthropic: leaky buckets that drain continuously, for requests, input and output per
// minute. Input (TPM) counts the prompt without what is read from the prompt cache: an estimate
// (Call.EstIn) at first, corrected when the call ends; older models count cache reads too
// (Quota.CountCached). Output (OTPM) counts what is generated, as it is generated (fluid), so it
// can go beyond its limit in mid-answer and then refuses the next call; max_tokens
// counts nowhere. A cap on open calls (Quota.Concurrency) has a 429 with a text of its own
// and no Retry-After; the acceleration limit is Quota.Slope.
//
// What is not read from the cache is written to it, at a price of its own (Plan.CacheWrite).
//
// Retry-After is in whole seconds, rounded up. Remaining tokens are rounded to thousands, and a
// reset is the date at which the limit is whole again, in whole seconds.
var anthropic = dialect{
	name:        "anthropic",
	knows:       meters(MeterRequests, MeterTokens, MeterOutput, MeterBurst, MeterSlope, MeterConcurrency, MeterSpend),
	tokens:      promptOnly,
	build:       buildAnthropic,
	grid:        time.Second,
	inStream:    anthropicEvent,
	overloaded:  529,
	noCredit:    429,
	uncached:    true,
	writesCache: true,
}

func buildAnthropic(q *quota, _ calendar) {
	buckets(q)
	if q.cfg.OTPM > 0 {
		q.fluid = &fluid{bucket: perMinute(q.cfg.OTPM)}
	}
}

// anthropicEvent: an error event has a type and no status.
func anthropicEvent(status int16) int16 {
	switch status {
	case 502:
		return 500 // api_error
	case 503:
		return 529 // overloaded_error
	}
	return status
}

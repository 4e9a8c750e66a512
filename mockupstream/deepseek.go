package mockupstream

import "time"

// deepSeek: no limit per time. An account may have so many calls open at once per model
// (Quota.Concurrency), counted from arrival to the end, waiting ones included; one more is
// refused at once, and no answer says when to come back. Calls beyond the model's capacity
// are taken and wait in line: the server sends fillers (empty lines, or keep-alive comments in a
// stream) until it starts (Plan.FillUntil), so that no time-out between bytes ever strikes. If that
// would take longer than Model.MaxWait, it closes the connection then (FateClosed).
var deepSeek = dialect{
	name:       "deepseek",
	knows:      meters(MeterConcurrency, MeterSpend),
	tokens:     promptOnly,
	build:      func(q *quota, clock calendar) { windows(q, clock, time.Minute) },
	grid:       time.Millisecond,
	inStream:   openAIEvent,
	burst:      CodeConcurrency, // the vendor has no other 429
	burstGrid:  time.Second,
	overloaded: 503,
	noCredit:   402,
	waits:      true,
}

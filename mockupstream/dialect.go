package mockupstream

import (
	"strconv"
	"time"
)

// Dialect names a vendor's way of limiting and answering. What they do when a call arrives:
//
//	             TPM is charged                  limits are           told wait is in
//	OpenAI       max(prompt, max_tokens)         leaky buckets        ms
//	Anthropic    prompt less cache reads         leaky buckets        s, rounded up
//	Gemini       prompt                          windows              s, rounded up
//	DeepSeek     (concurrency alone)             calls that are open  nothing
//	Azure        prompt + max_tokens             windows              ms
//	OpenRouter   (requests alone)                windows              ms
type Dialect uint8

// Dialects.
const (
	DialectOpenAI Dialect = iota
	DialectAnthropic
	DialectGemini
	DialectDeepSeek
	DialectAzure
	DialectOpenRouter
)

// String returns the dialect's name in lower case.
func (d Dialect) String() string {
	if int(d) < len(dialects) {
		return dialects[d].name
	}
	return "dialect " + strconv.Itoa(int(d))
}

// dialect is the table of what a vendor does differently. The state machines (meter,
// fluid, slope, line) are shared; a dialect says which of them stand behind a quota, what
// a call is charged, and how an answer is rounded.
type dialect struct {
	name string
	// knows is which limits a quota may have.
	knows Meters
	// tokens is what a call is charged on TPM, cache reads aside.
	tokens func(in, maxOut int64) int64
	// build sets a quota's meters up.
	build func(q *quota, clock calendar)
	// grid is what a told wait is rounded up to.
	grid time.Duration
	// burst is what a 429 of a scripted burst that tells no wait stands for, and burstGrid what its
	// told wait is rounded up to; 0: CodeRateLimitRequests, and grid.
	burst     Code
	burstGrid time.Duration
	// inStream returns the status that an error event of a status can say; nil: that one.
	inStream func(status int16) int16
	// overloaded and noCredit are the statuses of a model that is full and of spent credit.
	overloaded, noCredit int
	// uncached: cache reads do not count against TPM, and the first estimate of the
	// prompt (Call.EstIn) is corrected at the end.
	uncached bool
	// writesCache: what is not read from the cache is written to it at a price.
	writesCache bool
	// waits: calls beyond the capacity wait in line.
	waits bool
	// countsRefused: refused calls always count.
	countsRefused bool
	// lists: the answer names all limits that were broken.
	lists bool
	// dated: the told wait is a date, so it runs from the refusal on, not from when the client hears
	// of it.
	dated bool
	// shortDay: a broken limit per day is told as a wait until the next minute.
	shortDay bool
	// prepays: a call whose largest price is beyond the credit that is left is refused.
	prepays bool
	// fills: fillers until the first token, also when the call does not wait in line.
	fills bool
}

var dialects = [...]dialect{
	DialectOpenAI:     openAI,
	DialectAnthropic:  anthropic,
	DialectGemini:     gemini,
	DialectDeepSeek:   deepSeek,
	DialectAzure:      azure,
	DialectOpenRouter: openRouter,
}

// defaultMaxWait is how long DeepSeek's documentation lets a call wait before the server closes.
const defaultMaxWait = 10 * time.Minute

func meters(list ...Meter) (s Meters) {
	for _, m := range list {
		s |= 1 << m
	}
	return s
}

func promptOnly(in, _ int64) int64 { return in }

// quantum is how many requests of a limit per minute fit into a part of the minute, rounded up.
func quantum(perMinute int64, part time.Duration) int64 {
	return (perMinute*int64(part/time.Millisecond) + 59_999) / 60_000
}

// buckets gives a quota leaky buckets for its limits per minute and, if asked to, the finer one
// of Quota.Quantum.
func buckets(q *quota) {
	q.requests = leakyMeter(MeterRequests, q.cfg.RPM, time.Minute)
	q.tokens = leakyMeter(MeterTokens, q.cfg.TPM, time.Minute)
	if q.cfg.Quantum > 0 && q.cfg.RPM > 0 {
		q.more = append(q.more, leakyMeter(MeterBurst, quantum(q.cfg.RPM, q.cfg.Quantum), q.cfg.Quantum))
	}
	if q.cfg.Slope.From > 0 {
		q.slope = newSlope(q.cfg.Slope)
	}
}

// windows gives a quota windows for its limits per minute.
func windows(q *quota, clock calendar, requests time.Duration) {
	q.requests = windowMeter(MeterRequests, quantum(q.cfg.RPM, requests), requests, clock)
	q.tokens = windowMeter(MeterTokens, q.cfg.TPM, time.Minute, clock)
}

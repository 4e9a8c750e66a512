// Package mockupstream is the LLM provider that a fleet is tested against: rate
// limits, latency, capacity, prompt caches, faults, duplicate writes and the bill,
// for any number of models of any number of vendors.
//
// Start with [Config] and [New]. The [Provider] is a state machine without clock,
// goroutine or I/O: the driver says what time it is and does the waiting.
//
//	plan := p.Admit(now, call)
//	// 429, 400, 5xx: the answer arrives at plan.End and nothing more is to be done
//	// admitted: first token at plan.FirstToken, last byte at plan.End, and then one of
//	usage := p.Complete(plan.End, plan.ID)   // the answer was read to its end
//	usage := p.Disconnect(now, plan.ID)      // the client went away, or the stream was cut
//
// What a call meets, in this order: a refused connection, a black hole, a key that may
// not use the model (401), a size beyond the model (400), an idempotency key whose
// first call still runs (409), a scripted 5xx, a scripted 429 burst, the rate limits
// (429), the capacity (503). Only a call that passes all of them is charged to its
// quota: requests and tokens together, or neither.
//
// Limits are OpenAI's, as observed in its answers: two buckets that drain continuously,
// each as large as the limit per minute, charged max(max_tokens, prompt) tokens and one
// request. The arithmetic is exact (see bucket), so Retry-After is a promise: a
// call that follows it to the millisecond is admitted if nobody else took the room, and
// one that comes a millisecond early is not.
//
// Every random draw (noise, faults) is a function of (Config.Seed, Call.ID,
// Call.Attempt), never of the order of calls. Instants are durations since the run began;
// a clock that stands still is fine, and one that steps back is held at its latest value.
//
// [Provider.Books] is the truth that a client's own account is compared with.
package mockupstream

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
// first call still runs (409), a scripted 5xx, scripted spent credit, a scripted 429 burst, the
// limits (429, 402), the capacity (503, 529, or a waiting line). Only a call that passes all of them is
// charged, to all its quotas and all their limits together, or to none.
//
// A model speaks a [Dialect]: its vendor's way of limiting, one file each (openai.go, anthropic.go,
// gemini.go, deepseek.go, azure.go, openrouter.go), whose head says what is observed and what is
// assumed. A dialect is a table; the machines behind it are shared: leaky buckets (bucket),
// windows of the calendar (window), output that flows in while it is generated (fluid), a limit on growth
// (slope), a waiting line (line). A key's calls may count against several quotas, and long prompts
// against other ones ([Key]).
//
// The arithmetic is exact, so Plan.RetryAfter is a promise: a lone client that follows it is
// admitted, and one that comes a millisecond before the wait that it was rounded up from
// (Refusal.Wait) is not. The exceptions are the vendors' own: Gemini tells a wait of seconds when the day is
// used up, a wrong burst (RetryAfterWrong) lies, and an estimate that was too low (Call.EstIn) is corrected later.
//
// On a real wire [Server] is the provider's driver: an http.Handler that any client can use, with the
// vendors' own paths, bodies, headers and streams, which [Codec] writes and understands. Nothing else here
// has a clock or a goroutine.
//
// Plans hold numbers only. [Provider.Headers], [Provider.ErrorBody] and [Provider.StreamError]
// put them into the vendor's words, for the codec. OpenAI's text cuts its wait off to
// milliseconds, as observed, so it may be short by a fraction of one; the headers round up, and are safe.
//
// Instant 0 is the date Config.Epoch, which only matters to vendors' minutes, days and dates.
//
// Every random draw (noise, faults) is a function of (Config.Seed, Call.ID,
// Call.Attempt), never of the order of calls. Instants are durations since the run began;
// a clock that stands still is fine, and one that steps back is held at its latest value.
//
// [Provider.Books] is the truth that a client's own account is compared with.
package mockupstream

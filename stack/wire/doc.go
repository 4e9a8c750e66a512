// Package wire writes requests to LLM providers and reads what they answer: requests, replies,
// streams, errors, waits and limits, of OpenAI's and of Anthropic's form, and with the
// errors and headers of all who speak one of them: Gemini, DeepSeek, Azure, OpenRouter.
//
// Start here: [Format.New] makes an *http.Request. If the answer's status is 400 or more,
// [ReadProblem] says what went wrong in the words a client decides by, and how long to wait. Of a
// 200, [Format.ReadReply] reads a whole body, and a [Stream] one that comes in pieces: a driver feeds
// it what it reads, and asks it at the end for the answer or for what is wrong with it. [ReadLimits]
// reads what any answer's headers say about limits.
//
// The package is pure: bytes and headers in, values out. It has no clock, goroutine or I/O, so
// that virtual time and sockets share it; where a date matters, the caller says what time it is.
//
// A client must be ready for the following, and the package is:
//
//   - an error inside a 200, as the whole body or in the middle of a stream;
//   - a stream or a body that ends early: only the last event makes a stream whole;
//   - a 429 that waiting does not cure, because the request is larger than the limit or the
//     credit is spent, and a 429 that is no rate limit but a provider that is full;
//   - waits in five places: retry-after-ms, Retry-After (seconds, fractions, durations, instants), a field
//     of the body, a reset in milliseconds since 1970, prose;
//   - a 403 that a firewall wrote, of which no key must die;
//   - fields of other types than they should have, in an answer that is good and billed.
//
// A secret goes into the request's header alone. No error and no value of this package prints
// it, except that a vendor may quote a key in [Problem.Message].
//
// The facts about vendors, and the observed answers in the tests, are of November 2026.
package wire

// Package otelstack tells OpenTelemetry what a [stack.Client] does.
//
// Start here: put what [New] returns into ClientConfig.Observer, and when the client is there call
// [Watch], which adds the gauges that are read off the client itself. The example shows both.
//
// Calls of vendors have the names of the conventions for generative AI (semantic conventions v1.41.0,
// in development; their own repository has other names since): one operation is one attempt, with
// gen_ai.operation.name chat, gen_ai.provider.name and gen_ai.request.model of its target, and
// error.type, the outcome, if it failed.
//
//	gen_ai.client.operation.duration             from send to end
//	gen_ai.client.operation.time_to_first_chunk  to the first token; to the first byte if not streamed
//	gen_ai.client.token.usage                    of successes, by gen_ai.token.type: input, output
//
// The rest, with attributes of which each is "simload." and the word in braces; key is the key's
// ID, never its secret:
//
//	simload.requests{route,class,ending,reason}      requests that ended
//	simload.request.duration{route,class,ending}     from submission to the end, all waits included
//	simload.request.queue{route,class}               in line at gates, all attempts together
//	simload.request.backoff{route,class}             between attempts, of requests that had to
//	simload.answers{route,step}                      successes, by degradation step; 0: as asked
//	simload.attempts{target,key,outcome}             attempts that ended
//	simload.attempts.in_flight{target}               attempts on the wire
//	simload.retries{target}                          attempts that are not the first of a request
//	simload.tokens{target,token_type}                input (cached included), cached, output; all attempts
//	simload.concurrency.limit{target}                attempts that may be in flight
//	simload.queue.length{target,class}               requests that wait in line
//
// Times are in seconds, in the buckets of the conventions, 10 ms to 82 s; those of whole requests
// go on to 655 s, as waits take longer. Names that the configuration uses twice are numbered.
package otelstack

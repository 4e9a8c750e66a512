// Package promstack counts for Prometheus what a [stack.Client] does.
//
// Start here: put what [New] returns into ClientConfig.Observer, and when the client is there call
// [Watch], which adds the gauges that are read off the client itself. The example shows both.
//
// Requests, by route and class:
//
//	simload_requests_total{route,class,ending,reason}      requests that ended
//	simload_request_duration_seconds{route,class,ending}   from submission to the end, all waits included
//	simload_queue_wait_seconds{route,class}                in line at gates, all attempts together
//	simload_backoff_seconds{route,class}                   between attempts, of requests that had to
//	simload_answers_total{route,step}                      successes, by degradation step; 0: as asked
//
// Attempts, by target; key is the key's ID, never its secret:
//
//	simload_attempts_total{target,key,outcome}             attempts that ended
//	simload_attempt_duration_seconds{target,outcome}       from send to end
//	simload_first_token_seconds{target}                    from send to the first token
//	simload_attempts_in_flight{target}                     attempts on the wire
//	simload_retries_total{target}                          attempts that are not the first of a request
//	simload_tokens_total{target,type}                      input (cached ones included), cached, output
//
// Gates, read at each scrape:
//
//	simload_concurrency_limit{target}                      attempts that may be in flight
//	simload_queue_length{target,class}                     requests that wait in line
//
// The first token of an answer that is not streamed is its first byte. A series appears with its
// first event. Names that the configuration uses twice are numbered: the
// second target "m" is "m#2". Histograms have the buckets of OpenTelemetry's conventions
// for generative AI, 10 ms to 82 s; those of whole requests go on to 655 s, as waits take longer.
package promstack

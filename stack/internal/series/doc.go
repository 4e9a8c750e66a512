// Package series is what the observers of a [stack.Client] share, whatever system of metrics
// they feed: the values that labels have, the buckets of histograms, and a table of series.
//
// Start here: [Grid]. An observer is called under the client's lock, so it must find the
// series of an event without building a string or looking into a map. A grid finds it by the
// numbers that the core deals in, such as target, key and outcome, and makes it when it
// is first wanted: most of the combinations never happen, and a series that is always 0 costs its
// reader as much as any other.
//
// [Targets], [Keys], [Routes], [Steps], [Classes], [Endings], [Reasons] and [Outcomes] are the
// values of labels in the order of those numbers.
package series

// Package report turns the stream of results of a simulated run into a report
// file, and report files into verdicts, tables and comparisons.
//
// Start here: [Report] in model.go is the file. Two halves meet in it and know
// nothing else of each other. The recording half, [Recorder], listens to a driver
// and produces one [Variant]. The judging half reads a Report and prints it; it
// needs neither the scenario nor the run.
//
// # What is counted
//
// Two populations are kept apart. Laws (conservation, Little's law, agreement with
// the provider's books) look at the whole run, and keep counters of their own, so
// that they do not check a number against itself. Statistics look at the requests
// whose intended instant lies in [Warmup, Duration), followed until they end,
// however late that is, and at all attempts of these requests. Rates ([Throughput]) look
// at what happened in this window, whenever it was intended. What does not belong to single
// requests ([Key], early retries, duplicate writes, retry peaks, breakers) is counted from
// the end of the warm-up to the end of the run. Only [Upstream] covers the whole run, as the laws do.
//
// Latencies run from the intended instant, so that a stalled provider cannot hide
// its stall by holding up those who would have asked. Percentiles are over
// successes; the number of failures stands beside them (dead-lettered, failed,
// rejected, and those that had not ended when the run did, or were never asked, unless
// it was interrupted; cancelled requests are neither).
//
// Tokens are counted as the provider billed them, attempts that came to nothing
// included; those of the latter are the wasted ones.
//
// # How exact the numbers are
//
// Latencies are rounded to the microsecond and kept in HdrHistograms of three
// significant digits from 1 µs to 24 h. A percentile p of n values is the value of
// rank p/100*n + 1/2, truncated and at least 1, as the Go implementation of
// HdrHistogram has it (Java rounds up instead, which differs by one rank at most);
// the value told is the upper end of its bucket, never beyond the exact maximum,
// and so between 0 and 0.1 % too high. Counts, means, minimum and maximum are
// exact. The percentiles per minute or interval that feed alerts and series come
// from coarser buckets, with an error of at most 1.6 %.
//
// Money is integer pico-USD until it is rounded once for display.
//
// # Fairness and herds
//
// [Fairness] says whether the agents were served evenly (Jain's index), who waited and
// starved longest, whether retries came in step (equal waits; the peak in 100 ms is
// in [Stack]), and what they cost (amplification, time in backoff, wasted tokens).
// Expectations call these jain, jain_throughput, longest_wait, starvation,
// starvation_p99, retry_peak, equal_waits, amplification, amplification_worst and
// backoff_share; [MetricNames] lists all metrics. With one agent no table is printed.
//
// # Replications
//
// [Recorder.Merge] pools finished runs of one setup: counts, money and histograms
// are summed, rates are taken over the summed time, each law holds if it holds
// in every run, and the agents of each run count as others. The slowest requests are
// those of all runs, series and alerts those of the first. Expectations and tables take
// the mean of a run where the file has a sum: counts, cost and times of exclusion.
//
// # Parts of one run
//
// Processes that carry one run together record a part each ([NewShare], [Recorder.Seal]). [Recorder.Join] adds them up in any order, and
// closing gives the report of one recorder that was told everything, to the last bit: percentiles, alerts, series and laws
// are those of the whole. Only of an agent that belongs to several parts the starvation is the longest that one of them saw.
//
// # Variants side by side
//
// All variants meet the same demand, and so do their replications with the same seed. So
// [Comparison] and expectations on the ratio of two variants take the ratio in each
// replication, and then the geometric mean of these ratios with Student's 95 % interval on
// their logarithms; what the seed does to both cancels out. A base that is 0 or a failure
// in any replication leaves the ratio undefined, and the report says so.
//
// # Formats
//
// [Render] writes a report in any of [Formats], [RenderAll] several as one value where the format
// has one. All are made from the report file alone. Names come from outside: each format escapes
// them, and bounds their length. Figures by which other tools follow a scenario from version to version
// are named in one place, with unit and direction (keyFigures).
package report

// Package sim runs scenarios: it holds the one order of events, the driver that carries
// requests from the workload through the stack to the mock upstream and back in virtual
// time, and what surrounds a run (variants, replications, reports).
//
// Start here: [Run] takes a loaded scenario (package sim/scenario) and returns a report.
//
// A run is single-threaded and deterministic. Its events are ordered by instant, then by
// kind (what the provider has done, then the stack's own timers, then new work), then by
// the order in which they were scheduled; time is in nanoseconds since the run began. An
// agent issues its next request at the instant its schedule intends, or when the one
// before has ended if that is later; latency counts from the intended instant all the
// same. After the end of the demand requests are followed until they end, for at most
// an hour of simulated time; what has not ended then is reported as in flight.
//
// Variants and replications are runs of their own, made side by side on all processors
// and put together in their order, so that the report does not depend on how many there
// are. Replication r of seed s has the seed s for r = 0 and a hash of both otherwise.
//
// A run may as well take place elsewhere: [Experiment] lists the runs, [RunPart] carries one out, and
// [Experiment.Assemble] makes of the parts, which travel as JSON, the report that [Run] makes. Package sim/shard deals
// them out among processes.
//
// In mode wall, or with --target, a run is carried over real sockets instead: the same agents, stack and
// books, on the wall clock, with a watch over the harness itself that calls the run INVALID when
// it was the bottleneck.
//
// Such a run may be carried by several processes at once: each has a [Share] of it, and [Load] is the mock that they all meet and
// the recorder in which their parts come together. Package sim/fleet/load leads them.
//
// Goroutines, locks and clocks are in the drivers alone: pool.go and meter.go (replications side by
// side), wall*.go (the wall clock), host.go and watch.go (what is measured of this process).
package sim

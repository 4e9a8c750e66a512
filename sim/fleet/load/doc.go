// Package load puts load on one upstream from many processes, on any number of machines: a run on the wall clock that is divided
// among workers of a NATS server.
//
// Start with [Conduct], which leads a run and makes its report, and [Work], which carries one share of it after the other. A run takes
// this course:
//
//	offer      the leader says what is to be run; workers of its version that have nothing to do claim a share each
//	prepare    a worker makes the scenario again from the server's store, gets its share ready, and says so
//	measure    the leader asks each worker for its clock several times; of the shortest exchange it keeps the offset
//	start      each worker is told the instant of the start by its own clock, and waits for it on its monotonic one
//	run        signs of life, and an interval of what was done, every second; the leader merges and shows them
//	end        each worker hands in what it recorded; the parts are put together as one recorder of the whole run would have it
//
// What a share is says package sim (sim.Share): a part of the agents and streams, with keys of its own. Nothing is moved from one worker
// to another once the run has begun: a worker that is lost makes the run INVALID, whatever the others measured, since the load was
// not the one that was asked for. So do intervals that do not come to what the worker handed in, and a start that was not common.
//
// Load ends by itself: a worker that hears nothing from its leader for [Settings.Orphan] stops.
//
// Decisions are state machines that take now: [Crew] (the leader's view of its workers), [Follower] (a worker's of its leader),
// [Ledger] (intervals), [Nearest] (clocks). conduct*.go and work*.go are the drivers. Messages about one share are
// requests that are answered, and repeated until they are; so nothing is kept by the server but the scenario and the results.
package load

// Package fleet spreads the runs of a sweep over worker processes on any number of machines, by a NATS server with JetStream.
//
// Start with [Submit], which offers the tasks of a sweep and collects their results, and [Work], which carries tasks out:
//
//	s, err := fleet.Submit(ctx, b, fleet.Job{Version: version, Kind: fleet.KindPlan}, sc, settings)
//	report, err := p.Run(plan.Session{Execute: s.Plan(ctx, stop)})
//
// A task is one run: of a plan, or of a scenario's variants and replications. A sweep's id is the hash of everything that its
// results depend on besides the task itself (version of the program, scenario with its overrides, content of its traces), a
// task's that of its own words (point, variant, replication, seed). Results are created once under the two ids. So a task that is delivered twice, or
// published again, does no harm, and a sweep that is submitted a second time takes up what is there: that is all there is to
// resuming. The answer has the same bytes as that of one machine, since results are put together by their tasks' order, whoever came first.
//
// Tasks wait in a work queue; a worker says every so often that it is still at work, and what it does not finish is delivered to
// another one after [Settings.AckWait]. A task that fails by itself is not tried again: the submitter is told. One that takes its
// workers with it is given up after [Settings.MaxDeliver]. A worker takes only tasks of its own version.
//
// Decisions are state machines that take now: [Book] (which tasks are out, which to publish again), [Roster] (which workers are there),
// [Board] (what to show). submit.go, worker.go and watch.go are the drivers; package bus is the connection, package server
// a server in the same process.
package fleet

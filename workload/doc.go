// Package workload draws the demand of a run: who asks what, and when.
//
// Start here: fill in a [Config], call [New], and ask every source for its demands
// with [Workload.Next] until it has no more. A source is one agent of a group, one
// open stream (or one client of it, if it has groups), or one recorded trace. Sources are numbered agents first, then
// streams, then traces, each in the order of the configuration.
//
// A [Demand] is drawn before anything is known of how it will be served. Each source
// owns a renewal schedule of intended instants, which a slow provider does not
// delay: an open source ([Workload.Open]) issues at the intended instant whatever
// became of the requests before it, while an agent does one thing at a time and
// issues at the later of the intended instant and the end of its previous request.
// Latency counts from the intended instant in both cases, so that waiting cannot hide
// behind a source that stopped asking.
//
// Every number is a function of (Config.Seed, source, purpose, number of the request)
// and of nothing else: not of the order in which sources are asked, not of other
// sources, not of the draws made for another purpose. Two variants of a scenario thus
// see the same requests (common random numbers), and one agent more leaves the others
// as they were, as long as it comes last.
//
// Quantities are drawn from a [Dist]. Instants are nanoseconds since the run began.
// Token counts are whole numbers from 1 to 2^40, rounded to the nearest.
//
// Agents work through tasks of rounds. A round's prompt is the prompt before it plus
// what the round adds, up to a cap; a phase either keeps the context of the phase
// before it or starts anew. [Demand.Prefix] says how much of a prompt the provider
// has seen in the round before. Before a round an agent may work with a tool, after one
// it may send out sub-agents and wait for all of them; [Demand.With] and [Demand.Tool]
// tell the driver when a request may be issued. A task that has run out of its time is
// given up with [Workload.Abandon], which leaves the tasks after it as they were.
//
// A stream's gaps are constant or drawn with a given burstiness (CV); its rate stands
// still or moves along a [Curve]; a [Mix] gives it several profiles, or groups of
// clients of which few send most of the load; a tick gathers requests at whole multiples of it; [Stream.Sessions]
// makes sessions of requests, at the arrivals that there are.
package workload

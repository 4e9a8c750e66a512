// Command simload runs load scenarios of LLM agents in virtual time and says
// whether they meet their expectations.
//
// Start here: main.go calls run (root.go), which builds an app, hangs the verbs
// on a cobra root command and turns whatever happens into an exit code. Each
// verb has a file of its own (run.go, plan.go, compare.go, check.go, schema.go, init.go, models.go,
// report.go, merge.go, import.go, coordinator.go, worker.go, version.go). A verb parses, wires, prints and exits; what a run
// does is decided in package sim, what a report looks like in package report.
//
// The rules of the command line:
//
//   - stdout carries the result and nothing else, so that it can be piped;
//     progress, timing and errors go to stderr.
//   - An error reads "simload: what went wrong" and says what to do next in a
//     line "hint: ...". What the user can mend exits 2, what we must mend exits 1.
//   - When several exit codes apply, the one that comes first in this order
//     wins: 1 internal error, 2 usage or scenario error, 130 interrupted, 3 the
//     run is invalid, 99 an expectation failed, 4 regression, 0 pass.
//   - A file named by the user is checked before the run starts and appears
//     whole or not at all. The first interrupt ends the run and writes what was
//     measured; the second ends the program.
//   - What the terminal is (width, colour, whether it is one) changes only what
//     is drawn on it, never a file.
//
// This is the only package that looks at the clock, the terminal and the
// environment: COLUMNS, NO_COLOR, TERM; SIMLOAD_DEBUG, which adds the stack
// trace to the report of an internal error; GITHUB_ACTIONS and
// GITHUB_STEP_SUMMARY (github.go); and SIMLOAD_NATS_TOKEN and
// SIMLOAD_NATS_PASSWORD, which fleet.go names and sim/fleet/bus reads.
package main

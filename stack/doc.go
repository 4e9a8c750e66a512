// Package stack is the client side of LLM API traffic: admission, key rotation,
// adaptive concurrency, retries, degradation.
//
// To call models with it: fill in [Default] with keys, quotas, targets and routes, and make a
// [Client] with [NewClient]; its example is a whole program. The client is a driver: what
// it does is decided by a core that sends nothing itself.
//
// To read the code start there: [Core], made with [New], is a state machine. Its methods tell it what
// has happened at an instant ([Core.Submit], [Core.FirstToken], [Core.Finish],
// [Core.Cancel], [Core.Advance]), and [Core.Effects] tells what is to be done about
// it: put an attempt on the wire, take one off, hand out a result. It knows no
// clock, goroutine or connection, so a simulation and a program in production run
// the same code, and a test can make up the instants. Its example shows a whole life.
//
// The path of a request:
//
//	context cap -> agent's rate cap -> gate -> attempt -> done
//	                                    ^         |
//	                                    +- wait --+   or the next degradation step, or a dead letter
//
// A gate stands in front of each target (a model of a vendor) and is the only place
// where requests wait for what they share. Its head is granted a slot and a key
// with requests and tokens together, or nothing. Classes are strict within a gate,
// first come first served within a class, and a part of every resource is P0's.
//
// Budgets are kept by quota, not by key or model: keys of one group and models of
// one family share what the provider shares. An attempt is charged by estimate and
// settled by what was used. A 429 rests the quota, overload lowers the gate's limit,
// and out of credit kills the key; see [OutcomeKind].
//
// Many processes can share one set of limits: [ClientConfig.Fleet], and package fleet, which holds what they share.
//
// The parts, each usable alone: wire (requests and answers as vendors write them), bucket (rate limits), limit (concurrency
// controllers), keyring (rotation), queue (lines), breaker, jitter (waits) and timer
// (deadlines).
package stack

// Package tee lets several observers watch one [stack.Client], which has a place for one:
//
//	cfg.Observer = tee.New(metrics, audit)
//
// Start here: [New]. The observers are told everything one after the other, in the order in
// which they are given. All of them are called under the client's lock, so what each of
// them takes adds up; none may keep what it is given.
//
// Packages promstack and otelstack make observers that count; write one of your own for an
// audit log or a test.
package tee

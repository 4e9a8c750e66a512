// Package bus is what simload needs of NATS: a connection that comes back by itself, names that do not meet those of others,
// calls that end, and a store for results that are written once.
//
// Start with [Config], which says where the servers are and who we are, and [Open]:
//
//	b, err := bus.Open(ctx, bus.Config{URL: "nats://10.0.0.5:4222", Name: "worker"})
//	defer b.Close()
//	tasks, err := b.Stream(ctx, jetstream.StreamConfig{Name: "tasks", Subjects: []string{b.Subject("task", ">")}})
//	results, err := b.Store(ctx, "results")
//	err = results.Create(ctx, "sweep.7", data) // ErrExists: somebody was faster, which is fine
//
// What it takes care of, because each was met in practice: a cluster that has just started, or whose leader died, answers nothing for some
// seconds (creating streams and buckets is repeated, [Bus.Insist]); a call of the library without a deadline can hang through
// a change of leaders (every call has a time of its own, [Bus.Call]); a message is at most 1 MiB (larger results go to
// the object store).
//
// [Namespace] makes the names, config.go checks what the user said, failure.go says of an error what would help: these are pure. bus.go and
// store.go talk to the server. Secrets are named by where they stand ([Source]), and read when they are needed, so that no
// configuration holds one that could be printed. A server in the same process is package sim/fleet/server, so that a program that
// does not need one does not link it.
package bus

package workload

import "time"

// Demand is one request as intended by its source, drawn before anything is known
// of how it will be served.
type Demand struct {
	// ID is a hash of (Seed, Client, Task, Op): the request's identity.
	ID       uint64
	Source   int    // index of the source: agents first, then streams, then traces
	Client   uint32 // agent identity, for caps, fairness and conversations
	Profile  int
	Task, Op uint32 // task of the client, and round of the task, both from 0
	Intended time.Duration
	In       int64 // prompt tokens, at least 1
	// Prefix of In that repeats the previous prompt of the same task: 0 where a context
	// starts, and at the first request of a source. Tokens that a round adds are always
	// new, also when the context is at its cap and old ones make room for them.
	Prefix int64
	Out    int64 // tokens the model will say, 1 to MaxOut
	MaxOut int64 // tokens asked for at most
	EstIn  int64 // what the client estimates In to be, at least 1
	Write  bool
}

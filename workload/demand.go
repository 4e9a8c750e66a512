package workload

import "time"

// SubTask is the number of a client's first task that is a sub-agent's conversation.
const SubTask = 1 << 31

// Demand is one request as intended by its source, drawn before anything is known
// of how it will be served.
type Demand struct {
	// ID is a hash of (Seed, Client, Task, Op): the request's identity.
	ID      uint64
	Source  int    // index of the source: agents first, then streams, then traces
	Client  uint32 // agent identity, for caps, fairness and conversations
	Profile int
	// Task of the client and round of the task, both from 0. A sub-agent's
	// conversation is a task of its own, numbered from SubTask on; so is a stream's session, of
	// which the stream numbers all.
	Task, Op uint32
	Intended time.Duration
	In       int64 // prompt tokens, at least 1
	// Prefix of In that repeats the previous prompt of the same task: nothing, or what is Shared,
	// where a context starts, and nothing at the first request of an agent that is in the middle of one. Tokens that a round adds are always
	// new, also when the context is at its cap and old ones make room for them.
	Prefix int64
	Out    int64 // tokens the model will say, 1 to MaxOut
	MaxOut int64 // tokens asked for at most
	EstIn  int64 // what the client estimates In to be, at least 1
	Write  bool
	// With says that the request does not wait for the source's earlier ones to end:
	// it is issued at its intended instant at once. Any other request of an agent waits
	// until all of the agent's earlier ones have ended. Always false for streams and
	// traces, which never wait.
	With bool
	// Shared says that Prefix was seen before, by whomever: it is a cache's content rather than the
	// task's own past. So it is with what a trace tells, and with Profile.SharedPrefix.
	Shared bool
	// Topic of the profile, from 1 on, and in which Wording it is put; 0: a topic of its own. Hard: what
	// is asked takes a strong model. See [Demand.Text].
	Topic   uint64
	Wording uint32
	Hard    bool
	// Tool is how long the agent works with a tool after the end of what it waited
	// for: it issues at the later of Intended and that end plus Tool. 0: not at all.
	Tool time.Duration
	// Patience is how long after the instant of issue the caller cancels; 0: never.
	Patience time.Duration
	// Deadline is the instant at which the task has failed if it is not done, see
	// [Workload.Abandon]; 0: none. It may be after the end of the run.
	Deadline time.Duration
}

package workload

import "time"

// Config describes the demand: who asks what, when. [New] validates it, and so does
// [Config.Validate]; a zero where a positive number is needed is an error.
type Config struct {
	// Seed of all draws. Every draw is a function of (Seed, source, purpose, number),
	// so demand does not depend on how requests are served.
	Seed     uint64
	Duration time.Duration // no request is intended at or after it
	Profiles []Profile
	Agents   []AgentGroup
	Streams  []Stream
	Traces   []Trace
	// Share is the part of the demand that is handed out; the zero value: all of it.
	Share Share
}

// Profile is a kind of request.
type Profile struct {
	Name string
	// Interval between intended instants of an agent that is in this profile, in
	// seconds; its mean is at least a microsecond. It is the time before a round, so
	// the gap between rounds of two phases is drawn from the later one's profile.
	// Streams use it between the requests of a session, where it may be 0; traces do not.
	Interval Dist
	// Context is the prompt of a task's first round, in tokens; each further round adds
	// Growth, up to MaxContext (0: no cap). A request of a stream without sessions is a first
	// round. A trace brings its own lengths, which MaxContext does not touch. A prompt drawn
	// smaller than one token has one.
	Context    Dist
	Growth     Dist
	MaxContext int64
	// SharedPrefix is how many tokens at the beginning of a first round's prompt, up to all of
	// it, stood at the beginning of prompts before it, whoever sent them: a system prompt, a
	// document. Traces bring their own.
	SharedPrefix Dist
	Output       Dist // tokens the model will say, at least 1; a trace brings its own
	// MaxOutput is what requests ask for at most (max_tokens): longer answers, those
	// of a trace too, are cut to it. 0: no cap, each request asks for just as much as
	// it will get.
	MaxOutput int64
	// WriteShare of the requests are writes, 0 to 1.
	WriteShare float64
	// EstimateSigma is the standard deviation of the logarithm of (estimated / real
	// prompt tokens): what a character count gets wrong.
	EstimateSigma float64
	// Topics is how many different things the requests are about, 0 to 100 000; 0: each is about a thing of
	// its own. TopicSkew is the exponent of Zipf's law by which the i-th of them comes up in proportion to
	// i^-TopicSkew: 0 (all alike) to 10. Wordings is in how many ways a topic may be put; 0 and 1: in one.
	Topics    int
	TopicSkew float64
	Wordings  int
	// HardShare of the requests, or of the topics, ask for something hard, 0 to 1 ([Demand.Hard]).
	HardShare float64
	// Patience is how long, in seconds from the instant of issue, the caller waits
	// before it cancels. The zero value: without end.
	Patience Dist
}

// AgentGroup is a number of like agents. Each works through its phases, round by
// round, and starts over with a new task after the last.
type AgentGroup struct {
	Name   string
	Count  int
	Phases []Phase
	// Stagger spreads the agents' first instants evenly over this time, in the order
	// of their index: that of agent i of n is i/n of it. 0: all begin at once.
	Stagger time.Duration
	// RandomStart puts each agent at a random round of its task at the beginning, so
	// that the run does not open with every context empty. A phase is as likely as the
	// time that agents spend in it, what sub-agents take not counted.
	RandomStart bool
	// Waves splits the agents by index into this many waves of equal size (the first
	// ones get what is left over); wave i begins at i times WaveEvery and is spread
	// over Stagger by itself. 0 and 1: all are one wave. At most Count.
	Waves     int
	WaveEvery time.Duration
	// TaskDeadline is the time that a task has, in seconds from the first intended
	// instant that it has in the run. The zero value: without end.
	TaskDeadline Dist
}

// Phase is a part of a task.
type Phase struct {
	Profile int
	Rounds  Dist // at least 1
	// Keep carries the context over from the phase before, instead of starting anew.
	// The first phase has nothing to keep.
	Keep bool
	// Tool is how long, in seconds, the agent works with a tool between the answer
	// before and a round of this phase. The first round of a task, and of the run,
	// needs none.
	Tool Dist
	// FanOut is the number of sub-agents that a round of this phase starts, at most
	// 1024; the zero value: none. They begin when the round is answered, each with a
	// context of its own, and the agent goes on when all are done. All their requests
	// are of SubProfile and each makes SubRounds of them, at least 1: what is drawn
	// for a round holds for all its sub-agents, which go through their rounds in step.
	// SubProfile's Interval, which may be 0, passes before each of those rounds.
	FanOut     Dist
	SubProfile int
	SubRounds  Dist
}

// Arrivals is the shape of an open stream.
type Arrivals uint8

// Arrivals.
const (
	ArrivalsConstant Arrivals = iota // request k arrives at k/Rate, the first at 0
	ArrivalsPoisson                  // exponential gaps; the first arrival is one gap after 0
	ArrivalsGamma                    // Gamma gaps of mean 1/Rate and coefficient of variation CV
	ArrivalsWeibull                  // Weibull gaps likewise
)

// Session says how long the sessions of a profile are.
type Session struct {
	Profile int
	Rounds  Dist // requests of a session, at least 1
}

// Stream is an open loop: requests arrive whatever became of the earlier ones.
type Stream struct {
	Name    string
	Profile int // not used if Mix is set
	// Rate in requests per second, above 0 and at most 1e6; 0 if Curve has a rate of
	// its own.
	Rate     float64
	Arrivals Arrivals
	// Clients spreads the stream over this many client identities (agent caps,
	// conversations); at least 1. Constant arrivals go round them in turn, others draw
	// one. With Mix.Groups each client is a source of its own, and there are at most a
	// million of them in all streams.
	Clients int
	// CV is the coefficient of variation (standard deviation over mean) of the gaps of
	// Gamma and Weibull arrivals, 0.01 to 100: 1 is Poisson, more is burstier. 0 for
	// the other kinds.
	//
	// Gamma and Weibull arrivals are under way when the run begins: the first comes
	// when the rest of a gap has passed, so that the mean number of arrivals by any
	// instant is rate times time from the start on.
	CV    float64
	Curve *Curve // how the rate moves; nil: it stays at Rate
	Mix   *Mix   // what the stream is made of; nil: one profile, like clients
	// Sessions makes sessions of the requests of these profiles, each of them once; those of
	// others stand by themselves. Each arrival goes to the session that has been due for longest,
	// where a session is due an Interval of its profile after its request before, on average, and
	// begins a new one if none is due: arrivals are the same with sessions and without. A session
	// draws its profile as a request does (so the weights of a mix count sessions) and keeps
	// its client. Its requests have one Task, and their prompts grow as an agent's do.
	Sessions []Session
	// Tick gathers the requests at whole multiples of it: each comes at the multiple before
	// the instant that it would have come at, a nanosecond after the one before it. A source
	// that works in rounds, or a log with coarse timestamps, looks so. 0: as they come; at
	// most 24 h.
	Tick time.Duration
}

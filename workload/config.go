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
}

// Profile is a kind of request.
type Profile struct {
	Name string
	// Interval between intended instants of an agent that is in this profile, in
	// seconds; its mean is at least a microsecond. It is the time before a round, so
	// the gap between rounds of two phases is drawn from the later one's profile.
	// Not used by streams and traces.
	Interval Dist
	// Context is the prompt of a task's first round, in tokens; each further round adds
	// Growth, up to MaxContext (0: no cap). A request of a stream is a first round. A
	// trace brings its own lengths, which MaxContext does not touch. A prompt drawn
	// smaller than one token has one.
	Context    Dist
	Growth     Dist
	MaxContext int64
	Output     Dist // tokens the model will say, at least 1; a trace brings its own
	// MaxOutput is what requests ask for at most (max_tokens): longer answers, those
	// of a trace too, are cut to it. 0: no cap, each request asks for just as much as
	// it will get.
	MaxOutput int64
	// WriteShare of the requests are writes, 0 to 1.
	WriteShare float64
	// EstimateSigma is the standard deviation of the logarithm of (estimated / real
	// prompt tokens): what a character count gets wrong.
	EstimateSigma float64
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
	// time that agents spend in it.
	RandomStart bool
}

// Phase is a part of a task.
type Phase struct {
	Profile int
	Rounds  Dist // at least 1
	// Keep carries the context over from the phase before, instead of starting anew.
	// The first phase has nothing to keep.
	Keep bool
}

// Arrivals is the shape of an open stream.
type Arrivals uint8

// Arrivals.
const (
	ArrivalsConstant Arrivals = iota // request k arrives at k/Rate, the first at 0
	ArrivalsPoisson                  // exponential gaps; the first arrival is one gap after 0
)

// Stream is an open loop: requests arrive whatever became of the earlier ones.
type Stream struct {
	Name     string
	Profile  int
	Rate     float64 // requests per second, above 0 and at most 1e6
	Arrivals Arrivals
	// Clients spreads the stream over this many client identities (agent caps,
	// conversations); at least 1. Constant arrivals go round them in turn, Poisson
	// arrivals draw one.
	Clients int
}

// Trace replays recorded arrivals and lengths, the first arrival at 0. See
// [TraceReader] for the form of the file.
type Trace struct {
	Name    string
	Profile int
	Path    string // CSV in Azure's form; .gz is unpacked
	// Speed divides the gaps between arrivals; 1: as recorded.
	Speed   float64
	Clients int // identities that the rows go round in turn; at least 1
}

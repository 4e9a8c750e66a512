package workload

import (
	"io"
	"time"
)

const (
	maxRow       = 1 << 20 // bytes
	maxRowTokens = 1_000_000_000
	// maxSpread, added to any instant since the first row, still fits a Duration.
	maxSpread = 24 * time.Hour
	// maxGroup bounds the rows of one instant that are held to spread them.
	maxGroup = 1 << 20
	// maxReorder and maxBlocks bound what a trace may ask for.
	maxReorder = 10_000_000
	maxBlocks  = 1 << 30
	// eventsReorder is the reorder window of an events log where none is given.
	eventsReorder = 100_000
)

// Trace replays recorded arrivals and lengths, the first arrival at 0. See
// [TraceReader] for the forms of the file. The zero value of every setting below
// Clients asks for the trace as it is, once.
type Trace struct {
	Name string
	// Profile of the requests, unless a row names a model or profile that Models, or
	// the name of a profile, knows.
	Profile int
	Path    string // gzip and zstd are unpacked
	// Speed divides the gaps between arrivals; 1: as recorded.
	Speed float64
	// Clients is the number of identities, at least 1. A row that names a session or
	// agent belongs to the identity that its session hashes to (an events log: agent
	// modulo Clients, so that enough Clients keep all agents apart); the other rows,
	// and with ClientsInTurn all, go round the identities in turn.
	Clients       int
	ClientsInTurn bool

	Format TraceFormat
	// Models maps the names of models (BurstGPT) or profiles (events) that rows bear to
	// profiles. The first that matches counts; after them, a profile of the same name,
	// regardless of case; after those, Profile, and TraceCounts.Unmapped tells.
	Models []TraceModel
	// Sessions maps clients to profiles, and so to classes and models, and by a model with
	// keys of its own to keys. The first that matches counts, ahead of Models. Not for Azure's traces,
	// which name none.
	Sessions []TraceSession
	// SkipBad leaves rows out that are not understood, and counts them, instead of
	// ending with an error. What is wrong with the file as a whole (no header, cut
	// short, a row beyond 1 MiB) stays an error.
	SkipBad bool
	// SkipFailed leaves out the requests that failed when they were recorded, instead
	// of replaying them with the tokens that are known of them, at least 1 each way.
	SkipFailed bool
	// Spread distributes the arrivals that share an instant evenly over so long, from
	// that instant on, in their order, or over the time to the next instant if that is
	// shorter. It counts in the trace's time, before Speed. 0: they stay together; at
	// most 24 h, and 1 Mi rows per instant.
	Spread time.Duration
	// Loop is how often the trace is replayed: 0 and 1 once, -1 until Config.Duration.
	// A pass starts one mean gap of the trace after the last arrival of the pass before
	// (one second if the trace has no gap), each with an empty block cache.
	Loop int
	// Reorder is the number of rows that are held to sort them by instant; a row that
	// comes later than that is bad. 0: 100 000 for an events log, whose lines are in
	// the order in which requests ended, and none for the other formats.
	Reorder int
	// CacheBlocks bounds the prefix blocks of a Mooncake trace that count as seen: the
	// least recently used are forgotten, and the tail of a prompt before its head. 0:
	// no bound, and memory grows with the number of different blocks.
	CacheBlocks int

	// Source opens what is read instead of the file at Path, which then only names it; nil: the file.
	Source func() (io.ReadCloser, error)
}

// TraceModel maps a model's name, as a trace has it, to a profile.
type TraceModel struct {
	// Match is compared regardless of the case of ASCII letters; * stands for any text.
	Match   string
	Profile int
}

// TraceRow is one recorded request.
type TraceRow struct {
	At      time.Duration // since the first row
	In, Out int64         // prompt and output tokens as recorded, 0 to 1e9
	// Prefix of In that consists of leading blocks which rows before it in the file had.
	// Only Mooncake traces tell.
	Prefix int64
	// Session identifies the conversation or agent, if HasSession: the agent's number
	// in an events log, else a hash of the session's name.
	Session    uint64
	Model      string // model, or profile in an events log; "" if not given
	HasSession bool
	Failed     bool // the request failed when it was recorded
}

// TraceCounts says what became of a trace's rows, those of every pass together.
type TraceCounts struct {
	Name, Path string
	Format     TraceFormat // as found, never FormatAuto
	Passes     int         // begun
	// Rows read and understood, those recorded as failed included. A row is read when it
	// is needed for order, up to Trace.Reorder rows ahead of its replay.
	Rows     int64
	Failed   int64 // of Rows: recorded as failed; left out with Trace.SkipFailed
	Unmapped int64 // of the replayed: with a name that is not mapped, given Trace.Profile
	Skipped  int64 // not understood, and left out (Trace.SkipBad)
	// FirstSkipped says which row was skipped first and why; "" if none was.
	FirstSkipped string
}

// matchName reports whether a name fits a pattern in which * stands for any text. ASCII
// letters are equal in both cases.
func matchName(pattern, name string) bool {
	star, retry, p, n := -1, 0, 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, n
			p++
		case p < len(pattern) && lowerASCII(pattern[p]) == lowerASCII(name[n]):
			p++
			n++
		case star >= 0:
			retry++
			p, n = star+1, retry
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

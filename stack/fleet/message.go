package fleet

import "time"

// OpKind says what an [Op] does.
type OpKind uint8

// Operations of a member on the books.
const (
	OpAsk      OpKind = iota + 1 // a place in the line of Target for request ID; Quota: the only one that may be used, or -1
	OpWithdraw                   // request ID is gone: its place, or a grant that was not used, is free again
	OpSettle                     // what became of the grant of ID: Tokens and Output as used
	OpAdopt                      // a grant that the books do not know: it is in flight all the same
	OpCharge                     // what was used at Taken without the books' knowledge: Requests, Tokens, Output
	OpExclude                    // Quota rests for Rest
	OpKill                       // Key is dead
	OpLeave                      // the member is gone for good, and holds nothing
)

// Op is one operation. Fields that its kind does not name are zero.
type Op struct {
	Kind           OpKind
	ID             uint64 // of the member's choice, unique within it and below 2^53
	Target, Class  int
	Quota, Key     int
	Requests       int64
	Tokens, Output int64
	Taken          time.Duration // instant of the books

	// Of OpSettle.
	Unused  bool          // it never left
	Known   bool          // Tokens and Output are what was used; false: unknown, the estimate stands (INV-13)
	Failed  bool          // it speaks of overload
	Signal  time.Duration // latency for the concurrency limit; negative: none
	Rest    time.Duration // its quota rests for so long; 0: it does not
	Charged bool          // OpAdopt: these books have charged it already
}

// Message is what a member tells the books, and what it has heard of them.
type Message struct {
	Member string        // its name, unique in the fleet; no spaces or colons
	Given  time.Duration // the instant, as the member reckons the books' clock
	Batch  uint64        // number of the message; a repeated one is answered again and does nothing
	Ack    uint64        // number of the last grant that was heard of
	Known  uint64        // version of the last News
	// Join makes the member known, with nothing but what Ops say. Probe only asks whether the books are there, and are the member's.
	Join, Probe bool
	Ops         []Op
	// Config is that of the books that the message is for; Fingerprint tells it apart.
	Config      *Config
	Fingerprint string
}

// Status says how a message was taken.
type Status uint8

// Status of a reply.
const (
	StatusOK      Status = iota
	StatusUnknown        // the books do not know the member, or not its last message, or have another configuration: it must join
	StatusOther          // the books are those of a fleet with another configuration, of which somebody is alive
)

// Why says what a head waits for.
type Why uint8

// What a head waits for.
const (
	WhyNone     Why = iota
	WhySlots        // the concurrency limit
	WhyReserve      // slots of class 0
	WhyRequests     // requests per minute
	WhyTokens       // tokens per minute
	WhyExcluded     // all keys rest
	WhyPlaces       // places of the quotas
	WhyOutput       // output tokens per minute
	WhyDaily        // requests per day
)

// Never is an instant that does not come by itself.
const Never = time.Duration(1<<52) * Grain

// Grant is a slot and a key for a request that waited, with its requests and tokens reserved.
type Grant struct {
	Number     uint64 // counts a member's grants
	ID         uint64
	Key, Quota int
	Taken      time.Duration // instant of the books
}

// Head is the first of a target's line, which cannot be granted now.
type Head struct {
	Target int
	ID     uint64        // of the member that is told; 0: it is another's, and At is Never
	At     time.Duration // when it could be; Never: when something else happens
	Why    Why
}

// Gate is the state of a target.
type Gate struct {
	Limit, InFlight int
	Raised, Lowered int64 // how often the limit was
}

// Rest is a quota that rests.
type Rest struct {
	Quota int
	Until time.Duration // instant of the books
}

// News is what all members should know.
type News struct {
	Version uint64
	Dead    []int // keys
	Rests   []Rest
	Gates   []Gate // by target
}

// Reply is the books' answer.
type Reply struct {
	Status  Status
	Now     time.Duration // instant of the books
	Clock   time.Duration // of the store, for the member's offset; 0: it has none
	Epoch   int64         // tells books apart that were lost and began anew
	Members int           // that are alive
	Grants  []Grant       // that the member has not acknowledged
	Heads   []Head
	News    *News // nil: none since Message.Known
	// Wake names the members that should hear of it, in order. A store at which members listen has told them.
	Wake []string
}

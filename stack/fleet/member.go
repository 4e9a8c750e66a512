package fleet

import (
	"hash/fnv"
	"slices"
	"time"
)

const (
	retryBase, retryCap = 100 * time.Millisecond, 2 * time.Second
	// heartbeats in a lease
	heartbeats = 5
	// offsetFor is how long a measured offset to the store's clock is kept against one of a longer way.
	offsetFor = time.Minute
	// maxOps is how many operations a message has at most, but for what is held when joining: it is one script at the store,
	// which does nothing else meanwhile.
	maxOps = 1000
	// otherCap is how long one waits whose store is another fleet's: while somebody asks more often than every half of
	// the shortest lease, silence is the fleet's and not the store's.
	otherCap = 200 * time.Millisecond
	// rejoins is how often a join is said again, after books of its own, before it goes on with these.
	rejoins = 4
)

// MemberConfig sets up a member.
type MemberConfig struct {
	Name string // unique in the fleet
	// Open goes on with books of its own while the store is gone (not: is another fleet's): with an equal share of every limit, by the number of
	// members that were alive when it was heard last, or by Processes if that is larger. false: nothing is
	// granted until it is back.
	Open      bool
	Processes int
	// Offset is the store's clock less the member's, as far as is known before the first answer.
	Offset time.Duration
}

// Member is a process's side of the exchange, as a state machine. Instants are those of its driver's clock. The
// driver tells it what is asked for and used, calls [Member.Begin] when [Member.Due] says so and carries the message to
// the store, tells it the answer, or that there was none, and takes what came of it with [Member.Told].
type Member struct {
	cfg    Config
	print  string // of cfg
	own    MemberConfig
	seed   uint64
	now    time.Duration
	offset time.Duration
	trip   time.Duration // on which the offset was measured
	tripAt time.Duration

	items  map[uint64]*held
	queued int // items that are not granted
	outbox []Op
	remote talk
	epoch  int64 // of the store's books
	alive  int   // members at last hearing

	sent   *Message // not answered yet
	sentAt time.Duration
	flying bool          // it is on its way
	woken  bool          // there is something to fetch
	next   time.Duration // when a head could go on
	beat   time.Duration // when to be heard again at the latest
	fails  int
	astray int           // times in a row that the books did not know it
	again  int           // times that a join has been said again
	void   int           // asks in the outbox that have been withdrawn
	retry  time.Duration // not to be tried before
	other  bool          // the books are another fleet's

	alone *alone          // the books of its own; nil: the store's
	rests []time.Duration // by quota: until when it rests, in the member's clock
	dead  map[int]bool    // keys
	told  Told
}

// talk is where a conversation with books is.
type talk struct {
	joined            bool
	batch, ack, knows uint64
	acked             uint64 // as the books know
}

// held is a request that the member has a place or a grant for.
type held struct {
	ask     Op
	sent    bool // the ask has left the outbox
	granted bool
	key     int
	quota   int
	taken   time.Duration
	epoch   int64 // of the books that have charged it
}

// Told is what a member has heard: instants are in its driver's clock.
type Told struct {
	Heard  bool    // the books have answered
	Grants []Grant // Number says nothing
	Heads  []Head
	News   *News
}

// NewMember returns a member of the fleet with such books. It joins with its first message.
func NewMember(cfg Config, own MemberConfig) (*Member, error) {
	cfg = cfg.Exact()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(own.Name))
	return &Member{
		cfg: cfg, print: cfg.Fingerprint(), own: own, seed: h.Sum64(), offset: own.Offset, trip: Never, items: make(map[uint64]*held), next: Never,
		rests: make([]time.Duration, len(cfg.Quotas)), dead: make(map[int]bool),
	}, nil
}

// Config is the configuration of the books.
func (m *Member) Config() *Config { return &m.cfg }

// Name is the member's name.
func (m *Member) Name() string { return m.own.Name }

// Ask asks for a place in line: the operation is an OpAsk, whose ID grows from one to the next.
func (m *Member) Ask(o Op) {
	o.Kind = OpAsk
	m.items[o.ID] = &held{ask: o}
	m.queued++
	m.outbox = append(m.outbox, o)
}

// Withdraw takes a request back that has not been granted, as far as the caller knows.
func (m *Member) Withdraw(id uint64) {
	it := m.items[id]
	if it != nil && !it.granted {
		m.queued--
	}
	delete(m.items, id)
	if it == nil || it.sent {
		m.outbox = append(m.outbox, Op{Kind: OpWithdraw, ID: id})
		return
	}
	// Nobody has heard of it: in a long outage the outbox is no longer than what waits.
	if m.void++; m.void > len(m.outbox)/2 {
		m.tidy()
	}
}

// tidy takes asks out of the outbox that have been withdrawn.
func (m *Member) tidy() {
	m.void = 0
	m.outbox = slices.DeleteFunc(m.outbox, func(o Op) bool { return o.Kind == OpAsk && m.items[o.ID] == nil })
}

// post takes what is to be said next off the outbox, at most so many operations.
func (m *Member) post(most int) []Op {
	m.tidy()
	ops := m.outbox[:min(most, len(m.outbox)):min(most, len(m.outbox))]
	m.outbox = m.outbox[len(ops):]
	if len(m.outbox) == 0 {
		m.outbox = nil
	}
	for i := range ops {
		if it := m.items[ops[i].ID]; it != nil && ops[i].Kind == OpAsk {
			it.sent = true
		}
	}
	return ops
}

// Settle tells what became of a grant: the operation is an OpSettle.
func (m *Member) Settle(now time.Duration, o Op) {
	m.now = max(m.now, now)
	it := m.items[o.ID]
	if it == nil {
		return
	}
	delete(m.items, o.ID)
	o.Kind, o.Quota = OpSettle, it.quota
	o.Tokens, o.Output = min(o.Tokens, maxUsed), min(o.Output, maxUsed)
	m.outbox = append(m.outbox, o)
	if m.alone != nil {
		m.alone.used(it, &o)
	}
	if o.Rest > 0 {
		m.rests[it.quota] = max(m.rests[it.quota], m.now+o.Rest)
	}
}

// Kill tells that a key is dead.
func (m *Member) Kill(key int) {
	m.dead[key] = true
	m.outbox = append(m.outbox, Op{Kind: OpKill, Key: key})
}

// Wake tells that the store has something to fetch.
func (m *Member) Wake() { m.woken = true }

// Gone reports whether the store did not answer last, and whether it answered that it is another fleet's.
func (m *Member) Gone() (gone, other bool) { return m.fails > 0, m.other }

// Members is the number of members that were alive when the store was heard last.
func (m *Member) Members() int { return m.alive }

// Told hands out what has been heard since the last call.
func (m *Member) Told() Told {
	t := m.told
	m.told = Told{}
	return t
}

// Due returns the instant at which Begin is to be called next, if any; one that has passed is now.
func (m *Member) Due() (time.Duration, bool) {
	at := Never
	if m.alone != nil {
		at = m.alone.due(m)
	}
	if !m.flying {
		at = min(at, max(m.retry, m.remoteDue()))
	}
	return at, at < Never
}

// remoteDue is when there is something to be said to the store.
func (m *Member) remoteDue() time.Duration {
	switch {
	case m.fails > 0, m.alone != nil:
		return m.retry
	case m.sent != nil, !m.remote.joined, m.woken, len(m.outbox) > 0:
		return m.now
	}
	return min(m.beat, m.next)
}

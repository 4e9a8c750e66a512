package fleet

import (
	"slices"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/stack/keyring"
	"github.com/seed-4fd17b57/simload/stack/limit"
)

// Books are a fleet's shared state in memory. They are not safe for concurrent use. Make them with [NewBooks].
type Books struct {
	cfg     Config
	print   string // of the configuration
	began   bool
	now     time.Duration
	epoch   int64
	seq     uint64 // order of places
	version uint64 // of the news
	quotas  []quota
	dead    []bool // by key
	targets []target
	groups  []group
	members []*member // by name
	woken   []string
}

// member is what the books hold of a process.
type member struct {
	name    string
	expires time.Duration
	batch   uint64
	number  uint64 // of the last grant
	parked  bool   // passed over
	items   map[uint64]*item
	box     []Grant // not acknowledged
}

// item is a request that waits, or has been granted.
type item struct {
	id      uint64
	of      *member
	target  int
	class   int
	need    need
	pinned  int // the only quota that may be used, or -1
	seq     uint64
	granted bool
	quota   int
	taken   time.Duration
	loose   bool // adopted: the schedules have not been charged with it
}

// target is a line and what is granted from it.
type target struct {
	keys     []KeyUse
	group    int
	lines    [Classes]line
	ring     *keyring.Ring
	stale    bool          // the weights are to be set anew
	fresh    time.Duration // until when they hold
	ctl      limit.Controller
	reserve  int
	inFlight int
	head     head // that cannot be granted now
	told     head // of which its member knows
}

// head is the first of a line, of the member of that name; "": there is none.
type head struct {
	of string
	Head
}

// group is targets that share quotas, and so are looked at together.
type group struct {
	targets []int
	dirty   bool
	due     time.Duration // when a head could be granted by the passing of time
}

// NewBooks returns books of the configuration, which begin with the first member that joins.
func NewBooks(cfg Config) (*Books, error) {
	cfg = cfg.Exact()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b := &Books{cfg: cfg, print: cfg.Fingerprint(), version: 1}
	most := -1
	users := make([]int, len(cfg.Quotas))
	numbers := cfg.Groups()
	index := make(map[int]int, len(numbers))
	for i := range cfg.Targets {
		t := &cfg.Targets[i]
		ctl, err := limit.New(t.Controller, t.Limit)
		if err != nil {
			return nil, err
		}
		g, have := index[numbers[i]]
		if !have {
			g = len(b.groups)
			index[numbers[i]] = g
			b.groups = append(b.groups, group{due: Never})
		}
		b.groups[g].targets = append(b.groups[g].targets, i)
		b.targets = append(b.targets, target{
			keys: t.Keys, group: g, ring: keyring.New(len(t.Keys)), stale: true, ctl: ctl, reserve: t.Reserve,
		})
		seen := map[int]bool{}
		for _, k := range t.Keys {
			most = max(most, k.Key)
			if !seen[k.Quota] {
				seen[k.Quota] = true
				users[k.Quota]++
			}
		}
	}
	b.dead = make([]bool, most+1)
	for i, q := range cfg.Quotas {
		b.quotas = append(b.quotas, newQuota(q))
		b.quotas[i].shared = users[i] > 1
	}
	return b, nil
}

// Exchange takes a message and returns the answer. Its slices are the caller's.
func (b *Books) Exchange(m Message) Reply {
	b.woken = nil
	given := max(0, m.Given.Truncate(Grain))
	if !b.began && !m.Join {
		r := Reply{Now: given}
		if !m.Probe {
			r.Status = StatusUnknown
		}
		return r
	}
	now := b.advance(given)
	for e := b.expired(); e != nil; e = b.expired() {
		b.drop(e)
	}
	r := Reply{Now: now, Epoch: b.epoch}
	i, known := b.find(m.Member)
	switch {
	case m.Probe:
		r.Members = len(b.members)
		if m.Fingerprint != b.print && r.Members > 0 {
			r.Status = StatusOther
		}
		return r
	case m.Fingerprint != b.print && !m.Join: // its books are gone, and others are in their place
		r.Status = StatusUnknown
	case m.Fingerprint != b.print:
		r.Status = StatusOther
	case known && b.members[i].batch == m.Batch: // said before: the answer was lost
		b.hear(b.members[i], &m, false)
	case known && m.Batch < b.members[i].batch: // it was late, and a newer one has come
		r.Status = StatusUnknown
	case m.Join:
		if known {
			b.drop(b.members[i])
		}
		if len(b.members) == 0 {
			b.revive()
		}
		b.members = slices.Insert(b.members, i, &member{name: m.Member, items: make(map[uint64]*item)})
		b.hear(b.members[i], &m, true)
	case known && b.members[i].batch+1 == m.Batch:
		b.hear(b.members[i], &m, true)
	default:
		r.Status = StatusUnknown
	}
	b.settle()
	r.Members = len(b.members)
	if i, known = b.find(m.Member); known && r.Status == StatusOK {
		b.answer(&r, b.members[i], m.Known)
	}
	r.Wake = slices.DeleteFunc(b.woken, func(n string) bool { return n == m.Member && r.Status == StatusOK })
	return r
}

// advance moves the clock. Books that begin, and those that nobody has reached for so long that it was they who
// were away, start without a burst; who could not reach them is not taken for dead.
func (b *Books) advance(given time.Duration) time.Duration {
	gap := given - b.now
	b.now = max(b.now, given)
	if b.began && gap <= b.cfg.Lease/2 {
		return b.now
	}
	for i := range b.quotas {
		b.quotas[i].hold(b.now)
	}
	if !b.began {
		b.began, b.epoch = true, int64(b.now/Grain)
		return b.now
	}
	for _, m := range b.members {
		m.expires += gap
	}
	return b.now
}

// expired returns a member whose lease is over, or nil.
func (b *Books) expired() *member {
	for _, m := range b.members {
		if m.expires <= b.now {
			return m
		}
	}
	return nil
}

func (b *Books) find(name string) (int, bool) {
	return slices.BinarySearchFunc(b.members, name, func(m *member, name string) int { return strings.Compare(m.name, name) })
}

// drop forgets a member with all that it holds. What its grants have reserved stays used.
func (b *Books) drop(m *member) {
	for _, it := range m.items {
		b.dirty(it.target)
		if it.granted {
			b.targets[it.target].inFlight--
			b.quotas[it.quota].inFlight--
		} else if !m.parked {
			b.targets[it.target].lines[it.class].remove(it)
		}
	}
	if i, ok := b.find(m.name); ok {
		b.members = slices.Delete(b.members, i, i+1)
	}
}

// hear takes what a member says. act: it has not been said before.
func (b *Books) hear(m *member, msg *Message, act bool) {
	m.batch, m.expires = msg.Batch, b.now+b.cfg.Lease
	if m.parked {
		m.parked = false
		for _, it := range m.items {
			if !it.granted {
				b.targets[it.target].lines[it.class].insert(it)
				b.dirty(it.target)
			}
		}
	}
	for len(m.box) > 0 && m.box[0].Number <= msg.Ack {
		m.box = m.box[1:]
	}
	if !act {
		return
	}
	for i := range msg.Ops {
		if b.do(m, &msg.Ops[i]); msg.Ops[i].Kind == OpLeave {
			return
		}
	}
}

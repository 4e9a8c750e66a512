package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack/limit"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// waiter is a request as the test knows it.
type waiter struct {
	id     uint64
	class  int
	order  int // of arrival at the books
	tokens int64
}

// use is what a grant used of a quota in the end.
type use struct {
	at     time.Duration
	tokens int64
	lower  bool
}

// bench plays members of books of one target, whose quotas have a limit of requests and one of tokens.
type bench struct {
	t       *rapid.T
	cfg     Config
	books   *Books
	now     time.Duration
	names   []string
	batch   map[string]uint64
	ack     map[string]uint64
	waiting map[string][]waiter
	held    map[string]map[uint64]Grant
	needs   map[string]waiter // by name and id
	uses    [][]use           // by quota
	index   map[string]int    // of a grant's use
	rests   []time.Duration   // by quota
	dead    map[int]bool
	order   int
	next    uint64
	fresh   []fresh
}

func newBench(t *rapid.T) *bench {
	quotas := rapid.IntRange(1, 3).Draw(t, "quotas")
	b := &bench{
		t: t, batch: map[string]uint64{}, ack: map[string]uint64{}, waiting: map[string][]waiter{}, held: map[string]map[uint64]Grant{}, needs: map[string]waiter{},
		index: map[string]int{}, dead: map[int]bool{}, uses: make([][]use, quotas), rests: make([]time.Duration, quotas),
		now: time.Duration(rapid.Int64Range(0, 2e9).Draw(t, "start")) * sec,
	}
	target := Target{Controller: "static", Limit: limit.Config{Start: rapid.IntRange(1, 30).Draw(t, "slots")}, Reserve: rapid.IntRange(0, 30).Draw(t, "slot reserve")}
	for q := range quotas {
		b.cfg.Quotas = append(b.cfg.Quotas, Quota{
			Requests: Limit{Capacity: rapid.Int64Range(5, 100).Draw(t, "rpm"), Burst: 5 * sec, Reserve: 20},
			Tokens:   Limit{Capacity: rapid.Int64Range(2000, 20_000).Draw(t, "tpm"), Burst: 5 * sec, Reserve: 20},
		})
		target.Keys = append(target.Keys, KeyUse{Key: q, Quota: q, Weight: rapid.Int64Range(1, 3).Draw(t, "weight")})
	}
	b.cfg.Targets, b.cfg.Lease, b.cfg.Quiet = []Target{target}, 15*sec, 800*ms
	b.cfg = b.cfg.Exact()
	var err error
	if b.books, err = NewBooks(b.cfg); err != nil {
		t.Fatal(err)
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "members") {
		name := fmt.Sprint("m", i)
		b.names = append(b.names, name)
		b.held[name] = map[uint64]Grant{}
		b.say(name)
	}
	return b
}

func (b *bench) key(name string, id uint64) string { return fmt.Sprint(name, " ", id) }

// say has a member say something, and then all others that are woken, and judges what is granted.
func (b *bench) say(name string, ops ...Op) {
	b.fresh = nil
	wake := b.exchange(name, ops...)
	for len(wake) > 0 {
		wake = append(wake[1:], b.exchange(wake[0])...)
	}
	// In the order in which they were made: they are of one instant, so that of the line.
	slices.SortFunc(b.fresh, func(x, y fresh) int {
		v, w := b.needs[b.key(x.name, x.ID)], b.needs[b.key(y.name, y.ID)]
		return cmp.Or(cmp.Compare(x.Taken, y.Taken), cmp.Compare(v.class, w.class), cmp.Compare(v.order, w.order))
	})
	for _, g := range b.fresh {
		b.granted(g.name, g.Grant)
	}
}

// fresh is a grant that was just fetched.
type fresh struct {
	name string
	Grant
}

func (b *bench) exchange(name string, ops ...Op) []string {
	b.batch[name]++
	r := b.books.Exchange(Message{
		Member: name, Given: b.now, Batch: b.batch[name], Ack: b.ack[name], Join: b.batch[name] == 1, Ops: ops, Fingerprint: b.cfg.Fingerprint(),
	})
	if r.Status != StatusOK {
		b.t.Fatalf("status %v", r.Status)
	}
	for _, g := range r.Grants {
		if g.Number > b.ack[name] {
			b.ack[name] = g.Number
			b.fresh = append(b.fresh, fresh{name, g})
		}
	}
	if len(r.Grants) > 0 { // acknowledged at once, as members do soon
		return append(r.Wake, name)
	}
	return r.Wake
}

// granted judges a grant. It was made at g.Taken, and everything that was said until then is known, as each member fetches at once.
func (b *bench) granted(name string, g Grant) {
	w, known := b.needs[b.key(name, g.ID)]
	if !known {
		b.t.Fatalf("%s is granted %d, which does not wait (INV-21)", name, g.ID)
	}
	delete(b.needs, b.key(name, g.ID))
	for other, list := range b.waiting {
		for i, o := range list {
			if other == name && o.id == g.ID {
				b.waiting[other] = append(list[:i:i], list[i+1:]...)
				break
			}
		}
	}
	if b.dead[g.Key] || g.Taken < b.rests[g.Quota] {
		b.t.Fatalf("granted key %d at %v, dead %v, at rest until %v (INV-50)", g.Key, g.Taken, b.dead[g.Key], b.rests[g.Quota])
	}
	b.held[name][g.ID] = g
	b.index[b.key(name, g.ID)] = len(b.uses[g.Quota])
	b.uses[g.Quota] = append(b.uses[g.Quota], use{g.Taken, w.tokens, w.class > 0})
	n := 0
	for _, h := range b.held {
		n += len(h)
	}
	limit := b.cfg.Targets[0].Limit.Start
	if n > limit {
		b.t.Fatalf("%d in flight, limit %d (INV-20)", n, limit)
	}
	for _, list := range b.waiting {
		for _, o := range list {
			if o.class < w.class || o.class == w.class && o.order < w.order {
				b.t.Fatalf("granted class %d, number %d while class %d, number %d waits (INV-30)", w.class, w.order, o.class, o.order)
			}
		}
	}
}

func (b *bench) step(name string) {
	t := b.t
	switch k := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case k < 5:
		b.next++
		b.order++
		w := waiter{b.next, rapid.IntRange(0, 2).Draw(t, "class"), b.order, rapid.Int64Range(1, 1500).Draw(t, "tokens")}
		b.waiting[name] = append(b.waiting[name], w)
		b.needs[b.key(name, w.id)] = w
		b.say(name, Op{Kind: OpAsk, ID: w.id, Class: w.class, Quota: -1, Tokens: w.tokens})
	case k < 8 && len(b.held[name]) > 0:
		id := rapid.SampledFrom(keysInOrder(b.held[name])).Draw(t, "which")
		g := b.held[name][id]
		delete(b.held[name], id)
		u := &b.uses[g.Quota][b.index[b.key(name, id)]]
		o := Op{Kind: OpSettle, ID: id, Signal: -1}
		if rapid.Bool().Draw(t, "known") {
			u.tokens = rapid.Int64Range(0, u.tokens).Draw(t, "used")
			o.Known, o.Tokens = true, u.tokens
		}
		if rapid.IntRange(0, 9).Draw(t, "429") == 0 {
			o.Rest = time.Duration(rapid.Int64Range(1, 90_000).Draw(t, "rest")) * ms
			b.rests[g.Quota] = max(b.rests[g.Quota], b.now+o.Rest)
		}
		b.say(name, o)
	case k == 8 && len(b.waiting[name]) > 0:
		i := rapid.IntRange(0, len(b.waiting[name])-1).Draw(t, "which")
		w := b.waiting[name][i]
		b.waiting[name] = append(b.waiting[name][:i:i], b.waiting[name][i+1:]...)
		delete(b.needs, b.key(name, w.id))
		b.say(name, Op{Kind: OpWithdraw, ID: w.id})
	case k == 9 && len(b.uses) > 1 && rapid.IntRange(0, 9).Draw(t, "kill") == 0:
		b.dead[0] = true
		b.say(name, Op{Kind: OpKill, Key: 0})
	default:
		b.say(name)
	}
}

func keysInOrder(m map[uint64]Grant) []uint64 {
	var list []uint64
	for id := uint64(0); len(list) < len(m); id++ {
		if _, ok := m[id]; ok {
			list = append(list, id)
		}
	}
	return list
}

// INV-10, INV-11, INV-13, INV-20, INV-21, INV-30, INV-31, INV-50 on books that several members use: every grant keeps the order and the limits,
// and no quota is above its capacity in any sliding minute, the lower classes not above theirs.
func TestBooksKeepTheInvariants_INV11_INV20_INV30_INV31_INV50(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t)
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			b.now += time.Duration(rapid.OneOf(
				rapid.Just(int64(0)), rapid.Int64Range(0, 300_000), rapid.Int64Range(0, 4_000_000), rapid.Int64Range(-500_000, 0),
			).Draw(t, "step")) * Grain
			b.step(rapid.SampledFrom(b.names).Draw(t, "who"))
		}
		for q, list := range b.uses {
			capacity, requests := b.cfg.Quotas[q].Tokens.Capacity, b.cfg.Quotas[q].Requests.Capacity
			for i := range list {
				var tokens, n, lower int64
				for _, u := range list[:i+1] {
					if u.at > list[i].at-time.Minute {
						tokens += u.tokens
						n++
					}
				}
				lower = capacity - capacity*20/100
				if tokens > capacity || n > requests || list[i].lower && tokens > lower {
					t.Fatalf("quota %d: %d tokens and %d requests in the minute up to %v, lower %v; capacity %d and %d", q, tokens, n, list[i].at, list[i].lower, capacity, requests)
				}
			}
		}
	})
}

// speaker speaks for members of books, and counts their messages.
func speaker(b *Books, cfg *Config) (say func(name string, at time.Duration, ack uint64, ops ...Op) Reply, batch map[string]uint64) {
	batch = map[string]uint64{}
	return func(name string, at time.Duration, ack uint64, ops ...Op) Reply {
		batch[name]++
		return b.Exchange(Message{Member: name, Given: at, Batch: batch[name], Ack: ack, Join: batch[name] == 1, Ops: ops, Fingerprint: cfg.Fingerprint()})
	}, batch
}

// INV-22, INV-34: when a member dies all that it held is free at the end of its lease and not before, its charges stand
// (INV-13), and who waits behind it goes on. One that does not fetch is passed over after the quiet time, and comes back to its place.
func TestBooksOutliveTheirMembers(t *testing.T) {
	cfg := Config{
		Lease: 10 * sec, Quiet: 500 * ms,
		Quotas:  []Quota{{Tokens: Limit{Capacity: 6200, Burst: 60 * sec}}},
		Targets: []Target{{Keys: []KeyUse{{Weight: 1}}, Controller: "static", Limit: limit.Config{Start: 2}}},
	}.Exact()
	b, err := NewBooks(cfg)
	if err != nil {
		t.Fatal(err)
	}
	say, batch := speaker(b, &cfg)
	ask := func(id uint64, class int) Op { return Op{Kind: OpAsk, ID: id, Class: class, Quota: -1, Tokens: 100} }
	settle := func(id uint64) Op { return Op{Kind: OpSettle, ID: id, Signal: -1} }
	say("a", 100*sec, 0)
	say("b", 100*sec, 0)
	// Each takes a slot, then each waits, a before b.
	if r := say("a", 102*sec, 0, ask(1, 1)); len(r.Grants) != 1 {
		t.Fatalf("a: %+v", r)
	}
	if r := say("b", 103*sec, 0, ask(1, 1)); len(r.Grants) != 1 {
		t.Fatalf("b: %+v", r)
	}
	say("a", 103*sec, 1, ask(2, 1))
	if r := say("b", 103*sec, 1, ask(2, 1), ask(3, 1)); len(r.Heads) != 1 || r.Heads[0].ID != 0 || r.Heads[0].Why != WhySlots {
		t.Fatalf("the head is not a's, for want of a slot: %+v", r)
	}
	// b's slot goes to a, who does not fetch it: a is passed over when its next one would be due.
	if r := say("b", 104*sec, 1, settle(1)); len(r.Grants) != 0 || len(r.Wake) != 1 || r.Wake[0] != "a" {
		t.Fatalf("a is not granted and woken: %+v", r)
	}
	say("a2", 104*sec, 0)
	if b.Gate(0).InFlight != 2 {
		t.Fatalf("in flight %+v", b.Gate(0))
	}
	// a dies here: it holds both slots. They come back with its lease, 10 s after it was heard last, and not before.
	say("b", 108*sec, 1)
	if r := say("b", 112*sec, 1); b.Gate(0).InFlight != 2 || r.Members != 3 {
		t.Fatalf("before the lease is over: %+v, %+v", b.Gate(0), r)
	}
	r := say("b", 113*sec, 1)
	if len(r.Grants) != 2 || b.Gate(0).InFlight != 2 || r.Members != 2 {
		t.Fatalf("after it: %+v, %+v", b.Gate(0), r)
	}
	if used := b.quotas[0].limits[1].Used(113 * sec); used != 500 {
		t.Errorf("%d tokens used, want those of all five grants (INV-13)", used)
	}
	// a is not known any more, and joins with what it holds.
	if r := say("a", 114*sec, 2); r.Status != StatusUnknown {
		t.Fatalf("a: %+v", r)
	}
	batch["a"] = 50
	r = b.Exchange(Message{Member: "a", Given: 115 * sec, Batch: 51, Join: true, Fingerprint: cfg.Fingerprint(), Ops: []Op{
		{Kind: OpAdopt, ID: 1, Tokens: 100, Taken: 102 * sec, Charged: true}, ask(2, 1),
	}})
	if r.Status != StatusOK || b.Gate(0).InFlight != 3 || len(r.Grants) != 0 {
		t.Fatalf("a again: %+v, %+v", r, b.Gate(0))
	}
}

// A member that has not fetched what it was granted is passed over, keeps its places, and has them again when it is heard.
func TestBooksPassOverWhoDoesNotFetch(t *testing.T) {
	cfg := Config{
		Lease: 10 * sec, Quiet: 500 * ms, Quotas: []Quota{{}},
		Targets: []Target{{Keys: []KeyUse{{Weight: 1}}, Controller: "static", Limit: limit.Config{Start: 1}}},
	}.Exact()
	b, err := NewBooks(cfg)
	if err != nil {
		t.Fatal(err)
	}
	say, _ := speaker(b, &cfg)
	ask := func(id uint64) Op { return Op{Kind: OpAsk, ID: id, Class: 1, Quota: -1} }
	say("b", 0, 0, ask(1)) // has the slot
	say("a", 0, 0, ask(1), ask(2))
	say("b", 1*sec, 1, ask(2))
	say("b", 2*sec, 1, Op{Kind: OpSettle, ID: 1, Signal: -1}) // to a's first, who does not fetch it
	// While a's first holds the slot nobody is granted anything; b cannot know.
	if r := say("b", 2*sec+600*ms, 1); len(r.Grants) != 0 || b.Waiting(0)[1] != 2 {
		t.Fatalf("%+v, %v wait", r, b.Waiting(0))
	}
	// Its next place is passed over when the slot is free: here by a process that takes it back for a.
	b.targets[0].inFlight--
	b.dirty(0)
	if r := say("b", 2*sec+700*ms, 1); len(r.Grants) != 1 || r.Grants[0].ID != 2 || b.Waiting(0)[1] != 0 {
		t.Fatalf("a, who is silent, holds up b: %+v, %v wait", r, b.Waiting(0))
	}
	if say("a", 3*sec, 1); b.Waiting(0)[1] != 1 {
		t.Errorf("%v wait after a was heard again", b.Waiting(0))
	}
}

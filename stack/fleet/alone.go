package fleet

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
)

// alone is what a member goes on with while the store is gone: books with its share of every limit.
type alone struct {
	books   *Books
	talk    talk
	epoch   int64 // below 0: no store has charged what they grant
	next    time.Duration
	beat    time.Duration
	cfg     Config
	print   string
	leaving bool // it is about to join the store's books: its own stand still
	ledger  map[spent]*Op
	prune   int // size of the ledger at which to look for what does not count any more
}

// spent is where what was used is to be charged later.
type spent struct {
	quota  int
	second int64
}

// newAlone returns the books, which know what the member holds.
func newAlone(m *Member) *alone {
	cfg := m.cfg.Share(max(1, m.alive, m.own.Processes))
	books, err := NewBooks(cfg)
	if err != nil {
		panic("fleet: a share of sound books is not sound: " + err.Error())
	}
	a := &alone{books: books, cfg: cfg, print: cfg.Fingerprint(), epoch: -1, next: Never, ledger: make(map[spent]*Op)}
	a.join(m)
	return a
}

// join has its own books know what the member holds, and nothing else of it.
func (a *alone) join(m *Member) {
	a.talk = talk{joined: true, batch: a.talk.batch + 1}
	a.leaving, m.outbox = false, nil // it is in what follows
	msg := Message{Member: m.own.Name, Given: m.store(m.now), Batch: a.talk.batch, Join: true, Config: &a.cfg, Fingerprint: a.print}
	for _, it := range m.sorted() {
		o := it.ask
		if it.granted {
			o.Kind, o.Quota, o.Taken, o.Charged = OpAdopt, it.quota, it.taken, true
		}
		it.sent = true
		msg.Ops = append(msg.Ops, o)
	}
	msg.Ops = append(m.refusals(), msg.Ops...)
	r := a.books.Exchange(msg)
	m.hear(&a.talk, &msg, &r, a.epoch, 0)
	a.next, a.beat = m.next, m.now
}

// due is when its own books have something to do.
func (a *alone) due(m *Member) time.Duration {
	switch {
	case a.leaving, m.other: // its own books stand still
		return Never
	case len(m.outbox) > 0:
		return m.now
	}
	return min(a.next, a.beat)
}

// exchange tells its own books what there is to tell.
func (a *alone) exchange(m *Member) {
	for range 2 { // once more to acknowledge
		a.talk.batch++
		msg := Message{Member: m.own.Name, Given: m.store(m.now), Batch: a.talk.batch, Ack: a.talk.ack, Known: a.talk.knows, Ops: m.post(len(m.outbox)), Config: &a.cfg, Fingerprint: a.print}
		r := a.books.Exchange(msg)
		m.hear(&a.talk, &msg, &r, a.epoch, 0)
		a.next, a.beat = m.next, m.now+m.cfg.Lease/heartbeats
		if a.talk.ack == a.talk.acked {
			return
		}
	}
}

// leave makes ready to join the store's books again.
func (a *alone) leave(m *Member) {
	a.exchange(m)
	a.leaving = true
}

// used notes what a request used that the store's books do not know.
func (a *alone) used(it *held, o *Op) {
	if it.epoch >= 0 || o.Unused {
		return
	}
	at := spent{it.quota, int64(it.taken / time.Second)}
	l := a.ledger[at]
	if l == nil {
		l = &Op{Kind: OpCharge, Quota: it.quota, Taken: time.Duration(at.second) * time.Second}
		a.ledger[at] = l
		if len(a.ledger) > a.prune {
			a.forget(time.Duration(at.second) * time.Second)
		}
	}
	tokens, output := it.ask.Tokens, it.ask.Output
	if o.Known {
		tokens, output = o.Tokens, o.Output
	}
	l.Requests++
	l.Tokens += tokens
	l.Output += output
}

// forget drops what does not count any more when something is used at an instant.
func (a *alone) forget(now time.Duration) {
	for at := range a.ledger {
		if time.Duration(at.second)*time.Second < now-2*bucket.Span*time.Second {
			delete(a.ledger, at)
		}
	}
	a.prune = 2*len(a.ledger) + 64
}

// charges are the operations that tell the store's books what was used without them, as far as it still counts.
func (a *alone) charges(m *Member) []Op {
	var ops []Op
	since := m.store(m.now) - bucket.Span*time.Second
	for _, o := range a.ledger {
		if o.Taken >= since {
			ops = append(ops, *o)
		}
	}
	slices.SortFunc(ops, func(x, y Op) int {
		return cmp.Or(cmp.Compare(x.Taken, y.Taken), cmp.Compare(x.Quota, y.Quota))
	})
	return ops
}

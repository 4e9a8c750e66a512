package fleet

import (
	"cmp"
	"slices"
	"time"
)

// Begin returns the message that is to be carried to the store now; false: there is none.
func (m *Member) Begin(now time.Duration) (*Message, bool) {
	m.now = max(m.now, now)
	if m.alone != nil && m.alone.due(m) <= m.now {
		m.alone.exchange(m)
	}
	if m.flying || max(m.retry, m.remoteDue()) > m.now {
		return nil, false
	}
	if m.sent == nil {
		m.sent = m.compose()
	}
	m.sent.Given = m.store(m.now)
	m.flying, m.woken, m.sentAt = true, false, m.now
	return m.sent, true
}

// store is an instant in the store's clock.
func (m *Member) store(now time.Duration) time.Duration {
	return max(0, (now + m.offset).Truncate(Grain))
}

// compose writes the next message to the store.
func (m *Member) compose() *Message {
	if m.alone != nil && !m.alone.leaving {
		return &Message{Member: m.own.Name, Probe: true, Config: &m.cfg, Fingerprint: m.print}
	}
	t := &m.remote
	t.batch++
	most := maxOps
	if !t.joined {
		// Above what a process of that name, which is dead, has said: it is no repetition of that.
		t.batch = max(t.batch, uint64(m.store(m.now)/Grain))
		t.ack, t.knows = 0, 0
		m.outbox = m.rejoin(m.epoch)
		// All that is held must be known before anything is granted; places can come later.
		for n, o := range m.outbox {
			if o.Kind != OpAsk {
				most = max(most, n+1)
			}
		}
	}
	return &Message{
		Member: m.own.Name, Batch: t.batch, Ack: t.ack, Known: t.knows, Join: !t.joined, Ops: m.post(most), Config: &m.cfg, Fingerprint: m.print,
	}
}

// rejoin are the operations that make books of an epoch know all that the member holds.
func (m *Member) rejoin(epoch int64) []Op {
	var ops []Op
	if m.alone != nil {
		ops = m.alone.charges(m)
	}
	ops = append(ops, m.refusals()...)
	var asks []Op
	for _, it := range m.sorted() {
		o := it.ask
		if it.granted {
			o.Kind, o.Quota, o.Taken, o.Charged = OpAdopt, it.quota, it.taken, it.epoch == epoch && epoch != 0
			ops = append(ops, o)
			continue
		}
		it.sent = false
		asks = append(asks, o)
	}
	return append(ops, asks...)
}

// refusals are the operations that make books know which quotas rest and which keys are dead, as far as the member does: books
// that were lost know none of it, and books of its own neither.
func (m *Member) refusals() []Op {
	var ops []Op
	for q, until := range m.rests {
		if until > m.now {
			ops = append(ops, Op{Kind: OpExclude, Quota: q, Rest: until - m.now + 2*Grain}) // never shorter for being rounded
		}
	}
	for k := range m.keys() {
		if m.dead[k] {
			ops = append(ops, Op{Kind: OpKill, Key: k})
		}
	}
	return ops
}

// keys is one more than the highest number of a key.
func (m *Member) keys() int {
	n := 0
	for i := range m.cfg.Targets {
		for _, k := range m.cfg.Targets[i].Keys {
			n = max(n, k.Key+1)
		}
	}
	return n
}

// sorted are the items by number, in which order they came.
func (m *Member) sorted() []*held {
	list := make([]*held, 0, len(m.items))
	for _, it := range m.items {
		list = append(list, it)
	}
	slices.SortFunc(list, func(a, b *held) int { return cmp.Compare(a.ask.ID, b.ask.ID) })
	return list
}

// Leave returns the message with which the member goes for good.
func (m *Member) Leave(now time.Duration) *Message {
	m.now = max(m.now, now)
	m.remote.batch++
	return &Message{
		Member: m.own.Name, Given: m.store(m.now), Batch: m.remote.batch, Ack: m.remote.ack, Ops: append(m.outbox, Op{Kind: OpLeave}),
		Config: &m.cfg, Fingerprint: m.print,
	}
}

package fleet

import (
	"slices"
	"time"
)

// do carries out an operation.
func (b *Books) do(m *member, o *Op) {
	switch o.Kind {
	case OpAsk:
		b.seq++
		it := &item{
			id: o.ID, of: m, target: o.Target, class: o.Class, need: needOf(o.Tokens, o.Output), pinned: o.Quota, seq: b.seq,
		}
		m.items[o.ID] = it
		b.targets[o.Target].lines[o.Class].insert(it)
		b.dirty(o.Target)
	case OpAdopt:
		it := &item{
			id: o.ID, of: m, target: o.Target, class: o.Class, need: needOf(o.Tokens, o.Output), pinned: -1, granted: true,
			quota: o.Quota, taken: min(o.Taken, b.now),
		}
		m.items[o.ID] = it
		b.targets[o.Target].inFlight++
		b.quotas[o.Quota].inFlight++
		if !o.Charged {
			it.loose = true
			b.quotas[o.Quota].recount(b.now, it.taken, need{}, it.need)
		}
	case OpWithdraw:
		b.withdraw(m, o.ID)
	case OpSettle:
		b.close(m, o)
	case OpCharge:
		b.quotas[o.Quota].recount(b.now, min(o.Taken, b.now), need{}, need{o.Requests, o.Tokens, o.Output, o.Requests})
	case OpExclude:
		b.exclude(o.Quota, o.Rest)
	case OpKill:
		b.kill(o.Key)
	case OpLeave:
		b.drop(m)
	}
}

// withdraw takes a request back: its place, or a grant that has crossed with it and was not used.
func (b *Books) withdraw(m *member, id uint64) {
	it := m.items[id]
	switch {
	case it == nil:
	case it.granted:
		b.close(m, &Op{ID: id, Unused: true, Signal: -1})
	default:
		delete(m.items, id)
		b.targets[it.target].lines[it.class].remove(it)
		b.dirty(it.target)
	}
}

// close settles a grant.
func (b *Books) close(m *member, o *Op) {
	it := m.items[o.ID]
	if it == nil || !it.granted {
		return
	}
	delete(m.items, o.ID)
	t, q := &b.targets[it.target], &b.quotas[it.quota]
	t.inFlight--
	q.inFlight--
	settle := q.settle
	if it.loose {
		settle = q.recount
	}
	switch {
	case o.Unused:
		settle(b.now, it.taken, it.need, need{})
	case o.Known:
		settle(b.now, it.taken, it.need, needOf(o.Tokens, o.Output))
	}
	before := t.ctl.Limit()
	if o.Signal >= 0 {
		t.ctl.Success(b.now, it.taken, o.Signal.Truncate(Grain))
	}
	if o.Failed {
		t.ctl.Failure(b.now, it.taken)
	}
	if t.ctl.Limit() != before {
		b.version++
	}
	b.dirty(it.target)
	if o.Rest > 0 {
		b.exclude(it.quota, o.Rest)
	}
}

// exclude lets a quota rest from now on; a later end only extends it (INV-50).
func (b *Books) exclude(i int, rest time.Duration) {
	q := &b.quotas[i]
	until := b.now + rest.Truncate(Grain)
	if until <= q.excluded {
		return
	}
	q.excluded = until
	q.hold(until)
	b.version++
	b.touch(func(k *KeyUse) bool { return k.Quota == i })
}

func (b *Books) kill(key int) {
	if b.dead[key] {
		return
	}
	b.dead[key] = true
	b.version++
	b.touch(func(k *KeyUse) bool { return k.Key == key })
}

// revive forgets which keys are dead: a fleet that begins finds out for itself.
func (b *Books) revive() {
	if !slices.Contains(b.dead, true) {
		return
	}
	b.version++
	b.touch(func(k *KeyUse) bool { return b.dead[k.Key] })
	clear(b.dead)
}

// touch has the weights of all targets with such a key set anew, and their lines looked at.
func (b *Books) touch(with func(*KeyUse) bool) {
	for i := range b.targets {
		t := &b.targets[i]
		for k := range t.keys {
			if with(&t.keys[k]) {
				t.stale = true
				b.dirty(i)
				break
			}
		}
	}
}

func (b *Books) dirty(target int) { b.groups[b.targets[target].group].dirty = true }

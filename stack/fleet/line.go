package fleet

import (
	"slices"
	"sort"
	"time"
)

// line is the requests of one class that wait at a target, by their places.
type line struct{ items []*item }

func (l *line) at(seq uint64) int {
	return sort.Search(len(l.items), func(i int) bool { return l.items[i].seq >= seq })
}

func (l *line) insert(it *item) { l.items = slices.Insert(l.items, l.at(it.seq), it) }

func (l *line) remove(it *item) {
	if i := l.at(it.seq); i < len(l.items) && l.items[i] == it {
		l.items = slices.Delete(l.items, i, i+1)
	}
}

// first is the head of the highest class that waits, or nil.
func (t *target) first() *item {
	for c := range t.lines {
		if l := t.lines[c].items; len(l) > 0 {
			return l[0]
		}
	}
	return nil
}

// before reports whether an item goes before another.
func (it *item) before(o *item) bool {
	return it.class < o.class || it.class == o.class && it.seq < o.seq
}

// settle grants whatever can be granted now. To put a member aside changes lines of other groups too, which are
// then looked at once more.
func (b *Books) settle() {
	for g := range b.groups {
		b.groups[g].dirty = b.groups[g].dirty || b.groups[g].due <= b.now
	}
	for again := true; again; {
		again = false
		for g := range b.groups {
			if b.groups[g].dirty {
				again = true
				b.settleGroup(&b.groups[g])
			}
		}
	}
}

// kept is a quota that the head of a target waits for: what comes after it at other targets leaves it alone, or a large
// request would wait behind small ones for ever.
type kept struct {
	quota int
	until time.Duration
}

// settleGroup goes through the heads of a group's targets, the foremost first.
func (b *Books) settleGroup(g *group) {
	g.dirty, g.due = false, Never
	blocked := make([]bool, len(g.targets))
	heads := make([]head, len(g.targets))
	var claims []kept
	for {
		best, first := -1, (*item)(nil)
		for n, i := range g.targets {
			if blocked[n] {
				continue
			}
			if it := b.foremost(i); it != nil && (first == nil || it.before(first)) {
				best, first = n, it
			}
		}
		if first == nil {
			break
		}
		h, q := b.try(g.targets[best], first, claims)
		if h == nil {
			continue
		}
		blocked[best], heads[best] = true, head{first.of.name, *h}
		g.due = min(g.due, h.At)
		if q >= 0 && b.quotas[q].shared && len(g.targets) > 1 && !claimed(claims, q) {
			claims = append(claims, kept{q, h.At})
		}
	}
	for n, i := range g.targets {
		b.tell(&b.targets[i], heads[n])
	}
}

func claimed(claims []kept, quota int) bool {
	return slices.ContainsFunc(claims, func(k kept) bool { return k.quota == quota })
}

// foremost is the head of a target's line, after members that have not fetched what they were granted
// have been put aside.
func (b *Books) foremost(i int) *item {
	t := &b.targets[i]
	for {
		it := t.first()
		if it == nil || len(it.of.box) == 0 || it.of.box[0].Taken+b.cfg.Quiet >= b.now {
			return it
		}
		b.park(it.of)
	}
}

// park passes a member over until it is heard again.
func (b *Books) park(m *member) {
	m.parked = true
	for _, it := range m.items {
		if !it.granted {
			b.targets[it.target].lines[it.class].remove(it)
			b.dirty(it.target)
		}
	}
}

// tell wakes the owner of a head that is new to him, or that can go on notably sooner than he knows.
func (b *Books) tell(t *target, h head) {
	const notable = 20 * time.Millisecond
	t.head = h
	if h.of != "" && (t.told.of != h.of || t.told.ID != h.ID || h.At+notable < t.told.At) {
		t.told = h
		b.wake(h.of)
	}
}

func (b *Books) wake(name string) {
	if i, have := slices.BinarySearch(b.woken, name); !have {
		b.woken = slices.Insert(b.woken, i, name)
	}
}

// answer tells a member what it was granted and what its heads wait for.
func (b *Books) answer(r *Reply, m *member, known uint64) {
	r.Grants = append([]Grant(nil), m.box...)
	for i := range b.targets {
		switch t := &b.targets[i]; t.head.of {
		case "":
		case m.name:
			t.told = t.head
			r.Heads = append(r.Heads, t.head.Head)
		default:
			r.Heads = append(r.Heads, Head{Target: i, At: Never, Why: t.head.Why})
		}
	}
	if known == b.version {
		return
	}
	r.News = &News{Version: b.version}
	for k, dead := range b.dead {
		if dead {
			r.News.Dead = append(r.News.Dead, k)
		}
	}
	for q := range b.quotas {
		if at := b.quotas[q].excluded; at > b.now {
			r.News.Rests = append(r.News.Rests, Rest{q, at})
		}
	}
	for i := range b.targets {
		r.News.Gates = append(r.News.Gates, b.Gate(i))
	}
}

// Gate returns the state of a target.
func (b *Books) Gate(i int) Gate {
	t := &b.targets[i]
	g := Gate{Limit: t.ctl.Limit(), InFlight: t.inFlight}
	g.Raised, g.Lowered = t.ctl.Counts()
	return g
}

// Waiting counts those that wait at a target, by class. Members that are passed over are left out.
func (b *Books) Waiting(i int) (n [Classes]int) {
	for c := range n {
		n[c] = len(b.targets[i].lines[c].items)
	}
	return n
}

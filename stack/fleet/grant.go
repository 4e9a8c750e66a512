package fleet

import "time"

// slotsReserved is the part of the limit that only class 0 may use.
func (t *target) slotsReserved() int {
	l := t.ctl.Limit()
	if t.reserve == 0 || l < 2 {
		return 0
	}
	return min(l-1, max(1, l*t.reserve/100))
}

// try grants a target's head, or says what it waits for, and which quota it would have first (-1: none).
func (b *Books) try(i int, it *item, claims []kept) (*Head, int) {
	t := &b.targets[i]
	lower := it.class > 0
	h := &Head{Target: i, ID: it.id, At: Never}
	switch l := t.ctl.Limit(); {
	case t.inFlight >= l:
		t.ctl.Busy(b.now)
		h.Why = WhySlots
		return h, -1
	case lower && t.inFlight >= l-t.slotsReserved():
		t.ctl.Busy(b.now)
		h.Why = WhyReserve
		return h, -1
	}
	if k := b.pick(t, it, lower, claims); k >= 0 {
		b.grant(t, it, k)
		return nil, -1
	}
	return h, b.prospect(t, it, lower, claims, h)
}

// pick is the key that is next in rotation of those that can take the request, or -1. The pick is left open.
func (b *Books) pick(t *target, it *item, lower bool, claims []kept) int {
	if t.stale || b.now >= t.fresh {
		b.weigh(t)
	}
	for {
		k := t.ring.Best()
		if k < 0 {
			t.ring.Abandon()
			return -1
		}
		q := t.keys[k].Quota
		if (it.pinned < 0 || it.pinned == q) && !claimed(claims, q) && b.quotas[q].ready(b.now, it.need, lower) {
			return k
		}
		t.ring.Drop(k)
	}
}

// weigh sets the rotation's weights: none for keys that are dead or rest.
func (b *Books) weigh(t *target) {
	t.stale, t.fresh = false, Never
	for k := range t.keys {
		u := &t.keys[k]
		q := &b.quotas[u.Quota]
		w := u.Weight
		switch {
		case b.dead[u.Key]:
			w = 0
		case q.excluded > b.now:
			w = 0
			t.fresh = min(t.fresh, q.excluded)
		case b.cfg.Remaining:
			w *= max(1, q.free(b.now))
		}
		t.ring.SetWeight(k, w)
	}
	if b.cfg.Remaining {
		t.fresh = min(t.fresh, b.now.Truncate(time.Second)+time.Second)
	}
}

// grant gives a request key k and a slot.
func (b *Books) grant(t *target, it *item, k int) {
	t.ring.Commit(k)
	t.lines[it.class].remove(it)
	u := &t.keys[k]
	b.quotas[u.Quota].take(b.now, it.need)
	if t.inFlight++; t.inFlight >= t.ctl.Limit() {
		t.ctl.Busy(b.now)
	}
	it.granted, it.quota, it.taken = true, u.Quota, b.now
	m := it.of
	m.number++
	m.box = append(m.box, Grant{Number: m.number, ID: it.id, Key: u.Key, Quota: u.Quota, Taken: b.now})
	b.wake(m.name)
}

// prospect says when a request that no key can take now may be taken, and by which quota first.
func (b *Books) prospect(t *target, it *item, lower bool, claims []kept, h *Head) int {
	quota, rested := -1, Never
	h.Why = WhyNone
	for k := range t.keys {
		u := &t.keys[k]
		if u.Weight == 0 || b.dead[u.Key] || it.pinned >= 0 && it.pinned != u.Quota {
			continue
		}
		q := &b.quotas[u.Quota]
		if !q.fits(it.need, lower) {
			continue
		}
		if q.excluded > b.now {
			rested = min(rested, q.excluded)
			if h.Why == WhyNone {
				h.Why = WhyExcluded
			}
			continue
		}
		at, w := q.next(b.now, it.need, lower)
		for _, c := range claims {
			if c.quota == u.Quota {
				at = max(at, c.until)
			}
		}
		if at < h.At || quota < 0 {
			h.At, h.Why, quota = at, w, u.Quota
		}
	}
	h.At = min(h.At, rested)
	if h.Why == WhyPlaces {
		return -1
	}
	return quota
}

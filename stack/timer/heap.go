// Package timer keeps deadlines: an indexed 4-ary heap of (instant, sequence)
// over small integer ids, each of which has at most one deadline.
//
// An indexed heap, so that a deadline that moves or falls away (which nearly all
// of them do: a time-out is the exception) leaves nothing behind. Equal instants
// come out in the order in which they were set.
package timer

import "time"

// Heap holds at most one deadline per id. The zero value is empty and ready.
type Heap struct {
	items []item
	pos   []int32 // by id: index into items plus 1; 0: not set
	seq   uint64
}

type item struct {
	at  time.Duration
	seq uint64
	id  int32
}

func (a *item) before(b *item) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// Len returns the number of deadlines set.
func (h *Heap) Len() int { return len(h.items) }

// Min returns the earliest deadline.
func (h *Heap) Min() (id int32, at time.Duration, ok bool) {
	if len(h.items) == 0 {
		return 0, 0, false
	}
	return h.items[0].id, h.items[0].at, true
}

// At returns the deadline of id.
func (h *Heap) At(id int32) (time.Duration, bool) {
	if int(id) >= len(h.pos) || h.pos[id] == 0 {
		return 0, false
	}
	return h.items[h.pos[id]-1].at, true
}

// Set sets or moves the deadline of id.
func (h *Heap) Set(id int32, at time.Duration) {
	for int(id) >= len(h.pos) {
		h.pos = append(h.pos, 0)
	}
	h.seq++
	it := item{at: at, seq: h.seq, id: id}
	if p := h.pos[id]; p != 0 {
		i := int(p - 1)
		h.items[i] = it
		if !h.up(i) {
			h.down(i)
		}
		return
	}
	h.items = append(h.items, it)
	h.pos[id] = int32(len(h.items))
	h.up(len(h.items) - 1)
}

// Clear removes the deadline of id, if there is one.
func (h *Heap) Clear(id int32) {
	if int(id) >= len(h.pos) || h.pos[id] == 0 {
		return
	}
	i := int(h.pos[id] - 1)
	h.pos[id] = 0
	last := len(h.items) - 1
	moved := h.items[last]
	h.items = h.items[:last]
	if i == last {
		return
	}
	h.items[i] = moved
	h.pos[moved.id] = int32(i + 1)
	if !h.up(i) {
		h.down(i)
	}
}

func (h *Heap) up(i int) (moved bool) {
	it := h.items[i]
	for i > 0 {
		p := (i - 1) / 4
		if !it.before(&h.items[p]) {
			break
		}
		h.items[i] = h.items[p]
		h.pos[h.items[i].id] = int32(i + 1)
		i, moved = p, true
	}
	h.items[i] = it
	h.pos[it.id] = int32(i + 1)
	return moved
}

func (h *Heap) down(i int) {
	it := h.items[i]
	n := len(h.items)
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		best := c
		for k := c + 1; k < n && k < c+4; k++ {
			if h.items[k].before(&h.items[best]) {
				best = k
			}
		}
		if !h.items[best].before(&it) {
			break
		}
		h.items[i] = h.items[best]
		h.pos[h.items[i].id] = int32(i + 1)
		i = best
	}
	h.items[i] = it
	h.pos[it.id] = int32(i + 1)
}

package timer

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// reference is the sorted list that Heap must behave like.
type reference struct {
	items []item
	seq   uint64
}

func (r *reference) set(id int32, at time.Duration) {
	r.clear(id)
	r.seq++
	r.items = append(r.items, item{at: at, seq: r.seq, id: id})
	slices.SortFunc(r.items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	})
}

func (r *reference) clear(id int32) {
	r.items = slices.DeleteFunc(r.items, func(it item) bool { return it.id == id })
}

func (r *reference) at(id int32) (time.Duration, bool) {
	for _, it := range r.items {
		if it.id == id {
			return it.at, true
		}
	}
	return 0, false
}

// Ensure a heap agrees with a sorted list after any sequence of settings, moves and
// removals, and that equal instants come out in the order in which they were set.
func TestHeapAgreesWithSortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Heap
		var ref reference
		ids := rapid.Int32Range(0, rapid.Int32Range(0, 60).Draw(t, "ids"))
		at := rapid.Int64Range(-3, rapid.SampledFrom([]int64{2, 10, 1 << 40}).Draw(t, "spread"))
		for range rapid.IntRange(1, 300).Draw(t, "n") {
			switch id := ids.Draw(t, "id"); rapid.IntRange(0, 5).Draw(t, "op") {
			case 0, 1, 2:
				d := time.Duration(at.Draw(t, "at"))
				h.Set(id, d)
				ref.set(id, d)
			case 3:
				h.Clear(id)
				ref.clear(id)
			case 4:
				if first, _, ok := h.Min(); ok {
					h.Clear(first)
					ref.clear(first)
				}
			case 5:
				gotAt, got := h.At(id)
				wantAt, want := ref.at(id)
				if got != want || gotAt != wantAt {
					t.Fatalf("At(%d) = %v, %v; want %v, %v", id, gotAt, got, wantAt, want)
				}
			}
			same(t, &h, &ref)
		}
		for h.Len() > 0 {
			same(t, &h, &ref)
			id, _, _ := h.Min()
			h.Clear(id)
			ref.clear(id)
		}
		same(t, &h, &ref)
	})
}

func same(t *rapid.T, h *Heap, ref *reference) {
	t.Helper()
	if h.Len() != len(ref.items) {
		t.Fatalf("Len = %d, want %d", h.Len(), len(ref.items))
	}
	id, at, ok := h.Min()
	if ok != (len(ref.items) > 0) {
		t.Fatalf("Min ok = %v with %d deadlines", ok, len(ref.items))
	}
	if ok && (id != ref.items[0].id || at != ref.items[0].at) {
		t.Fatalf("Min = %d at %v, want %d at %v", id, at, ref.items[0].id, ref.items[0].at)
	}
}

// Ensure an unknown id, and a removal twice over, are harmless.
func TestHeapOfUnknownIDs(t *testing.T) {
	var h Heap
	h.Clear(7)
	if _, ok := h.At(7); ok {
		t.Error("an id never set has a deadline")
	}
	h.Set(3, time.Second)
	h.Clear(3)
	h.Clear(3)
	if _, _, ok := h.Min(); ok || h.Len() != 0 {
		t.Errorf("Len = %d after the only deadline was cleared", h.Len())
	}
}

// Ensure moving a deadline to the same instant sends it behind its equals.
func TestHeapMovedDeadlineGoesBehindItsEquals(t *testing.T) {
	var h Heap
	for id := int32(0); id < 5; id++ {
		h.Set(id, time.Second)
	}
	h.Set(0, time.Second)
	var got []int32
	for h.Len() > 0 {
		id, _, _ := h.Min()
		got = append(got, id)
		h.Clear(id)
	}
	if want := []int32{1, 2, 3, 4, 0}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func BenchmarkSetClear(b *testing.B) {
	var h Heap
	for id := int32(0); id < 4000; id++ {
		h.Set(id, time.Duration(id)*7919%4001)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		h.Set(int32(i%4000), time.Duration(i*7919%4001))
	}
}

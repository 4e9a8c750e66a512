package queue

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// INV-30, INV-33: several Lines over one Links behave like plain slices: first in
// first out within a class, strict between classes, and a removal from anywhere leaves
// nothing behind.
func TestLinesAgreeWithSlices_INV30_INV33(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const gates = 3
		var links Links
		items := rapid.IntRange(1, 40).Draw(t, "items")
		links.Grow(items)
		var lines [gates]*Lines
		for g := range lines {
			lines[g] = New(&links)
		}
		var ref [gates][Classes][]int32
		type place struct{ gate, class int }
		where := map[int32]place{}
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			if rapid.IntRange(0, 9).Draw(t, "grow") == 0 {
				items++
				links.Grow(items)
			}
			item := rapid.Int32Range(0, int32(items-1)).Draw(t, "item")
			if p, waits := where[item]; waits {
				lines[p.gate].Remove(p.class, item)
				r := &ref[p.gate][p.class]
				*r = slices.DeleteFunc(*r, func(x int32) bool { return x == item })
				delete(where, item)
			} else {
				p := place{rapid.IntRange(0, gates-1).Draw(t, "gate"), rapid.IntRange(0, Classes-1).Draw(t, "class")}
				lines[p.gate].Push(p.class, item)
				ref[p.gate][p.class] = append(ref[p.gate][p.class], item)
				where[item] = p
			}
			for g := range lines {
				agree(t, lines[g], &ref[g])
			}
		}
	})
}

func agree(t *rapid.T, l *Lines, ref *[Classes][]int32) {
	t.Helper()
	total := 0
	head, headClass, last, lastClass := int32(-1), 0, int32(-1), 0
	for c, want := range ref {
		var got []int32
		l.Items(c, func(item int32) { got = append(got, item) })
		if !slices.Equal(got, want) || l.LenOf(c) != len(want) {
			t.Fatalf("class %d holds %v (LenOf %d), want %v", c, got, l.LenOf(c), want)
		}
		total += len(want)
		if len(want) > 0 {
			if head < 0 {
				head, headClass = want[0], c
			}
			last, lastClass = want[len(want)-1], c
		}
	}
	if l.Len() != total {
		t.Fatalf("Len = %d, want %d", l.Len(), total)
	}
	item, class, ok := l.Head()
	if ok != (total > 0) || ok && (item != head || class != headClass) {
		t.Fatalf("Head = %d of class %d, %v; want %d of class %d", item, class, ok, head, headClass)
	}
	item, class, ok = l.Last()
	if ok != (total > 0) || ok && (item != last || class != lastClass) {
		t.Fatalf("Last = %d of class %d, %v; want %d of class %d", item, class, ok, last, lastClass)
	}
}

func TestLinesSteps(t *testing.T) {
	var links Links
	links.Grow(10)
	l := New(&links)
	steps := []struct {
		push, remove int32 // -1: not
		class        int
		head, last   int32
	}{
		{push: 0, remove: -1, class: 2, head: 0, last: 0},
		{push: 1, remove: -1, class: 1, head: 1, last: 0},
		{push: 2, remove: -1, class: 0, head: 2, last: 0},
		{push: 3, remove: -1, class: 0, head: 2, last: 0},
		{push: -1, remove: 2, class: 0, head: 3, last: 0},
		{push: 4, remove: -1, class: 2, head: 3, last: 4},
		{push: -1, remove: 3, class: 0, head: 1, last: 4},
		{push: -1, remove: 1, class: 1, head: 0, last: 4},
		{push: -1, remove: 4, class: 2, head: 0, last: 0},
		{push: -1, remove: 0, class: 2, head: -1, last: -1},
	}
	for n, s := range steps {
		if s.push >= 0 {
			l.Push(s.class, s.push)
		}
		if s.remove >= 0 {
			l.Remove(s.class, s.remove)
		}
		head, _, _ := l.Head()
		last, _, _ := l.Last()
		if head != s.head || last != s.last {
			t.Fatalf("step %d: head %d, last %d; want %d, %d", n, head, last, s.head, s.last)
		}
	}
}

// Package queue holds the lines in front of a gate: one first-in first-out line
// per class, strict between classes, with removal from the middle in constant
// time so that a cancelled waiter leaves nothing behind (INV-30, INV-33).
//
// Items are small integers chosen by the caller; an item is in at most one line
// of all the Lines that share a Links.
package queue

// Classes is the number of lines.
const Classes = 3

const none = -1

// Links holds the chaining of items, shared by all Lines whose items are drawn
// from one pool.
type Links struct {
	next, prev []int32
}

// Grow makes room for items below n.
func (l *Links) Grow(n int) {
	for len(l.next) < n {
		l.next = append(l.next, none)
		l.prev = append(l.prev, none)
	}
}

// Lines is the set of lines of one gate. Make one with New.
type Lines struct {
	links      *Links
	head, tail [Classes]int32
	n          [Classes]int
}

// New returns empty lines over links.
func New(links *Links) *Lines {
	l := &Lines{links: links}
	for c := range l.head {
		l.head[c], l.tail[c] = none, none
	}
	return l
}

// Len returns the number of items in all lines.
func (l *Lines) Len() int { return l.n[0] + l.n[1] + l.n[2] }

// LenOf returns the number of items of a class.
func (l *Lines) LenOf(class int) int { return l.n[class] }

// Push appends an item to its class's line.
func (l *Lines) Push(class int, item int32) {
	l.links.next[item], l.links.prev[item] = none, l.tail[class]
	if l.tail[class] == none {
		l.head[class] = item
	} else {
		l.links.next[l.tail[class]] = item
	}
	l.tail[class] = item
	l.n[class]++
}

// Head returns the first item of the highest class that waits.
func (l *Lines) Head() (item int32, class int, ok bool) {
	for c := range l.head {
		if l.head[c] != none {
			return l.head[c], c, true
		}
	}
	return none, 0, false
}

// Last returns the last item of the lowest class that waits.
func (l *Lines) Last() (item int32, class int, ok bool) {
	for c := Classes - 1; c >= 0; c-- {
		if l.tail[c] != none {
			return l.tail[c], c, true
		}
	}
	return none, 0, false
}

// Remove takes an item out of its class's line.
func (l *Lines) Remove(class int, item int32) {
	next, prev := l.links.next[item], l.links.prev[item]
	if prev == none {
		l.head[class] = next
	} else {
		l.links.next[prev] = next
	}
	if next == none {
		l.tail[class] = prev
	} else {
		l.links.prev[next] = prev
	}
	l.links.next[item], l.links.prev[item] = none, none
	l.n[class]--
}

// Items calls f for every item of a class, first in line first. For tests and
// inspection.
func (l *Lines) Items(class int, f func(item int32)) {
	for i := l.head[class]; i != none; i = l.links.next[i] {
		f(i)
	}
}

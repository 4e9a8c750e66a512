package report

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
	"unsafe"
)

// tape carries the fields of what is frozen to bytes, or back from them. Each part names its fields once, in a method
// that serves both ways, so that what is written and what is read cannot differ.
//
// Numbers are varints, floats their bits. After the first error nothing more is carried. Reading takes no more memory
// than room, whatever the bytes claim.
type tape struct {
	reading bool
	data    []byte // what was written, or what is still to be read
	room    int64  // bytes of memory that what is read may take from now on
	err     error
}

func (t *tape) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

// check is for what must hold of the fields, lest whoever uses them fails.
func (t *tape) check(ok bool, what string) {
	if !ok {
		t.fail("%s", what)
	}
}

// word carries 64 bits.
func (t *tape) word(v *uint64) {
	if !t.reading {
		t.data = binary.AppendUvarint(t.data, *v)
		return
	}
	*v = 0
	if t.err != nil {
		return
	}
	x, n := binary.Uvarint(t.data)
	if n <= 0 {
		t.fail("a number is cut off or too large")
		return
	}
	*v, t.data = x, t.data[n:]
}

// number carries an integer of any kind but uint64 (see word).
func number[T ~int | ~int32 | ~int64 | ~uint8 | ~uint32](t *tape, v *T) {
	x := int64(*v)
	w := uint64(x)<<1 ^ uint64(x>>63) // small ones of both signs are short
	t.word(&w)
	if t.reading {
		x = int64(w>>1) ^ -int64(w&1)
		*v = T(x)
		t.check(int64(*v) == x, "a number is out of its range")
	}
}

// counts carries several fields.
func (t *tape) counts(fields ...*int64) {
	for _, f := range fields {
		number(t, f)
	}
}

// spans carries several durations.
func (t *tape) spans(fields ...*time.Duration) {
	for _, f := range fields {
		number(t, f)
	}
}

func (t *tape) floats(fields ...*float64) {
	for _, f := range fields {
		bits := math.Float64bits(*f)
		t.word(&bits)
		*f = math.Float64frombits(bits)
	}
}

func (t *tape) nums(fields ...*Num) {
	for _, f := range fields {
		t.floats((*float64)(f))
	}
}

func (t *tape) flags(fields ...*bool) {
	for _, f := range fields {
		n := uint8(0)
		if *f {
			n = 1
		}
		number(t, &n)
		*f = n == 1
		t.check(n <= 1, "neither true nor false")
	}
}

func (t *tape) texts(fields ...*string) {
	for _, f := range fields {
		n := len(*f)
		number(t, &n)
		if !t.reading {
			t.data = append(t.data, *f...)
			continue
		}
		*f = ""
		if t.take(n, 1) {
			*f, t.data = string(t.data[:n]), t.data[n:]
		}
	}
}

func (t *tape) sums(fields ...*wide) {
	for _, f := range fields {
		t.word(&f.hi)
		t.word(&f.lo)
	}
}

// take reports whether n elements of a size may be read: each has at least one byte on the tape.
func (t *tape) take(n int, size uintptr) bool {
	if t.err != nil {
		return false
	}
	if n < 0 || n > len(t.data) {
		t.fail("%d elements in %d bytes", n, len(t.data))
		return false
	}
	if t.room -= int64(n) * int64(size); t.room < 0 {
		t.fail("it takes too much memory")
		return false
	}
	return true
}

// fixed carries a list whose length both sides know.
func fixed[T any](t *tape, v *[]T, n int, each func(*T)) {
	switch {
	case t.reading:
		*v = nil
		var one T
		if !t.take(n, unsafe.Sizeof(one)) {
			return
		}
		*v = make([]T, n)
	case len(*v) != n:
		t.fail("a list of %d has %d elements", n, len(*v))
	}
	for i := range *v {
		if each(&(*v)[i]); t.err != nil {
			return
		}
	}
}

// list carries a list of any length, and whether there is one.
func list[T any](t *tape, v *[]T, each func(*T)) {
	n := 0
	if *v != nil {
		n = len(*v) + 1
	}
	if number(t, &n); n == 0 {
		*v = nil
		return
	}
	fixed(t, v, n-1, each)
}

// array carries an array. Its length is on the tape, since it is that of an enumeration, which may grow.
func array(t *tape, v []int64) {
	n := len(v)
	number(t, &n)
	if t.check(n == len(v), "it knows other endings, outcomes or reasons than this program"); t.err != nil {
		return
	}
	t.each(v)
}

// each carries the elements of a list that is there already.
func (t *tape) each(v []int64) {
	for i := range v {
		number(t, &v[i])
	}
}

// column carries n counts.
func (t *tape) column(v *[]int64, n int) { fixed(t, v, n, func(c *int64) { number(t, c) }) }

// names carries a list of texts.
func (t *tape) names(v *[]string) { list(t, v, func(s *string) { t.texts(s) }) }

// values carries a list of numbers.
func (t *tape) values(v *[]Num) { list(t, v, func(n *Num) { t.nums(n) }) }

package report

import "math/bits"

// carry carries a histogram: which pages it has, and in each the counts, of which nearly all that are zero stand
// beside each other.
func (h *histogram) carry(t *tape) {
	if number(t, &h.n); h.n == 0 && t.reading {
		*h = histogram{}
	}
	if h.n == 0 {
		return
	}
	t.counts(&h.zeros, &h.sumUS, &h.clamped)
	t.spans(&h.min, &h.max)
	var have uint64
	for i, page := range h.pages {
		if page != nil {
			have |= 1 << i
		}
	}
	t.word(&have)
	t.check(bits.Len64(have) <= finePages, "a histogram beyond 24 h")
	left := h.n - h.zeros
	t.check(left >= 0 && h.zeros >= 0, "a histogram with other counts than it has values")
	for i := range h.pages {
		if have>>i&1 == 0 || t.err != nil {
			continue
		}
		if t.reading && t.take(1, 8<<fineBits) {
			h.pages[i] = newPage()
		}
		if h.pages[i] != nil {
			left -= carryPage(t, h.pages[i], left)
		}
	}
	t.check(left == 0, "a histogram with other counts than it has values")
}

// carryPage carries the counts of a page, of at most so many values, and returns how many those are: in turn how many
// zeros, and a count, until there is no further one.
func carryPage(t *tape, page *octave, most int64) (values int64) {
	for i := 0; t.err == nil; i++ {
		from := i
		for !t.reading && i < len(page) && page[i] == 0 {
			i++
		}
		zeros := i - from
		number(t, &zeros)
		if i = from + zeros; i == len(page) {
			break
		}
		if t.check(zeros >= 0 && i >= 0 && i < len(page), "a page of a histogram that does not end"); t.err != nil {
			break
		}
		number(t, &page[i])
		t.check(page[i] > 0 && page[i] <= most-values, "a histogram with other counts than it has values")
		values += page[i]
	}
	t.check(values > 0 || t.err != nil, "an empty page of a histogram")
	return values
}

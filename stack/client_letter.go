package stack

import (
	"fmt"
	"io"
	"sync"
)

// mostLetters is how many dead letters may wait for a writer that is slow, a few hundred bytes each.
const mostLetters = 4096

var errManyLetters = fmt.Errorf("%d dead letters wait for the writer", mostLetters)

// letterBox writes dead letters one at a time, in the order in which they were posted, while nobody
// waits for it.
type letterBox struct {
	form letters
	to   io.Writer // nil: nowhere
	// lose is told of the first letter that is lost as the writer fails, or of each that finds the box full.
	lose func(id RequestID, err error)

	mu      sync.Mutex
	waiting []posted
	writing bool // somebody is in write, or about to be
	bad     bool // the writer has failed
}

// posted is a letter that waits.
type posted struct {
	id   RequestID
	line []byte
}

// post puts a request's letter into the box. If it returns true, the caller has write called.
func (b *letterBox) post(r *Result) bool {
	line := b.form.append(nil, r)
	b.mu.Lock()
	full, bad := len(b.waiting) >= mostLetters, b.bad
	begin := !b.writing && !full && !bad
	if !full && !bad {
		b.waiting, b.writing = append(b.waiting, posted{r.Request.ID, line}), true
	}
	b.mu.Unlock()
	if full && !bad {
		b.lose(r.Request.ID, errManyLetters)
	}
	return begin
}

// write writes what is in the box, until it is empty or the writer fails.
func (b *letterBox) write() {
	for {
		p, ok := b.next()
		if !ok {
			return
		}
		if _, err := b.to.Write(p.line); err != nil {
			b.fail()
			b.lose(p.id, fmt.Errorf("writing a dead letter: %w", err))
			return
		}
	}
}

// next takes the oldest letter out of the box.
func (b *letterBox) next() (p posted, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		b.waiting, b.writing = nil, false
		return posted{}, false
	}
	p, b.waiting = b.waiting[0], b.waiting[1:]
	return p, true
}

// fail gives all up.
func (b *letterBox) fail() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting, b.writing, b.bad = nil, false, true
}

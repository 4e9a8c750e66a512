package fleet

import "time"

// Book is what a submitter knows of the tasks of a batch: which are out, which have ended, and which are to be published again.
// It is a state machine; now is the time since the sweep began. The zero value is not usable, see [NewBook].
//
// Who publishes twice does no harm, so the rules err on that side, but slowly: open tasks that are missing from the queue for
// longer than [Settings.Grace] are due (at once, if an earlier submission published them and took them out), and all open ones when nothing has happened for [Settings.Stall] though workers have
// nothing else to do; the next time it takes twice as long. A task that a worker says to be at is never due.
type Book struct {
	set     Settings
	tasks   map[string]*entry // asked, never walked
	order   []string
	counts  Counts
	sign    time.Duration // when something last happened
	missing time.Duration // since when the queue has held fewer tasks than are open
	lacking bool          // it does
	stall   time.Duration // without a sign, before all is published again
	idle    time.Duration // since when workers have been free without one
	free    bool          // they are
}

// entry is a task of a book.
type entry struct {
	published time.Duration
	copies    int  // times published
	old       bool // the server had seen the last copy before
	ended     bool
}

// Counts says how far a batch is.
type Counts struct {
	All, Done, Failed int
	Redelivered       int // deliveries beyond the first of tasks that are done
	Republished       int
}

// Open is the number of tasks that have not ended.
func (c Counts) Open() int { return c.All - c.Done - c.Failed }

// Look is what the submitter sees of the queue and the workers.
type Look struct {
	Queued  int // tasks of the sweep in the queue, those under way included; -1: not known
	Free    int // tasks that workers of the sweep's version could take at once, on top of what they are at
	Running func(task string) bool
}

// NewBook returns a book without tasks.
func NewBook(s Settings) *Book {
	s = s.withDefaults()
	return &Book{set: s, stall: s.Stall, tasks: make(map[string]*entry)}
}

// Add enters a task. It is due until it was published.
func (b *Book) Add(id string) {
	if b.tasks[id] == nil {
		b.tasks[id] = &entry{}
		b.order = append(b.order, id)
		b.counts.All++
	}
}

// Published notes that the server has a task. Again: it says that it has seen this copy before, from an earlier submission; that may
// still be in the queue, or not.
func (b *Book) Published(now time.Duration, id string, again bool) {
	e := b.tasks[id]
	if e == nil || e.ended {
		return
	}
	if e.copies++; e.copies > 1 {
		b.counts.Republished++
	}
	e.published, e.old, b.sign = now, again, now
}

// Copies is how often a task was published.
func (b *Book) Copies(id string) int { return b.tasks[id].copies }

// Done notes a result; false if the task has ended already, or is none of the book's.
func (b *Book) Done(now time.Duration, id string, deliveries int) bool {
	if !b.end(now, id) {
		return false
	}
	b.counts.Done++
	b.counts.Redelivered += max(0, deliveries-1)
	return true
}

// Failed notes that a task will have no result; false as for [Book.Done].
func (b *Book) Failed(now time.Duration, id string) bool {
	if !b.end(now, id) {
		return false
	}
	b.counts.Failed++
	return true
}

func (b *Book) end(now time.Duration, id string) bool {
	e := b.tasks[id]
	if e == nil || e.ended {
		return false
	}
	e.ended, b.sign, b.stall = true, now, b.set.Stall
	return true
}

// Counts says how far the batch is.
func (b *Book) Counts() Counts { return b.counts }

// Due lists the tasks to publish now, in the order in which they were added.
func (b *Book) Due(now time.Duration, l Look) []string {
	open := b.counts.Open()
	if open == 0 {
		return nil
	}
	switch lacks := l.Queued >= 0 && l.Queued < open; {
	case !lacks:
		b.lacking = false
	case !b.lacking:
		b.lacking, b.missing = true, now
	}
	missing := func(e *entry) bool {
		return b.lacking && (e.old || now-b.missing >= b.set.Grace && now-e.published >= b.set.Grace)
	}
	var due []string
	running := false
	for _, id := range b.order {
		e := b.tasks[id]
		switch {
		case e.ended:
		case l.Running != nil && l.Running(id):
			running = true
		case e.copies == 0, missing(e):
			due = append(due, id)
		}
	}
	if running {
		b.sign = now
	}
	if b.stalls(now, l.Free > 0) && len(due) == 0 {
		b.idle, b.stall = now, 2*b.stall
		return b.open()
	}
	return due
}

// stalls reports whether nothing has happened for too long though workers are free. Those that are busy take other tasks first, and a queue
// may be long.
func (b *Book) stalls(now time.Duration, free bool) bool {
	if free && !b.free {
		b.idle = now
	}
	b.free = free
	return free && now-max(b.idle, b.sign) >= b.stall
}

// open lists the tasks that have not ended.
func (b *Book) open() []string {
	var list []string
	for _, id := range b.order {
		if !b.tasks[id].ended {
			list = append(list, id)
		}
	}
	return list
}

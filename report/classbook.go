package report

import "github.com/seed-4fd17b57/simload/stack"

// entry is what a classBook holds: a spell, or a tally of requests asked for and served.
type entry uint64

const (
	oneAsked  entry = 1
	oneServed entry = 1 << 32
)

func (c entry) asked() uint64  { return uint64(uint32(c)) }
func (c entry) served() uint64 { return uint64(c >> 32) }

func (c entry) spell() spell {
	return spell{since: uint32(c), length: uint16(c >> 32), worst: uint16(c >> 48)}
}

func (s spell) entry() entry {
	return entry(s.since) | entry(s.length)<<32 | entry(s.worst)<<48
}

// agentPage is the number of agents in a page.
const agentPage = 256

// classBook holds for each agent of a class a spell and then a tally for each of the
// class's profiles, in pages that come with the first agent that asks.
type classBook struct {
	each  int // entries of an agent
	pages [][]entry
}

func newClassBooks() []classBook {
	books := make([]classBook, stack.NumClasses)
	for c := range books {
		books[c].each = 1 // the spell
	}
	return books
}

// of returns the agent's entries.
func (b *classBook) of(agent uint32) []entry {
	p := int(agent / agentPage)
	if p >= len(b.pages) || b.pages[p] == nil {
		b.grow(p)
	}
	i := int(agent%agentPage) * b.each
	return b.pages[p][i : i+b.each]
}

func (b *classBook) grow(p int) {
	if p >= len(b.pages) {
		b.pages = append(b.pages, make([][]entry, p+1-len(b.pages))...)
	}
	b.pages[p] = make([]entry, agentPage*b.each)
}

// read returns the entries of a page's agent, nil if nobody in the page asked.
func (b *classBook) read(page, i int) []entry {
	if page >= len(b.pages) || b.pages[page] == nil {
		return nil
	}
	return b.pages[page][i*b.each : (i+1)*b.each]
}

package mockupstream

import (
	"fmt"
	"time"
)

// slot is a call that runs.
type slot struct {
	generation uint32
	live       bool
	mode       mode
	write      bool
	long       bool // at the long price
	tracked    bool // a quota waits for its end
	sound      bool // nothing is wrong with its answer
	model, key int32
	first, end time.Duration // out tokens come between the two, evenly
	frees      time.Duration // when it leaves the model's waiting line by itself
	at         time.Duration // admitted; of tracked calls only
	in, cached int64
	written    int64 // of in, to the prompt cache
	out        int64
	correction int64 // of what was charged for the prompt
	writeID    uint64
	idem       int32 // place of the write's idempotency key
}

// mode says how a running call ends up in the books.
type mode uint8

const (
	modeAnswer    mode = iota
	modeBlackhole      // not carried out, not billed
	modeLost           // carried out whole and committed already
	modeReplay         // answered from the store: not billed, not committed again
	modeClosed         // waited in line for too long: not carried out, not billed
)

// slots is a pool: ids carry a generation, so that one used twice is found out.
type slots struct {
	all  []slot
	free []uint32
}

// take returns a free slot and its id, which is never 0.
func (s *slots) take() (CallID, *slot) {
	var i uint32
	if n := len(s.free); n > 0 {
		i = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		i = uint32(len(s.all))
		s.all = append(s.all, slot{})
	}
	e := &s.all[i]
	*e = slot{generation: e.generation + 1, live: true}
	return CallID(e.generation)<<32 | CallID(i+1), e
}

// at returns the slot of id; nil if it is not running.
func (s *slots) at(id CallID) *slot {
	i := uint64(uint32(id)) - 1
	if i >= uint64(len(s.all)) || !s.all[i].live || s.all[i].generation != uint32(id>>32) {
		return nil
	}
	return &s.all[i]
}

// give returns the slot of id and frees it. The slot stays readable until the next take.
func (s *slots) give(id CallID) *slot {
	e := s.at(id)
	if e == nil {
		panic(fmt.Sprintf("mockupstream: call %#x is not running: it was never admitted, or has been completed or disconnected before", uint64(id)))
	}
	e.live = false
	s.free = append(s.free, uint32(id)-1)
	return e
}

// Usage returns what a call that runs will be billed if it is answered to its Plan.End: nothing if it is
// a replay or is never carried out, and of a stream that breaks off (see [Fate]) what comes before that.
// The zero id, or one that is not running, has none.
func (p *Provider) Usage(id CallID) Usage {
	s := p.slots.at(id)
	if s == nil {
		return Usage{}
	}
	switch s.mode {
	case modeBlackhole, modeReplay, modeClosed:
		return Usage{}
	}
	return Usage{In: s.in, Cached: s.cached, Out: s.out}
}

// Complete ends a call that was answered to its end (Plan.End), frees its slot and
// returns what it was billed. The zero id, which calls that were not admitted have, is
// let pass. Any other id that is not running is a programming error and panics.
func (p *Provider) Complete(now time.Duration, id CallID) Usage {
	if id == 0 {
		return Usage{}
	}
	now = p.tick(now)
	s := p.slots.give(id)
	if s.sound {
		p.books.Answered++
		p.keyBooks[int(s.key)*len(p.models)+int(s.model)].Answered++
	}
	return p.settle(max(now, s.end), id, s)
}

// Disconnect ends a call whose connection went away at now, whichever side cut it, frees
// its slot and returns what it was billed: nothing before the first token, and from
// then on the whole prompt and the tokens produced by then. A response that is lost on
// its way back (FaultLostResponse) is billed whole. Ids are treated as by Complete.
func (p *Provider) Disconnect(now time.Duration, id CallID) Usage {
	if id == 0 {
		return Usage{}
	}
	now = p.tick(now)
	return p.settle(now, id, p.slots.give(id))
}

// settle bills a call that ended at now, and commits its write if the first token was due.
func (p *Provider) settle(now time.Duration, id CallID, s *slot) Usage {
	m := &p.models[s.model]
	m.running--
	p.books.Running--
	if m.line != nil && s.mode != modeClosed {
		m.line.pass(p.now)
		m.line.leave(s.frees)
	}
	u := p.bill(now, m, s)
	if s.tracked {
		p.release(id, m, s, &u)
	}
	return u
}

// bill returns what a call that ended at now costs, and enters it and its write in the books.
func (p *Provider) bill(now time.Duration, m *model, s *slot) Usage {
	switch s.mode {
	case modeBlackhole, modeReplay, modeClosed:
		return Usage{}
	}
	if s.mode == modeAnswer && s.write {
		if now >= s.first {
			p.writes.commit(s.idem, s.writeID, &p.books)
		} else {
			p.writes.drop(s.idem)
		}
	}
	u := Usage{In: s.in, Cached: s.cached, Out: s.out}
	if s.mode == modeAnswer {
		if now < s.first {
			return Usage{}
		}
		u.Out = s.produced(now)
	}
	book := &p.keyBooks[int(s.key)*len(p.models)+int(s.model)]
	p.books.Billed.add(u)
	book.Billed.add(u)
	if s.long || s.written > 0 {
		p.books.Tariff.add(u, s)
		book.Tariff.add(u, s)
	}
	return u
}

// produced is the number of tokens that had left by now, which is not before the first:
// one at once, the others evenly up to the end.
func (s *slot) produced(now time.Duration) int64 {
	if now >= s.end || s.out <= 1 {
		return s.out
	}
	share := float64(now-s.first) / float64(s.end-s.first)
	return min(s.out, 1+int64(share*float64(s.out-1)))
}

func (u *Usage) add(v Usage) {
	u.In += v.In
	u.Cached += v.Cached
	u.Out += v.Out
}

func (t *Tariff) add(u Usage, s *slot) {
	t.CacheWrite += s.written
	if s.long {
		t.Long.add(u)
		t.LongCacheWrite += s.written
	}
}

package report

import (
	"math"
	"time"
)

// spell follows how long an agent has waited in one class without being served. A spell
// begins when something is wanted and lasts while anything is, until a success. What ends
// without success is no end of it if something else was wanted by then.
//
// Only the ends of requests are looked at. For an agent that asks for one thing at a
// time this is exact; of several at once, those that end late may leave the spell
// shorter than it was. Times are whole milliseconds; lengths are kept in 12
// significant bits (0.05 %), so that the state is small.
type spell struct {
	since         uint32 // ms since the run began
	length, worst uint16 // codes: from since to the last end, and of the longest spell
}

// spellBits makes buckets of lengths 2^-spellBits of their value wide.
const spellBits = 11

// spellMS returns an instant in whole milliseconds; beyond 49 days it stands still.
func spellMS(d time.Duration) uint32 {
	return uint32(min(uint64(d)/uint64(time.Millisecond), math.MaxUint32))
}

func spellCode(ms uint32) uint16 { return uint16(bucketOf(int64(ms), spellBits)) }

// spellLength returns the longest time of a code in ms.
func spellLength(code uint16) int64 {
	_, high := bucketEnds(int(code), spellBits)
	return high
}

// ends notes the end of a request and returns how long the spell had lasted by then.
func (s *spell) ends(intended, now uint32, served bool) uint32 {
	since := s.since
	if int64(intended) > int64(since)+spellLength(s.length) {
		since = intended // the agent wanted nothing in between
	}
	lasted := max(now, since) - since
	length := spellCode(lasted)
	s.worst = max(s.worst, length)
	if served {
		since, length = now, 0
	}
	s.since, s.length = since, length
	return lasted
}

package workload

import "fmt"

// Share is one of several parts of a demand, for a load that comes from several processes. The parts
// have no demand in common and are together the whole, and none of their demands depends on how many parts there are:
// each is the one of the undivided workload, with the same identity at the same instant.
//
// A client belongs to one part with all that it asks: client c of n parts to part c mod n. So its conversations, its cap and its cache
// stay together, and groups of agents that begin one after the other do so in every part. Only a stream or a trace with fewer clients
// than there are parts is dealt out by the number of the request instead, request k to part k mod n, since else most parts would have
// nothing of it: its clients are then several processes' each.
type Share struct {
	Index, Count int // part Index, from 0 on, of Count; Count 0: the whole
}

// Whole reports whether the share is all of the demand.
func (s Share) Whole() bool { return s.Count <= 1 }

// Validate says what is wrong with the share, nil if nothing is.
func (s Share) Validate() error {
	if s.Index < 0 || s.Count < 0 || s.Index >= max(s.Count, 1) {
		return fmt.Errorf("share: %d of %d is not a part; parts are numbered from 0", s.Index, s.Count)
	}
	return nil
}

func (s Share) has(n uint64) bool { return s.Whole() || n%uint64(s.Count) == uint64(s.Index) }

// hasClient reports whether the client belongs to the share.
func (s Share) hasClient(client uint32) bool { return s.has(uint64(client)) }

// byNumber reports whether requests of a stream or trace with so many clients are dealt out one by one.
func (s Share) byNumber(clients int) bool { return clients < s.Count }

// hasArrival reports whether a request of a stream or trace belongs to the share.
func (s Share) hasArrival(byNumber bool, client uint32, number uint64) bool {
	if byNumber {
		return s.has(number)
	}
	return s.hasClient(client)
}

// Agents returns how many of the first clients, which are the agents of groups, belong to the share.
func (s Share) Agents(agents int) int {
	if s.Whole() {
		return agents
	}
	return (agents + s.Count - 1 - s.Index) / s.Count
}

package load

import "time"

// Exchange is one question for another's clock: when it was sent and when the answer was heard, by our clock, and what the answer
// was, by the other. Both are times since an epoch that need not be the same.
type Exchange struct {
	Sent, Heard time.Duration
	Theirs      time.Duration
}

// Offset is another's clock less ours: the truth lies within Error of it.
type Offset struct {
	Offset, Error time.Duration
}

// Nearest reads the offset off the shortest of several exchanges: the answer was given between sending and hearing, so in their
// middle to half of the time between them, however unequal the two ways are (F. Cristian, Probabilistic clock synchronization,
// Distributed Computing 3, 1989). Other exchanges can only have waited longer somewhere. false: there was none.
func Nearest(list []Exchange) (Offset, bool) {
	best, found := Offset{}, false
	for _, x := range list {
		trip := x.Heard - x.Sent
		if trip < 0 {
			continue // our clock was set back meanwhile
		}
		if half := (trip + 1) / 2; !found || half < best.Error {
			best, found = Offset{x.Theirs - x.Sent - trip/2, half}, true
		}
	}
	return best, found
}

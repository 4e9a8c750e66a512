package mockupstream

import (
	"maps"
	"time"
)

const (
	waitsLeast = 1 << 10 // waits that are held before any are looked through
	waitsMost  = 1 << 18 // if more than half of these are not over, all are forgotten
)

// waits remembers which logical request was told by which quota to wait, so that early retries can
// be counted: the verdict is on the client, so that what others were told does not matter. It holds the waits
// that are not over, and at most as many that are.
type waits struct {
	told map[told]wait
	room int // more than that, and those that are over are thrown out
}

// told is who was told by whom.
type told struct {
	id    uint64 // Call.ID
	quota int32
}

// wait is what a 429 said.
type wait struct {
	known time.Duration // the answer reached the client
	until time.Duration // the wait is over
}

// early reports whether a request comes at or after the instant at which it heard of a wait on one of the
// quotas, and before that was over.
func (w *waits) early(now time.Duration, id uint64, quotas []int32) bool {
	if len(w.told) == 0 {
		return false
	}
	for _, q := range quotas {
		if t, ok := w.told[told{id, q}]; ok && t.known <= now && now < t.until {
			return true
		}
	}
	return false
}

// tell notes that a request will know at known that it has to wait for the quota until then. One that
// waits already, as a hedge of it was told, has known of a wait since.
func (w *waits) tell(now, known, until time.Duration, id uint64, quota int32) {
	if w.told == nil {
		w.told, w.room = make(map[told]wait), waitsLeast
	}
	if len(w.told) >= w.room {
		w.forget(now)
	}
	key := told{id, quota}
	if before, ok := w.told[key]; ok && now < before.until {
		known = min(known, before.known)
	}
	w.told[key] = wait{known: known, until: until}
}

// forget throws out what is over. As it looks at all only when their number has doubled, it costs a
// constant for each.
func (w *waits) forget(now time.Duration) {
	maps.DeleteFunc(w.told, func(_ told, t wait) bool { return t.until <= now })
	if len(w.told) > waitsMost/2 {
		clear(w.told)
	}
	w.room = min(waitsMost, max(waitsLeast, 2*len(w.told)))
}

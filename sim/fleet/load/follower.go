package load

import (
	"fmt"
	"time"
)

// Follower is a worker's view of the run that it has a share of. It is a state machine; now is the time since it began.
type Follower struct {
	orphan time.Duration
	seen   time.Duration // of the leader
	stop   string
	over   bool // nobody listens any more
}

// NewFollower returns the view of a leader that was just heard.
func NewFollower(s Settings, now time.Duration) *Follower {
	return &Follower{orphan: s.withDefaults().Orphan, seen: now}
}

// Pulse takes a sign of life of the leader; stop is why it wants the run to end, "" if it does not.
func (f *Follower) Pulse(now time.Duration, stop string) {
	f.seen = max(f.seen, now)
	if f.stop == "" {
		f.stop = stop
	}
}

// Over says that the leader is gone.
func (f *Follower) Over() { f.over = true }

// Dropped says that the leader does not know this share any more.
func (f *Follower) Dropped(why string) {
	if f.stop == "" {
		f.stop = why
	}
}

// Stop says why the share has to end, "" if it may go on: the leader wants it so, or has not been heard for too long.
func (f *Follower) Stop(now time.Duration) string {
	if silent := now - f.seen; f.stop == "" && silent > f.orphan {
		f.stop = fmt.Sprintf("no sign of life of the leader for %v", f.orphan)
	}
	return f.stop
}

// Orphaned reports whether there is nobody left to tell anything.
func (f *Follower) Orphaned(now time.Duration) bool { return f.over || now-f.seen > f.orphan }

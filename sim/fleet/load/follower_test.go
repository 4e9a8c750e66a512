package load

import (
	"testing"
	"time"
)

// Ensure load ends by itself: when the leader says so, or is silent for too long, and not before.
func TestFollower(t *testing.T) {
	s := time.Second
	type step struct {
		at       time.Duration
		do       func(*Follower, time.Duration)
		stop     string
		orphaned bool
	}
	hear := func(stop string) func(*Follower, time.Duration) {
		return func(f *Follower, now time.Duration) { f.Pulse(now, stop) }
	}
	nothing := func(*Follower, time.Duration) {}
	const silent = "no sign of life of the leader for 10s"
	for name, steps := range map[string][]step{
		"it goes on":         {{s, hear(""), "", false}, {10 * s, nothing, "", false}, {11 * s, hear(""), "", false}, {21 * s, nothing, "", false}},
		"silence":            {{10 * s, nothing, "", false}, {10*s + 1, nothing, silent, true}},
		"a voice comes back": {{11 * s, nothing, silent, true}, {12 * s, hear(""), silent, false}},
		"told to stop":       {{s, hear("interrupted"), "interrupted", false}, {2 * s, hear("the run is over"), "interrupted", false}},
		"the leader is gone": {{s, func(f *Follower, now time.Duration) { f.Pulse(now, "over"); f.Over() }, "over", true}},
		"dropped":            {{s, func(f *Follower, _ time.Duration) { f.Dropped("not yours") }, "not yours", false}},
	} {
		f := NewFollower(Settings{}, 0)
		for i, st := range steps {
			st.do(f, st.at)
			if got := f.Stop(st.at); got != st.stop || f.Orphaned(st.at) != st.orphaned {
				t.Errorf("%s, step %d: %q, orphaned %v", name, i, got, f.Orphaned(st.at))
			}
		}
	}
}

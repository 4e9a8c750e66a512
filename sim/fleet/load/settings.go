package load

import (
	"cmp"
	"time"
)

// Settings are the times of a run. The zero value of each is its default.
type Settings struct {
	// Beat is the interval of signs of life, in both directions, and of what workers tell of their runs: 1 s.
	Beat time.Duration
	// Missing is how many signs of life in a row may be missing, and Grace the time on top of that, before a worker is lost: 3 and
	// 2 s. Less, and one that was only starved of its processor is given up; more, and a run goes on that is worth nothing.
	Missing int
	Grace   time.Duration
	// Orphan is how long a worker goes on without a sign of life from its leader: 10 s.
	Orphan time.Duration
	// Prepare is how long a worker may take to get ready: 2 min.
	Prepare time.Duration
	// Lead is the time from the order to start to the start: 1 s, and twice the slowest answer to what was asked of the clocks. It
	// has to reach all workers meanwhile.
	Lead time.Duration
	// Exchanges is how often each clock is asked: 16.
	Exchanges int
	// SkewMax is how far apart workers may begin, the uncertainty of their clocks included: 50 ms, as much as one process may be
	// late. Beyond it the run is INVALID.
	SkewMax time.Duration
	// StopOnLoss ends the run when a worker is lost; else the others go on to the end, and the run is INVALID all the same.
	StopOnLoss bool
}

func (s Settings) withDefaults() Settings {
	s.Beat = cmp.Or(s.Beat, time.Second)
	s.Missing = cmp.Or(s.Missing, 3)
	s.Grace = cmp.Or(s.Grace, 2*time.Second)
	s.Orphan = cmp.Or(s.Orphan, 10*time.Second)
	s.Prepare = cmp.Or(s.Prepare, 2*time.Minute)
	s.Lead = cmp.Or(s.Lead, time.Second)
	s.Exchanges = cmp.Or(s.Exchanges, 16)
	s.SkewMax = cmp.Or(s.SkewMax, 50*time.Millisecond)
	return s
}

// lost is how long a worker may be silent.
func (s *Settings) lost() time.Duration { return time.Duration(s.Missing)*s.Beat + s.Grace }

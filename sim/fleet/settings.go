package fleet

import (
	"cmp"
	"time"
)

// Settings are the times of a fleet. The zero value of each is its default.
type Settings struct {
	// AckWait is how long a worker may be silent about a task before another one gets it: 5 s. Shorter, and a worker that was only
	// starved of its processor loses tasks, which costs a run twice; longer, and the tasks of a dead one wait.
	AckWait time.Duration
	// MaxDeliver is how often a task is given to a worker before it is given up: 5.
	MaxDeliver int
	// Beat is the interval of the signs of life of workers and submitters: 1 s.
	Beat time.Duration
	// Lost is how long a worker may show no sign of life before it is counted out: 5 s. Nothing but what is shown depends on it.
	Lost time.Duration
	// Grace is how long tasks may be missing from the queue, without result, before they are published again: 3 s. Results and
	// the queue are seen at different instants, so 0 would publish what has just ended.
	Grace time.Duration
	// Stall is how long nothing may happen though workers have nothing else to do before all open tasks are published again: 30 s, and
	// twice as long each time after it.
	Stall time.Duration
}

// withDefaults fills in what is not said.
func (s Settings) withDefaults() Settings {
	s.AckWait = cmp.Or(s.AckWait, 5*time.Second)
	s.MaxDeliver = cmp.Or(s.MaxDeliver, 5)
	s.Beat = cmp.Or(s.Beat, time.Second)
	s.Lost = cmp.Or(s.Lost, 5*time.Second)
	s.Grace = cmp.Or(s.Grace, 3*time.Second)
	s.Stall = cmp.Or(s.Stall, 30*time.Second)
	return s
}

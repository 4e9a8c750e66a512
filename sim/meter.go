package sim

import (
	"sync"
	"time"
)

// meter adds up the progress of runs that go on at the same time.
type meter struct {
	mu       sync.Mutex
	tell     func(Progress)
	scenario string
	tasks    []task
	begun    int
	sum      Progress
}

// watch returns the observer of one task.
func (m *meter) watch(i int) func(*run) {
	if m.tell == nil {
		return func(*run) {}
	}
	started := false
	var before Progress
	return func(r *run) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if !started {
			started = true
			m.begun++
		}
		t := &m.tasks[i]
		end := t.set.Workload.Duration
		now := Progress{
			Requests: r.requests, Attempts: r.attempts, HTTP429: r.refused, Events: r.events, Now: min(r.now, end),
		}
		s := &m.sum
		s.Requests += now.Requests - before.Requests
		s.Attempts += now.Attempts - before.Attempts
		s.HTTP429 += now.HTTP429 - before.HTTP429
		s.Events += now.Events - before.Events
		s.SimulatedDone += now.Now - before.Now
		before = now
		s.Scenario, s.Variant = m.scenario, t.Variant
		s.Part, s.Parts = m.begun, len(m.tasks)
		s.Now, s.End, s.Pending = now.Now, end, int64(r.pending)
		s.SimulatedFull = end * time.Duration(len(m.tasks))
		m.tell(*s)
	}
}

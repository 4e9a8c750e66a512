package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Beat is a worker's sign of life.
type Beat struct {
	Worker  string   `json:"worker"`
	Version string   `json:"version"`
	Jobs    int      `json:"jobs"`    // tasks that it takes at a time
	Running []string `json:"running"` // tasks that it is at, as SWEEP.TASK
	Done    int64    `json:"done"`    // since it began
	Held    bool     `json:"held"`    // it takes none now: it carries, or waits to carry, a share of load
	Leaving bool     `json:"leaving"` // the last one
}

// Number is a count of things in words: "1 worker", "2 workers".
func Number[T int | int64 | uint64](n T, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Roster is the list of workers that have shown a sign of life. It is a state machine; now is the time since it began.
type Roster struct {
	lost    time.Duration
	workers map[string]*member // asked, never walked
	order   []string           // by name
}

// member is a worker on the list.
type member struct {
	Beat
	seen time.Duration
	gone bool
}

// NewRoster returns an empty list. A worker that is silent for longer than [Settings.Lost] is lost.
func NewRoster(s Settings) *Roster {
	return &Roster{lost: s.withDefaults().Lost, workers: make(map[string]*member)}
}

// Note takes a sign of life, and says what is new about the worker, "" if nothing is.
func (r *Roster) Note(now time.Duration, b Beat) string {
	m := r.workers[b.Worker]
	if m == nil {
		m = &member{gone: true}
		r.workers[b.Worker] = m
		at, _ := slices.BinarySearch(r.order, b.Worker)
		r.order = slices.Insert(r.order, at, b.Worker)
	}
	was := m.gone
	m.Beat, m.seen, m.gone = b, now, b.Leaving
	switch {
	case was && !m.gone:
		return fmt.Sprintf("worker %s is there: %d at a time, %s", b.Worker, b.Jobs, b.Version)
	case !was && m.gone:
		return fmt.Sprintf("worker %s has left, %s done", b.Worker, Number(b.Done, "task"))
	}
	return ""
}

// Lost says of which workers there has been no sign for too long. Each is told once.
func (r *Roster) Lost(now time.Duration) []string {
	var said []string
	for _, name := range r.order {
		m := r.workers[name]
		if !m.gone && now-m.seen > r.lost {
			m.gone = true
			text := "worker " + name + " is lost: no sign of life for " + r.lost.String()
			if n := len(m.Running); n > 0 {
				text += fmt.Sprintf("; others get the %s it was at", Number(n, "task"))
			}
			said = append(said, text)
		}
	}
	return said
}

// here are the workers that have neither left nor been lost, by name.
func (r *Roster) here() []*member {
	var list []*member
	for _, name := range r.order {
		if m := r.workers[name]; !m.gone {
			list = append(list, m)
		}
	}
	return list
}

// Count is the number of workers of a version that are there, and what they take at a time. "": of any.
func (r *Roster) Count(version string) (workers, jobs int) {
	for _, m := range r.here() {
		if version == "" || m.Version == version {
			workers++
			jobs += m.Jobs
		}
	}
	return workers, jobs
}

// Free is how many tasks the workers of a version could take at once, on top of what they are at.
func (r *Roster) Free(version string) (n int) {
	for _, m := range r.here() {
		if m.Version == version && !m.Held {
			n += max(0, m.Jobs-len(m.Running))
		}
	}
	return n
}

// Running reports whether a worker that is there says to be at a task, SWEEP.TASK.
func (r *Roster) Running(task string) bool {
	return slices.ContainsFunc(r.here(), func(m *member) bool { return slices.Contains(m.Running, task) })
}

// Lacking says that there is no worker of a version, and which there are instead; "" if there is one.
func (r *Roster) Lacking(version string) string {
	if n, _ := r.Count(version); n > 0 {
		return ""
	}
	others := make(map[string]int) // by version; walked in the order of names
	var list []string
	for _, m := range r.here() {
		if others[m.Version]++; others[m.Version] == 1 {
			list = append(list, m.Version)
		}
	}
	text := "no worker of version " + version + " is there"
	if len(list) == 0 {
		return text
	}
	slices.SortFunc(list, cmp.Compare[string])
	for i, v := range list {
		list[i] = fmt.Sprintf("%d of %s", others[v], v)
	}
	return text + ", only " + strings.Join(list, ", ") + ", which leave its tasks alone"
}

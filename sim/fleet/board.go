package fleet

import (
	"fmt"
	"strings"
	"time"
)

// State is a submitter's sign of life.
type State struct {
	Sweep   string `json:"sweep"`
	Name    string `json:"name"` // of the scenario
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Counts  Counts `json:"counts"`
	Ended   string `json:"ended"` // the last one: "done", or what came between
}

// Board is what a coordinator shows: workers and sweeps. It is a state machine; now is the time since it began.
type Board struct {
	*Roster
	lost   time.Duration
	sweeps map[string]*shown // asked, never walked
	order  []string          // as they came
}

// shown is a sweep on the board.
type shown struct {
	State
	begun, seen time.Duration
	first       int // tasks that were done when it was first seen
	gone        bool
}

// NewBoard returns an empty board.
func NewBoard(s Settings) *Board {
	return &Board{Roster: NewRoster(s), lost: s.withDefaults().Lost, sweeps: make(map[string]*shown)}
}

// Sweep takes a submitter's sign of life, and says what is new, "" if nothing is.
func (b *Board) Sweep(now time.Duration, s State) string {
	m := b.sweeps[s.Sweep]
	if m == nil {
		m = &shown{gone: true}
		b.sweeps[s.Sweep] = m
		b.order = append(b.order, s.Sweep)
	}
	was := m.gone
	if was {
		m.begun, m.first = now, s.Counts.Done
	}
	m.State, m.seen, m.gone = s, now, s.Ended != ""
	switch {
	case was && !m.gone:
		return fmt.Sprintf("sweep %.8s (%s of %s) is submitted, %s", s.Sweep, s.Kind, s.Name, s.Version)
	case !was && m.gone:
		return fmt.Sprintf("sweep %.8s: %s, %d of %s", s.Sweep, s.Ended, s.Counts.Done, Number(s.Counts.All, "task"))
	}
	return ""
}

// Lost says which workers and submitters have been silent for too long. Each is told once.
func (b *Board) Lost(now time.Duration) []string {
	said := b.Roster.Lost(now)
	for _, id := range b.order {
		if m := b.sweeps[id]; !m.gone && now-m.seen > b.lost {
			m.gone = true
			said = append(said, fmt.Sprintf("sweep %.8s: its submitter is gone; what is published goes on, and submitting it again takes up the results", id))
		}
	}
	return said
}

// Line is the state in one line.
func (b *Board) Line(now time.Duration) string {
	workers, jobs := b.Count("")
	parts := []string{fmt.Sprintf("%s, %s at a time", Number(workers, "worker"), Number(jobs, "task"))}
	for _, id := range b.order {
		if m := b.sweeps[id]; !m.gone {
			parts = append(parts, m.line(now))
		}
	}
	return strings.Join(parts, "   ")
}

func (m *shown) line(now time.Duration) string {
	c := m.Counts
	text := fmt.Sprintf("%.8s %s %d/%d", m.Sweep, m.Name, c.Done, c.All)
	if c.Redelivered > 0 {
		text += fmt.Sprintf(" redelivered %d", c.Redelivered)
	}
	if left, ok := eta(now-m.begun, c.Done-m.first, c.Open()); ok {
		text += " ETA " + left.Round(time.Second).String()
	}
	return text
}

// eta is how long open tasks take if they go as those before.
func eta(passed time.Duration, done, open int) (time.Duration, bool) {
	if done <= 0 || open <= 0 {
		return 0, false
	}
	return time.Duration(float64(passed) / float64(done) * float64(open)), true
}

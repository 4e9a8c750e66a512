package fleet

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Ensure workers are told when they come, leave, fall silent and come back, each once.
func TestRoster(t *testing.T) {
	r := NewRoster(Settings{})
	beat := func(at time.Duration, b Beat, want string) {
		t.Helper()
		if got := r.Note(at, b); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("at %v: %q, want %q", at, got, want)
		}
	}
	lost := func(at time.Duration, want ...string) {
		t.Helper()
		got := r.Lost(at)
		for i := range got {
			got[i] = strings.Fields(got[i])[1]
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %v lost %v, want %v", at, got, want)
		}
	}
	a, b := Beat{Worker: "a", Version: "v1", Jobs: 2, Running: []string{"s.1"}}, Beat{Worker: "b", Version: "v2", Jobs: 3}
	if got := r.Lacking("v1"); got != "no worker of version v1 is there" {
		t.Errorf("nobody: %q", got)
	}
	beat(0, b, "worker b is there")
	if got := r.Lacking("v1"); got != "no worker of version v1 is there, only 1 of v2, which leave its tasks alone" {
		t.Errorf("one of another version: %q", got)
	}
	beat(0, a, "worker a is there")
	beat(time.Second, a, "")
	if got := r.Lacking("v1"); got != "" {
		t.Errorf("one of the version: %q", got)
	}
	if !r.Running("s.1") || r.Running("s.2") {
		t.Error("who is at what")
	}
	if w, j := r.Count(""); w != 2 || j != 5 {
		t.Errorf("%d workers, %d jobs", w, j)
	}
	lost(5 * time.Second)
	lost(5500*time.Millisecond, "b")
	lost(6500*time.Millisecond, "a")
	lost(7 * time.Second)
	if r.Running("s.1") {
		t.Error("a lost worker is at a task")
	}
	beat(8*time.Second, a, "worker a is there")
	a.Leaving, a.Done = true, 7
	beat(9*time.Second, a, "worker a has left, 7 tasks done")
	beat(9*time.Second, a, "")
	lost(99 * time.Second)
	if w, _ := r.Count("v1"); w != 0 {
		t.Errorf("%d workers of v1", w)
	}
}

// Ensure the board says what comes and goes, and how far each sweep is.
func TestBoard(t *testing.T) {
	b := NewBoard(Settings{})
	s := State{Sweep: "0123456789abcdef", Name: "smoke", Kind: KindPlan, Version: "v1", Counts: Counts{All: 100, Done: 20}}
	if got := b.Sweep(0, s); got != "sweep 01234567 (plan of smoke) is submitted, v1" {
		t.Error(got)
	}
	if got := b.Line(0); got != "0 workers, 0 tasks at a time   01234567 smoke 20/100" {
		t.Error(got)
	}
	b.Note(0, Beat{Worker: "a", Version: "v1", Jobs: 2})
	s.Counts.Done, s.Counts.Redelivered = 60, 1
	if got := b.Sweep(10*time.Second, s); got != "" {
		t.Error(got)
	}
	b.Note(10*time.Second, Beat{Worker: "a", Version: "v1", Jobs: 2})
	if got := b.Line(10 * time.Second); got != "1 worker, 2 tasks at a time   01234567 smoke 60/100 redelivered 1 ETA 10s" {
		t.Error(got)
	}
	if got := b.Lost(16 * time.Second); len(got) != 2 || !strings.Contains(got[1], "its submitter is gone") {
		t.Errorf("%q", got)
	}
	if got := b.Sweep(20*time.Second, s); !strings.Contains(got, "is submitted") {
		t.Errorf("back: %q", got)
	}
	s.Counts.Done, s.Ended = 100, "done"
	if got := b.Sweep(30*time.Second, s); got != "sweep 01234567: done, 100 of 100 tasks" {
		t.Error(got)
	}
	if got := b.Line(30 * time.Second); strings.Contains(got, "smoke") {
		t.Error(got)
	}
}

// Ensure only workers of the version that could take a task now are free.
func TestRosterFree(t *testing.T) {
	r := NewRoster(Settings{})
	for _, b := range []Beat{
		{Worker: "half", Version: "v1", Jobs: 3, Running: []string{"s.1"}},
		{Worker: "busy", Version: "v1", Jobs: 1, Running: []string{"s.2"}},
		{Worker: "load", Version: "v1", Jobs: 4, Held: true},
		{Worker: "other", Version: "v2", Jobs: 8},
		{Worker: "gone", Version: "v1", Jobs: 16, Leaving: true},
	} {
		r.Note(0, b)
	}
	if n := r.Free("v1"); n != 2 {
		t.Errorf("%d are free", n)
	}
}

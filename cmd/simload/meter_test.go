package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim"
)

// clock is a wall clock that moves when told.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func state(part, parts int, now time.Duration) sim.Progress {
	return sim.Progress{
		Scenario: "smoke", Variant: "aimd", Part: part, Parts: parts, Now: now, End: time.Hour,
		SimulatedDone: now, SimulatedFull: time.Duration(parts) * time.Hour,
		Requests: int64(now / (10 * time.Millisecond)), Attempts: 1000, HTTP429: 5,
	}
}

// Ensure the line is drawn at most ten times per second and erased at the end.
func TestMeterOnATerminal(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	var w bytes.Buffer
	m := newMeter(&w, c.now, screen{live: true, widthStderr: 110})
	m.update(state(1, 1, time.Minute))
	if w.Len() > 0 {
		t.Errorf("drawn at once: %q", w.String())
	}
	for range 200 { // two seconds in steps of 10 ms
		c.t = c.t.Add(10 * time.Millisecond)
		m.update(state(1, 1, 30*time.Minute))
	}
	if n := strings.Count(w.String(), "\r"); n < 10 || n > 20 {
		t.Errorf("%d drawings in 2 s, want 10 to 20", n)
	}
	for _, want := range []string{"[===============               ]  50 %", "1800 of 3600 s", "100.0 req/s", "429  0.50 %", "ETA 2s", "smoke/aimd"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("the line lacks %q: %q", want, w.String()[strings.LastIndex(w.String(), "\r"):])
		}
	}
	m.erase()
	if !strings.HasSuffix(w.String(), "\r\x1b[K") || strings.Contains(w.String(), "\n") {
		t.Errorf("not erased: %q", w.String())
	}
	n := w.Len()
	m.erase()
	if w.Len() != n {
		t.Error("erased twice")
	}
}

// Ensure plain lines come every five seconds where nothing can be redrawn.
func TestMeterInALog(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	var w bytes.Buffer
	m := newMeter(&w, c.now, screen{})
	for i := range 120 { // twelve seconds
		c.t = c.t.Add(100 * time.Millisecond)
		m.update(state(1, 1, time.Duration(i)*time.Second))
	}
	m.erase()
	if n := strings.Count(w.String(), "\n"); n != 2 || strings.ContainsAny(w.String(), "\r\x1b[") {
		t.Errorf("want two plain lines in 12 s, got %q", w.String())
	}
}

// Ensure the share is that of all runs, and the label says which one is under way.
func TestMeterOfSeveralRuns(t *testing.T) {
	m := newMeter(&bytes.Buffer{}, (&clock{}).now, screen{live: true, widthStderr: 200})
	p := state(2, 4, time.Minute)
	p.SimulatedDone = 90 * time.Minute
	line := m.line(p, 3*time.Second)
	for _, want := range []string{" 38 %", "5400 of 14400 s", "ETA 5s", "smoke/aimd 2/4"} {
		if !strings.Contains(line, want) {
			t.Errorf("the line lacks %q: %q", want, line)
		}
	}
}

// Ensure the line never reaches the last column, whatever the width.
func TestMeterFitsTheTerminal(t *testing.T) {
	for width := 0; width < 150; width++ {
		m := newMeter(&bytes.Buffer{}, (&clock{}).now, screen{live: true, widthStderr: width})
		p := state(1, 1, time.Hour/3)
		if line := m.line(p, time.Second); len(line) > max(0, width-1) {
			t.Errorf("width %d: %d columns: %q", width, len(line), line)
		}
	}
}

// Ensure an update before anything is known does not divide by zero.
func TestMeterWithNothing(t *testing.T) {
	m := newMeter(&bytes.Buffer{}, (&clock{}).now, screen{live: true, widthStderr: 80})
	if line := m.line(sim.Progress{}, 0); !strings.Contains(line, "0 %") || strings.Contains(line, "NaN") {
		t.Errorf("%q", line)
	}
}

func TestTiming(t *testing.T) {
	for _, tc := range []struct {
		simulated, wall time.Duration
		events          int64
		want            string
	}{
		{time.Hour, 912 * time.Millisecond, 2_100_000, "simulated 3600s (7 requests, 2.1M events) in 0.91s"},
		{90*time.Second + 500*time.Millisecond, 0, 999, "simulated 90.5s (7 requests, 999 events) in 0.00s"},
		{0, time.Minute, 12_000_000_000, "simulated 0s (7 requests, 12.0G events) in 60.00s"},
	} {
		o := &sim.Outcome{Requests: 7, Events: tc.events, Simulated: tc.simulated}
		if got := timing(o, tc.wall); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// Ensure what is counted is drawn on a terminal, cut to it, and told in a log.
func TestMeterCountsSteps(t *testing.T) {
	for _, c := range []struct {
		screen screen
		want   string
	}{
		{screen{live: true, widthStderr: 80}, "\r 37 %  reading file 3 of 8\x1b[K"},
		{screen{live: true, widthStderr: 14}, "\r 37 %  readin\x1b[K"},
		{screen{}, " 37 %  reading file 3 of 8\n"},
	} {
		now := &clock{t: time.Unix(0, 0)}
		var w bytes.Buffer
		m := newMeter(&w, now.now, c.screen)
		m.step("reading file", 2, 8)
		now.t = now.t.Add(meterLog)
		m.step("reading file", 3, 8)
		if w.String() != c.want {
			t.Errorf("%q, want %q", w.String(), c.want)
		}
	}
}

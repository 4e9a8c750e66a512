package mockupstream

import (
	"testing"
	"time"
	_ "time/tzdata" // so that the check does not depend on the machine

	"pgregory.net/rapid"
)

// TestMidnightInCalifornia compares with the time-zone database, on every kind of day.
func TestMidnightInCalifornia(t *testing.T) {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	check := func(t fataler, at time.Time) {
		t.Helper()
		c := newCalendar(at)
		y, m, d := at.In(zone).Date()
		want := time.Date(y, m, d+1, 0, 0, 0, 0, zone)
		if got := c.date(c.midnight(0)); !got.Equal(want) {
			t.Fatalf("after %v: %v, want %v", at.In(zone), got.In(zone), want)
		}
	}
	for _, at := range []string{
		"2026-01-05T08:00:00Z", "2026-01-06T07:59:59Z", // winter, at midnight and before
		"2026-03-08T07:59:59Z", "2026-03-08T08:00:00Z", "2026-03-08T09:59:59Z", "2026-03-08T10:00:00Z", "2026-03-09T06:59:59Z", // 23 hours
		"2026-11-01T06:59:59Z", "2026-11-01T07:00:00Z", "2026-11-01T08:59:59Z", "2026-11-01T09:00:00Z", "2026-11-02T07:59:59Z", // 25 hours
		"2026-07-04T12:00:00Z", "2027-03-14T10:00:00Z", "2032-02-29T20:00:00Z",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		check(t, when)
	}
	rapid.Check(t, func(t *rapid.T) {
		from := time.Date(2008, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		check(t, time.Unix(from+rapid.Int64Range(0, 80*365*86400).Draw(t, "seconds"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns")))
	})
}

// TestDefaultEpoch: a run begins at midnight in California, so its first day is a whole one.
func TestDefaultEpoch(t *testing.T) {
	c := newCalendar(time.Time{})
	if got := c.date(0).Format(time.RFC3339); got != "2026-01-05T08:00:00Z" {
		t.Errorf("instant 0 is %s", got)
	}
	if got := c.midnight(0); got != 24*time.Hour {
		t.Errorf("the first midnight is after %v", got)
	}
	if got := c.next(90*ts, time.Minute); got != 2*time.Minute {
		t.Errorf("the next full minute after 1m30s is at %v", got)
	}
	if got := newCalendar(time.Date(2026, 1, 1, 0, 0, 17, 0, time.UTC)).next(0, time.Minute); got != 43*ts {
		t.Errorf("17 s past the minute, the next one begins after %v", got)
	}
}

func TestWindowSteps(t *testing.T) {
	w := window{limit: 3, period: 10 * ts}
	for i, s := range []struct {
		at        time.Duration
		n         int64
		wait      time.Duration
		remaining int64 // after it
		reset     time.Duration
	}{
		{4 * ts, 2, 0, 1, 6 * ts},
		{5 * ts, 2, 5 * ts, 1, 5 * ts},
		{10*ts - 1, 2, 1, 1, 1},
		{10 * ts, 3, 0, 0, 10 * ts},
		{11 * ts, 0, 0, 0, 9 * ts},
		{500 * ts, 0, 0, 3, 0},
	} {
		w.turn(s.at)
		wait := w.wait(s.at, s.n)
		if wait == 0 {
			w.charge(s.n)
		}
		remaining, reset := w.state(s.at)
		if wait != s.wait || remaining != s.remaining || reset != s.reset {
			t.Errorf("step %d: wait %v, %d remain, reset %v; want %v, %d, %v", i, wait, remaining, reset, s.wait, s.remaining, s.reset)
		}
	}
}

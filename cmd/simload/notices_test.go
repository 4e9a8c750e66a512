package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Ensure what others on the bus say cannot steer a terminal, in lines of their own and in the line of the state.
func TestNoticesAreClean(t *testing.T) {
	const evil = "worker \x1b]0;title\x07\x1b[2Jw\r\nsimload: all is well"
	for _, live := range []bool{false, true} {
		var w bytes.Buffer
		c := &clock{t: time.Unix(0, 0)}
		sc := screen{live: live, widthStderr: 200}
		n := &notices{w: &w, bar: newMeter(&w, c.now, sc)}
		n.say(evil)
		a := &app{stderr: &w, now: c.now, screen: sc}
		a.stateLine(n)(evil)
		got := strings.ReplaceAll(w.String(), "\x1b[K", "") // our own
		if strings.ContainsAny(got, "\x1b\x07") || strings.Contains(got, "\nsimload: all") || strings.Count(got, "all is well") != 2 {
			t.Errorf("live %v: %q", live, got)
		}
	}
}

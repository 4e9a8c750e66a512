package load

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Ensure the true offset lies within the error that is told, however long the ways are, and that more exchanges make it no worse.
func TestNearestHoldsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := time.Duration(rapid.Int64Range(-1e13, 1e13).Draw(t, "offset"))
		way := rapid.Int64Range(0, 2e8)
		var list []Exchange
		at, before := time.Duration(0), time.Duration(1<<62)
		for range rapid.IntRange(1, 20).Draw(t, "exchanges") {
			there, back := time.Duration(way.Draw(t, "there")), time.Duration(way.Draw(t, "back"))
			list = append(list, Exchange{Sent: at, Heard: at + there + back, Theirs: at + there + truth})
			at += there + back + time.Duration(way.Draw(t, "pause"))
			o, ok := Nearest(list)
			if !ok || o.Error < (o.Offset-truth).Abs() || o.Error > before {
				t.Fatalf("%d exchanges: %+v, the truth is %v, before it was known to %v", len(list), o, truth, before)
			}
			before = o.Error
		}
	})
}

func TestNearest(t *testing.T) {
	ms := time.Millisecond
	for _, tc := range []struct {
		name string
		list []Exchange
		want Offset
		ok   bool
	}{
		{"nothing", nil, Offset{}, false},
		{"one", []Exchange{{0, 10 * ms, 3005 * ms}}, Offset{3000 * ms, 5 * ms}, true},
		{"the shortest counts", []Exchange{{0, 100 * ms, 3090 * ms}, {200 * ms, 202 * ms, 3201 * ms}, {300 * ms, 400 * ms, 3300 * ms}}, Offset{3000 * ms, ms}, true},
		{"of equal ones the first", []Exchange{{0, 2 * ms, 1 * ms}, {10 * ms, 12 * ms, 12 * ms}}, Offset{0, ms}, true},
		{"a clock that was set back", []Exchange{{10 * ms, 9 * ms, 0}}, Offset{}, false},
		{"behind", []Exchange{{50 * ms, 52 * ms, 1 * ms}}, Offset{-50 * ms, ms}, true},
	} {
		if got, ok := Nearest(tc.list); got != tc.want || ok != tc.ok {
			t.Errorf("%s: %+v %v, want %+v %v", tc.name, got, ok, tc.want, tc.ok)
		}
	}
}

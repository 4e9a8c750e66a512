package load

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// interval makes one with so many measured latencies of a millisecond each.
func interval(seq int, measured int64, last bool) sim.Interval {
	iv := sim.Interval{
		Seq: seq, From: time.Duration(seq) * time.Second, To: time.Duration(seq+1) * time.Second, Last: last,
		Submitted: measured + 2, Ended: measured + 1, Measured: measured, Attempts: measured + 3, HTTP429: 1, Pending: 1,
	}
	if measured > 0 {
		h := sim.NewLatencies()
		if err := h.RecordValues(1000, measured); err != nil {
			panic(err)
		}
		text, err := h.Encode()
		if err != nil {
			panic(err)
		}
		iv.HDR = string(text)
	}
	return iv
}

// Ensure intervals that come once or several times, in their order, come to the same; and that one that is missing is told, whichever it is.
func TestLedgerWantsEveryInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "intervals")
		skip := rapid.IntRange(-1, n-1).Draw(t, "left out")
		l, want, broken := NewLedger(), report.ShareCounts{}, false
		for i := range n {
			iv := interval(i, int64(rapid.IntRange(0, 3).Draw(t, "measured")), i == n-1)
			want.Submitted, want.Ended, want.Measured = want.Submitted+iv.Submitted, want.Ended+iv.Ended, want.Measured+iv.Measured
			if i == skip {
				continue
			}
			for again := range rapid.IntRange(1, 3).Draw(t, "times") {
				fresh, err := l.Take(iv)
				broken = broken || err != nil
				if err == nil && fresh != (again == 0) {
					t.Fatalf("interval %d, time %d: fresh %v", i, again, fresh)
				}
			}
		}
		err := l.Settle(want)
		if complete := skip < 0; complete != (!broken && err == nil) {
			t.Fatalf("interval %d of %d left out: broken %v, %v", skip, n, broken, err)
		}
		if skip < 0 && l.latencies.TotalCount() != want.Measured {
			t.Fatalf("%d latencies of %d", l.latencies.TotalCount(), want.Measured)
		}
	})
}

func TestLedgerRefuses(t *testing.T) {
	change := func(f func(*sim.Interval)) sim.Interval {
		iv := interval(1, 2, false)
		f(&iv)
		return iv
	}
	for _, tc := range []struct {
		name string
		iv   sim.Interval
		want string
	}{
		{"in order", interval(1, 2, false), ""},
		{"again", interval(0, 2, false), ""},
		{"a gap", interval(2, 2, false), "interval 1 is missing, 2 came instead"},
		{"a gap in time", change(func(iv *sim.Interval) { iv.From += time.Second }), "does not follow"},
		{"backwards", change(func(iv *sim.Interval) { iv.To = 0 }), "does not follow"},
		{"more measured than ended", change(func(iv *sim.Interval) { iv.Ended = 1 }), "does not follow"},
		{"no histogram", change(func(iv *sim.Interval) { iv.HDR = "" }), "has no histogram of its 2 latencies"},
		{"another histogram", change(func(iv *sim.Interval) { iv.HDR = interval(1, 3, false).HDR }), "has 3 latencies of 2"},
		{"no histogram at all", change(func(iv *sim.Interval) { iv.HDR = "HISTF" }), "interval 1: "},
	} {
		l := NewLedger()
		if _, err := l.Take(interval(0, 2, false)); err != nil {
			t.Fatal(err)
		}
		_, err := l.Take(tc.iv)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
	l := NewLedger()
	_, first := l.Take(interval(0, 1, true))
	_, second := l.Take(interval(1, 1, false))
	if first != nil || second == nil {
		t.Errorf("after the last one: %v, %v", first, second)
	}
	if err := l.Settle(report.ShareCounts{Submitted: 3, Ended: 2, Measured: 2}); err == nil || !strings.Contains(err.Error(), "what was recorded to") {
		t.Errorf("other sums: %v", err)
	}
}

package limit

import (
	"testing"
	"time"
)

// The mean of a window stays within what its divisions and its sum can bear.
func TestWindowMean(t *testing.T) {
	cases := []struct {
		name        string
		first, rest time.Duration
		n           int
		mean        time.Duration
	}{
		{"plain", 100 * ms, 200 * ms, 10, 190 * ms},
		{"nothing to measure", 0, 0, 10, floorSignal},
		{"a clock that went back", -s, 100 * ms, 2, (100*ms + floorSignal) / 2},
		{"longer than a day", 1 << 62, 1 << 62, 10, longestSignal},
		{"more than fit in the sum", longestSignal, longestSignal, 2 * mostSamples, longestSignal},
	}
	for _, tc := range cases {
		w := newWindow(Config{Interval: s, MinSamples: tc.n})
		if tc.n > mostSamples {
			w.least = mostSamples
		}
		w.add(0, 0, tc.first)
		for range tc.n - 2 {
			w.add(0, 0, tc.rest)
		}
		if v, ok := w.add(s, s, tc.rest); !ok || v.mean != tc.mean {
			t.Errorf("%s: mean %v (closed %v), want %v", tc.name, v.mean, ok, tc.mean)
		}
	}
}

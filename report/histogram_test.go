package report

import (
	"math"
	"slices"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"
)

// latencyDraw draws latencies of all magnitudes.
func latencyDraw() *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		magnitude := rapid.IntRange(0, 46).Draw(t, "magnitude")
		return time.Duration(rapid.Int64Range(0, 1<<magnitude).Draw(t, "ns"))
	})
}

// TestHistogramEqualsLibrary ensures that counts, percentiles and the encoded form
// are those of the library's histogram.
func TestHistogramEqualsLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(latencyDraw(), 1, 60).Draw(t, "values")
		h, lib := &histogram{}, hdr.New(1, latencyMaxUS, 3)
		for _, d := range values {
			h.record(d)
			us, _ := micros(d)
			if err := lib.RecordValue(us); err != nil {
				t.Fatal(err)
			}
		}
		decoded, err := hdr.Decode([]byte(h.encode()))
		if err != nil {
			t.Fatal(err)
		}
		if !decoded.Equals(lib) {
			t.Fatal("decoded histogram differs from the library's")
		}
		q := h.quantiles()
		for i, p := range percentiles {
			want := time.Duration(lib.ValueAtPercentile(p)) * time.Microsecond
			if got := q[i]; got != max(h.min, min(h.max, want)) {
				t.Fatalf("p%v of %d values: %v, library %v", p, h.n, got, want)
			}
		}
	})
}

// TestHistogramPercentiles compares with sorted values: at most 0.1 % and 1 µs off.
func TestHistogramPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(latencyDraw(), 1, 300).Draw(t, "values")
		h, c := &histogram{}, &coarse{}
		for _, d := range values {
			h.record(d)
			us, _ := micros(d)
			c.record(us)
		}
		slices.Sort(values)
		n := int64(len(values))
		q := h.quantiles()
		near := func(what string, p float64, got, want time.Duration, share float64) {
			if off := math.Abs(float64(got - want)); off > share*float64(want)+float64(time.Microsecond) {
				t.Fatalf("%s p%v of %d values: %v, want %v", what, p, n, got, want)
			}
		}
		for i, p := range percentiles {
			want := values[rankOf(p, n)-1]
			near("fine", p, q[i], want, 0.001)
			got, _ := c.quantile(p)
			near("coarse", p, got, want, 0.016)
		}
		if h.max != values[n-1] || h.min != values[0] {
			t.Fatalf("extremes %v..%v, want %v..%v", h.min, h.max, values[0], values[n-1])
		}
	})
}

// TestHistogramClamps ensures that values out of range are counted at the edge.
func TestHistogramClamps(t *testing.T) {
	h := &histogram{}
	h.record(-time.Second)
	h.record(latencyMax + time.Second)
	h.record(latencyMax)
	if h.clamped != 2 || h.n != 3 || h.max != latencyMax+time.Second {
		t.Errorf("clamped %d of %d, max %v", h.clamped, h.n, h.max)
	}
	c := &coarse{}
	c.record(latencyMaxUS)
	if got, _ := c.quantile(50); math.Abs(float64(got-latencyMax)) > 0.016*float64(latencyMax) {
		t.Errorf("coarse 24 h is %v", got)
	}
}

// TestFailuresCountAsWorst checks the rank rule when failures are worse than all.
func TestFailuresCountAsWorst(t *testing.T) {
	h := &histogram{}
	for i := 1; i <= 98; i++ {
		h.record(time.Duration(i) * time.Millisecond)
	}
	for _, c := range []struct {
		p        float64
		failures int64
		want     float64 // s; NaN: a failure
	}{{50, 2, 0.050}, {98, 2, 0.098}, {99, 2, math.NaN()}, {99, 0, 0.097}, {50, 200, math.NaN()}} {
		got := float64(h.quantileWithFailures(c.p, c.failures))
		if math.IsNaN(got) != math.IsNaN(c.want) || got < c.want || got > c.want*1.001 {
			t.Errorf("p%v with %d failures: %v, want %v", c.p, c.failures, got, c.want)
		}
	}
}

// Ensure pages that are given away hold nothing of what was counted in them.
func TestFreedPagesAreEmpty(t *testing.T) {
	var all []*histogram
	for k := range 50 {
		h := &histogram{}
		for i := range 2000 {
			h.record(time.Duration(i*i*(k+1)) * time.Microsecond)
		}
		all = append(all, h)
	}
	for _, h := range all {
		h.free()
		if *h != (histogram{}) {
			t.Fatalf("not empty: %d values", h.n)
		}
	}
	for range 50 * finePages {
		if p := newPage(); *p != (octave{}) {
			t.Fatal("a page that was given away has counts")
		}
	}
}

// Ensure a page is given away once: recorders that come after one that was released share none, and say what they said before.
func TestReleaseIsOnce(t *testing.T) {
	first, second := jsonOf(t, richRecorder(1, 300, forever, false).Variant()), jsonOf(t, richRecorder(2, 300, forever, false).Variant())
	for range 3 {
		r := richRecorder(3, 300, forever, false)
		brief := r.Brief()
		if !slices.ContainsFunc(brief.Latency, func(l Latency) bool { return l.hist != nil }) {
			t.Fatal("no row has a histogram: the test shows nothing")
		}
		r.Release(&brief)
		r.Release(&brief)
		if i := slices.IndexFunc(brief.Latency, func(l Latency) bool { return l.hist != nil }); i >= 0 {
			t.Fatalf("row %d still has its histogram", i)
		}
		a, b := richRecorder(1, 300, forever, false), richRecorder(2, 300, forever, false) // side by side
		if jsonOf(t, a.Variant()) != first || jsonOf(t, b.Variant()) != second {
			t.Fatal("what others say has changed")
		}
	}
}

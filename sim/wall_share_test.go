package sim

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/workload"
)

func parseText(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse("share.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// intendedOf counts what a scenario's demand is, and what of it is measured.
func intendedOf(t *testing.T, sc *scenario.Scenario) (all, measured int64) {
	t.Helper()
	set, err := sc.Variants()[0].Build(sc.Seed())
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.New(set.Workload)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range w.Sources() {
		for d, ok := w.Next(i); ok; d, ok = w.Next(i) {
			all++
			if d.Intended >= set.Report.Warmup {
				measured++
			}
		}
	}
	return all, measured
}

// Parts of a run, carried at the same time against one mock, are together the whole run: its demand, with laws that hold (INV-1, INV-2, INV-6),
// and the intervals that they told come to the same counts and, bucket by bucket, to the same latencies.
func TestSharesOfARun(t *testing.T) {
	const n = 4
	sc := parseText(t, fmt.Sprintf(wallScenario, "2s\nwarmup: 500ms", 120, 40, "{}"))
	task := Task{Variant: "base", Seed: 1}
	load, err := NewLoad(sc, task, n, &WallOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer load.Close()
	parts, intervals := make([]*SharePart, n), make([][]Interval, n)
	origin := time.Now().Add(200 * time.Millisecond)
	var wg sync.WaitGroup
	for i := range n {
		s, err := NewShare(sc, task, ShareOptions{
			Part: workload.Share{Index: i, Count: n}, Mock: load.MockURL(), Every: 300 * time.Millisecond,
			Tell: func(iv Interval) { intervals[i] = append(intervals[i], iv) },
		})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			part, err := s.Run(origin)
			if err != nil {
				t.Error(err)
			}
			parts[i] = part
		})
	}
	if err := load.Begin(origin); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(origin.Add(500 * time.Millisecond)))
	load.Warm()
	wg.Wait()
	if t.Failed() {
		return
	}
	told := NewLatencies()
	for i, list := range intervals {
		checkIntervals(t, list, parts[i], told)
	}
	got := load.Finish(LoadEnd{Parts: parts})
	out := got.rec.Variant()
	all, measured := intendedOf(t, sc)
	if got.Requests != all || out.Totals.Requests != measured {
		t.Errorf("%d requests, %d measured; the demand is %d and %d", got.Requests, out.Totals.Requests, all, measured)
	}
	if l := out.Laws; !l.ConservationOK || !l.BooksAgree || l.NoBooks || l.LittleResidual > 0.01 { // the clients' clocks are read a moment later than ours
		t.Errorf("laws of the whole: %+v", l)
	}
	sameBuckets(t, &out, told)
}

// checkIntervals ensures that intervals follow each other and come to what the part did; it adds their latencies.
func checkIntervals(t *testing.T, list []Interval, part *SharePart, sum *hdrhistogram.PackedHistogram) {
	t.Helper()
	var c report.ShareCounts
	at := time.Duration(0)
	for i, iv := range list {
		if iv.Seq != i || iv.From != at || iv.To < iv.From || iv.Last != (i == len(list)-1) {
			t.Errorf("interval %d is %+v", i, iv)
		}
		at = iv.To
		c.Submitted += iv.Submitted
		c.Ended += iv.Ended
		c.Measured += iv.Measured
		if iv.HDR == "" {
			continue
		}
		h, err := hdrhistogram.DecodePacked([]byte(iv.HDR))
		if err != nil || h.TotalCount() != iv.Measured || sum.Merge(h) > 0 {
			t.Errorf("interval %d: a histogram of %d, of %d measured, %v", i, h.TotalCount(), iv.Measured, err)
		}
	}
	if want := part.Recorder.ShareCounts(); c != want {
		t.Errorf("intervals come to %+v, the part to %+v", c, want)
	}
}

func sameBuckets(t *testing.T, v *report.Variant, want *hdrhistogram.PackedHistogram) {
	t.Helper()
	got, err := hdrhistogram.DecodePacked([]byte(v.Latency[0].HDR))
	if err != nil || v.Latency[0].Metric != report.MetricTotal {
		t.Fatal(v.Latency[0].Metric, err)
	}
	if got.TotalCount() != want.TotalCount() {
		t.Fatalf("%d latencies, the intervals told %d", got.TotalCount(), want.TotalCount())
	}
	want.ForEachBucket(func(us, n int64) bool {
		if got.CountAtValue(us) != n {
			t.Errorf("%d latencies of %d us, the intervals told %d", got.CountAtValue(us), us, n)
		}
		return true
	})
}

// Ensure a part that waits for its start can be stopped, and does not wait for one that is far away.
func TestShareWaits(t *testing.T) {
	sc := parseText(t, fmt.Sprintf(wallScenario, "1s", 20, 5, "{}"))
	share := func(stop *atomic.Bool) *Share {
		s, err := NewShare(sc, Task{Variant: "base", Seed: 1}, ShareOptions{
			Part: workload.Share{Count: 1}, Mock: "http://127.0.0.1:9", Every: time.Second, Tell: func(Interval) {}, Stop: stop,
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var stop atomic.Bool
	stop.Store(true)
	origin := time.Now().Add(originMax - time.Second)
	if part, err := share(&stop).Run(origin); err != nil || part.Requests > 0 {
		t.Errorf("stopped before the start: %+v, %v", part, err)
	}
	if !time.Now().Before(origin) {
		t.Error("it waited for the start all the same")
	}
	if _, err := share(nil).Run(time.Now().Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "the start is 1h0m0s away") {
		t.Errorf("a start in an hour: %v", err)
	}
}

// Ensure a part whose shared limits cannot be reached says so before it is ready, unless it may go on without them.
func TestShareLooksForStore(t *testing.T) {
	sc := parseText(t, strings.Replace(fmt.Sprintf(wallScenario, "1s", 20, 5, "{}"), "stack: {", "stack: {shared: on, ", 1))
	o := ShareOptions{Part: workload.Share{Count: 1}, Mock: "http://127.0.0.1:9", Every: time.Second, Tell: func(Interval) {}}
	o.Wall.Redis = "redis://127.0.0.1:1"
	var gone *StoreError
	if _, err := NewShare(sc, Task{Variant: "base", Seed: 1}, o); !errors.As(err, &gone) {
		t.Errorf("a store that is not there: %v", err)
	}
	sc = parseText(t, strings.Replace(fmt.Sprintf(wallScenario, "1s", 20, 5, "{}"), "stack: {", "stack: {shared: {when_gone: open}, ", 1))
	s, err := NewShare(sc, Task{Variant: "base", Seed: 1}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

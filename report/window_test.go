package report

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// cut is a run that ends at an instant, with what is known of its measured requests.
type cut struct {
	ok                     []float64 // seconds
	failed, cancelled, all int64
}

// cutAt plays lives up to an instant, and adds some that nobody ever asked.
func cutAt(r *Recorder, all []life, until time.Duration, never int) (Run, cut) {
	run := play(r, all, until)
	run.Now = until
	var c cut
	for i := range all {
		l := &all[i]
		switch {
		case l.job.Intended < r.setup.Warmup || l.job.Intended >= r.setup.Duration || l.job.Issued > until:
			continue
		case l.res.Ended > until: // in flight
		case l.res.Ending == stack.Succeeded:
			c.ok = append(c.ok, (l.res.Ended - l.job.Intended).Seconds())
		case l.res.Ending == stack.Cancelled:
			c.cancelled++
		default:
			c.failed++
		}
		c.all++
	}
	for range never {
		r.Offered(&Job{Intended: 2 * time.Minute})
		c.all++
	}
	return run, c
}

// TestUnfinishedRequestsAreFailures: what was in flight or never asked at the end of a run
// ranks below every success, in all rows and ratios; in a run that was interrupted it is
// left out of them.
func TestUnfinishedRequestsAreFailures(t *testing.T) {
	for seed := range uint64(16) {
		rng := newRand(seed)
		interrupted := seed%2 == 1
		all := lives(rng, 1+rng.IntN(300))
		until := time.Duration(605+rng.IntN(50)) * time.Second
		r := NewRecorder(testSetup())
		run, want := cutAt(r, all, until, rng.IntN(5))
		run.Interrupted = interrupted
		v := r.Finish(run)
		unfinished := want.all - int64(len(want.ok)) - want.failed - want.cancelled
		failures, asked := want.failed+unfinished, want.all
		if interrupted {
			failures, asked = want.failed, want.all-unfinished
		}
		if v.Totals.InFlight != unfinished || v.Groups[0].InFlight != unfinished {
			t.Fatalf("in flight %d and %d, want %d", v.Totals.InFlight, v.Groups[0].InFlight, unfinished)
		}
		if got := v.Latency[atTotal].Failures; got != failures {
			t.Fatalf("%d failures, want %d", got, failures)
		}
		list := sorted(want.ok, failures)
		for _, p := range percentilePoints {
			got, _ := latencySeconds(&v, By{}, MetricTotal, p.name, true)
			if len(list) == 0 {
				continue
			}
			exact := list[rankOf(p.percent, int64(len(list)))-1]
			if math.IsInf(exact, 1) != math.IsInf(got, 1) || !math.IsInf(exact, 1) && math.Abs(got-exact) > 0.0011*exact+1e-6 {
				t.Fatalf("%s is %v, want %v", p.name, got, exact)
			}
		}
		if got, _ := evalRatioOK(&v, By{}); asked > 0 && math.Abs(got-float64(len(want.ok))/float64(asked)) > 1e-12 {
			t.Fatalf("ratio_ok %v, want %d of %d", got, len(want.ok), asked)
		}
		if v.Interrupted != interrupted || interrupted && v.StoppedS != inSeconds(until) {
			t.Fatalf("interrupted %v at %v, want %v at %v", v.Interrupted, v.StoppedS, interrupted, until)
		}
	}
}

// TestRequestsInFlightFailAtTheirModel: by the last attempt's model and key.
func TestRequestsInFlightFailAtTheirModel(t *testing.T) {
	r := NewRecorder(testSetup())
	moved, first := &Job{Intended: 2 * time.Minute}, &Job{Intended: 2 * time.Minute}
	for _, j := range []*Job{moved, first} {
		r.Offered(j)
		r.Submitted(j.Intended, j)
		r.Sent(j.Intended, j, 0, 0, 1)
	}
	r.Sent(3*time.Minute, moved, 1, 2, 2)
	r.Done(4*time.Minute, first, &stack.Result{Ending: stack.Failed, Ended: 4 * time.Minute, Steps: []stack.Step{{}}})
	v := r.Finish(Run{Now: 11 * time.Minute, InFlight: []int64{1, 0, 0}})
	for _, by := range []By{{Model: "gpt-4.1"}, {Model: "gemini-2.5-flash"}, {Key: "k1"}, {Key: "k3"}} {
		i := slices.IndexFunc(v.Latency, func(l Latency) bool { return l.By == by && l.Metric == MetricTotal })
		if i < 0 || v.Latency[i].Failures != 1 {
			t.Errorf("%+v has no row with one failure", by)
		}
	}
	if got, _ := evalRatioOK(&v, By{Model: "gemini-2.5-flash"}); got != 0 {
		t.Errorf("ratio_ok %v, want 0", got)
	}
}

// TestThroughputCountsWhatHappenedInTheWindow recounts a run by instants.
func TestThroughputCountsWhatHappenedInTheWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := lives(newRand(rapid.Uint64().Draw(t, "seed")), rapid.IntRange(0, 300).Draw(t, "n"))
		s := testSetup()
		r := NewRecorder(s)
		r.Close(play(r, all, forever))
		v := Variant{Groups: r.groups()}
		v.Throughput = r.throughput(&v.Groups[0])
		in := func(at time.Duration) bool { return at >= s.Warmup && at < s.Duration }
		var requests, tokens, attempts, flash int64
		for i := range all {
			l := &all[i]
			n := len(l.res.Steps)
			if l.res.Ending == stack.Succeeded && in(l.res.Ended) {
				requests++
				if n > 0 && l.res.Steps[n-1].Target == 1 {
					flash++
				}
			}
			for k, st := range l.res.Steps {
				if in(st.Sent) {
					attempts++
				}
				if st.Outcome.Kind == stack.Success && in(st.Ended) {
					tokens += l.billed[k].In + l.billed[k].Out
				}
			}
		}
		window := Num((s.Duration - s.Warmup).Seconds())
		want := Throughput{RequestsPerS: Num(requests) / window, TokensPerMin: Num(tokens) / window * 60, AttemptsPerS: Num(attempts) / window}
		if v.Throughput != want {
			t.Fatalf("got %+v, want %+v", v.Throughput, want)
		}
		if got, _ := evalThroughput(&v, By{Model: "gemini-2.5-flash"}); flash > 0 && math.Abs(got-float64(flash)/float64(window)) > 1e-9 {
			t.Fatalf("at one model %v, want %d in %v s", got, flash, window)
		}
	})
}

// TestCountsBeginAtTheEndOfTheWarmup: what the driver counts from the beginning of the run on.
func TestCountsBeginAtTheEndOfTheWarmup(t *testing.T) {
	r := NewRecorder(testSetup())
	at := func(n int64) Run {
		return Run{
			Gates: []GateCount{{Increases: n, Decreases: 2 * n}, {}}, BreakerOpened: n,
			Excluded: [][]time.Duration{{time.Duration(n) * time.Minute, 0}, {0, 0}, {0, 0}},
			Books: &mockupstream.Books{
				EarlyRetries: n, DuplicateWrites: 3 * n,
				Keys: []mockupstream.KeyBook{{Received: 10 * n, Refused429: n}, {Key: 1, Received: 5}},
			},
		}
	}
	j := &Job{}
	for range 9 {
		r.Sent(time.Second, j, 0, 0, 2)
	}
	r.Warm(at(1))
	for range 4 {
		r.Sent(2*time.Minute, j, 0, 0, 2)
	}
	run := at(4)
	run.Now = 11 * time.Minute
	v := r.Finish(run)
	if v.Totals.EarlyRetries != 3 || v.Totals.DuplicateWrites != 9 || v.Upstream.EarlyRetries != 4 || v.Upstream.DuplicateWrites != 12 {
		t.Errorf("totals %+v, upstream %+v", v.Totals, v.Upstream)
	}
	if s := v.Stack; s.RetryPeak100ms != 4 || s.BreakerOpened != 3 || s.Gates[0].Increases != 3 || s.Gates[0].Decreases != 6 {
		t.Errorf("stack %+v", s)
	}
	if len(v.Keys) != 1 || v.Keys[0].Requests != 30 || v.Keys[0].HTTP429 != 3 || v.Keys[0].ExcludedS != 180 {
		t.Errorf("keys %+v", v.Keys)
	}
}

// TestNothingIsMeasuredBeforeTheEndOfTheWarmup: of a run that was stopped in it.
func TestNothingIsMeasuredBeforeTheEndOfTheWarmup(t *testing.T) {
	r := NewRecorder(testSetup())
	v := r.Finish(Run{
		Now: 30 * time.Second, Interrupted: true, BreakerOpened: 1,
		Books: &mockupstream.Books{EarlyRetries: 7, Keys: []mockupstream.KeyBook{{Received: 3}}},
	})
	if v.Totals.EarlyRetries != 0 || v.Stack.BreakerOpened != 0 || len(v.Keys) != 0 || v.StoppedS != 30 {
		t.Errorf("%+v, %+v, keys %+v, stopped at %v", v.Totals, v.Stack, v.Keys, v.StoppedS)
	}
}

// TestReplicationsAreJudgedByTheirMean: pooling a run with its double changes no verdict.
func TestReplicationsAreJudgedByTheirMean(t *testing.T) {
	record := func(seed uint64, lives []life) *Recorder {
		s := testSetup()
		s.Seed = seed
		r := NewRecorder(s)
		run := play(r, lives, 601*time.Second)
		run.BreakerOpened = 1
		run.Books.EarlyRetries = 5
		r.Close(run)
		return r
	}
	one := record(1, lives(newRand(5), 900)).Variant()
	pooled := record(1, lives(newRand(5), 900))
	pooled.Merge(record(2, lives(newRand(5), 900)))
	two := pooled.Variant()
	if one.SummedRuns != 1 || two.SummedRuns != 2 || two.Totals.Requests != 2*one.Totals.Requests {
		t.Fatalf("runs %d and %d, requests %d and %d", one.SummedRuns, two.SummedRuns, one.Totals.Requests, two.Totals.Requests)
	}
	for _, m := range plainMetrics {
		x, _ := m.eval(&one, By{})
		y, _ := m.eval(&two, By{})
		if x != y && !(math.IsNaN(x) && math.IsNaN(y)) && math.Abs(x-y) > 0.002*math.Abs(x) {
			t.Errorf("%s: %v of one run, %v of two equal ones", m.name, x, y)
		}
	}
	x, _ := evalCost(&one, By{Class: "P1"})
	if y, _ := perRun(evalCost)(&two, By{Class: "P1"}); math.Abs(x-y) > 1e-9*x {
		t.Errorf("cost of a class: %v of one run, %v of two equal ones", x, y)
	}
}

// TestSlowestOfAllReplications takes them from the run they were in.
func TestSlowestOfAllReplications(t *testing.T) {
	record := func(seed uint64, totals ...time.Duration) *Recorder {
		s := testSetup()
		s.Seed = seed
		r := NewRecorder(s)
		for i, d := range totals {
			j := &Job{ID: uint64(i), Intended: 2 * time.Minute}
			r.Done(j.Intended+d, j, &stack.Result{Ending: stack.Succeeded, Ended: j.Intended + d})
		}
		r.Close(Run{Now: s.Duration})
		return r
	}
	r := record(1, 1*time.Second, 5*time.Second, 7*time.Second, 8*time.Second)
	r.Merge(record(2, 2*time.Second, 7*time.Second, 9*time.Second))
	var got []uint64
	for _, q := range r.Variant().Slowest {
		got = append(got, q.Seed, uint64(q.TotalMS))
	}
	if want := []uint64{2, 9000, 1, 8000, 1, 7000}; !slices.Equal(got, want) {
		t.Errorf("seeds and totals %v, want %v", got, want)
	}
}

// TestUtilisationNeedsAWholeMinute says so instead of denying the limit.
func TestUtilisationNeedsAWholeMinute(t *testing.T) {
	s := testSetup()
	s.Warmup, s.Duration = 0, 40*time.Second
	r := NewRecorder(s)
	v := r.Finish(Run{Now: s.Duration, Books: &mockupstream.Books{
		Keys:   []mockupstream.KeyBook{{Received: 1}},
		Quotas: []mockupstream.QuotaBook{{Minutes: []mockupstream.Minute{{Requests: 1, Tokens: 5}}}},
	}})
	m, _ := findMetric("tpm_utilisation")
	if x, note := m.eval(&v, By{}); !math.IsNaN(x) || note != "no whole minute was measured, and use is counted by the minute" {
		t.Errorf("%v: %q", x, note)
	}
}

// TestHistogramsStandWhereTheyAreNeeded: in rows that repeat others only beside failures.
func TestHistogramsStandWhereTheyAreNeeded(t *testing.T) {
	r := NewRecorder(testSetup())
	all := lives(newRand(3), 300)
	v := r.Finish(play(r, slices.DeleteFunc(all, func(l life) bool {
		return l.job.Profile == 0 && l.res.Ending != stack.Succeeded && l.res.Ending != stack.Cancelled
	}), forever))
	for _, l := range v.Latency {
		own := l.By.Profile != "" || l.By == (By{})
		want := own && (l.Metric == MetricTotal || l.Metric == MetricFirstToken) || l.Metric == MetricTotal && l.Failures > 0
		if (l.HDR != "") != want {
			t.Errorf("%+v %s with %d failures: %d bytes", l.By, l.Metric, l.Failures, len(l.HDR))
		}
	}
}

// TestNoWaitTakesNoPage: most requests do not wait, and only count as such.
func TestNoWaitTakesNoPage(t *testing.T) {
	h := &histogram{}
	for range 3 {
		h.record(0)
	}
	if h.pages != [finePages]*octave{} || h.n != 3 {
		t.Errorf("%d values in pages %v", h.n, h.pages)
	}
	h.record(-time.Nanosecond)
	h.record(time.Second)
	if q := h.quantiles(); q[0] != 0 || q[3] != time.Second || h.min != -time.Nanosecond {
		t.Errorf("quantiles %v, least %v", q, h.min)
	}
}

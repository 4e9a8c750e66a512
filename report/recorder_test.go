package report

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
)

// TestStatisticsAgreeWithNaiveCount recounts a run from its list of requests.
func TestStatisticsAgreeWithNaiveCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := lives(newRand(rapid.Uint64().Draw(t, "seed")), rapid.IntRange(0, 200).Draw(t, "n"))
		s := testSetup()
		r := NewRecorder(s)
		r.Close(play(r, all, forever))
		var want Totals
		for i := range all {
			l := &all[i]
			if l.job.Intended < s.Warmup || l.job.Intended >= s.Duration {
				continue
			}
			naive(&want, l)
		}
		if got := r.totals(); got != want {
			t.Fatalf("totals\n got %+v\nwant %+v", got, want)
		}
		var sum Group
		for _, g := range r.groups()[1:4] {
			sum.Requests += g.Requests
			sum.Succeeded += g.Succeeded
			sum.Attempts += g.Attempts
			sum.TokensIn += g.TokensIn
		}
		if sum.Requests != want.Requests || sum.Succeeded != want.Succeeded || sum.Attempts != want.Attempts || sum.TokensIn != want.TokensIn {
			t.Fatalf("profiles sum to %+v, totals are %+v", sum, want)
		}
	})
}

func naive(want *Totals, l *life) {
	want.Requests++
	switch l.res.Ending {
	case stack.Succeeded:
		want.Succeeded++
		if len(l.res.Steps) == 0 {
			want.CacheHits++
		}
		switch l.res.Degrade {
		case 1:
			want.Fallback1++
		case 2:
			want.Fallback2++
		case 3:
			want.Fallback3++
		}
	case stack.Failed:
		want.Failed++
	case stack.DeadLettered:
		want.DeadLettered++
	case stack.Rejected:
		want.Rejected++
	case stack.Cancelled:
		want.Cancelled++
	}
	for s, st := range l.res.Steps {
		want.Attempts++
		if s > 0 {
			want.Retries++
		}
		switch st.Outcome.Kind {
		case stack.RateLimited:
			want.HTTP429++
		case stack.ServerError:
			want.HTTP5xx++
		case stack.GapTimeout:
			want.Timeouts++
		}
		want.TokensIn += l.billed[s].In
		want.TokensCached += l.billed[s].Cached
		want.TokensOut += l.billed[s].Out
		if st.Outcome.Kind != stack.Success {
			want.TokensWasted += l.billed[s].In + l.billed[s].Out
		}
	}
}

// TestPercentilesAgreeWithSortedSlices compares every row of a run with the values
// themselves, by the documented rule: never below, at most 0.1 % and 1 µs above.
func TestPercentilesAgreeWithSortedSlices(t *testing.T) {
	all := lives(newRand(7), 4000)
	s := testSetup()
	r := NewRecorder(s)
	v := r.Finish(play(r, all, forever))
	values := map[By]map[string][]time.Duration{}
	note := func(by By, metric string, d time.Duration) {
		if values[by] == nil {
			values[by] = map[string][]time.Duration{}
		}
		values[by][metric] = append(values[by][metric], d)
	}
	for i := range all {
		l := &all[i]
		if l.res.Ending != stack.Succeeded || l.job.Intended < s.Warmup || l.job.Intended >= s.Duration {
			continue
		}
		for _, by := range []By{{}, {Class: s.Profiles[l.job.Profile].Class.String()}, r.profileBy(l.job.Profile)} {
			note(by, MetricTotal, l.res.Ended-l.job.Intended)
			note(by, MetricQueue, l.res.Queued+l.res.Capped)
			note(by, MetricBackoff, l.res.Backoff)
			if n := len(l.res.Steps); n > 0 {
				note(by, MetricFromSend, l.res.Ended-l.res.Steps[0].Sent)
				note(by, MetricFirstToken, l.res.Steps[n-1].FirstToken-l.res.Steps[n-1].Sent)
				note(by, MetricGeneration, l.res.Ended-l.res.Steps[n-1].FirstToken)
			}
		}
		if n := len(l.res.Steps); n > 0 {
			last := l.res.Steps[n-1]
			note(By{Model: s.Models[last.Target].Name}, MetricTotal, l.res.Ended-l.job.Intended)
			note(By{Model: s.Models[last.Target].Name}, MetricFirstToken, last.FirstToken-last.Sent)
			note(By{Key: s.Keys[last.Key]}, MetricTotal, l.res.Ended-l.job.Intended)
		}
	}
	rows := 0
	for _, l := range v.Latency {
		want := values[l.By][l.Metric]
		if len(want) == 0 || int(l.Count) != len(want) {
			t.Fatalf("%+v %s: %d values, want %d", l.By, l.Metric, l.Count, len(want))
		}
		checkRow(t, &l, want)
		rows++
	}
	if want := 6*(1+3+2) + 2*2 + 3; rows != want {
		t.Errorf("%d rows, want %d", rows, want)
	}
}

func checkRow(t *testing.T, l *Latency, want []time.Duration) {
	t.Helper()
	slices.Sort(want)
	var sum time.Duration
	for _, d := range want {
		sum += d
	}
	const half = 0.0005 // ms: rounding to the microsecond
	if mean := float64(sum) / float64(len(want)) / 1e6; math.Abs(float64(l.MeanMS)-mean) > half {
		t.Errorf("%+v %s: mean %v, want %v", l.By, l.Metric, l.MeanMS, mean)
	}
	if exact := inMS(want[len(want)-1]); l.MaxMS != exact {
		t.Errorf("%+v %s: max %v, want %v", l.By, l.Metric, l.MaxMS, exact)
	}
	for i, got := range []Num{l.P50MS, l.P90MS, l.P95MS, l.P99MS, l.P999MS} {
		exact := float64(inMS(want[rankOf(percentiles[i], int64(len(want)))-1]))
		if float64(got) < exact-half || float64(got) > exact*1.001+half {
			t.Errorf("%+v %s: p%v %v, want %v", l.By, l.Metric, percentiles[i], got, exact)
		}
	}
}

// TestRecorderIsDeterministic records one run twice (INV-4).
func TestRecorderIsDeterministic(t *testing.T) {
	var out [2][]byte
	for i := range out {
		r := NewRecorder(testSetup())
		v := r.Finish(play(r, lives(newRand(3), 500), forever))
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = b
	}
	if string(out[0]) != string(out[1]) {
		t.Error("two recordings of one run differ")
	}
}

// TestMergeEqualsOneRun merges the halves of a run and compares with the whole.
func TestMergeEqualsOneRun(t *testing.T) {
	all := lives(newRand(5), 1000)
	record := func(seed uint64, part []life) *Recorder {
		s := testSetup()
		s.Seed = seed
		r := NewRecorder(s)
		r.Close(play(r, part, forever))
		return r
	}
	whole := record(1, all)
	half, other := record(1, all[:500]), record(2, all[500:])
	half.Merge(other)
	a, b := whole.Variant(), half.Variant()

	a.Totals.DuplicateWrites, b.Totals.DuplicateWrites = 0, 0
	if a.Totals != b.Totals {
		t.Errorf("totals\n%+v\n%+v", a.Totals, b.Totals)
	}
	for i := range a.Latency {
		if x, y := jsonOf(t, a.Latency[i]), jsonOf(t, b.Latency[i]); x != y {
			t.Errorf("latency\n%s\n%s", x, y)
		}
	}
	if x, y := jsonOf(t, a.Cost.By), jsonOf(t, b.Cost.By); x != y {
		t.Errorf("cost\n%s\n%s", x, y)
	}
	if got, want := b.Throughput.RequestsPerS*2, a.Throughput.RequestsPerS; math.Abs(float64(got/want-1)) > 1e-12 {
		t.Errorf("rate over the doubled time %v, want %v", got, want)
	}
	if len(b.Replications) != 2 || b.Replications[1].Seed != 2 || len(a.Replications) != 0 {
		t.Errorf("replications %+v", b.Replications)
	}
	if !b.Laws.ConservationOK || !b.Laws.BooksAgree || b.Laws.LittleResidual != 0 {
		t.Errorf("laws %+v", b.Laws)
	}
	if b.Digest == a.Digest {
		t.Error("two runs have the digest of one")
	}
}

func jsonOf(t rapid.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEmptyRun(t *testing.T) {
	r := NewRecorder(testSetup())
	v := r.Finish(Run{Now: time.Second, Interrupted: true}) // in the warm-up
	if v.Bound.Resource != "nothing: no request waited" {
		t.Errorf("bound by %q", v.Bound.Resource)
	}
	if !v.Laws.ConservationOK || v.Laws.LittleResidual != 0 {
		t.Errorf("laws %+v", v.Laws)
	}
	for _, list := range []string{"keys", "alerts", "slowest", "gates", "by", "rejected_by_reason"} {
		if strings.Contains(jsonOf(t, v), `"`+list+`":null`) {
			t.Errorf("an empty list of %s is null", list)
		}
	}
}

// TestRetryPeak slides a window of 100 ms over made-up retries.
func TestRetryPeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gaps := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 300).Draw(t, "gaps in ms")
		var h herd
		var at []time.Duration
		now := time.Duration(0)
		for _, g := range gaps {
			now += time.Duration(g) * time.Millisecond
			at = append(at, now)
			h.retry(now)
		}
		want := 0
		for i := range at {
			n := 0
			for k := 0; k <= i; k++ {
				if at[k] > at[i]-herdWindow {
					n++
				}
			}
			want = max(want, n)
		}
		if h.peak != want {
			t.Fatalf("peak %d, want %d", h.peak, want)
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	r := NewRecorder(testSetup())
	all := lives(newRand(1), 4096)
	for i := range all {
		for len(all[i].res.Steps) > 1 { // one attempt, as nearly all have
			all[i].res.Steps = all[i].res.Steps[:1]
		}
	}
	step := 10 * time.Minute / time.Duration(b.N+1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l := &all[i&4095]
		now := time.Duration(i) * step
		r.Offered(&l.job)
		r.Submitted(now, &l.job)
		for s := range l.res.Steps {
			st := &l.res.Steps[s]
			r.Sent(now, &l.job, st.Target, st.Key, s+1)
			r.Attempted(now, &l.job, st, l.billed[s], false)
		}
		r.Done(now, &l.job, &l.res)
	}
}

// BenchmarkRecordManyAgents has 200 000 agents, so that their state is not in the cache.
func BenchmarkRecordManyAgents(b *testing.B) {
	r := NewRecorder(testSetup())
	all := lives(newRand(1), 4096)
	step := 10 * time.Minute / time.Duration(b.N+1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l := &all[i&4095]
		l.job.Agent = uint32(uint64(i) * 0x9e3779b9 % 200_000)
		if len(l.res.Steps) > 1 {
			l.res.Steps = l.res.Steps[:1]
		}
		now := time.Duration(i) * step
		r.Offered(&l.job)
		r.Submitted(now, &l.job)
		for s := range l.res.Steps {
			st := &l.res.Steps[s]
			r.Sent(now, &l.job, st.Target, st.Key, s+1)
			r.Attempted(now, &l.job, st, l.billed[s], false)
		}
		r.Done(now, &l.job, &l.res)
	}
}

package report

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// part is what one of several processes records.
type part struct {
	lives  []life
	gauges []Gauges // every second
	warm   Run      // what its driver knows at the end of the warm-up
	end    Run      // and at the end, beside what play knows
}

// partGauges makes up looks at the gates for every second of the run.
func partGauges(rng *rand.Rand, s *Setup) []Gauges {
	gauges := make([]Gauges, s.Duration/time.Second+5)
	for i := range gauges {
		g := &gauges[i]
		g.Span, g.ExcludedKeys = time.Second, rng.Int64N(3)
		for range s.Models {
			u := stack.GateUse{
				Limit: rng.Int64N(9e9), InFlight: rng.Int64N(9e9),
				LimitMin: rng.IntN(9), LimitMax: 9 + rng.IntN(9), InFlightMax: rng.IntN(9), WaitingMax: rng.IntN(9),
			}
			u.Waiting[rng.IntN(len(u.Waiting))] = rng.Int64N(9e9)
			b := rng.IntN(len(u.Blocked))
			u.Blocked[b], u.Waited[b] = rng.Int64N(1e9), rng.Int64N(9e9)
			g.Models = append(g.Models, u)
		}
	}
	return gauges
}

// partRun makes up what a driver knows of its stacks.
func partRun(rng *rand.Rand, s *Setup) Run {
	run := Run{BreakerOpened: rng.Int64N(4), Abandoned: rng.Int64N(4)}
	for range s.Models {
		run.Gates = append(run.Gates, GateCount{rng.Int64N(9), rng.Int64N(9)})
	}
	for range s.Keys {
		of := make([]time.Duration, len(s.Models))
		of[rng.IntN(len(of))] = time.Duration(rng.Int64N(1e9))
		run.Excluded = append(run.Excluded, of)
	}
	return run
}

// divided deals lives to n parts by the function.
func divided(rng *rand.Rand, s *Setup, all []life, n int, to func(i int, l *life) int) []part {
	parts := make([]part, n)
	for i := range parts {
		parts[i].gauges, parts[i].warm, parts[i].end = partGauges(rng, s), partRun(rng, s), partRun(rng, s)
	}
	for i := range all {
		p := &parts[to(i, &all[i])]
		p.lives = append(p.lives, all[i])
	}
	return parts
}

// playPart plays a part, or the whole of all parts, to a recorder.
func playPart(r *Recorder, p *part, until runEnd, books *mockupstream.Books) Run {
	var more []testEvent
	for i := range p.gauges {
		more = append(more, testEvent{time.Duration(i+1) * time.Second, func(now time.Duration) { r.Gauge(now, &p.gauges[i]) }})
	}
	warm := p.warm
	warm.Books = books
	more = append(more, testEvent{r.setup.Warmup, func(time.Duration) { r.Warm(warm) }})
	run := play(r, slices.Clone(p.lives), until.at, more...)
	run.Gates, run.Excluded, run.BreakerOpened, run.Abandoned, run.Traces = p.end.Gates, p.end.Excluded, p.end.BreakerOpened, p.end.Abandoned, p.end.Traces
	if until.interrupted {
		run.Interrupted, run.Now = true, until.at
	}
	return run
}

// together is what one driver of all parts would have recorded.
func together(s *Setup, parts []part, all []life) *part {
	whole := &part{lives: all, gauges: make([]Gauges, len(parts[0].gauges))}
	emptyRun := func() Run {
		run := Run{Gates: make([]GateCount, len(s.Models)), Excluded: make([][]time.Duration, len(s.Keys))}
		for k := range run.Excluded {
			run.Excluded[k] = make([]time.Duration, len(s.Models))
		}
		return run
	}
	whole.warm, whole.end = emptyRun(), emptyRun()
	for k := range whole.gauges {
		whole.gauges[k] = Gauges{Span: time.Second, Models: make([]stack.GateUse, len(s.Models))}
	}
	addRun := func(to, from *Run) {
		to.BreakerOpened += from.BreakerOpened
		to.Abandoned += from.Abandoned
		for m := range s.Models {
			to.Gates[m].Increases += from.Gates[m].Increases
			to.Gates[m].Decreases += from.Gates[m].Decreases
			for k := range s.Keys {
				to.Excluded[k][m] += from.Excluded[k][m]
			}
		}
	}
	for i := range parts {
		addRun(&whole.warm, &parts[i].warm)
		addRun(&whole.end, &parts[i].end)
		for k := range whole.gauges {
			addGauges(&whole.gauges[k], &parts[i].gauges[k])
		}
	}
	for k := range whole.gauges {
		for m := range s.Models {
			for b, t := range whole.gauges[k].Models[m].Blocked {
				whole.gauges[k].Models[m].Blocked[b] = t / int64(len(parts))
			}
		}
	}
	return whole
}

// addGauges adds what other stacks did in the same second, as a driver of several stacks does.
func addGauges(to, from *Gauges) {
	to.ExcludedKeys += from.ExcludedKeys
	for m := range to.Models {
		u, v := &to.Models[m], &from.Models[m]
		u.Limit, u.InFlight = u.Limit+v.Limit, u.InFlight+v.InFlight
		u.LimitMin, u.LimitMax = u.LimitMin+v.LimitMin, u.LimitMax+v.LimitMax
		u.InFlightMax, u.WaitingMax = u.InFlightMax+v.InFlightMax, u.WaitingMax+v.WaitingMax
		for c := range u.Waiting {
			u.Waiting[c] += v.Waiting[c]
		}
		for b := range u.Blocked {
			u.Blocked[b] += v.Blocked[b]
			u.Waited[b] += v.Waited[b]
		}
	}
}

// runEnd is when a made-up run ends, and whether somebody interrupted it.
type runEnd struct {
	at          time.Duration
	interrupted bool
}

// sealed records a part.
func sealed(s Setup, p *part, until runEnd) *Recorder {
	r := NewShare(s)
	run := playPart(r, p, until, nil)
	run.Books = nil
	r.Seal(run)
	return r
}

// carried freezes a part and thaws it, as it is on its way from one process to another.
func carried(t interface{ Fatal(...any) }, r *Recorder) *Recorder {
	frozen, err := r.FreezeShare()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ThawShare(frozen)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := back.FreezeShare(); err != nil || !bytes.Equal(again, frozen) || !back.SameSetup(r) {
		t.Fatal("frozen again, it has other bytes or another setup", err)
	}
	return back
}

// shuffledJoin joins parts in an order, and by pairs where told so, and describes the whole.
func shuffledJoin(s Setup, recs []*Recorder, order []int, pairs bool, warm *mockupstream.Books, run Run) Variant {
	whole := NewShare(s)
	whole.Warm(Run{Books: warm})
	for len(order) > 0 {
		r := recs[order[0]]
		if order = order[1:]; pairs && len(order) > 0 {
			two := NewShare(s)
			two.Join(r)
			two.Join(recs[order[0]])
			r, order = two, order[1:]
		}
		whole.Join(r)
	}
	return finish(whole, run)
}

// finish closes a recorder and describes its run, with histograms as they are and not as text, which takes long.
func finish(r *Recorder, run Run) Variant {
	r.Close(run)
	return r.Brief()
}

// sameVariant compares all that a file says of a variant, and its histograms bucket by bucket.
func sameVariant(t *rapid.T, got, want *Variant) {
	if len(got.Latency) != len(want.Latency) {
		t.Fatalf("%d rows of latencies, want %d", len(got.Latency), len(want.Latency))
	}
	for i := range got.Latency {
		if !reflect.DeepEqual(got.Latency[i].hist, want.Latency[i].hist) {
			t.Fatalf("the histogram of %+v differs", got.Latency[i].By)
		}
	}
	text := func(v *Variant) string {
		b, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if a, b := text(got), text(want); a != b {
		t.Fatalf("joined parts differ from one recorder: %s", firstDifference(a, b))
	}
}

// Eight recorders, fed by a partition of the samples by agents and joined in any order, give exactly the report of one
// recorder that was told all of them, interrupted runs too; INV-1, INV-2 and INV-6 of the whole among the rest.
func TestSharesAreOneRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testSetup()
		s.Duration, s.Warmup = 2*time.Minute, time.Minute
		rng := newRand(rapid.Uint64().Draw(t, "seed"))
		all := lives(rng, rapid.IntRange(0, 300).Draw(t, "requests"))
		n := rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "parts")
		parts := divided(rng, &s, all, n, func(_ int, l *life) int { return int(l.job.Agent) % n })
		until := rapid.SampledFrom([]runEnd{{at: forever}, {30 * time.Second, true}, {90 * time.Second, true}, {3 * time.Minute, false}}).Draw(t, "until")
		warm := &mockupstream.Books{EarlyRetries: 3}

		one := NewRecorder(s)
		run := playPart(one, together(&s, parts, all), until, warm)
		want := finish(one, run)
		recs := make([]*Recorder, n)
		for i := range parts {
			recs[i] = carried(t, sealed(s, &parts[i], until))
		}
		end := Run{Books: run.Books, Digest: run.Digest}
		order := rapid.Permutation(slices.Collect(rangeOf(n))).Draw(t, "order")
		got := shuffledJoin(s, recs, order, rapid.Bool().Draw(t, "pairs"), warm, end)
		sameVariant(t, &got, &want)
	})
}

// Ensure percentiles and histograms are exactly those of one recorder even when samples are dealt out at random, and so
// agents belong to several parts; so are all counts.
func TestAnyPartitionHasTheSamePercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testSetup()
		s.Duration = 2 * time.Minute
		rng := newRand(rapid.Uint64().Draw(t, "seed"))
		all := lives(rng, 200)
		parts := divided(rng, &s, all, 8, func(int, *life) int { return rng.IntN(8) })
		one := NewRecorder(s)
		run := playPart(one, together(&s, parts, all), runEnd{at: forever}, nil)
		want := finish(one, run)
		recs := make([]*Recorder, len(parts))
		for i := range parts {
			recs[i] = sealed(s, &parts[i], runEnd{at: forever})
		}
		order := rapid.Permutation(slices.Collect(rangeOf(len(parts)))).Draw(t, "order")
		got := shuffledJoin(s, recs, order, false, nil, Run{Books: run.Books, Digest: run.Digest})
		want.Fairness, got.Fairness = Fairness{}, Fairness{}
		sameVariant(t, &got, &want)
	})
}

func rangeOf(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// Ensure the longest time is the same in any order of the parts: of equal ones that which was noted first.
func TestLongestOfParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) longest {
			small := rapid.Int64Range(1, 3)
			return longest{time.Duration(small.Draw(t, "d")), uint32(small.Draw(t, "agent")), time.Duration(small.Draw(t, "at"))}
		}), 1, 5).Draw(t, "times")
		var a, b longest
		for i := range all {
			a.join(&all[i])
			b.join(&all[len(all)-1-i])
		}
		for _, l := range all {
			if l.d > a.d || l.d == a.d && l.at < a.at {
				t.Fatalf("%+v of %+v", a, all)
			}
		}
		if a != b {
			t.Fatalf("%+v in one order, %+v in the other", a, b)
		}
	})
}

// Ensure a part knows what it came to, to be compared with what was told of it while it ran.
func TestShareCounts(t *testing.T) {
	s := testSetup()
	all := lives(newRand(3), 200)
	r := NewShare(s)
	run := play(r, all, forever)
	run.Books = nil
	r.Seal(run)
	want := ShareCounts{Submitted: 200, Ended: 200}
	for i := range all {
		l := &all[i]
		if l.res.Ending == stack.Succeeded && l.job.Intended >= s.Warmup && l.job.Intended < s.Duration {
			want.Measured++
		}
	}
	if got := r.ShareCounts(); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

// richShare is a part in which nearly nothing is zero.
func richShare(seed uint64, n int) *Recorder {
	s := richSetup()
	rng := newRand(seed)
	s.Duration = 2 * time.Minute
	parts := divided(rng, &s, lives(rng, n), 1, func(int, *life) int { return 0 })
	parts[0].end.Traces = []TraceBook{{Name: "t", Format: "azure", Passes: 1, Rows: 2, Failed: 3, Unmapped: 4, Skipped: 5, FirstSkipped: "row 7"}}
	return sealed(s, &parts[0], runEnd{100 * time.Second, true})
}

// sharePayload is what the frozen form of a part packs.
func sharePayload(r *Recorder) []byte {
	t := &tape{}
	r.carryShare(t)
	return t.data
}

// joinedBytes joins whatever the bytes give, and reports whether they gave something.
func joinedBytes(data []byte) bool {
	r := &Recorder{nextTick: never, share: &share{}}
	if thaw(data, r.carryShare) != nil {
		return false
	}
	if len(r.setup.Profiles)*len(r.setup.Models) > 1000 || r.setup.Duration/time.Second > 10_000 {
		return true // the setup of a run is our own
	}
	whole := NewShare(r.setup)
	if !whole.SameSetup(r) { // it has a default that is not said
		return true
	}
	whole.Join(r)
	whole.Join(r)
	whole.Close(Run{})
	whole.Brief()
	return true
}

// Ensure no number of a part that somebody made up does more harm than to be wrong.
func TestNoFieldOfAShareIsTrusted(t *testing.T) {
	tryDamaged(t, sharePayload(richShare(1, 8)), 199, 3, joinedBytes)
}

func TestWhatIsNoShare(t *testing.T) {
	if _, err := NewShare(testSetup()).FreezeShare(); err == nil {
		t.Error("a part that is not sealed was frozen")
	}
	whole, err := richRecorder(1, 5, forever, false).Freeze()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ThawShare(whole); err == nil {
		t.Error("the recorder of a whole run was thawed as a part")
	}
}

func FuzzThawShare(f *testing.F) {
	for n := range 3 {
		r := richShare(uint64(n), 4*n)
		frozen, err := r.FreezeShare()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frozen)
		f.Add(sharePayload(r))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = ThawShare(data)
		joinedBytes(data)
	})
}

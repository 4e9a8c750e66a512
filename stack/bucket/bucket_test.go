package bucket

import (
	"testing"
	"time"

	"golang.org/x/time/rate"
	"pgregory.net/rapid"
)

const period = Span * time.Second

// grant is one Take, or (with negative units) one refund.
type grant struct {
	at    time.Duration
	n     int64
	lower bool
}

type setup struct {
	capacity int64
	burst    time.Duration
	reserve  int
}

func drawSetup(t *rapid.T) setup {
	return setup{
		capacity: rapid.OneOf(rapid.Int64Range(1, 50), rapid.Int64Range(50, 1_000_000)).Draw(t, "capacity"),
		burst:    time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(t, "burst")),
		reserve:  rapid.IntRange(0, 90).Draw(t, "reserve"),
	}
}

func (s setup) bucket() *Bucket {
	b := New(s.capacity, s.burst, s.reserve)
	return &b
}

// drawUnits prefers small requests, and sometimes draws one that does not fit.
func (s setup) drawUnits(t *rapid.T) int64 {
	return rapid.OneOf(
		rapid.Int64Range(0, max(1, s.capacity/50)),
		rapid.Int64Range(1, s.capacity),
		rapid.Int64Range(1, s.capacity+s.capacity/10+1),
	).Draw(t, "n")
}

var drawStep = rapid.Custom(func(t *rapid.T) time.Duration {
	return time.Duration(rapid.OneOf(
		rapid.Just(int64(0)),
		rapid.Int64Range(0, int64(50*time.Millisecond)),
		rapid.Int64Range(0, int64(3*time.Second)),
		rapid.Int64Range(0, int64(70*time.Second)),
		rapid.Int64Range(-int64(10*time.Second), 0),
	).Draw(t, "step"))
})

// checkSchedule: the length of schedule granted from the i-th to the j-th grant, less
// what was refunded meanwhile, is at most their distance plus the burst (or plus the
// last grant itself, if it alone is longer than the burst).
func checkSchedule(t *rapid.T, s setup, log []grant) {
	t.Helper()
	length := func(n int64) time.Duration { return time.Duration(n * int64(period) / s.capacity) }
	for i := range log {
		var sum int64
		for _, g := range log[i:] {
			sum += g.n
			if g.n <= 0 {
				continue
			}
			bound := g.at - log[i].at + max(s.burst, length(g.n)+1)
			if got := length(sum); got > bound {
				t.Fatalf("granted %v of schedule from %v to %v, at most %v is allowed (%+v)", got, log[i].at, g.at, bound, s)
			}
		}
	}
}

// checkMinute: no sliding minute holds more than the capacity.
func checkMinute(t *rapid.T, s setup, log []grant) {
	t.Helper()
	var sum int64
	first := 0
	for _, g := range log {
		sum += g.n
		for log[first].at <= g.at-time.Minute {
			sum -= log[first].n
			first++
		}
		if sum > s.capacity {
			t.Fatalf("%d units in the minute up to %v, capacity %d", sum, g.at, s.capacity)
		}
		if room := s.capacity - s.capacity*int64(s.reserve)/100; g.lower && sum > room {
			t.Fatalf("a lower class was granted at %v with %d units in the minute, it may have %d (INV-31)", g.at, sum, room)
		}
	}
}

// INV-10, INV-11, INV-31: whatever is asked whenever, also when the clock stands still
// or steps back, the schedule and the sliding minute are never overdrawn, and lower
// classes leave the reserve alone.
func TestBucketBoundsEveryWindow_INV10_INV11(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetup(t)
		b := s.bucket()
		var log []grant
		now, latest := time.Duration(0), time.Duration(0)
		for range rapid.IntRange(1, 150).Draw(t, "calls") {
			now = max(0, now+drawStep.Draw(t, "step"))
			latest = max(latest, now)
			n, lower := s.drawUnits(t), rapid.Bool().Draw(t, "lower")
			for b.Ready(now, n, lower) {
				if !b.Fits(n, lower) {
					t.Fatalf("%d units are ready and do not fit", n)
				}
				b.Take(now, n)
				log = append(log, grant{latest, n, lower})
				if n == 0 || len(log) > 400 {
					break
				}
			}
		}
		checkSchedule(t, s, log)
		checkMinute(t, s, log)
	})
}

// INV-10, INV-11, INV-13: the same under settlement. Refunded units may be granted
// again, so a refund counts against the grants of any window that it falls into; the
// minute is judged by what was used in the end.
func TestBucketUnderSettlement_INV10_INV11_INV13(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetup(t)
		b := s.bucket()
		type pending struct {
			index  int // in used
			at     time.Duration
			n, use int64
		}
		var open []pending
		var gross, used []grant
		now := time.Duration(0)
		for range rapid.IntRange(1, 150).Draw(t, "calls") {
			now += max(0, drawStep.Draw(t, "step"))
			n, lower := s.drawUnits(t), rapid.Bool().Draw(t, "lower")
			if b.Ready(now, n, lower) {
				b.Take(now, n)
				open = append(open, pending{len(used), now, n, rapid.Int64Range(0, n).Draw(t, "use")})
				gross = append(gross, grant{now, n, false})
				used = append(used, grant{now, n, lower})
			}
			if len(open) > 0 && rapid.Bool().Draw(t, "settle") {
				k := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				p := open[k]
				open = append(open[:k], open[k+1:]...)
				b.Settle(now, p.at, p.n, p.use)
				gross = append(gross, grant{now, p.use - p.n, false})
				used[p.index].n = p.use
			}
			var want int64
			for _, u := range used {
				if u.at/time.Second > now/time.Second-Span {
					want += u.n
				}
			}
			if got := b.Used(now); got != want || b.Free(now) != max(0, s.capacity-want) {
				t.Fatalf("Used = %d and Free = %d at %v, want %d used of %d", got, b.Free(now), now, want, s.capacity)
			}
		}
		checkSchedule(t, s, gross)
		checkMinute(t, s, used)
	})
}

// INV-13: an estimate that is settled in the same instant leaves the bucket as if the
// actual number had been taken, to the nanosecond.
func TestBucketSettleEqualsTakingTheActual_INV13(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetup(t)
		a, b := s.bucket(), s.bucket()
		now := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			now += max(0, drawStep.Draw(t, "step"))
			actual := rapid.Int64Range(0, s.capacity).Draw(t, "actual")
			estimate := rapid.Int64Range(actual, s.capacity).Draw(t, "estimate")
			if !a.Ready(now, estimate, false) {
				continue
			}
			a.Take(now, estimate)
			a.Settle(now, now, estimate, actual)
			b.Take(now, actual)
			if a.sum != b.sum || a.tat != b.tat {
				t.Fatalf("settled: %d units, schedule to %v; taken: %d units, schedule to %v", a.sum, a.tat, b.sum, b.tat)
			}
		}
	})
}

// Next is exact: nothing can be had 1 ns before it, everything at it.
func TestBucketNextIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetup(t)
		b := s.bucket()
		now := time.Duration(0)
		for range rapid.IntRange(1, 100).Draw(t, "calls") {
			now += max(0, drawStep.Draw(t, "step"))
			n, lower := s.drawUnits(t), rapid.Bool().Draw(t, "lower")
			if rapid.IntRange(0, 9).Draw(t, "hold") == 0 {
				b.HoldUntil(now + max(0, drawStep.Draw(t, "hold for")))
			}
			at := b.Next(now, n, lower)
			if b.Fits(n, lower) == (at == Never) {
				t.Fatalf("Next = %v and Fits = %v", at, b.Fits(n, lower))
			}
			if at == Never {
				continue
			}
			if (at == now) != b.Ready(now, n, lower) {
				t.Fatalf("Next = %v at %v, and Ready = %v", at, now, b.Ready(now, n, lower))
			}
			before, then := *b, *b
			if at > now && before.Ready(at-1, n, lower) {
				t.Fatalf("%d units are ready 1 ns before Next = %v", n, at)
			}
			if !then.Ready(at, n, lower) {
				t.Fatalf("%d units are not ready at Next = %v", n, at)
			}
			if rapid.Bool().Draw(t, "take") {
				now = at
				b.Take(now, n)
				if use := rapid.Int64Range(0, n+n/2).Draw(t, "use"); rapid.Bool().Draw(t, "settle") {
					b.Settle(now, now, n, use)
				}
			}
		}
	})
}

// INV-13: demand that takes whatever there is as soon as there is gets at least 99 % of
// the sustained rate, for small requests.
func TestBucketServesTheFullRate_INV13(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := setup{
			capacity: rapid.Int64Range(100, 1_000_000).Draw(t, "capacity"),
			burst:    time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Minute)).Draw(t, "burst")),
			reserve:  rapid.IntRange(0, 50).Draw(t, "reserve"),
		}
		b, lower := s.bucket(), rapid.Bool().Draw(t, "lower")
		room := b.ceiling(lower)
		n := rapid.Int64Range(max(1, s.capacity/2000), max(1, room/200)).Draw(t, "n")
		const spans = 10
		var served int64
		for now := b.Next(0, n, lower); now < spans*period; now = b.Next(now, n, lower) {
			b.Take(now, n)
			served += n
		}
		if want := room / n * n * spans; served*100 < want*99 {
			t.Fatalf("served %d units in %d spans, want 99 %% of %d (%+v, n %d, lower %v)", served, spans, want, s, n, lower)
		}
	})
}

// Differential: in its first minute, when the window does not bind, the schedule grants
// exactly what golang.org/x/time/rate grants. Rates and instants are powers of two of a
// second, so that its floating point is exact as well.
func TestBucketAgreesWithTimeRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond := int64(1) << rapid.IntRange(0, 6).Draw(t, "log rate")
		burst := rapid.Int64Range(1, 20).Draw(t, "burst")
		b := New(perSecond*Span, time.Duration(burst)*time.Second, 0)
		l := rate.NewLimiter(rate.Limit(perSecond), int(perSecond*burst))
		origin := time.Unix(0, 0)
		for now := time.Duration(0); now < (Span-time.Duration(burst)-1)*time.Second; now += time.Second / 256 * time.Duration(rapid.Int64Range(0, 512).Draw(t, "step")) {
			n := rapid.Int64Range(1, perSecond*burst).Draw(t, "n")
			got, want := b.Ready(now, n, false), l.AllowN(origin.Add(now), int(n))
			if got != want {
				t.Fatalf("%d units at %v: Ready = %v, AllowN = %v", n, now, got, want)
			}
			if got {
				b.Take(now, n)
			}
		}
	})
}

// INV-31: when lower classes have taken all they can, the reserve of the window and of
// the burst is still there for P0 at once.
func TestBucketReserveIsThereForP0_INV31(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := setup{
			capacity: rapid.Int64Range(1000, 1_000_000).Draw(t, "capacity"),
			burst:    time.Duration(rapid.Int64Range(int64(time.Second), int64(20*time.Second)).Draw(t, "burst")),
			reserve:  rapid.IntRange(1, 90).Draw(t, "reserve"),
		}
		b := s.bucket()
		n := max(1, s.capacity/1000)
		until := time.Duration(rapid.Int64Range(0, int64(200*time.Second)).Draw(t, "until"))
		for now := b.Next(0, n, true); now <= until; now = b.Next(now, n, true) {
			b.Take(now, n)
		}
		kept := s.burst * time.Duration(s.reserve) / 100
		units := min(s.capacity*int64(s.reserve)/100, int64(kept)*s.capacity/int64(period))
		if !b.Ready(until, units, false) {
			t.Fatalf("%d units of the reserve are not there at %v (%+v)", units, until, s)
		}
	})
}

// INV-52: after a hold there is no burst, and refunds of grants from before it do not
// bring one back.
func TestBucketHoldHasNoBurst_INV52(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := setup{
			capacity: rapid.Int64Range(62, 1_000_000).Draw(t, "capacity"),
			burst:    time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Minute)).Draw(t, "burst")),
		}
		b := s.bucket()
		n := max(1, s.capacity/1000)
		var taken int64
		for b.Ready(0, n, false) {
			b.Take(0, n)
			taken += n
		}
		until := time.Duration(rapid.Int64Range(0, int64(2*time.Minute)).Draw(t, "until"))
		b.HoldUntil(until)
		refunded := rapid.Int64Range(0, taken).Draw(t, "refunded")
		b.Settle(min(until, time.Second), 0, taken, taken-refunded)
		now, served := b.Next(until, n, false), int64(0)
		if now <= until {
			t.Fatalf("%d units are ready at the end of the hold, without any wait", n)
		}
		for ; now <= until+time.Second; now = b.Next(now, n, false) {
			b.Take(now, n)
			served += n
		}
		if (served-n)*Span > s.capacity {
			t.Fatalf("%d units in the second after the hold: more than one request beyond the smooth rate of %d/62", served, s.capacity)
		}
	})
}

func TestBucketSteps(t *testing.T) {
	// 62 units a span, so one a second; a burst of 5 s; of both, 20 % for P0 alone.
	b := New(62, 5*time.Second, 20)
	const s = time.Second
	steps := []struct {
		now   time.Duration
		n     int64
		lower bool
		next  time.Duration // taken if it is now
	}{
		{0, 4, true, 0},         // the shared burst is 4 s long
		{0, 1, true, 1 * s},     //
		{0, 1, false, 0},        // P0's part of the burst
		{0, 1, false, 1 * s},    //
		{1 * s, 1, true, 2 * s}, //
		{s * 3 / 2, 1, false, s * 3 / 2},
		{1 * s, 1, false, 2 * s},    // a clock that steps back is at 1.5 s still
		{10 * s, 10, false, 10 * s}, // longer than the burst: goes when the schedule is empty
		{10 * s, 10, false, 20 * s}, //
		{10 * s, 50, true, 72 * s},  // the whole window of the lower classes: second 10 leaves at 72
		{10 * s, 51, true, Never},   // 62 less 12 is all they can ever have
		{10 * s, 63, false, Never},  //
		{20 * s, 47, false, 62 * s}, // 16 in the window: second 0 leaves at 62
		{62 * s, 47, false, 62 * s}, //
		{62 * s, 1, false, 105 * s}, // schedule until 109
		{200 * s, 62, false, 200 * s},
		{261 * s, 1, false, 262 * s}, // the schedule allows it, the window does not
		{262 * s, 1, false, 262 * s},
	}
	for i, step := range steps {
		next := b.Next(step.now, step.n, step.lower)
		ok := b.Ready(step.now, step.n, step.lower)
		now := max(step.now, b.latest)
		if next != step.next && !(ok && step.next == step.now) || ok != (next == now) {
			t.Fatalf("step %d: Next = %v, Ready = %v; want %v", i, next, ok, step.next)
		}
		if ok {
			b.Take(step.now, step.n)
		}
	}
}

// The zero value has no limit, and an absurd actual number does not close a bucket for good.
func TestBucketOddities(t *testing.T) {
	var none Bucket
	none.Take(0, 1<<60)
	none.HoldUntil(time.Hour)
	if !none.Unlimited() || !none.Fits(1<<62, true) || !none.Ready(0, 1<<62, true) || none.Next(7, 1, true) != 7 {
		t.Error("the zero value limits")
	}
	b := New(100, time.Second, 0)
	b.Take(0, 1)
	b.Settle(0, 0, 1, 1<<61)
	if at := b.Next(2*time.Minute, 1, false); at > longestDebt {
		t.Errorf("after an absurd settlement the bucket is closed until %v", at)
	}
}

package mockupstream

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// answerOf is one stream of the model that the fluid is compared with.
type answerOf struct {
	first, end time.Duration
	out        int64
	stopped    time.Duration // before its end; never: not
	produced   int64
}

// change is what a stream does to the model at an instant.
type change struct {
	at     time.Duration
	rate   *big.Int // units per ns
	charge *big.Int // units
	stop   bool     // after what begins at the same instant
}

// changes are written from the definition: one token at first, then (out-1)/length, rounded
// down to units, the rest at the end; a stop corrects what was charged to what was produced.
func (a *answerOf) changes() []change {
	period := big.NewInt(int64(time.Minute))
	units := func(tokens int64) *big.Int { return new(big.Int).Mul(big.NewInt(tokens), period) }
	length := int64(a.end - a.first)
	rate, charged := new(big.Int), units(a.out)
	missing := new(big.Int)
	if a.out > 1 && length > 0 {
		rate.QuoRem(units(a.out-1), big.NewInt(length), missing)
		charged = units(1)
	}
	first := change{a.first, rate, charged, false}
	if a.out == 0 {
		return nil
	}
	if a.stopped == never {
		return []change{first, {a.end, new(big.Int).Neg(rate), missing, false}}
	}
	if a.stopped < a.first {
		return []change{{a.stopped, new(big.Int), units(a.produced), true}}
	}
	so := new(big.Int).Add(charged, new(big.Int).Mul(rate, big.NewInt(int64(a.stopped-a.first))))
	return []change{first, {a.stopped, new(big.Int).Neg(rate), new(big.Int).Sub(units(a.produced), so), true}}
}

// useAt runs all changes up to an instant, in order of time, from scratch.
func useAt(answers []answerOf, limit int64, now time.Duration) *big.Int {
	var list []change
	for i := range answers {
		list = append(list, answers[i].changes()...)
	}
	slices.SortStableFunc(list, func(a, b change) int {
		if a.at == b.at && a.stop != b.stop {
			return map[bool]int{true: 1, false: -1}[a.stop]
		}
		return int(a.at - b.at)
	})
	use, rate, last := new(big.Int), new(big.Int), time.Duration(0)
	flow := func(at time.Duration) {
		net := new(big.Int).Sub(rate, big.NewInt(limit))
		use.Add(use, net.Mul(net, big.NewInt(int64(at-last))))
		if use.Sign() < 0 {
			use.SetInt64(0)
		}
		last = at
	}
	for _, c := range list {
		if c.at > now {
			break
		}
		flow(c.at)
		rate.Add(rate, c.rate)
		use.Add(use, c.charge)
		if use.Sign() < 0 {
			use.SetInt64(0)
		}
	}
	flow(now)
	return use
}

func (f *fluid) exact() *big.Int {
	use := new(big.Int).SetUint64(f.hi)
	return use.Lsh(use, 64).Add(use, new(big.Int).SetUint64(f.lo))
}

// TestFluidIsExact compares the use with the model at every step, streams that break off included.
func TestFluidIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int64{1, 60, 5000, 1e9}).Draw(t, "limit")
		f := fluid{bucket: perMinute(limit)}
		var answers []answerOf
		now := time.Duration(0)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now += time.Duration(rapid.OneOf(rapid.Just[int64](1), rapid.Int64Range(1, 3e9)).Draw(t, "dt"))
			f.drain(now)
			if rapid.Bool().Draw(t, "start") {
				first := now + time.Duration(rapid.Int64Range(0, 2e9).Draw(t, "to first"))
				a := answerOf{first, first + time.Duration(rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(1e6, 6e9)).Draw(t, "length")), rapid.Int64Range(0, 300).Draw(t, "out"), never, 0}
				answers = append(answers, a)
				f.start(CallID(len(answers)), a.first, a.end, a.out)
			} else if len(answers) > 0 {
				i := rapid.IntRange(0, len(answers)-1).Draw(t, "which")
				if a := &answers[i]; a.stopped == never && now < a.end {
					a.stopped, a.produced = now, rapid.Int64Range(0, a.out).Draw(t, "produced")
					f.stop(now, CallID(i+1), a.first, a.end, a.out, a.produced)
				}
			}
			f.drain(now)
			if want := useAt(answers, limit, now); f.exact().Cmp(want) != 0 {
				t.Fatalf("at %v the use is %v units, want %v", now, f.exact(), want)
			}
		}
		w := f.open(now, 0, 1)
		room := func(at time.Duration) bool {
			free := big.NewInt(limit - 1)
			return useAt(answers, limit, at).Cmp(free.Mul(free, big.NewInt(int64(time.Minute)))) <= 0
		}
		if !room(now+w) || w > 0 && room(now+w-1) || w > 0 && room(now+time.Duration(rapid.Int64Range(0, int64(w)-1).Draw(t, "earlier"))) {
			t.Fatalf("room for a token after %v: at that instant %v", w, room(now+w))
		}
		if w := f.open(now, 0, ts); w%ts != 0 || !room(now+w) || w > 0 && room(now+w-ts) {
			t.Fatalf("room for a token after %v, in whole seconds: at that instant %v", w, room(now+w))
		}
	})
}

func TestSlopeSteps(t *testing.T) {
	p := mustNew(t, speaking(DialectOpenAI, Quota{TPM: 1e6, Slope: Slope{From: 1000, Growth: .5, Over: 2 * time.Minute}}))
	for i, s := range []struct {
		at     time.Duration
		tokens int64
		wait   time.Duration // 0: admitted
	}{
		{0, 1000, 0},
		{10 * ts, 1, 50 * ts},
		{60 * ts, 600, 0},
		{61 * ts, 401, 59 * ts},
		{62 * ts, 400, 0},
		{2 * time.Minute, 1500, 0}, // the largest minute before had 1000
		{2*time.Minute + ts, 1, 59 * ts},
		{4 * time.Minute, 2250, 0},                  // 1500, half more
		{4*time.Minute + ts, 1, 59 * ts},            //
		{6 * time.Minute, 3000, 0},                  // of 3375
		{6*time.Minute + ts, 376, 59 * ts},          //
		{7 * time.Minute, 99_999, 0},                // larger than all that is allowed: alone
		{7*time.Minute + 2*ts, 1, 58 * ts},          //
		{12 * time.Minute, 1000, 0},                 // a period without a call: back to the start
		{12*time.Minute + 1500*tms, 1, 58500 * tms}, //
	} {
		plan := p.Admit(s.at, Call{ID: uint64(i), In: s.tokens})
		if plan.RetryAfter != s.wait || (plan.Code == CodeSlowDown) != (s.wait > 0) || (plan.Refusal.Meter == MeterSlope) != (s.wait > 0) {
			t.Errorf("step %d: code %d, retry after %v, want %v", i, plan.Code, plan.RetryAfter, s.wait)
		}
	}
}

func TestPriceCost(t *testing.T) {
	p := Price{Input: 3, Cached: 1, Output: 15, CacheWrite: 4, LongFrom: 200, Long: Rates{6, 2, 22, 8}}
	for _, c := range []struct {
		used    Usage
		written int64
		want    int64
	}{
		{Usage{}, 0, 0},
		{Usage{In: 100, Out: 10}, 0, 300 + 150},
		{Usage{In: 100, Cached: 40, Out: 10}, 30, 30*3 + 40 + 30*4 + 150},
		{Usage{In: 200, Out: 1}, 0, 615},
		{Usage{In: 201, Cached: 100, Out: 1}, 1, 100*6 + 100*2 + 8 + 22},
		{Usage{In: 1 << 62, Out: 1 << 62}, 0, most},
	} {
		if got := p.Rates(p.IsLong(c.used.In)).Cost(c.used, c.written); got != c.want {
			t.Errorf("%+v, %d written: %d, want %d", c.used, c.written, got, c.want)
		}
	}
	if free := (Price{}); free.IsLong(1<<40) || free.Rates(false).Cost(Usage{In: 5}, 0) != 0 {
		t.Error("the zero price is not free")
	}
}

package limit

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What every registered controller must keep, whatever its rule is.

// each runs a subtest per registered controller.
func each(t *testing.T, f func(t *testing.T, name string)) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

// adaptive are the registered controllers that move.
func adaptive(t *testing.T, f func(t *testing.T, name string)) {
	for _, name := range Names() {
		if name != "static" {
			t.Run(name, func(t *testing.T) { f(t, name) })
		}
	}
}

// event is one call of a controller.
type event struct {
	now, sent, signal time.Duration
	kind              int // 0 failure, 1 busy, else success
}

func (e event) apply(c Controller) {
	switch e.kind {
	case 0:
		c.Failure(e.now, e.sent)
	case 1:
		c.Busy(e.now)
	default:
		c.Success(e.now, e.sent, e.signal)
	}
}

// drawEvent draws a call at most a quarter of an interval after now, of a request sent up to
// two intervals before it. Signals cluster so that controllers see calm and overload.
func drawEvent(t *rapid.T, cfg Config, now, center time.Duration) event {
	e := event{now: now + time.Duration(rapid.Int64Range(0, int64(cfg.Interval)/4).Draw(t, "step"))}
	e.sent = e.now - time.Duration(rapid.Int64Range(0, int64(min(e.now, 2*cfg.Interval))).Draw(t, "age"))
	e.signal = center * time.Duration(rapid.IntRange(90, 110).Draw(t, "noise")) / 100
	e.kind = rapid.IntRange(0, 8).Draw(t, "kind")
	return e
}

var centers = []time.Duration{0, ms, 100 * ms, 150 * ms, 400 * ms, 2 * s, 24 * time.Hour}

// INV-20: the limit is at least 1, within its bounds, and does not move between the
// look at it and the grant (Busy). INV-23: at most one decrease per interval, and none by
// the answer to a request sent before the last one. INV-24: no increase unless
// the limit was reached since the last change. INV-26: a failure never raises it. The counts
// count what happened.
func TestControllers_INV20_INV23_INV24_INV26(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		rapid.Check(t, func(t *rapid.T) {
			cfg := drawConfig(t)
			cfg.MinSamples = min(cfg.MinSamples, 10)
			c := must(t, name, cfg)
			const never = -time.Hour
			now, cut, busy := time.Duration(0), never, false
			var ups, downs int64
			center := centers[2]
			for range rapid.IntRange(1, 500).Draw(t, "n") {
				if rapid.IntRange(0, 30).Draw(t, "turn") == 0 {
					center = rapid.SampledFrom(centers).Draw(t, "center")
				}
				e := drawEvent(t, cfg, now, center)
				now = e.now
				before := c.Limit()
				e.apply(c)
				after := c.Limit()
				if after < max(1, cfg.Min) || after > cfg.Max {
					t.Fatalf("limit %d outside %d to %d", after, cfg.Min, cfg.Max)
				}
				if e.kind == 1 {
					busy = true
					if after != before {
						t.Fatalf("Busy moved the limit from %d to %d", before, after)
					}
				}
				switch {
				case after < before:
					if now < cut+cfg.Interval {
						t.Fatalf("decreases at %v and %v, interval %v", cut, now, cfg.Interval)
					}
					if e.sent < cut {
						t.Fatalf("decrease by a request sent at %v, before the last decrease at %v", e.sent, cut)
					}
					cut, busy = now, false
					downs++
				case after > before:
					if e.kind == 0 || !busy {
						t.Fatalf("increase from %d to %d (kind %d, busy %v)", before, after, e.kind, busy)
					}
					busy = false
					ups++
				}
			}
			if raised, lowered := c.Counts(); raised != ups || lowered != downs {
				t.Fatalf("counts %d and %d, seen %d and %d", raised, lowered, ups, downs)
			}
		})
	})
}

// INV-23, INV-26: a refusal that may not lower the limit (of a request sent before the
// last decrease, or within the interval after it) leaves no trace at all: fast answers of
// this kind are no sample of latency. Of two equal controllers one gets them besides.
func TestIgnoredFailuresLeaveNoTrace_INV23_INV26(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		rapid.Check(t, func(t *rapid.T) {
			cfg := drawConfig(t)
			cfg.MinSamples = min(cfg.MinSamples, 10)
			plain, refused := must(t, name, cfg), must(t, name, cfg)
			now, cut := time.Duration(0), time.Duration(-1)
			center := centers[2]
			for range rapid.IntRange(1, 500).Draw(t, "n") {
				if rapid.IntRange(0, 30).Draw(t, "turn") == 0 {
					center = rapid.SampledFrom(centers).Draw(t, "center")
				}
				e := drawEvent(t, cfg, now, center)
				now = e.now
				before := plain.Limit()
				e.apply(plain)
				e.apply(refused)
				if plain.Limit() < before {
					cut = now
				}
				switch {
				case cut > 0 && now > cut+cfg.Interval:
					refused.Failure(now, cut-1)
				case cut >= 0 && now < cut+cfg.Interval:
					refused.Failure(now, now)
				}
				if plain.Limit() != refused.Limit() {
					t.Fatalf("at %v: limit %d, with ignored failures %d", now, plain.Limit(), refused.Limit())
				}
			}
		})
	})
}

// INV-23: a burst of refusals lowers the limit once, and it does lower it.
func TestBurstOfFailuresLowersOnce_INV23(t *testing.T) {
	adaptive(t, func(t *testing.T, name string) {
		cfg := a5
		cfg.Start, cfg.Max = 200, 200
		c := must(t, name, cfg)
		for i := range 50 {
			c.Failure(time.Minute+time.Duration(i)*ms, time.Minute-s)
		}
		if _, lowered := c.Counts(); lowered != 1 || c.Limit() != 100 {
			t.Errorf("limit %d after a burst of 50 failures, lowered %d times; want 100, once", c.Limit(), lowered)
		}
	})
}

// A refusal at Min lowers nothing, but the window it falls in is over with it, as after a
// decrease: with one refusal per interval nothing rises.
func TestRefusalAtMinDelaysTheIncrease(t *testing.T) {
	adaptive(t, func(t *testing.T, name string) {
		cfg := a5
		cfg.Start, cfg.Min, cfg.Max, cfg.MinSamples = 100, 100, 200, 10
		c := must(t, name, cfg)
		for w := time.Duration(0); w < 2*time.Minute; w += cfg.Interval {
			c.Failure(w+3*s, w+3*s)
			feed(c, w+cfg.Interval+s, 20, 100*ms, true) // 3 s after it
		}
		if raised, _ := c.Counts(); raised != 0 {
			t.Errorf("raised %d times to %d with a refusal per interval", raised, c.Limit())
		}
	})
}

// INV-24: where fewer are wanted than the limit allows, it does not grow, however fast the
// answers are.
func TestNoIncreaseWithoutDemand_INV24(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		c := must(t, name, pipeConfig(60))
		p := newPipe(c, s, 100)
		p.demand = 50
		p.run(time.Hour)
		if raised, lowered := c.Counts(); raised != 0 || lowered != 0 || p.done < 50*3500 {
			t.Errorf("raised %d, lowered %d times in %d answers with 50 in flight of 60", raised, lowered, p.done)
		}
	})
}

// INV-24: equal clients at one capacity that refuses what is beyond it converge from
// unequal starts. Latency is constant, so that only the refusals speak.
func TestClientsConverge_INV24(t *testing.T) {
	adaptive(t, func(t *testing.T, name string) {
		for _, tc := range []struct {
			capacity int
			starts   []int
		}{
			{100, []int{10, 90}},
			{500, []int{10, 50, 100, 140, 190}},
		} {
			cfg := pipeConfig(1)
			cfg.Min = 1
			f := newFleet(t, name, cfg, tc.capacity, tc.starts...)
			f.run(t, 20*time.Minute)
			mean := f.run(t, 5*time.Minute)
			if j := jain(mean); j < 0.95 {
				t.Errorf("%d: Jain index %.3f after 20 minutes, want 0.95 (mean limits %.1f)", tc.capacity, j, mean)
			}
		}
	})
}

// INV-25: after a capacity that refuses has fallen from 200 to 40 and come back, the
// limit reaches 180 within the time its steps take from 20, in windows of 5 s: about 20
// of sqrt(limit) for aimd, 19 of 6 to 12 for Vegas, and 10*(sqrt(180)-sqrt(20)) = 90 for
// Gradient2, whose smoothing leaves a fifth of the square root.
func TestControllersRecoverFromRefusals_INV25(t *testing.T) {
	within := map[string]time.Duration{"aimd": 5 * time.Minute, "gradient2": 8 * time.Minute, "vegas": 5 * time.Minute}
	adaptive(t, func(t *testing.T, name string) {
		f := newFleet(t, name, pipeConfig(1), 200, 100)
		f.run(t, 20*time.Minute)
		f.capacity = 40
		f.run(t, 5*time.Minute)
		if l := f.clients[0].Limit(); l > 60 {
			t.Errorf("limit %d five minutes after the capacity fell to 40", l)
		}
		f.capacity = 200
		from := f.now
		for f.clients[0].Limit() < 180 && f.now-from <= within[name] {
			f.run(t, s)
		}
		t.Logf("limit %d after %v", f.clients[0].Limit(), f.now-from)
		if f.clients[0].Limit() < 180 {
			t.Errorf("limit %d of 200 after %v", f.clients[0].Limit(), within[name])
		}
	})
}

func TestSuccessAllocatesNothing(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		c := must(t, name, pipeConfig(16))
		now := time.Duration(0)
		if n := testing.AllocsPerRun(10_000, func() {
			now += 10 * ms
			c.Busy(now)
			c.Success(now, now-ms, 100*ms)
		}); n != 0 {
			t.Errorf("%v allocations per success", n)
		}
	})
}

func BenchmarkSuccess(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			c := must(b, name, pipeConfig(16))
			b.ReportAllocs()
			now := time.Duration(0)
			for range b.N {
				now += 10 * ms // 500 in an interval
				c.Busy(now)
				c.Success(now, now-ms, 100*ms)
			}
		})
	}
}

package breaker

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

const s = time.Second

var config = Config{
	Window: 10 * s, MinSamples: 4, FailurePercent: 50, OpenFor: 5 * s, OpenMax: 15 * s, Probes: 2,
}

// call sends and records at once.
func call(b *Breaker, now time.Duration, ok bool) { b.Record(now, b.Send(), ok) }

func expect(t *testing.T, b *Breaker, now time.Duration, want State) {
	t.Helper()
	if got := b.State(now); got != want {
		t.Fatalf("state at %v is %d, want %d", now, got, want)
	}
}

func tripped(now time.Duration) *Breaker {
	b := New(config)
	for range 4 {
		call(b, now, false)
	}
	return b
}

func TestBreakerOpensAtTheShare(t *testing.T) {
	b := New(config)
	for range 3 { // too few samples
		call(b, 1*s, false)
	}
	expect(t, b, 1*s, Closed)
	call(b, 1*s, true) // 3 of 4: a success does not open it
	expect(t, b, 1*s, Closed)
	call(b, 2*s, false)
	expect(t, b, 2*s, Open)
	if b.Until() != 7*s || b.Opened() != 1 {
		t.Errorf("open until %v, opened %d times; want 7s, once", b.Until(), b.Opened())
	}

	b = New(config)
	for range 5 {
		call(b, 1*s, true)
	}
	for range 4 {
		call(b, 1*s, false)
	}
	expect(t, b, 1*s, Closed) // 4 of 9
	call(b, 1*s, false)
	expect(t, b, 1*s, Open) // 5 of 10
}

// Ensure outcomes leave the window: a bucket of a tenth of it at a time.
func TestBreakerWindowSlides(t *testing.T) {
	b := New(config)
	for range 3 {
		call(b, 500*time.Millisecond, false)
	}
	call(b, 9999*time.Millisecond, true)
	call(b, 10*s, true)  // the three have left by now
	call(b, 10*s, false) // 1 of 3
	call(b, 10*s, true)  //
	call(b, 10*s, false) // 2 of 5
	expect(t, b, 10*s, Closed)
	call(b, 100*s, false) // and these, long after
	call(b, 100*s, false)
	call(b, 100*s, false)
	expect(t, b, 100*s, Closed)
	call(b, 100*s, false)
	expect(t, b, 100*s, Open)
}

func TestBreakerProbesAndDoubles(t *testing.T) {
	b := tripped(0)
	pause, at := config.OpenFor, time.Duration(0)
	for range 4 {
		expect(t, b, at+pause-1, Open)
		at += pause
		expect(t, b, at, HalfOpen)
		p1 := b.Send()
		expect(t, b, at, HalfOpen)
		p2 := b.Send()
		expect(t, b, at, Probing)
		b.Record(at, p1, true)
		expect(t, b, at, Probing) // one has passed, one is under way: no third
		b.Record(at, p2, false)
		expect(t, b, at, Open)
		pause = min(2*pause, config.OpenMax)
		if b.Until() != at+pause {
			t.Fatalf("open until %v, want %v", b.Until(), at+pause)
		}
	}
	at += pause
	b.Record(at, b.Send(), true)
	expect(t, b, at, HalfOpen)
	b.Record(at, b.Send(), true)
	expect(t, b, at, Closed)
	for range 4 { // the window and the pause begin anew
		expect(t, b, at, Closed)
		call(b, at, false)
	}
	if b.State(at) != Open || b.Until() != at+config.OpenFor {
		t.Errorf("after it had closed it opens until %v, want %v", b.Until(), at+config.OpenFor)
	}
}

// Ensure what was sent before the last change of state is not counted.
func TestBreakerIgnoresLateOutcomes(t *testing.T) {
	b := New(config)
	var late []uint32
	for range 8 {
		late = append(late, b.Send())
	}
	for range 4 {
		call(b, 0, false)
	}
	expect(t, b, 5*s, HalfOpen)
	probe := b.Send()
	b.Record(5*s, late[0], true) // closes nothing
	b.Record(5*s, late[1], true)
	b.Record(5*s, late[2], false) // opens nothing
	b.Forget(late[3])             // frees no probe
	expect(t, b, 5*s, HalfOpen)
	if b.probes != 1 || b.passed != 0 {
		t.Errorf("%d probes under way and %d passed, want 1 and 0", b.probes, b.passed)
	}
	b.Record(6*s, probe, true)
	b.Record(6*s, b.Send(), true)
	expect(t, b, 6*s, Closed)
	for _, l := range late[4:] {
		b.Record(6*s, l, false)
	}
	expect(t, b, 6*s, Closed)
}

// Ensure a probe whose outcome says nothing makes way for another.
func TestBreakerForgottenProbe(t *testing.T) {
	b := tripped(0)
	p1, p2 := b.Send(), b.Send()
	expect(t, b, 5*s, Probing)
	b.Forget(p1)
	expect(t, b, 5*s, HalfOpen)
	b.Forget(p2)
	if b.probes != 0 {
		t.Errorf("%d probes under way, want none", b.probes)
	}
}

// The breaker under any order of events: no more probes at once than allowed and never
// a negative number, open exactly for its pause, and closed only by Probes successes.
func TestBreakerProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{
			Window:         time.Duration(rapid.Int64Range(10, int64(time.Minute)).Draw(t, "window")),
			MinSamples:     rapid.IntRange(1, 10).Draw(t, "min samples"),
			FailurePercent: rapid.IntRange(1, 100).Draw(t, "percent"),
			OpenFor:        time.Duration(rapid.Int64Range(1, int64(10*s)).Draw(t, "open for")),
			Probes:         rapid.IntRange(1, 4).Draw(t, "probes"),
		}
		cfg.OpenMax = cfg.OpenFor * time.Duration(rapid.Int64Range(1, 5).Draw(t, "open max"))
		b := New(cfg)
		var inFlight []uint32
		now, pause := time.Duration(0), cfg.OpenFor
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			now += time.Duration(rapid.Int64Range(0, int64(5*s)).Draw(t, "step"))
			before := b.State(now)
			opened := b.Opened()
			if st := before; (st == Closed || st == HalfOpen) && rapid.Bool().Draw(t, "send") {
				inFlight = append(inFlight, b.Send())
			} else if len(inFlight) > 0 {
				k := rapid.IntRange(0, len(inFlight)-1).Draw(t, "which")
				token := inFlight[k]
				inFlight = append(inFlight[:k], inFlight[k+1:]...)
				if o := rapid.IntRange(0, 4).Draw(t, "outcome"); o == 0 {
					b.Forget(token)
				} else {
					b.Record(now, token, o < 3)
				}
			}
			if b.probes < 0 || b.probes+b.passed > cfg.Probes {
				t.Fatalf("%d probes under way and %d passed of %d", b.probes, b.passed, cfg.Probes)
			}
			switch after := b.State(now); {
			case b.Opened() > opened:
				if b.Until() != now+pause || after != Open {
					t.Fatalf("opened at %v until %v, want a pause of %v", now, b.Until(), pause)
				}
				pause = min(pause*2, cfg.OpenMax)
			case before != Closed && after == Closed:
				pause = cfg.OpenFor
			case before == Closed && after != Closed, before == Open && after != Open:
				t.Fatalf("state went from %d to %d without an opening at %v", before, after, now)
			}
		}
	})
}

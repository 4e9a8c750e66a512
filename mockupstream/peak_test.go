package mockupstream

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPeakSteps(t *testing.T) {
	for name, c := range map[string]struct {
		at    []time.Duration
		calls int64
	}{
		"none":                    {nil, 0},
		"alone":                   {[]time.Duration{5 * ts}, 1},
		"of one instant":          {[]time.Duration{0, 0, 0}, 3},
		"just within the window":  {[]time.Duration{0, 100*tms - 1}, 2},
		"a window apart":          {[]time.Duration{0, 100 * tms}, 1},
		"across round instants":   {[]time.Duration{60 * tms, 70 * tms, 140 * tms, 150 * tms, 165 * tms}, 4},
		"the largest of two":      {[]time.Duration{0, 1, 2, ts, ts + 1}, 3},
		"a clock that steps back": {[]time.Duration{ts, 0, 0}, 3},
	} {
		p := mustNew(t, single(0, 0))
		for i, at := range c.at {
			p.Admit(at, Call{ID: uint64(i), Attempt: 1})
		}
		if b := p.Books(); b.PeakCalls100ms != c.calls || b.PeakRetries100ms != 0 {
			t.Errorf("%s: peaks of %d calls and %d retries, want %d and 0", name, b.PeakCalls100ms, b.PeakRetries100ms, c.calls)
		}
	}
}

// TestPeakIsTheLargestWindow: the machine agrees with counting every window anew, for calls and
// for the retries among them, whatever becomes of them.
func TestPeakIsTheLargestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := single(rapid.Int64Range(1, 50).Draw(t, "rpm"), 0)
		cfg.Faults = []Fault{{Kind: FaultRefuseConnection, For: time.Hour, Share: .3}}
		p := mustNew(t, cfg)
		gap := rapid.SampledFrom([]time.Duration{0, tms, 20 * tms, 300 * tms}).Draw(t, "gap")
		var all, again []time.Duration
		now := time.Duration(0)
		for i := range rapid.IntRange(0, 100).Draw(t, "calls") {
			now += time.Duration(rapid.Int64Range(0, int64(gap)).Draw(t, "dt"))
			attempt := rapid.IntRange(1, 3).Draw(t, "attempt")
			all = append(all, now)
			if attempt > 1 {
				again = append(again, now)
			}
			p.Admit(now, Call{ID: uint64(i), Attempt: attempt})
		}
		b := p.Books()
		if calls, retries := largest(all), largest(again); b.PeakCalls100ms != calls || b.PeakRetries100ms != retries {
			t.Fatalf("peaks of %d calls and %d retries, want %d and %d", b.PeakCalls100ms, b.PeakRetries100ms, calls, retries)
		}
		if len(p.calls.ring) > 2*max(8, int(b.PeakCalls100ms)) {
			t.Fatalf("%d places for a peak of %d", len(p.calls.ring), b.PeakCalls100ms)
		}
	})
}

func largest(at []time.Duration) (most int64) {
	for i, end := range at {
		n := int64(0)
		for _, a := range at[:i+1] {
			if a > end-herd {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func TestRefused429(t *testing.T) {
	cfg := fleet(2, 2)
	cfg.Quotas[0].RPM, cfg.Quotas[1].RPM = 1, 1
	cfg.Models[0].ContextWindow = 10
	p := mustNew(t, cfg)
	for i := range 12 {
		p.Admit(0, Call{ID: uint64(i), Key: i % 2, Model: i % 4 / 2, In: int64(5 + i/6*10)})
	}
	b, sum := p.Books(), int64(0)
	for _, k := range b.Keys {
		sum += k.Refused429
	}
	if b.Refused429 != sum || sum == 0 || sum == b.Refused {
		t.Errorf("%d answers 429, the keys' add up to %d of %d refused", b.Refused429, sum, b.Refused)
	}
}

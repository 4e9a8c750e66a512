package limit

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// small has windows of ten successes.
var small = Config{
	Start: 16, Min: 4, Max: 64, Interval: 5 * s, Low: 200 * ms, High: 800 * ms,
	Samples: 200, MinSamples: 10, DecreasePercent: 50,
}

// step is one row of a table: n successes at now with one signal, then perhaps a failure.
type step struct {
	what   string
	now    time.Duration
	n      int
	signal time.Duration
	busy   bool
	fail   time.Duration // instant at which the refused request was sent; 0: none
	limit  int
}

func runSteps(t *testing.T, c Controller, steps []step) {
	t.Helper()
	for i, st := range steps {
		feed(c, st.now, st.n, st.signal, st.busy)
		if st.fail > 0 {
			c.Failure(st.now, st.fail)
		}
		if c.Limit() != st.limit {
			t.Fatalf("step %d (%s): limit %d, want %d", i, st.what, c.Limit(), st.limit)
		}
	}
}

func TestGradient2Steps(t *testing.T) {
	runSteps(t, must(t, "gradient2", small), []step{
		{"before the first interval nothing is judged", 4 * s, 50, 100 * ms, true, 0, 16},
		{"16 + 0.2*4 = 16.8", 5 * s, 1, 100 * ms, true, 0, 16},
		{"within the interval: rests", 9 * s, 50, 100 * ms, true, 0, 16},
		{"16.8 + 0.2*4.099 = 17.62", 10 * s, 1, 100 * ms, true, 0, 17},
		{"nine: the window stays open", 15 * s, 9, 100 * ms, true, 0, 17},
		{"the tenth closes it: 18.459", 16 * s, 1, 100 * ms, false, 0, 18},
		{"not reached: rests (INV-24)", 21 * s, 10, 100 * ms, false, 0, 18},
		{"not reached and slow: rests, but long is 120", 26 * s, 10, 200 * ms, false, 0, 18},
		{"gradient 133/200: 18.459*(1 - 0.2/3) + 0.2*4.296 = 18.087", 31 * s, 10, 200 * ms, true, 0, 18},
		{"gradient 171/400, clamped to a half: 17.129", 36 * s, 10, 400 * ms, true, 0, 17},
		{"in the interval of the decrease: ignored", 40 * s, 0, 0, false, 40 * s, 17},
		{"sent before the decrease: ignored", 42 * s, 0, 0, false, 35 * s, 17},
		{"refused: halved, 8.56", 42 * s, 0, 0, false, 42 * s, 8},
		{"refused again: halved, 4.28", 47 * s, 0, 0, false, 47 * s, 4},
		{"never below min", 52 * s, 0, 0, false, 52 * s, 4},
		{"fast: 4 + 0.2*2", 57 * s, 10, 100 * ms, true, 0, 4},
		{"4.4 + 0.2*2.098 = 4.82", 62 * s, 10, 100 * ms, true, 0, 4},
		{"5.26", 67 * s, 10, 100 * ms, true, 0, 5},
	})
}

// The long-term mean: plain over ten windows, then by 2/601, never above High, and quick
// to forget what is more than twice the present.
func TestGradient2LongTermMean(t *testing.T) {
	g := newGradient2(small)
	for i := range 10 {
		g.remember(time.Duration(i+1) * 10 * ms)
	}
	if g.long != 55*ms {
		t.Errorf("mean of 10 to 100 ms is %v", g.long)
	}
	g.remember(55*ms + 601*ms)
	if g.long != 57*ms {
		t.Errorf("after one more of 601 ms above: %v, want 2 ms more", g.long)
	}
	for range 10_000 {
		g.remember(time.Hour)
	}
	if g.long > 800*ms || g.long < 790*ms {
		t.Errorf("after an overload without end: %v, High is 800 ms", g.long)
	}
	high := g.long
	g.remember(100 * ms)
	if want := high + (100*ms-high)*2/601; g.long != want-want/20 {
		t.Errorf("when it is over: %v, want a twentieth less than %v", g.long, want)
	}
}

// Under load that never rests the baseline drifts, as the rule has it: here by half in two
// hours. The drift ends where the long-term mean is High: at High/base times the capacity
// and the queue, 200/(1 - 1/sqrt(limit)) = 215. Without that bound it has no end.
func TestGradient2DriftEndsAtHigh(t *testing.T) {
	p := newPipe(must(t, "gradient2", pipeConfig(16)), s, 100)
	p.run(15 * time.Minute)
	if l := p.ctl.Limit(); l < 105 || l > 120 {
		t.Errorf("limit %d after 15 minutes, the rule rests at 111", l)
	}
	p.run(105 * time.Minute)
	if l := p.ctl.Limit(); l < 140 {
		t.Errorf("limit %d after 2 hours: where is the drift?", l)
	}
	p.run(3 * time.Hour)
	if l := p.ctl.Limit(); l < 200 || l > 216 {
		t.Errorf("limit %d after five hours, want 200 to 216", l)
	}
}

// Started at twice the capacity it takes what it sees for normal (a flaw of the rule).
func TestGradient2StartedTooHighStays(t *testing.T) {
	cfg := pipeConfig(200)
	cfg.High = 24 * time.Hour
	p := newPipe(must(t, "gradient2", cfg), s, 100)
	p.run(time.Hour)
	if l := p.ctl.Limit(); l < 200 {
		t.Errorf("limit %d after an hour at twice the capacity", l)
	}
}

func TestShareIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1_000_000_000).Draw(t, "n")
		whole := rapid.Int64Range(1, int64(longestSignal)).Draw(t, "whole")
		part := rapid.Int64Range(0, whole).Draw(t, "part")
		want := new(big.Int).Mul(big.NewInt(n), big.NewInt(part))
		want.Quo(want, big.NewInt(whole))
		if got := share(n, time.Duration(part), time.Duration(whole)); got != want.Int64() {
			t.Fatalf("share(%d, %d, %d) = %d, want %v", n, part, whole, got, want)
		}
	})
}

package limit

import (
	"testing"
	"time"
)

func TestVegasSteps(t *testing.T) {
	runSteps(t, must(t, "vegas", small), []step{
		{"before the first interval nothing is judged", 4 * s, 50, 100 * ms, true, 0, 16},
		{"the base is taken: 100 ms", 5 * s, 1, 100 * ms, true, 0, 16},
		{"no queue: six more", 10 * s, 10, 100 * ms, true, 0, 22},
		{"nine: the window stays open", 15 * s, 9, 105 * ms, true, 0, 22},
		{"queue ceil(22*5/105) = 2: one more", 16 * s, 1, 105 * ms, false, 0, 23},
		{"queue 23*15/115 = 3: rests", 21 * s, 10, 115 * ms, true, 0, 23},
		{"queue ceil(23*35/135) = 6: rests", 26 * s, 10, 135 * ms, true, 0, 23},
		{"not reached: rests (INV-24)", 31 * s, 10, 100 * ms, false, 0, 23},
		{"queue ceil(23*50/150) = 8: one less", 36 * s, 10, 150 * ms, true, 0, 22},
		{"in the interval of the decrease: ignored", 40 * s, 0, 0, false, 40 * s, 22},
		{"sent before the decrease: ignored", 42 * s, 0, 0, false, 35 * s, 22},
		{"refused: halved", 42 * s, 0, 0, false, 42 * s, 11},
		{"a new base: taken, rests", 47 * s, 10, 90 * ms, true, 0, 11},
		{"queue ceil(11*10/100) = 2: one more", 52 * s, 10, 100 * ms, true, 0, 12},
		{"refused: halved", 57 * s, 0, 0, false, 57 * s, 6},
		{"refused: not below min", 62 * s, 0, 0, false, 62 * s, 4},
		{"refused: not below min", 67 * s, 0, 0, false, 67 * s, 4},
		{"no queue: six more", 72 * s, 10, 90 * ms, true, 0, 10},
	})
}

// Every 30 windows a window at half the limit renews the base, and then the limit is what it was.
func TestVegasProbe(t *testing.T) {
	half := step{"half", 150 * s, 10, 125 * ms, true, 0, 11} // window 30
	cases := []struct {
		what         string
		probe, after step
		base         time.Duration
	}{
		{"the limit binds: down, and back with the new base", half, step{"back", 155 * s, 10, 110 * ms, true, 0, 22}, 110 * ms},
		{"the probe is not reached: it stays down", half, step{"stays", 155 * s, 10, 110 * ms, false, 0, 11}, 110 * ms},
		{"a refusal ends the probe", half, step{"refused", 155 * s, 0, 0, false, 155 * s, 5}, 100 * ms},
		{
			"the limit does not bind: renewed at once",
			step{"rests", 150 * s, 10, 125 * ms, false, 0, 22},
			step{"no queue now", 155 * s, 10, 125 * ms, true, 0, 28},
			125 * ms,
		},
	}
	for _, tc := range cases {
		t.Run(tc.what, func(t *testing.T) {
			v := newVegas(small)
			runSteps(t, v, []step{
				{"base", 5 * s, 10, 100 * ms, true, 0, 16},
				{"more", 10 * s, 10, 100 * ms, true, 0, 22},
			})
			for now := 15 * s; now < 150*s; now += 5 * s { // windows 3 to 29, queue 5
				feed(v, now, 10, 125*ms, true)
			}
			runSteps(t, v, []step{{"rested", 149 * s, 0, 0, false, 0, 22}, tc.probe, tc.after})
			if v.base != tc.base || v.restore != 0 {
				t.Errorf("base %v, restore %d; want %v, 0", v.base, v.restore, tc.base)
			}
		})
	}
}

// The base does not drift under load that never rests, and one taken under an overload is
// put right by the probes: after four hours the queue is between alpha and beta, from a start
// below the capacity and from twice of it.
func TestVegasBaseDoesNotDrift(t *testing.T) {
	for _, start := range []int{16, 200} {
		p := newPipe(must(t, "vegas", pipeConfig(start)), s, 100)
		p.run(time.Hour)
		p.run(3 * time.Hour)
		if l := p.ctl.Limit(); l < 106 || l > 112 {
			t.Errorf("started at %d: limit %d after four hours, want 106 to 112", start, l)
		}
		if used := float64(p.done) / (3 * time.Hour).Seconds(); used < 98 {
			t.Errorf("started at %d: %.1f/s of 100", start, used)
		}
		p.check(t)
		if p.limitLeast < 50 {
			t.Errorf("started at %d: limit down to %d, a probe is half of it", start, p.limitLeast)
		}
	}
}

// A provider that is slower for good: the base follows within the windows between two
// probes, and the limit does not stay at Min.
func TestVegasFollowsASlowerBase(t *testing.T) {
	p := newPipe(must(t, "vegas", pipeConfig(16)), s, 100)
	p.run(30 * time.Minute)
	p.base *= 3 // the rate stays: 300 in flight now
	p.run(30 * time.Minute)
	if l := p.ctl.Limit(); l < 270 || l > 312 {
		t.Errorf("limit %d half an hour after the base went to 3 s, want 270 to 312", l)
	}
}

func TestLog10(t *testing.T) {
	for n, want := range map[int]int{1: 1, 9: 1, 10: 1, 99: 1, 100: 2, 999: 2, 1000: 3, 1001: 3, 1_000_000: 6} {
		if got := log10(n); got != want {
			t.Errorf("log10(%d) = %d, want %d", n, got, want)
		}
	}
}

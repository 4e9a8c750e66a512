package limit

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	s  = time.Second
	ms = time.Millisecond
)

// a5 is the controller of the first field report (A5).
var a5 = Config{
	Start: 16, Min: 4, Max: 64, Interval: 5 * s, Low: 200 * ms, High: 800 * ms,
	Samples: 200, MinSamples: 50, DecreasePercent: 50,
}

func must(t interface{ Fatal(...any) }, name string, c Config) Controller {
	ctl, err := New(name, c)
	if err != nil {
		t.Fatal(err)
	}
	return ctl
}

func TestRegistry(t *testing.T) {
	if names := Names(); !slices.Equal(names, []string{"aimd", "gradient2", "static", "vegas"}) {
		t.Errorf("Names() = %v", names)
	}
	if _, err := New("reno", a5); err == nil || !strings.Contains(err.Error(), `"reno"`) || !strings.Contains(err.Error(), "aimd, gradient2, static, vegas") {
		t.Errorf("unknown controller: %v", err)
	}
}

func TestStaticNeverMoves(t *testing.T) {
	c := must(t, "static", a5)
	for now := time.Duration(0); now < time.Hour; now += s {
		c.Busy(now)
		c.Success(now, now, time.Hour)
		c.Failure(now, now)
	}
	raised, lowered := c.Counts()
	if c.Limit() != 16 || raised != 0 || lowered != 0 {
		t.Errorf("limit %d, raised %d, lowered %d", c.Limit(), raised, lowered)
	}
}

// feed reports n successes at now, sent just before, and says whether the limit binds.
func feed(c Controller, now time.Duration, n int, signal time.Duration, busy bool) {
	for range n {
		if busy {
			c.Busy(now)
		}
		c.Success(now, now-ms, signal)
	}
}

func TestAIMDSteps(t *testing.T) {
	c := must(t, "aimd", a5)
	steps := []struct {
		what   string
		now    time.Duration
		n      int
		signal time.Duration
		busy   bool
		fail   bool
		limit  int
	}{
		{"before the first interval nothing is judged", 4 * s, 100, 100 * ms, true, false, 16},
		{"fast and busy: one more", 5 * s, 60, 100 * ms, true, false, 17},
		{"within the interval: rests", 9 * s, 60, 100 * ms, true, false, 17},
		{"fast and busy: one more", 10 * s, 60, 100 * ms, true, false, 18},
		{"fast and busy: one more", 15 * s, 1, 100 * ms, false, false, 19},
		{"not busy: rests (INV-24)", 20 * s, 60, 100 * ms, false, false, 19},
		{"middling samples come in", 24 * s, 200, 500 * ms, true, false, 19},
		{"between low and high: rests", 25 * s, 1, 500 * ms, true, false, 19},
		{"slower ones come in", 29 * s, 200, 800 * ms, true, false, 19},
		{"exactly high: rests", 30 * s, 1, 800 * ms, true, false, 19},
		{"slow ones come in", 34 * s, 200, 801 * ms, true, false, 19},
		{"above high: halved", 35 * s, 1, 801 * ms, true, false, 9},
		{"a failure in the window of the cut: ignored", 39 * s, 0, 0, false, true, 9},
		{"after the window: halved", 41 * s, 0, 0, false, true, 4},
		{"never below min", 50 * s, 0, 0, false, true, 4},
		{"samples from before the cut are gone: too few", 56 * s, 49, 100 * ms, true, false, 4},
		{"the fiftieth comes and counts", 61 * s, 1, 100 * ms, false, false, 5},
	}
	for i, st := range steps {
		feed(c, st.now, st.n, st.signal, st.busy)
		if st.fail {
			c.Failure(st.now, st.now)
		}
		if c.Limit() != st.limit {
			t.Fatalf("step %d (%s): limit %d, want %d", i, st.what, c.Limit(), st.limit)
		}
	}
}

// The 95th percentile decides, by nearest rank: 5 slow ones of 100 do not cut, 6 do.
func TestAIMDJudgesThe95thPercentile(t *testing.T) {
	for slow, want := range map[int]int{5: 17, 6: 8} {
		c := must(t, "aimd", a5)
		c.Busy(0)
		feed(c, 1*s, slow, 900*ms, true)
		feed(c, 1*s, 99-slow, 100*ms, true)
		feed(c, 5*s, 1, 100*ms, true)
		if c.Limit() != want {
			t.Errorf("%d slow of 100: limit %d, want %d", slow, c.Limit(), want)
		}
	}
}

func drawConfig(t *rapid.T) Config {
	c := Config{
		Min:             rapid.IntRange(1, 50).Draw(t, "min"),
		Interval:        time.Duration(rapid.Int64Range(int64(100*ms), int64(10*s)).Draw(t, "interval")),
		Low:             200 * ms,
		High:            800 * ms,
		Samples:         rapid.IntRange(1, 60).Draw(t, "samples"),
		IncreasePercent: rapid.IntRange(0, 100).Draw(t, "increase"),
		DecreasePercent: rapid.IntRange(1, 99).Draw(t, "decrease"),
	}
	c.Max = c.Min + rapid.IntRange(0, 300).Draw(t, "range")
	c.Start = rapid.IntRange(c.Min, c.Max).Draw(t, "start")
	c.MinSamples = rapid.IntRange(1, c.Samples).Draw(t, "min samples")
	return c
}

// INV-23, INV-24: within the bounds always; at most one decrease per interval however
// many failures and slow answers come; none for what was sent before the last decrease;
// no increase without the limit having been reached since the last one, and at most one
// per interval, of the configured size.
func TestAIMDProperties_INV23_INV24(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		c := must(t, "aimd", cfg)
		const never = -time.Hour
		now, cut, raise, busy := time.Duration(0), never, never, false
		for range rapid.IntRange(1, 400).Draw(t, "n") {
			now += time.Duration(rapid.Int64Range(0, int64(cfg.Interval)/4).Draw(t, "step"))
			before := c.Limit()
			sent := now - time.Duration(rapid.Int64Range(0, int64(min(now, 2*cfg.Interval))).Draw(t, "age"))
			failure := false
			switch rapid.IntRange(0, 6).Draw(t, "op") {
			case 0:
				c.Failure(now, sent)
				failure = true
			case 1:
				c.Busy(now)
				busy = true
			case 2:
				c.Success(now, sent, 900*ms)
			default:
				c.Success(now, sent, 100*ms)
			}
			after := c.Limit()
			if after < cfg.Min || after > cfg.Max {
				t.Fatalf("limit %d outside %d to %d", after, cfg.Min, cfg.Max)
			}
			switch {
			case after < before:
				if now < cut+cfg.Interval {
					t.Fatalf("decreases at %v and %v, interval %v", cut, now, cfg.Interval)
				}
				if failure && sent < cut {
					t.Fatalf("decrease for a request sent at %v, before the last decrease at %v", sent, cut)
				}
				if want := max(cfg.Min, min(before-1, before*cfg.DecreasePercent/100)); after != want {
					t.Fatalf("decrease from %d to %d, want %d", before, after, want)
				}
				cut, busy = now, false
			case after > before:
				if failure || !busy {
					t.Fatalf("increase from %d to %d (failure %v, busy %v)", before, after, failure, busy)
				}
				if now < raise+cfg.Interval || now < cut+cfg.Interval {
					t.Fatalf("increase at %v, the last was at %v, the last decrease at %v, interval %v", now, raise, cut, cfg.Interval)
				}
				if want := min(cfg.Max, before+max(1, int(math.Sqrt(float64(before)))*cfg.IncreasePercent/100)); after != want {
					t.Fatalf("increase from %d to %d, want %d", before, after, want)
				}
				raise, busy = now, false
			}
		}
	})
}

// A burst of 429s halves once (a peer went from 200 to 1 in one burst of 50).
func TestAIMDBurstOfFailuresCutsOnce_INV23(t *testing.T) {
	cfg := a5
	cfg.Start, cfg.Max = 200, 200
	c := must(t, "aimd", cfg)
	for i := range 50 {
		c.Failure(time.Minute+time.Duration(i)*ms, time.Minute-s)
	}
	if c.Limit() != 100 {
		t.Errorf("limit %d after a burst of 50 failures, want 100", c.Limit())
	}
}

// fleet is a model of equal clients that always have work, on one capacity that refuses
// what is beyond it. Time runs in ticks; a request takes service of them, a refused one
// comes back in the next.
type fleet struct {
	clients  []Controller
	capacity int
	inFlight [][]time.Duration // by client: instants at which its requests end
	now      time.Duration
	turn     int
}

const (
	tick    = 100 * ms
	service = 10 * tick
)

func (f *fleet) run(t interface{ Fatal(...any) }, d time.Duration) (mean []float64) {
	mean = make([]float64, len(f.clients))
	ticks := 0
	for end := f.now + d; f.now < end; f.now += tick {
		total := 0
		for i := range f.inFlight {
			f.inFlight[i] = slices.DeleteFunc(f.inFlight[i], func(at time.Duration) bool {
				if at <= f.now {
					f.clients[i].Success(f.now, at-service, 100*ms)
				}
				return at <= f.now
			})
			total += len(f.inFlight[i])
		}
		// One request each in turn, so that whoever has more on the wire is refused more.
		f.turn++
		refused := make([]bool, len(f.clients))
		for again := true; again; {
			again = false
			for k := range f.clients {
				i := (k + f.turn) % len(f.clients)
				switch {
				case refused[i]:
					continue
				case len(f.inFlight[i]) >= f.clients[i].Limit():
					f.clients[i].Busy(f.now)
					continue
				case total >= f.capacity:
					f.clients[i].Failure(f.now, f.now)
					refused[i] = true
					continue
				}
				again = true
				total++
				f.inFlight[i] = append(f.inFlight[i], f.now+service)
			}
		}
		for i, c := range f.clients {
			mean[i] += float64(c.Limit())
		}
		ticks++
	}
	for i := range mean {
		mean[i] /= float64(ticks)
	}
	return mean
}

func newFleet(t interface{ Fatal(...any) }, name string, cfg Config, capacity int, starts ...int) *fleet {
	f := &fleet{capacity: capacity, inFlight: make([][]time.Duration, len(starts))}
	for _, n := range starts {
		cfg.Start = n
		f.clients = append(f.clients, must(t, name, cfg))
	}
	return f
}

// jain is the fairness index of Jain, Chiu and Hawe (1984): 1 when all are equal.
func jain(x []float64) float64 {
	var sum, squares float64
	for _, v := range x {
		sum += v
		squares += v * v
	}
	return sum * sum / (float64(len(x)) * squares)
}

// INV-24: equal clients that start unequal converge, under the additive step of A5 and
// under the default's scaled one.
func TestAIMDClientsConverge_INV24(t *testing.T) {
	additive := Config{
		Min: 1, Max: 1024, Interval: 5 * s, Low: 200 * ms, High: 800 * ms, Samples: 200, MinSamples: 10, DecreasePercent: 50,
	}
	scaled := additive
	scaled.IncreasePercent = 100
	cases := []struct {
		name     string
		cfg      Config
		capacity int
		starts   []int
	}{
		{"additive, two", additive, 100, []int{10, 90}},
		{"additive, five", additive, 200, []int{1, 10, 50, 60, 70}},
		{"scaled, two small", scaled, 20, []int{2, 17}},
		{"scaled, two", scaled, 100, []int{10, 90}},
		{"scaled, two large", scaled, 600, []int{100, 500}},
		{"scaled, five", scaled, 500, []int{10, 50, 100, 140, 190}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			f := newFleet(t, "aimd", tc.cfg, tc.capacity, tc.starts...)
			f.run(t, 20*time.Minute)
			mean := f.run(t, 5*time.Minute)
			if j := jain(mean); j < 0.95 {
				t.Errorf("Jain index %.3f after 20 minutes, want 0.95 (mean limits %.1f)", j, mean)
			}
		})
	}
}

// INV-25: after the capacity has fallen to a fifth and come back, the limit reaches
// 90 % of it within five minutes under the default's step, and within the time that one
// slot per interval takes under A5's.
func TestAIMDRecovers_INV25(t *testing.T) {
	cases := []struct {
		percent int
		within  time.Duration
	}{
		{100, 5 * time.Minute},
		{0, 5 * s * 220}, // up to 200 slots at one per 5 s
	}
	for _, tc := range cases {
		cfg := Config{
			Min: 4, Max: 1024, Interval: 5 * s, Low: 200 * ms, High: 800 * ms, Samples: 200, MinSamples: 50,
			IncreasePercent: tc.percent, DecreasePercent: 50,
		}
		f := newFleet(t, "aimd", cfg, 200, 100)
		f.run(t, 20*time.Minute)
		f.capacity = 40
		f.run(t, 5*time.Minute)
		if l := f.clients[0].Limit(); l > 60 {
			t.Errorf("limit %d five minutes after the capacity fell to 40", l)
		}
		f.capacity = 200
		from := f.now
		for f.clients[0].Limit() < 180 {
			f.run(t, s)
			if f.now-from > tc.within {
				t.Fatalf("increase %d %%: limit %d of 200 after %v", tc.percent, f.clients[0].Limit(), f.now-from)
			}
		}
	}
}

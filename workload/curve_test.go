package workload

import (
	"math"
	"math/big"
	"reflect"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func curved(c *Curve, rate float64, duration time.Duration) Config {
	cfg := oneStream(rate, ArrivalsConstant, duration)
	cfg.Streams[0].Curve = c
	return cfg
}

func instantsOf(ds []Demand) []time.Duration {
	var at []time.Duration
	for _, d := range ds {
		at = append(at, d.Intended)
	}
	return at
}

// Ensure 1500/s for 10 s is 15 000 arrivals, evenly, however the rate is written.
func TestConstantCurve(t *testing.T) {
	want := instantsOf(all(open(t, oneStream(1500, ArrivalsConstant, 10*time.Second)), 0))
	if len(want) != 15_000 {
		t.Fatalf("%d arrivals", len(want))
	}
	for name, c := range map[string]*Curve{
		"point":  {Points: []Point{{0, 1500}}},
		"stages": {Points: Stages(Stage{3 * time.Second, 1500, 1500}, Stage{4 * time.Second, 1500, 1500})},
		"sine":   {Sine: &Sine{Base: 1500, Period: time.Minute}},
		"states": {States: []State{{1500, time.Second}, {1500, 2 * time.Second}}},
	} {
		if got := instantsOf(all(open(t, curved(c, 0, 10*time.Second)), 0)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d arrivals that are not those of a constant rate", name, len(got))
		}
	}
}

// Ensure a ramp's arrivals are where its area is whole, the first of one from 0 where
// it is 1, that of a jump at the jump, and that times of rate 0 are empty.
func TestCurveSteps(t *testing.T) {
	s := time.Second
	root := func(x float64) time.Duration { return time.Duration(math.Round(math.Sqrt(x) * 1e9)) }
	tests := []struct {
		name  string
		curve Curve
		rate  float64
		end   time.Duration
		want  []time.Duration
	}{
		{"ramp from zero", Curve{Points: Stages(Stage{10 * s, 0, 1})}, 0, 10 * s, []time.Duration{root(20), root(40), root(60), root(80)}},
		{
			"ramp to zero and up again",
			Curve{Points: Stages(Stage{4 * s, 1, 0}, Stage{4 * s, 0, 1})},
			0, 9 * s,
			[]time.Duration{0, 4*s - root(8), 4 * s, 4*s + root(8), 8 * s},
		},
		{"late jump", Curve{Points: []Point{{3 * s, 0}, {3 * s, 0.5}}}, 0, 8 * s, []time.Duration{3 * s, 5 * s, 7 * s}},
		{"pause", Curve{Points: Stages(Stage{10 * s, 0.3, 0.3}, Stage{10 * s, 0, 0}, Stage{4 * s, 0.5, 0.5})}, 0, 23 * s, []time.Duration{0, 3333333333, 6666666667, 20 * s, 22 * s}},
		{"before the first point", Curve{Points: []Point{{2 * s, 1}, {2 * s, 0}}}, 0, 9 * s, []time.Duration{0, s}},
		{"rising sine", Curve{Sine: &Sine{Base: 0.5, Amplitude: 0.5, Period: 8 * s, Phase: 2 * s}}, 0, 7 * s, []time.Duration{
			sineInstant(1), 4 * s, sineInstant(3),
		}},
		{"spike", Curve{Spikes: []Spike{{At: 2 * s, For: s, Extra: 3, Every: 4 * s}}}, 1, 7 * s, []time.Duration{
			0, s, 2 * s, 2250 * time.Millisecond, 2500 * time.Millisecond, 2750 * time.Millisecond, 3 * s, 4 * s, 5 * s, 6 * s, 6250 * time.Millisecond, 6500 * time.Millisecond, 6750 * time.Millisecond,
		}},
		{"at once", Curve{Spikes: []Spike{{At: s, Count: 2, Every: 2 * s}}}, 0.4, 6 * s, []time.Duration{
			0, s, s + 1, 2500 * time.Millisecond, 3 * s, 3*s + 1, 5 * s, 5*s + 1, 5*s + 2,
		}},
	}
	for _, tt := range tests {
		if got := instantsOf(all(open(t, curved(&tt.curve, tt.rate, tt.end)), 0)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: arrivals at\n%v, want\n%v", tt.name, got, tt.want)
		}
	}
}

// sineInstant solves t/2 - 2/pi*sin(pi*t/4) = k, the area of the test's sine, by
// halving.
func sineInstant(k float64) time.Duration {
	low, high := 0.0, 8.0
	for range 200 {
		if mid := (low + high) / 2; mid/2-2/math.Pi*math.Sin(math.Pi*mid/4) < k {
			low = mid
		} else {
			high = mid
		}
	}
	return time.Duration(math.Round(low * 1e9))
}

// exactArea returns the area under points and spikes from 0 to an instant, exactly.
func exactArea(c *Curve, at time.Duration) *big.Rat {
	sum := new(big.Rat)
	add := func(from, to *big.Rat, span time.Duration) {
		mean := new(big.Rat).Add(from, to)
		sum.Add(sum, mean.Mul(mean, big.NewRat(max(int64(span), 0), 2e9)))
	}
	number := func(x float64) *big.Rat {
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
		return r
	}
	for i, p := range c.Points {
		rate := number(p.Rate)
		if i == 0 {
			add(rate, rate, min(at, p.At))
		}
		if i == len(c.Points)-1 {
			add(rate, rate, at-p.At)
			break
		}
		next := c.Points[i+1]
		if span := next.At - p.At; span > 0 && at > p.At {
			end, to := min(at, next.At), number(next.Rate)
			to.Sub(to, rate).Mul(to, big.NewRat(int64(end-p.At), int64(span))).Add(to, rate)
			add(rate, to, end-p.At)
		}
	}
	for _, s := range c.Spikes {
		for begin := s.At; begin < at; begin += s.Every {
			add(number(s.Extra), number(s.Extra), min(at-begin, s.For))
			if s.Every == 0 {
				break
			}
		}
	}
	return sum
}

var anyCurve = rapid.Custom(func(t *rapid.T) *Curve {
	rate := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0.001, 3), rapid.Float64Range(1, 40),
		rapid.Map(rapid.IntRange(0, 50), func(n int) float64 { return float64(n) / 10 }))
	c, at := &Curve{}, time.Duration(0)
	for range rapid.IntRange(1, 6).Draw(t, "points") {
		at += time.Duration(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1e6, 20e9)).Draw(t, "gap"))
		c.Points = append(c.Points, Point{at, rate.Draw(t, "rate")})
	}
	c.Points = append(c.Points, Point{at + time.Second, 1})
	for range rapid.IntRange(0, 2).Draw(t, "spikes") {
		s := Spike{At: time.Duration(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1e6, 30e9)).Draw(t, "at")), For: time.Duration(rapid.Int64Range(1e6, 5e9).Draw(t, "for"))}
		s.Extra = rapid.Float64Range(0.01, 30).Draw(t, "extra")
		s.Every = rapid.SampledFrom([]time.Duration{0, 5 * time.Second, 9999999999}).Draw(t, "every")
		c.Spikes = append(c.Spikes, s)
	}
	return c
})

// Ensure arrival k is within a nanosecond of where the exact area reaches k, and that
// none is missing: checked against rational arithmetic.
func TestCurveAreas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, end := anyCurve.Draw(t, "curve"), 60*time.Second
		ds := all(open(t, curved(c, 0, end)), 0)
		k := int64(0)
		if len(ds) > 0 && exactArea(c, ds[0].Intended+time.Millisecond).Cmp(big.NewRat(1, 2)) > 0 {
			k = 1 // the curve rises from 0
			before := ds[0].Intended - time.Millisecond
			if area := exactArea(c, before); before > 0 && area.Cmp(big.NewRat(1, 2)) < 0 {
				t.Fatalf("first arrival at %v, where the area jumps past 1/2", ds[0].Intended)
			}
		}
		for _, d := range ds {
			// Arrivals come at least a nanosecond apart, which no rate here is above.
			low, high := exactArea(c, d.Intended-1), exactArea(c, d.Intended+1)
			if want := new(big.Rat).SetInt64(k); low.Cmp(want) > 0 || high.Cmp(want) < 0 {
				t.Fatalf("arrival %d at %v, where the area is %v", k, d.Intended, exactArea(c, d.Intended).FloatString(12))
			}
			k++
		}
		if rest := exactArea(c, end-1); rest.Cmp(new(big.Rat).SetInt64(k)) > 0 {
			t.Fatalf("%d arrivals, but the area is %v", k, rest.FloatString(12))
		}
	})
}

// Ensure the area under a sine is whole at each of its arrivals, to a nanosecond of
// the highest rate.
func TestSineAreas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Sine{Base: rapid.Float64Range(0.5, 40).Draw(t, "base"), Period: time.Duration(rapid.Int64Range(1e6, 200e9).Draw(t, "period"))}
		s.Amplitude = s.Base * rapid.Float64Range(0, 1).Draw(t, "amplitude")
		s.Phase = time.Duration(rapid.Int64Range(0, 300e9).Draw(t, "phase"))
		area := func(at time.Duration) float64 {
			p := s.Period.Seconds()
			angle := func(at time.Duration) float64 { return 2 * math.Pi * (at - s.Phase).Seconds() / p }
			return s.Base*at.Seconds() + s.Amplitude*p/(2*math.Pi)*(math.Cos(angle(0))-math.Cos(angle(at)))
		}
		ds := all(open(t, curved(&Curve{Sine: s}, 0, 20*time.Second)), 0)
		for k, d := range ds {
			if got := area(d.Intended); math.Abs(got-float64(k)) > 2*s.Base*1e-9+1e-10 {
				t.Fatalf("arrival %d at %v, where the area is %v", k, d.Intended, got)
			}
		}
		if got := area(20 * time.Second); math.Abs(got-float64(len(ds))) > 1+1e-6 {
			t.Fatalf("%d arrivals, area %v", len(ds), got)
		}
	})
}

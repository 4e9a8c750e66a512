package workload

import (
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"
)

// Ensure Gamma and Weibull arrivals have the gaps' mean and second moment, and as many
// arrivals as rate times time, in whose variance CV^2 takes the place of 1.
func TestBurstyArrivals(t *testing.T) {
	const rate, cv, seconds = 50.0, 3.5, 1500
	for name, arrivals := range map[string]Arrivals{"gamma": ArrivalsGamma, "weibull": ArrivalsWeibull} {
		cfg := oneStream(rate, arrivals, seconds*time.Second)
		cfg.Streams[0].CV = cv
		ds := all(open(t, cfg), 0)
		if n, want := float64(len(ds)), rate*seconds; math.Abs(n-want) > z999*cv*math.Sqrt(want) {
			t.Errorf("%s: %v arrivals, want %v +- %v", name, n, want, z999*cv*math.Sqrt(want))
		}
		var gaps, squares []float64
		clients := make([]int, 3)
		for i, d := range ds {
			clients[d.Client]++
			if i > 0 {
				gap := (d.Intended - ds[i-1].Intended).Seconds()
				gaps, squares = append(gaps, gap), append(squares, gap*gap)
			}
		}
		checkMeanOf(t, name+" gaps", gaps, 1/rate)
		checkMeanOf(t, name+" squares of gaps", squares, (1+cv*cv)/(rate*rate))
		for c, n := range clients {
			checkShare(t, name+" client "+strconv.Itoa(c), n, len(ds), 1.0/3)
		}
	}
}

// Ensure the mean number of arrivals by any instant is rate times time, from the very
// start: no burst at the beginning, and none missing.
func TestArrivalsStartInEquilibrium(t *testing.T) {
	for name, arrivals := range map[string]Arrivals{"constant": ArrivalsConstant, "gamma": ArrivalsGamma, "weibull": ArrivalsWeibull, "poisson": ArrivalsPoisson} {
		const clients = 20_000
		cfg := oneStream(clients, arrivals, 2*time.Second)
		cfg.Streams[0].Clients = clients
		if arrivals >= ArrivalsGamma {
			cfg.Streams[0].CV = 3
		}
		cfg.Streams[0].Mix = &Mix{Groups: []ClientGroup{{Weight: 1, Share: 1}}}
		w := open(t, cfg)
		early, whole := make([]float64, clients), make([]float64, clients)
		for s := range w.Sources() {
			for _, d := range all(w, s) {
				whole[s]++
				if d.Intended < 100*time.Millisecond {
					early[s]++
				}
			}
		}
		checkMeanOf(t, name+" in the first tenth of a second", early, 0.1)
		checkMeanOf(t, name+" in two seconds", whole, 2)
	}
}

// Ensure drawn arrivals follow the area of a moving rate, and keep their burstiness.
func TestBurstyRamp(t *testing.T) {
	for name, arrivals := range map[string]Arrivals{"poisson": ArrivalsPoisson, "gamma": ArrivalsGamma} {
		cv := 1.0
		cfg := oneStream(0, arrivals, 1000*time.Second)
		cfg.Streams[0].Curve = &Curve{Points: Stages(Stage{1000 * time.Second, 0, 100})}
		if arrivals == ArrivalsGamma {
			cv, cfg.Streams[0].CV = 2.5, 2.5
		}
		ds := all(open(t, cfg), 0)
		var gaps, squares []float64
		before := 0.0
		for i, d := range ds {
			at := d.Intended.Seconds()
			area := at * at / 20
			if i > 0 {
				gaps, squares = append(gaps, area-before), append(squares, (area-before)*(area-before))
			}
			before = area
		}
		checkMeanOf(t, name+" areas between arrivals", gaps, 1)
		checkMeanOf(t, name+" their squares", squares, 1+cv*cv)
		if n := float64(len(ds)); math.Abs(n-50_000) > z999*cv*math.Sqrt(50_000) {
			t.Errorf("%s: %v arrivals, want 50000", name, n)
		}
	}
}

// Ensure a rate that is switched on and off has the gaps that are known of it: an
// interrupted Poisson process is a renewal process with hyperexponential gaps (Kuczura,
// "The interrupted Poisson process as an overflow process", 1973).
func TestInterruptedPoisson(t *testing.T) {
	const on, up, down = 40.0, 1 / 2.0, 1 / 0.5 // rate; 1/dwell of on, of off
	cfg := oneStream(0, ArrivalsPoisson, 4000*time.Second)
	cfg.Streams[0].Curve = &Curve{States: []State{{on, 2 * time.Second}, {0, 500 * time.Millisecond}}}
	ds := all(open(t, cfg), 0)
	var gaps []float64
	for i := range ds[1:] {
		gaps = append(gaps, (ds[i+1].Intended - ds[i].Intended).Seconds())
	}
	sum := on + up + down
	root := math.Sqrt(sum*sum - 4*on*down)
	r1, r2 := (sum+root)/2, (sum-root)/2
	p := (on - r2) / (r1 - r2)
	checkCDF(t, "gaps", gaps, func(x float64) float64 { return 1 - p*math.Exp(-r1*x) - (1-p)*math.Exp(-r2*x) })
}

// Ensure a Markov-modulated rate has its mean at the start and later, for any number
// of states.
func TestMarkovMeanRate(t *testing.T) {
	var early, late []float64
	for seed := range uint64(1500) {
		cfg := oneStream(0, ArrivalsPoisson, 10*time.Second)
		cfg.Seed = seed
		cfg.Streams[0].Curve = &Curve{States: []State{{0, 3 * time.Second}, {5, 2 * time.Second}, {30, time.Second}}}
		n, first := 0.0, 0.0
		for _, d := range all(open(t, cfg), 0) {
			n++
			if d.Intended < time.Second {
				first++
			}
		}
		early, late = append(early, first), append(late, n)
	}
	mean := (2*5 + 1*30) / 6.0
	checkMeanOf(t, "arrivals in the first second", early, mean)
	checkMeanOf(t, "arrivals in ten seconds", late, 10*mean)
}

// Ensure all clients of a stream see the same states: where the rate is 0 for one, it
// is so for all.
func TestClientsShareStates(t *testing.T) {
	cfg := oneStream(0, ArrivalsPoisson, 200*time.Second)
	cfg.Streams[0].Curve = &Curve{States: []State{{0, 5 * time.Second}, {50, 5 * time.Second}}}
	cfg.Streams[0].Mix = &Mix{Groups: []ClientGroup{{Weight: 1, Share: 1}}}
	w := open(t, cfg)
	seconds := make([][3]int, 200)
	for s := range w.Sources() {
		for _, d := range all(w, s) {
			seconds[d.Intended/time.Second][s]++
		}
	}
	busy, alone := 0, 0
	for _, n := range seconds {
		if n[0] > 8 {
			busy++
			if n[1] == 0 || n[2] == 0 {
				alone++
			}
		}
	}
	if busy < 30 || alone > 0 {
		t.Errorf("of %d busy seconds of one client %d are empty for another", busy, alone)
	}
}

// Ensure requests at once do not change the arrivals of the process, and are dealt to
// the clients of groups by their shares.
func TestSpikeCounts(t *testing.T) {
	cfg := oneStream(20, ArrivalsPoisson, 20*time.Second)
	cfg.Streams[0].Curve = &Curve{Points: []Point{{0, 20}}}
	cfg.Streams[0].Rate = 0
	want := instantsOf(all(open(t, cfg), 0))
	cfg.Streams[0].Curve.Spikes = []Spike{{At: 5 * time.Second, Count: 100}}
	var got []time.Duration
	for _, at := range instantsOf(all(open(t, cfg), 0)) {
		if at < 5*time.Second || at > 5*time.Second+99 {
			got = append(got, at)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d arrivals beside the spike, %d without it", len(got), len(want))
	}
	cfg.Streams[0].Mix = &Mix{Groups: []ClientGroup{{Weight: 1, Share: 7}, {Weight: 2, Share: 3}}}
	w := open(t, cfg)
	for s, want := range []int{70, 15, 15} {
		n := 0
		for _, d := range all(w, s) {
			if d.Intended >= 5*time.Second && d.Intended < 5*time.Second+100 {
				n++
			}
		}
		if n != want {
			t.Errorf("client %d sends %d at once, want %d", s, n, want)
		}
	}
}

// Ensure no kind of arrival allocates.
func TestStreamsDoNotAllocate(t *testing.T) {
	for name, s := range richStreams {
		cfg := oneStream(0, 0, 1<<62)
		cfg.Profiles = append(cfg.Profiles, Profile{Patience: Must(Exponential(1))})
		cfg.Streams[0] = s
		w := open(t, cfg)
		if allocs := testing.AllocsPerRun(2000, func() { w.Next(0) }); allocs != 0 {
			t.Errorf("%s: Next allocates %v times", name, allocs)
		}
	}
}

// richStreams has one of each kind; they need two profiles.
var richStreams = map[string]Stream{
	"gamma":    {Rate: 1000, Arrivals: ArrivalsGamma, CV: 3.5, Clients: 5},
	"weibull":  {Rate: 1000, Arrivals: ArrivalsWeibull, CV: 2, Clients: 5},
	"ramp":     {Clients: 1, Curve: &Curve{Points: []Point{{0, 0}, {10 * time.Hour, 1000}}}},
	"sine":     {Clients: 1, Arrivals: ArrivalsPoisson, Curve: &Curve{Sine: &Sine{Base: 1000, Amplitude: 900, Period: time.Hour}}},
	"states":   {Clients: 1, Arrivals: ArrivalsPoisson, Curve: &Curve{States: []State{{1000, time.Second}, {100, time.Minute}, {20, time.Minute}}}},
	"spikes":   {Clients: 1, Rate: 100, Curve: &Curve{Spikes: []Spike{{At: 1, For: time.Second, Extra: 500, Every: 3 * time.Second}, {Count: 50, Every: 2 * time.Second}}}},
	"sessions": {Clients: 3, Rate: 100, Sessions: []Session{{1, Must(Constant(5))}}, Mix: &Mix{Profiles: []Weighted{{1, 3}, {0, 1}}}},
	"mix":      {Clients: 3, Rate: 100, Mix: &Mix{Profiles: []Weighted{{1, 3}, {0, 1}}}},
	"groups": {Clients: 10, Rate: 100, Arrivals: ArrivalsGamma, CV: 1.5, Mix: &Mix{Groups: []ClientGroup{
		{Name: "few", Weight: 2, Share: 8, CV: 3.5, Profile: 1}, {Name: "many", Weight: 8, Share: 2},
	}}},
}

func BenchmarkStream(b *testing.B) {
	for name, s := range richStreams {
		b.Run(name, func(b *testing.B) {
			cfg := benchConfig(1)
			cfg.Agents, cfg.Streams = nil, []Stream{s}
			w := open(b, cfg)
			b.ReportAllocs()
			for b.Loop() {
				w.Next(0)
			}
		})
	}
}

// Ensure a tick moves each request to the multiple before it, and neither adds nor drops one.
func TestTicksGatherArrivals(t *testing.T) {
	const tick = 3 * time.Second
	for _, arrivals := range []Arrivals{ArrivalsConstant, ArrivalsPoisson, ArrivalsGamma} {
		cfg := oneStream(5, arrivals, 10*time.Minute)
		if arrivals == ArrivalsGamma {
			cfg.Streams[0].CV = 2
		}
		// The stepped curve is of one rate: it makes the plain streams take the same draws.
		cfg.Streams[0].Rate, cfg.Streams[0].Curve = 0, &Curve{Points: []Point{{At: 0, Rate: 5}}}
		plain := all(open(t, cfg), 0)
		cfg.Streams[0].Tick = tick
		ticked := all(open(t, cfg), 0)
		if len(ticked) != len(plain) {
			t.Fatalf("arrivals %d: %d requests with a tick, %d without", arrivals, len(ticked), len(plain))
		}
		for i := range ticked {
			at := plain[i].Intended / tick * tick
			if late := ticked[i].Intended - at; late < 0 || late > time.Microsecond {
				t.Fatalf("arrivals %d: request %d of %v is at %v", arrivals, i, plain[i].Intended, ticked[i].Intended)
			}
			if i > 0 && ticked[i].Intended <= ticked[i-1].Intended {
				t.Fatalf("arrivals %d: request %d is not after the one before it", arrivals, i)
			}
		}
	}
}

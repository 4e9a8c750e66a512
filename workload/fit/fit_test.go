package fit

import (
	"math"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

const data = "../../../shared/data/"

// recorded reads a reference trace, or skips the test where it is not there.
func recorded(t *testing.T, name string) *Trace {
	t.Helper()
	if _, err := os.Stat(data + name); err != nil {
		t.Skipf("the reference trace is not here: %v", err)
	}
	r, err := workload.OpenTrace(data + name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	tr, err := Read(r, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// near fails unless the fit is within a share of the trace.
func near(t *testing.T, what string, p Pair, within float64) {
	t.Helper()
	if off := p.Off(); !(math.Abs(off) <= within) {
		t.Errorf("%s: %v of the trace, %v of the fit: off by %+.1f %%, allowed are %v %%", what, p.Trace, p.Fit, 100*off, 100*within)
	}
}

// judged fits a trace and compares the fit with it.
func judged(t *testing.T, tr *Trace) (*Fit, *Goodness) {
	t.Helper()
	f, err := New(tr)
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Judge(tr)
	if err != nil {
		t.Fatal(err)
	}
	return f, g
}

// Ensure a fitted trace has the trace's tokens within 5 % and its dispersion of arrivals at 1 s,
// 10 s and 60 s within 20 %. Mooncake's instants are multiples of 3 s: the fit has the same
// tick, so that windows of 1 s and 10 s cut both alike; and its sessions, which are told by its prefix blocks.
func TestRecordedTraces(t *testing.T) {
	for name, tick := range map[string]time.Duration{
		"azure_llm_2023_conv.csv.gz": 0, "azure_llm_2023_code.csv.gz": 0, "mooncake_conversation_trace.jsonl.gz": 3 * time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			tr := recorded(t, name)
			f, g := judged(t, tr)
			if f.Arrivals.Tick != tick {
				t.Errorf("tick %v, want %v", f.Arrivals.Tick, tick)
			}
			near(t, "requests", g.Requests, 0.05)
			for i, p := range g.Dispersion {
				near(t, "dispersion at "+Scales[i].String(), p, 0.20)
			}
			for what, of := range map[string]Tokens{"in": g.In, "out": g.Out} {
				near(t, "mean of tokens "+what, of.Mean, 0.05)
				for i, p := range of.At {
					near(t, "quantile of tokens "+what, p, 0.05)
					if of.KS > 0.03 {
						t.Errorf("tokens %s, %v: KS distance %v", what, Shares[i], of.KS)
					}
				}
			}
			if (g.Sessions != nil) != (f.Prefix > 0) {
				t.Errorf("sessions %+v where %v of the tokens were seen before", g.Sessions, f.Prefix)
			}
			if s := g.Sessions; s != nil {
				near(t, "sessions", s.Count, 0.05)
				near(t, "requests of a session", s.Rounds, 0.05)
				near(t, "time between them", s.Gap, 0.10)
				near(t, "median of it", s.GapAt[0], 0.10)
				near(t, "95th percentile of it", s.GapAt[1], 0.10)
				near(t, "tokens seen before", g.Prefix, 0.05)
				if g.RoundsKS > 0.02 || g.PausesKS > 0.05 {
					t.Errorf("KS distance of requests of a session %v, of times between them %v", g.RoundsKS, g.PausesKS)
				}
			}
			again, err := New(tr)
			if err != nil || !reflect.DeepEqual(f, again) {
				t.Errorf("a second fit differs: %v", err)
			}
		})
	}
}

// draw returns arrivals of a known process, moved so that the first is at 0.
func draw(t *testing.T, a Arrivals, seed uint64, length time.Duration) []time.Duration {
	t.Helper()
	at, err := a.Draw(seed, length)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Ensure the fit finds what it was given: Poisson arrivals, Gamma and Weibull gaps of CV 3, even
// ones, a step of the rate, and ticks. A CV must be within four standard errors, as the spread of
// CVs of other runs of the same process tells; so must a rate.
func TestKnownProcesses(t *testing.T) {
	const length = 2 * time.Hour
	step := 3000 * time.Second
	for name, want := range map[string]Arrivals{
		"poisson":      {Steps: []Step{{0, 5}}, Kind: workload.ArrivalsPoisson},
		"gamma":        {Steps: []Step{{0, 5}}, Kind: workload.ArrivalsGamma, CV: 3},
		"weibull":      {Steps: []Step{{0, 5}}, Kind: workload.ArrivalsWeibull, CV: 3},
		"even":         {Steps: []Step{{0, 5}}, Kind: workload.ArrivalsGamma, CV: 0.4},
		"step":         {Steps: []Step{{0, 4}, {step, 8}}, Kind: workload.ArrivalsPoisson},
		"step, gamma":  {Steps: []Step{{0, 4}, {step, 12}}, Kind: workload.ArrivalsGamma, CV: 3},
		"ticks":        {Steps: []Step{{0, 4}}, Kind: workload.ArrivalsPoisson, Tick: 2 * time.Second},
		"pause":        {Steps: []Step{{0, 4}, {step, 0}, {step + 10*time.Minute, 4}}, Kind: workload.ArrivalsPoisson},
		"ticks, gamma": {Steps: []Step{{0, 10}}, Kind: workload.ArrivalsGamma, CV: 2, Tick: 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FitArrivals(draw(t, want, 3, length), length)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Steps) != len(want.Steps) || got.Kind != want.Kind || got.Tick != want.Tick {
				t.Fatalf("fit %+v, want %+v", got, want)
			}
			cv := math.Max(want.CV, 0)
			for i, s := range got.Steps {
				if late := s.At - want.Steps[i].At; late.Abs() > 20*time.Second {
					t.Errorf("step %d is at %v, want %v", i, s.At, want.Steps[i].At)
				}
				burst := 1.0
				if cv > 0 {
					burst = cv
				}
				end := length
				if i+1 < len(want.Steps) {
					end = want.Steps[i+1].At
				}
				n := want.Steps[i].Rate * (end - want.Steps[i].At).Seconds()
				if off := math.Abs(s.Rate - want.Steps[i].Rate); n > 0 && off > want.Steps[i].Rate*(4*burst/math.Sqrt(n)+0.01) {
					t.Errorf("step %d has rate %v, want %v", i, s.Rate, want.Steps[i].Rate)
				}
			}
			if cv > 0 {
				if spread := spreadOf(t, want, length); math.Abs(got.CV-cv) > 4*spread {
					t.Errorf("CV %v, want %v +- %v", got.CV, cv, 4*spread)
				}
			}
		})
	}
}

// spreadOf is the standard deviation of the CV that runs of a process are found to have.
func spreadOf(t *testing.T, a Arrivals, length time.Duration) float64 {
	t.Helper()
	var cvs []float64
	for seed := uint64(101); seed < 117; seed++ {
		at := draw(t, a, seed, length)
		if a.Tick > 0 {
			b := newBins(at, length, a.Tick)
			cvs = append(cvs, math.Sqrt(b.pearson([]int{0, len(b.sums) - 1})))
			continue
		}
		cvs = append(cvs, cvOf(areas(at, a.Steps)))
	}
	sum, squares := 0.0, 0.0
	for _, cv := range cvs {
		sum += cv
	}
	mean := sum / float64(len(cvs))
	for _, cv := range cvs {
		squares += (cv - mean) * (cv - mean)
	}
	return math.Sqrt(squares / float64(len(cvs)-1))
}

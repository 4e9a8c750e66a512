package fit

import (
	"math"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

// Arrivals is an arrival process: a rate that moves in steps as the recorded one did, and
// gaps that are as bursty as the recorded ones are beside that.
type Arrivals struct {
	Steps []Step
	// Kind of the gaps: Poisson, Gamma or Weibull. CV of Gamma and Weibull gaps, where time
	// is measured by the rate; 0 for Poisson.
	Kind workload.Arrivals
	CV   float64
	// Tick is what the recorded instants are multiples of; 0: nothing.
	Tick time.Duration
}

// Step is the rate from an instant on.
type Step struct {
	At   time.Duration
	Rate float64 // requests per second
}

// fastest is the highest rate of a step.
func (a *Arrivals) fastest() float64 {
	most := 0.0
	for _, step := range a.Steps {
		most = max(most, step.Rate)
	}
	return most
}

// Stream returns the process as a stream of a workload, of profile 0 and one client.
func (a *Arrivals) Stream() workload.Stream {
	s := workload.Stream{Name: "fit", Clients: 1, Arrivals: a.Kind, CV: a.CV, Tick: a.Tick}
	if len(a.Steps) == 1 {
		s.Rate = a.Steps[0].Rate
		return s
	}
	s.Curve = &workload.Curve{}
	for i, step := range a.Steps {
		if i > 0 {
			s.Curve.Points = append(s.Curve.Points, workload.Point{At: step.At, Rate: a.Steps[i-1].Rate})
		}
		s.Curve.Points = append(s.Curve.Points, workload.Point{At: step.At, Rate: step.Rate})
	}
	return s
}

// Draw returns the instants of one run of the process.
func (a *Arrivals) Draw(seed uint64, length time.Duration) ([]time.Duration, error) {
	w, err := workload.New(workload.Config{
		Seed: seed, Duration: length, Streams: []workload.Stream{a.Stream()},
		Profiles: []workload.Profile{{Context: one(), Output: one()}},
	})
	if err != nil {
		return nil, err
	}
	var at []time.Duration
	for d, ok := w.Next(0); ok; d, ok = w.Next(0) {
		at = append(at, d.Intended)
	}
	return at, w.Err()
}

func one() workload.Dist { return workload.Must(workload.Constant(1)) }

// areas returns the area under the steps between each arrival and the one before: the gaps,
// where time is measured by the rate. Their mean is about 1.
func areas(at []time.Duration, steps []Step) []float64 {
	var out []float64
	k, sum, last := 0, 0.0, 0.0 // step at hand, area up to it, area at the arrival before
	for i, t := range at {
		for k+1 < len(steps) && steps[k+1].At <= t {
			sum += steps[k].Rate * (steps[k+1].At - steps[k].At).Seconds()
			k++
		}
		area := sum + steps[k].Rate*(t-steps[k].At).Seconds()
		if i > 0 {
			out = append(out, area-last)
		}
		last = area
	}
	return out
}

// cvOf returns the coefficient of variation.
func cvOf(xs []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, x := range xs {
		mean += x
	}
	mean /= float64(len(xs))
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares/float64(len(xs)-1)) / mean
}

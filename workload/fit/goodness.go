package fit

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
	"gonum.org/v1/gonum/stat"
)

// Goodness compares a trace with a run of its fit.
type Goodness struct {
	Requests   Pair
	Dispersion []Pair // at Scales; NaN where the trace is too short
	Runs       int    // that the fit's dispersions are the mean of
	// GapKS is the Kolmogorov-Smirnov distance of the times between arrivals, which are taken to
	// whole ticks, if there is one, else to a microsecond: arrivals at once are a nanosecond
	// apart in a run.
	GapKS    float64
	GapCV    Pair
	In, Out  Tokens
	RankCorr Pair         // of prompt and answer (Spearman)
	Gaps     [2][]float64 // seconds, sorted: of the trace, of the fit
}

// Pair is a figure of the trace and of the fit.
type Pair struct{ Trace, Fit float64 }

// Off is how far the fit is off, as a share of the trace's figure.
func (p Pair) Off() float64 { return p.Fit/p.Trace - 1 }

// Shares are those at which tokens are compared.
var Shares = []float64{0.5, 0.95, 0.99}

// Tokens compares lengths.
type Tokens struct {
	Mean   Pair
	At     []Pair // at Shares
	KS     float64
	Sorted [2][]float64 // of the trace, of the fit
}

// mostRuns is how many runs the dispersions of a fit are the mean of, unless the trace is long.
const mostRuns = 10

// Judge compares the trace with runs of the fit, of the seeds from 1 on: the dispersions with
// the mean of several, all else with the first. Requests that failed when they were recorded
// have no part in tokens.
func (f *Fit) Judge(t *Trace) (*Goodness, error) {
	g := &Goodness{Dispersion: make([]Pair, len(Scales))}
	real := t.Instants()
	runs := max(2, min(mostRuns, drawn/len(real)))
	g.Runs = runs
	for i, w := range Scales {
		g.Dispersion[i].Trace = Dispersion(real, w, t.Length)
	}
	for seed := range runs {
		rows, err := f.Draw(uint64(seed + 1))
		if err != nil {
			return nil, fmt.Errorf("simulating the fit: %w", err)
		}
		if len(rows) < 3 {
			return nil, fmt.Errorf("simulating the fit: %d requests only", len(rows))
		}
		drawn := (&Trace{Rows: rows}).Instants()
		for i, w := range Scales {
			g.Dispersion[i].Fit += Dispersion(drawn, w, t.Length) / float64(runs)
		}
		if seed == 0 {
			g.compare(t.Rows, rows, max(f.Arrivals.Tick, time.Microsecond))
		}
	}
	return g, nil
}

// compare fills in what one run is compared by.
func (g *Goodness) compare(trace, fit []workload.TraceRow, grain time.Duration) {
	g.Requests = Pair{float64(len(trace)), float64(len(fit))}
	g.Gaps = [2][]float64{gaps(trace, grain), gaps(fit, grain)}
	g.GapCV = Pair{cvOf(g.Gaps[0]), cvOf(g.Gaps[1])}
	g.GapKS = KS(g.Gaps[0], g.Gaps[1])
	trace = slices.DeleteFunc(slices.Clone(trace), func(r workload.TraceRow) bool { return r.Failed })
	if len(trace) == 0 {
		return
	}
	in, out := columns(trace)
	fitIn, fitOut := columns(fit)
	g.RankCorr = Pair{RankCorrelation(in, out), RankCorrelation(fitIn, fitOut)}
	g.In, g.Out = compareTokens(in, fitIn), compareTokens(out, fitOut)
}

// gaps returns the times between arrivals, in seconds, to the nearest grain.
func gaps(rows []workload.TraceRow, grain time.Duration) []float64 {
	out := make([]float64, len(rows)-1)
	for i := range out {
		out[i] = (rows[i+1].At - rows[i].At).Round(grain).Seconds()
	}
	return out
}

// columns returns the lengths of prompts and answers; 0 counts as 1.
func columns(rows []workload.TraceRow) (in, out []float64) {
	for _, r := range rows {
		in, out = append(in, float64(max(r.In, 1))), append(out, float64(max(r.Out, 1)))
	}
	return in, out
}

// compareTokens compares two samples, which it sorts.
func compareTokens(trace, fit []float64) Tokens {
	t := Tokens{KS: KS(trace, fit), Mean: Pair{stat.Mean(trace, nil), stat.Mean(fit, nil)}}
	for _, share := range Shares {
		t.At = append(t.At, Pair{at(trace, share), at(fit, share)})
	}
	t.Sorted = [2][]float64{trace, fit}
	return t
}

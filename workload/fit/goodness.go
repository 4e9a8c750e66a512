package fit

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
	"gonum.org/v1/gonum/stat"
)

// Goodness compares a trace with a run of its fit.
type Goodness struct {
	Requests   Pair
	Dispersion []Pair // at Scales; NaN where the trace is too short
	Runs       int    // that the fit's figures are the mean of
	// GapKS is the Kolmogorov-Smirnov distance of the times between arrivals, which are taken to
	// whole ticks, if there is one, else to a microsecond: arrivals at once are a nanosecond
	// apart in a run.
	GapKS    float64
	GapCV    Pair
	In, Out  Tokens
	RankCorr Pair // of prompt and answer (Spearman)
	// Prefix is the share of the tokens in that were the beginning of an earlier prompt; 0 where
	// the format does not tell.
	Prefix   Pair
	Sessions *SessionPairs // nil: the trace has none
	// RoundsKS and PausesKS are the Kolmogorov-Smirnov distances of the requests of a session
	// and of the times between them; 0 where the trace has no sessions.
	RoundsKS, PausesKS float64
	// Gaps between arrivals and Pauses between the requests of a session, in seconds, sorted:
	// of the trace, of a run of the fit.
	Gaps, Pauses [2][]float64
}

// Pair is a figure of the trace and of the fit.
type Pair struct{ Trace, Fit float64 }

// Off is how far the fit is off, as a share of the trace's figure.
func (p Pair) Off() float64 { return p.Fit/p.Trace - 1 }

// SessionPairs compares sessions.
type SessionPairs struct {
	Count    Pair
	Rounds   Pair   // mean of the requests of a session
	RoundsAt []Pair // at Shares
	Gap      Pair   // mean seconds between them
	GapAt    []Pair // at Shares
}

// Shares are those at which tokens are compared.
var Shares = []float64{0.5, 0.95, 0.99}

// Tokens compares lengths.
type Tokens struct {
	Mean   Pair
	At     []Pair       // at Shares
	KS     float64      // NaN where all requests of the trace failed
	Sorted [2][]float64 // of the trace, of the fit
}

// mostRuns is how many runs the figures of a fit are the mean of, unless the trace is long.
const mostRuns = 10

// Judge compares the trace with runs of the fit, of the seeds from 1 on: figures with their mean over
// several, distances and what is drawn with the first. Requests that failed when they were recorded
// have no part in tokens. The error wraps [ErrRows] if a run has too few requests to be compared.
func (f *Fit) Judge(t *Trace) (*Goodness, error) {
	g := &Goodness{Runs: max(2, min(mostRuns, drawn/len(t.Rows)))}
	grain := max(f.Arrivals.Tick, time.Microsecond)
	real := newSample(t.Rows, f.Links, t.Length, grain)
	mean := make([]float64, len(real.figures))
	for seed := range g.Runs {
		rows, err := f.Draw(uint64(seed + 1))
		if err != nil {
			return nil, fmt.Errorf("simulating the fit: %w", err)
		}
		if len(rows) < 3 {
			return nil, fmt.Errorf("%w: nearly all of the %d come together, and a run of the fit has %d", ErrRows, len(t.Rows), len(rows))
		}
		of := &Links{grain: f.Links.grain}
		of.link(rows, func(r *workload.TraceRow) uint64 { return r.Conversation }, func(_, _ *workload.TraceRow) bool { return true })
		run := newSample(rows, of, t.Length, grain)
		for i, x := range run.figures {
			mean[i] += x / float64(g.Runs)
		}
		if seed == 0 {
			g.distances(real, run)
		}
	}
	g.fill(real.figures, mean, f.Links.GoOn > 0)
	return g, nil
}

// sample is what a recording or a run is compared by.
type sample struct {
	gaps, in, out, rounds, pauses []float64 // sorted
	figures                       []float64 // in the order in which fill takes them
}

func newSample(rows []workload.TraceRow, l *Links, length, grain time.Duration) *sample {
	s := &sample{gaps: gaps(rows, grain), rounds: l.sizes(), pauses: l.pauses(rows)}
	s.figures = append(s.figures, float64(len(rows)))
	at := (&Trace{Rows: rows}).Instants()
	for _, w := range Scales {
		s.figures = append(s.figures, Dispersion(at, w, length))
	}
	s.figures = append(s.figures, cvOf(s.gaps))
	whole := slices.DeleteFunc(slices.Clone(rows), func(r workload.TraceRow) bool { return r.Failed })
	s.in, s.out = columns(whole)
	s.figures = append(s.figures, RankCorrelation(s.in, s.out), l.known(rows), float64(len(l.Sessions)))
	for _, xs := range [][]float64{s.gaps, s.in, s.out, s.rounds, s.pauses} {
		slices.Sort(xs)
	}
	for _, xs := range [][]float64{s.in, s.out, s.rounds, s.pauses} {
		s.figures = append(s.figures, stat.Mean(xs, nil))
		for _, share := range Shares {
			s.figures = append(s.figures, quantile(xs, share))
		}
	}
	return s
}

// quantile is the value at a share of a sorted sample; NaN if it is empty.
func quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return at(sorted, share)
}

// fill takes the figures of the trace and of the fit, in the order of newSample.
func (g *Goodness) fill(trace, fit []float64, sessions bool) {
	next := func() Pair {
		p := Pair{trace[0], fit[0]}
		trace, fit = trace[1:], fit[1:]
		return p
	}
	list := func(n int) (out []Pair) {
		for range n {
			out = append(out, next())
		}
		return out
	}
	g.Requests = next()
	g.Dispersion = list(len(Scales))
	g.GapCV, g.RankCorr, g.Prefix = next(), next(), next()
	count := next()
	g.In.Mean, g.In.At = next(), list(len(Shares))
	g.Out.Mean, g.Out.At = next(), list(len(Shares))
	if sessions {
		g.Sessions = &SessionPairs{Count: count, Rounds: next(), RoundsAt: list(len(Shares)), Gap: next(), GapAt: list(len(Shares))}
	}
}

// distances compares one run with the trace as a whole.
func (g *Goodness) distances(trace, run *sample) {
	g.Gaps = [2][]float64{trace.gaps, run.gaps}
	g.In.Sorted, g.Out.Sorted = [2][]float64{trace.in, run.in}, [2][]float64{trace.out, run.out}
	g.Pauses = [2][]float64{trace.pauses, run.pauses}
	g.GapKS = KS(trace.gaps, run.gaps)
	g.In.KS, g.Out.KS = math.NaN(), math.NaN()
	if len(trace.in) > 0 && len(run.in) > 0 {
		g.In.KS, g.Out.KS = KS(atLeastOne(trace.in), run.in), KS(atLeastOne(trace.out), run.out)
	}
	if len(trace.pauses) > 0 && len(run.pauses) > 0 {
		g.RoundsKS, g.PausesKS = KS(trace.rounds, run.rounds), KS(trace.pauses, run.pauses)
	}
}

// atLeastOne makes lengths of 0 such of 1, which is what a fit has of them.
func atLeastOne(sorted []float64) []float64 {
	out := slices.Clone(sorted)
	for i := 0; i < len(out) && out[i] < 1; i++ {
		out[i] = 1
	}
	return out
}

// sizes returns the requests of each session.
func (l *Links) sizes() []float64 {
	out := make([]float64, len(l.Sessions))
	for i, s := range l.Sessions {
		out[i] = float64(len(s))
	}
	return out
}

// pauses returns the seconds between the requests of sessions.
func (l *Links) pauses(rows []workload.TraceRow) []float64 {
	var out []float64
	for _, s := range l.Sessions {
		for n := 1; n < len(s); n++ {
			out = append(out, (rows[s[n]].At - rows[s[n-1]].At).Seconds())
		}
	}
	return out
}

// gaps returns the times between arrivals, in seconds, to the nearest grain.
func gaps(rows []workload.TraceRow, grain time.Duration) []float64 {
	out := make([]float64, len(rows)-1)
	for i := range out {
		out[i] = (rows[i+1].At - rows[i].At).Round(grain).Seconds()
	}
	return out
}

// columns returns the lengths of prompts and answers.
func columns(rows []workload.TraceRow) (in, out []float64) {
	for _, r := range rows {
		in, out = append(in, float64(r.In)), append(out, float64(r.Out))
	}
	return in, out
}

package fit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/optimize"
)

// Call is one measured answer.
type Call struct {
	Model, Profile string        // "" if not told
	In, Out        int64         // tokens
	First, Total   time.Duration // from the send: to the first token, to the end
}

// Latency is the time to answer of one model, in the form that the mock has it: the first
// token after (Base + PerPromptToken*in) * noise, each further one after PerOutputToken *
// noise, where noise is log-normal of median 1 or as it was measured.
type Latency struct {
	Model          string
	Calls          int
	Base           time.Duration
	PerPromptToken time.Duration
	PerOutputToken time.Duration
	FirstToken     Noise
	Output         Noise
	// OnePrompt: all prompts are about as long, so that Base holds what the prompt costs too.
	OnePrompt bool
	// NoOutput: no answer has two tokens, so that nothing is known of PerOutputToken.
	NoOutput     bool
	First, Total Timing
}

// Timing compares measured times with those of the fit for the same tokens, noise drawn anew.
type Timing struct {
	At     []Pair       // seconds, at Shares
	KS     float64      // Kolmogorov-Smirnov distance
	Sorted [2][]float64 // of the measurements, of the fit
}

// ErrCalls is what errors about too few measured calls wrap, ErrModels those about calls of several
// models where one is wanted, ErrTimes those about times that no model has.
var (
	ErrCalls  = errors.New("too few measured calls")
	ErrModels = errors.New("measured calls of several models")
	ErrTimes  = errors.New("times that are longer than those of any model")
)

// longestTime and largestSigma are the bounds of a model's times and of their noise.
const (
	longestTime  = time.Hour
	largestSigma = 5.0
)

// huber is where a residual begins to count by its size and no longer by its square, in units
// of sigma: 95 % as efficient as least squares where noise is normal (Huber, 1964).
const huber = 1.345

// FitLatency fits the calls of one model: least squares of the logarithms, in which a few
// outliers count little, and the noise about that. It returns an error that wraps [ErrCalls] if there are fewer than [MinRows],
// or [ErrTimes] if one of the times is above an hour.
func FitLatency(model string, calls []Call) (*Latency, error) {
	if len(calls) < MinRows {
		of := ""
		if model != "" {
			of = fmt.Sprintf(" of model %q", model)
		}
		return nil, fmt.Errorf("%w: %d%s, at least %d are needed", ErrCalls, len(calls), of, MinRows)
	}
	l := &Latency{Model: model, Calls: len(calls)}
	if err := l.fitFirst(calls); err != nil {
		return nil, err
	}
	l.fitOutput(calls)
	for _, t := range []struct {
		what string
		is   time.Duration
	}{{"an empty prompt", l.Base}, {"each token of a prompt", l.PerPromptToken}, {"each further token", l.PerOutputToken}} {
		if t.is > longestTime {
			return nil, fmt.Errorf("%w: %v for %s, at most %v are possible", ErrTimes, t.is.Round(time.Second), t.what, longestTime)
		}
	}
	l.compare(calls)
	return l, nil
}

// fitFirst fits the time to the first token.
func (l *Latency) fitFirst(calls []Call) error {
	in, logs := make([]float64, len(calls)), make([]float64, len(calls))
	for i, c := range calls {
		in[i], logs[i] = float64(c.In), math.Log(c.First.Seconds())
	}
	base, slope := start(in, logs)
	l.OnePrompt = slope == 0
	if !l.OnePrompt {
		for range 3 {
			sigma := max(newShares(residuals(in, logs, base, slope), equal(len(in))).deviation(), 1e-6)
			var err error
			if base, slope, err = descend(in, logs, base, slope, sigma); err != nil {
				return fmt.Errorf("fitting the first token of model %q: %w", l.Model, err)
			}
		}
	}
	rest := residuals(in, logs, base, slope)
	if l.OnePrompt {
		base *= math.Exp(median(rest))
		rest = residuals(in, logs, base, slope)
	}
	l.Base, l.PerPromptToken = seconds(base), seconds(slope)
	l.FirstToken = fitNoise(rest, equal(len(rest)))
	return nil
}

// start guesses base and slope from the medians of the short and of the long prompts; slope
// is 0 if prompts hardly differ.
func start(in, logs []float64) (base, slope float64) {
	order := make([]int, len(in))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in[a], in[b]) })
	third := len(order) / 3
	part := func(of []int) (x, y float64) {
		var xs, ys []float64
		for _, i := range of {
			xs, ys = append(xs, in[i]), append(ys, math.Exp(logs[i]))
		}
		return median(xs), median(ys)
	}
	x0, y0 := part(order[:third])
	x1, y1 := part(order[len(order)-third:])
	if x1 < 1.2*x0+8 {
		return median(expAll(logs)), 0
	}
	slope = max((y1-y0)/(x1-x0), 1e-9)
	return max(y0-slope*x0, y0/100), slope
}

// descend minimises Huber's loss over the logarithms of base and slope.
func descend(in, logs []float64, base, slope, sigma float64) (float64, float64, error) {
	loss := func(x []float64) float64 {
		sum := 0.0
		for _, r := range residuals(in, logs, math.Exp(x[0]), math.Exp(x[1])) {
			if r = math.Abs(r) / sigma; r <= huber {
				sum += r * r / 2
			} else {
				sum += huber * (r - huber/2)
			}
		}
		return sum
	}
	res, err := optimize.Minimize(optimize.Problem{Func: loss}, []float64{math.Log(base), math.Log(slope)},
		&optimize.Settings{MajorIterations: 500}, &optimize.NelderMead{})
	if err != nil && res == nil {
		return 0, 0, err
	}
	return math.Exp(res.X[0]), math.Exp(res.X[1]), nil
}

// fitOutput fits the time of each further token: alike for all answers, so its median over the
// tokens. An answer counts by its tokens, for those of short ones vary most and matter least.
func (l *Latency) fitOutput(calls []Call) {
	var logs, tokens []float64
	for _, c := range calls {
		if rest := c.Total - c.First; c.Out > 1 && rest > 0 {
			logs, tokens = append(logs, math.Log(rest.Seconds()/float64(c.Out-1))), append(tokens, float64(c.Out-1))
		}
	}
	if l.NoOutput = len(logs) < MinRows; l.NoOutput {
		return
	}
	m := newShares(logs, tokens).at(0.5)
	for i := range logs {
		logs[i] -= m
	}
	l.PerOutputToken = seconds(math.Exp(m))
	l.Output = fitNoise(logs, tokens)
}

// residuals are the logarithms of measured over fitted times.
func residuals(in, logs []float64, base, slope float64) []float64 {
	out := make([]float64, len(in))
	for i := range in {
		out[i] = logs[i] - math.Log(base+slope*in[i])
	}
	return out
}

func median(xs []float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func expAll(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, x := range logs {
		out[i] = math.Exp(x)
	}
	return out
}

// seconds is a duration of so many, at most a hundred years.
func seconds(s float64) time.Duration {
	return time.Duration(math.Round(min(s, 3.2e9) * float64(time.Second)))
}

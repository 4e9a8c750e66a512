package plan

import (
	"math"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"gonum.org/v1/gonum/stat/distuv"
)

// A point is judged by what a further run would do, and not by the mean of those that were made: who takes a plan's
// answer lives through one day, not through the mean of many. With the margins m of the R replications, each the
// smallest of the run's objectives, a further run's margin lies above
//
//	mean(m) - t * sd(m) * sqrt(1 + 1/R)
//
// in 95 of 100 cases, t the 95 % quantile of Student's distribution with R-1 degrees of freedom (the
// one-sided prediction limit of a normal sample: Hahn and Meeker, Statistical Intervals, 1991, 4.6;
// Whitmore, Prediction limits for a univariate normal observation, The American Statistician 40, 1986). Margins are
// bounded (report.Expect.Margin), so that one run that fails utterly does not swallow the rest.
//
//   - pass: every replication met every objective, and that limit is not below 0 (it is 0 where every run gives exactly
//     the bound of a <= or >=);
//   - fail: no replication met all of them, and the upper limit is not above 0;
//   - uncertain: anything else. It depends on the seed.
const (
	// PredictionLevel is the confidence of the one-sided limits of a further run.
	PredictionLevel = 0.95
	// ConfidenceLevel is that of the two-sided intervals of means.
	ConfidenceLevel = 0.95
	// FewReps is the number of replications below which the report says that they are few: with five the
	// prediction limit lies 2.3 standard deviations from the mean, with ten 1.9, with any number 1.6.
	FewReps = 5
)

// Statuses of a point.
const (
	Pass      = "pass"
	Fail      = "fail"
	Uncertain = "uncertain"
	Unknown   = "unknown" // it was not run, or not as often as was wanted
)

// Estimate is a figure over the replications.
type Estimate struct {
	Mean report.Num `json:"mean"`
	// Low and High are Student's two-sided 95 % interval of the mean; null with one replication.
	Low  report.Num `json:"low"`
	High report.Num `json:"high"`
	N    int        `json:"n"`
}

// estimate takes values in the order of replications.
func estimate(xs []float64) Estimate {
	nan := report.Num(math.NaN())
	e := Estimate{Mean: nan, Low: nan, High: nan, N: len(xs)}
	mean, sd := moments(xs)
	if len(xs) == 0 {
		return e
	}
	e.Mean = report.Num(mean)
	if n := float64(len(xs)); n > 1 {
		half := student(n-1, (1+ConfidenceLevel)/2) * sd / math.Sqrt(n)
		e.Low, e.High = report.Num(mean-half), report.Num(mean+half)
	}
	return e
}

// moments are the mean and the standard deviation of a sample.
func moments(xs []float64) (mean, sd float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	if len(xs) < 2 {
		return mean, math.NaN()
	}
	for _, x := range xs {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / float64(len(xs)-1))
}

func student(freedom, p float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(p)
}

// Prediction holds the one-sided limits for the margin of one further run, each at [PredictionLevel].
type Prediction struct {
	Low  report.Num `json:"low"`
	High report.Num `json:"high"`
}

// predict returns the limits; NaN of fewer than two runs.
func predict(margins []float64) Prediction {
	mean, sd := moments(margins)
	n := float64(len(margins))
	if n < 2 {
		return Prediction{report.Num(math.NaN()), report.Num(math.NaN())}
	}
	half := student(n-1, PredictionLevel) * sd * math.Sqrt(1+1/n)
	return Prediction{report.Num(mean - half), report.Num(mean + half)}
}

// judge is the rule. Met says of each run whether it met every objective.
func judge(margins []float64, met []bool) string {
	if len(margins) < 2 {
		return Unknown
	}
	p := predict(margins)
	switch all, some := !slices.Contains(met, false), slices.Contains(met, true); {
	case all && p.Low >= 0:
		return Pass
	case !some && p.High <= 0:
		return Fail
	}
	return Uncertain
}

// marginOf is the margin of a value by [report.Expect.Margin], but where the bound is the end of what the metric can be and the value
// lies on it: there is no distance to keep from what cannot be passed, so that <= and >= are met as well as can be (as == is), and < and >
// are missed as badly.
func marginOf(e *report.Expect, v float64) float64 {
	part := e.Unit() == report.UnitShare && !strings.HasSuffix(e.Num.Metric, "_utilisation") // a limit may be exceeded
	if end := e.Bound == 0 || e.Bound == 1 && part; v != e.Bound || !end {
		return e.Margin(v)
	}
	if e.Holds(v) {
		return 1
	}
	return -1
}

// straddles reports whether 0 lies within the interval of the mean.
func (e Estimate) straddles() bool { return e.Low < 0 && e.High > 0 }

// pairedHigh is the upper limit, at [monotoneLevel] two-sided, of the mean difference of margins a - b.
func pairedHigh(a, b *Point) float64 {
	if len(a.margins) != len(b.margins) || len(a.margins) < 2 {
		return math.Inf(1)
	}
	d := make([]float64, len(a.margins))
	for i := range d {
		d[i] = a.margins[i] - b.margins[i]
	}
	mean, sd := moments(d)
	n := float64(len(d))
	return mean + student(n-1, (1+monotoneLevel)/2)*sd/math.Sqrt(n)
}

package plan

import "github.com/seed-4fd17b57/simload/report"

// Schema names the version of the planning report.
const Schema = "simload.plan/v1"

// Report is the planning report: everything that its renderings need, and nothing that differs between two
// runs of the same plan (no wall times, no number of processors, nothing of interruptions that were resumed).
type Report struct {
	Schema   string          `json:"schema"`
	Tool     report.Tool     `json:"tool"`
	Scenario report.Scenario `json:"scenario"`
	Plan     Settings        `json:"plan"`
	// Status is "found", "uncertain" (an answer, or a point of a frontier, whose boundary depends on the seed), "not attainable" (of some
	// variant), "invalid" (a run broke a law) or "partial": the gravest that applies, partial first.
	Status   string     `json:"status"`
	Sentence []string   `json:"sentence"` // the answer in words, one sentence for each variant
	Notes    []string   `json:"notes"`    // what was left out, and why
	Runs     int        `json:"runs"`     // runs that the report rests on
	Broken   []string   `json:"broken"`   // runs that break a law; nothing here is to be believed then
	Answers  []Answer   `json:"answers"`  // of one axis, by variant
	Crossed  []Crossed  `json:"crossed,omitempty"`
	Frontier []Frontier `json:"frontier,omitempty"` // of two axes, by variant
}

// Settings repeat what was asked for.
type Settings struct {
	Axes       []Axis   `json:"axes"`
	Direction  string   `json:"direction"`
	Objectives []string `json:"objectives"`    // that are judged
	SLO        []string `json:"slo,omitempty"` // those of them that took the place of the scenario's
	Reps       int      `json:"reps"`
	// Variants, Growth and Along are as in [Config]: what was asked for, so that [Auto] stands as it is; the demands it came to are in
	// [Answer]. Empty where nothing was said.
	Variants    []string `json:"variants,omitempty"`
	Growth      []string `json:"growth,omitempty"`
	Along       []string `json:"along,omitempty"`
	Sensitivity bool     `json:"sensitivity"`
	Seeds       []uint64 `json:"seeds"` // of the replications, the same at every point
	// Levels of the intervals of means (two-sided) and of the limits for a further run (one-sided).
	ConfidenceLevel report.Num `json:"confidence_level"`
	PredictionLevel report.Num `json:"prediction_level"`
}

// Statuses of an answer, and of a report.
const (
	Found        = "found"
	Unattainable = "not attainable"
	Invalid      = "invalid"
	Partial      = "partial"
)

// Answer is what came out for one variant.
type Answer struct {
	Variant  string `json:"variant"`
	Status   string `json:"status"`
	Sentence string `json:"sentence"`
	// Value is the answer, and Beside the value next to it that does not pass; empty where there is none.
	Value  string `json:"value,omitempty"`
	Beside string `json:"beside,omitempty"`
	// Best is the value of those tried that is nearest to the objectives where there is no Value, the most generous of equal ones.
	Best string `json:"best,omitempty"`
	// Gain is the margin at Value less that at Beside, paired by replication; null where there is no Beside.
	Gain      *Estimate    `json:"gain,omitempty"`
	Monotone  Monotone     `json:"monotone"`
	Points    []Point      `json:"points"` // that were tried, in the order of the axis
	Static    StaticAnswer `json:"static"`
	Resources []Resource   `json:"resources"` // at the answer, or at the best value; the nearest to binding first
	// Sensitivity and Growth are there if they were asked for and there is an answer.
	Sensitivity []Change `json:"sensitivity,omitempty"`
	Growth      []Grown  `json:"growth,omitempty"`
}

// Monotone says whether more of the axis was ever worse.
type Monotone struct {
	OK      bool     `json:"ok"`
	Points  int      `json:"points"`  // that were compared
	Scanned bool     `json:"scanned"` // every value of the range was tried
	Notes   []string `json:"notes"`   // what is not monotone, by name
}

// Point is a configuration and what its replications gave.
type Point struct {
	Values     []string    `json:"values"` // by axis
	Status     string      `json:"status"`
	Met        int         `json:"met"`  // runs that met every objective
	Reps       int         `json:"reps"` // runs that were made
	Objectives []Objective `json:"objectives"`
	// Margin is the smallest margin of each run, and Next what a further run's would be.
	Margin Estimate   `json:"margin"`
	Next   Prediction `json:"next"`
	Cost   Cost       `json:"cost"`
	Bound  string     `json:"bound"` // what bound the first replication
	Static Static     `json:"static"`

	margins []float64 // by replication
	samples []Sample
}

// Objective is an expectation over the replications of a point.
type Objective struct {
	Expr   string   `json:"expr"`
	Value  Estimate `json:"value"` // of the runs that have one; a failure has none
	Margin Estimate `json:"margin"`
	Met    int      `json:"met"`
	// Unmeasured is in how many runs there was nothing to measure, such as no request of the profile. Of the others without a value it is
	// a failure.
	Unmeasured int    `json:"unmeasured,omitempty"`
	Note       string `json:"note,omitempty"` // of the first run that has one
}

// Cost is the bill of a month of 30 days of this load, the mean of the replications.
type Cost struct {
	MonthUSD  report.Num `json:"month_usd"`
	MonthCNY  report.Num `json:"month_cny"`
	BudgetUSD report.Num `json:"budget_usd"` // of a month; 0: none
	BudgetUse report.Num `json:"budget_use"` // share of it; null without one
}

// Resource is how far something is from binding.
type Resource struct {
	Kind string `json:"kind"` // one of [Kinds], or [KindOther]
	Name string `json:"name"`
	// Use is the share of it that is taken, the mean of the replications: of a limit in the worst minute, of slots on average,
	// of a reserve the time in which requests waited for it, of the upstream the part of the requests' time that it takes. Null: there
	// is no such limit, as the note says.
	Use report.Num `json:"use"`
	// Free is what is left until it binds, in shares of the same whole: a client that keeps to its headroom is bound at that.
	Free report.Num `json:"free"`
	Note string     `json:"note,omitempty"`
}

// Change is the answer with one thing changed.
type Change struct {
	Name    string   `json:"name"`
	Sets    []string `json:"sets,omitempty"`    // overrides that make it
	Skipped string   `json:"skipped,omitempty"` // why it was not run
	Point   *Point   `json:"point,omitempty"`
	// Delta is its margin less that of the answer, paired by replication.
	Delta *Estimate `json:"delta,omitempty"`
}

// Grown is the answer for another demand.
type Grown struct {
	Demand string     `json:"demand"` // as asked for
	Factor report.Num `json:"factor"` // of the scenario's demand
	Sets   []string   `json:"sets"`
	Range  string     `json:"range"` // that was searched
	Answer Answer     `json:"answer"`
}

// Crossed is what each variant makes of another's answer.
type Crossed struct {
	Value string `json:"value"`
	Of    string `json:"of"` // the variant whose answer it is
	// Variants and Points are parallel.
	Variants []string `json:"variants"`
	Points   []Point  `json:"points"`
}

// Frontier is the grid of two axes for one variant.
type Frontier struct {
	Variant  string `json:"variant"`
	Sentence string `json:"sentence"`
	// Rows hold for each value of the first axis the best of the second.
	Rows     []FrontierRow `json:"rows"`
	Monotone Monotone      `json:"monotone"`
	Points   []Point       `json:"points"` // row by row
	// Cheapest is the index into Rows of the frontier's cheapest point, of those that carry the most demand where one axis is of
	// demand; null: nothing passes. Sensitivity changes one thing there.
	Cheapest    *int     `json:"cheapest"`
	Sensitivity []Change `json:"sensitivity,omitempty"`
}

// FrontierRow is a value of the first axis.
type FrontierRow struct {
	First  string `json:"first"`
	Second string `json:"second,omitempty"` // empty: no value of the range passes
	Static string `json:"static,omitempty"` // by static arithmetic
	Point  int    `json:"point"`            // index into Points of that, or of the best
	Status string `json:"status"`
	// Resources are those at Point, the nearest to binding first.
	Resources []Resource `json:"resources"`
}

// ExitCode is that of the program: an answer is report.ExitPass, none is report.ExitFail; a run that broke a law and an interruption
// come before both.
func (r *Report) ExitCode() int {
	code := report.ExitPass
	if r.Status == Unattainable {
		code = report.ExitFail
	}
	if len(r.Broken) > 0 {
		code = report.WorstExit(code, report.ExitInvalid)
	}
	if r.Status == Partial {
		code = report.WorstExit(code, report.ExitInterrupted)
	}
	return code
}

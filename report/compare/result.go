package compare

import "github.com/seed-4fd17b57/simload/report"

// Schema names the version of the comparison file.
const Schema = "simload.compare/v1"

// Verdict is what became of a metric, a variant or all of them.
type Verdict string

// Verdicts. A whole is worse if anything is; else better if anything is; else not enough if that
// is true of anything; else the same.
const (
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Same      Verdict = "same"       // no significant change, or one below the threshold
	NotEnough Verdict = "not enough" // too few replications to show any change
	NotJudged Verdict = "not judged" // there is no value on one side, or on neither
)

// Method is how two values were compared; the package's documentation says when and why.
type Method string

// Methods.
const (
	Exact  Method = "exact"        // one run each, with the same seed
	Paired Method = "paired"       // replications with the same seeds: sign test
	Ranks  Method = "mann-whitney" // two samples
)

// Result is the comparison file: what two sets of reports say of each other.
type Result struct {
	Schema  string  `json:"schema"`
	Verdict Verdict `json:"verdict"`
	Summary string  `json:"summary"` // one sentence
	Alpha   float64 `json:"alpha"`   // level of significance, over the whole comparison
	// Tests is the number of judged metrics that were tested; exact differences are no tests. Family is how many of them Holm's
	// correction is over: those that could have become significant.
	Tests  int `json:"tests"`
	Family int `json:"family"`
	// Enough is the number of replications that would do, on each side, if there are too few for a verdict on some metric.
	Enough    int        `json:"enough,omitempty"`
	Scenarios []Scenario `json:"scenarios"`
	// Unmatched are the scenarios without a partner.
	Unmatched []Missing `json:"unmatched"`

	sentence string // the summary with spaces that do not break
	strict   bool   // Options.Strict
}

// Scenario is the comparison of two reports.
type Scenario struct {
	Name string `json:"name"`
	Base Origin `json:"base"`
	New  Origin `json:"new"`
	// Forced are the reasons for which the two would have been refused.
	Forced []string `json:"forced"`
	// Notes are differences between the reports that explain what is seen, and do not forbid to compare.
	Notes     []string  `json:"notes"`
	Variants  []Variant `json:"variants"`
	Unmatched []Missing `json:"unmatched"` // variants without a partner
}

// Origin says where a report came from.
type Origin struct {
	Scenario     string      `json:"scenario"`
	File         string      `json:"file,omitempty"` // the scenario's
	SHA256       string      `json:"sha256"`
	DemandSHA256 string      `json:"demand_sha256"`
	Seed         uint64      `json:"seed"`
	Replications int         `json:"replications"` // 1: a single run
	Mode         string      `json:"mode"`
	Target       string      `json:"target,omitempty"`
	Overrides    []string    `json:"overrides,omitempty"`
	Status       string      `json:"status"` // the verdict on the run
	Tool         report.Tool `json:"tool"`
}

// Variant is the comparison of one variant with itself.
type Variant struct {
	Name   string `json:"name"`
	Method Method `json:"method"`
	// BaseN and NewN are the runs that were compared; of pairs, both are their number.
	BaseN int `json:"base_n"`
	NewN  int `json:"new_n"`
	// Identical: both runs had the same order of events (their digests agree).
	Identical   bool      `json:"identical"`
	Primary     []Row     `json:"primary"`
	Information []Row     `json:"information"`
	Unmatched   []Missing `json:"unmatched"` // profiles and metrics without a partner
	Notes       []string  `json:"notes"`
}

// Missing is something that one side lacks.
type Missing struct {
	What  string `json:"what"`  // "scenario smoke", "variant fixed", "profile notes"
	In    string `json:"in"`    // "base" or "new": the side that has it
	Means string `json:"means"` // what follows
}

// Row is one metric. Base and New are the values, of replications their medians; null is a failure if there are
// some (BaseFailed, NewFailed) and was not measured otherwise. Difference is the relative effect (0.05: 5 % more), Low to High
// its 95 % interval. Difference is null where there is no ratio, and Change says what happened instead. P and PHolm are null where there was no
// test; PHolm is null of information too, and of tests outside of the family.
type Row struct {
	Metric     string     `json:"metric"` // as expectations write it
	Unit       string     `json:"unit"`   // s, share, count, rate, money
	Direction  string     `json:"better"` // lower, higher or neither
	Base       report.Num `json:"base"`
	New        report.Num `json:"new"`
	BaseFailed int        `json:"base_failed,omitempty"` // runs in which the latency is a failure
	NewFailed  int        `json:"new_failed,omitempty"`
	Difference report.Num `json:"difference"`
	Low        report.Num `json:"low"`
	High       report.Num `json:"high"`
	Change     string     `json:"change,omitempty"` // "from 0", "to 0", "to failure", "from failure"
	P          report.Num `json:"p"`
	PHolm      report.Num `json:"p_holm"`
	N          int        `json:"n"` // pairs, or runs of the smaller side
	Threshold  report.Num `json:"threshold"`
	Method     Method     `json:"method"`
	Verdict    Verdict    `json:"verdict,omitempty"` // empty: information
	Note       string     `json:"note,omitempty"`

	term     report.Term
	same     bool    // the values are equal, run by run or as samples
	tested   bool    // there is a p
	leastP   float64 // the smallest that so many replications with so many ties can give
	untiedP  float64 // and that without ties
	inFamily bool    // Holm's correction is over it and others
	effect   effect
}

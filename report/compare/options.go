package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
)

// Options say what counts as a change.
type Options struct {
	// Force compares what would be refused.
	Force bool
	// Strict makes the exit code of a result with too few replications for a verdict that of a regression.
	Strict bool
	// Alpha is the chance that anything is called changed when nothing has, over the whole comparison,
	// between 0 and 1. Higher finds smaller changes and raises more false alarms.
	Alpha float64
	// Thresholds are the least relative effects, as shares (0.01: 1 %), by metric ("p99") or by metric and group
	// ("p99{profile=notes}"). Higher keeps small changes out of the verdict; 0 lets in any that is significant.
	Thresholds map[string]float64
	// Threshold is that of all metrics that Thresholds do not name; nil: DefaultThreshold.
	Threshold *float64
	// Resamples of each bootstrap interval; 0: 10 000. More makes the bounds steadier, and takes longer. No verdict depends on it.
	Resamples int
}

// Default returns the options of a comparison without any: alpha 2.5 %, and DefaultThreshold.
//
// With ten pairs the least p of the sign test is 2/1024, and after Holm's correction over eight metrics 0.0156. So
// ten replications are enough for a change among any eight metrics at 2.5 %, and nine are not.
func Default() Options { return Options{Alpha: 0.025} }

// DefaultThreshold is the least relative effect that counts when nothing else is said. Times, rates and money: 0.5 %, so that
// 1 % more service time is found, and five times the resolution of the histograms is not passed off as a change. Shares and
// counts: 5 %, as they are made of few events.
func DefaultThreshold(u report.Unit) float64 {
	switch u {
	case report.UnitTime, report.UnitRate, report.UnitMoney:
		return 0.005
	case report.UnitShare, report.UnitNumber, report.UnitRatio:
	}
	return 0.05
}

// Floor is the least difference that counts where a value is 0, and so no ratio exists, in the metric's base unit: one
// of a count, 0.1 percentage points of a share, 1 ms, 0.001 of a rate or of money.
func Floor(u report.Unit) float64 {
	if u == report.UnitNumber {
		return 1
	}
	return 0.001
}

// Validate reports options that no comparison can be made with.
func (o *Options) Validate() error {
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return fmt.Errorf("alpha: %v is not between 0 and 1", o.Alpha)
	}
	if o.Resamples < 0 {
		return fmt.Errorf("resamples: %d is negative", o.Resamples)
	}
	return nil
}

// SetThreshold takes a threshold as it is written on a command line: "2", "2%", "p99=2%" or "p99{profile=notes}=2%",
// all in percent. Without a metric it is that of all that are not named.
func (o *Options) SetThreshold(text string) error {
	name, number := "", text
	if i := strings.LastIndexByte(text, '='); i >= 0 {
		name, number = strings.TrimSpace(text[:i]), text[i+1:]
	}
	percent, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(number), "%")), 64)
	if err != nil || !(percent >= 0) || math.IsInf(percent, 0) {
		return fmt.Errorf("threshold %q: found %q, allowed is a percentage of 0 or more, such as 2%%", text, number)
	}
	share := percent / 100
	if !strings.Contains(text, "=") {
		o.Threshold = &share
		return nil
	}
	// An expectation is the one form in which metrics and groups are written.
	e, err := report.ParseExpect(name + " == 0s")
	if err != nil {
		e, err = report.ParseExpect(name + " == 0")
	}
	if err != nil || e.Den != nil || e.Num.Variant != "" || !slices.Contains(primaryNames, e.Num.Metric) {
		word, _, _ := strings.Cut(name, "{")
		return unjudged(text, name, primaryNames, word)
	}
	if by := e.Num.By; by != (report.By{}) && (e.Num.Metric != primaryNames[0] || by != report.By{Profile: by.Profile}) {
		return fmt.Errorf("threshold %q: found %q, but of groups only the %s of profiles is judged, such as %s{profile=NAME}",
			text, name, primaryNames[0], primaryNames[0])
	}
	if o.Thresholds == nil {
		o.Thresholds = map[string]float64{}
	}
	o.Thresholds[e.Num.String()] = share
	return nil
}

// unjudged says that a threshold is for something on which nothing depends.
func unjudged(text, name string, allowed []string, word string) error {
	hint := report.DidYouMean(strings.TrimSpace(word), allowed)
	if hint != "" {
		hint = "; " + hint
	}
	return fmt.Errorf("threshold %q: found %q, allowed is a metric that is judged: %s%s", text, name, report.Clean(strings.Join(allowed, ", "), 4*nameWidth), hint)
}

// CheckThresholds reports a threshold for a profile of which none of the reports judges the latency. Reports
// does not ask, so that thresholds can be given for many comparisons at once.
func (o *Options) CheckThresholds(reports []*report.Report) error {
	var allowed []string
	for _, r := range reports {
		for i := range r.Variants {
			for _, t := range Primary(r.Variants[i].Profiles) {
				if name := t.String(); !slices.Contains(allowed, name) {
					allowed = append(allowed, name)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Thresholds)) {
		if !slices.Contains(primaryNames, name) && !slices.Contains(allowed, name) {
			return unjudged(name, name, allowed, name)
		}
	}
	return nil
}

// threshold returns the least relative effect of a metric.
func (o *Options) threshold(t report.Term) float64 {
	t.Variant = ""
	if x, ok := o.Thresholds[t.String()]; ok {
		return x
	}
	if x, ok := o.Thresholds[t.Metric]; ok {
		return x
	}
	if o.Threshold != nil {
		return *o.Threshold
	}
	return DefaultThreshold(t.Unit())
}

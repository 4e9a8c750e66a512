package compare

import (
	"cmp"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
)

// maxProfiles is the number of profiles whose p99 is judged: with the five metrics of everything, eight in all.
const maxProfiles = 3

// primaryNames are the metrics that are judged, the first of them by profile.
var primaryNames = []string{"p99", "throughput", "ratio_429", "dead_letters", "duplicate_writes", "cost_per_1000"}

// Primary returns the metrics of a variant that are judged, at most eight: p99 of up to three profiles, and the rest of
// everything. Profiles of the highest class come first, those of one class in the scenario's order.
func Primary(profiles []report.Profile) []report.Term {
	byClass := slices.Clone(profiles)
	slices.SortStableFunc(byClass, func(a, b report.Profile) int { return cmp.Compare(a.Class, b.Class) })
	var out []report.Term
	for _, p := range byClass[:min(len(byClass), maxProfiles)] {
		out = append(out, report.Term{Metric: primaryNames[0], By: report.By{Profile: p.Name}})
	}
	for _, name := range primaryNames[1:] {
		out = append(out, report.Term{Metric: name})
	}
	return out
}

// profileInfo and classInfo are shown of each profile and class.
var (
	profileInfo = []string{"p50", "p95", "p99", "p50_ok", "p95_ok", "p99_ok", "first_token_p95", "throughput", "ratio_ok", "ratio_429", "attempts_per_request", "cost_per_1000"}
	classInfo   = []string{"p50", "p95", "p99", "ratio_ok"}
)

// information returns the metrics that are shown without being judged.
func information(profiles []report.Profile, judged []report.Term) []report.Term {
	var out []report.Term
	add := func(t report.Term) {
		if t.Known() && !slices.Contains(judged, t) {
			out = append(out, t)
		}
	}
	var classes []string
	for _, p := range profiles {
		for _, name := range profileInfo {
			add(report.Term{Metric: name, By: report.By{Profile: p.Name}})
		}
		if !slices.Contains(classes, p.Class) {
			classes = append(classes, p.Class)
		}
	}
	slices.Sort(classes)
	for _, c := range classes {
		for _, name := range classInfo {
			add(report.Term{Metric: name, By: report.By{Class: c}})
		}
	}
	for _, name := range []string{"p50", "p95", "p99"} {
		add(report.Term{Metric: name})
	}
	for _, name := range report.MetricNames() {
		if t := (report.Term{Metric: name}); t.Unit() != report.UnitTime {
			add(t)
		}
	}
	return out
}

// unitName is what a value of the file is measured in.
func unitName(u report.Unit) string {
	switch u {
	case report.UnitTime:
		return "s"
	case report.UnitShare, report.UnitRatio:
		return "share"
	case report.UnitRate:
		return "rate"
	case report.UnitMoney:
		return "money"
	case report.UnitNumber:
	}
	return "count"
}

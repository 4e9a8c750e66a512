package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// Sample is what a plan keeps of one run. It is a line of the results file, and a run that is read back from
// there counts as one that has just ended: all figures are rounded as in the file before they are used.
type Sample struct {
	Point   string `json:"point"` // overrides of the point, with spaces between
	Variant string `json:"variant"`
	Rep     int    `json:"rep"` // from 0
	Seed    uint64 `json:"seed"`

	Checks []Outcome `json:"checks"` // by objective

	CostUSD  report.Num `json:"cost_usd"` // of the measured window
	Requests int64      `json:"requests"`
	Events   int64      `json:"events"`
	Attempts int64      `json:"attempts"`
	HTTP429  int64      `json:"http_429"`

	Bound     string         `json:"bound"`     // report.Bound.Resource
	Resources []report.Share `json:"resources"` // how far each was used: report.Bound.Resources
	Waits     []report.Share `json:"waits"`     // share of the time in which requests waited at a gate, by what for
	WireShare report.Num     `json:"wire_share"`
	Loads     []ModelLoad    `json:"loads"` // of the models that are asked for first
	Broken    string         `json:"broken,omitempty"`
}

// Outcome is an objective in one run.
type Outcome struct {
	Value  report.Num `json:"value"` // null: not measured, or a failure
	Margin report.Num `json:"margin"`
	OK     bool       `json:"ok"`
	// Unmeasured: there was nothing to measure, as the note says; a failure was measured.
	Unmeasured bool   `json:"unmeasured,omitempty"`
	Note       string `json:"note,omitempty"`
}

// ModelLoad is how busy a model was.
type ModelLoad struct {
	Model       string     `json:"model"`
	ResponseS   report.Num `json:"response_s"` // mean from the first send, of the requests that ask for it first
	InFlight    report.Num `json:"in_flight_mean"`
	InFlightMax report.Num `json:"in_flight_max"`
	Cached      report.Num `json:"cached"` // part of the prompts' tokens that was read from the vendor's cache
}

// run is one run of a sweep.
type run struct {
	point   *point
	subject *subject
	rep     int
}

// measure makes the sample of a run.
func measure(out *sim.Single, objectives []report.Expect) Sample {
	v := &out.Variant
	s := Sample{
		Variant: v.Name, CostUSD: v.Cost.Total, Requests: out.Requests, Events: out.Events,
		Attempts: out.Attempts, HTTP429: out.HTTP429, Bound: v.Bound.Resource, Resources: v.Bound.Resources,
		Waits: waits(v), WireShare: wireShare(v), Loads: loads(out),
	}
	variants := []report.Variant{*v}
	for _, c := range report.EvalAll(objectives, variants) {
		i := len(s.Checks)
		s.Checks = append(s.Checks, Outcome{
			Value: c.Value, Margin: report.Num(marginOf(&objectives[i], float64(c.Value))), OK: c.OK, Unmeasured: math.IsNaN(float64(c.Value)), Note: c.Note,
		})
	}
	rep := report.Report{Variants: variants}
	report.Judge(&rep, nil, false, nil)
	if rep.Verdict.Status == report.StatusInvalid {
		s.Broken = rep.Verdict.Reasons[0]
	}
	return s
}

// waits lists how much of the time requests waited, by gate and resource, the most first.
func waits(v *report.Variant) []report.Share {
	out := []report.Share{}
	for _, g := range v.Stack.Gates {
		for _, b := range g.BlockedOn {
			out = append(out, report.Share{Name: b.Name + " at " + g.Model, Share: b.Share})
		}
	}
	slices.SortStableFunc(out, func(a, b report.Share) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// wireShare is the part of the requests' time from their intended instants on that passed after their first send.
func wireShare(v *report.Variant) report.Num {
	var wire, total float64
	for i := range v.Latency {
		l := &v.Latency[i]
		if l.By.Profile == "" || l.By.Model != "" || l.By.Key != "" || l.Count == 0 {
			continue
		}
		switch l.Metric {
		case report.MetricTotal:
			total += float64(l.MeanMS) * float64(l.Count)
		case report.MetricFromSend:
			wire += float64(l.MeanMS) * float64(l.Count)
		}
	}
	if total == 0 {
		return 0
	}
	return report.Num(wire / total)
}

// loads lists the models that some profile asks for first.
func loads(out *sim.Single) []ModelLoad {
	set := out.Built
	list := make([]ModelLoad, len(set.Report.Models))
	requests := make([]float64, len(list))
	for p, profile := range set.Profiles {
		m := set.Stack.Routes[profile.Route].Steps[0].Target
		mean, n := fromSend(&out.Variant, set.Report.Profiles[p].Name)
		list[m].ResponseS += report.Num(mean * n)
		requests[m] += n
	}
	var asked []ModelLoad
	for m := range list {
		if requests[m] == 0 {
			continue
		}
		l := list[m]
		l.Model = set.Report.Models[m].Name
		l.ResponseS /= report.Num(requests[m])
		for _, c := range out.Variant.Cost.By {
			if c.By.Model == l.Model && c.TokensIn > 0 {
				l.Cached = report.Num(float64(c.TokensCached) / float64(c.TokensIn))
			}
		}
		for _, g := range out.Variant.Stack.Gates {
			if g.Model == l.Model {
				l.InFlight, l.InFlightMax = g.InFlightMean, report.Num(g.InFlightMax)
			}
		}
		asked = append(asked, l)
	}
	return asked
}

// fromSend is a profile's mean time from its first send, in seconds, and of how many requests.
func fromSend(v *report.Variant, profile string) (mean, n float64) {
	for i := range v.Latency {
		l := &v.Latency[i]
		if l.By.Profile == profile && l.By.Model == "" && l.By.Key == "" && l.Metric == report.MetricFromSend && l.Count > 0 {
			return float64(l.MeanMS) / 1000, float64(l.Count)
		}
	}
	return 0, 0
}

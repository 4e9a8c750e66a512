package compare

import (
	"fmt"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
)

// Refusal says why reports are not compared.
type Refusal struct {
	Reasons []string
	// Forceable: Options.Force compares them all the same.
	Forceable bool
}

// Error implements error.
func (r *Refusal) Error() string { return "not compared: " + strings.Join(r.Reasons, "; ") }

func refuse(format string, args ...any) *Refusal {
	return &Refusal{Reasons: []string{fmt.Sprintf(format, args...)}}
}

// objections are the reasons not to compare two reports.
func objections(base, next *report.Report) []string {
	var out []string
	for _, side := range []struct {
		name string
		r    *report.Report
	}{{"BASE", base}, {"NEW", next}} {
		if side.r.Schema != report.Schema {
			out = append(out, fmt.Sprintf("%s has the schema %q, expected %q", side.name, report.Clean(side.r.Schema, nameWidth), report.Schema))
		}
		if why := unfit(&side.r.Verdict); why != "" {
			out = append(out, side.name+" "+why)
		}
	}
	b, n := &base.Scenario, &next.Scenario
	if modeOf(b) != modeOf(n) {
		out = append(out, fmt.Sprintf("other clock: BASE ran in %s mode, NEW in %s mode", modeOf(b), modeOf(n)))
	}
	if b.Target != n.Target {
		out = append(out, fmt.Sprintf("other target: BASE drove %s, NEW %s", targetOf(b), targetOf(n)))
	}
	if b.DemandSHA256 != n.DemandSHA256 || b.DemandSHA256 == "" {
		out = append(out, "other demand: "+otherDemand(b, n))
	}
	return out
}

// Foresee returns what Reports would refuse of base and a run that is yet to be made, a *Refusal; nil: nothing. What is
// known of such a run is where it comes from.
func Foresee(base *report.Report, run *report.Scenario) error {
	if err := ambiguous([]*report.Report{base}, nil); err != nil {
		return err
	}
	next := &report.Report{Schema: report.Schema, Scenario: *run, Verdict: report.Verdict{Status: report.StatusPass}}
	if why := objections(base, next); len(why) > 0 {
		return &Refusal{Reasons: why, Forceable: true}
	}
	return nil
}

// unfit says why a run's figures are not to be believed or not complete, "" if they are.
func unfit(v *report.Verdict) string {
	first := ""
	if len(v.Reasons) > 0 {
		first = ": " + report.Clean(v.Reasons[0], 200)
	}
	switch v.Status {
	case report.StatusPass, report.StatusFail:
		return ""
	case report.StatusPartial:
		return "is partial" + first
	case report.StatusInvalid:
		return "is INVALID" + first
	}
	return fmt.Sprintf("has the verdict %q, expected pass or fail", report.Clean(v.Status, nameWidth))
}

// otherDemand names the first thing in which two demands differ.
func otherDemand(b, n *report.Scenario) string {
	switch {
	case b.DemandSHA256 == "" && n.DemandSHA256 == "":
		return "neither report has a demand_sha256"
	case b.Seed != n.Seed:
		return fmt.Sprintf("seed %d in BASE, %d in NEW", b.Seed, n.Seed)
	case b.DurationS != n.DurationS:
		return fmt.Sprintf("duration %v s in BASE, %v s in NEW", float64(b.DurationS), float64(n.DurationS))
	case b.WarmupS != n.WarmupS:
		return fmt.Sprintf("warm-up %v s in BASE, %v s in NEW", float64(b.WarmupS), float64(n.WarmupS))
	}
	return fmt.Sprintf("the workloads differ (demand_sha256 %.8q in BASE, %.8q in NEW)", b.DemandSHA256, n.DemandSHA256)
}

func modeOf(s *report.Scenario) string {
	if s.Mode == "" {
		return "virtual"
	}
	return report.Clean(s.Mode, nameWidth)
}

func targetOf(s *report.Scenario) string {
	if s.Target == "" {
		return "the mock"
	}
	return report.Clean(s.Target, nameWidth)
}

// remarks are differences that explain results without forbidding to compare.
func remarks(base, next *report.Report) []string {
	var out []string
	b, n := &base.Scenario, &next.Scenario
	if b.Name != n.Name {
		out = append(out, fmt.Sprintf("the scenarios have different names: %s in BASE, %s in NEW", report.Clean(b.Name, nameWidth), report.Clean(n.Name, nameWidth)))
	}
	if base.Tool.Arch != next.Tool.Arch {
		out = append(out, fmt.Sprintf("BASE was made on %s, NEW on %s: last digits may differ for that alone",
			report.Clean(base.Tool.Arch, nameWidth), report.Clean(next.Tool.Arch, nameWidth)))
	}
	if base.Tool.Version != next.Tool.Version {
		out = append(out, fmt.Sprintf("BASE was made by simload %s, NEW by %s",
			report.Clean(base.Tool.Version, nameWidth), report.Clean(next.Tool.Version, nameWidth)))
	}
	if b.SHA256 == n.SHA256 && b.SHA256 != "" && b.DemandSHA256 == n.DemandSHA256 && b.Seed == n.Seed {
		out = append(out, "both ran the same scenario: what differs is due to simload itself, or to the clock")
	}
	return out
}

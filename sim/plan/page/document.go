package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/plan"
)

// document sets the report in the order of the reader's questions: how much? how sure? what binds? what if? what would
// arithmetic have said? The command that repeats the plan comes after it.
func document(r *plan.Report) *report.Document {
	d := &report.Document{}
	d.Facts("", headFacts(r)...)
	d.Lines(statusWord(r), r.Sentence...)
	d.Lines("Invalid", r.Broken...)
	for _, t := range overview(r) {
		d.Table(t.label, t.aside, t.cols, t.rows)
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		if len(r.Answers) > 1 {
			d.Heading("Variant "+a.Variant, a.Sentence)
		}
		answerSections(d, r, a)
	}
	for i := range r.Frontier {
		f := &r.Frontier[i]
		if len(r.Frontier) > 1 {
			d.Heading("Variant "+f.Variant, f.Sentence)
		}
		for _, t := range []table{frontierTable(r, f), gridTable(r, f), frontierDistance(r, f)} {
			d.Table(t.label, t.aside, t.cols, t.rows)
		}
		d.Lines("Bound by", frontierBound(r, f)...)
		d.Lines("Monotone", monotoneText(&f.Monotone, r.Plan.Axes[1].Name())...)
		changeSections(d, f.Sensitivity, cheapestText(r, f))
	}
	d.Lines("Notes", notes(r)...)
	return d
}

// notes are those of the plan, and the rule by which points are judged.
func notes(r *plan.Report) []string { return append(slices.Clone(r.Notes), ruleText(r)) }

func answerSections(d *report.Document, r *plan.Report, a *plan.Answer) {
	for _, t := range []table{pointTable(r, a), costTable(r, a)} {
		d.Table(t.label, t.aside, t.cols, t.rows)
	}
	d.Lines("Gain", gainLines(a)...)
	d.Lines("Monotone", monotoneText(&a.Monotone, "")...)
	d.Lines("Bound by", boundLines(a)...)
	for _, t := range []table{resourceTable(a), staticTable(a)} {
		d.Table(t.label, t.aside, t.cols, t.rows)
	}
	d.Lines("Arithmetic", a.Static.Text)
	changeSections(d, a.Sensitivity, "")
	for _, t := range []table{growthTable(r, a), growthDistance(a)} {
		d.Table(t.label, t.aside, t.cols, t.rows)
	}
	d.Lines("Bound by", growthBound(a)...)
}

// changeSections tell what one change would do, after a word on where.
func changeSections(d *report.Document, list []plan.Change, where string) {
	t := changeTable(list)
	if where != "" {
		t.aside = where + "; change: of the margin, by seed"
	}
	d.Table(t.label, t.aside, t.cols, t.rows)
	d.Lines("Not run", notRun(list)...)
}

func gainLines(a *plan.Answer) []string {
	if a.Gain == nil {
		return nil
	}
	return []string{fmt.Sprintf("margin at %s less that at %s, by seed: %s", a.Value, a.Beside, interval(*a.Gain))}
}

// cheapestText says at which point of a frontier things are changed.
func cheapestText(r *plan.Report, f *plan.Frontier) string {
	if f.Cheapest == nil || len(f.Sensitivity) == 0 {
		return ""
	}
	row := &f.Rows[*f.Cheapest]
	return fmt.Sprintf("the cheapest point of the frontier (%s=%s, %s=%s) with one thing changed", r.Plan.Axes[0].Name(), row.First, r.Plan.Axes[1].Name(), row.Second)
}

// boundLines name what bound the answer and the value beside it, or the best value.
func boundLines(a *plan.Answer) []string {
	var out []string
	for i := range a.Points {
		p := &a.Points[i]
		if v := p.Values[len(p.Values)-1]; p.Bound != "" && (v == a.Value || v == a.Beside || v == a.Best) {
			out = append(out, "at "+v+": "+p.Bound)
		}
	}
	return out
}

// notRun says which changes were left out, and why.
func notRun(list []plan.Change) []string {
	var out []string
	for _, c := range list {
		if c.Skipped != "" {
			out = append(out, c.Name+": "+c.Skipped)
		}
	}
	return out
}

func headFacts(r *plan.Report) []string {
	s := &r.Scenario
	facts := []string{
		s.Name, "plan of " + s.Name, r.Plan.Direction + " " + axisNames(r), fmt.Sprintf("seed %d", s.Seed),
		fmt.Sprintf("%d replications", r.Plan.Reps), report.FormSpan(float64(s.DurationS)),
	}
	if s.Agents > 0 {
		facts = append(facts, report.FormCount(int64(s.Agents))+" agents")
	}
	facts = append(facts, fmt.Sprintf("%s runs", report.FormCount(int64(r.Runs))))
	if r.Tool.Version != "" {
		facts = append(facts, "simload "+r.Tool.Version+" "+r.Tool.Arch)
	}
	return facts
}

func axisNames(r *plan.Report) string {
	names := make([]string, len(r.Plan.Axes))
	for i, a := range r.Plan.Axes {
		names[i] = a.Path + " of " + a.Range
	}
	return strings.Join(names, " by ")
}

func statusWord(r *plan.Report) string {
	switch r.Status {
	case plan.Found:
		return "FOUND"
	case plan.Uncertain:
		return "UNCERTAIN"
	case plan.Partial:
		return "PARTIAL"
	case plan.Invalid:
		return "INVALID"
	}
	return "FAIL"
}

// monotoneText tells whether more was ever worse; of a grid along which axis.
func monotoneText(m *plan.Monotone, along string) []string {
	how := fmt.Sprintf("%d points compared", m.Points)
	if m.Scanned {
		how = fmt.Sprintf("all %d values tried", m.Points)
	}
	if along != "" {
		how = fmt.Sprintf("all %d points compared along %s", m.Points, along)
	}
	if m.OK {
		return []string{how + ", none worse than one with less"}
	}
	return append([]string{"NO: " + how + "; the answer is the first from which on all that were tried pass, if there is one"}, m.Notes...)
}

func ruleText(r *plan.Report) string {
	return fmt.Sprintf("a point passes when all %d runs meet every objective and a further run does at %.0f %% (one-sided prediction limit, Student's t), fails when none does and a further run does not, else it depends on the seed", r.Plan.Reps, 100*float64(r.Plan.PredictionLevel))
}

// command repeats the plan.
func command(r *plan.Report) []string {
	file := r.Scenario.File
	if strings.HasPrefix(file, "-") {
		file = "./" + file // no flag
	}
	words := []string{"simload", "plan", quoted(file)}
	for _, a := range r.Plan.Axes {
		words = append(words, "--vary", quoted(a.Path+"="+a.Range))
	}
	for _, o := range r.Plan.SLO { // those of the scenario are repeated by it
		words = append(words, "--slo", quoted(o))
	}
	for _, s := range r.Scenario.Overrides {
		words = append(words, "--set", quoted(s))
	}
	words = append(words, map[string]string{plan.Smallest: "--min", plan.Largest: "--max"}[r.Plan.Direction])
	for _, v := range r.Plan.Variants {
		words = append(words, "--variant", quoted(v))
	}
	words = append(words, "--growth", quoted(cmpOr(strings.Join(r.Plan.Growth, ","), plan.None)))
	for _, path := range r.Plan.Along {
		words = append(words, "--along", quoted(path))
	}
	if !r.Plan.Sensitivity {
		words = append(words, "--no-sensitivity")
	}
	return append(words, "--reps", strconv.Itoa(r.Plan.Reps), "--seed", strconv.FormatUint(r.Scenario.Seed, 10))
}

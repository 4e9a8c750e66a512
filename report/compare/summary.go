package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
)

// told is how many metrics the summary names, the worst first.
const told = 3

// words are the verdicts as headlines.
var words = map[Verdict]string{Better: "BETTER", Worse: "WORSE", Same: "SAME", NotEnough: "NOT ENOUGH"}

// summary is the result in one sentence, after the word.
func (res *Result) summary() string {
	n := res.count()
	total := 0
	res.primary(func(*Scenario, *Variant, *Row) { total++ })
	var s string
	switch res.Verdict {
	case Worse:
		s = fmt.Sprintf("%d of %d metrics: %s", n[Worse], total, res.list(Worse))
		if n[Better] > 0 {
			s += "; better: " + res.list(Better)
		}
	case Better:
		s = fmt.Sprintf("%d of %d metrics: %s", n[Better], total, res.list(Better))
	case NotEnough:
		s = fmt.Sprintf("%d of %d metrics could not have shown a change%s", n[NotEnough], total, res.wouldDo(": "))
	case Same, NotJudged:
		s = fmt.Sprintf("none of %d metrics changed by as much as counts", total)
	}
	if k := n[NotEnough]; k > 0 && res.Verdict != NotEnough {
		s += fmt.Sprintf("; %d with too few replications%s", k, res.wouldDo(", "))
	}
	if k := n[NotJudged]; k > 0 {
		s += fmt.Sprintf("; %d not judged, for want of a value", k)
	}
	if k := res.unmatched(); k > 0 {
		s += fmt.Sprintf("; %d without a partner (see below)", k)
	}
	return words[res.Verdict] + ": " + s
}

// wouldDo says how many replications are enough.
func (res *Result) wouldDo(after string) string {
	if res.Enough == 0 {
		return ""
	}
	return fmt.Sprintf("%s%d replications would do (--reps %d)", after, res.Enough, res.Enough)
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// unmatched counts scenarios, variants, profiles and metrics that one side lacks.
func (res *Result) unmatched() int {
	n := len(res.Unmatched)
	for i := range res.Scenarios {
		s := &res.Scenarios[i]
		n += len(s.Unmatched)
		for j := range s.Variants {
			n += len(s.Variants[j].Unmatched)
		}
	}
	return n
}

// list names the metrics with a verdict, the largest effects first.
func (res *Result) list(want Verdict) string {
	type entry struct {
		text string
		far  float64
	}
	var all []entry
	res.primary(func(s *Scenario, _ *Variant, r *Row) {
		if r.Verdict != want {
			return
		}
		text := r.phrase()
		if len(res.Scenarios) > 1 {
			text = report.Clean(s.Name, nameWidth) + ": " + text
		}
		all = append(all, entry{text, math.Abs(r.effect.log)})
	})
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.far, a.far) })
	out := make([]string, 0, told)
	for i, e := range all {
		if i == told {
			out = append(out, fmt.Sprintf("and %d more", len(all)-told))
			break
		}
		out = append(out, e.text)
	}
	return strings.Join(out, ", ")
}

// phrase is a row in a sentence: p99{profile=notes} 4.1 s -> 6.3 s (+54 %, p 0.016).
func (r *Row) phrase() string {
	how := "exact"
	if r.tested {
		how = "p" + noBreak + formP(float64(r.PHolm))
	}
	return fmt.Sprintf("%s %s -> %s (%s, %s)", report.Clean(r.Metric, 2*nameWidth), r.form(r.Base, r.BaseFailed), r.form(r.New, r.NewFailed), r.formChange(), how)
}

// noBreak keeps a number and its unit on one line.
const noBreak = "\u00a0"

// form prints a value of the row.
func (r *Row) form(x report.Num, failed int) string {
	if math.IsInf(float64(x), 1) || math.IsNaN(float64(x)) && failed > 0 {
		return "fail"
	}
	return report.Form(float64(x), r.term.Unit())
}

// formChange prints the relative effect, or what there is in its place.
func (r *Row) formChange() string {
	if r.Change != "" {
		return r.Change
	}
	return signed(float64(r.Difference))
}

// signed prints a share as a signed percentage.
func signed(share float64) string {
	switch {
	case math.IsNaN(share):
		return "-"
	case share < 0:
		return "-" + report.Form(-share, report.UnitShare)
	case share > 0:
		return "+" + report.Form(share, report.UnitShare)
	}
	return report.Form(0, report.UnitShare)
}

// formP prints a p with two digits.
func formP(p float64) string {
	switch {
	case math.IsNaN(p):
		return "-"
	case p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

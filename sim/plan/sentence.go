package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
)

// sentence is the answer in words.
func (q *search) sentence(a *Answer, pos, before int) string {
	who := ""
	if a.Variant != "base" {
		who = a.Variant + ": "
	}
	goal := goalText(q.subject)
	if pos < 0 {
		return who + "not attainable: " + q.nothing(goal)
	}
	s := fmt.Sprintf("%s%s %s %s (%s)", who, q.axis.noun(q.value(pos)), q.meet(pos), goal, pointText(q.tried[pos]))
	switch {
	case q.flat():
		return s + "; " + noDifference
	case before < 0:
		s += fmt.Sprintf("; that is the %s of the range", map[string]string{Smallest: "smallest", Largest: "largest"}[q.cfg.Direction])
	case a.Status == Uncertain:
		s += "; with " + q.doubt(before)
	default:
		s += fmt.Sprintf("; %s %s not (%s)", q.value(before), q.do(before), pointText(q.tried[before]))
	}
	for more := pos + 1; more < len(q.tried); more++ {
		if st := q.status(more); st == Fail || st == Uncertain {
			return s + fmt.Sprintf("; not every value beyond it does: %s %s not", q.value(more), q.do(more))
		}
	}
	return s
}

const noDifference = "no value of the range makes a difference (does the scenario say elsewhere what it is?)"

// nothing says that no value passes, and of the best what it gave.
func (q *search) nothing(goal string) string {
	pos := q.best(materialFall)
	best := q.tried[pos]
	var s string
	switch {
	case best.Status == Uncertain:
		s = fmt.Sprintf("no value of the range is sure to meet %s; with %s; bound by %s", goal, q.doubtOf(pos, q.axis.noun(q.value(pos))), best.Bound)
	case pos < len(q.tried)-1:
		s = fmt.Sprintf("no value of the range meets %s; the nearest to it is %s (%s); bound by %s", goal, q.axis.noun(q.value(pos)), pointText(best), best.Bound)
	default:
		s = fmt.Sprintf("%s %s not meet %s (%s); bound by %s", q.axis.noun(q.value(pos)), q.do(pos), goal, pointText(best), best.Bound)
	}
	if q.flat() {
		s += "; " + noDifference
	}
	return s
}

// doubt says of a value what is not sure about it.
func (q *search) doubt(pos int) string { return q.doubtOf(pos, q.value(pos)) }

func (q *search) doubtOf(pos int, value string) string {
	switch p := q.tried[pos]; p.Met {
	case 0:
		return fmt.Sprintf("%s none of %d runs do, but a further one might (%s)", value, p.Reps, pointText(p))
	case p.Reps:
		return fmt.Sprintf("%s all of %d runs do, but a further one might not (%s)", value, p.Reps, pointText(p))
	default:
		return fmt.Sprintf("%s it depends on the seed (%d of %d runs meet them, %s)", value, p.Met, p.Reps, pointText(p))
	}
}

// meet and do are the verbs of a value's noun.
func (q *search) meet(pos int) string {
	if q.axis.several(q.value(pos)) {
		return "meet"
	}
	return "meets"
}

func (q *search) do(pos int) string {
	if q.axis.several(q.value(pos)) {
		return "do"
	}
	return "does"
}

// flat reports whether every value that was tried gave the same margins in every run.
func (q *search) flat() bool {
	first := q.tried[0]
	if first == nil {
		return false // somewhere else was enough to look at
	}
	return !slices.ContainsFunc(q.tried, func(p *Point) bool { return p != nil && !slices.Equal(p.margins, first.margins) })
}

// goalText lists the objectives.
func goalText(s *subject) string {
	texts := make([]string, len(s.objectives))
	for i, e := range s.objectives {
		texts[i] = e.Text
	}
	if n := len(texts); n > 1 {
		return strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
	}
	return texts[0]
}

// pointText names the objective that is nearest to its bound, or furthest beyond it.
func pointText(p *Point) string {
	worst := p.Worst()
	if worst == nil {
		return "not run"
	}
	text := worst.Text()
	if worst.Value.N == 0 && worst.Unmeasured < worst.Margin.N {
		text = "a " + text // failure
	}
	return worst.Subject() + " " + text
}

// staticText says what the arithmetic makes of the axis.
func (q *search) staticText(a *Answer) string {
	s := &a.Static
	switch {
	case s.Blind:
		return "arithmetic over averages knows nothing of " + q.axis.Name()
	case s.Value == "" && a.Value == "":
		return "arithmetic over averages finds no value of the range either"
	case s.Value == "":
		return fmt.Sprintf("arithmetic over averages finds no value of the range enough (%s)", s.Tight)
	case a.Value == "":
		return fmt.Sprintf("arithmetic over averages takes %s for enough, and is wrong", q.axis.noun(s.Value))
	case s.Value == a.Value:
		return fmt.Sprintf("arithmetic over averages says %s too", s.Value)
	}
	text := fmt.Sprintf("arithmetic over averages says %s", s.Value)
	if e := float64(s.Error); !math.IsNaN(e) {
		text += fmt.Sprintf(": it errs by %s", report.FormMargin(e))
	}
	return text
}

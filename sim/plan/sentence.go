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
		last := q.tried[len(q.tried)-1]
		if last.Status == Uncertain {
			return fmt.Sprintf("%snot attainable: no value of the range is sure to meet %s; with %s it depends on the seed (%d of %d runs meet them, %s); bound by %s",
				who, goal, q.axis.noun(q.value(len(q.tried)-1)), last.Met, last.Reps, pointText(last), last.Bound)
		}
		return fmt.Sprintf("%snot attainable: %s do not meet %s (%s); bound by %s",
			who, q.axis.noun(q.value(len(q.tried)-1)), goal, pointText(last), last.Bound)
	}
	s := fmt.Sprintf("%s%s meet %s (%s)", who, q.axis.noun(q.value(pos)), goal, pointText(q.tried[pos]))
	switch {
	case q.flat():
		return s + "; no value of the range makes a difference (does the scenario say elsewhere what it is?)"
	case before < 0:
		return s + fmt.Sprintf("; that is the %s of the range", map[string]string{Smallest: "smallest", Largest: "largest"}[q.cfg.Direction])
	case a.Status == Uncertain && q.tried[before].Met == 0:
		return s + fmt.Sprintf("; with %s none of %d runs do, but a further one might (%s)", q.value(before), q.tried[before].Reps, pointText(q.tried[before]))
	case a.Status == Uncertain:
		return s + fmt.Sprintf("; with %s it depends on the seed (%d of %d runs meet them, %s)", q.value(before), q.tried[before].Met, q.tried[before].Reps, pointText(q.tried[before]))
	}
	return s + fmt.Sprintf("; %s do not (%s)", q.value(before), pointText(q.tried[before]))
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
	if len(p.Objectives) == 0 {
		return "not run"
	}
	worst := &p.Objectives[0]
	for i := range p.Objectives {
		if o := &p.Objectives[i]; o.Margin.Mean < worst.Margin.Mean {
			worst = o
		}
	}
	e, err := report.ParseExpect(worst.Expr)
	if err != nil {
		return worst.Expr
	}
	name := e.Num.String()
	if e.Den != nil {
		name += " / " + e.Den.String()
	}
	value := report.FormValue(float64(worst.Value.Mean), worst.unit)
	if worst.Value.N == 0 {
		value = "a failure"
	}
	return name + " " + value
}

// staticText says what the arithmetic makes of the axis.
func (q *search) staticText(a *Answer) string {
	s := &a.Static
	switch {
	case s.Blind:
		return "arithmetic over averages knows nothing of " + q.axis.name()
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

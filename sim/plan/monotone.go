package plan

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/report"
)

// A search takes for granted that more is not worse; here is what it finds out about that.

// monotoneLevel is the confidence at which one point's margin is said to be worse than that of a point with less: a search
// compares some ten pairs, so that 95 % would cry wolf in every second one.
const monotoneLevel = 0.99

// materialFall is the fall of a margin that is worth telling: of a hundredth of the bound. With common seeds far smaller ones are significant.
const materialFall = 0.01

// doubtful reports whether an answer may lie elsewhere than bisection looks: some position passes and a more generous one does not, or none
// passes and some is worse than one with less.
func (q *search) doubtful() bool {
	answer, _ := q.boundary()
	return q.contradicts() || answer < 0 && !q.monotone(false).OK
}

// contradicts reports whether some position passes and a more generous one does not.
func (q *search) contradicts() bool {
	passed := false
	for pos := range q.tried {
		switch q.status(pos) {
		case Unknown:
		case Pass:
			passed = true
		default:
			if passed {
				return true
			}
		}
	}
	return false
}

// monotone compares every position that was tried with the one before it.
func (q *search) monotone(scanned bool) Monotone {
	m := Monotone{OK: true, Scanned: scanned, Notes: []string{}}
	last, passed := -1, -1
	for pos, p := range q.tried {
		if p == nil || p.Status == Unknown {
			continue
		}
		m.Points++
		if p.Status != Pass && passed >= 0 {
			m.note("%s passes, %s does not (%d of %d runs)", q.value(passed), q.value(pos), p.Met, p.Reps)
		} else if last >= 0 {
			if high := pairedHigh(p, q.tried[last]); high < -materialFall {
				m.note("the margin falls from %s at %s to %s at %s", report.FormMargin(float64(q.tried[last].Margin.Mean)), q.value(last),
					report.FormMargin(float64(p.Margin.Mean)), q.value(pos))
			}
		}
		if p.Status == Pass {
			passed = pos
		}
		last = pos
	}
	if end := len(q.tried) - 1; q.status(0) == Pass && q.status(end) != Pass && q.status(end) != Unknown {
		m.note("%s, the other end of the range, passes: --%s looks from there", q.value(0), map[string]string{Smallest: "max", Largest: "min"}[q.cfg.Direction])
	}
	return m
}

func (m *Monotone) note(format string, args ...any) {
	m.OK = false
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

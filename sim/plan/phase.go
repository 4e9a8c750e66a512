package plan

import "fmt"

// phase is a part of a plan, for the progress alone: what it is called, how many runs it may take, and how long one of them takes
// beside one of the scenario as it is.
type phase struct {
	name string
	runs int
	each float64
}

// foresee guesses the phases of a plan, in their order.
func (p *Plan) foresee() []phase {
	var list []phase
	add := func(name string, points, reps int, each float64) {
		list = append(list, phase{name, points * reps, each})
	}
	for i := range p.variants {
		s := &p.variants[i]
		if len(p.axes) == 2 {
			add(searchPhase(s), len(p.axes[0].Values)*len(p.axes[1].Values), p.cfg.Reps, 1)
			if p.cfg.Sensitivity {
				add(changePhase(s), changesForeseen, p.cfg.Reps, 1)
			}
			continue
		}
		add(searchPhase(s), steps(len(p.axes[0].Values)), p.cfg.Reps, 1)
	}
	for i := range p.variants {
		s := &p.variants[i]
		if len(p.axes) == 2 {
			break
		}
		if p.cfg.Sensitivity {
			add(changePhase(s), changesForeseen, p.cfg.Reps, 1)
		}
		for k := range p.growth {
			if g := &p.growth[k]; g.factor != 1 {
				add(growthPhase(g, s), 4, p.growthReps(), g.factor)
			}
		}
	}
	return list
}

// changesForeseen is how many changes sensitivity may run.
const changesForeseen = 6

// steps is how many points a search of n values may take.
func steps(n int) int {
	k := min(n, coarse+3)
	for n /= coarse; n > 1; n /= 2 {
		k++
	}
	return k
}

func searchPhase(s *subject) string { return "search" + s.of() }
func changePhase(s *subject) string { return "sensitivity" + s.of() }
func growthPhase(g *growth, s *subject) string {
	return fmt.Sprintf("growth to %s%s", g.text, s.of())
}

// of names a variant, if there are some.
func (s *subject) of() string {
	if s.name == "base" {
		return ""
	}
	return " of " + s.name
}

// begin says which phase comes, and forgets those before it.
func (w *sweep) begin(name string) {
	for len(w.ahead) > 0 {
		w.now, w.ahead = w.ahead[0], w.ahead[1:]
		if w.now.name == name {
			break
		}
	}
	w.progress.Variant = name
	later := 0
	for _, ph := range w.ahead {
		later += ph.runs
	}
	w.later, w.progress.Parts = later, w.progress.Part+w.now.runs+later
}

// expect adjusts the number of runs that are expected to what is now known: so many more are to be run, and so many of the phase are there already.
func (w *sweep) expect(more, resumed int) {
	w.now.runs = max(0, w.now.runs-resumed)
	w.progress.Parts = w.progress.Part + max(w.progress.Parts-w.progress.Part-w.later-resumed, more) + w.later
}

// share is how much of the work is done.
func (w *sweep) share() float64 {
	left := float64(w.progress.Parts-w.progress.Part-w.later) * w.now.each
	for _, ph := range w.ahead {
		left += float64(ph.runs) * ph.each
	}
	return w.done / (w.done + left)
}

package plan

import (
	"slices"

	"github.com/seed-4fd17b57/simload/report"
)

// coarse is how many evenly spread points a search begins with, and scanMost the length of a range that is tried
// whole when it turns out not to be monotone.
const (
	coarse   = 5
	scanMost = 64
)

// search looks for the boundary along one axis, of one variant. Positions count from the value that asks most of the
// fleet to the most generous: along the axis for the smallest value that passes, against it for the largest.
type search struct {
	*sweep
	subject *subject
	base    []string // overrides below the axis
	axis    *Axis
	tried   []*Point
}

// newSearch searches along the last axis, with its values or others in their place.
func (w *sweep) newSearch(s *subject, base []string, axis *Axis) *search {
	return &search{sweep: w, subject: s, base: base, axis: axis, tried: make([]*Point, len(axis.Values))}
}

// index is where a position lies in the range.
func (q *search) index(pos int) int {
	if q.cfg.Direction == Largest {
		return len(q.tried) - 1 - pos
	}
	return pos
}

func (q *search) value(pos int) string { return q.axis.Values[q.index(pos)] }

// at is the point of a position.
func (q *search) at(pos int) *point {
	i := q.index(pos)
	pt := &point{index: []int{i}, values: []string{q.axis.Values[i]}}
	return q.with(pt, append(slices.Clone(q.base), q.axis.set(i)))
}

// try runs the positions that were not, all at once.
func (q *search) try(positions ...int) error {
	var cells []cell
	var fresh []int
	for _, pos := range positions {
		if pos >= 0 && pos < len(q.tried) && q.tried[pos] == nil && !slices.Contains(fresh, pos) {
			cells, fresh = append(cells, cell{q.at(pos), q.subject}), append(fresh, pos)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	points, err := q.evaluate(cells)
	for i, pos := range fresh {
		q.tried[pos] = points[i]
	}
	return err
}

func (q *search) status(pos int) string {
	if q.tried[pos] == nil {
		return Unknown
	}
	return q.tried[pos].Status
}

// boundary returns the answer by what was tried: the first position from which on all that were tried pass, or else
// the first that passes; and the last before it that was tried. -1: none.
func (q *search) boundary() (answer, before int) {
	answer, before = -1, -1
	for pos := len(q.tried) - 1; pos >= 0; pos-- {
		switch q.status(pos) {
		case Unknown:
			continue
		case Pass:
			answer = pos
			continue
		}
		if answer >= 0 {
			return answer, pos
		}
		if i := slices.IndexFunc(q.tried, func(p *Point) bool { return p != nil && p.Status == Pass }); i >= 0 {
			answer = i // the most generous value fails, another does not
			for before = i - 1; before >= 0 && q.status(before) == Unknown; before-- {
			}
			return answer, before
		}
		return -1, pos
	}
	return answer, before
}

// run searches: some evenly spread points, bisection between the last that does not pass and the first that does, the
// neighbours of the boundary; where none passes, what lies beside the best; and where what was tried is not monotone and more than the
// boundary may depend on it, the whole range if it is short enough.
func (q *search) run() (scanned bool, err error) {
	n := len(q.tried)
	if err := q.try(spread(n, coarse)...); err != nil {
		return false, err
	}
	if err := q.settle(); err != nil {
		return false, err
	}
	if n > scanMost || !q.doubtful() {
		if err := q.peak(); err != nil {
			return false, err
		}
		if err := q.settle(); err != nil {
			return false, err
		}
	}
	if n <= scanMost && q.doubtful() {
		return true, q.try(spread(n, n)...)
	}
	return q.allTried(), nil
}

// settle narrows the boundary down and tries its neighbours, again as long as those move it.
func (q *search) settle() error {
	for {
		if err := q.bisect(); err != nil {
			return err
		}
		answer, _ := q.boundary()
		if answer < 0 {
			return nil
		}
		before := q.count()
		if err := q.try(answer-2, answer-1, answer+1, answer+2); err != nil || q.count() == before {
			return err
		}
	}
}

// peak looks for a position that passes where none of those tried does and the best is not the most generous: it halves the gaps
// beside the best until one passes, or there are none.
func (q *search) peak() error {
	for {
		answer, _ := q.boundary()
		best := q.best(0)
		if answer >= 0 || best < 0 || q.best(materialFall) == len(q.tried)-1 {
			return nil
		}
		low, high := best-1, best+1
		for low >= 0 && q.tried[low] == nil {
			low--
		}
		for high < len(q.tried) && q.tried[high] == nil {
			high++
		}
		before := q.count()
		if err := q.try((low+best)/2, (best+high)/2); err != nil || q.count() == before {
			return err
		}
	}
}

// best is the position of those tried with the largest margin, or the more generous of two that differ by no more than is given. -1: none
// was tried.
func (q *search) best(within report.Num) int {
	best := -1
	for pos := len(q.tried) - 1; pos >= 0; pos-- {
		if q.status(pos) != Unknown && (best < 0 || q.tried[pos].Margin.Mean > q.tried[best].Margin.Mean+within) {
			best = pos
		}
	}
	return best
}

// count is how many positions were tried.
func (q *search) count() int {
	n := 0
	for _, p := range q.tried {
		if p != nil {
			n++
		}
	}
	return n
}

// bisect narrows the boundary down to two neighbours.
func (q *search) bisect() error {
	for {
		answer, before := q.boundary()
		if answer < 0 || answer-before <= 1 {
			return nil
		}
		if err := q.try((answer + before) / 2); err != nil {
			return err
		}
	}
}

// climb searches from a position on: it and the one before, then down in steps that double until one does not pass, or up until one
// does, and bisection; where none does, beside the best. So it takes two points where the boundary is as expected, and looks at few others.
func (q *search) climb(from int) (scanned bool, err error) {
	n := len(q.tried)
	low, high := max(0, from-1), from
	if err := q.try(low, high); err != nil {
		return false, err
	}
	for step := 1; ; step *= 2 {
		answer, before := q.boundary()
		switch {
		case answer >= 0 && before < 0 && low > 0: // all pass
			low = max(0, low-step)
			err = q.try(low)
		case answer < 0 && high < n-1: // none does
			high = min(n-1, high+step)
			err = q.try(high)
		default:
			if err = q.peak(); err == nil {
				err = q.bisect()
			}
			return q.allTried(), err
		}
		if err != nil {
			return false, err
		}
	}
}

// spread is k evenly spread positions of n, the ends among them.
func spread(n, k int) []int {
	if k >= n {
		k = n
	}
	out := make([]int, k)
	for i := range out {
		out[i] = i * (n - 1) / max(1, k-1)
	}
	return out
}

func (q *search) allTried() bool { return q.count() == len(q.tried) }

// answer runs the search and describes what came of it.
func (q *search) answer() (Answer, error) { return q.found(q.run()) }

// answerFrom does so from where the answer is expected.
func (q *search) answerFrom(pos int) (Answer, error) { return q.found(q.climb(pos)) }

// found describes what came of a search.
func (q *search) found(scanned bool, err error) (Answer, error) {
	a := Answer{Variant: q.subject.name, Status: Partial, Points: q.points(), Resources: []Resource{}}
	a.Monotone = q.monotone(scanned)
	if err != nil {
		a.Sentence = "interrupted before there was an answer"
		return a, err
	}
	pos, before := q.boundary()
	most := pos // the position that resources and averages are told of
	switch {
	case pos < 0:
		a.Status, most = Unattainable, q.best(materialFall)
		a.Best = q.value(most)
	case before >= 0 && q.tried[before].soft():
		a.Status = Uncertain
	default:
		a.Status = Found
	}
	if pos >= 0 {
		a.Value = q.value(pos)
		if before >= 0 {
			a.Beside, a.Gain = q.value(before), paired(q.tried[pos], q.tried[before])
		}
	}
	if err := q.static(&a, most); err != nil {
		return a, err
	}
	b, err := q.built(q.at(most), q.subject)
	if err != nil {
		return a, err
	}
	a.Resources = resources(q.tried[most], b)
	a.Sentence = q.sentence(&a, pos, before)
	return a, nil
}

// soft reports whether a point that does not pass is not sure to fail either.
func (p *Point) soft() bool { return p.Status == Uncertain || p.Margin.straddles() }

// points lists what was tried in the order of the axis.
func (q *search) points() []Point {
	out := []Point{}
	for i := range q.tried {
		pos := i
		if q.cfg.Direction == Largest {
			pos = len(q.tried) - 1 - i
		}
		if p := q.tried[pos]; p != nil && p.Reps > 0 {
			out = append(out, *p)
		}
	}
	return out
}

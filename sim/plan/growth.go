package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// A growth plan repeats the search for other demands. A run of five times the demand takes five times as long, so that searching
// 2.5 and 5 times the demand like the base (some eight points, and seven changes at the answer) would make a plan take
// six times as long. Three things keep it at about twice, of a range of some ten values with the default's ten replications, at an
// answer that grows as the arithmetic says:
//
//   - All other means grow with the demand, so that static arithmetic says: times the demand, times the answer. The search begins there,
//     and goes up or down from it; the next demand begins at what the one before came to. As a rule three to five points settle it.
//   - The steps of the range grow too: a key in 12 is as fine as five in 60.
//   - Half of the replications are made, five at least (or as many as there are): the figures are an outlook. Of five replications or
//     fewer nothing is saved.
//
// Five points at 2.5 and three at 5 times, of half the replications, are as much as (5 x 2.5 + 3 x 5) / 2 = 14 of the base's, which makes
// some 15; those that fail take up to twice as long as those that pass.

// Words of [Config.Growth] and [Config.Along].
const (
	Auto = "auto" // of Growth: see [Config]
	None = "none"
)

// growth is a demand for which the search is repeated.
type growth struct {
	text   string
	factor float64
	sets   []string
	axis   Axis
	note   string // on the range; "": none
}

// grows makes the growth plan of Config.Growth.
func (p *Plan) grows() error {
	if err := p.checkAlong(); err != nil {
		return err
	}
	list := p.cfg.Growth
	auto := slices.Equal(list, []string{Auto})
	switch {
	case auto:
		list = p.automatic()
	case slices.Equal(list, []string{None}):
		list = nil
	case len(list) > 0 && len(p.axes) == 2:
		return wrong("--growth", "", "a growth plan is about one value", "two --vary", "one --vary", "plan each of them by itself")
	case len(list) > 0 && p.axes[0].within(p.sc.ScaleDemand(2)):
		return wrong("--growth", p.axes[0].Path, "the demand cannot grow, since it is what is searched", strings.Join(list, ","), "means to search, such as keys; or none", "leave --growth out: the answer itself is how far the demand may grow")
	}
	for _, text := range list {
		g, err := p.growthTo(strings.TrimSpace(text))
		if err != nil && auto {
			p.notes = append(p.notes, "no growth to "+text+": "+firstLine(err))
			continue
		}
		if err != nil {
			return err
		}
		p.growth = append(p.growth, g)
	}
	p.outlook = auto
	return nil
}

// growthNotes say of growths that were searched what grew, how many runs they took, and what was cut off. None: nothing was.
func (w *sweep) growthNotes(answers []Answer) []string {
	runs, rows := 0, 0
	for i := range answers {
		for k := range answers[i].Growth {
			g := &answers[i].Growth[k]
			if g.Factor == 1 {
				continue
			}
			rows++
			for j := range g.Answer.Points {
				runs += g.Answer.Points[j].Reps
			}
		}
	}
	if rows == 0 {
		return nil
	}
	text := fmt.Sprintf("growth: %d runs, %d replications of each point; the demand grows", runs, w.growthReps())
	if len(w.cfg.Along) == 0 {
		text += ", and in proportion all means that are not asked for: keys of other pools, calls that a model runs at once, limits of concurrency, queues, retries in hand (--along PATH: these alone; --along none: nothing)"
	}
	notes := []string{text}
	for i := range w.growth {
		if note := w.growth[i].note; note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// automatic are the demands that a plan looks at by itself: as it is, 2.5 times and 5 times, where one means is searched.
func (p *Plan) automatic() []string {
	if len(p.axes) == 2 {
		p.notes = append(p.notes, "no growth plan: it is about one value; plan each of the two by itself")
		return nil
	}
	if p.axes[0].demand() {
		return nil // the answer is a demand
	}
	if n := p.sc.Agents(); n > 0 {
		return []string{strconv.Itoa(n), strconv.Itoa((5*n + 1) / 2), strconv.Itoa(5 * n)}
	}
	return []string{"1x", "2.5x", "5x"}
}

// growthTo makes one growth. Its range ends where the scenario goes with no more.
func (p *Plan) growthTo(text string) (growth, error) {
	g := growth{text: text}
	if err := p.factor(&g); err != nil {
		return g, err
	}
	if g.axis = p.axes[0]; g.factor == 1 {
		return g, nil
	}
	if grown, ok := g.axis.times(g.factor); ok {
		g.axis = grown
	} else if g.factor > 1 {
		g.note = fmt.Sprintf("growth to %s: the range of %s stays as it is (ranges of whole numbers grow, also of k and M): an answer may lie beyond it", g.text, g.axis.Name())
	}
	var err error
	if g.sets, err = p.along(g.factor); err != nil {
		return g, err
	}
	return g, p.cut(&g)
}

// cut leaves of a growth's range the values that the scenario goes with: those up to one of them, which is taken for granted as in
// [Plan.goes]. Where the first or the second is none of them it is an error.
func (p *Plan) cut(g *growth) error {
	with := func(i int) error {
		_, err := p.sc.With(append(slices.Clone(g.sets), g.axis.set(i))...)
		return err
	}
	n := len(g.axis.Values)
	if with(n-1) != nil {
		n = sort.Search(n-1, func(i int) bool { return with(i) != nil })
	}
	if n < 2 {
		return g.misfit(with(n))
	}
	if n < len(g.axis.Values) {
		g.axis.Values = g.axis.Values[:n:n]
		g.axis.Range = g.axis.rangeOf(g.axis.Values)
		if g.note != "" {
			g.note += "; "
		}
		g.note += fmt.Sprintf("growth to %s: the range ends at %s, beyond which the scenario does not go", g.text, g.axis.Values[n-1])
	}
	return nil
}

// misfit says of errors about a growth's overrides that --growth is at fault.
func (g *growth) misfit(err error) error {
	var list scenario.Errors
	if errors.As(err, &list) {
		for i := range list {
			list[i].File, list[i].Hint = "--growth", "it comes of --growth "+g.text+": name another demand, or with --along what is to grow"
		}
	}
	return err
}

// factor reads how many times the scenario's demand a growth is.
func (p *Plan) factor(g *growth) error {
	const allowed = "numbers of agents such as 5000, or multiples such as 2.5x; or auto, or none, by itself"
	num, multiple := strings.CutSuffix(g.text, "x")
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || !(f > 0) || math.IsInf(f, 0) {
		return wrong("--growth", "", "not a demand", g.text, allowed, "write for example --growth 2000,5000,10000")
	}
	agents := p.sc.Agents()
	switch {
	case multiple:
		g.factor = f
	case agents == 0:
		return wrong("--growth", "", "the scenario has no agents to count", g.text, "multiples such as 2.5x", "write --growth 1x,2.5x,5x")
	default:
		g.factor = f / float64(agents)
	}
	if g.factor > 1000 {
		return wrong("--growth", "", "too much", fmt.Sprintf("%.3g times the demand", g.factor), "up to 1000 times", "")
	}
	return nil
}

// demand reports whether the axis is of demand, of which one wants the most, and not of means. Of times the longest are the least
// demand, such as an agent's interval.
func (a *Axis) demand() bool {
	path := segments(a.Path)
	if len(path) > 2 && path[0] == "variants" {
		path = path[2:]
	}
	_, err := time.ParseDuration(a.Values[len(a.Values)-1])
	return path[0] == "workload" && err != nil
}

// times makes a range of means for factor times the demand: whole numbers, of a unit or of thousands or millions, have steps as much
// larger and go on to twice factor times the end, since a search that knows where to begin does not pay for what lies beyond; of more than
// MaxValues the step doubles. Others stay as they are: a list, a tier, a share or a time is no amount that must grow with the demand.
func (a Axis) times(factor float64) (Axis, bool) {
	n := len(a.Values)
	low, ok1 := parseDecimal(a.Values[0])
	next, ok2 := parseDecimal(a.Values[1])
	high, ok3 := parseDecimal(a.Values[n-1])
	whole := high.unit == "k" || high.unit == "M" || high.unit == "" && max(low.places, next.places, high.places) == 0
	if !ok1 || !ok2 || !ok3 || !whole || a.demand() || factor <= 1 || !strings.Contains(a.Range, "..") {
		return a, false
	}
	places := max(low.places, next.places, high.places)
	if high.unit != "" {
		places = max(places, 3) // to the unit
	}
	from, ok1 := low.at(places)
	second, ok2 := next.at(places)
	to, ok3 := high.at(places)
	if !ok1 || !ok2 || !ok3 || float64(to)*factor > 1e18 {
		return a, false
	}
	step := int64(float64(second-from) * factor)
	to = int64(math.Ceil(2 * float64(to) * factor))
	for (to-from)/step >= MaxValues {
		step *= 2
	}
	text := func(n int64) string { return decimal{n, places, high.unit}.text() }
	out := Axis{Path: a.Path}
	for v := from; v <= to; v += step {
		out.Values = append(out.Values, text(v))
	}
	out.Range = out.Values[0] + ".." + out.Values[len(out.Values)-1]
	if by := text(step); by != "1"+high.unit {
		out.Range += ":" + by
	}
	return out, true
}

// guess is the position at which a search for a growth begins: that of factor times a known answer, or of the answer itself where the
// range is as it was.
func (q *search) guess(value string, factor float64) int {
	if i := slices.Index(q.axis.Values, value); i >= 0 && q.axis.Range == q.axes[0].Range {
		return q.index(i)
	}
	v, ok := number(value)
	i := slices.IndexFunc(q.axis.Values, func(text string) bool {
		x, _ := number(text)
		return x >= v*factor
	})
	if i < 0 || !ok {
		i = len(q.axis.Values) / 2
	}
	return q.index(i)
}

// growthReps is the number of replications of a growth's points.
func (p *Plan) growthReps() int { return min(p.cfg.Reps, max(FewReps, (p.cfg.Reps+1)/2)) }

// grow repeats the search for each demand.
func (w *sweep) grow(s *subject, a *Answer) error {
	if a.Value == "" && w.outlook {
		return nil
	}
	defer func(reps int) { w.reps = reps }(w.reps)
	known, at := a.Value, 1.0 // the last answer, and for which demand
	for i := range w.growth {
		g := &w.growth[i]
		grown := Grown{Demand: g.text, Factor: num(g.factor), Sets: orEmpty(g.sets), Range: g.axis.Range, Answer: *a}
		if g.factor != 1 {
			w.reps = w.growthReps()
			w.begin(growthPhase(g, s))
			q := w.newSearch(s, g.sets, &g.axis)
			var err error
			if known == "" {
				grown.Answer, err = q.answer()
			} else {
				grown.Answer, err = q.answerFrom(q.guess(known, g.factor/at))
			}
			if err != nil {
				return err
			}
			if v := grown.Answer.Value; v != "" {
				known, at = v, g.factor
			}
		}
		grown.Answer.Sensitivity, grown.Answer.Growth = nil, nil
		a.Growth = append(a.Growth, grown)
	}
	return nil
}

package plan

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

func num(f float64) report.Num { return report.Num(f) }

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Run carries a plan out: what the journal has not is run, on all processors. The report does not depend on their number,
// nor on how often the plan was interrupted and gone on with. An interruption (Session.Stop) is no error: the report is
// then partial.
func (p *Plan) Run(s Session) (*Report, error) {
	w := newSweep(p, s)
	r := p.blank()
	w.ahead = p.foresee()
	var err error
	if len(p.axes) == 2 {
		err = w.grids(r)
	} else {
		err = w.searches(r)
	}
	r.Notes = append(r.Notes, w.growthNotes(r.Answers)...)
	r.Runs, r.Broken = w.runs, w.broken()
	r.sum()
	if errors.Is(err, ErrStopped) {
		r.Status = Partial
		return r, nil
	}
	return r, err
}

// blank is the report before anything ran.
func (p *Plan) blank() *Report {
	spec := p.sc.Spec
	demand, err := p.sc.DemandSHA256(p.seed)
	if err != nil {
		demand = "" // a trace that cannot be read: running says so
	}
	r := &Report{
		Schema: Schema, Tool: p.cfg.Tool, Status: Found, Notes: orEmpty(p.notes), Answers: []Answer{}, Broken: []string{},
		Scenario: report.Scenario{
			Name: p.sc.Name(), File: p.sc.File, Description: spec.Description, SHA256: p.sc.SHA256(), DemandSHA256: demand, Seed: p.seed, Mode: "virtual",
			Overrides: p.given(), Agents: p.sc.Agents(),
			DurationS: num(time.Duration(spec.Duration).Seconds()), WarmupS: num(time.Duration(spec.Warmup).Seconds()),
		},
		Plan: Settings{
			Axes: p.axes, Direction: p.cfg.Direction, Objectives: spec.Expect, SLO: p.asked, Reps: p.cfg.Reps,
			Variants: p.cfg.Variants, Growth: p.cfg.Growth, Along: p.cfg.Along, Sensitivity: p.cfg.Sensitivity,
			ConfidenceLevel: ConfidenceLevel, PredictionLevel: PredictionLevel,
		},
	}
	for rep := range p.cfg.Reps {
		r.Plan.Seeds = append(r.Plan.Seeds, sim.ReplicationSeed(p.seed, rep))
	}
	if p.cfg.Reps < FewReps {
		r.Notes = append(r.Notes, fmt.Sprintf("%d replications are few: intervals are wide, and more points uncertain, than with %d", p.cfg.Reps, RepsDefault))
	}
	return r
}

// given are the overrides that the caller gave, without those of --slo.
func (p *Plan) given() []string {
	sets := p.sc.Sets
	if len(p.cfg.Objectives) > 0 {
		sets = sets[:len(sets)-1]
	}
	return slices.Clone(sets)
}

// grids runs the grid of every variant.
func (w *sweep) grids(r *Report) error {
	for i := range w.variants {
		f, err := w.frontier(&w.variants[i])
		r.Frontier = append(r.Frontier, f)
		if err != nil {
			return err
		}
	}
	return nil
}

// searches finds the answer of every variant, what each makes of the others', and what was asked for at each answer.
func (w *sweep) searches(r *Report) error {
	list := make([]*search, len(w.variants))
	for i := range w.variants {
		w.begin(searchPhase(&w.variants[i]))
		list[i] = w.newSearch(&w.variants[i], nil, &w.axes[0])
		a, err := list[i].answer()
		r.Answers = append(r.Answers, a)
		if err != nil {
			return err
		}
	}
	if err := w.cross(r, list); err != nil {
		return err
	}
	for i, q := range list {
		a := &r.Answers[i]
		if w.cfg.Sensitivity && a.Value != "" {
			if err := q.sensitivity(a); err != nil {
				return err
			}
		}
		if err := w.grow(q.subject, a); err != nil {
			return err
		}
	}
	return nil
}

// cross runs every variant at the answers of the others: what is enough for one topples another.
func (w *sweep) cross(r *Report, list []*search) error {
	if len(list) < 2 {
		return nil
	}
	for i := range list {
		value := r.Answers[i].Value
		if value == "" {
			continue
		}
		c := Crossed{Value: value, Of: r.Answers[i].Variant}
		var cells []cell
		for _, q := range list {
			pos := q.index(slices.Index(q.axis.Values, value))
			cells = append(cells, cell{q.at(pos), q.subject})
			c.Variants = append(c.Variants, q.subject.name)
		}
		points, err := w.evaluate(cells)
		for _, p := range points {
			c.Points = append(c.Points, *p)
		}
		r.Crossed = append(r.Crossed, c)
		if err != nil {
			return err
		}
	}
	return nil
}

// broken names the runs that break a law, in the order of the plan's points.
func (w *sweep) broken() []string {
	out := []string{}
	for _, p := range w.order {
		for k := range p.samples {
			if s := &p.samples[k]; s.Broken != "" && len(out) < 10 {
				out = append(out, fmt.Sprintf("%s %s, seed %d: %s", s.Variant, s.Point, s.Seed, s.Broken))
			}
		}
	}
	return out
}

// sum sets the status and the sentences.
func (r *Report) sum() {
	r.Sentence = []string{}
	worse := func(status string) {
		order := []string{Found, Uncertain, Unattainable, Invalid, Partial}
		if slices.Index(order, status) > slices.Index(order, r.Status) {
			r.Status = status
		}
	}
	for i := range r.Answers {
		r.Sentence = append(r.Sentence, r.Answers[i].Sentence)
		worse(r.Answers[i].Status)
	}
	for i := range r.Frontier {
		f := &r.Frontier[i]
		r.Sentence = append(r.Sentence, f.Sentence)
		none := true
		for k := range f.Rows {
			if row := &f.Rows[k]; row.Second != "" {
				none = false
				worse(row.Status)
			}
		}
		if none {
			worse(Unattainable)
		}
	}
	if len(r.Broken) > 0 {
		worse(Invalid)
	}
}

package plan

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Unit is one run of a plan: with the scenario it says all that the result depends on, so it can be carried out
// anywhere.
type Unit struct {
	Point      string   `json:"point"` // for people: the overrides of the point, with spaces between
	Sets       []string `json:"sets"`
	Variant    string   `json:"variant"`
	Rep        int      `json:"rep"` // from 0
	Seed       uint64   `json:"seed"`
	Objectives []string `json:"objectives"` // those that are judged of the variant
}

// unit is a run as a unit.
func (p *Plan) unit(r run) Unit {
	u := Unit{
		Point: r.point.label, Sets: r.point.sets, Variant: r.subject.name, Rep: r.rep, Seed: sim.ReplicationSeed(p.seed, r.rep),
	}
	for i := range r.subject.objectives {
		u.Objectives = append(u.Objectives, r.subject.objectives[i].Text)
	}
	return u
}

// Scenario is the scenario of the plan's units, with the objectives laid over it.
func (p *Plan) Scenario() *scenario.Scenario { return p.sc }

// Run carries a unit out on the caller's goroutine. The scenario is the plan's ([Plan.Scenario]). Stop ends it with [ErrStopped]; nil: nobody
// does. Other errors are those of building the configuration and of running.
func (u *Unit) Run(sc *scenario.Scenario, stop *atomic.Bool) (Sample, error) {
	at, err := sc.With(u.Sets...)
	if err != nil {
		return Sample{}, err
	}
	all := at.Variants()
	i := slices.IndexFunc(all, func(v *scenario.Variant) bool { return v.Name == u.Variant })
	if i < 0 {
		return Sample{}, fmt.Errorf("running %s: there is no variant %q", u.Point, u.Variant)
	}
	objectives := make([]report.Expect, len(u.Objectives))
	for k, text := range u.Objectives {
		if objectives[k], err = report.ParseExpect(text); err != nil {
			return Sample{}, fmt.Errorf("reading an objective: %w", err)
		}
	}
	return u.run(all[i], objectives, stop)
}

func (u *Unit) run(v *scenario.Variant, objectives []report.Expect, stop *atomic.Bool) (Sample, error) {
	out, err := sim.RunSingle(v, u.Seed, stop)
	if err != nil {
		return Sample{}, fmt.Errorf("running %s: %w", u.Point, err)
	}
	defer out.Release()
	if out.Interrupted {
		return Sample{}, ErrStopped
	}
	s := measure(out, objectives)
	s.Point, s.Rep, s.Seed = u.Point, u.Rep, u.Seed
	return s, nil
}

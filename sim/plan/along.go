package plan

import (
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// What grows with the demand in a growth plan: see Config.Along.

// along lists the overrides of a growth: the demand, and what grows with it.
func (p *Plan) along(factor float64) ([]string, error) {
	sets := p.sc.ScaleDemand(factor)
	if len(sets) == 0 {
		return nil, wrong("--growth", "", "the scenario's demand has no number that could be scaled", "", "agents, streams or traces", "")
	}
	switch paths := p.cfg.Along; {
	case len(paths) == 0:
		sets = append(sets, p.sc.ScaleMeans(factor, p.axes[0].Path)...)
	case slices.Equal(paths, []string{None}):
	default:
		for _, path := range paths {
			sets = append(sets, p.scaleAt(path, factor)...)
		}
	}
	return sets, nil
}

// checkAlong says which path of Config.Along cannot grow.
func (p *Plan) checkAlong() error {
	if slices.Equal(p.cfg.Along, []string{None}) {
		return nil
	}
	for _, path := range p.cfg.Along {
		sets := p.scaleAt(path, 2)
		if len(sets) == 0 {
			return wrong("--along", path, "not a number of the scenario", path, "paths of numbers that the file has; or none, by itself", "write for example --along upstreams.anthropic.keys.main.count")
		}
		for i := range p.axes {
			if p.axes[i].within(sets) {
				return wrong("--along", path, "it is what is searched", path, "paths of other numbers", "leave it out")
			}
		}
	}
	return nil
}

// within reports whether some of the overrides are about the axis or what lies below it, so that one of them would undo the other.
func (a *Axis) within(sets []string) bool {
	path := segments(a.Path)
	return slices.ContainsFunc(sets, func(set string) bool {
		at, _, _ := strings.Cut(set, "=")
		names := segments(at)
		return len(names) >= len(path) && slices.Equal(names[:len(path)], path)
	})
}

// scaleAt lists the overrides that make a number factor times as large in the base and in the variants that say it themselves.
func (p *Plan) scaleAt(path string, factor float64) []string {
	var sets []string
	paths := []string{path}
	for _, name := range p.sc.Spec.Variants.Names {
		paths = append(paths, scenario.Path("variants", name)+"."+path)
	}
	for _, path := range paths {
		if set, ok := p.sc.ScaleAt(path, factor); ok {
			sets = append(sets, set)
		}
	}
	return sets
}

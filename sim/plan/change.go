package plan

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// changes lists what sensitivity asks of an answer, at the point that has these overrides. They hold for the variant, whatever its overlay
// says.
func changes(sc *scenario.Scenario, v *scenario.Variant, axes []Axis, bound string) []Change {
	pool, own := poolFor(v.Spec, axes, bound), placeOf(sc, v)
	demand := "+10 % agents"
	if sc.Agents() == 0 {
		demand = "+10 % requests"
	}
	out := []Change{
		own.oneMore(v.Spec, pool),
		own.nextTier(v.Spec, pool),
		scaledBy(demand, sc.ScaleDemand(1.1), "the scenario's demand has no number that could be scaled"),
		scaledBy("+10 % context", sc.ScaleContext(1.1), "the prompts come from a trace"),
	}
	out = append(out, own.vendorsOut(v.Spec)...)
	return append(out, own.noCache(v.Spec))
}

// place is where overrides change a variant, whatever its overlay says: the overlay. Of the scenario itself it is empty.
type place []string

func placeOf(sc *scenario.Scenario, v *scenario.Variant) place {
	if sc.Spec.Variants.Len() == 0 {
		return nil
	}
	return place{"variants", v.Name}
}

// path is that of names in the place.
func (p place) path(names ...string) string {
	return scenario.Path(append(slices.Clone(p), names...)...)
}

// pool is a pool of keys by its names.
type pool struct{ vendor, name string }

// poolFor is the pool that an axis is about; else one of the model that bound the answer; else the first.
func poolFor(s *scenario.Spec, axes []Axis, bound string) pool {
	for i := range axes {
		parts := segments(axes[i].Path)
		if i := slices.Index(parts, "upstreams"); i >= 0 && len(parts) > i+3 && parts[i+2] == "keys" {
			return pool{parts[i+1], parts[i+3]}
		}
	}
	best, found := pool{}, false
	for i, vendor := range s.Upstreams.Names {
		up := s.Upstreams.Values[i]
		if up.Keys.Len() == 0 {
			continue
		}
		binds := slices.ContainsFunc(up.Models.Names, func(m string) bool { return strings.Contains(bound, " "+m+" ") })
		if !found || binds {
			best, found = pool{vendor, up.Keys.Names[0]}, true
		}
		if binds {
			break
		}
	}
	return best
}

func (p pool) path(at place, key string) string {
	return at.path("upstreams", p.vendor, "keys", p.name, key)
}

func (p pool) of(s *scenario.Spec) *scenario.KeyPool {
	if up := s.Upstreams.Get(p.vendor); up != nil {
		return up.Keys.Get(p.name)
	}
	return nil
}

func (at place) oneMore(s *scenario.Spec, p pool) Change {
	c := Change{Name: "one more key"}
	k := p.of(s)
	if k == nil {
		c.Skipped = "there is no pool of keys"
		return c
	}
	n := 1
	if k.Count != nil {
		n = *k.Count
	}
	c.Name += " of " + p.name
	c.Sets = []string{p.path(at, "count") + "=" + strconv.Itoa(n+1)}
	if k.Group != "" {
		c.Skipped, c.Sets = "the keys of "+p.name+" share the limits of group "+k.Group+": one more adds nothing", nil
	}
	return c
}

func (at place) nextTier(s *scenario.Spec, p pool) Change {
	c := Change{Name: "next tier"}
	k := p.of(s)
	if k == nil || k.Tier == "" {
		c.Skipped = "the keys have limits of their own, and no tier"
		return c
	}
	known, err := tiersOf(s.Upstreams.Get(p.vendor))
	i := slices.Index(known, k.Tier)
	switch {
	case err != nil || i < 0:
		c.Skipped = "the models of " + p.vendor + " do not have the same tiers in the catalogue"
	case i == len(known)-1:
		c.Skipped = k.Tier + " is the last that the catalogue knows"
	default:
		c.Name = "next tier, " + known[i+1]
		c.Sets = []string{p.path(at, "tier") + "=" + known[i+1]}
	}
	return c
}

func scaledBy(name string, sets []string, otherwise string) Change {
	c := Change{Name: name, Sets: sets}
	if len(sets) == 0 {
		c.Skipped = otherwise
	}
	return c
}

// vendorsOut has each vendor answer nothing for the whole run, in place of its other faults.
func (at place) vendorsOut(s *scenario.Spec) []Change {
	names := s.Upstreams.Names
	if len(names) < 2 {
		return []Change{{Name: "one vendor out", Skipped: "there is one vendor only"}}
	}
	var out []Change
	for i, v := range names {
		forever := time.Duration(s.Duration) + time.Hour
		name, others, known := "out", "", s.Upstreams.Values[i].Faults.Names
		for slices.Contains(known, name) {
			name += "-out"
		}
		for _, other := range known {
			if len(at) > 0 { // an overlay is merged into the base: what is not to remain is removed by name
				others += ", " + strconv.Quote(other) + ": null"
			}
		}
		out = append(out, Change{
			Name: v + " out",
			Sets: []string{at.path("upstreams", v, "faults") + "={" + name + ": {kind: blackhole, at: 0s, for: " + forever.String() + "}" + others + "}"},
		})
	}
	return out
}

// noCache switches the vendors' prompt caches off, and the stack's semantic cache.
func (at place) noCache(s *scenario.Spec) Change {
	c := Change{Name: "no prompt cache"}
	for i, vendor := range s.Upstreams.Names {
		up := s.Upstreams.Values[i]
		for k, m := range up.Models.Names {
			if cache := &up.Models.Values[k].PromptCache; cache.Given && !cache.Off {
				c.Sets = append(c.Sets, at.path("upstreams", vendor, "models", m, "prompt_cache")+"=off")
			}
		}
	}
	if cache := &s.Stack.Cache; cache.Given && !cache.Off {
		if c.Name = "no cache"; len(c.Sets) == 0 {
			c.Name = "no semantic cache"
		}
		c.Sets = append(c.Sets, at.path("stack", "cache")+"=off")
	}
	if len(c.Sets) == 0 {
		c.Skipped = "no model has its prompt cache on"
	}
	return c
}

// sensitivity runs the changes at an answer.
func (q *search) sensitivity(a *Answer) error {
	pos, _ := q.boundary()
	list, err := q.changed(q.at(pos), q.tried[pos], q.subject)
	a.Sensitivity = list
	return err
}

// changed runs the changes at a point, of which is known what it gave.
func (w *sweep) changed(at *point, was *Point, s *subject) ([]Change, error) {
	w.begin(changePhase(s))
	sc, err := at.load()
	if err != nil {
		return nil, err
	}
	v, err := variantOf(at, s)
	if err != nil {
		return nil, err
	}
	list := changes(sc, v, w.axes, was.Bound)
	var cells []cell
	for i := range list {
		c := &list[i]
		if c.Skipped != "" {
			continue
		}
		pt := w.with(&point{values: was.Values}, append(slices.Clone(at.sets), c.Sets...))
		if _, err := pt.load(); err != nil {
			c.Skipped = "the scenario does not go with it: " + firstLine(err)
			continue
		}
		cells = append(cells, cell{pt, s})
	}
	points, err := w.evaluate(cells)
	k := 0
	for i := range list {
		if c := &list[i]; c.Skipped == "" {
			c.Point, c.Delta = points[k], paired(points[k], was)
			k++
		}
	}
	return list, err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

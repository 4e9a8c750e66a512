package litellm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
	"github.com/seed-4fd17b57/simload/stack"
)

// mostName bounds a name, so that what is put behind it fits the 100 bytes of a scenario's names.
const mostName = 60

// target is a model of the scenario: the deployments of a group that ask one provider for one
// model.
type target struct {
	name        string
	group       string
	provider    string
	dialect     string
	model       string
	wildcard    bool
	order       int64
	deployments []*deployment
}

// route is a group, or an alias of one, and the models that serve it, in order.
type route struct {
	name  string
	group string // as the configuration writes it
	steps []*target
}

// targets puts deployments together, in the order of the file, and within a group by their order,
// if that counts.
func (c *config) targets() []*target {
	var out []*target
	for _, d := range c.deployments {
		if !c.settings.ordered && d.order > 0 {
			c.note(d.at, "order counts only with router_settings.enable_pre_call_checks: true, which is not set")
			d.order = 0
		}
		i := slices.IndexFunc(out, func(t *target) bool {
			return t.group == d.group && t.provider == d.provider && t.model == d.model && t.order == d.order
		})
		if i < 0 {
			i = len(out)
			out = append(out, &target{group: d.group, provider: d.provider, dialect: d.dialect, model: d.model, order: d.order, wildcard: d.wildcard})
		}
		out[i].deployments = append(out[i].deployments, d)
	}
	slices.SortStableFunc(out, func(a, b *target) int {
		if a.group != b.group {
			return 0
		}
		return cmp.Compare(a.order, b.order)
	})
	c.nameTargets(out)
	return out
}

// nameTargets gives a group that has one target its own name, else adds the provider. A name is
// given once.
func (c *config) nameTargets(targets []*target) {
	used, groups := map[string]bool{}, map[string]bool{}
	for _, t := range targets {
		groups[t.group] = true
	}
	for _, t := range targets {
		alone := 0
		for _, other := range targets {
			if other.group == t.group {
				alone++
			}
		}
		name := clean(c.shownGroup(t.group))
		switch {
		case t.wildcard:
			name = "any-" + c.vendor(t.provider)
		case alone > 1:
			name += "-" + c.vendor(t.provider)
		}
		base := name
		for n := 2; used[name] || alone > 1 && groups[name]; n++ {
			name = base + "-" + strconv.Itoa(n)
		}
		used[name], t.name = true, name
	}
}

// clean is a group's name without what a scenario's names do not take.
func clean(group string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("._-/:@+", r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, group)
	if name = strings.TrimLeft(name, "._-/:@+"); name == "" {
		return "group-" + draft.Identifier(group)
	}
	return name[:min(len(name), mostName)]
}

// routes makes a route of each group: its own models, then those of the groups that stand in.
func (c *config) routes(targets []*target) []route {
	byGroup := map[string][]*target{}
	var groups []string
	for _, t := range targets {
		if byGroup[t.group] == nil {
			groups = append(groups, t.group)
		}
		byGroup[t.group] = append(byGroup[t.group], t)
	}
	var out []route
	taken := map[string]bool{}
	for _, t := range targets {
		taken[t.name] = true
	}
	for _, g := range groups {
		c.balanced(byGroup[g])
		if byGroup[g][0].wildcard {
			continue
		}
		name := byGroup[g][0].name
		if len(byGroup[g]) > 1 {
			name = clean(c.shownGroup(g))
			for n := 2; taken[name]; n++ {
				name = clean(c.shownGroup(g)) + "-" + strconv.Itoa(n)
			}
			taken[name] = true
		}
		out = append(out, route{name, g, c.cutSteps(byGroup[g], c.standIns(g, byGroup))})
	}
	for _, a := range c.settings.aliases {
		name := clean(c.shownGroup(a.name))
		i := slices.IndexFunc(out, func(r route) bool { return r.group == a.group })
		switch {
		case i < 0:
			c.note(a.at, "an alias of a group that is not in model_list, or is a wildcard: left out")
		case taken[name]:
			c.note(a.at, "an alias that is a group's name already: left out")
		default:
			taken[name] = true
			out = append(out, route{name, a.name, out[i].steps})
		}
	}
	return out
}

// balanced notes a group whose deployments are not all of one model.
func (c *config) balanced(of []*target) {
	for _, t := range of[1:] {
		if t.order == of[0].order {
			c.note(t.deployments[0].at, "its group spreads requests over models of several kinds; a route asks the first and takes the others when that fails")
		}
	}
}

// standIns returns the models that a group falls back to.
func (c *config) standIns(group string, byGroup map[string][]*target) []*target {
	to, at := c.settings.defaults, value{}
	for _, f := range c.settings.fallbacks {
		if f.group == group || f.group == "*" && at.node == nil {
			to, at = f.to, f.at
		}
	}
	var out []*target
	for i, name := range to {
		if int64(i) >= c.settings.maxFallbacks {
			c.note(at, "more than max_fallbacks, %d: the rest is left out", c.settings.maxFallbacks)
			break
		}
		steps := byGroup[name]
		if d := c.ids[name]; steps == nil && d != nil {
			for _, t := range byGroup[d.group] {
				if slices.Contains(t.deployments, d) {
					steps = []*target{t}
				}
			}
		}
		for _, a := range c.settings.aliases {
			if steps == nil && a.name == name {
				steps = byGroup[a.group]
			}
		}
		if steps == nil && name != group && at.node != nil {
			c.note(at, "falls back to a name that is neither a group nor a deployment's id: left out")
		}
		if name != group {
			out = append(out, steps...)
		}
	}
	return out
}

// cutSteps joins a route's steps, each once, and leaves out what is too much.
func (c *config) cutSteps(own, standIns []*target) []*target {
	var out []*target
	for _, t := range append(slices.Clone(own), standIns...) {
		if slices.Contains(out, t) {
			continue
		}
		if len(out) == stack.MaxSteps {
			c.note(own[0].deployments[0].at, "a route has %d steps at most: the models after them are left out of group %s", stack.MaxSteps, clean(c.shownGroup(own[0].group)))
			break
		}
		out = append(out, t)
	}
	return out
}

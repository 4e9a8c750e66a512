package litellm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/stack"
)

// route is a group, or an alias of one, and the models that serve it, in order.
type route struct {
	name  string
	group string // as the configuration writes it
	steps []*target
}

// standIn is what a group falls back to: a group, or a deployment.
type standIn struct {
	group string // that has fallbacks of its own; "": none
	steps []*target
}

// router turns groups, fallbacks and aliases into routes.
type router struct {
	*config
	groups    []string
	byGroup   map[string][]*target
	targetOf  map[*deployment]*target
	patterns  []string                // wildcard groups
	aliasOf   map[string]string       // groups, by their other names
	stripped  map[string]bool         // names of groups without the provider in front
	fallbacks map[string]fallbackList // by the group that they are of; "*": of any
	taken     map[string]bool         // names
}

// fallbackList is what stands in for a group.
type fallbackList struct {
	at       value
	standIns []standIn
}

// routes makes a route of each group: its own models, then those of the groups that stand in.
func (c *config) routes(targets []*target) []route {
	r := &router{
		config: c, byGroup: map[string][]*target{}, fallbacks: map[string]fallbackList{}, taken: map[string]bool{},
		targetOf: map[*deployment]*target{}, aliasOf: map[string]string{}, stripped: map[string]bool{},
	}
	for _, t := range targets {
		if r.byGroup[t.group] == nil {
			r.groups = append(r.groups, t.group)
		}
		r.byGroup[t.group] = append(r.byGroup[t.group], t)
		r.taken[t.name] = true
		for _, d := range t.deployments {
			r.targetOf[d] = t
		}
	}
	r.readNames()
	r.readFallbacks()
	var out []route
	for _, g := range r.groups {
		own := r.byGroup[g]
		c.balanced(own)
		if !own[0].wildcard {
			out = append(out, route{r.name(own), g, r.steps(g)})
		}
	}
	return r.aliases(out)
}

// name is that of a group's route.
func (r *router) name(own []*target) string {
	name := own[0].name
	if len(own) > 1 {
		base := clean(r.shownGroup(own[0].group))
		name = base
		for n := 2; r.taken[name]; n++ {
			name = base + "-" + strconv.Itoa(n)
		}
		r.taken[name] = true
	}
	r.renamed(own[0].at(), own[0].group, name)
	return name
}

// renamed notes a group or an alias that has another name in the scenario.
func (r *router) renamed(at value, was, name string) {
	switch {
	case name == was:
	case secretive(was):
		r.note(at, "its name may hold a secret, or stands for an environment variable, and is not told: it is called %s here", name)
	default:
		r.note(at, "it is called %s here: a scenario's names have letters, digits and ._-/:@+, and are given once", name)
	}
}

// readNames reads the groups' other names, and the wildcards: the longest first, for it is the
// closest.
func (r *router) readNames() {
	for _, a := range r.settings.aliases {
		r.aliasOf[a.name] = a.group
	}
	for _, g := range r.groups {
		if name := stripped(g); name != "" {
			r.stripped[name] = true
		}
		if strings.Contains(g, "*") {
			r.patterns = append(r.patterns, g)
		}
	}
	slices.SortStableFunc(r.patterns, func(a, b string) int { return len(b) - len(a) })
}

// matches reports whether a wildcard, in which "*" stands for any text, is of a name.
func matches(wildcard, name string) bool {
	parts := strings.Split(wildcard, "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		if ok {
			_, rest, ok = strings.Cut(rest, part)
		}
	}
	return ok && strings.HasSuffix(rest, parts[len(parts)-1])
}

// resolve finds what a name stands for: a group, an alias of one, a deployment's id, or a model
// that a wildcard serves.
func (r *router) resolve(name string) (standIn, bool) {
	if steps := r.byGroup[name]; steps != nil {
		return standIn{name, steps}, true
	}
	if t := r.targetOf[r.ids[name]]; t != nil {
		return standIn{"", []*target{t}}, true
	}
	if steps := r.byGroup[r.aliasOf[name]]; steps != nil {
		return standIn{r.aliasOf[name], steps}, true
	}
	for _, p := range r.patterns {
		if matches(p, name) {
			return standIn{p, r.byGroup[p]}, true
		}
	}
	return standIn{}, false
}

// readFallbacks finds what the lists of fallbacks name. Of two lists of a group LiteLLM takes the
// first, of two for any group the last; default_fallbacks come behind all.
func (r *router) readFallbacks() {
	lists := r.settings.fallbacks
	if len(r.settings.defaults.to) > 0 {
		lists = append(slices.Clone(lists), r.settings.defaults)
	}
	for _, f := range lists {
		before, twice := r.fallbacks[f.group]
		switch {
		case f.group == "*" && twice:
			r.note(before.at, "another list for any group comes later, and counts instead: left out")
		case f.group != "*" && r.byGroup[f.group] == nil && !r.stripped[f.group]:
			r.note(f.at, "not a group of model_list: left out")
			continue
		case twice:
			r.note(f.at, "the group has a list of fallbacks already, which counts instead: left out")
			continue
		}
		list := fallbackList{at: f.at}
		for _, name := range f.to {
			s, ok := r.resolve(name)
			if !ok {
				r.note(f.at, "falls back to a name that is neither a group nor an alias nor a deployment's id: left out")
				continue
			}
			list.standIns = append(list.standIns, s)
		}
		r.fallbacks[f.group] = list
	}
}

// stripped is the name of a group without the provider in front; "" if there is none.
func stripped(group string) string {
	if provider, name, ok := strings.Cut(group, "/"); ok && providers[provider] {
		return name
	}
	return ""
}

// listOf is what a group falls back to: its own list, that of its name without the provider, or
// that of any group.
func (r *router) listOf(group string) fallbackList {
	for _, name := range []string{group, stripped(group), "*"} {
		if list, ok := r.fallbacks[name]; ok {
			return list
		}
	}
	return fallbackList{}
}

// steps returns the models that serve a group: its own, then those that it falls back to. Each
// group that stands in is followed by its own fallbacks; none are looked for once max_fallbacks
// were asked.
func (r *router) steps(group string) []*target {
	var out []*target
	add := func(steps []*target) {
		for _, t := range steps {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	add(r.byGroup[group])
	seen := map[string]bool{group: true}
	var follow func(from string, depth int64)
	follow = func(from string, depth int64) {
		list := r.listOf(from)
		for _, s := range list.standIns {
			switch {
			case seen[s.group]:
				continue
			case depth >= r.settings.maxFallbacks && from != group, r.settings.maxFallbacks == 0:
				r.note(list.at, "not all of it stands in for group %s: max_fallbacks is %d", clean(r.shownGroup(group)), r.settings.maxFallbacks)
				return
			case len(out) > stack.MaxSteps:
				return
			}
			add(s.steps)
			depth++
			if s.group != "" {
				seen[s.group] = true
				follow(s.group, depth)
			}
		}
	}
	follow(group, 0)
	return r.cut(group, out)
}

// cut leaves out the steps of a route that are too much.
func (r *router) cut(group string, steps []*target) []*target {
	if len(steps) > stack.MaxSteps {
		r.note(steps[0].at(), "a route has %d steps at most: the models after them are left out of group %s", stack.MaxSteps, clean(r.shownGroup(group)))
		return steps[:stack.MaxSteps]
	}
	return steps
}

// aliases adds a route for each alias.
func (r *router) aliases(out []route) []route {
	byGroup := map[string][]*target{}
	for _, o := range out {
		byGroup[o.group] = o.steps
	}
	for _, a := range r.settings.aliases {
		steps, name := byGroup[a.group], clean(r.shownGroup(a.name))
		if s, ok := r.resolve(a.group); ok && steps == nil && s.steps[0].wildcard {
			steps = r.cut(a.name, s.steps)
		}
		switch {
		case steps == nil:
			r.note(a.at, "an alias of a group that is not in model_list: left out")
		case r.taken[name]:
			r.note(a.at, "an alias that is a group's name already: left out")
		default:
			r.taken[name] = true
			r.renamed(a.at, a.name, name)
			out = append(out, route{name, a.name, steps})
		}
	}
	return out
}

// balanced notes a group whose deployments are not all of one model.
func (c *config) balanced(of []*target) {
	for _, t := range of[1:] {
		if t.order == of[0].order {
			c.note(t.at(), "its group spreads requests over models of several kinds; a route asks the first and takes the others when that fails")
		}
	}
}

package litellm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
)

// mostName bounds a name, so that what is put behind it fits the 100 characters of a scenario's names.
const mostName = 60

// targetID is what the deployments of a target have in common.
type targetID struct {
	group, provider, model string
	order                  int64
}

// target is a model of the scenario: the deployments of a group that ask one provider for one
// model.
type target struct {
	targetID
	name        string
	dialect     string
	wildcard    bool
	deployments []*deployment
}

// at is where a target is first met.
func (t *target) at() value { return t.deployments[0].at }

// targets puts deployments together: groups in the order of the file, and within a group by order,
// if that counts.
func (c *config) targets() []*target {
	c.orders()
	var out []*target
	byID := map[targetID]*target{}
	groups := map[string]int{}
	for _, d := range c.deployments {
		id := targetID{d.group, d.provider, d.model, d.order}
		t := byID[id]
		if t == nil {
			t = &target{targetID: id, dialect: d.dialect, wildcard: d.wildcard}
			byID[id] = t
			out = append(out, t)
		}
		t.deployments = append(t.deployments, d)
		numbered(groups, d.group)
	}
	slices.SortStableFunc(out, func(a, b *target) int {
		return cmp.Or(cmp.Compare(groups[a.group], groups[b.group]), cmp.Compare(a.order, b.order))
	})
	return out
}

// orders makes the deployments' orders what counts: none unless they are looked at. A deployment
// without one is passed over while another of its group has one.
func (c *config) orders() {
	ordered := map[string]bool{}
	for _, d := range c.deployments {
		if d.order > 0 && !c.settings.ordered {
			c.note(d.at, "order counts only with router_settings.enable_pre_call_checks: true, which is not set")
			d.order = 0
		}
		ordered[d.group] = ordered[d.group] || d.order > 0
	}
	for _, d := range c.deployments {
		if d.order == 0 && ordered[d.group] {
			c.note(d.at, "has no order, as others of its group have: it is asked after all of them")
			d.order = math.MaxInt64
		}
	}
}

// fits says whether a scenario can have so much.
func (c *config) fits(targets []*target) error {
	keys := len(c.deployments)
	if len(targets) <= scenario.MaxModels && keys <= scenario.MaxKeys && keys*len(targets) <= scenario.MaxPairs {
		return nil
	}
	return &Error{
		File: c.file, Path: "model_list", Problem: fmt.Sprintf("%d models and %d keys are too many for a scenario", len(targets), keys),
		Allowed: fmt.Sprintf("up to %d models, %d keys, and %d pairs of a model and a key; a model is a group, or what it asks one provider for", scenario.MaxModels, scenario.MaxKeys, scenario.MaxPairs),
		Hint:    "leave out the groups that do not matter",
	}
}

// nameTargets gives a group that has one target its own name, else adds the provider. A name is
// given once, and one that is a group's to no other.
func (c *config) nameTargets(targets []*target) {
	used, groups := map[string]bool{}, map[string]int{}
	for _, t := range targets {
		groups[t.group]++
	}
	for _, t := range targets {
		alone := groups[t.group] == 1 && !t.wildcard
		name := clean(c.shownGroup(t.group))
		switch {
		case t.wildcard:
			name = "any-" + c.vendor(t.provider)
		case !alone:
			name += "-" + c.vendor(t.provider)
		}
		base := name
		for n := 2; used[name] || groups[name] > 0 && !(alone && name == t.group); n++ {
			name = base + "-" + strconv.Itoa(n)
		}
		used[name], t.name = true, name
	}
}

// clean is a group's name without what a scenario's names do not take.
func clean(group string) string {
	name := []rune(draft.Name(group))
	return string(name[:min(len(name), mostName)])
}

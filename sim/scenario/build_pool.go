package scenario

import (
	"strconv"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// poolUses returns the models of a pool with their limits.
func (c *compiler) poolUses(v *vendor, up *Upstream, pool *KeyPool, at []string) []poolUse {
	names := pool.Models
	if names == nil {
		names = c.modelNames[v.models[0]:v.models[1]]
	} else {
		c.notEmpty(len(names), append(at, "models"))
	}
	if pool.Tier == "" && pool.Limits.Len() == 0 {
		c.fail(problem{
			"keys without limits", "neither tier nor limits", "tier, or limits for each family",
			"write tier: tier4, or limits: {\"*\": {rpm: 500, tpm: 200k}}, or limits: {\"*\": {}} for none at all",
		}, at...)
		return nil
	}
	c.poolLimits(up, pool, at)
	var uses []poolUse
	seen, long, before := make(map[int]bool), false, len(c.list)+c.more
	for i, name := range names {
		m, ok := c.vendorModel(v, name)
		switch {
		case !ok:
			c.fail(unknownName("model", name, c.modelNames[v.models[0]:v.models[1]]), append(at, "models", strconv.Itoa(i))...)
			continue
		case seen[m]:
			c.fail(problem{"a model named twice", name, "each model once", "remove one"}, append(at, "models", strconv.Itoa(i))...)
			continue
		}
		seen[m] = true
		if use, ok := c.poolUse(up, pool, m, name, at); ok {
			uses = append(uses, use)
			long = long || use.long != nil
		}
	}
	if pool.Long != nil && !long && len(c.list)+c.more == before {
		c.fail(problem{"long prompts without limits", c.found(append(at, "long")...), "limits for one model at least, or a tier that has some", "add limits:, or leave long out"}, append(at, "long")...)
	}
	return uses
}

// poolLimits checks what is written of a pool's limits.
func (c *compiler) poolLimits(up *Upstream, pool *KeyPool, at []string) {
	d := dialectOf(up)
	c.limitNames(up, pool.Limits.Names, append(at, "limits")...)
	c.limitsFit(d, &pool.Limits, append(at, "limits")...)
	c.limitNames(up, pool.KnownLimits.Names, append(at, "known_limits")...)
	if pool.Long != nil {
		c.limitNames(up, pool.Long.Limits.Names, append(at, "long", "limits")...)
		c.limitsFit(d, &pool.Long.Limits, append(at, "long", "limits")...)
	}
	if pool.Project == "" {
		return
	}
	where := append(at[:len(at):len(at)], "project")
	if up.Projects.Get(pool.Project) == nil {
		c.fail(unknownName("project", pool.Project, up.Projects.Names), where...)
	}
	if pool.Group == "" && pool.Count != nil && *pool.Count > 1 {
		c.fail(problem{"a project of several groups", "keys without a group", "group: the organisation that the project is a part of", "add group:"}, where...)
		return
	}
	id := [2]string{at[1], pool.Project}
	group := orElse(pool.Group, at[3])
	if have, ok := c.projectOf[id]; ok && have[0] != group {
		c.fail(problem{"a project of two groups", "group " + group, "group " + have[0] + ", as pool " + have[1] + " says", "give the pools one group, or use two projects"}, where...)
	} else if !ok {
		c.projectOf[id] = [2]string{group, at[3]}
	}
}

// poolUse returns what the keys of a pool have to do with a model.
func (c *compiler) poolUse(up *Upstream, pool *KeyPool, m int, name string, at []string) (poolUse, bool) {
	model := up.Models.Get(name)
	use := poolUse{model: m, name: name, family: orElse(model.Family, name)}
	var ok bool
	if use.limits, ok = c.limitsOf(dialectOf(up), pool, name, use.family, model, at); !ok {
		return use, false
	}
	believed, _ := pick(&pool.KnownLimits, name, use.family)
	use.known = believed.known()
	if project := up.Projects.Get(pool.Project); project != nil {
		if l, under := pick(&project.Limits, name, use.family); l != nil {
			use.project = new(mockupstream.Quota)
			l.onto(use.project)
			c.quantumFits(use.project, l, "upstreams", at[1], "projects", pool.Project, "limits", under)
		}
	}
	if pool.Long != nil {
		c.long(dialectOf(up), pool, &use, model, at)
	}
	return use, true
}

// long sets the limits of long prompts: those written for the model, its family, or for
// all, completed by the tier's.
func (c *compiler) long(d *dialect, pool *KeyPool, use *poolUse, model *Model, at []string) {
	var known tier
	if pool.Tier != "" {
		known, _ = c.tierOf(use.name, model, pool.Tier)
	}
	q := d.masked(known.long)
	given, under := pick(&pool.Long.Limits, use.name, use.family)
	if given != nil {
		given.onto(&q)
		c.quantumFits(&q, given, append(at, "long", "limits", under)...)
	} else if q == (mockupstream.Quota{}) {
		return
	}
	from := known.from
	if pool.Long.From != nil {
		from = int64(*pool.Long.From)
	}
	if from == 0 {
		c.fail(problem{"missing key from", "no from, and none in the catalogue for " + use.name, "from: the length that long prompts begin at", "add from:"}, append(at, "long")...)
		return
	}
	use.long = &q
	c.longFrom(use.model, use.name, from, append(at, "long", "from"))
}

// longFrom sets from which length on prompts of a model are long, as a pool says.
func (c *compiler) longFrom(m int, name string, from int64, at []string) {
	have := &c.out.Upstream.Models[m].LongFrom
	if *have == 0 {
		*have = from
		c.longAt[m] = at[3]
	} else if *have != from {
		c.fail(problem{
			"pools do not agree on the long prompts of " + name, "more than " + strconv.FormatInt(from, 10) + " tokens", "more than " + strconv.FormatInt(*have, 10) + ", as pool " + c.longAt[m] + " says", "make from equal",
		}, at...)
	}
}

package scenario

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
)

// quotaID is what a limit is for: a family's requests by a group, or those of a project
// or with long prompts.
type quotaID struct {
	vendor, group, family string
	scope                 quotaScope
}

type quotaScope uint8

const (
	scopeGroup quotaScope = iota
	scopeProject
	scopeLong
)

// quotaAt is where a quota lies, and which pool and model named its limits first.
type quotaAt struct {
	index       int
	pool, model string
}

// vendorKeys expands a vendor's pools into keys, with a quota for each group and
// family.
func (c *compiler) vendorKeys(i int, name string, up *Upstream) {
	v := &c.vendors[i]
	v.keys[0] = len(c.out.Upstream.Keys)
	quotas := len(c.books)
	c.projects(name, up)
	if up.Keys.Len() == 0 {
		c.fail(problem{"no keys", c.found("upstreams", name, "keys"), "at least one pool of keys", "add a pool, such as main: {count: 8, tier: tier4}"}, "upstreams", name, "keys")
	}
	for k, id := range up.Keys.Names {
		c.pool(v, name, up, id, up.Keys.Values[k])
	}
	v.keys[1] = len(c.out.Upstream.Keys)
	c.clientQuotas(quotas)
}

// poolUse is a model that the keys of a pool may use.
type poolUse struct {
	model         int
	name, family  string
	limits        mockupstream.Quota
	known         known
	project, long *mockupstream.Quota // nil: none of their own
}

func (c *compiler) pool(v *vendor, vendor string, up *Upstream, id string, pool *KeyPool) {
	at := []string{"upstreams", vendor, "keys", id}
	before := len(c.list) + c.more
	uses := c.poolUses(v, up, pool, at)
	v.broken = v.broken || before != len(c.list)+c.more
	count := 1
	if pool.Count != nil {
		count = *pool.Count
	}
	weight := int64(1)
	if pool.Weight != nil {
		weight = *pool.Weight
	}
	for n := range count {
		key := keyName(id, n, count)
		index := len(c.out.Upstream.Keys)
		if _, dup := c.keys[key]; dup {
			c.fail(problem{"two keys of one name", key, "names that differ", "rename the pool, or the other one"}, at...)
			return
		}
		c.keys[key] = index
		v.pools[key] = []int{index}
		if key != id {
			v.pools[id] = append(v.pools[id], index)
		}
		// Without padding the name stays good when a variant changes the count.
		if plain := id + "-" + strconv.Itoa(n+1); v.pools[plain] == nil {
			v.pools[plain] = []int{index}
		}
		k := c.key(key, poolAt{vendor, id, orElse(pool.Group, key), pool.Project, up, at}, uses)
		for _, use := range uses {
			t := &c.out.Stack.Targets[use.model]
			t.Keys = append(t.Keys, stack.KeyUse{Key: index, Quota: k.Quotas[use.model], Weight: weight})
		}
		c.out.Upstream.Keys = append(c.out.Upstream.Keys, k)
		c.out.Stack.Keys = append(c.out.Stack.Keys, stack.Key{ID: key})
		c.out.Report.Keys = append(c.out.Report.Keys, key)
		c.out.Report.KeyQuota = append(c.out.Report.KeyQuota, k.Quotas)
	}
}

// poolAt is what the keys of a pool belong to, and where it stands.
type poolAt struct {
	vendor, pool, group, project string
	up                           *Upstream
	at                           []string
}

// key makes one key, with a quota for each model, and those of its project and of long
// prompts where there are some.
func (c *compiler) key(id string, p poolAt, uses []poolUse) mockupstream.Key {
	k := mockupstream.Key{ID: id, Quotas: make([]int, len(c.modelNames))}
	for m := range k.Quotas {
		k.Quotas[m] = -1
	}
	for i := range uses {
		use := &uses[i]
		q := c.quota(quotaID{p.vendor, p.group, use.family, scopeGroup}, &p, use, use.limits)
		k.Quotas[use.model] = q
		var extra []int
		if use.project == nil {
			c.books[q].bare = true
		} else {
			project := c.quota(quotaID{p.vendor, p.project, use.family, scopeProject}, &p, use, *use.project)
			if !slices.Contains(c.books[q].projects, project) {
				c.books[q].projects = append(c.books[q].projects, project)
			}
			extra = []int{project}
			if k.Extra == nil {
				k.Extra = make([][]int, len(c.modelNames))
			}
			k.Extra[use.model] = extra
		}
		if use.long != nil {
			long := c.quota(quotaID{p.vendor, p.group, use.family, scopeLong}, &p, use, *use.long)
			if k.Long == nil {
				k.Long = make([][]int, len(c.modelNames))
			}
			k.Long[use.model] = append([]int{long}, extra...)
		}
	}
	return k
}

// keyName numbers the keys of a pool from 1, with zeros in front so that all are as long.
func keyName(pool string, n, count int) string {
	if count == 1 {
		return pool
	}
	return fmt.Sprintf("%s-%0*d", pool, len(strconv.Itoa(count)), n+1)
}

// keyNames returns the names that a fault may use for keys: pools, then single keys.
func (c *compiler) keyNames(v *vendor) []string {
	var pools, single []string
	for i := v.keys[0]; i < v.keys[1]; i++ {
		single = append(single, c.out.Upstream.Keys[i].ID)
	}
	for i, vendor := range c.spec.Upstreams.Names {
		if &c.vendors[i] == v {
			for _, pool := range c.spec.Upstreams.Get(vendor).Keys.Names {
				if len(v.pools[pool]) > 1 {
					pools = append(pools, pool)
				}
			}
		}
	}
	return append(pools, single...)
}

// quota returns the index of the quota, made new where there is none. Keys that share
// a quota must agree on its limits.
func (c *compiler) quota(id quotaID, p *poolAt, use *poolUse, limits mockupstream.Quota) int {
	limits.Name, limits.Group = id.group+"/"+id.family, p.group
	if id.scope == scopeLong {
		limits.Name += " long"
	}
	limits.CountRefused, limits.CountCached = p.up.CountRefused, p.up.CountCached
	q := &c.out.Upstream.Quotas
	have, ok := c.quotas[id]
	if !ok {
		index := len(*q)
		c.quotas[id] = quotaAt{index, p.pool, use.name}
		*q = append(*q, limits)
		c.books = append(c.books, book{known: known{-1, -1, -1, -1, -1}})
		if id.scope == scopeGroup {
			c.books[index].known = use.known
		}
		c.out.Report.Quotas = append(c.out.Report.Quotas, report.QuotaInfo{Name: limits.Name, RPM: limits.RPM, TPM: limits.TPM})
		return index
	}
	other := "model " + have.model
	if have.pool != p.pool {
		other = "pool " + have.pool
	}
	// Whose project it is was looked at before.
	if first := (*q)[have.index]; id.scope != scopeProject && first != limits {
		c.fail(problem{
			"keys of group " + id.group + " share the " + [...]string{"limits", "", "limits for long prompts"}[id.scope] + " of " + id.family + " but do not agree on them",
			limitsText(&limits, &first) + " for model " + use.name, limitsText(&first, &limits) + ", as " + other + " says", "make them equal, or use another group or family",
		}, p.at...)
	}
	if id.scope == scopeGroup && c.books[have.index].known != use.known {
		c.fail(problem{
			"keys of group " + id.group + " share the limits of " + id.family + " but the client would not know one of them",
			"other known_limits for model " + use.name, "those that " + other + " has", "make them equal, or use another group or family",
		}, p.at...)
	}
	return have.index
}

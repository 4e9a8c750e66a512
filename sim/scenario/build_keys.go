package scenario

import (
	"fmt"
	"strconv"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
)

// quotaID is what a limit is for.
type quotaID struct{ vendor, group, family string }

// quotaAt is where a quota lies, and which pool and model named its limits first.
type quotaAt struct {
	index       int
	pool, model string
}

// limits are requests and tokens per minute; 0: none.
type limits struct{ rpm, tpm int64 }

func (l limits) String() string {
	text := func(n int64) string {
		if n == 0 {
			return "no limit"
		}
		return strconv.FormatInt(n, 10)
	}
	return "rpm " + text(l.rpm) + ", tpm " + text(l.tpm)
}

// vendorKeys expands a vendor's pools into keys, with a quota for each group and
// family.
func (c *compiler) vendorKeys(i int, name string, up *Upstream) {
	v := &c.vendors[i]
	v.keys[0] = len(c.out.Upstream.Keys)
	if up.Keys.Len() == 0 {
		c.fail(problem{"no keys", c.found("upstreams", name, "keys"), "at least one pool of keys", "add a pool, such as main: {count: 8, tier: tier4}"}, "upstreams", name, "keys")
	}
	for k, id := range up.Keys.Names {
		c.pool(v, name, up, id, up.Keys.Values[k])
	}
	v.keys[1] = len(c.out.Upstream.Keys)
}

// poolUse is a model that the keys of a pool may use.
type poolUse struct {
	model  int
	name   string
	family string
	limits limits
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
		group := pool.Group
		if group == "" {
			group = key
		}
		quotas := make([]int, len(c.modelNames))
		for m := range quotas {
			quotas[m] = -1
		}
		for _, use := range uses {
			q := c.quota(quotaID{vendor, group, use.family}, id, use, up.CountRefused, at)
			quotas[use.model] = q
			t := &c.out.Stack.Targets[use.model]
			t.Keys = append(t.Keys, stack.KeyUse{Key: index, Quota: q, Weight: weight})
		}
		c.out.Upstream.Keys = append(c.out.Upstream.Keys, mockupstream.Key{ID: key, Quotas: quotas})
		c.out.Stack.Keys = append(c.out.Stack.Keys, stack.Key{ID: key})
		c.out.Report.Keys = append(c.out.Report.Keys, key)
		c.out.Report.KeyQuota = append(c.out.Report.KeyQuota, quotas)
	}
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
func (c *compiler) quota(id quotaID, pool string, use poolUse, countRefused bool, at []string) int {
	q := &c.out.Upstream.Quotas
	if have, ok := c.quotas[id]; ok {
		first := (*q)[have.index]
		if l := (limits{first.RPM, first.TPM}); l != use.limits {
			other := "model " + have.model
			if have.pool != pool {
				other = "pool " + have.pool
			}
			c.fail(problem{
				"keys of group " + id.group + " share the limits of " + id.family + " but do not agree on them",
				use.limits.String() + " for model " + use.name, l.String() + ", as " + other + " says", "make them equal, or use another group or family",
			}, at...)
		}
		return have.index
	}
	index := len(*q)
	name := id.group + "/" + id.family
	c.quotas[id] = quotaAt{index, pool, use.name}
	*q = append(*q, mockupstream.Quota{Name: name, Group: id.group, RPM: use.limits.rpm, TPM: use.limits.tpm, CountRefused: countRefused})
	c.out.Stack.Quotas = append(c.out.Stack.Quotas, stack.Quota{Name: name, RPM: use.limits.rpm, TPM: use.limits.tpm})
	c.out.Report.Quotas = append(c.out.Report.Quotas, report.QuotaInfo{Name: name, RPM: use.limits.rpm, TPM: use.limits.tpm})
	return index
}

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
	c.limitNames(v, up, pool, at)
	var uses []poolUse
	seen := make(map[int]bool)
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
		model := up.Models.Get(name)
		family := orElse(model.Family, name)
		l, ok := c.limitsOf(pool, name, family, model, at)
		if ok {
			uses = append(uses, poolUse{m, name, family, l})
		}
	}
	return uses
}

// limitNames checks that limits are for models or families of the vendor.
func (c *compiler) limitNames(v *vendor, up *Upstream, pool *KeyPool, at []string) {
	if pool.Limits.Len() == 0 {
		return
	}
	known := make(map[string]bool)
	var names []string
	add := func(name string) {
		if !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	for i, name := range up.Models.Names {
		add(name)
		if family := up.Models.Values[i].Family; family != "" {
			add(family)
		}
	}
	add("*")
	for _, name := range pool.Limits.Names {
		if !known[name] {
			c.fail(unknownName("model or family", name, names), append(at, "limits", name)...)
		}
	}
}

// limitsOf returns the limits of a pool for a model: those written for the model, for
// its family, or for all, completed by the tier's.
func (c *compiler) limitsOf(pool *KeyPool, name, family string, model *Model, at []string) (limits, bool) {
	given := pool.Limits.Get(name)
	if given == nil {
		given = pool.Limits.Get(family)
	}
	if given == nil {
		given = pool.Limits.Get("*")
	}
	var l limits
	whole := given != nil && given.RPM != nil && given.TPM != nil
	if pool.Tier != "" && !whole {
		var tiers []string
		if l, tiers = c.tierOf(name, model, pool.Tier); !contains(tiers, pool.Tier) {
			pr := problem{"the catalogue has no limits of this tier for " + name, quote(pool.Tier), list(tiers), didYouMean(pool.Tier, tiers, "write limits for "+name)}
			if len(tiers) == 0 {
				pr.allowed = "limits for " + name
			}
			c.fail(pr, append(at, "tier")...)
			return l, false
		}
	}
	if given == nil && pool.Tier == "" {
		c.fail(problem{"no limits for model " + name, c.found(append(at, "limits")...), "limits for " + family + " or \"*\"", "add them, or keep the keys off the model with models"}, append(at, "limits")...)
		return l, false
	}
	if given != nil && given.RPM != nil {
		l.rpm = int64(*given.RPM)
	}
	if given != nil && given.TPM != nil {
		l.tpm = int64(*given.TPM)
	}
	return l, true
}

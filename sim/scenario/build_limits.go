package scenario

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// onto lays the limits over those of a tier.
func (l *Limit) onto(q *mockupstream.Quota) {
	count := func(to *int64, from *Tokens) {
		if from != nil {
			*to = int64(*from)
		}
	}
	count(&q.RPM, l.RPM)
	count(&q.TPM, l.TPM)
	count(&q.OTPM, l.OTPM)
	count(&q.RPD, l.RPD)
	count(&q.TPD, l.TPD)
	if l.Concurrency != nil {
		q.Concurrency = int64(*l.Concurrency)
	}
	setDuration(&q.Quantum, l.Quantum)
	if l.Spend != nil {
		const picoPerUSD = 1e12
		q.Spend = max(1, int64(math.Round(float64(*l.Spend)*picoPerUSD)))
	}
	if s := l.Slope; s != nil {
		q.Slope = mockupstream.Slope{From: int64(s.From), Growth: 0.5, Over: 15 * time.Minute}
		if s.Growth != nil {
			q.Slope.Growth = float64(*s.Growth)
		}
		setDuration(&q.Slope.Over, s.Over)
	}
}

// limitsText puts limits in words: of requests and tokens per minute, and of what
// either of the two has besides.
func limitsText(q, other *mockupstream.Quota) string {
	unless := func(none bool, text string) string {
		if none {
			return "no limit"
		}
		return text
	}
	text := func(n int64) string { return unless(n == 0, strconv.FormatInt(n, 10)) }
	out := "rpm " + text(q.RPM) + ", tpm " + text(q.TPM)
	for _, l := range []struct {
		name       string
		this, that int64
	}{
		{"otpm", q.OTPM, other.OTPM},
		{"rpd", q.RPD, other.RPD},
		{"tpd", q.TPD, other.TPD},
		{"concurrency", q.Concurrency, other.Concurrency},
	} {
		if l.this != 0 || l.that != 0 {
			out += ", " + l.name + " " + text(l.this)
		}
	}
	if q.Quantum != other.Quantum {
		out += ", quantum " + unless(q.Quantum == 0, q.Quantum.String())
	}
	if q.Spend != other.Spend {
		out += ", spend " + unless(q.Spend == 0, fmt.Sprintf("%g", float64(q.Spend)/1e12))
	}
	if q.Slope != other.Slope {
		out += ", slope " + unless(q.Slope.From == 0, fmt.Sprintf("from %d", q.Slope.From))
	}
	return out
}

// known is what the client takes a quota's limits for; -1: for what they are.
type known struct{ rpm, tpm, otpm, rpd, concurrency int64 }

func (l *KnownLimit) known() known {
	k := known{-1, -1, -1, -1, -1}
	if l == nil {
		return k
	}
	for _, f := range []struct {
		to   *int64
		from *Tokens
	}{{&k.rpm, l.RPM}, {&k.tpm, l.TPM}, {&k.otpm, l.OTPM}, {&k.rpd, l.RPD}} {
		if f.from != nil {
			*f.to = int64(*f.from)
		}
	}
	if l.Concurrency != nil {
		k.concurrency = int64(*l.Concurrency)
	}
	return k
}

// onto lays what the client believes over what it would know.
func (k known) onto(q *stack.Quota) {
	lay := func(to *int64, from int64) {
		if from >= 0 {
			*to = from
		}
	}
	lay(&q.RPM, k.rpm)
	lay(&q.TPM, k.tpm)
	lay(&q.OTPM, k.otpm)
	lay(&q.RPD, k.rpd)
	if k.concurrency >= 0 {
		q.Concurrency = int(k.concurrency)
	}
}

// book is how the client sees a quota of the provider.
type book struct {
	known    known
	projects []int // quotas of the projects whose keys count against it too
	bare     bool  // some keys are of no project, or of one without limits
}

// clientQuotas tells the stack the limits of the provider's quotas from one on. The stack
// has one budget for a key and model, the group's: where projects divide all of it among
// them, it knows the least of the group's limit and what the projects' come to.
func (c *compiler) clientQuotas(from int) {
	for i := from; i < len(c.books); i++ {
		b := &c.books[i]
		q := clientQuota(&c.out.Upstream.Quotas[i])
		if len(b.projects) > 0 && !b.bare {
			sum := clientQuota(&c.out.Upstream.Quotas[b.projects[0]])
			for _, p := range b.projects[1:] {
				other := clientQuota(&c.out.Upstream.Quotas[p])
				sum = combine(sum, other, func(a, b int64) int64 {
					if a == 0 || b == 0 {
						return 0
					}
					return a + b
				})
			}
			q = combine(q, sum, func(a, b int64) int64 {
				if a == 0 || b == 0 {
					return a + b
				}
				return min(a, b)
			})
		}
		b.known.onto(&q)
		c.out.Stack.Quotas = append(c.out.Stack.Quotas, q)
	}
}

func clientQuota(q *mockupstream.Quota) stack.Quota {
	return stack.Quota{Name: q.Name, RPM: q.RPM, TPM: q.TPM, OTPM: q.OTPM, RPD: q.RPD, Concurrency: int(q.Concurrency), Quantum: q.Quantum}
}

// combine joins two quotas limit by limit, under the name of the first.
func combine(a, b stack.Quota, by func(a, b int64) int64) stack.Quota {
	return stack.Quota{
		Name: a.Name, RPM: by(a.RPM, b.RPM), TPM: by(a.TPM, b.TPM), OTPM: by(a.OTPM, b.OTPM), RPD: by(a.RPD, b.RPD),
		Concurrency: int(by(int64(a.Concurrency), int64(b.Concurrency))), Quantum: a.Quantum,
	}
}

// pick returns what a map by model or family holds for a model: under its own name,
// its family's, or for all; and the name it stands under.
func pick[T any](m *Map[T], model, family string) (*T, string) {
	for _, name := range []string{model, family, "*"} {
		if v := m.Get(name); v != nil {
			return v, name
		}
	}
	return nil, ""
}

// limitsOf returns the limits of a pool for a model: those written for the model, for
// its family, or for all, completed by the tier's.
func (c *compiler) limitsOf(d *dialect, pool *KeyPool, name, family string, model *Model, at []string) (mockupstream.Quota, bool) {
	given, under := pick(&pool.Limits, name, family)
	var q mockupstream.Quota
	whole := given != nil && given.RPM != nil && given.TPM != nil
	if pool.Tier != "" && !whole {
		tier, tiers := c.tierOf(name, model, pool.Tier)
		if !contains(tiers, pool.Tier) {
			pr := problem{"the catalogue has no limits of this tier for " + name, quote(pool.Tier), list(tiers), didYouMean(pool.Tier, tiers, "write limits for "+name)}
			if len(tiers) == 0 {
				pr.allowed = "limits for " + name
			}
			c.fail(pr, append(at, "tier")...)
			return q, false
		}
		q = d.masked(tier.usual)
	}
	if given == nil && pool.Tier == "" {
		c.fail(problem{"no limits for model " + name, c.found(append(at, "limits")...), "limits for " + family + " or \"*\"", "add them, or keep the keys off the model with models"}, append(at, "limits")...)
		return q, false
	}
	if given != nil {
		given.onto(&q)
		c.quantumFits(&q, given, append(at, "limits", under)...)
	}
	if d.is == mockupstream.DialectAzure && q.RPM > 0 && q.Quantum == 0 {
		q.Quantum = 10 * time.Second // as the mock has it; said so that the client knows too
	}
	return q, true
}

// quantumFits checks that there is something that a quantum takes a part of.
func (c *compiler) quantumFits(q *mockupstream.Quota, given *Limit, at ...string) {
	if given.Quantum != nil && q.RPM == 0 {
		c.fail(problem{"a part of no limit", c.found(append(at, "quantum")...), "quantum with rpm", "add rpm, or leave quantum out"}, append(at, "quantum")...)
	}
}

// limitNames checks that limits are for models or families of the vendor.
func (c *compiler) limitNames(up *Upstream, given []string, at ...string) {
	if len(given) == 0 {
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
	for _, name := range given {
		if !known[name] {
			c.fail(unknownName("model or family", name, names), append(at[:len(at):len(at)], name)...)
		}
	}
}

// projects checks the projects of a vendor.
func (c *compiler) projects(vendor string, up *Upstream) {
	for i, name := range up.Projects.Names {
		at := []string{"upstreams", vendor, "projects", name, "limits"}
		limits := &up.Projects.Values[i].Limits
		if limits.Len() == 0 {
			c.fail(problem{"a project without limits", c.found(at...), "at least one limit", "add limits: {\"*\": {tpm: 100k}}, or leave the project out"}, at...)
		}
		c.limitNames(up, limits.Names, at...)
		c.limitsFit(dialectOf(up), limits, at...)
	}
}

package scenario

import (
	"sync"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/seed-4fd17b57/simload/report"
)

// builtin is the catalogue, parsed on first use.
var builtin = sync.OnceValues(catalog.Load)

// figures is what the catalogue knows of a model; zero where it does not know it.
type figures struct {
	contextWindow, maxOutput int64
	latency                  mockupstream.Latency
	price                    report.Price
}

func (c *compiler) figures(name string, m *Model) (figures, bool) {
	known, ok := c.catalog.Model(orElse(m.Catalogue, name))
	if !ok {
		return figures{}, false
	}
	return figures{
		contextWindow: known.ContextWindow, maxOutput: known.MaxOutput, latency: known.Latency,
		price: report.Price{In: known.Price.Input, Cached: known.Price.Cached, Out: known.Price.Output},
	}, true
}

// tierOf returns a tier's limits of a model, and the names of the tiers it has.
func (c *compiler) tierOf(name string, m *Model, tier string) (limits, []string) {
	known, _ := c.catalog.Model(orElse(m.Catalogue, name))
	var names []string
	for _, t := range known.Tiers {
		names = append(names, t.Name)
	}
	t, _ := known.Tier(tier)
	return limits{t.RPM, t.TPM}, names
}

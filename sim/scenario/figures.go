package scenario

import (
	"sync"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
)

// builtin is the catalogue, parsed on first use.
var builtin = sync.OnceValues(catalog.Load)

// figures is what the catalogue knows of a model; zero where it does not know it.
type figures struct {
	contextWindow, maxOutput int64
	latency                  mockupstream.Latency
	price                    mockupstream.Price
	cache                    mockupstream.PromptCache
}

func (c *compiler) figures(name string, m *Model) (figures, bool) {
	known, ok := c.catalog.Model(orElse(m.Catalogue, name))
	if !ok {
		return figures{}, false
	}
	return figures{
		contextWindow: known.ContextWindow, maxOutput: known.MaxOutput, latency: known.Latency,
		price: known.Price, cache: known.Cache,
	}, true
}

// tier is a tier's limits of a model: the usual ones, and those of long prompts.
type tier struct {
	usual, long mockupstream.Quota
	from        int64 // prompts of more tokens are long; 0: none is
}

// tierOf returns a tier of a model, and the names of the tiers it has.
func (c *compiler) tierOf(name string, m *Model, id string) (tier, []string) {
	known, _ := c.catalog.Model(orElse(m.Catalogue, name))
	var names []string
	for _, t := range known.Tiers {
		names = append(names, t.Name)
	}
	t, _ := known.Tier(id)
	return tier{
		usual: mockupstream.Quota{RPM: t.RPM, TPM: t.TPM, OTPM: t.OTPM, RPD: t.RPD, Concurrency: t.Concurrency},
		long:  mockupstream.Quota{RPM: t.LongRPM, TPM: t.LongTPM},
		from:  known.LongContext,
	}, names
}

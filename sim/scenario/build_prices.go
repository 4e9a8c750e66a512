package scenario

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
)

// Rate is what one USD is in CNY: as given, or 7.18.
func (p *Prices) Rate() float64 {
	if p.CNYPerUSD != nil {
		return float64(*p.CNYPerUSD)
	}
	return 7.18
}

// MonthlyBudget is the budget of a month in USD; 0: none.
func (p *Prices) MonthlyBudget() float64 {
	if p.MonthlyBudgetCNY > 0 {
		return float64(p.MonthlyBudgetCNY) / p.Rate()
	}
	return float64(p.MonthlyBudgetUSD)
}

// prices fills in what tokens cost, for the report and for limits on spend.
func (c *compiler) prices() {
	p := &c.spec.Prices
	r := &c.out.Report
	r.CNYPerUSD, r.MonthlyBudgetUSD = p.Rate(), p.MonthlyBudget()
	if p.MonthlyBudgetUSD > 0 && p.MonthlyBudgetCNY > 0 {
		c.fail(problem{
			"two budgets", fmt.Sprintf("%g CNY beside %g USD", float64(p.MonthlyBudgetCNY), float64(p.MonthlyBudgetUSD)),
			"monthly_budget_usd or monthly_budget_cny", "remove one; cny_per_usd makes the one the other",
		}, "prices", "monthly_budget_cny")
	}
	for i, name := range p.Models.Names {
		m, ok := c.models[name]
		if !ok {
			c.fail(unknownName("model", name, c.modelNames), "prices", "models", name)
			continue
		}
		given := p.Models.Values[i]
		price := &c.out.Upstream.Models[m].Price
		given.onto(price, c.priced[m])
		if l := given.Long; l != nil {
			if l.onto(price); price.LongFrom == 0 {
				c.fail(problem{"missing key from", "no from, and none in the catalogue", "from: the length that long prompts begin at", "add from:"}, "prices", "models", name, "long")
			}
		}
	}
	for i := range r.Models {
		m := &r.Models[i]
		given := p.Models.Get(m.Name)
		if !c.priced[i] && (given == nil || given.Input == nil || given.Output == nil) {
			c.fail(problem{
				"no price for model " + m.Name, "no price, and no entry in the catalogue", "prices.models." + m.Name + " with input and output",
				"add {input: 0, output: 0} under prices.models if it costs nothing",
			}, "upstreams", m.Vendor, "models", m.Name)
		}
		m.Price = c.out.Upstream.Models[i].Price
	}
}

// onto lays the prices of usual prompts over the catalogue's, if there are some.
func (g *ModelPrice) onto(p *mockupstream.Price, catalogued bool) {
	apart := catalogued && p.CacheWrite != p.Input // the catalogue has a price of writing
	setPrice(&p.Input, g.Input)
	if g.Cached == nil && !catalogued {
		p.Cached = p.Input
	}
	setPrice(&p.Cached, g.Cached)
	setPrice(&p.Output, g.Output)
	if !apart {
		p.CacheWrite = p.Input
	}
	setPrice(&p.CacheWrite, g.CacheWrite)
}

// onto lays the prices of long prompts over the catalogue's, or over those of usual ones.
func (l *LongPrice) onto(p *mockupstream.Price) {
	if p.LongFrom == 0 {
		p.Long = p.Rates(false)
	}
	if l.From != nil {
		p.LongFrom = int64(*l.From)
	}
	apart := p.Long.CacheWrite != p.Long.Input
	setPrice(&p.Long.Input, l.Input)
	setPrice(&p.Long.Cached, l.Cached)
	setPrice(&p.Long.Output, l.Output)
	if !apart {
		p.Long.CacheWrite = p.Long.Input
	}
	setPrice(&p.Long.CacheWrite, l.CacheWrite)
}

// setPrice turns USD per million tokens into pico-USD per token.
func setPrice(to *int64, from *Price) {
	if from == nil {
		return
	}
	n, err := catalog.ParsePrice(string(*from))
	if err != nil {
		panic("scenario: a price that was accepted before: " + err.Error())
	}
	*to = n
}

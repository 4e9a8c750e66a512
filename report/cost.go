package report

import (
	"math"
	"math/big"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// picoPerUSD is the number of pico-USD in a USD.
var picoPerUSD = new(big.Float).SetInt64(1e12)

// month is what a monthly budget is for.
const month = 30 * 24 * time.Hour

// bill returns the price of tokens in pico-USD: prompt tokens read from the cache or
// written to it at their own price, the others at the full one (INV-61), and those of
// long calls at theirs. Integers of any size, so that no sum overflows.
func bill(t *tokens, p *mockupstream.Price) *big.Int {
	usual, long := p.Rates(false), p.Rates(true)
	in, cached, written := t.in-t.longIn, t.cached-t.longCached, t.written-t.longWritten
	sum := new(big.Int)
	for _, part := range [...][2]int64{
		{in - cached - written, usual.Input},
		{cached, usual.Cached},
		{written, usual.CacheWrite},
		{t.out - t.longOut, usual.Output},
		{t.longIn - t.longCached - t.longWritten, long.Input},
		{t.longCached, long.Cached},
		{t.longWritten, long.CacheWrite},
		{t.longOut, long.Output},
	} {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	return sum
}

// usd rounds an amount, once, for display.
func usd(pico *big.Int) Num {
	f, _ := new(big.Float).Quo(new(big.Float).SetInt(pico), picoPerUSD).Float64()
	return Num(f)
}

// account sums one row of the bill.
type account struct {
	tokens       tokens
	cost, wasted big.Int
}

func (a *account) add(c *cell, p *mockupstream.Price) {
	a.tokens.plus(&c.billed)
	a.cost.Add(&a.cost, bill(&c.billed, p))
	a.wasted.Add(&a.wasted, bill(&c.wasted, p))
}

func (a *account) item(by By) CostItem {
	return CostItem{
		By: by, TokensIn: a.tokens.in, TokensCached: a.tokens.cached, TokensOut: a.tokens.out,
		Cost: usd(&a.cost), Wasted: usd(&a.wasted),
	}
}

// cost is the bill of the measured requests: rows per model that was used, then per profile.
func (r *Recorder) cost(succeeded int64) Cost {
	s := &r.setup
	out := Cost{Currency: "USD", By: []CostItem{}, CNYPerUSD: Num(s.CNYPerUSD), BudgetUSD: Num(s.MonthlyBudgetUSD)}
	var all account
	for m, info := range s.Models {
		var a account
		for p := range s.Profiles {
			c := r.cell(p, m)
			a.add(c, &info.Price)
			all.add(c, &info.Price)
		}
		if a.tokens != (tokens{}) {
			out.By = append(out.By, a.item(By{Model: info.Name}))
		}
	}
	for p := range s.Profiles {
		var a account
		for m, info := range s.Models {
			a.add(r.cell(p, m), &info.Price)
		}
		out.By = append(out.By, a.item(r.profileBy(p)))
	}
	out.Total, out.Wasted = usd(&all.cost), usd(&all.wasted)
	out.TotalCNY = out.Total * Num(s.CNYPerUSD)
	out.Per1000 = Num(math.NaN())
	if succeeded > 0 {
		out.Per1000 = out.Total * 1000 / Num(succeeded)
	}
	out.BudgetUse = Num(math.NaN())
	if s.MonthlyBudgetUSD > 0 {
		out.BudgetUse = out.Total * Num(month.Seconds()/r.ended.windowS/s.MonthlyBudgetUSD)
	}
	return out
}

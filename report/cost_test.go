package report

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
)

// TestCostIsSumOverAttempts bills each attempt by itself, in integers (INV-61).
func TestCostIsSumOverAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := lives(newRand(rapid.Uint64().Draw(t, "seed")), rapid.IntRange(1, 200).Draw(t, "n"))
		s := testSetup()
		r := NewRecorder(s)
		r.Close(play(r, all, forever))
		cost := r.cost(1)
		total, wasted := new(big.Int), new(big.Int)
		for i := range all {
			l := &all[i]
			if l.job.Intended < s.Warmup || l.job.Intended >= s.Duration {
				continue
			}
			for k, st := range l.res.Steps {
				p, u := s.Models[st.Target].Price, l.billed[k]
				pico := big.NewInt((u.In-u.Cached-u.CacheWrite)*p.Input + u.Cached*p.Cached + u.CacheWrite*p.Input*5/4 + u.Out*p.Output)
				if u.Long { // twice the price, but for output
					pico = big.NewInt(2*((u.In-u.Cached-u.CacheWrite)*p.Input+u.Cached*p.Cached+u.CacheWrite*p.Input*5/4) + u.Out*p.Output)
				}
				total.Add(total, pico)
				if st.Outcome.Kind != stack.Success {
					wasted.Add(wasted, pico)
				}
			}
		}
		if cost.Total != usd(total) || cost.Wasted != usd(wasted) {
			t.Fatalf("total %v, wasted %v; want %v, %v", cost.Total, cost.Wasted, usd(total), usd(wasted))
		}
		if got := float64(cost.TotalCNY); math.Abs(got-7.2*float64(cost.Total)) > 1e-9 {
			t.Fatalf("CNY %v for USD %v", got, cost.Total)
		}
	})
}

// TestCostOfBenchmark prices 1000 successes of 512 tokens in, half of them cached, and 256 out,
// and extrapolates nine measured minutes to a month.
func TestCostOfBenchmark(t *testing.T) {
	s := testSetup()
	r := NewRecorder(s)
	use := stack.Usage{In: 512, Cached: 256, Out: 256}
	for range 1000 {
		j := &Job{Intended: 2 * time.Minute}
		r.Offered(j)
		st := stack.Step{Outcome: stack.Outcome{Kind: stack.Success, Status: 200, Usage: use}}
		r.Attempted(j.Intended, j, &st, Bill{Usage: use}, false)
		r.Done(j.Intended, j, &stack.Result{Ending: stack.Succeeded, Ended: j.Intended, Steps: []stack.Step{st}})
	}
	c := r.Finish(Run{Now: s.Duration}).Cost
	perRequest := (256*2.0 + 256*0.5 + 256*8.0) / 1e6
	if math.Abs(float64(c.Per1000)-1000*perRequest) > 1e-12 {
		t.Errorf("per 1000: %v, want %v", c.Per1000, 1000*perRequest)
	}
	if want := 1000 * perRequest * (30 * 24 * 60 / 9.0) / 1000; math.Abs(float64(c.BudgetUse)-want) > 1e-9 {
		t.Errorf("budget use %v, want %v", c.BudgetUse, want)
	}
	if len(c.By) != 1+3 || c.By[0].By.Model != "gpt-4.1" || c.By[0].TokensCached != 256_000 {
		t.Errorf("rows %+v", c.By)
	}
}

// TestBillDoesNotOverflow prices more tokens than 64 bits of pico-USD can hold.
func TestBillDoesNotOverflow(t *testing.T) {
	got := usd(bill(&tokens{in: 1e15, out: 1e15}, &mockupstream.Price{Input: 10_000_000, Output: 10_000_000}))
	if got != 2e10 {
		t.Errorf("%v USD", got)
	}
}

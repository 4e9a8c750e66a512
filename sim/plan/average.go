package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// averages are the mean demand of each model that is asked for first.
type averages map[int]modelAverage // by model; read by index alone

type modelAverage struct{ requestsPS, inPM, outPM float64 }

// averagesOf draws the demand of a configuration without serving it, and averages it over the measured window.
func averagesOf(b *scenario.Built) (averages, error) {
	w, err := workload.New(b.Workload)
	if err != nil {
		return nil, fmt.Errorf("drawing the demand: %w", err)
	}
	defer w.Close()
	from, to := b.Report.Warmup, b.Workload.Duration
	minutes := (to - from).Minutes()
	sums := make(averages)
	for i := range w.Sources() {
		for d, ok := w.Next(i); ok; d, ok = w.Next(i) {
			if d.Intended < from || d.Intended >= to {
				continue
			}
			m := b.Stack.Routes[b.Profiles[d.Profile].Route].Steps[0].Target
			a := sums[m]
			a.requestsPS += 1 / (to - from).Seconds()
			a.inPM += float64(d.In) / minutes
			a.outPM += float64(d.Out) / minutes
			sums[m] = a
		}
	}
	return sums, w.Err()
}

// amounts are what a minute takes of limits, or what limits allow (0: there is none): requests, tokens and output tokens a minute, calls
// open at once.
type amounts struct{ rpm, tpm, otpm, open float64 }

// each changes every amount by the other's.
func (a *amounts) each(b amounts, f func(x, y float64) float64) {
	a.rpm, a.tpm, a.otpm, a.open = f(a.rpm, b.rpm), f(a.tpm, b.tpm), f(a.otpm, b.otpm), f(a.open, b.open)
}

// limitsOf is what the keys of some models come to, less what the headroom leaves; a quota that they share counts once.
func limitsOf(b *scenario.Built, list ...int) amounts {
	var sum amounts
	seen := map[int]bool{}
	for _, m := range list {
		for _, k := range b.Stack.Targets[m].Keys {
			if seen[k.Quota] || k.Weight == 0 {
				continue
			}
			q := &b.Stack.Quotas[k.Quota]
			limit := amounts{float64(q.RPM), float64(q.TPM), float64(q.OTPM), float64(q.Concurrency)}
			if len(seen) == 0 {
				sum = limit
			} else {
				sum.each(limit, func(x, y float64) float64 {
					if x == 0 || y == 0 {
						return 0 // what some key has no limit of has none
					}
					return x + y
				})
			}
			seen[k.Quota] = true
		}
	}
	rpm, tpm := float64(b.Stack.Budget.RPMHeadroom)/100, float64(b.Stack.Budget.TPMHeadroom)/100
	sum.each(amounts{rpm, tpm, tpm, 1}, func(x, y float64) float64 { return x * y })
	return sum
}

// gateOf is the stacks' own limit of calls open at a model.
func gateOf(b *scenario.Built, model int) float64 {
	c := cmp.Or(b.Stack.Targets[model].Concurrency, &b.Stack.Concurrency)
	limit := c.Max
	if c.Controller == "static" {
		limit = c.Start
	}
	if b.Stack.Shared { // of the whole fleet
		return float64(limit)
	}
	return float64(limit * b.Instances)
}

// models does the arithmetic for each model; response times and shares of the cache are those of a point that ran, by name.
func models(b *scenario.Built, avg averages, loads []ModelLoad) []StaticModel {
	out := []StaticModel{}
	var asked []int
	takes := make([]amounts, len(b.Report.Models))
	for m := range b.Report.Models {
		a, ok := avg[m]
		if !ok {
			continue
		}
		none := report.Num(math.NaN())
		s := StaticModel{
			Model: b.Report.Models[m].Name, RequestsPS: report.Num(a.requestsPS), TokensInPM: report.Num(a.inPM), TokensOutPM: report.Num(a.outPM),
			RPMUse: none, TPMUse: none, OTPMUse: none, OpenUse: none,
		}
		if i := slices.IndexFunc(loads, func(l ModelLoad) bool { return l.Model == s.Model }); i >= 0 {
			s.ResponseS, s.InFlight, s.InFlightMax, s.Cached = loads[i].ResponseS, loads[i].InFlight, loads[i].InFlightMax, loads[i].Cached
		}
		s.Little = s.ResponseS * s.RequestsPS
		s.Pool = int(math.Ceil(float64(s.Little) * poolSlack))
		takes[m] = amounts{a.requestsPS * 60, charged(b.Stack.Targets[m].Charge, &a, float64(s.Cached)), a.outPM, float64(s.Little)}
		own := limitsOf(b, m)
		s.limited(takes[m], own)
		gate := gateOf(b, m)
		more(&s.OpenUse, use(takes[m].open, gate))
		if s.ConcurrencyN = report.Num(gate); own.open > 0 {
			s.ConcurrencyN = report.Num(min(gate, own.open))
		}
		asked, out = append(asked, m), append(out, s)
	}
	for i, m := range asked {
		shared := sharing(b, asked, m)
		if len(shared) < 2 {
			continue
		}
		var sum amounts
		for _, x := range shared {
			sum.each(takes[x], func(x, y float64) float64 { return x + y })
			if x != m {
				out[i].With = append(out[i].With, b.Report.Models[x].Name)
			}
		}
		out[i].limited(sum, limitsOf(b, shared...))
	}
	return out
}

// charged are the tokens a minute that the vendor counts. Of what is asked for beyond the prompt arithmetic counts what is used.
func charged(c stack.Charge, a *modelAverage, cached float64) float64 {
	switch c {
	case stack.ChargeInput:
		return a.inPM
	case stack.ChargeUncached:
		return a.inPM * (1 - cached)
	}
	return a.inPM + a.outPM
}

// limited takes over the uses of limits where they are more than those that are known.
func (s *StaticModel) limited(takes, limit amounts) {
	more(&s.RPMUse, use(takes.rpm, limit.rpm))
	more(&s.TPMUse, use(takes.tpm, limit.tpm))
	more(&s.OTPMUse, use(takes.otpm, limit.otpm))
	more(&s.OpenUse, use(takes.open, limit.open))
}

// more raises a use that may not be known.
func more(to *report.Num, use report.Num) {
	if math.IsNaN(float64(*to)) || use > *to {
		*to = use
	}
}

// sharing lists the models among those asked for that share quotas with a model, or with one that does, itself included, in order.
func sharing(b *scenario.Built, asked []int, model int) []int {
	quotas, in := map[int]bool{}, map[int]bool{}
	add := func(m int) {
		in[m] = true
		for _, k := range b.Stack.Targets[m].Keys {
			quotas[k.Quota] = true
		}
	}
	add(model)
	for again := true; again; {
		again = false
		for _, m := range asked {
			if !in[m] && slices.ContainsFunc(b.Stack.Targets[m].Keys, func(k stack.KeyUse) bool { return quotas[k.Quota] }) {
				add(m)
				again = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(asked), func(m int) bool { return !in[m] })
}

// use is the part of a limit that is taken; NaN without one.
func use(n, limit float64) report.Num {
	if limit == 0 {
		return report.Num(math.NaN())
	}
	return report.Num(n / limit)
}

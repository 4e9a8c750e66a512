package report

import (
	"math"
	"slices"
)

func ofVariant(f func(v *Variant) float64) func(*Variant, By) (float64, string) {
	return func(v *Variant, _ By) (float64, string) { return f(v), "" }
}

func ofTotals(f func(t *Totals) int64) func(*Variant, By) (float64, string) {
	return func(v *Variant, _ By) (float64, string) { return float64(f(&v.Totals)), "" }
}

func perRequest(f func(t *Totals) int64) func(*Variant, By) (float64, string) {
	return func(v *Variant, _ By) (float64, string) {
		return quotient(float64(f(&v.Totals)), float64(v.asked(v.Totals.Requests, v.Totals.InFlight)), "no requests")
	}
}

// perRun takes the mean of a run where a sum over several is told.
func perRun(f func(*Variant, By) (float64, string)) func(*Variant, By) (float64, string) {
	return func(v *Variant, by By) (float64, string) {
		sum, note := f(v, by)
		return sum / float64(v.runs()), note
	}
}

// runs is the number of runs that counts and money are sums of.
func (v *Variant) runs() int64 { return int64(max(1, v.SummedRuns)) }

// asked is the number of requests that ratios are shares of: of an interrupted run, those that ended.
func (v *Variant) asked(requests, inFlight int64) int64 {
	if v.Interrupted {
		return requests - inFlight
	}
	return requests
}

func quotient(a, b float64, none string) (float64, string) {
	if b == 0 {
		return math.NaN(), none
	}
	return a / b, ""
}

func (g Group) requests() int64 { return g.Requests }
func (g Group) attempts() int64 { return g.Attempts }

// evalRatioOK: what had not ended when the run did is not OK.
func evalRatioOK(v *Variant, by By) (float64, string) {
	return ofAsked(v, by, func(g *Group) int64 { return g.Succeeded })
}

func evalPerRequest(v *Variant, by By) (float64, string) {
	return ofAsked(v, by, func(g *Group) int64 { return g.Attempts })
}

func ofAsked(v *Variant, by By, f func(*Group) int64) (float64, string) {
	g, note := v.group(by)
	if note != "" {
		return math.NaN(), note
	}
	return quotient(float64(f(&g)), float64(v.asked(g.Requests, g.InFlight)), "no requests")
}

func groupCount(f func(Group) int64) func(*Variant, By) (float64, string) {
	return func(v *Variant, by By) (float64, string) {
		g, note := v.group(by)
		if note != "" {
			return math.NaN(), note
		}
		return float64(f(g)), ""
	}
}

func groupRatio(a, b func(Group) int64, none string) func(*Variant, By) (float64, string) {
	return func(v *Variant, by By) (float64, string) {
		g, note := v.group(by)
		if note != "" {
			return math.NaN(), note
		}
		return quotient(float64(a(g)), float64(b(g)), none)
	}
}

// keyCounts sums what the provider counted, for selections that name a key but
// no profile or class; ok says whether this is such a selection.
func keyCounts(v *Variant, by By) (sum Key, note string, ok bool) {
	if by.Key == "" || by.Profile != "" || by.Class != "" {
		return sum, "", false
	}
	rows, note := pick(v.Keys, keyBy, by)
	for _, k := range rows {
		sum.Requests += k.Requests
		sum.HTTP429 += k.HTTP429
	}
	return sum, note, true
}

func keyBy(k *Key) By { return By{Key: k.Key, Model: k.Model} }

func evalAttempts(v *Variant, by By) (float64, string) {
	if k, note, ok := keyCounts(v, by); ok {
		if note != "" {
			return math.NaN(), note
		}
		return float64(k.Requests), ""
	}
	return groupCount(Group.attempts)(v, by)
}

// evalRatio429 is per attempt.
func evalRatio429(v *Variant, by By) (float64, string) {
	if k, note, ok := keyCounts(v, by); ok {
		if note != "" {
			return math.NaN(), note
		}
		return quotient(float64(k.HTTP429), float64(k.Requests), "no attempts")
	}
	return groupRatio(func(g Group) int64 { return g.HTTP429 }, Group.attempts, "no attempts")(v, by)
}

func evalThroughput(v *Variant, by By) (float64, string) {
	return ofServed(v, by, v.Throughput.RequestsPerS, func(g *Group) int64 { return g.Served })
}

func evalTokensPerMin(v *Variant, by By) (float64, string) {
	return ofServed(v, by, v.Throughput.TokensPerMin, func(g *Group) int64 { return g.ServedTokens })
}

// ofServed is a group's part of a rate of all: by its share of what was served in the
// window, so that its length need not be known.
func ofServed(v *Variant, by By, rate Num, f func(*Group) int64) (float64, string) {
	if by == (By{}) {
		return float64(rate), ""
	}
	g, note := v.group(by)
	i := slices.IndexFunc(v.Groups, func(g Group) bool { return g.By == (By{}) })
	if note == "" && i < 0 {
		note = "this is not measured by group"
	}
	if note != "" {
		return math.NaN(), note
	}
	all := f(&v.Groups[i])
	if all == 0 {
		return 0, ""
	}
	return float64(f(&g)) / float64(all) * float64(rate), ""
}

// billOf sums the selected rows of the bill.
func billOf(v *Variant, by By) (sum, wasted float64, note string) {
	if by == (By{}) {
		return float64(v.Cost.Total), float64(v.Cost.Wasted), ""
	}
	rows, note := pick(v.Cost.By, func(c *CostItem) By { return c.By }, by)
	for _, r := range rows {
		sum += float64(r.Cost)
		wasted += float64(r.Wasted)
	}
	if note != "" {
		sum, wasted = math.NaN(), math.NaN()
	}
	return sum, wasted, note
}

func evalCost(v *Variant, by By) (float64, string) {
	sum, _, note := billOf(v, by)
	return sum, note
}

func evalCostPer1000(v *Variant, by By) (float64, string) {
	if by == (By{}) && v.Totals.Succeeded > 0 {
		return float64(v.Cost.Per1000), ""
	}
	sum, _, note := billOf(v, by)
	if note != "" {
		return sum, note
	}
	g, note := v.group(by)
	if note != "" {
		return math.NaN(), note
	}
	return quotient(1000*sum, float64(g.Succeeded), "no successes")
}

func evalWastedShare(v *Variant, by By) (float64, string) {
	sum, wasted, note := billOf(v, by)
	if note != "" {
		return sum, note
	}
	return quotient(wasted, sum, "no cost")
}

func worstKey(f func(Key) Num) func(*Variant, By) (float64, string) {
	return func(v *Variant, by By) (float64, string) {
		rows, note := pick(v.Keys, keyBy, by)
		worst := math.NaN()
		for _, k := range rows {
			if u := float64(f(*k)); math.IsNaN(worst) || u > worst {
				worst = u
			}
		}
		if note == "" && math.IsNaN(worst) {
			note = "no key has this limit"
			if rows[0].Minutes == 0 {
				note = "no whole minute was measured, and use is counted by the minute"
			}
		}
		return worst, note
	}
}

// evalLimitMean is the mean concurrency limit, summed over the selected gates.
func evalLimitMean(v *Variant, by By) (float64, string) {
	rows, note := pick(v.Stack.Gates, func(g *Gate) By { return By{Model: g.Model} }, by)
	if note != "" {
		return math.NaN(), note
	}
	sum := 0.0
	for _, g := range rows {
		sum += float64(g.LimitMean)
	}
	return sum, ""
}

// evalCacheWrong: over real sockets nobody knows what an answer would have been.
func evalCacheWrong(v *Variant, _ By) (float64, string) {
	if v.Harness != nil {
		return math.NaN(), "on the wall clock nobody knows which hits are wrong"
	}
	return float64(v.Totals.CacheWrong), ""
}

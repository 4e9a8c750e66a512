package report

import (
	"math"
	"slices"
	"strings"
)

// selectable is a set of selector keys.
type selectable uint8

const (
	byProfile selectable = 1 << iota
	byClass
	byModel
	byKey
	byGroup = byProfile | byClass | byModel | byKey
)

func selectorBit(key string) selectable {
	switch key {
	case "profile":
		return byProfile
	case "class":
		return byClass
	case "model":
		return byModel
	case "key":
		return byKey
	}
	return 0
}

// metric is one name that expectations know.
type metric struct {
	name string
	unit Unit
	by   selectable
	// eval returns the value in base units, NaN with a note when there is none.
	eval func(v *Variant, by By) (float64, string)
}

func (m metric) selectors() []string {
	var out []string
	for _, k := range selectorKeys {
		if k == "variant" || m.by&selectorBit(k) != 0 {
			out = append(out, k)
		}
	}
	return out
}

// plainMetrics are all metrics but the latencies.
var plainMetrics = slices.Concat(ownMetrics, fairMetrics)

var ownMetrics = []metric{
	{"ratio_429", UnitShare, byGroup, evalRatio429},
	{"ratio_ok", UnitShare, byGroup, groupRatio(Group.succeeded, Group.requests, "no requests")},
	{"throughput", UnitRate, byGroup, evalThroughput},
	{"tokens_per_min", UnitRate, byGroup, evalTokensPerMin},
	{"offered", UnitRate, 0, ofVariant(func(v *Variant) float64 { return float64(v.Offered.RequestsPerS) })},
	{"offered_tokens_per_min", UnitRate, 0, ofVariant(func(v *Variant) float64 { return float64(v.Offered.TokensPerMin) })},
	{"requests", UnitNumber, byGroup, groupCount(Group.requests)},
	{"attempts", UnitNumber, byGroup, evalAttempts},
	{"attempts_per_request", UnitNumber, byGroup, groupRatio(Group.attempts, Group.requests, "no requests")},
	{"failed", UnitNumber, byGroup, groupCount(func(g Group) int64 { return g.Failed })},
	{"dead_letters", UnitNumber, byGroup, groupCount(func(g Group) int64 { return g.DeadLettered })},
	{"rejected", UnitNumber, byGroup, groupCount(func(g Group) int64 { return g.Rejected })},
	{"cancelled", UnitNumber, byGroup, groupCount(func(g Group) int64 { return g.Cancelled })},
	{"retries", UnitNumber, 0, ofTotals(func(t *Totals) int64 { return t.Retries })},
	{"timeouts", UnitNumber, 0, ofTotals(func(t *Totals) int64 { return t.Timeouts })},
	{"http_5xx", UnitNumber, 0, ofTotals(func(t *Totals) int64 { return t.HTTP5xx })},
	{"cache_hits", UnitNumber, 0, ofTotals(func(t *Totals) int64 { return t.CacheHits })},
	{"duplicate_writes", UnitNumber, 0, ofTotals(func(t *Totals) int64 { return t.DuplicateWrites })},
	{"early_retries", UnitNumber, 0, ofTotals(func(t *Totals) int64 { return t.EarlyRetries })},
	{"tokens_in", UnitNumber, byGroup, groupCount(func(g Group) int64 { return g.TokensIn })},
	{"tokens_out", UnitNumber, byGroup, groupCount(func(g Group) int64 { return g.TokensOut })},
	{"degraded", UnitShare, 0, perRequest(func(t *Totals) int64 { return t.Fallback1 + t.Fallback2 + t.Fallback3 })},
	{"fallback_1", UnitShare, 0, perRequest(func(t *Totals) int64 { return t.Fallback1 })},
	{"fallback_2", UnitShare, 0, perRequest(func(t *Totals) int64 { return t.Fallback2 })},
	{"fallback_3", UnitShare, 0, perRequest(func(t *Totals) int64 { return t.Fallback3 })},
	{"cost", UnitMoney, byGroup, evalCost},
	{"cost_per_1000", UnitMoney, byGroup, evalCostPer1000},
	{"wasted_share", UnitShare, byGroup, evalWastedShare},
	{"rpm_utilisation", UnitShare, byModel | byKey, worstKey(func(k Key) Num { return k.RPMWorst })},
	{"tpm_utilisation", UnitShare, byModel | byKey, worstKey(func(k Key) Num { return k.TPMWorst })},
	{"retry_peak", UnitNumber, 0, ofVariant(func(v *Variant) float64 { return float64(v.Stack.RetryPeak100ms) })},
	{"limit_mean", UnitNumber, byModel, evalLimitMean},
}

// latencyPrefixes say which latency a name is about. Failures count in whole
// latencies only: a part of a request that failed says nothing about the part.
var latencyPrefixes = []struct {
	prefix, metric string
	whole          bool
}{
	{"", MetricTotal, true},
	{"from_send_", MetricFromSend, true},
	{"queue_", MetricQueue, false},
	{"backoff_", MetricBackoff, false},
	{"first_token_", MetricFirstToken, false},
	{"generation_", MetricGeneration, false},
}

var latencyStats = []string{"p50", "p90", "p95", "p99", "p999", "max", "mean"}

// metricHelp names the metrics in one line.
func metricHelp() string {
	names := make([]string, len(plainMetrics))
	for i, m := range plainMetrics {
		names[i] = m.name
	}
	return strings.Join(latencyStats, ", ") +
		" (with _ok: of successes; queue_, backoff_, first_token_, from_send_, generation_ before it: that part), " +
		strings.Join(names, ", ")
}

// MetricNames returns the names that expectations know: latencies first, the metrics of
// [Fairness] (see fairMetrics) last.
func MetricNames() []string {
	names := make([]string, 0, len(latencyPrefixes)*len(latencyStats)*2+len(plainMetrics))
	for _, p := range latencyPrefixes {
		for _, s := range latencyStats {
			names = append(names, p.prefix+s, p.prefix+s+"_ok")
		}
	}
	for i := range plainMetrics {
		names = append(names, plainMetrics[i].name)
	}
	return names
}

func findMetric(name string) (metric, bool) {
	if i := slices.IndexFunc(plainMetrics, func(m metric) bool { return m.name == name }); i >= 0 {
		return plainMetrics[i], true
	}
	for _, p := range latencyPrefixes {
		stat, found := strings.CutPrefix(name, p.prefix)
		stat, okOnly := strings.CutSuffix(stat, "_ok")
		if found && slices.Contains(latencyStats, stat) {
			failures := p.whole && !okOnly
			return metric{name, UnitTime, byGroup, func(v *Variant, by By) (float64, string) {
				return latencySeconds(v, by, p.metric, stat, failures)
			}}, true
		}
	}
	return metric{}, false
}

func ofVariant(f func(v *Variant) float64) func(*Variant, By) (float64, string) {
	return func(v *Variant, _ By) (float64, string) { return f(v), "" }
}

func ofTotals(f func(t *Totals) int64) func(*Variant, By) (float64, string) {
	return func(v *Variant, _ By) (float64, string) { return float64(f(&v.Totals)), "" }
}

func perRequest(f func(t *Totals) int64) func(*Variant, By) (float64, string) {
	return func(v *Variant, _ By) (float64, string) {
		return quotient(float64(f(&v.Totals)), float64(v.Totals.Requests), "no requests")
	}
}

func quotient(a, b float64, none string) (float64, string) {
	if b == 0 {
		return math.NaN(), none
	}
	return a / b, ""
}

func (g Group) requests() int64  { return g.Requests }
func (g Group) succeeded() int64 { return g.Succeeded }
func (g Group) attempts() int64  { return g.Attempts }

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

// evalThroughput: the throughput of a group is its share of the successes times the whole's, so that
// the window need not be known.
func evalThroughput(v *Variant, by By) (float64, string) {
	g, note := v.group(by)
	switch {
	case note != "":
		return math.NaN(), note
	case g.Succeeded == v.Totals.Succeeded:
		return float64(v.Throughput.RequestsPerS), ""
	}
	share, note := quotient(float64(g.Succeeded), float64(v.Totals.Succeeded), "no successes")
	return share * float64(v.Throughput.RequestsPerS), note
}

func evalTokensPerMin(v *Variant, by By) (float64, string) {
	g, note := v.group(by)
	all := v.Totals.TokensIn + v.Totals.TokensOut
	switch {
	case note != "":
		return math.NaN(), note
	case g.TokensIn+g.TokensOut == all:
		return float64(v.Throughput.TokensPerMin), ""
	}
	share, note := quotient(float64(g.TokensIn+g.TokensOut), float64(all), "no tokens")
	return share * float64(v.Throughput.TokensPerMin), note
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

package report

import (
	"slices"
	"strings"
)

// metric is one name that expectations know.
type metric struct {
	name string
	unit Unit
	by   selections
	// eval returns the value in base units, NaN with a note when there is none.
	eval func(v *Variant, by By) (float64, string)
}

func (m metric) selectors() []string {
	var out []string
	for _, k := range selectorKeys {
		if k == "variant" || m.by.any()&selectorBit(k) != 0 {
			out = append(out, k)
		}
	}
	return out
}

// plainMetrics are all metrics but the latencies.
var plainMetrics = slices.Concat(ownMetrics, fairMetrics)

var ownMetrics = []metric{
	{"ratio_429", UnitShare, byAttempt, evalRatio429},
	{"ratio_ok", UnitShare, byGroup, evalRatioOK},
	{"throughput", UnitRate, byGroup, evalThroughput},
	{"tokens_per_min", UnitRate, byGroup, evalTokensPerMin},
	{"offered", UnitRate, bySetup, ofVariant(func(v *Variant) float64 { return float64(v.Offered.RequestsPerS) })},
	{"offered_tokens_per_min", UnitRate, bySetup, ofVariant(func(v *Variant) float64 { return float64(v.Offered.TokensPerMin) })},
	{"requests", UnitNumber, byGroup, perRun(groupCount(Group.requests))},
	{"attempts", UnitNumber, byAttempt, perRun(evalAttempts)},
	{"attempts_per_request", UnitNumber, byGroup, evalPerRequest},
	{"failed", UnitNumber, byGroup, perRun(groupCount(func(g Group) int64 { return g.Failed }))},
	{"dead_letters", UnitNumber, byGroup, perRun(groupCount(func(g Group) int64 { return g.DeadLettered }))},
	{"rejected", UnitNumber, byGroup, perRun(groupCount(func(g Group) int64 { return g.Rejected }))},
	{"cancelled", UnitNumber, byGroup, perRun(groupCount(func(g Group) int64 { return g.Cancelled }))},
	{"retries", UnitNumber, bySetup, perRun(ofTotals(func(t *Totals) int64 { return t.Retries }))},
	{"timeouts", UnitNumber, bySetup, perRun(ofTotals(func(t *Totals) int64 { return t.Timeouts }))},
	{"http_429", UnitNumber, bySetup, perRun(ofTotals(func(t *Totals) int64 { return t.HTTP429 }))},
	{"http_5xx", UnitNumber, bySetup, perRun(ofTotals(func(t *Totals) int64 { return t.HTTP5xx }))},
	{"cache_hits", UnitNumber, bySetup, perRun(ofTotals(func(t *Totals) int64 { return t.CacheHits }))},
	{"cache_wrong", UnitNumber, bySetup, perRun(evalCacheWrong)},
	{"duplicate_writes", UnitNumber, bySetup, perRun(ofTotals(func(t *Totals) int64 { return t.DuplicateWrites }))},
	{"early_retries", UnitNumber, bySetup, perRun(ofTotals(func(t *Totals) int64 { return t.EarlyRetries }))},
	{"tokens_in", UnitNumber, byGroup, perRun(groupCount(func(g Group) int64 { return g.TokensIn }))},
	{"tokens_out", UnitNumber, byGroup, perRun(groupCount(func(g Group) int64 { return g.TokensOut }))},
	{"degraded", UnitShare, bySetup, perRequest(func(t *Totals) int64 { return t.Fallback1 + t.Fallback2 + t.Fallback3 })},
	{"fallback_1", UnitShare, bySetup, perRequest(func(t *Totals) int64 { return t.Fallback1 })},
	{"fallback_2", UnitShare, bySetup, perRequest(func(t *Totals) int64 { return t.Fallback2 })},
	{"fallback_3", UnitShare, bySetup, perRequest(func(t *Totals) int64 { return t.Fallback3 })},
	{"cost", UnitMoney, byGroup, perRun(evalCost)},
	{"cost_per_1000", UnitMoney, byGroup, evalCostPer1000},
	{"wasted_share", UnitShare, byGroup, evalWastedShare},
	{"rpm_utilisation", UnitShare, byQuota, worstKey(func(k Key) Num { return k.RPMWorst })},
	{"tpm_utilisation", UnitShare, byQuota, worstKey(func(k Key) Num { return k.TPMWorst })},
	{"retry_peak", UnitNumber, bySetup, ofVariant(func(v *Variant) float64 { return float64(v.Stack.RetryPeak100ms) })},
	{"limit_mean", UnitNumber, selections{byModel}, evalLimitMean},
}

// latencyPrefixes say which latency a name is about. Failures count in whole
// latencies only: a part of a request that failed says nothing about the part.
var latencyPrefixes = []struct {
	prefix, metric string
	whole          bool
	by             selections
}{
	{"", MetricTotal, true, byLatency},
	{"from_send_", MetricFromSend, true, byWho},
	{"queue_", MetricQueue, false, byWho},
	{"backoff_", MetricBackoff, false, byWho},
	{"first_token_", MetricFirstToken, false, byGroup},
	{"generation_", MetricGeneration, false, byWho},
}

// wholeLatency reports whether failures count in a latency metric, such as MetricTotal.
func wholeLatency(name string) bool {
	for _, p := range latencyPrefixes {
		if p.metric == name {
			return p.whole
		}
	}
	return false
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
			return metric{name, UnitTime, p.by, func(v *Variant, by By) (float64, string) {
				return latencySeconds(v, by, p.metric, stat, failures)
			}}, true
		}
	}
	return metric{}, false
}

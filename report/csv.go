package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// csvHead names the columns: what the value is of (an empty selector means all), and
// what it is.
var csvHead = []string{
	"scenario", "variant", "run", "profile", "class", "model", "key", "metric", "statistic", "value", "unit",
}

// allRuns is the run of what is told of all replications together; else it is a seed.
const allRuns = "all"

// RenderCSV writes reports as one long table (RFC 4180, with a line feed at the end of a line): a row for each value, so
// that a spreadsheet or a data frame can filter and turn it. Counts and money are sums over the
// replications, times are in seconds, shares run from 0 to 1; a value that was not measured is
// empty. The statistics of latencies are those of expectations: a failure is the worst latency, so a
// percentile whose rank falls among the failures is Inf, and so are maximum and mean as soon as there is
// one; "p99_ok" and its like look at successes alone, as do the parts of a latency (queue, backoff, first
// token, generation). The rows of the single replications, whose column "run" is their seed, hold the key figures.
//
// Text that a spreadsheet could take for a formula (it begins with = + - @ or a wide form of
// them), or a CI for a command (it begins with a colon), has an apostrophe before it, and so has text
// that begins with an apostrophe: taking one away gives the name again. Names are on one line and of bounded length.
func RenderCSV(w io.Writer, rs []*Report) error {
	rs, err := figuresOf(rs)
	if err != nil {
		return err
	}
	c := &csvWriter{w: csv.NewWriter(w)}
	c.put(csvHead)
	for _, r := range rs {
		c.report(r)
	}
	if c.w.Flush(); c.w.Error() != nil {
		return fmt.Errorf("writing CSV: %w", c.w.Error())
	}
	return nil
}

// csvWriter writes rows; errors stick to the csv.Writer.
type csvWriter struct {
	w        *csv.Writer
	scenario string
	variant  string
}

func (c *csvWriter) put(cells []string) {
	_ = c.w.Write(cells) // Error tells
}

// csvValue is what a row says.
type csvValue struct {
	metric, statistic string
	value             Num
	unit              string
}

func (c *csvWriter) row(run string, by By, v csvValue) {
	cell := func(s string) string { return defused(label(s)) }
	c.put([]string{
		cell(c.scenario), cell(c.variant), run, cell(by.Profile), cell(by.Class), cell(by.Model), cell(by.Key),
		cell(v.metric), v.statistic, numText(v.value), cell(v.unit),
	})
}

// defused keeps a spreadsheet from taking text for a formula, and a CI for a command.
func defused(s string) string {
	if s != "" && strings.ContainsRune("=+-@':＝＋－＠", []rune(s)[0]) {
		return "'" + s
	}
	return s
}

func (c *csvWriter) report(r *Report) {
	c.scenario = r.Scenario.Name
	for i := range r.Verdict.Checks {
		k := &r.Verdict.Checks[i]
		c.variant = k.Variant
		ok, value, unit := Num(0), k.Value, unitNames[unitOf(k)]
		switch {
		case k.OK:
			ok = 1
		case r.unjudged(k):
			ok = Num(math.NaN())
		}
		if math.IsNaN(float64(value)) && strings.HasPrefix(k.Note, failureNote) {
			value = Num(math.Inf(1)) // which a file cannot hold
		}
		for _, v := range []csvValue{{k.Expr, "value", value, unit}, {k.Expr, "bound", k.Bound, unit}, {k.Expr, "holds", ok, "bool"}} {
			c.row(allRuns, By{}, v)
		}
	}
	for i := range r.Variants {
		v := &r.Variants[i]
		c.variant = v.Name
		c.latencies(v)
		c.counts(v)
		c.rates(v)
		c.costs(v)
		c.keys(v)
		c.replications(v)
	}
}

// unitNames are the units of expectations in a table.
var unitNames = [...]string{
	UnitNumber: "count", UnitRatio: "ratio", UnitTime: "s", UnitShare: "share", UnitRate: "rate", UnitMoney: "currency",
}

func (c *csvWriter) latencies(v *Variant) {
	for i := range v.Latency {
		l := &v.Latency[i]
		metric := "latency_" + l.Metric
		c.row(allRuns, l.By, csvValue{metric, "count", Num(l.Count), "count"})
		c.row(allRuns, l.By, csvValue{metric, "failures", Num(l.Failures), "count"})
		whole := wholeLatency(l.Metric)
		for _, stat := range latencyStats {
			d := distribution{rows: []*Latency{l}, n: l.Count}
			ok := Num(d.stat(stat) / 1000)
			if !whole {
				c.row(allRuns, l.By, csvValue{metric, stat, ok, "s"})
				continue
			}
			d.failures = l.Failures
			c.row(allRuns, l.By, csvValue{metric, stat, Num(d.stat(stat) / 1000), "s"})
			c.row(allRuns, l.By, csvValue{metric, stat + "_ok", ok, "s"})
		}
	}
}

// counts writes the counts of the groups, and of the whole what groups do not have.
func (c *csvWriter) counts(v *Variant) {
	count := func(by By, metric string, n int64) { c.row(allRuns, by, csvValue{metric, "sum", Num(n), "count"}) }
	for i := range v.Groups {
		g := &v.Groups[i]
		for _, x := range []Count{
			{"requests", g.Requests},
			{"succeeded", g.Succeeded},
			{"failed", g.Failed},
			{"dead_letters", g.DeadLettered},
			{"rejected", g.Rejected},
			{"cancelled", g.Cancelled},
			{"in_flight", g.InFlight},
			{"attempts", g.Attempts},
			{"http_429", g.HTTP429},
			{"tokens_in", g.TokensIn},
			{"tokens_cached", g.TokensCached},
			{"tokens_out", g.TokensOut},
		} {
			count(g.By, x.Name, x.N)
		}
	}
	t := &v.Totals
	for _, x := range []Count{
		{"retries", t.Retries},
		{"http_5xx", t.HTTP5xx},
		{"timeouts", t.Timeouts},
		{"abandoned", t.Abandoned},
		{"fallback_1", t.Fallback1},
		{"fallback_2", t.Fallback2},
		{"fallback_3", t.Fallback3},
		{"cache_hits", t.CacheHits},
		{"duplicate_writes", t.DuplicateWrites},
		{"early_retries", t.EarlyRetries},
		{"tokens_wasted", t.TokensWasted},
	} {
		count(By{}, x.Name, x.N)
	}
}

func (c *csvWriter) rates(v *Variant) {
	for _, x := range []csvValue{
		{"offered", "rate", v.Offered.RequestsPerS, "req/s"},
		{"offered_tokens_per_min", "rate", v.Offered.TokensPerMin, "tokens/min"},
		{"throughput", "rate", v.Throughput.RequestsPerS, "req/s"},
		{"tokens_per_min", "rate", v.Throughput.TokensPerMin, "tokens/min"},
		{"attempts_per_s", "rate", v.Throughput.AttemptsPerS, "attempts/s"},
		{"retry_peak", "max", Num(v.Stack.RetryPeak100ms), "retries/100ms"},
	} {
		c.row(allRuns, By{}, x)
	}
	for i := range v.Stack.Gates {
		g, by := &v.Stack.Gates[i], By{Model: v.Stack.Gates[i].Model}
		for _, x := range []csvValue{
			{"limit", "mean", g.LimitMean, "calls"},
			{"limit", "min", Num(g.LimitMin), "calls"},
			{"limit", "max", Num(g.LimitMax), "calls"},
			{"calls_in_flight", "mean", g.InFlightMean, "calls"},
			{"calls_in_flight", "max", Num(g.InFlightMax), "calls"},
			{"queue_length", "mean", g.QueueMean, "count"},
			{"queue_length", "max", Num(g.QueueMax), "count"},
		} {
			c.row(allRuns, by, x)
		}
	}
}

func (c *csvWriter) costs(v *Variant) {
	currency := v.Cost.Currency
	c.row(allRuns, By{}, csvValue{"cost", "sum", v.Cost.Total, currency})
	c.row(allRuns, By{}, csvValue{"cost_wasted", "sum", v.Cost.Wasted, currency})
	c.row(allRuns, By{}, csvValue{"cost_per_1000", "mean", v.Cost.Per1000, currency})
	for i := range v.Cost.By {
		item := &v.Cost.By[i]
		c.row(allRuns, item.By, csvValue{"cost", "sum", item.Cost, currency})
		c.row(allRuns, item.By, csvValue{"cost_wasted", "sum", item.Wasted, currency})
	}
}

func (c *csvWriter) keys(v *Variant) {
	for i := range v.Keys {
		k := &v.Keys[i]
		for _, x := range []csvValue{
			{"attempts", "sum", Num(k.Requests), "count"},
			{"http_429", "sum", Num(k.HTTP429), "count"},
			{"excluded", "sum", k.ExcludedS, "s"},
			{"rpm_utilisation", "p95", k.RPMUtilisation, "share"},
			{"rpm_utilisation", "max", k.RPMWorst, "share"},
			{"tpm_utilisation", "p95", k.TPMUtilisation, "share"},
			{"tpm_utilisation", "max", k.TPMWorst, "share"},
		} {
			c.row(allRuns, By{Key: k.Key, Model: k.Model}, x)
		}
	}
}

// replications writes the key figures of each, replication by replication.
func (c *csvWriter) replications(v *Variant) {
	rows := v.keyRows()
	for i := range v.Replications {
		run := strconv.FormatUint(v.Replications[i].Seed, 10)
		for _, k := range rows {
			if i < len(k.values) && len(k.values) == len(v.Replications) {
				c.row(run, k.by, csvValue{k.metric, "value", Num(k.values[i]), k.plainUnit(v)})
			}
		}
	}
}

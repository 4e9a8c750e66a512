package report

import (
	"math"
	"slices"
	"strconv"
)

// fairMetrics are the metrics of Fairness that expectations know. Without a selector jain is
// over all that an agent asked for, and what else can be selected is that of the worst.
var fairMetrics = []metric{
	{"jain", UnitRatio, byWho, fairValue("nobody was served", func(g *FairGroup) Num { return g.Jain })},
	{"jain_throughput", UnitRatio, selections{byProfile}, evalJainThroughput},
	{"longest_wait", UnitTime, byWho, fairValue("", func(g *FairGroup) Num { return g.LongestWaitMS / 1000 })},
	{"starvation", UnitTime, selections{byClass}, fairValue("nobody asked", func(g *FairGroup) Num { return g.StarvationMS / 1000 })},
	{"starvation_p99", UnitTime, selections{byClass}, fairValue("nobody asked", func(g *FairGroup) Num { return g.StarvationP99MS / 1000 })},
	{"equal_waits", UnitShare, bySetup, ofFairness("", func(f *Fairness) Num { return f.EqualWaits })},
	{"amplification", UnitNumber, bySetup, ofFairness("no requests", func(f *Fairness) Num { return f.Amplification })},
	{"amplification_worst", UnitNumber, bySetup, ofFairness("no minute had 20 requests", func(f *Fairness) Num { return f.AmplificationWorst })},
	{"backoff_share", UnitShare, bySetup, ofFairness("no requests", func(f *Fairness) Num { return f.BackoffShare })},
}

// ofFairness returns a figure of the whole run; none says why it may be NaN.
func ofFairness(none string, f func(*Fairness) Num) func(*Variant, By) (float64, string) {
	return func(v *Variant, _ By) (float64, string) {
		if len(v.Fairness.Groups) == 0 {
			return math.NaN(), "fairness was not measured"
		}
		return orNote(f(&v.Fairness), none)
	}
}

// fairValue returns a figure of a group; none says why it may be NaN.
func fairValue(none string, f func(*FairGroup) Num) func(*Variant, By) (float64, string) {
	return func(v *Variant, by By) (float64, string) {
		rows, note := pick(v.Fairness.Groups, func(g *FairGroup) By { return g.By }, by)
		switch {
		case note != "":
			return math.NaN(), note
		case len(rows) > 1:
			return math.NaN(), "this is not measured for several groups together"
		}
		return orNote(f(rows[0]), none)
	}
}

// evalJainThroughput is that of a profile, or of the least even one.
func evalJainThroughput(v *Variant, by By) (float64, string) {
	least := math.Inf(1)
	for i := range v.Fairness.Groups {
		g := &v.Fairness.Groups[i]
		if x := float64(g.JainThroughput); g.By.Profile != "" && g.By.within(by) && x < least {
			least = x
		}
	}
	if !math.IsInf(least, 1) {
		return least, ""
	}
	if _, note := pick(v.Fairness.Groups, func(g *FairGroup) By { return g.By }, by); note != "" {
		return math.NaN(), note
	}
	return math.NaN(), "nobody was served"
}

func orNote(n Num, none string) (float64, string) {
	if math.IsNaN(float64(n)) {
		return math.NaN(), none
	}
	return float64(n), ""
}

// fairSection shows how even the service was: a row per profile, per class of several
// profiles, and for all.
func fairSection(v *Variant, u latencyUnit) section {
	g := &grid{cols: []column{
		{head: "agents of", text: true},
		{head: "agents", drop: 4},
		{head: "Jain"},
		{head: "least served %", drop: 2},
		{head: "throughput Jain", drop: 7},
		{head: "longest wait", drop: 1},
		{head: "agent", drop: 9},
		{head: "starved p99", drop: 5},
		{head: "starved max"},
		{head: "agent", drop: 8},
		{head: "wasted tokens", drop: 6},
	}}
	if v.Fairness.Agents > 1 {
		for _, f := range fairRows(v.Fairness.Groups) {
			name := clean(f.By.Profile)
			switch {
			case f.By == (By{}):
				name = "all"
			case f.By.Profile == "":
				name = "class " + clean(f.By.Class)
			}
			g.add(
				name, v.count(f.Agents), formIndex(float64(f.Jain)), formPercent(float64(f.LeastShare)), formIndex(float64(f.JainThroughput)),
				u.form(float64(f.LongestWaitMS)), formAgent(f.LongestWaitAgent),
				u.form(float64(f.StarvationP99MS)), u.form(float64(f.StarvationMS)), formAgent(f.StarvationAgent), formSI(v.mean(Num(f.TokensWasted))),
			)
		}
	}
	return section{
		label: "Fairness", aside: "over the agents; Jain's index: 1 is even; starved: wanted something, got nothing; " + u.name,
		grid: g,
	}
}

// fairRows orders the groups as the latency table does, without those that repeat another.
func fairRows(groups []FairGroup) []*FairGroup {
	var profiles, classes, all []*FairGroup
	of := map[string]int{}
	for i := range groups {
		if g := &groups[i]; g.By.Profile != "" {
			profiles = append(profiles, g)
			of[g.By.Class]++
		}
	}
	for i := range groups {
		switch g := &groups[i]; {
		case g.By == (By{}) && len(profiles) != 1:
			all = append(all, g)
		case g.By.Profile == "" && g.By.Class != "" && of[g.By.Class] != 1:
			classes = append(classes, g)
		}
	}
	return slices.Concat(profiles, classes, all)
}

// formIndex prints an index with three decimals, rounded down, so that 1 is wholly even.
func formIndex(f float64) string {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return none
	case f == 1:
		return "1"
	}
	return strconv.FormatFloat(math.Floor(f*1000)/1000, 'f', 3, 64)
}

func formAgent(n int64) string {
	if n < 0 {
		return ""
	}
	return "#" + strconv.FormatInt(n, 10)
}

// retryFacts tells whether retries came in herds, and what they cost.
func retryFacts(v *Variant) []string {
	f := &v.Fairness
	if v.Totals.Retries == 0 {
		return nil
	}
	var out []string
	if n := v.Stack.RetryPeak100ms; n > 0 {
		out = append(out, "largest retry peak "+formCount(n)+" in 100 ms")
	}
	if f.RetryWaits > 0 {
		out = append(out, "equal waits "+formPercent(float64(f.EqualWaits))+thin+"%")
	}
	if f.AmplificationWorst > 1 {
		at := formClock(float64(f.AmplificationWorstS))
		out = append(out, "worst minute "+form3(float64(f.AmplificationWorst))+" attempts per request ("+at+")")
	}
	if f.BackoffS > 0 {
		out = append(out, "in backoff "+formSI(v.mean(f.BackoffS))+thin+"s ("+formPercent(float64(f.BackoffShare))+thin+"% of request time)")
	}
	return out
}

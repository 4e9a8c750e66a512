package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// keysShown is how many keys the page has room for.
const keysShown = 5

func keySection(v *Variant, u latencyUnit) section { return keySectionOf(v, u, keysShown) }

// keySectionOf shows at most so many keys, most 429s first.
func keySectionOf(v *Variant, u latencyUnit, most int) section {
	g := &grid{cols: []column{
		{head: "key", text: true},
		{head: "model", text: true, drop: 2},
		{head: "requests", drop: 4},
		{head: "429"},
		{head: "excluded s", drop: 3},
		{head: "RPM use p95 %", drop: 6},
		{head: "TPM use p95 %", drop: 5},
		{head: "p50", drop: 9},
		{head: "p95", drop: 8},
		{head: "p99", drop: 7},
	}}
	keys := keysByRefusals(v)
	models, names := 0, map[string]int{}
	for _, k := range keys {
		names[k.Key]++
		models = max(models, names[k.Key])
	}
	var asides []string
	if n := len(keys); n > most {
		what := ""
		if models > 1 {
			what = " pairs of key and model"
		}
		asides = append(asides, fmt.Sprintf("%d of %d%s, most 429s first; all in the JSON", most, n, what))
		keys = keys[:most]
	}
	if models > 1 {
		asides = append(asides, "latency: of a key at all its models, told once")
	}
	if v.runs() > 1 {
		asides = append(asides, "counts: mean of a run")
	}
	for _, k := range keys {
		excluded := ""
		if k.ExcludedS > 0 {
			excluded = form3(v.mean(k.ExcludedS))
		}
		cells := []string{
			clean(k.Key), clean(k.Model), v.count(k.Requests), v.count(k.HTTP429), excluded,
			formPercent(float64(k.RPMUtilisation)), formPercent(float64(k.TPMUtilisation)),
		}
		latency := []string{"", "", ""}
		if names[k.Key] > 0 {
			latency = u.stats(v, MetricTotal, By{Key: k.Key}, true, "p50", "p95", "p99")
		}
		names[k.Key] = 0 // the key's other rows need not repeat it
		g.add(append(cells, latency...)...)
	}
	return section{label: "Keys", aside: strings.Join(asides, "; "), grid: g}
}

// keysByRefusals sorts keys as the tables show them.
func keysByRefusals(v *Variant) []Key {
	keys := slices.Clone(v.Keys)
	slices.SortStableFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(b.HTTP429, a.HTTP429), cmp.Compare(b.TPMUtilisation, a.TPMUtilisation), cmp.Compare(b.Requests, a.Requests))
	})
	return keys
}

// gateSection shows the gates that did something.
func gateSection(v *Variant) section {
	g := &grid{cols: []column{
		{head: "model", text: true},
		{head: "limit mean"},
		{head: "min to max", drop: 3},
		{head: "up", drop: 7},
		{head: "down", drop: 4},
		{head: "in flight", drop: 2},
		{head: "max", drop: 6},
		{head: "queue mean", drop: 5},
		{head: "max", drop: 8},
		{head: "waited for", list: true, drop: 1},
	}}
	for _, t := range v.Stack.Gates {
		if t.InFlightMax == 0 && t.QueueMax == 0 {
			continue
		}
		var waited []string
		for _, b := range t.BlockedOn {
			if b.Share > 0 {
				waited = append(waited, clean(b.Name)+" "+formPercent(float64(b.Share))+thin+"%")
			}
		}
		g.add(
			clean(t.Model), form3(float64(t.LimitMean)), formCount(t.LimitMin)+" to "+formCount(t.LimitMax),
			v.count(t.Increases), v.count(t.Decreases), form3(float64(t.InFlightMean)), formCount(t.InFlightMax),
			form3(float64(t.QueueMean)), formCount(t.QueueMax), strings.Join(waited, ", "),
		)
	}
	return section{label: "Gates", aside: "concurrency; waited for: share of the time", grid: g}
}

// slowSection explains the slowest request of each profile.
func slowSection(v *Variant) section {
	g := &grid{cols: []column{
		{head: "profile", text: true},
		{head: "request", text: true, drop: 2},
		{head: "seed", drop: 3},
		{head: "at", drop: 4},
		{head: "total s"},
		{head: "ended", text: true, drop: 5},
		{head: "where the time went", list: true, drop: 1},
		{head: "attempts", list: true, drop: 6},
	}}
	seen := map[string]bool{}
	for _, s := range v.Slowest {
		if seen[s.Profile] {
			continue
		}
		seen[s.Profile] = true
		seed := ""
		if v.runs() > 1 {
			seed = strconv.FormatUint(s.Seed, 10)
		}
		g.add(clean(s.Profile), clean(s.Request), seed, formClock(float64(s.IntendedS)), form3(float64(s.TotalMS)/1000),
			clean(s.Ending), slowParts(&s), slowSteps(&s))
	}
	return section{label: "Slowest", aside: "request of each profile; all their steps are in the JSON", grid: g}
}

// slowParts names the parts that took at least 1 % of the time, largest first.
func slowParts(s *Slow) string {
	parts := slices.Clone(s.Parts)
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(b.MS, a.MS) })
	var out []string
	for _, p := range parts {
		if share := float64(p.MS) / float64(s.TotalMS); share >= 0.01 && len(out) < 3 {
			out = append(out, clean(p.Name)+" "+fmt.Sprintf("%.0f", share*100)+thin+"%")
		}
	}
	return strings.Join(out, ", ")
}

// slowSteps names the attempts' outcomes, runs of equal ones together.
func slowSteps(s *Slow) string {
	var out []string
	for i := 0; i < len(s.Steps); {
		j := i
		for j < len(s.Steps) && s.Steps[j].Outcome == s.Steps[i].Outcome {
			j++
		}
		word := clean(s.Steps[i].Outcome)
		if j-i > 1 {
			word = fmt.Sprintf("%d x %s", j-i, word)
		}
		out = append(out, word)
		i = j
	}
	return strings.Join(out, ", ")
}

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// figureStats are the latencies that are kept of each replication, of everything, each
// profile and each class.
var figureStats = []string{
	"p50", "p90", "p95", "p99", "p999", "max", "mean", "p50_ok", "p95_ok", "p99_ok",
	"first_token_p50", "first_token_p95", "first_token_p99",
}

// figureRates are the other metrics that are kept of each profile and class; of
// everything, all are.
var figureRates = []string{"throughput", "tokens_per_min", "ratio_ok", "ratio_429", "attempts_per_request", "cost", "cost_per_1000"}

// figures are the key figures of one replication: those that the page shows first, and then
// what the ratios of variants need, named as figureName has it. A latency that is a
// failure is infinite; what was not measured is left out.
func (r *Recorder) figures(t *Totals) []Share {
	v := r.counted(t)
	plain := func(name string, by By) Num {
		m, _ := findMetric(name)
		x, _ := m.eval(&v, by)
		return Num(x)
	}
	out := []Share{
		{"throughput", plain("throughput", By{})},
		{"success", plain("ratio_ok", By{})},
		{"ratio_429", plain("ratio_429", By{})},
	}
	for p, info := range r.setup.Profiles {
		failures := r.failures(func(i int) bool { return i == p })
		for _, stat := range []string{"p50", "p95", "p99"} {
			out = append(out, Share{figureName(stat, By{Profile: info.Name}), Num(r.latency[p][atTotal].stat(stat, failures))})
		}
	}
	out = append(out, Share{"cost", v.Cost.Total}, Share{"wasted", v.Cost.Wasted})
	known := make(map[string]bool, 256) // asked, never walked
	for _, s := range out {
		known[s.Name] = true
	}
	add := func(name string, x Num) {
		if !math.IsNaN(float64(x)) && !known[name] {
			out = append(out, Share{name, x})
		}
		known[name] = true
	}
	for i := range plainMetrics {
		name := plainMetrics[i].name
		add(figureName(name, By{}), plain(name, By{}))
	}
	r.eachGroup(func(by By, want func(int) bool) {
		for _, name := range figureRates {
			add(figureName(name, by), plain(name, by))
		}
		r.latencyFigures(by, want, add)
	})
	return out
}

// latencyFigures adds figureStats of the profiles that want picks.
func (r *Recorder) latencyFigures(by By, want func(int) bool, add func(string, Num)) {
	var total, first histogram
	defer total.free()
	defer first.free()
	for p := range r.latency {
		if want(p) {
			total.add(&r.latency[p][atTotal])
			first.add(&r.latency[p][atFirstToken])
		}
	}
	failures := r.failures(want)
	for _, name := range figureStats {
		h, worst := &total, failures
		stat, ofFirst := strings.CutPrefix(name, "first_token_")
		stat, okOnly := strings.CutSuffix(stat, "_ok")
		if ofFirst {
			h = &first
		}
		if ofFirst || okOnly {
			worst = 0
		}
		add(figureName(name, by), Num(h.stat(stat, worst)))
	}
}

// eachGroup calls f for everything, each profile and each class, with the profiles in it.
func (r *Recorder) eachGroup(f func(by By, want func(profile int) bool)) {
	f(By{}, func(int) bool { return true })
	for p, info := range r.setup.Profiles {
		f(By{Profile: info.Name}, func(i int) bool { return i == p })
	}
	for _, c := range r.classes() {
		f(By{Class: c.String()}, r.ofClass(c))
	}
}

// figureName is the name of a metric among the figures of a replication: as expectations
// write it, but for those of the first files.
func figureName(name string, by By) string {
	switch {
	case name == "ratio_ok" && by == (By{}):
		return "success"
	case by == (By{Profile: by.Profile}) && by.Profile != "" && slices.Contains([]string{"p50", "p95", "p99"}, name):
		return fmt.Sprintf("%s_s{profile=%s}", name, by.Profile)
	}
	return Term{Metric: name, By: by}.String()
}

// headFigure tells the figures that the page shows of replications.
func headFigure(name string) bool {
	before, _, grouped := strings.Cut(name, "_s{")
	return grouped && slices.Contains([]string{"p50", "p95", "p99"}, before) ||
		slices.Contains([]string{"throughput", "success", "ratio_429", "cost", "wasted"}, name)
}

// each returns a metric's values by replication, NaN where one lacks it; nil when none has it.
func (v *Variant) each(metric string, by By) []float64 {
	name, found := figureName(metric, by), false
	out := make([]float64, len(v.Replications))
	for i := range v.Replications {
		figures := v.Replications[i].Figures
		at := slices.IndexFunc(figures, func(s Share) bool { return s.Name == name })
		out[i] = math.NaN()
		if at >= 0 {
			out[i], found = float64(figures[at].Share), true
		}
	}
	if !found {
		return nil
	}
	return out
}

// pairs reports whether two variants were replicated with the same seeds in the same order.
func (v *Variant) pairs(o *Variant) bool {
	return len(v.Replications) > 1 && slices.EqualFunc(v.Replications, o.Replications, func(a, b Replication) bool { return a.Seed == b.Seed })
}

func (r *Replication) carry(t *tape) {
	t.word(&r.Seed)
	r.Totals.carry(t)
	list(t, &r.Figures, func(f *Share) {
		t.texts(&f.Name)
		t.nums(&f.Share)
	})
	t.texts(&r.Digest)
}

func (n *Totals) carry(t *tape) {
	t.counts(&n.Requests, &n.Attempts, &n.Succeeded, &n.Failed, &n.DeadLettered, &n.Rejected, &n.Cancelled, &n.InFlight)
	t.counts(&n.Retries, &n.HTTP429, &n.HTTP5xx, &n.Timeouts, &n.Abandoned, &n.Fallback1, &n.Fallback2, &n.Fallback3)
	t.counts(&n.CacheHits, &n.CacheWrong, &n.DuplicateWrites, &n.EarlyRetries)
	t.counts(&n.TokensIn, &n.TokensCached, &n.TokensOut, &n.TokensWasted)
}

package report

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/stack"
)

func (r *Recorder) cell(profile, model int) *cell { return &r.cells[profile*(r.models+1)+model] }

// Variant describes the finished run, or the runs merged into it.
func (r *Recorder) Variant() Variant {
	v := r.Brief()
	for i := range v.Latency {
		v.Latency[i].seal()
	}
	return v
}

// Brief is Variant for what is judged and then forgotten: it has no histograms in the form of the file, which take a quarter of
// the time of a short run. Expectations say the same of both.
func (r *Recorder) Brief() Variant {
	totals := r.totals()
	v := r.counted(&totals)
	v.Profiles = r.profiles()
	v.Latency = r.latencies()
	v.Upstream = r.ended.upstream
	v.Laws = r.ended.laws
	v.Traces = r.traces
	v.Alerts = orEmpty(r.ended.alerts)
	v.Bound = r.bound()
	v.Slowest = orEmpty(r.slowest.report(&r.setup))
	v.Series = r.series.report(&r.setup)
	v.Faults = r.ended.faults
	v.Digest = r.ended.digest()
	if v.Interrupted {
		v.StoppedS = inSeconds(r.ended.stopped)
	}
	if len(r.ended.list) > 1 {
		v.Replications = r.ended.list
	}
	return v
}

// Release gives the memory of latencies away, for the recorder of a run to come: the recorder's, and that of what [Recorder.Brief]
// said. Neither may be asked any more; a [Recorder.Variant] may.
func (r *Recorder) Release(brief *Variant) {
	for p := range r.latency {
		for m := range r.latency[p] {
			r.latency[p][m].free()
		}
	}
	for m := range r.modelLatency {
		r.modelLatency[m][0].free()
		r.modelLatency[m][1].free()
	}
	for k := range r.keyLatency {
		r.keyLatency[k].free()
	}
	for i := range brief.Latency {
		if l := &brief.Latency[i]; l.hist != nil {
			l.hist.free()
			l.hist = nil
		}
	}
}

// counted is the part of a variant that all metrics but latencies are taken from.
func (r *Recorder) counted(totals *Totals) Variant {
	v := Variant{
		Name:     r.setup.Name,
		Totals:   *totals,
		Offered:  r.offeredLoad(),
		Groups:   r.groups(),
		Keys:     orEmpty(r.ended.keys(&r.setup)),
		Stack:    r.stackReport(),
		Fairness: r.fairness(totals),
		Cost:     r.cost(totals.Succeeded),

		SummedRuns:  len(r.ended.list),
		Interrupted: r.ended.interrupted,
	}
	v.Throughput = r.throughput(&v.Groups[0])
	return v
}

func (r *Recorder) throughput(all *Group) Throughput {
	window := Num(r.ended.windowS)
	return Throughput{
		RequestsPerS: Num(all.Served) / window,
		TokensPerMin: Num(all.ServedTokens) / window * 60,
		AttemptsPerS: Num(r.sentInWindow) / window,
	}
}

func (r *Recorder) totals() Totals {
	g := r.group(By{}, func(int) bool { return true })
	t := Totals{
		Requests: g.Requests, Attempts: g.Attempts, Succeeded: g.Succeeded, Failed: g.Failed, DeadLettered: g.DeadLettered,
		Rejected: g.Rejected, Cancelled: g.Cancelled, InFlight: g.InFlight, Retries: r.retries, HTTP429: g.HTTP429,
		HTTP5xx: r.r5xx, Abandoned: r.abandoned, Timeouts: r.outcomes[stack.FirstTokenTimeout] + r.outcomes[stack.GapTimeout] + r.outcomes[stack.DeadlineExceeded],
		Fallback1: r.degraded[1], Fallback2: r.degraded[2], Fallback3: r.degraded[3], CacheHits: r.cacheHits, CacheWrong: r.cacheWrong,
		DuplicateWrites: r.ended.window.duplicates, EarlyRetries: r.ended.window.early,
		TokensIn: g.TokensIn, TokensCached: g.TokensCached, TokensOut: g.TokensOut,
	}
	for i := range r.cells {
		t.TokensWasted += r.cells[i].wasted.in + r.cells[i].wasted.out
	}
	return t
}

func (r *Recorder) offeredLoad() Offered {
	var all offer
	for _, o := range r.offered {
		all.requests += o.requests
		all.in += o.in
		all.out += o.out
	}
	window, n := Num(r.ended.windowS), Num(all.requests)
	return Offered{
		RequestsPerS: n / window,
		TokensPerMin: Num(all.in+all.out) / window * 60,
		MeanIn:       Num(all.in) / n,
		MeanOut:      Num(all.out) / n,
	}
}

// orEmpty returns a list that is printed as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (r *Recorder) profiles() []Profile {
	out := []Profile{}
	for _, p := range r.setup.Profiles {
		out = append(out, Profile{Name: p.Name, Class: p.Class.String()})
	}
	return out
}

// profileBy selects a profile and names its class, which it has only one of.
func (r *Recorder) profileBy(p int) By {
	i := &r.setup.Profiles[p]
	return By{Profile: i.Name, Class: i.Class.String()}
}

// classes returns those that profiles have.
func (r *Recorder) classes() []stack.Class {
	var used [stack.NumClasses]bool
	for _, p := range r.setup.Profiles {
		used[p.Class] = true
	}
	var out []stack.Class
	for c, ok := range used {
		if ok {
			out = append(out, stack.Class(c))
		}
	}
	return out
}

// group sums the counts of the profiles that want picks.
func (r *Recorder) group(by By, want func(profile int) bool) Group {
	g := Group{By: by}
	for p := range r.setup.Profiles {
		if !want(p) {
			continue
		}
		g.Requests += r.offered[p].requests
		for m := 0; m <= r.models; m++ {
			g.count(r.cell(p, m))
		}
	}
	g.InFlight = g.Requests - g.Succeeded - g.Failed - g.DeadLettered - g.Rejected - g.Cancelled
	return g
}

func (g *Group) count(c *cell) {
	g.Succeeded += c.endings[stack.Succeeded]
	g.Failed += c.endings[stack.Failed]
	g.DeadLettered += c.endings[stack.DeadLettered]
	g.Rejected += c.endings[stack.Rejected]
	g.Cancelled += c.endings[stack.Cancelled]
	g.Attempts += c.attempts
	g.HTTP429 += c.r429
	g.TokensIn += c.billed.in
	g.TokensCached += c.billed.cached
	g.TokensOut += c.billed.out
	g.Served += c.served
	g.ServedTokens += c.servedTokens
}

// groups returns all, then profiles, classes, and models that were used. A model's
// requests are those whose last attempt was there, and its attempts all that were.
func (r *Recorder) groups() []Group {
	out := []Group{r.group(By{}, func(int) bool { return true })}
	for p := range r.setup.Profiles {
		out = append(out, r.group(r.profileBy(p), func(i int) bool { return i == p }))
	}
	for _, c := range r.classes() {
		out = append(out, r.group(By{Class: c.String()}, r.ofClass(c)))
	}
	for m := range r.setup.Models {
		if g := r.modelGroup(m); g.Attempts > 0 {
			out = append(out, g)
		}
	}
	return out
}

func (r *Recorder) ofClass(c stack.Class) func(int) bool {
	return func(p int) bool { return r.setup.Profiles[p].Class == c }
}

func (r *Recorder) modelGroup(m int) Group {
	g := Group{By: By{Model: r.setup.Models[m].Name}}
	for p := range r.setup.Profiles {
		c := r.cell(p, m)
		g.count(c)
		g.InFlight += c.open
	}
	g.Requests = g.Succeeded + g.Cancelled + g.Failed + g.DeadLettered + g.Rejected + g.InFlight
	return g
}

// failures counts the requests of the profiles that want picks that rank below every
// success: those that failed, and those that had not ended when their run ended by itself.
func (r *Recorder) failures(want func(profile int) bool) int64 {
	g := r.group(By{}, want)
	n := g.Failed + g.DeadLettered + g.Rejected
	for p, left := range r.left.profiles {
		if want(p) {
			n += left
		}
	}
	return n
}

// latencies returns the rows in the order of groups, and then keys.
func (r *Recorder) latencies() []Latency {
	everyone := func(int) bool { return true }
	out := r.merged(nil, By{}, everyone, true)
	for p := range r.setup.Profiles {
		by := r.profileBy(p)
		failures := r.failures(func(i int) bool { return i == p })
		for m := range metricNames {
			out = append(out, r.latency[p][m].row(by, metricNames[m], failures, encoded(m)))
		}
	}
	for _, c := range r.classes() {
		out = r.merged(out, By{Class: c.String()}, r.ofClass(c), false)
	}
	for m := range r.setup.Models {
		g := r.modelGroup(m)
		if g.Attempts == 0 {
			continue
		}
		failures := g.Failed + g.DeadLettered + g.Rejected + r.left.models[m]
		out = append(
			out,
			r.modelLatency[m][0].row(g.By, MetricTotal, failures, failures > 0),
			r.modelLatency[m][1].row(g.By, MetricFirstToken, failures, false),
		)
	}
	for k := range r.keyLatency {
		failures := r.keyFailures[k] + r.left.keys[k]
		if h := &r.keyLatency[k]; h.n > 0 || failures > 0 {
			out = append(out, h.row(By{Key: r.setup.Keys[k]}, MetricTotal, failures, failures > 0))
		}
	}
	return out
}

// encoded reports whether the metric's histogram goes into the file.
func encoded(metric int) bool { return metric == atTotal || metric == atFirstToken }

// merged appends the rows of several profiles together. Those that repeat others hold
// a histogram only where percentiles cannot do without: where there are failures.
func (r *Recorder) merged(out []Latency, by By, want func(int) bool, encode bool) []Latency {
	failures := r.failures(want)
	for m := range metricNames {
		h := new(histogram)
		for p := range r.latency {
			if want(p) {
				h.add(&r.latency[p][m])
			}
		}
		keep := encode && encoded(m) || m == atTotal && failures > 0
		out = append(out, h.row(by, metricNames[m], failures, keep))
		if !keep {
			h.free()
		}
	}
	return out
}

func (r *Recorder) stackReport() Stack {
	out := Stack{
		Gates: []Gate{}, RetryPeak100ms: r.ended.retryPeak, BreakerOpened: r.ended.window.breaker,
		RejectedByReason: []Count{}, DeadByReason: []Count{}, AttemptsByOutcome: []Count{},
	}
	for m := range r.gates {
		out.Gates = append(out.Gates, r.gates[m].gate(r.setup.Models[m].Name, r.ended.window.gates[m]))
	}
	for i := range stack.NumReasons {
		out.RejectedByReason = appendCount(out.RejectedByReason, i, r.rejected[i])
		out.DeadByReason = appendCount(out.DeadByReason, i, r.dead[i])
	}
	for i := range stack.NumOutcomeKinds {
		out.AttemptsByOutcome = appendCount(out.AttemptsByOutcome, i, r.outcomes[i])
	}
	return out
}

// appendCount leaves zeros out.
func appendCount(out []Count, name fmt.Stringer, n int64) []Count {
	if n == 0 {
		return out
	}
	return append(out, Count{Name: name.String(), N: n})
}

package sim

import (
	"sync/atomic"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
)

// guard ends a scenario early: when the caller says so, or, with AbortOnFail, when an
// expectation can no longer hold. What was measured until then is judged as it is.
//
// What can be known early is what only grows: an expectation that bounds a count of
// requests or attempts from above has failed for good once the count is over the bound.
// All others are judged at the end.
type guard struct {
	user   *atomic.Bool
	limits []limit
	failed atomic.Bool
	why    atomic.Pointer[string]
}

// limit is an expectation that bounds a count.
type limit struct {
	text    string
	variant string // empty: each
	count   func(*tally) int64
	most    float64
	strict  bool // the bound itself is too much
}

// tally counts what has become of measured requests so far.
type tally struct {
	requests, attempts, retries, dead, failed, rejected, cancelled int64
	r429, r5xx, timeouts                                           int64
}

var counts = map[string]func(*tally) int64{
	"requests":     func(t *tally) int64 { return t.requests },
	"attempts":     func(t *tally) int64 { return t.attempts },
	"retries":      func(t *tally) int64 { return t.retries },
	"dead_letters": func(t *tally) int64 { return t.dead },
	"http_429":     func(t *tally) int64 { return t.r429 },
	"http_5xx":     func(t *tally) int64 { return t.r5xx },
	"timeouts":     func(t *tally) int64 { return t.timeouts },
	"failed":       func(t *tally) int64 { return t.failed },
	"rejected":     func(t *tally) int64 { return t.rejected },
	"cancelled":    func(t *tally) int64 { return t.cancelled },
}

func newGuard(expects []report.Expect, o *Options) *guard {
	g := &guard{user: o.Stop}
	if !o.AbortOnFail {
		return g
	}
	for _, e := range expects {
		count, ok := counts[e.Num.Metric]
		if !ok || e.Den != nil || e.Num.By != (report.By{}) || e.Op != "<" && e.Op != "<=" && e.Op != "==" {
			continue
		}
		// Of several replications the mean is judged: one run alone can break the bound of all.
		most := e.Bound * float64(max(1, o.Reps))
		g.limits = append(g.limits, limit{e.Text, e.Num.Variant, count, most, e.Op == "<"})
	}
	return g
}

// stopped reports whether runs are to end.
func (g *guard) stopped() bool {
	return g.failed.Load() || g.user != nil && g.user.Load()
}

// check looks whether a run has broken a limit.
func (g *guard) check(r *run) {
	for i := range g.limits {
		l := &g.limits[i]
		n := float64(l.count(&r.tally))
		if (l.variant == "" || l.variant == r.set.Report.Name) && (n > l.most || l.strict && n >= l.most) {
			why := "ended early: " + l.text + " can no longer hold"
			g.why.CompareAndSwap(nil, &why)
			g.failed.Store(true)
			r.halted = true
		}
	}
}

// reason says which expectation ended the scenario, or nothing.
func (g *guard) reason() string {
	if why := g.why.Load(); why != nil {
		return *why
	}
	return ""
}

// outcomes counts how a request's attempts ended.
func (t *tally) outcomes(steps []stack.Step) {
	for i := range steps {
		switch o := &steps[i].Outcome; {
		case o.Status == 429:
			t.r429++
		case o.Status >= 500:
			t.r5xx++
		case o.Kind == stack.FirstTokenTimeout || o.Kind == stack.GapTimeout || o.Kind == stack.DeadlineExceeded:
			t.timeouts++
		}
	}
}

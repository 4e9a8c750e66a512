package report

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// runs holds what is only known when a run is over; of several merged runs, their sum.
type runs struct {
	windowS   float64                 // measured time
	before    snapshot                // at the end of the warm-up
	window    snapshot                // what was added to it
	minutes   [][]mockupstream.Minute // by quota, the full minutes of the measured time
	whole     int64                   // the number of these minutes
	retryPeak int64
	// Whether a run was interrupted, and the earliest instant of that.
	interrupted bool
	stopped     time.Duration
	upstream    Upstream
	laws        Laws
	faults      []Fault // the script of an upstream that keeps books
	alerts      []Alert
	digests     []uint64
	list        []Replication
}

func newRuns(s *Setup) runs {
	return runs{
		minutes: make([][]mockupstream.Minute, len(s.Quotas)),
		before:  newSnapshot(s), window: newSnapshot(s),
	}
}

// warm takes over what the driver knows at the end of the warm-up.
func (e *runs) warm(s *Setup, run *Run) { e.before = snapshotOf(s, run) }

// close takes over what the driver knows at the end of a run.
func (e *runs) close(r *Recorder, run *Run) {
	s := &r.setup
	end := min(s.Duration, r.now)
	e.windowS = max(0, (end - s.Warmup).Seconds())
	e.retryPeak = int64(r.herd.peak)
	e.interrupted, e.stopped = run.Interrupted, r.now
	e.window = snapshotOf(s, run)
	if r.now < s.Warmup {
		e.before = snapshotOf(s, run) // nothing was measured
	}
	e.window.add(&e.before, -1)
	e.takeBooks(s, run.Books, end)
	e.upstream.UnknownAttempts = r.laws.unknown
	e.upstream.UnknownIn, e.upstream.UnknownOut = r.laws.unknownTokens.in, r.laws.unknownTokens.out
	if s.Wall && run.Books != nil { // what was billed and never told
		e.upstream.UnknownIn = max(0, run.Books.Billed.In-r.laws.reported.in)
		e.upstream.UnknownOut = max(0, run.Books.Billed.Out-r.laws.reported.out)
	}
	e.laws = r.laws.judge(s, run, r.now)
	alarms := slices.Concat(r.watch.p99s, r.watch.r429s, quotaAlarms(s, run.Books, end))
	e.alerts = alertList(alarms)
	e.digests = []uint64{run.Digest}
	r.fair.close(s, &r.agents, &r.echoes)
	totals := r.totals()
	e.list = []Replication{{Seed: s.Seed, Totals: totals, Figures: r.figures(&totals), Digest: e.digest()}}
}

func (e *runs) takeBooks(s *Setup, b *mockupstream.Books, end time.Duration) {
	if b == nil {
		return
	}
	e.faults = s.Faults
	e.upstream = Upstream{
		Received: b.Received, Admitted: b.Admitted, Refused: b.Refused, Faulted: b.Faulted,
		EarlyRetries: b.EarlyRetries, CommittedWrites: b.CommittedWrites, DuplicateWrites: b.DuplicateWrites,
		TokensIn: b.Billed.In, TokensCached: b.Billed.Cached, TokensOut: b.Billed.Out,
	}
	from, to := int((s.Warmup+time.Minute-1)/time.Minute), int(end/time.Minute)
	if from >= to {
		from = 0 // a short run: better its warm-up than nothing
	}
	e.whole = int64(max(0, to-from))
	for _, q := range b.Quotas {
		// A quota that was not used lately has no later minutes in the books; they are zero.
		minutes := make([]mockupstream.Minute, e.whole)
		if from < len(q.Minutes) {
			copy(minutes, q.Minutes[from:])
		}
		e.minutes[q.Quota] = minutes
	}
}

// add merges the runs of o, which come after those of e.
func (e *runs) add(o *runs) {
	e.windowS += o.windowS
	e.window.add(&o.window, 1)
	e.whole += o.whole
	if o.interrupted && (!e.interrupted || o.stopped < e.stopped) {
		e.stopped = o.stopped
	}
	e.interrupted = e.interrupted || o.interrupted
	for q := range e.minutes {
		e.minutes[q] = append(e.minutes[q], o.minutes[q]...)
	}
	e.retryPeak = max(e.retryPeak, o.retryPeak)
	e.upstream.add(&o.upstream)
	e.laws.join(&o.laws, o.list[0].Seed)
	e.digests = append(e.digests, o.digests...)
	e.list = append(e.list, o.list...)
}

func (u *Upstream) add(o *Upstream) {
	u.Received += o.Received
	u.Admitted += o.Admitted
	u.Refused += o.Refused
	u.Faulted += o.Faulted
	u.EarlyRetries += o.EarlyRetries
	u.CommittedWrites += o.CommittedWrites
	u.DuplicateWrites += o.DuplicateWrites
	u.TokensIn += o.TokensIn
	u.TokensCached += o.TokensCached
	u.TokensOut += o.TokensOut
	u.UnknownAttempts += o.UnknownAttempts
	u.UnknownIn += o.UnknownIn
	u.UnknownOut += o.UnknownOut
}

// digest is that of the run, or of several runs' digests in their order.
func (e *runs) digest() string {
	if len(e.digests) == 1 {
		return fmt.Sprintf("%016x", e.digests[0])
	}
	h := fnv.New64a()
	for _, d := range e.digests {
		fmt.Fprintf(h, "%016x", d)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// use returns a quota's use per minute as shares of its limits, ascending; nil where
// there is no limit.
func (e *runs) use(s *Setup, quota int) (rpm, tpm []float64) {
	if quota < 0 {
		return nil, nil
	}
	rpm, tpm = make([]float64, 0, len(e.minutes[quota])), make([]float64, 0, len(e.minutes[quota]))
	for _, m := range e.minutes[quota] {
		if limit := s.Quotas[quota].RPM; limit > 0 {
			rpm = append(rpm, float64(m.Requests)/float64(limit))
		}
		if limit := s.Quotas[quota].TPM; limit > 0 {
			tpm = append(tpm, float64(m.Tokens)/float64(limit))
		}
	}
	slices.Sort(rpm)
	slices.Sort(tpm)
	return rpm, tpm
}

// at returns the percentile of ascending values, NaN when there are none.
func at(p float64, sorted []float64) Num {
	if len(sorted) == 0 {
		return Num(math.NaN())
	}
	return Num(sorted[rankOf(p, int64(len(sorted)))-1])
}

// worst returns the highest use of any quota of the model's keys in any minute.
func (e *runs) worst(s *Setup, model int) (rpm, tpm Num) {
	rpm, tpm = Num(math.NaN()), Num(math.NaN())
	for k := range s.KeyQuota {
		r, t := e.use(s, s.KeyQuota[k][model])
		rpm, tpm = higher(rpm, at(100, r)), higher(tpm, at(100, t))
	}
	return rpm, tpm
}

// higher is the greater of two numbers, NaN counting as nothing.
func higher(a, b Num) Num {
	if math.IsNaN(float64(a)) || b > a {
		return b
	}
	return a
}

// keys returns a row for each key and model that was used in the window, ordered by key, then model.
func (e *runs) keys(s *Setup) []Key {
	var out []Key
	for i := range e.window.pairs {
		p := &e.window.pairs[i]
		if p.requests == 0 {
			continue
		}
		k, m := i/len(s.Models), i%len(s.Models)
		row := Key{
			Key: s.Keys[k], Model: s.Models[m].Name, Requests: p.requests, HTTP429: p.r429,
			ExcludedS: Num(math.NaN()), Minutes: e.whole,
		}
		quota := -1
		if s.KeyQuota != nil {
			quota = s.KeyQuota[k][m]
		}
		rpm, tpm := e.use(s, quota)
		row.RPMUtilisation, row.TPMUtilisation = at(95, rpm), at(95, tpm)
		row.RPMWorst, row.TPMWorst = at(100, rpm), at(100, tpm)
		if p.excludedKnown {
			row.ExcludedS = inSeconds(p.excluded)
		}
		out = append(out, row)
	}
	return out
}

func (e *runs) carry(t *tape, s *Setup) {
	t.floats(&e.windowS)
	e.window.carry(t, s)
	fixed(t, &e.minutes, len(s.Quotas), func(of *[]mockupstream.Minute) {
		list(t, of, func(m *mockupstream.Minute) { t.counts(&m.Requests, &m.Tokens, &m.Refused, &m.Output) })
	})
	t.counts(&e.whole, &e.retryPeak)
	t.flags(&e.interrupted)
	t.spans(&e.stopped)
	e.upstream.carry(t)
	e.laws.carry(t)
	list(t, &e.faults, func(f *Fault) { f.carry(t) })
	list(t, &e.alerts, func(a *Alert) {
		t.nums(&a.AtS, &a.ForS, &a.Value, &a.Bound)
		t.texts(&a.Rule, &a.Subject, &a.Text)
	})
	list(t, &e.digests, func(d *uint64) { t.word(d) })
	list(t, &e.list, func(r *Replication) { r.carry(t) })
	t.check(len(e.list) > 0 && len(e.list) == len(e.digests), "no run, or digests of others")
}

func (u *Upstream) carry(t *tape) {
	t.counts(&u.Received, &u.Admitted, &u.Refused, &u.Faulted, &u.EarlyRetries, &u.CommittedWrites, &u.DuplicateWrites)
	t.counts(&u.TokensIn, &u.TokensCached, &u.TokensOut, &u.UnknownAttempts, &u.UnknownIn, &u.UnknownOut)
}

func (l *Laws) carry(t *tape) {
	t.flags(&l.ConservationOK, &l.BooksAgree, &l.NoBooks, &l.Incomplete)
	t.nums(&l.LittleResidual)
	t.names(&l.Details)
}

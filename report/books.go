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
	windowS   float64 // measured time
	pairs     []pairSum
	minutes   [][]mockupstream.Minute // by quota, the full minutes of the measured time
	gates     []GateCount             // by model
	breaker   int64
	retryPeak int64
	upstream  Upstream
	laws      Laws
	alerts    []Alert
	digests   []uint64
	list      []Replication
}

// pairSum is what the provider counted of a key at a model.
type pairSum struct {
	used           bool
	requests, r429 int64
	excluded       time.Duration
	excludedKnown  bool
}

func newRuns(s *Setup) runs {
	return runs{
		pairs:   make([]pairSum, len(s.Keys)*len(s.Models)),
		minutes: make([][]mockupstream.Minute, len(s.Quotas)),
		gates:   make([]GateCount, len(s.Models)),
	}
}

// close takes over what the driver knows at the end of a run.
func (e *runs) close(r *Recorder, run *Run) {
	s := &r.setup
	end := min(s.Duration, r.now)
	e.windowS = max(0, (end - s.Warmup).Seconds())
	e.retryPeak = int64(r.herd.peak)
	e.breaker = run.BreakerOpened
	copy(e.gates, run.Gates)
	e.takeBooks(s, run.Books, end)
	for k, models := range run.Excluded {
		for m, d := range models {
			p := &e.pairs[k*len(s.Models)+m]
			p.excluded, p.excludedKnown = d, true
		}
	}
	e.upstream.UnknownAttempts = r.laws.unknown
	e.upstream.UnknownIn, e.upstream.UnknownOut = r.laws.unknownTokens.in, r.laws.unknownTokens.out
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
	e.upstream = Upstream{
		Received: b.Received, Admitted: b.Admitted, Refused: b.Refused, Faulted: b.Faulted,
		EarlyRetries: b.EarlyRetries, CommittedWrites: b.CommittedWrites, DuplicateWrites: b.DuplicateWrites,
		TokensIn: b.Billed.In, TokensCached: b.Billed.Cached, TokensOut: b.Billed.Out,
	}
	for _, k := range b.Keys {
		p := &e.pairs[k.Key*len(s.Models)+k.Model]
		p.used = true
		p.requests += k.Received
		p.r429 += k.Refused429
	}
	from, to := int((s.Warmup+time.Minute-1)/time.Minute), int(end/time.Minute)
	if from >= to {
		from = 0 // a short run: better its warm-up than nothing
	}
	for _, q := range b.Quotas {
		// A quota that was not used lately has no later minutes in the books; they are zero.
		minutes := make([]mockupstream.Minute, max(0, to-from))
		if from < len(q.Minutes) {
			copy(minutes, q.Minutes[from:])
		}
		e.minutes[q.Quota] = minutes
	}
}

// add merges the runs of o, which come after those of e.
func (e *runs) add(o *runs) {
	e.windowS += o.windowS
	for i := range e.pairs {
		p, q := &e.pairs[i], &o.pairs[i]
		p.used = p.used || q.used
		p.requests += q.requests
		p.r429 += q.r429
		p.excluded += q.excluded
		p.excludedKnown = p.excludedKnown || q.excludedKnown
	}
	for q := range e.minutes {
		e.minutes[q] = append(e.minutes[q], o.minutes[q]...)
	}
	for m := range e.gates {
		e.gates[m].Increases += o.gates[m].Increases
		e.gates[m].Decreases += o.gates[m].Decreases
	}
	e.breaker += o.breaker
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

// keys returns a row for each key and model that was used, ordered by key, then model.
func (e *runs) keys(s *Setup) []Key {
	var out []Key
	for i := range e.pairs {
		p := &e.pairs[i]
		if !p.used {
			continue
		}
		k, m := i/len(s.Models), i%len(s.Models)
		row := Key{
			Key: s.Keys[k], Model: s.Models[m].Name, Requests: p.requests, HTTP429: p.r429,
			ExcludedS: Num(math.NaN()),
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

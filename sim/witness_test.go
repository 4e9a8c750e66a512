package sim

import (
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
	sharing "github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/jitter"
	"github.com/seed-4fd17b57/simload/workload"
)

// witness watches a run from outside and keeps books of its own.
type witness struct {
	t      failer
	r      *run
	set    *scenario.Built
	rests  [][]time.Duration // by instance and quota: no send before it
	sends  [][][]send        // by instance and quota
	lives  map[uint64]*life  // by request, while it lives
	keys   map[uint64]uint64 // by write: idempotency key
	flying [][]int           // in flight by instance and quota
	firsts []int64           // attempts by instance
	again  []int64           // retries by instance
}

// send is one attempt as a quota sees it.
type send struct {
	request  uint64
	at       time.Duration
	requests int64 // 0 if it never left
	tokens   int64 // estimate, then actual
	output   int64 // asked for, then made
}

// life is what was seen of a request.
type life struct {
	attempts, step, target int
	quota                  int
	ended                  time.Duration // of the last attempt
	outcome                stack.Outcome
	pinned, last, open     bool
}

func newWitness(t failer, r *run) *witness {
	w := &witness{
		t: t, r: r, set: r.set, lives: map[uint64]*life{}, keys: map[uint64]uint64{},
		firsts: make([]int64, len(r.cores)), again: make([]int64, len(r.cores)),
	}
	for range r.cores {
		w.flying = append(w.flying, make([]int, len(r.set.Stack.Quotas)))
		w.rests = append(w.rests, make([]time.Duration, len(r.set.Stack.Quotas)))
		w.sends = append(w.sends, make([][]send, len(r.set.Stack.Quotas)))
	}
	if r.shared != nil {
		if b, ok := r.shared.books.(*sharing.Books); ok {
			r.shared.books = &watchedBooks{b, t, make([]int, len(r.set.Stack.Targets))}
		}
	}
	r.probe.sent, r.probe.ended, r.probe.done = w.sent, w.ended, w.done
	r.probe.patience = func(d *workload.Demand) time.Duration {
		h := jitter.Hash(r.set.Workload.Seed, d.ID, 77)
		if h%10 != 0 {
			return d.Patience
		}
		return time.Duration(h >> 40 % 30_000 * uint64(time.Millisecond))
	}
	return w
}

// watchedBooks checks INV-20 where the grants of all stacks are made: nobody is let in above the limit.
type watchedBooks struct {
	*sharing.Books
	t      failer
	before []int // in flight, by target
}

// Exchange implements books.
func (b *watchedBooks) Exchange(m sharing.Message) sharing.Reply {
	for i := range b.before {
		b.before[i] = b.Gate(i).InFlight
	}
	r := b.Books.Exchange(m)
	for i, before := range b.before {
		if g := b.Gate(i); g.InFlight > before && g.InFlight > g.Limit {
			b.t.Errorf("INV-20: the books have %d in flight at target %d after %d, limit %d", g.InFlight, i, before, g.Limit)
		}
	}
	return r
}

func (w *witness) quota(target, key int) int { return w.set.Upstream.Keys[key].Quotas[target] }

func (w *witness) sent(a *stack.Attempt, _ *mockupstream.Plan) {
	j := &w.r.jobs[a.Tag]
	now, core, id := w.r.now, int(j.core), uint64(a.Request)
	l := w.lives[id]
	if l == nil {
		l = &life{}
		w.lives[id] = l
	}
	if a.Number == 1 {
		w.firsts[core]++
	} else {
		w.again[core]++
		w.retried(l, a)
	}
	if l.attempts++; a.Number != l.attempts || l.attempts > w.set.Stack.Retry.Attempts {
		w.t.Errorf("INV-40: attempt %d of %x is numbered %d, %d allowed", l.attempts, id, a.Number, w.set.Stack.Retry.Attempts)
	}
	if l.open || a.Step < l.step {
		w.t.Errorf("request %x: open %v, step %d after %d", id, l.open, a.Step, l.step)
	}
	l.step, l.target, l.open = a.Step, a.Target, true
	q := w.quota(a.Target, a.Key)
	if l.pinned && q != l.quota {
		w.t.Errorf("INV-43: write %x of unknown outcome moved from quota %d to %d", id, l.quota, q)
	}
	l.quota = q
	w.flying[core][q]++
	if most := w.set.Stack.Quotas[q].Concurrency; most > 0 && w.flying[core][q] > most {
		w.t.Errorf("%d in flight on quota %d, %d allowed", w.flying[core][q], q, most)
	}
	if until := w.rests[core][q]; now < until {
		w.t.Errorf("INV-50: %x sent at %v on quota %d that rests until %v", id, now, q, until)
	}
	// Books that are shared grant before a stack hears of it, and of what has lowered the limit since: see watchedBooks.
	if g := w.r.cores[core].Gate(a.Target); g.InFlight > g.Limit && w.r.shared == nil {
		w.t.Errorf("INV-20: %d in flight, limit %d at %v", g.InFlight, g.Limit, now)
	}
	w.minute(core, q, send{id, now, 1, w.charge(a.Target, stack.Usage{In: a.EstIn}, a.MaxOut), a.MaxOut})
	if a.Write {
		if k, ok := w.keys[id]; ok && k != a.IdempotencyKey {
			w.t.Errorf("INV-43: write %x sent under keys %x and %x", id, k, a.IdempotencyKey)
		}
		w.keys[id] = a.IdempotencyKey
	}
}

// retried checks what must hold between one attempt and the next.
func (w *witness) retried(l *life, a *stack.Attempt) {
	c := &w.set.Stack
	if l.last {
		w.t.Errorf("INV-43, INV-44: %x retried after %v", a.Request, l.outcome.Kind)
	}
	if l.pinned && a.Target != l.target {
		w.t.Errorf("INV-43: write %x of unknown outcome moved from target %d to %d", a.Request, l.target, a.Target)
	}
	least := jitter.Exponential(c.Retry.Base, c.Retry.Cap, a.Number-2)
	if !c.Retry.NoJitter {
		least /= 2
	}
	told := l.outcome.HasRetryAfter && a.Target == l.target && a.Step == l.step &&
		(l.outcome.Kind == stack.Overloaded || c.Rotation.Exclude == 0)
	if told {
		least = max(least, l.outcome.RetryAfter)
	}
	if waited := w.r.now - l.ended; waited < least {
		w.t.Errorf("INV-41: %x waited %v before attempt %d, told %v, at least %v", a.Request, waited, a.Number, l.outcome.RetryAfter, least)
	}
}

// minute checks INV-11 for the sliding 60 s that end with a send.
func (w *witness) minute(core, q int, s send) {
	list := append(w.sends[core][q], s)
	for list[0].at <= s.at-time.Minute {
		list = list[1:]
	}
	w.sends[core][q] = list
	var requests, tokens, output int64
	for i := range list {
		requests += list[i].requests
		tokens += list[i].tokens
		output += list[i].output
	}
	limit, b := w.set.Stack.Quotas[q], w.set.Stack.Budget
	if most := max(1, limit.RPM*int64(b.RPMHeadroom)/100); limit.RPM > 0 && requests > most {
		w.t.Errorf("INV-11: %d requests in 60 s up to %v on quota %d, %d allowed", requests, s.at, q, most)
	}
	if most := max(1, limit.TPM*int64(b.TPMHeadroom)/100); limit.TPM > 0 && tokens > most {
		w.t.Errorf("INV-11: %d tokens in 60 s up to %v on quota %d, %d allowed", tokens, s.at, q, most)
	}
	if most := max(1, limit.OTPM*int64(b.TPMHeadroom)/100); limit.OTPM > 0 && output > most {
		w.t.Errorf("INV-11: %d output tokens in 60 s up to %v on quota %d, %d allowed", output, s.at, q, most)
	}
}

// charge is what the vendor of a target counts.
func (w *witness) charge(target int, u stack.Usage, maxOut int64) int64 {
	switch w.set.Stack.Targets[target].Charge {
	case stack.ChargeSum:
		return u.In + maxOut
	case stack.ChargeInput:
		return u.In
	case stack.ChargeUncached:
		return u.In - u.Cached
	}
	return max(u.In, maxOut)
}

func (w *witness) ended(j *job) {
	o, c := &j.step.Outcome, &w.set.Stack
	l := w.lives[j.demand.ID]
	l.ended, l.outcome, l.open = w.r.now, *o, false
	w.flying[j.core][l.quota]--
	switch o.Kind {
	case stack.BadRequest, stack.TooLarge, stack.Unauthorized, stack.Success:
		l.last = true
	}
	if j.demand.Write && o.Kind.Unknown() {
		l.pinned = l.pinned || c.Idempotency == stack.IdempotencyKeys
		l.last = l.last || c.Idempotency == stack.IdempotencyNone
	}
	q := w.quota(j.step.Target, j.step.Key)
	if o.Kind == stack.RateLimited && c.Rotation.Exclude > 0 {
		w.rests[j.core][q] = max(w.rests[j.core][q], w.r.now+max(c.Rotation.Exclude, o.RetryAfter))
	}
	if o.Kind != stack.Success && o.Kind != stack.ConnectFailed {
		return
	}
	list := w.sends[j.core][q]
	for i := range list {
		if s := &list[i]; s.request == j.demand.ID && s.at == j.step.Sent {
			if o.Kind == stack.ConnectFailed {
				s.requests, s.tokens, s.output = 0, 0, 0
			} else if o.Usage.In > 0 {
				s.tokens, s.output = w.charge(j.step.Target, o.Usage, w.maxOut(j)), o.Usage.Out
			}
		}
	}
}

// maxOut is what was asked for in the job's last attempt.
func (w *witness) maxOut(j *job) int64 {
	route := &w.set.Stack.Routes[w.set.Profiles[j.demand.Profile].Route]
	if m := route.Steps[j.step.Degrade].MaxOut; m > 0 {
		return min(m, j.demand.MaxOut)
	}
	return j.demand.MaxOut
}

func (w *witness) done(j *job, res *stack.Result) {
	if l := w.lives[j.demand.ID]; l != nil && l.open {
		w.t.Errorf("INV-21: %x ended as %v with an attempt on the wire", j.demand.ID, res.Ending)
	}
	delete(w.lives, j.demand.ID)
	if sum := res.Capped + res.Queued + res.Backoff + res.OnWire; sum != res.Ended-res.Submitted {
		w.t.Errorf("INV-3: parts of %x sum to %v of %v", j.demand.ID, sum, res.Ended-res.Submitted)
	}
	for _, st := range res.Steps {
		if st.Queued > st.Sent || st.Sent > st.Ended || st.FirstToken != 0 && (st.FirstToken < st.Sent || st.FirstToken > st.Ended) {
			w.t.Errorf("INV-3: step %+v", st)
		}
	}
	c := &w.set.Stack
	for m := range c.Targets {
		g := w.r.cores[j.core].Gate(m)
		if n := g.Waiting[0] + g.Waiting[1] + g.Waiting[2]; c.Queue.Overflow == stack.OverflowReject && n > c.Queue.Bound {
			w.t.Errorf("INV-32: %d wait, bound %d", n, c.Queue.Bound)
		}
	}
}

// atRest checks the end of a run.
func (w *witness) atRest(v *report.Variant) {
	l := v.Laws
	if !l.ConservationOK || !l.BooksAgree || float64(l.LittleResidual) > .001 {
		w.t.Errorf("INV-1, INV-2, INV-6: %+v", l)
	}
	if w.set.Stack.Idempotency != stack.IdempotencyUnsafe && v.Upstream.DuplicateWrites != 0 {
		w.t.Errorf("INV-43: %d duplicate writes", v.Upstream.DuplicateWrites)
	}
	for i := range w.firsts {
		r := &w.set.Stack.Retry
		if r.BudgetPercent == 0 && r.BudgetBurst == 0 {
			break
		}
		if most := int64(max(1, r.BudgetBurst)) + w.firsts[i]*int64(r.BudgetPercent)/100; w.again[i] > most {
			w.t.Errorf("INV-40: %d retries, budget %d", w.again[i], most)
		}
	}
	if w.r.pending > 0 {
		return // cut off an hour after the end of the demand
	}
	if books := w.r.prov.Books(); books.Running != 0 || len(w.lives) != 0 {
		w.t.Errorf("INV-21: %d calls still run, %d requests live", books.Running, len(w.lives))
	}
	for i, c := range w.r.cores {
		if c.Pending() != 0 {
			w.t.Errorf("INV-21: core %d has %d requests", i, c.Pending())
		}
		for m := range c.Gates() {
			if g := c.Gate(m); g.InFlight != 0 || g.Waiting != [stack.NumClasses]int{} {
				w.t.Errorf("INV-21: gate %d of core %d at rest: %+v", m, i, g)
			}
		}
		if c.Timers() != 0 {
			w.t.Errorf("INV-21: core %d has %d deadlines at rest", i, c.Timers())
		}
	}
}

package stack_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/jitter"
)

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// plan is what the toy provider makes of an attempt. Instants count from the send; 0: it
// never comes.
type plan struct {
	first, end time.Duration
	outcome    stack.Outcome
}

// event is something that happens to the harness at an instant.
type event struct {
	at  time.Duration
	seq uint64
	do  func()
}

// flight is an attempt as the provider sees it.
type flight struct {
	stack.Attempt
	life     *life
	quota    int
	charge   int64
	requests *entry
	tokens   *entry
	sent     time.Duration
	heard    time.Duration // last byte
	first    time.Duration
	open     bool
	ended    time.Duration
	outcome  stack.Outcome // OutcomeNone after an abort
	aborted  stack.OutcomeKind
}

// life is a logical request as its caller sees it.
type life struct {
	req       stack.Request
	ticket    stack.Ticket
	submitted time.Duration
	attempts  []*flight
	cancelled bool
	done      bool
}

// harness drives a core with its own list of events against a toy provider, and checks
// the invariants after every call against models that share no code with the core.
type harness struct {
	t      fataler
	cfg    stack.Config
	core   *stack.Core
	answer func(now time.Duration, a stack.Attempt) plan

	late        time.Duration // by which the driver's timer fires late
	timersFirst bool          // at one instant
	exact       bool          // actual usage is never above the estimate
	light       bool          // for long lines: do not check them after every call

	now      time.Duration
	events   []event
	seq      uint64
	calls    int
	lives    map[stack.Ticket]*life
	wires    map[stack.AttemptID]*flight
	quotas   []*quota
	dead     []bool
	inFlight []int
	byAgent  map[uint32][]time.Duration // instants at which the agent cap let go

	nSubmitted, nEnded int
	endings            [stack.NumEndings]int
	reasons            [stack.NumReasons]int
	firsts, retries    int
	results            []stack.Result
	sends              []*flight
	digest             uint64

	before, after   [][]stack.Waiter
	limits, limits2 []int // before and after the call
	sentNow         []*flight
}

func newHarness(t fataler, cfg stack.Config, answer func(time.Duration, stack.Attempt) plan) *harness {
	t.Helper()
	core, err := stack.New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	n := len(cfg.Targets)
	h := &harness{
		t: t, cfg: cfg, core: core, answer: answer, exact: true,
		lives: map[stack.Ticket]*life{}, wires: map[stack.AttemptID]*flight{},
		dead: make([]bool, len(cfg.Keys)), inFlight: make([]int, n), byAgent: map[uint32][]time.Duration{},
		before: make([][]stack.Waiter, n), after: make([][]stack.Waiter, n),
		limits: make([]int, n), limits2: make([]int, n),
	}
	for _, q := range cfg.Quotas {
		h.quotas = append(h.quotas, newQuota(q, &cfg))
	}
	return h
}

// at schedules f. Events of one instant happen in the order in which they were scheduled.
func (h *harness) at(at time.Duration, f func()) {
	h.seq++
	e := event{max(at, h.now), h.seq, f}
	i, _ := slices.BinarySearchFunc(h.events, e, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	})
	h.events = slices.Insert(h.events, i, e)
}

// run lets everything happen until the instant; until nothing is left if it is 0.
func (h *harness) run(until time.Duration) {
	h.t.Helper()
	for {
		wake, armed := h.core.NextWake()
		wake = max(h.now, wake+h.late)
		isEvent := len(h.events) > 0 && (!armed || h.events[0].at < wake || h.events[0].at == wake && !h.timersFirst)
		switch {
		case !isEvent && !armed:
			h.now = max(h.now, until)
			return
		case isEvent:
			if until > 0 && h.events[0].at > until {
				h.now = until
				return
			}
			e := h.events[0]
			h.events = h.events[1:]
			h.now = e.at
			e.do()
		default:
			if until > 0 && wake > until {
				h.now = until
				return
			}
			h.now = wake
			h.call(func() { h.core.Advance(h.now) })
			if next, ok := h.core.NextWake(); ok && next <= h.now {
				h.t.Fatalf("Advance(%v) left a deadline at %v", h.now, next)
			}
		}
		if h.calls++; h.calls > 2_000_000 {
			h.t.Fatalf("no end in sight at %v: %d requests pending", h.now, h.core.Pending())
		}
	}
}

// call does one call of the core and checks what it led to.
func (h *harness) call(f func()) {
	h.t.Helper()
	h.snapshot(h.before, h.limits)
	h.sentNow = h.sentNow[:0]
	f()
	h.snapshot(h.after, h.limits2)
	h.drain()
	if h.light {
		return
	}
	h.checkOrder()
	h.checkQueues()
	h.checkWork()
}

func (h *harness) snapshot(to [][]stack.Waiter, limits []int) {
	for g := range to {
		if !h.light {
			to[g] = h.core.Waiters(g, to[g][:0])
		}
		limits[g] = h.core.Gate(g).Limit
	}
}

func (h *harness) drain() {
	for _, e := range h.core.Effects() {
		switch e.Kind {
		case stack.EffectSend:
			h.fold(1, uint64(e.Attempt.ID), uint64(e.Attempt.Key))
			h.onSend(e.Attempt)
		case stack.EffectAbort:
			h.fold(2, uint64(e.Attempt.ID), uint64(e.Why))
			h.onAbort(e.Attempt, e.Why)
		case stack.EffectDone:
			h.fold(3, uint64(e.Result.Request.ID), uint64(e.Result.Reason))
			h.onDone(e.Result)
		default:
			h.t.Fatalf("effect of kind %d", e.Kind)
		}
	}
}

func (h *harness) fold(kind, a, b uint64) {
	h.digest = jitter.Hash(h.digest^kind, a^uint64(h.now), b)
}

func (h *harness) submit(r stack.Request) *life {
	h.t.Helper()
	l := &life{req: r, submitted: h.now}
	h.call(func() {
		l.ticket = h.core.Submit(h.now, r)
		if old := h.lives[l.ticket]; old != nil {
			h.t.Fatalf("ticket %d was handed out twice", l.ticket)
		}
		h.lives[l.ticket] = l
		h.nSubmitted++
	})
	h.checkAdmission(l)
	return l
}

func (h *harness) cancel(l *life) {
	h.t.Helper()
	l.cancelled = true
	wasDone := l.done
	h.call(func() { h.core.Cancel(h.now, l.ticket) })
	if !l.done {
		h.t.Fatalf("request %d lives on after Cancel", l.req.ID)
	}
	if wasDone && len(h.core.Effects()) > 0 {
		h.t.Fatalf("Cancel of a request that had ended has effects")
	}
}

func (h *harness) firstToken(w *flight) {
	if w.open {
		w.heard = h.now
		if w.first == 0 {
			w.first = h.now
		}
	}
	h.call(func() { h.core.FirstToken(h.now, w.ID) })
}

func (h *harness) progress(w *flight) {
	if w.open {
		w.heard = h.now
	}
	h.call(func() { h.core.Progress(h.now, w.ID) })
}

// finish ends an attempt, first in the models.
func (h *harness) finish(w *flight, o stack.Outcome) {
	h.t.Helper()
	wasOpen := w.open
	if wasOpen {
		w.open, w.ended, w.outcome = false, h.now, o
		h.inFlight[w.Target]--
		q, t := h.quotas[w.quota], &h.cfg.Targets[w.Target]
		switch o.Kind {
		case stack.Success:
			if o.Usage.In > 0 {
				q.tokens.settle(h.now, w.tokens, charge(t.Charge, o.Usage.In, w.MaxOut))
			}
		case stack.ConnectFailed:
			q.tokens.settle(h.now, w.tokens, 0)
			q.requests.settle(h.now, w.requests, 0)
		case stack.RateLimited:
			if rest := h.cfg.Rotation.Exclude; rest > 0 {
				after := min(o.RetryAfter, 24*time.Hour)
				more := time.Duration(0)
				if !h.cfg.Retry.NoJitter {
					more = jitter.Spread(after, h.cfg.Seed, uint64(w.Request), w.Number)
				}
				q.exclude(h.now, max(rest, after)+more)
			}
		case stack.OutOfCredit, stack.Unauthorized:
			h.dead[w.Key] = true
		}
	}
	h.call(func() { h.core.Finish(h.now, w.ID, o) })
	if !wasOpen && len(h.core.Effects()) > 0 {
		h.t.Fatalf("Finish of an attempt that had ended has effects (INV-21)")
	}
}

// onSend books an attempt, checks it, and lets the provider answer.
func (h *harness) onSend(a stack.Attempt) {
	h.t.Helper()
	l := h.lives[a.Ticket]
	if l == nil || l.done {
		h.t.Fatalf("send for the unknown or ended ticket %d", a.Ticket)
	}
	w := &flight{Attempt: a, life: l, quota: -1, sent: h.now, heard: h.now, open: true}
	for _, u := range h.cfg.Targets[a.Target].Keys {
		if u.Key == a.Key && u.Weight > 0 {
			w.quota = u.Quota
		}
	}
	w.charge = charge(h.cfg.Targets[a.Target].Charge, a.EstIn, a.MaxOut)
	h.checkSend(w)
	q := h.quotas[w.quota]
	w.requests, w.tokens = q.requests.take(h.now, 1), q.tokens.take(h.now, w.charge)
	h.inFlight[a.Target]++
	h.checkLimits(w)
	if a.Number == 1 {
		h.firsts++
	} else {
		h.retries++
	}
	h.checkRetryBudget()
	l.attempts = append(l.attempts, w)
	h.wires[a.ID] = w
	h.sends = append(h.sends, w)
	h.sentNow = append(h.sentNow, w)
	p := h.answer(h.now, a)
	if p.first > 0 && (p.end == 0 || p.first <= p.end) {
		h.at(h.now+p.first, func() { h.firstToken(w) })
		if gap := h.cfg.Timeouts.Gap / 2; p.end-p.first > gap {
			for at := p.first + gap; at < p.end; at += gap {
				h.at(h.now+at, func() { h.progress(w) })
			}
		}
	}
	if p.end > 0 {
		h.at(h.now+p.end, func() { h.finish(w, p.outcome) })
	}
}

func (h *harness) onAbort(a stack.Attempt, why stack.OutcomeKind) {
	h.t.Helper()
	w := h.wires[a.ID]
	if w == nil || !w.open || a.Ticket != w.Ticket || a.Request != w.Request || a.Tag != w.Tag {
		h.t.Fatalf("abort of attempt %+v, which is not on the wire", a)
	}
	w.open, w.ended, w.aborted = false, h.now, why
	h.inFlight[w.Target]--
	deadline := h.cfg.Timeouts.Deadline[w.life.req.Class]
	t := &h.cfg.Timeouts
	sound := false
	switch why {
	case stack.Aborted:
		sound = w.life.cancelled
	case stack.DeadlineExceeded:
		sound = deadline > 0 && h.now >= w.life.submitted+deadline
	case stack.FirstTokenTimeout:
		sound = w.first == 0 && h.now >= w.sent+t.FirstToken+time.Duration(w.EstIn)*t.PrefillPerToken
	case stack.GapTimeout:
		sound = w.first > 0 && h.now >= w.heard+t.Gap
	}
	if !sound {
		h.t.Fatalf("attempt sent at %v and heard at %v was aborted at %v for %v", w.sent, w.heard, h.now, why)
	}
}

// rest checks that nothing is left (INV-1, INV-21).
func (h *harness) rest() {
	h.t.Helper()
	if h.core.Pending() != 0 || h.core.Timers() != 0 {
		h.t.Fatalf("at rest: %d pending, %d timers (INV-21)", h.core.Pending(), h.core.Timers())
	}
	for g := range h.inFlight {
		s := h.core.Gate(g)
		if s.InFlight != 0 || h.inFlight[g] != 0 || s.Waiting != [stack.NumClasses]int{} {
			h.t.Fatalf("at rest: gate %d has %d in flight (model %d), %v waiting (INV-21)", g, s.InFlight, h.inFlight[g], s.Waiting)
		}
	}
	sum := 0
	for _, n := range h.endings {
		sum += n
	}
	if h.nSubmitted != h.nEnded || sum != h.nEnded || h.endings[stack.EndingNone] != 0 {
		h.t.Fatalf("%d submitted, %d ended: %v (INV-1)", h.nSubmitted, h.nEnded, h.endings)
	}
	h.checkAgentCaps()
}

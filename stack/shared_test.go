package stack_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/fleet"
)

// process is a stack with its member of the fleet.
type process struct {
	core   *stack.Core
	member *fleet.Member
	skew   time.Duration // of its clock
	dead   bool
}

// pending is something that happens at an instant.
type pending struct {
	at time.Duration
	do func()
}

// sharedFleet drives stacks that share books, with ways to the store, outcomes, losses and deaths at drawn instants.
type sharedFleet struct {
	t     *rapid.T
	now   time.Duration
	cfg   stack.Config
	books *fleet.Books
	procs []*process
	todo  []pending
	ended int
	way   time.Duration // longest way to the store
	lossy bool
	gone  bool
	sent  []time.Duration
}

func newSharedFleet(t *rapid.T, cfg stack.Config, n int, open bool) *sharedFleet {
	cfg.Shared = true
	f := &sharedFleet{t: t, cfg: cfg, way: time.Duration(rapid.Int64Range(0, 100).Draw(t, "way")) * time.Millisecond}
	f.renew()
	for i := range n {
		c, err := stack.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		skew := time.Duration(rapid.Int64Range(0, 400).Draw(t, "skew")) * time.Millisecond
		m, err := fleet.NewMember(cfg.Fleet(), fleet.MemberConfig{Name: fmt.Sprint("p", i), Open: open, Offset: skew})
		if err != nil {
			t.Fatal(err)
		}
		f.procs = append(f.procs, &process{core: c, member: m, skew: skew})
	}
	return f
}

// renew has the store lose everything.
func (f *sharedFleet) renew() {
	cfg := f.cfg
	books, err := fleet.NewBooks(cfg.Fleet())
	if err != nil {
		f.t.Fatal(err)
	}
	f.books = books
}

func (f *sharedFleet) later(name string, most time.Duration, do func()) {
	d := time.Duration(rapid.Int64Range(0, int64(most)).Draw(f.t, name))
	f.todo = append(f.todo, pending{f.now + d, do})
}

// call calls a core and does what it asks for.
func (f *sharedFleet) call(p *process, do func()) {
	if p.dead {
		return
	}
	do()
	for _, e := range append([]stack.Effect(nil), p.core.Effects()...) {
		switch e.Kind {
		case stack.EffectAsk:
			p.member.Ask(*e.Op)
		case stack.EffectWithdraw:
			p.member.Withdraw(e.Op.ID)
		case stack.EffectSettle:
			p.member.Settle(f.now, *e.Op)
		case stack.EffectKill:
			p.member.Kill(e.Op.Key)
		case stack.EffectSend:
			f.sent = append(f.sent, f.now)
			f.answer(p, e.Attempt)
		case stack.EffectDone:
			f.ended++
		}
	}
	f.speak(p)
}

func (f *sharedFleet) answer(p *process, a stack.Attempt) {
	o := stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: a.EstIn, Out: 1}}
	if rapid.IntRange(0, 9).Draw(f.t, "fails") == 0 {
		o = stack.Outcome{Kind: rapid.SampledFrom([]stack.OutcomeKind{
			stack.Overloaded, stack.ConnectFailed, stack.StreamBroken, stack.RateLimited,
		}).Draw(f.t, "kind")}
	}
	f.later("wire", 3*time.Second, func() { f.call(p, func() { p.core.Finish(f.now, a.ID, o) }) })
}

// speak carries what the member has to say now.
func (f *sharedFleet) speak(p *process) {
	if at, ok := p.member.Due(); !ok || at > f.now || p.dead {
		return
	}
	msg, ok := p.member.Begin(f.now)
	if ok {
		f.carry(p, *msg)
	}
	f.told(p)
}

func (f *sharedFleet) told(p *process) {
	if t := p.member.Told(); t.Heard || t.News != nil {
		f.call(p, func() { p.core.Told(f.now, t) })
	}
}

func (f *sharedFleet) carry(p *process, msg fleet.Message) {
	lost := func() bool { return f.gone || f.lossy && rapid.IntRange(0, 7).Draw(f.t, "lost") == 0 }
	fail := func() {
		f.later("timeout", time.Second, func() {
			if !p.dead {
				p.member.Failed(f.now)
				f.told(p)
				f.speak(p)
			}
		})
	}
	f.later("there", f.way, func() {
		if lost() {
			fail()
			return
		}
		r := f.books.Exchange(msg)
		for g := range f.cfg.Targets {
			if s := f.books.Gate(g); s.InFlight < 0 {
				f.t.Fatalf("%d in flight", s.InFlight)
			}
		}
		for _, name := range r.Wake {
			w := f.procs[slices.IndexFunc(f.procs, func(q *process) bool { return q.member.Name() == name })]
			f.later("wake", f.way, func() { w.member.Wake(); f.speak(w) })
		}
		if lost() {
			fail()
			return
		}
		f.later("back", f.way, func() {
			if !p.dead {
				p.member.Heard(f.now, &r)
				f.told(p)
				f.speak(p)
			}
		})
	})
}

// run does what is to do in order of time until all requests have ended.
func (f *sharedFleet) run(until func() bool) {
	for range 400_000 {
		if until() {
			return
		}
		at, do := f.first()
		if do == nil {
			f.t.Fatalf("nothing is to be done and %d have ended: INV-21, INV-22", f.ended)
		}
		f.now = max(f.now, at)
		do()
	}
	f.t.Fatalf("no end at %v, %d ended: INV-21", f.now, f.ended)
}

func (f *sharedFleet) first() (time.Duration, func()) {
	at := fleet.Never
	var do func()
	for k := range f.todo {
		if f.todo[k].at < at {
			at = f.todo[k].at
			do = func() {
				next := f.todo[k].do
				f.todo = append(f.todo[:k:k], f.todo[k+1:]...)
				next()
			}
		}
	}
	for _, p := range f.procs {
		if p.dead {
			continue
		}
		if w, ok := p.core.NextWake(); ok && w < at {
			at, do = w, func() { f.call(p, func() { p.core.Advance(f.now) }) }
		}
		if w, ok := p.member.Due(); ok && max(w, f.now) < at {
			at, do = max(w, f.now), func() { f.speak(p) }
		}
	}
	return at, do
}

// submit has n requests come at drawn instants, some of which their callers give up.
func (f *sharedFleet) submit(n int) {
	for id := range n {
		p := f.procs[id%len(f.procs)]
		r := stack.Request{
			ID: stack.RequestID(id), Class: stack.Class(rapid.IntRange(0, 2).Draw(f.t, "class")),
			EstIn: rapid.Int64Range(1, 2000).Draw(f.t, "tokens"), MaxOut: 1, Write: rapid.IntRange(0, 3).Draw(f.t, "write") == 0,
		}
		f.later("submit", 20*time.Second, func() {
			var ticket stack.Ticket
			f.call(p, func() { ticket = p.core.Submit(f.now, r) })
			if rapid.IntRange(0, 4).Draw(f.t, "cancels") == 0 {
				f.later("cancel", 2*time.Second, func() { f.call(p, func() { p.core.Cancel(f.now, ticket) }) })
			}
		})
	}
}

// atRest ensures that neither the stacks nor the books hold anything (INV-21).
func (f *sharedFleet) atRest() {
	f.t.Helper()
	f.lossy = false
	calm := f.now + 30*time.Second
	f.run(func() bool { return f.now > calm })
	for g := range f.cfg.Targets {
		if s := f.books.Gate(g); s.InFlight != 0 || f.books.Waiting(g) != [fleet.Classes]int{} {
			f.t.Fatalf("at rest the books hold %+v and %v of target %d", s, f.books.Waiting(g), g)
		}
		for _, p := range f.procs {
			if s := p.core.Gate(g); !p.dead && (p.core.Pending() != 0 || s.InFlight != 0 || p.core.Timers() != 0) {
				f.t.Fatalf("at rest: %d pending, %d deadlines, gate %+v", p.core.Pending(), p.core.Timers(), s)
			}
		}
	}
}

func sharedConfig(t *rapid.T) stack.Config {
	cfg := plain(chain(3))
	cfg.Fallback.MaxWait = time.Duration(rapid.IntRange(0, 4000).Draw(t, "fallback")) * time.Millisecond
	cfg.Quotas = []stack.Quota{{Name: "q0", TPM: rapid.Int64Range(5000, 30_000).Draw(t, "tpm"), RPM: 200}}
	cfg.Concurrency.Start = rapid.IntRange(1, 5).Draw(t, "slots")
	cfg.Queue.MaxWait = time.Duration(rapid.IntRange(0, 20).Draw(t, "max wait")) * time.Second
	cfg.Breaker.Enabled = rapid.Bool().Draw(t, "breaker")
	cfg.Breaker.MinSamples = 3
	return cfg
}

// INV-1, INV-13, INV-20, INV-21 with books that are shared, answer later, and whose answers are sometimes lost: every request
// ends, every grant is settled once, nothing is left at rest.
func TestSharedBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newSharedFleet(t, sharedConfig(t), rapid.IntRange(1, 3).Draw(t, "stacks"), rapid.Bool().Draw(t, "open"))
		f.lossy = rapid.Bool().Draw(t, "lossy")
		n := rapid.IntRange(1, 40).Draw(t, "requests")
		f.submit(n)
		f.run(func() bool { return f.ended == n })
		f.atRest()
	})
}

// A process that dies without a word: what it held is free again within the lease, and all requests of the
// others end (INV-34: nothing is lost but what was its own).
func TestSharedBooksSurviveADeath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := sharedConfig(t)
		cfg.Queue.MaxWait = 0
		f := newSharedFleet(t, cfg, rapid.IntRange(2, 3).Draw(t, "stacks"), false)
		n := rapid.IntRange(2, 40).Draw(t, "requests")
		f.submit(n)
		dies := time.Duration(rapid.Int64Range(0, int64(25*time.Second)).Draw(t, "dies"))
		f.run(func() bool { return f.now >= dies || f.ended == n })
		f.procs[0].dead = true
		left := 0
		for id := range n {
			if id%len(f.procs) != 0 {
				left++
			}
		}
		died := f.now
		mine := func() (free bool) {
			for g := range f.cfg.Targets {
				others := 0
				for _, p := range f.procs[1:] {
					others += p.core.Gate(g).InFlight
				}
				if f.books.Gate(g).InFlight > others {
					return false
				}
			}
			return true
		}
		lease := cfg.Fleet().Lease + f.way + time.Second
		f.run(func() bool { return f.now > died+lease && mine() || f.now > died+lease+3*time.Second })
		if !mine() {
			t.Fatalf("%v after the death its slots are not free", f.now-died)
		}
		f.run(func() bool {
			pending := 0
			for _, p := range f.procs[1:] {
				pending += p.core.Pending()
			}
			return f.now > died+25*time.Second && pending == 0
		})
		f.atRest()
	})
}

// The store is gone for a while, with or without what it knew. Closed: nothing is sent meanwhile but what had been granted. Open:
// requests go on being served. Then all end, and nothing is left in the books.
func TestSharedBooksGone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := sharedConfig(t)
		cfg.Queue.MaxWait = 0
		cfg.Breaker.Enabled = false
		open := rapid.Bool().Draw(t, "open")
		f := newSharedFleet(t, cfg, rapid.IntRange(1, 3).Draw(t, "stacks"), open)
		n := rapid.IntRange(1, 40).Draw(t, "requests")
		f.submit(n)
		goes := time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "goes"))
		f.run(func() bool { return f.now >= goes || f.ended == n })
		f.gone = true
		back := f.now + time.Duration(rapid.Int64Range(0, int64(40*time.Second)).Draw(t, "for"))
		sent := len(f.sent)
		f.run(func() bool { return f.now >= back })
		for _, at := range f.sent[sent:] {
			if !open && at > goes+2*f.way+time.Millisecond && f.ended < n {
				t.Fatalf("closed, and a request is sent at %v, %v after the store went", at, at-goes)
			}
		}
		f.gone = false
		if rapid.Bool().Draw(t, "lost") {
			f.renew()
		}
		f.run(func() bool { return f.ended == n })
		f.atRest()
	})
}

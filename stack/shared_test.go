package stack_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/bucket"
)

// store is shared books that answer late: a bucket a quota, and what is granted and not
// settled.
type store struct {
	tokens  []bucket.Bucket
	granted []int
}

// pending is something that happens at an instant.
type pending struct {
	at time.Duration
	do func()
}

// fleetOnStore drives stacks that share a store, with answers and outcomes at drawn instants.
type fleetOnStore struct {
	t     *rapid.T
	now   time.Duration
	cores []*stack.Core
	books store
	todo  []pending
	ended int
}

func (f *fleetOnStore) later(name string, most time.Duration, do func()) {
	d := time.Duration(rapid.Int64Range(0, int64(most)).Draw(f.t, name))
	f.todo = append(f.todo, pending{f.now + d, do})
}

// call calls a core and does what it asks for.
func (f *fleetOnStore) call(c *stack.Core, do func()) {
	do()
	for _, e := range append([]stack.Effect(nil), c.Effects()...) {
		switch e.Kind {
		case stack.EffectReserve:
			r := e.Reservation
			f.later("store", 200*time.Millisecond, func() { f.answer(c, r) })
		case stack.EffectSettle:
			r := &e.Reservation
			f.books.granted[r.Quota]--
			used := r.UsedTokens
			if r.Unused {
				used = 0
			}
			f.books.tokens[r.Quota].Settle(f.now, r.Taken, r.Tokens, used)
		case stack.EffectSend:
			a := e.Attempt
			o := stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: a.EstIn, Out: 1}}
			if rapid.IntRange(0, 9).Draw(f.t, "fails") == 0 {
				o = stack.Outcome{Kind: rapid.SampledFrom([]stack.OutcomeKind{stack.Overloaded, stack.ConnectFailed, stack.StreamBroken}).Draw(f.t, "kind")}
			}
			f.later("wire", 3*time.Second, func() { f.call(c, func() { c.Finish(f.now, a.ID, o) }) })
		case stack.EffectDone:
			f.ended++
		}
	}
	for target := range c.Gates() {
		if g := c.Gate(target); g.InFlight > g.Limit || g.InFlight < 0 {
			f.t.Fatalf("INV-20: %d in flight, limit %d", g.InFlight, g.Limit)
		}
	}
}

func (f *fleetOnStore) answer(c *stack.Core, r stack.Reservation) {
	b := &f.books.tokens[r.Quota]
	l := stack.Lease{OK: b.Ready(f.now, r.Tokens, r.Lower)}
	if l.OK {
		b.Take(f.now, r.Tokens)
		f.books.granted[r.Quota]++
	} else {
		l.Next = b.Next(f.now, r.Tokens, r.Lower)
	}
	f.call(c, func() { c.Granted(f.now, r, l) })
}

// run does what is to do in order of time until nothing is left.
func (f *fleetOnStore) run() {
	for range 200_000 {
		first, core := -1, -1
		at := bucket.Never
		for k := range f.todo {
			if f.todo[k].at < at {
				at, first = f.todo[k].at, k
			}
		}
		for k, c := range f.cores {
			if w, ok := c.NextWake(); ok && w < at {
				at, first, core = w, -1, k
			}
		}
		if at == bucket.Never {
			return
		}
		f.now = max(f.now, at)
		if core >= 0 {
			f.call(f.cores[core], func() { f.cores[core].Advance(f.now) })
			continue
		}
		do := f.todo[first].do
		f.todo = append(f.todo[:first], f.todo[first+1:]...)
		do()
	}
	f.t.Fatalf("no end: INV-21")
}

// INV-1, INV-13, INV-20, INV-21 with books that answer later and are shared by several
// stacks: every request ends, every grant is settled once, nothing is left at rest.
func TestSharedBudgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := plain(chain(3))
		cfg.Fallback.MaxWait = time.Duration(rapid.IntRange(0, 2000).Draw(t, "fallback")) * time.Millisecond
		cfg.SharedBudgets = true
		cfg.Quotas = []stack.Quota{{Name: "q0"}}
		cfg.Concurrency.Start = rapid.IntRange(1, 5).Draw(t, "slots")
		cfg.Queue.MaxWait = time.Duration(rapid.IntRange(0, 20).Draw(t, "max wait")) * time.Second
		f := &fleetOnStore{t: t, books: store{tokens: []bucket.Bucket{bucket.New(10_000, 5*time.Second, 10)}, granted: []int{0}}}
		for range rapid.IntRange(1, 3).Draw(t, "stacks") {
			c, err := stack.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			f.cores = append(f.cores, c)
		}
		n := rapid.IntRange(1, 40).Draw(t, "requests")
		for id := range n {
			c := f.cores[id%len(f.cores)]
			r := stack.Request{
				ID: stack.RequestID(id), Class: stack.Class(rapid.IntRange(0, 2).Draw(t, "class")),
				EstIn: rapid.Int64Range(1, 2000).Draw(t, "tokens"), MaxOut: 1,
			}
			f.later("submit", 20*time.Second, func() {
				var ticket stack.Ticket
				f.call(c, func() { ticket = c.Submit(f.now, r) })
				if rapid.IntRange(0, 4).Draw(t, "cancels") == 0 {
					f.later("cancel", 2*time.Second, func() { f.call(c, func() { c.Cancel(f.now, ticket) }) })
				}
			})
		}
		f.run()
		if f.ended != n || f.books.granted[0] != 0 {
			t.Fatalf("%d of %d ended, %d grants not settled", f.ended, n, f.books.granted[0])
		}
		for _, c := range f.cores {
			for target := range c.Gates() {
				if g := c.Gate(target); c.Pending() != 0 || g.InFlight != 0 || c.Timers() != 0 {
					t.Fatalf("at rest: %d pending, %d deadlines, gate %+v", c.Pending(), c.Timers(), g)
				}
			}
		}
	})
}

package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	sharing "github.com/seed-4fd17b57/simload/stack/fleet"
)

// sharedLink carries what the stacks of a virtual run say to the books that they share. Every way takes half of the
// latency.
type sharedLink struct {
	books   books
	members []*sharing.Member // by core
	half    time.Duration
	message []sharing.Message // on its way, by core
	reply   []sharing.Reply
}

// books are fleet.Books, or others that a test holds to them.
type books interface {
	Exchange(m sharing.Message) sharing.Reply
}

// share makes the books and the stacks' members.
func (r *run) share() error {
	cfg := r.set.Stack.Fleet()
	if r.set.Shared.Lease > 0 {
		cfg.Lease = r.set.Shared.Lease
	}
	b, err := sharing.NewBooks(cfg)
	if err != nil {
		return fmt.Errorf("shared books: %w", err)
	}
	n := r.set.Instances
	l := &sharedLink{books: b, half: r.set.Shared.Latency / 2, message: make([]sharing.Message, n), reply: make([]sharing.Reply, n)}
	for i := range n {
		m, err := sharing.NewMember(cfg, sharing.MemberConfig{Name: memberName(i)})
		if err != nil {
			return fmt.Errorf("shared books: %w", err)
		}
		l.members = append(l.members, m)
	}
	r.shared = l
	return nil
}

// memberName is the name of one of several stacks, in whose order names are sorted too.
func memberName(i int) string { return fmt.Sprintf("stack-%05d", i) }

// pass hands an effect to a stack's member.
func (l *sharedLink) pass(now time.Duration, core uint32, e *stack.Effect) {
	m := l.members[core]
	switch e.Kind {
	case stack.EffectAsk:
		m.Ask(*e.Op)
	case stack.EffectWithdraw:
		m.Withdraw(e.Op.ID)
	case stack.EffectSettle:
		m.Settle(now, *e.Op)
	case stack.EffectKill:
		m.Kill(e.Op.Key)
	}
}

// speak sends what a stack has to say to the books now.
func (r *run) speak(core uint32) {
	l := r.shared
	if at, ok := l.members[core].Due(); !ok || at > r.now {
		return
	}
	if msg, ok := l.members[core].Begin(r.now); ok {
		l.message[core] = *msg
		r.queue.push(r.now+l.half, evStore, core, 0)
	}
}

// converse takes a message, an answer or a call to its end.
func (r *run) converse(k kind, core uint32) {
	l := r.shared
	switch k {
	case evStore:
		l.reply[core] = l.books.Exchange(l.message[core])
		for _, name := range l.reply[core].Wake {
			if i, err := strconv.Atoi(name[len(name)-5:]); err == nil {
				r.queue.push(r.now+l.half, evWoken, uint32(i), 0)
			}
		}
		r.queue.push(r.now+l.half, evAnswer, core, 0)
		return
	case evAnswer:
		l.members[core].Heard(r.now, &l.reply[core])
		if t := l.members[core].Told(); t.Heard || t.News != nil {
			r.cores[core].Told(r.now, t)
			r.drain(core)
			return
		}
	case evWoken:
		l.members[core].Wake()
	}
	r.rearm(core)
}

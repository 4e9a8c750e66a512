package stack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/seed-4fd17b57/simload/stack/fleet"
)

// FleetStore is where the books of a fleet are kept: redisstore.Store, or a [MemoryFleet] within one process.
type FleetStore interface {
	// Exchange tells the books a message and returns their answer. After an error nobody knows whether they have heard
	// it: it is said again.
	Exchange(ctx context.Context, m *fleet.Message) (fleet.Reply, error)
	// Listen calls wake whenever the books have something for a member, until ctx is done.
	Listen(ctx context.Context, member string, wake func()) error
}

// FleetConfig says with whom a client shares its limits, and how. All of a fleet must have the same targets, keys, quotas, budgets,
// reserves, concurrency and lease: who comes with others is turned away.
type FleetConfig struct {
	Store FleetStore
	// Lease is how long the slots and the places of a process last that is not heard any more. 1 s to 10 min, default
	// 15 s. Shorter: a pause of the process costs it its places. Longer: what a dead process held is missing for longer.
	Lease time.Duration
	// Open goes on while the store is gone, on books of this process's own: with an equal share of every limit (at least 1 of each),
	// by the number of processes that were alive when it was heard last, or by Processes if that is larger. A request larger
	// than the share of a limit waits. Off (the default): nothing is sent until the store is back, and requests end as
	// Queue.MaxWait has it. Off: an outage of the store is one of the fleet. On: processes that start meanwhile know of
	// no others. A process that is turned away for its configuration does not go alone: the fleet is there, and its limits are in use.
	Open bool
	// Processes is how many share the limits at most, as far as known; 0: as many as the store has seen.
	Processes int
	// Timeout is how long an answer of the store is waited for; default 1 s.
	Timeout time.Duration
	// Name of this process, unique in the fleet, up to 64 characters without spaces, colons and bars; "" (the default): a random one.
	Name string
}

func (f *FleetConfig) check(k *checker) {
	switch {
	case f == nil:
		return
	case f.Store == nil:
		k.failf("fleet without a store")
	}
	if f.Lease != 0 {
		within(k, "lease", f.Lease, time.Second, 10*time.Minute)
	}
	if len(f.Name) > 64 || strings.ContainsAny(f.Name, " :|\r\n") {
		k.failf("name in the fleet is %q (allowed: up to 64 characters, no spaces, colons or bars)", f.Name)
	}
	within(k, "processes of the fleet", f.Processes, 0, 1_000_000)
	within(k, "timeout of the fleet's store", f.Timeout, 0, time.Minute)
}

// fleetLink carries a client's messages to the fleet's store. One goroutine says when, one carries, and one listens; the
// member is guarded by the client's lock.
type fleetLink struct {
	client  *Client
	store   FleetStore
	member  *fleet.Member
	timeout time.Duration
	kick    chan struct{} // there is something to be said
	carry   chan *fleet.Message
	answers chan carried
	stop    context.CancelFunc
	busy    sync.WaitGroup
	gone    bool // the store did not answer last
	other   bool // it is another fleet's
}

// carried is what came of a message.
type carried struct {
	reply fleet.Reply
	err   error
}

// join makes the client a member of its fleet.
func (c *Client) join(f *FleetConfig) error {
	books := c.cfg.Stack.Fleet()
	if f.Lease > 0 {
		books.Lease = f.Lease
	}
	own := fleet.MemberConfig{
		Name: f.Name, Open: f.Open, Processes: f.Processes, Offset: time.Duration(c.origin.UnixMicro()) * fleet.Grain,
	}
	if own.Name == "" {
		own.Name = fmt.Sprintf("%016x", rand.Uint64())
	}
	m, err := fleet.NewMember(books, own)
	if err != nil {
		return fmt.Errorf("joining the fleet: %w", err)
	}
	l := &fleetLink{
		client: c, store: f.Store, member: m, timeout: f.Timeout, kick: make(chan struct{}, 1),
		carry: make(chan *fleet.Message, 1), answers: make(chan carried, 1),
	}
	if l.timeout == 0 {
		l.timeout = time.Second
	}
	c.fleet = l
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.busy.Go(func() { l.listen(ctx) })
	l.busy.Go(l.carryAll)
	l.busy.Go(func() {
		l.run(ctx)
		close(l.carry)
	})
	return nil
}

// FleetState says how a client stands with its fleet.
type FleetState struct {
	Members int  // processes that were alive when the store was heard last, this one included
	Gone    bool // the store did not answer last
}

// Fleet returns how the client stands with its fleet; zero where it has none.
func (c *Client) Fleet() FleetState {
	if c.fleet == nil {
		return FleetState{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	gone, _ := c.fleet.member.Gone()
	return FleetState{Members: c.fleet.member.Members(), Gone: gone}
}

// pass hands an effect to the member, under the client's lock.
func (l *fleetLink) pass(e *Effect) {
	switch e.Kind {
	case EffectAsk:
		l.member.Ask(*e.Op)
	case EffectWithdraw:
		l.member.Withdraw(e.Op.ID)
	case EffectSettle:
		l.member.Settle(l.client.core.now, *e.Op)
	case EffectKill:
		l.member.Kill(e.Op.Key)
	}
}

// nudge has the member speak if it has something to say, under the client's lock.
func (l *fleetLink) nudge() {
	if at, ok := l.member.Due(); ok && at <= l.client.now() {
		select {
		case l.kick <- struct{}{}:
		default:
		}
	}
}

// run has the member speak whenever it is due.
func (l *fleetLink) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wait := l.speak()
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-l.kick:
		case a := <-l.answers:
			l.hear(&a)
		}
	}
}

// speak gives the carrier what is to be said, and returns how long there is nothing else.
func (l *fleetLink) speak() time.Duration {
	c := l.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if msg, ok := l.member.Begin(c.now()); ok {
		l.carry <- msg
	}
	l.told()
	at, ok := l.member.Due()
	if !ok {
		return time.Hour
	}
	return max(0, min(time.Hour, at-c.now()))
}

// hear takes an answer.
func (l *fleetLink) hear(a *carried) {
	c := l.client
	c.mu.Lock()
	if a.err != nil {
		l.member.Failed(c.now())
	} else {
		l.member.Heard(c.now(), &a.reply)
	}
	l.told()
	gone, other := l.member.Gone()
	c.mu.Unlock()
	if gone != l.gone || other != l.other {
		l.gone, l.other = gone, other
		c.logFleet(gone, other, a.err)
	}
}

// told hands what the member has heard to the core, under the client's lock.
func (l *fleetLink) told() {
	t := l.member.Told()
	if t.Heard || t.News != nil {
		l.client.tell(Input{Kind: InputTold, Told: t})
		l.client.drain()
	}
}

// carryAll carries messages, one at a time.
func (l *fleetLink) carryAll() {
	for msg := range l.carry {
		var a carried
		limit, cancel := context.WithTimeout(context.Background(), l.timeout)
		a.reply, a.err = l.store.Exchange(limit, msg)
		cancel()
		l.answers <- a
	}
}

// listen has the member fetch what the store says there is.
func (l *fleetLink) listen(ctx context.Context) {
	for ctx.Err() == nil {
		_ = l.store.Listen(ctx, l.member.Name(), func() {
			l.client.mu.Lock()
			l.member.Wake()
			l.nudge()
			l.client.mu.Unlock()
		})
		select { // without it the member still asks, if less often
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// leave says good-bye, so that what the client held is free at once. A store that is gone is left without a word.
func (l *fleetLink) leave() {
	l.stop()
	l.busy.Wait()
	select {
	case a := <-l.answers:
		l.hear(&a)
	default:
	}
	c := l.client
	c.mu.Lock()
	gone, _ := l.member.Gone()
	msg := l.member.Leave(c.now())
	c.mu.Unlock()
	if !gone {
		ctx, cancel := context.WithTimeout(context.Background(), l.timeout)
		defer cancel()
		_, _ = l.store.Exchange(ctx, msg)
	}
}

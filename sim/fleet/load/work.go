package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// WorkerConfig says what a worker is.
type WorkerConfig struct {
	Name    string // told apart by it
	Version string // of the program: only runs of the same version are taken
	// Allowed says what is wrong with load on a URL, nil if nothing is.
	Allowed func(url string) error
	// Secret returns the key of a target.
	Secret func() (stack.Secret, error)
	// Alone is held while a share is prepared and carried: nothing else is to run in this process meanwhile. Prepare is called
	// first. nil: they are not needed.
	Alone   sync.Locker
	Prepare func()
	// Clock is the machine's clock; nil: time.Now. Tests set it wrong.
	Clock func() time.Time
	Set   Settings
	Log   func(string) // told what a user should know; called by several goroutines
}

// worker takes one share after the other.
type worker struct {
	WorkerConfig
	names
	bus     *bus.Bus
	refused map[string]bool // runs that were refused
}

// Work takes shares until ctx ends; one that is under way is ended then, and what it has measured is handed in. The error is one that a
// server or the caller has to mend: a server that is away is waited for.
func Work(ctx context.Context, b *bus.Bus, c WorkerConfig) error {
	c.Set = c.Set.withDefaults()
	if c.Clock == nil {
		c.Clock = time.Now
	}
	w := &worker{WorkerConfig: c, names: names{b.Namespace}, bus: b, refused: make(map[string]bool)}
	offers := make(chan *nats.Msg, heardMax)
	sub, err := b.Conn.ChanSubscribe(w.offers(), offers)
	if err != nil {
		return fmt.Errorf("listening for load: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	for {
		select {
		case m := <-offers:
			var o offer
			if json.Unmarshal(m.Data, &o) == nil {
				w.consider(ctx, &o)
			}
			for len(offers) > 0 { // they were made meanwhile, and are made again
				<-offers
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// consider takes part in a run, or says why not.
func (w *worker) consider(ctx context.Context, o *offer) {
	if bus.Token(o.Run) != o.Run || w.refused[o.Run] {
		return
	}
	refusal := ""
	if o.Version != w.Version {
		refusal = "it is of version " + w.Version + ", the run of " + o.Version
	} else if err := w.Allowed(o.URL); err != nil {
		refusal = err.Error()
	}
	a, err := w.claim(ctx, o, refusal)
	switch {
	case err != nil: // it is offered again
	case refusal != "":
		w.refused[o.Run] = true
		w.Log("takes no part in the load of " + o.Name + ": " + refusal)
	case a.Share >= 0:
		w.Log(fmt.Sprintf("share %d of %d of the load of %s", a.Share+1, a.Of, o.Name))
		h := &hand{worker: w, run: o.Run, a: a, begun: time.Now()}
		w.Log(h.carry(ctx))
	}
}

func (w *worker) claim(ctx context.Context, o *offer, refusal string) (a assignment, err error) {
	data, err := json.Marshal(claim{Worker: w.Name, Refusal: refusal})
	if err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	m, err := w.bus.Conn.RequestWithContext(ctx, w.claims(o.Run), data)
	if err == nil {
		err = json.Unmarshal(m.Data, &a)
	}
	return a, err
}

// hand carries one share.
type hand struct {
	*worker
	run      string
	a        assignment
	begun    time.Time
	stop     atomic.Bool // the share is to end
	start    chan int64  // the order to start, once
	mu       sync.Mutex
	follower *Follower
}

func (h *hand) now() time.Duration { return time.Since(h.begun) }

// follow does something with the view of the leader.
func (h *hand) follow(f func(*Follower)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f(h.follower)
}

// why says why the share has to end; "": it may go on.
func (h *hand) why() (stop string) {
	h.follow(func(f *Follower) { stop = f.Stop(h.now()) })
	return stop
}

func (h *hand) orphaned() (yes bool) {
	h.follow(func(f *Follower) { yes = f.Orphaned(h.now()) })
	return yes
}

// carry carries the share to its end, and says how that was.
func (h *hand) carry(ctx context.Context) string {
	h.start = make(chan int64, 1)
	h.follower = NewFollower(h.Set, 0)
	end, err := h.listen()
	if err != nil {
		return "cannot listen to the leader: " + err.Error()
	}
	defer end()
	life, over := context.WithCancel(context.Background())
	var signs sync.WaitGroup
	signs.Go(func() { h.beat(life) })
	signs.Go(func() { h.watch(ctx, life) })
	defer signs.Wait()
	defer over()
	if h.Alone != nil {
		h.Alone.Lock() // waits for what is under way
		defer h.Alone.Unlock()
	}
	if err := h.share(ctx); err != nil {
		var wrong scenario.Errors
		var divided *sim.ShareError
		var bad *badStart
		usage := errors.As(err, &wrong) || errors.As(err, &divided) || errors.As(err, &bad)
		h.tell(&word{Problem: &problem{err.Error(), usage}})
		return "the share failed: " + err.Error()
	}
	if why := h.why(); why != "" {
		return "the share ended: " + why
	}
	return "the share is done"
}

// badStart is wrong with how this worker was started.
type badStart struct{ error }

// listen follows the leader's signs of life and orders.
func (h *hand) listen() (end func(), err error) {
	var subs []*nats.Subscription
	end = func() {
		for _, s := range subs {
			_ = s.Unsubscribe()
		}
	}
	for subject, f := range map[string]nats.MsgHandler{h.pulses(h.run): h.pulse, h.orders(h.run, h.a.Share): h.obey} {
		sub, err := h.bus.Conn.Subscribe(subject, f)
		if err != nil {
			end()
			return nil, err
		}
		subs = append(subs, sub)
	}
	return end, nil
}

func (h *hand) pulse(m *nats.Msg) {
	var p pulse
	if json.Unmarshal(m.Data, &p) == nil {
		h.follow(func(f *Follower) {
			f.Pulse(h.now(), p.Stop)
			if p.Over {
				f.Over()
			}
		})
	}
}

// obey answers an order at once.
func (h *hand) obey(m *nats.Msg) {
	clock := h.Clock().UnixNano()
	var o order
	if json.Unmarshal(m.Data, &o) != nil {
		return
	}
	if o.Start != 0 {
		select {
		case h.start <- o.Start:
		default: // it came twice
		}
	}
	respond(m, obeyed{Clock: clock})
}

// beat gives signs of life. It has a goroutine of its own, lest a share that is busy looks as if it were dead.
func (h *hand) beat(life context.Context) {
	every := time.NewTicker(h.Set.Beat)
	defer every.Stop()
	late := time.Duration(0)
	for seq := int64(0); ; seq++ {
		if data, err := json.Marshal(Beat{Worker: h.Name, Share: h.a.Share, Seq: seq, LateMS: late.Milliseconds()}); err == nil {
			_ = h.bus.Conn.Publish(h.beats(h.run), data)
		}
		select {
		case due := <-every.C:
			late = time.Since(due)
		case <-life.Done():
			return
		}
	}
}

// watch ends the share when it has to end.
func (h *hand) watch(ctx, life context.Context) {
	every := time.NewTicker(look)
	defer every.Stop()
	interrupted := ctx.Done()
	for {
		select {
		case <-every.C:
		case <-interrupted:
			interrupted = nil
			h.follow(func(f *Follower) { f.Dropped("the worker was told to end") })
		case <-life.Done():
			return
		}
		if h.why() != "" {
			h.stop.Store(true)
		}
	}
}

// tell says something to the leader until it is heard, or nobody is there to hear it.
func (h *hand) tell(w *word) {
	w.Worker, w.Share = h.Name, h.a.Share
	data, err := json.Marshal(w)
	if err != nil {
		return
	}
	for !h.orphaned() {
		m, err := h.bus.Conn.Request(h.words(h.run), data, answer)
		if err != nil {
			time.Sleep(look) // no responders are said at once
			continue
		}
		var a heard
		if json.Unmarshal(m.Data, &a) == nil && a.Gone != "" {
			h.follow(func(f *Follower) { f.Dropped(a.Gone) })
		}
		return
	}
}

// share prepares and carries the share.
func (h *hand) share(ctx context.Context) error {
	results, err := h.bus.Store(ctx, store)
	if err != nil {
		return err
	}
	told := make(chan *word, 1<<12)
	s, err := h.prepare(ctx, results, told)
	if err != nil {
		return err
	}
	h.tell(&word{Ready: &ready{Agents: s.Agents()}})
	origin, ok := h.await()
	if !ok {
		return s.Close()
	}
	var teller sync.WaitGroup
	teller.Go(func() {
		for w := range told {
			h.tell(w)
		}
	})
	part, err := s.Run(origin)
	close(told)
	teller.Wait()
	if err != nil {
		return err
	}
	return h.handIn(results, part)
}

// prepare makes the share from what the leader wrote. What it will have to say goes to told.
func (h *hand) prepare(ctx context.Context, results *bus.Store, told chan<- *word) (*sim.Share, error) {
	data, err := results.Blob(ctx, h.a.Brief)
	if err != nil {
		return nil, err
	}
	var b Brief
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, fmt.Errorf("reading the brief: %w", err)
	}
	if b.Schema != BriefSchema || b.Run != h.run || b.Version != h.Version {
		return nil, fmt.Errorf("the brief is of another run: %s, version %s", b.Schema, b.Version)
	}
	o := sim.ShareOptions{
		Part: workload.Share{Index: h.a.Share, Count: h.a.Of}, Mock: b.Mock, Stop: &h.stop, Every: time.Duration(b.Beat),
		Tell: func(iv sim.Interval) { told <- &word{Interval: &iv} },
		Begin: func() {
			now := h.Clock()
			told <- &word{Begun: &begun{Clock: now.UnixNano()}}
			h.Log("the load begins, at " + now.Format(time.RFC3339Nano) + " by this clock")
		},
	}
	at := b.Mock
	if at == "" {
		at = b.Target
		o.Wall.Target = b.Target
		if o.Wall.Secret, err = h.Secret(); err != nil {
			return nil, &badStart{err}
		}
	}
	if err := h.Allowed(at); err != nil { // whatever the offer said
		return nil, &badStart{err}
	}
	sc, err := b.Unload(ctx, results)
	if err != nil {
		return nil, err
	}
	if h.Prepare != nil {
		h.Prepare()
	}
	return sim.NewShare(sc, b.Task, o)
}

// await waits for the order to start, and returns the instant; false: there will be none.
func (h *hand) await() (origin time.Time, ok bool) {
	every := time.NewTicker(look)
	defer every.Stop()
	for {
		select {
		case at := <-h.start:
			now := time.Now()
			return now.Add(time.Duration(at - h.Clock().UnixNano())), true // by the monotonic clock from here on
		case <-every.C:
			if h.why() != "" {
				return time.Time{}, false
			}
		}
	}
}

// handIn writes what was recorded to the store and says so.
func (h *hand) handIn(results *bus.Store, p *sim.SharePart) error {
	data, err := p.Recorder.FreezeShare()
	if err != nil {
		return err
	}
	f := &Final{
		Counts: p.Recorder.ShareCounts(), Requests: p.Requests, Events: p.Events, SimulatedNS: int64(p.Simulated), Harness: p.Harness,
		Stopped: h.why(),
	}
	if h.orphaned() {
		return nil // there is nobody to hand it in to
	}
	if f.Result, err = results.PutBlob(context.Background(), data); err != nil { // by a worker that is to end, too
		return err
	}
	h.tell(&word{Final: f})
	return nil
}

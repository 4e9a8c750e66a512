package load

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

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
		h.tell(&word{Problem: &problem{err.Error(), mendable(err)}})
		return "the share failed: " + err.Error()
	}
	if why := h.why(); why != "" {
		return "the share ended: " + why
	}
	return "the share is done"
}

// mendable reports whether the scenario, or how somebody was started, is at fault.
func mendable(err error) bool {
	var wrong scenario.Errors
	var divided *sim.ShareError
	var trace *sim.TraceError
	var books *sim.StoreError
	var bad *badStart
	return errors.As(err, &wrong) || errors.As(err, &divided) || errors.As(err, &trace) || errors.As(err, &books) || errors.As(err, &bad)
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
		if data, err := json.Marshal(Beat{ID: h.id, Share: h.a.Share, Seq: seq, LateMS: late.Milliseconds()}); err == nil {
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
	w.ID, w.Share = h.id, h.a.Share
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

package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/workload"
)

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
	o.Wall.Redis, o.Wall.RedisPassword, o.Wall.Run, o.Books = b.Redis, h.RedisPassword, b.Run, h.books
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

// books looks at the store of shared limits that the run names: whoever submits a run is to get neither this worker's password nor its
// files, nor have it connect where its owner does not want it to.
func (w *worker) books(b *scenario.SharedBooks) error {
	u, err := url.Parse(b.Redis)
	if err != nil || u.Host == "" {
		return &badStart{errors.New("the Redis server of a run by workers has to be redis://HOST:PORT/DB, or rediss:// for TLS")}
	}
	if err := w.Allowed(b.Redis); err != nil {
		return &badStart{fmt.Errorf("the Redis server of shared limits: %w", err)}
	}
	if b.CAFile != "" && w.RedisCA == "" {
		return &badStart{errors.New("stack.shared.ca names a file, and a worker reads none that a run names (start it with a file of its own: --redis-ca)")}
	}
	if b.CAFile != "" || u.Scheme == "rediss" {
		b.CAFile = w.RedisCA
	}
	return nil
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

package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

const (
	fetchWait = time.Second            // of a request for a task, and so of a worker that is to end
	pauseWait = 250 * time.Millisecond // after a request that failed
	nakWait   = time.Second            // before a task that could not be begun is given to somebody
	mendWait  = 5 * time.Second        // between looks whether the server still has what is needed
	otherEach = 5                      // signs of life between looks for tasks of other versions
)

// WorkerConfig says what a worker is.
type WorkerConfig struct {
	Name    string // told apart by it; names of machines and numbers of processes are good ones
	Version string // of the program, with whatever results depend on: only tasks of the same version are taken
	Jobs    int    // tasks at a time; 0: as many as there are processors
	Set     Settings
	Log     func(string) // told what a user should know; called by several goroutines
	// Beside, if it is not nil, is held for reading while a task is taken and carried out, so that somebody who wants the processor for
	// himself can wait for it.
	Beside *sync.RWMutex
}

// worker carries out tasks.
type worker struct {
	WorkerConfig
	names
	bus    *bus.Bus
	store  *bus.Store
	stream jetstream.Stream
	jobs   jobs
	stop   atomic.Bool // runs under way are to end

	door   sync.Mutex
	source jetstream.Consumer
	opened time.Time

	waiting atomic.Int32 // slots that somebody beside keeps from taking a task

	mu      sync.Mutex
	running []string // SWEEP.TASK
	done    int64
}

// Work takes tasks until ctx ends, then hands back what it has not finished, and returns nil. The error is one that a server or
// the caller has to mend: a server that is away is waited for.
func Work(ctx context.Context, b *bus.Bus, c WorkerConfig) error {
	c.Set = c.Set.withDefaults()
	if c.Jobs == 0 {
		c.Jobs = runtime.NumCPU()
	}
	w := &worker{WorkerConfig: c, names: names{b.Namespace}, bus: b}
	if err := w.open(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer context.AfterFunc(ctx, func() { w.stop.Store(true) })()
	var slots, signs sync.WaitGroup
	over, end := context.WithCancel(context.Background())
	signs.Go(func() { w.beatUntil(over) })
	for range c.Jobs {
		slots.Go(func() {
			for ctx.Err() == nil {
				w.take(ctx)
			}
		})
	}
	slots.Wait()
	end()
	signs.Wait()
	return nil
}

// open finds or makes what the worker needs of the server.
func (w *worker) open(ctx context.Context) (err error) {
	if w.stream, err = queue(ctx, w.bus); err != nil {
		return err
	}
	if w.store, err = w.bus.Store(ctx, sweepsStore); err != nil {
		return err
	}
	w.jobs.load = w.load
	return w.join(ctx)
}

// join finds or makes the consumer that the workers of the version share.
func (w *worker) join(ctx context.Context) error {
	c, err := w.bus.Consumer(ctx, tasksStream, jetstream.ConsumerConfig{
		Durable: consumer(w.Version), FilterSubject: w.ofVersion(w.Version), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: w.Set.AckWait, MaxDeliver: w.Set.MaxDeliver, MaxAckPending: 1 << 16, MaxWaiting: 1 << 14,
	})
	w.source, w.opened = c, time.Now()
	return err
}

// mend makes again what a server has lost, if it has: it may have been started on another store. Not too often, and for all
// slots at once.
func (w *worker) mend(ctx context.Context) {
	w.door.Lock()
	defer w.door.Unlock()
	if time.Since(w.opened) < mendWait {
		return
	}
	w.opened = time.Now()
	_, err := queue(ctx, w.bus)
	if err == nil {
		_, err = w.bus.Store(ctx, sweepsStore)
	}
	if err == nil {
		err = w.join(ctx)
	}
	if err != nil && ctx.Err() == nil {
		w.Log(err.Error())
	}
}

// queueOf is where tasks come from.
func (w *worker) queueOf() jetstream.Consumer {
	w.door.Lock()
	defer w.door.Unlock()
	return w.source
}

// beatUntil gives signs of life, the last one when ctx ends.
func (w *worker) beatUntil(ctx context.Context) {
	every := time.NewTicker(w.Set.Beat)
	defer every.Stop()
	told := make(map[string]bool) // versions; asked, never walked
	for n := 1; ; n++ {
		w.mu.Lock()
		b := Beat{Worker: w.Name, Version: w.Version, Jobs: w.Jobs, Running: slices.Clone(w.running), Done: w.done, Held: w.waiting.Load() > 0, Leaving: ctx.Err() != nil}
		w.mu.Unlock()
		if data, err := json.Marshal(b); err == nil {
			_ = w.bus.Conn.Publish(w.beat(w.Name), data) // who misses one hears the next
		}
		if b.Leaving {
			_ = w.bus.Conn.FlushTimeout(w.Set.Beat)
			return
		}
		if n%otherEach == 0 {
			w.others(ctx, told)
		}
		select {
		case <-every.C:
		case <-ctx.Done():
		}
	}
}

// others says, once for each version, that tasks wait for workers of another one.
func (w *worker) others(ctx context.Context, told map[string]bool) {
	_ = w.bus.Call(ctx, "looking at the queue", func(ctx context.Context) error { // asked again soon
		info, err := w.stream.Info(ctx, jetstream.WithSubjectFilter(w.tasks()))
		if err != nil {
			return err
		}
		for _, text := range w.foreign(info.State.Subjects, told) {
			w.Log(text)
		}
		return nil
	})
}

// take asks for one task and carries it out. One at a time and no prefetch: a task that waits in a worker's memory would be
// delivered to another one after AckWait.
func (w *worker) take(ctx context.Context) {
	if w.Beside != nil {
		w.waiting.Add(1)
		w.Beside.RLock()
		w.waiting.Add(-1)
		defer w.Beside.RUnlock()
	}
	batch, err := w.queueOf().Fetch(1, jetstream.FetchMaxWait(fetchWait))
	if err == nil {
		for m := range batch.Messages() {
			w.carryOut(ctx, m)
		}
		err = batch.Error()
	}
	if err == nil || errors.Is(err, jetstream.ErrNoMessages) || ctx.Err() != nil {
		return
	}
	// No heartbeat, no leader, a server that restarts: all pass, and so a worker goes on.
	select {
	case <-time.After(pauseWait):
	case <-ctx.Done():
	}
	w.mend(ctx)
}

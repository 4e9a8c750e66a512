package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
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
		b := Beat{Worker: w.Name, Version: w.Version, Jobs: w.Jobs, Running: slices.Clone(w.running), Done: w.done, Leaving: ctx.Err() != nil}
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
		w.Beside.RLock()
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

// carryOut does what a message asks for, and says so to the server.
func (w *worker) carryOut(ctx context.Context, m jetstream.Msg) {
	var t Task
	err := json.Unmarshal(m.Data(), &t)
	if err == nil {
		err = t.check()
	}
	if err != nil {
		w.Log("a message that is no task: " + err.Error())
		_ = m.TermWithReason("not a task")
		return
	}
	if t.Version != w.Version { // a collision of subjects
		_ = m.NakWithDelay(w.Set.AckWait)
		return
	}
	deliveries := 1
	if md, err := m.Metadata(); err == nil {
		deliveries = int(md.NumDelivered)
	}
	if !w.begin(&t) {
		_ = m.NakWithDelay(nakWait) // this worker is at it, on another message
		return
	}
	defer w.end(&t)
	beating, silent := context.WithCancel(context.Background())
	defer silent()
	go w.keep(beating, m)
	w.settle(ctx, m, &t, w.finish(ctx, &t, deliveries))
}

// keep tells the server that a task is worked at.
func (w *worker) keep(ctx context.Context, m jetstream.Msg) {
	every := time.NewTicker(w.Set.AckWait / 3)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			_ = m.InProgress() // who misses one gets the next
		case <-ctx.Done():
			return
		}
	}
}

// begin notes that a task is worked at; false if it is already.
func (w *worker) begin(t *Task) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains(w.running, t.key()) {
		return false
	}
	w.running = append(w.running, t.key())
	return true
}

func (w *worker) end(t *Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = slices.DeleteFunc(w.running, func(k string) bool { return k == t.key() })
}

// finish makes the result of a task, unless it is there. It returns nil when it is there now.
func (w *worker) finish(ctx context.Context, t *Task, deliveries int) error {
	if _, err := w.store.Get(ctx, t.key()); !errors.Is(err, bus.ErrNotFound) {
		return err
	}
	run, err := w.jobs.get(ctx, t.Job)
	if err != nil {
		return fmt.Errorf("opening the sweep: %w", err)
	}
	data, err := w.run(run, t)
	if err != nil {
		return err
	}
	r := result{Worker: w.Name, Deliveries: deliveries, data: data}
	value, err := r.encode()
	if err != nil {
		return err
	}
	err = w.store.Create(context.WithoutCancel(ctx), t.key(), value) // made is made, even by a worker that is to end
	if errors.Is(err, bus.ErrExists) {
		return nil // the same, by another worker
	}
	if err == nil {
		w.mu.Lock()
		w.done++
		w.mu.Unlock()
	}
	return err
}

// run carries out a unit. What goes wrong in it is a *fault.
func (w *worker) run(run runner, t *Task) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &fault{fmt.Errorf("internal error: %v\n%s", p, debug.Stack()), false}
		}
	}()
	data, err = run(t.Unit, &w.stop)
	if err != nil && !errors.Is(err, ErrStopped) {
		err = &fault{err, usage(err)}
	}
	return data, err
}

// settle answers the server: done, failed for good, or to be given to somebody else.
func (w *worker) settle(ctx context.Context, m jetstream.Msg, t *Task, err error) {
	var bad *fault
	switch {
	case err == nil:
		err = w.bus.Call(context.Background(), "", m.DoubleAck)
		if err != nil { // it comes again, and its result is found
			w.Log("task " + t.Name + " is done, which the server did not confirm: " + err.Error())
		}
	case errors.As(err, &bad):
		data, merr := json.Marshal(failure{Task: t.ID, Name: t.Name, Worker: w.Name, Problem: bad.Error(), Usage: bad.usage})
		if merr == nil {
			_ = w.bus.Conn.Publish(w.failed(sweepID(t.Job)), data) // a submitter that misses it publishes the task again
		}
		w.Log("task " + t.Name + " failed: " + bad.Error())
		_ = m.TermWithReason("failed")
	case errors.Is(err, ErrStopped), ctx.Err() != nil:
		_ = m.Nak() // handed back
	default:
		w.Log("task " + t.Name + " is handed back: " + err.Error())
		_ = m.NakWithDelay(nakWait)
	}
}

// load opens the job with a hash, as the server has it: no file of this machine is read.
func (w *worker) load(ctx context.Context, hash string) (runner, error) {
	data, err := w.store.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	var j Job
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("reading the job: %w", err)
	}
	if j.Schema != JobSchema || j.Version != w.Version {
		return nil, fmt.Errorf("the job is of %s, version %s", j.Schema, j.Version)
	}
	sc, err := j.Unload(ctx, w.store)
	var wrong scenario.Errors
	if errors.As(err, &wrong) {
		return failing(err), nil
	}
	if err != nil {
		return nil, err
	}
	return j.runner(sc), nil
}

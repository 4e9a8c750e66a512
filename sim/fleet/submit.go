package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// ErrStopped says that the caller stopped a sweep.
var ErrStopped = errors.New("interrupted")

const (
	tick        = 100 * time.Millisecond // between looks at the clock and the stop flag
	publishMany = 256                    // tasks published before their acknowledgements are waited for
	heardMax    = 4096                   // messages that wait to be looked at
	lackingWait = 3 * time.Second        // before it is said that no worker is there
)

// Sweep is a sweep that was submitted. Its methods are for one goroutine, but for [Sweep.Note].
type Sweep struct {
	ID string

	names
	bus    *bus.Bus
	store  *bus.Store
	job    Job
	hash   string // of the job
	set    Settings
	log    func(string)
	begun  time.Time
	stream jetstream.Stream

	book     *Book
	roster   *Roster
	tasks    map[string]*Task  // of the book, by id
	have     map[string]result // that came before somebody asked for them, by id
	by       map[string]int    // results by worker
	watch    jetstream.KeyWatcher
	failures chan *nats.Msg
	advice   chan *nats.Msg
	beats    chan *nats.Msg
	subs     []*nats.Subscription
	doubtful []doubt // what the server gave up
	looked   time.Duration
	queued   int
	lacking  string // what was last said about workers

	mu   sync.Mutex
	note string
}

// Submit opens a sweep: the job's Version, Kind and Options are the caller's, the rest is the scenario's, which goes to the server with
// its traces. Log is told what a user should know. It fails as [bus.Bus] does, and if a trace cannot be read.
func Submit(ctx context.Context, b *bus.Bus, job Job, sc *scenario.Scenario, set Settings, log func(string)) (*Sweep, error) {
	w := &Sweep{
		names: names{b.Namespace}, bus: b, job: job, set: set.withDefaults(), log: log, begun: time.Now(),
		tasks: make(map[string]*Task), have: make(map[string]result), by: make(map[string]int), queued: -1,
		failures: make(chan *nats.Msg, heardMax), advice: make(chan *nats.Msg, heardMax), beats: make(chan *nats.Msg, heardMax),
	}
	w.book, w.roster = NewBook(w.set), NewRoster(w.set)
	var err error
	if w.stream, err = queue(ctx, b); err != nil {
		return nil, err
	}
	if w.store, err = b.Store(ctx, sweepsStore); err != nil {
		return nil, err
	}
	if err := w.carry(ctx, sc); err != nil {
		return nil, err
	}
	if err := w.listen(ctx); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// queue makes the work queue, or finds it.
func queue(ctx context.Context, b *bus.Bus) (jetstream.Stream, error) {
	return b.Stream(ctx, jetstream.StreamConfig{
		Name: tasksStream, Subjects: []string{names{b.Namespace}.tasks()}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.FileStorage, Duplicates: 10 * time.Minute,
	})
}

// carry writes the scenario and the content of its traces to the server, and the job, which names them by hash.
func (w *Sweep) carry(ctx context.Context, sc *scenario.Scenario) (err error) {
	w.job.Schema = JobSchema
	if w.job.Cargo, err = Load(ctx, w.store, sc); err != nil {
		return err
	}
	data, err := json.Marshal(w.job)
	if err != nil {
		return fmt.Errorf("writing the job: %w", err)
	}
	w.hash, err = w.store.PutBlob(ctx, data)
	w.ID = sweepID(w.hash)
	return err
}

// listen subscribes to everything that is said about the sweep.
func (w *Sweep) listen(ctx context.Context) error {
	for subject, ch := range map[string]chan *nats.Msg{
		w.failed(w.ID): w.failures, w.givenUp(w.job.Version): w.advice, w.signs(): w.beats,
	} {
		sub, err := w.bus.Conn.ChanSubscribe(subject, ch)
		if err != nil {
			return fmt.Errorf("listening: %w", err)
		}
		w.subs = append(w.subs, sub)
	}
	watch, err := w.store.Watch(ctx, w.ID)
	w.watch = watch
	return err
}

func (w *Sweep) now() time.Duration { return time.Since(w.begun) }

// Unit is what a task does, in words that are JSON, and its name for people.
type Unit struct {
	Name string
	Work any
}

// Do has units carried out and tells the result of each, in whatever order, but never two at once. It returns
// when there are results of all, at once with [ErrStopped] when stop is set (nil: never), and at once with a [*TaskError]
// when one failed.
func (w *Sweep) Do(ctx context.Context, units []Unit, stop *atomic.Bool, done func(i int, data []byte)) error {
	index, err := w.enter(units)
	if err != nil {
		return err
	}
	tell := func(id string, r result) {
		if i, ok := index[id]; ok && w.book.Done(w.now(), id, r.Deliveries) {
			delete(w.tasks, id)
			w.by[r.Worker]++
			done(i, r.data)
		}
	}
	for id := range index {
		if r, ok := w.have[id]; ok { // in any order: done is told of i
			delete(w.have, id)
			tell(id, r)
		}
	}
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for w.book.Counts().Open() > 0 {
		select {
		case e, ok := <-w.watch.Updates():
			err = w.arrived(ctx, e, ok, tell)
		case m := <-w.failures:
			err = w.failedTask(m)
		case m := <-w.advice:
			err = w.gaveUp(ctx, m)
		case m := <-w.beats:
			w.heard(m)
		case <-clock.C:
			if stop != nil && stop.Load() {
				err = ErrStopped
				break
			}
			err = w.attend(ctx, tell)
		case <-ctx.Done():
			err = ErrStopped
		}
		if err != nil {
			return err
		}
	}
	w.say()
	return nil
}

// enter puts units into the book. Equal units are one task, and an error: each has its own result to be told.
func (w *Sweep) enter(units []Unit) (map[string]int, error) {
	index := make(map[string]int, len(units))
	for i, u := range units {
		data, err := json.Marshal(u.Work)
		if err != nil {
			return nil, fmt.Errorf("writing a task: %w", err)
		}
		id := taskID(data)
		if _, twice := index[id]; twice {
			return nil, fmt.Errorf("task %s is there twice", u.Name)
		}
		index[id] = i
		w.tasks[id] = &Task{Job: w.hash, Version: w.job.Version, ID: id, Name: u.Name, Unit: data}
		w.book.Add(id)
	}
	return index, nil
}

// arrived takes what the watch says: a result, or that all results that there were have been told.
func (w *Sweep) arrived(ctx context.Context, e jetstream.KeyValueEntry, ok bool, tell func(string, result)) error {
	switch {
	case !ok: // the watch ended: begin it again
		watch, err := w.store.Watch(ctx, w.ID)
		if err != nil {
			return err
		}
		w.watch = watch
		return nil
	case e == nil:
		return nil
	}
	value, err := w.store.Unpack(ctx, e.Value())
	if err != nil {
		return fmt.Errorf("reading the result %s: %w", e.Key(), err)
	}
	r, err := decodeResult(value)
	if err != nil {
		return err
	}
	id := e.Key()[len(w.ID)+1:]
	if w.tasks[id] == nil {
		w.have[id] = r
		return nil
	}
	tell(id, r)
	return nil
}

// attend looks at the queue, publishes what is due, and gives the sweep's sign of life.
func (w *Sweep) attend(ctx context.Context, tell func(string, result)) error {
	now := w.now()
	for _, text := range w.roster.Lost(now) {
		w.log(text)
	}
	if now-w.looked >= w.set.Beat {
		w.looked = now
		if err := w.look(ctx); err != nil {
			return err
		}
		w.say()
		if text := w.roster.Lacking(w.job.Version); now >= lackingWait && text != w.lacking {
			if w.lacking = text; text != "" {
				w.log(text + "; start one with simload worker")
			}
		}
	}
	if err := w.despair(ctx, tell); err != nil {
		return err
	}
	due, late := w.due(), false
	for _, id := range due {
		late = w.book.Copies(id) > 0 && w.fetch(ctx, id, tell) == nil || late
	}
	if late { // results are there that the watch has not told yet, so less is missing
		due = w.due()
	}
	return w.publish(ctx, due)
}

func (w *Sweep) due() []string {
	running := func(id string) bool { return w.roster.Running(w.ID + "." + id) }
	return w.book.Due(w.now(), Look{Queued: w.queued, Free: w.roster.Free(w.job.Version), Running: running})
}

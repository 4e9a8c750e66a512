package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// failedTask takes what a worker says of a task that failed by itself.
func (w *Sweep) failedTask(m *nats.Msg) error {
	var f failure
	if err := json.Unmarshal(m.Data, &f); err != nil {
		return nil // not one of ours
	}
	return w.lose(f.Task, TaskError{f.Name, f.Problem, f.Usage})
}

// lose ends a task without a result, and with it the sweep.
func (w *Sweep) lose(id string, e TaskError) error {
	if w.tasks[id] == nil || !w.book.Failed(w.now(), id) {
		return nil
	}
	return &e
}

// maxDeliveries is what the server says when it gives a task up.
type maxDeliveries struct {
	Seq        uint64 `json:"stream_seq"`
	Deliveries int    `json:"deliveries"`
}

// gaveUp takes the server's word that it gave a task up, and takes the task out of the queue, where it would stay unread. That is the end
// of it only if it has no result when nobody is at it any more, see [Sweep.despair]: a worker that was slow is not a dead one.
func (w *Sweep) gaveUp(ctx context.Context, m *nats.Msg) error {
	var a maxDeliveries
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return nil
	}
	var t Task
	err := w.bus.Insist(ctx, "reading the task that was given up", func(ctx context.Context) error {
		raw, err := w.stream.GetMsg(ctx, a.Seq)
		if err != nil {
			return err
		}
		return json.Unmarshal(raw.Data, &t)
	})
	if err != nil || w.tasks[t.ID] == nil || t.Job != w.hash {
		return nil // another sweep's, or another submitter of this one has it
	}
	err = w.bus.Call(ctx, "removing the task that was given up", func(ctx context.Context) error { return w.stream.DeleteMsg(ctx, a.Seq) })
	if err != nil {
		w.log(err.Error())
	}
	w.doubtful = append(w.doubtful, doubt{t.ID, a.Deliveries})
	return nil
}

// doubt is a task that the server gave up.
type doubt struct {
	id         string
	deliveries int
}

// despair ends the tasks that the server gave up, nobody is at, and that have no result. They are not published again: one that takes its
// worker with it would go on to the next five.
func (w *Sweep) despair(ctx context.Context, tell func(string, result)) (err error) {
	list := w.doubtful
	w.doubtful = nil
	for _, d := range list {
		t := w.tasks[d.id]
		switch {
		case t == nil: // it has ended
			continue
		case err != nil, w.roster.Running(t.key()):
			w.doubtful = append(w.doubtful, d)
			continue
		}
		switch gerr := w.fetch(ctx, d.id, tell); {
		case errors.Is(gerr, bus.ErrNotFound):
			err = w.lose(d.id, TaskError{Name: t.Name, Problem: fmt.Sprintf("given up: %d workers took it, and none came back with a result; it may need more memory than they have", d.deliveries)})
		case gerr != nil:
			w.doubtful = append(w.doubtful, d) // nobody knows yet
		}
	}
	return err
}

// heard takes a worker's sign of life.
func (w *Sweep) heard(m *nats.Msg) {
	var b Beat
	if json.Unmarshal(m.Data, &b) == nil && b.Worker != "" {
		w.roster.Note(w.now(), b)
	}
}

// say gives the sweep's sign of life, and keeps the note for who shows progress.
func (w *Sweep) say() { w.saying("") }

func (w *Sweep) saying(ended string) {
	c := w.book.Counts()
	workers, jobs := w.roster.Count(w.job.Version)
	note := fmt.Sprintf("workers %d (%d at a time)", workers, jobs)
	if c.Redelivered > 0 {
		note += fmt.Sprintf(", redelivered %d", c.Redelivered)
	}
	if c.Republished > 0 {
		note += fmt.Sprintf(", published again %d", c.Republished)
	}
	w.mu.Lock()
	w.note = note
	w.mu.Unlock()
	data, err := json.Marshal(State{Sweep: w.ID, Name: w.job.Name, Kind: w.job.Kind, Version: w.job.Version, Counts: c, Ended: ended})
	if err == nil {
		_ = w.bus.Conn.Publish(w.state(w.ID), data) // who misses one hears the next
	}
}

// Note says in a few words how the workers are doing. It may be called by any goroutine.
func (w *Sweep) Note() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.note
}

// Counts says how far the sweep is, and of how many workers results came.
func (w *Sweep) Counts() (c Counts, workers int) { return w.book.Counts(), len(w.by) }

// Close ends the submission. Tasks that have not begun, and copies of those that have ended, are taken out of the queue; results
// stay, and a sweep that is submitted again takes them up.
func (w *Sweep) Close() {
	ended := "done"
	if w.book.Counts().Open() > 0 || w.book.Counts().Failed > 0 {
		ended = "ended early"
	}
	err := w.bus.Call(context.Background(), "taking what is left out of the queue", func(ctx context.Context) error {
		return w.stream.Purge(ctx, jetstream.WithPurgeSubject(w.task(w.job.Version, w.ID)))
	})
	if err != nil {
		w.log(err.Error())
	}
	w.saying(ended)
	w.close()
}

// close ends what listens.
func (w *Sweep) close() {
	for _, s := range w.subs {
		_ = s.Unsubscribe() // the connection may be gone
	}
	if w.watch != nil {
		_ = w.watch.Stop()
	}
	_ = w.bus.Conn.FlushTimeout(time.Second)
}

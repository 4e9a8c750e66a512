package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

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
	beating, silent := context.WithCancel(context.Background())
	defer silent()
	go w.keep(beating, m)
	// This worker may be at it, on another message. That copy is waited for, and its result found: to give this one back would
	// count as a worker that took it in vain.
	for !w.begin(&t) {
		select {
		case <-time.After(pauseWait):
		case <-ctx.Done():
			_ = m.Nak()
			return
		}
	}
	defer w.end(&t)
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

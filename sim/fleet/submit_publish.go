package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// look asks how many tasks of the sweep the queue holds. That it cannot be told is an answer, too; that there is no queue any more is an error.
func (w *Sweep) look(ctx context.Context) error {
	w.queued = -1
	err := w.bus.Call(ctx, "looking at the queue", func(ctx context.Context) error {
		subject := w.task(w.job.Version, w.ID)
		info, err := w.stream.Info(ctx, jetstream.WithSubjectFilter(subject))
		if err == nil {
			w.queued = int(info.State.Subjects[subject])
		}
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("the server has lost its store, and with it the sweep: submit it again: %w", err)
	}
	return nil
}

// fetch looks for the result of a task that is missing. [bus.ErrNotFound]: there is none.
func (w *Sweep) fetch(ctx context.Context, id string, tell func(string, result)) error {
	value, err := w.store.Get(ctx, w.ID+"."+id)
	if err != nil {
		return err
	}
	r, err := decodeResult(value)
	if err != nil {
		return err
	}
	tell(id, r)
	return nil
}

// publish puts tasks into the queue. What the server does not confirm stays due.
func (w *Sweep) publish(ctx context.Context, ids []string) error {
	for len(ids) > 0 {
		some := ids[:min(publishMany, len(ids))]
		ids = ids[len(some):]
		acks := make([]jetstream.PubAckFuture, len(some))
		for i, id := range some {
			t := w.tasks[id]
			data, err := json.Marshal(t)
			if err != nil {
				return fmt.Errorf("writing a task: %w", err)
			}
			msg := fmt.Sprintf("%s.%d", t.key(), w.book.Copies(id)) // a copy is no duplicate
			acks[i], err = w.bus.JS.PublishAsync(w.task(t.Version, w.ID), data, jetstream.WithMsgID(msg))
			if err != nil && !bus.Passing(err) && !errors.Is(err, jetstream.ErrTooManyStalledMsgs) {
				return fmt.Errorf("publishing task %s: %w", t.Name, err)
			}
		}
		if err := w.confirmed(ctx, some, acks); err != nil {
			return err
		}
	}
	return nil
}

// confirmed waits for the acknowledgements of published tasks.
func (w *Sweep) confirmed(ctx context.Context, ids []string, acks []jetstream.PubAckFuture) error {
	wait := time.NewTimer(w.set.AckWait)
	defer wait.Stop()
	for i, ack := range acks {
		if ack == nil {
			continue
		}
		select {
		case a := <-ack.Ok():
			w.book.Published(w.now(), ids[i], a.Duplicate)
			w.looked, w.queued = 0, -1 // what was seen of the queue was before
		case err := <-ack.Err():
			if !bus.Passing(err) {
				return fmt.Errorf("publishing task %s: %w", w.tasks[ids[i]].Name, err)
			}
		case <-wait.C:
			return nil // the rest is due again
		case <-ctx.Done():
			return ErrStopped
		}
	}
	return nil
}

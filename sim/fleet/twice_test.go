//go:build unix

package fleet

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// Ensure a task that takes long is not given up when the same worker gets a second copy of it, however often: the copy waits for the
// first one's result, and none is left in the queue.
func TestSecondCopyWaits(t *testing.T) {
	b, err := bus.Open(t.Context(), bus.Config{URL: serve(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	set := fast
	set.AckWait, set.MaxDeliver = 2*time.Second, 2
	s, err := Submit(t.Context(), b, Job{Version: "v1", Kind: kindTest}, starter(), set, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	worked := make(chan error, 1)
	go func() {
		worked <- Work(ctx, b, WorkerConfig{Name: "w", Version: "v1", Jobs: 2, Set: set, Log: func(text string) { t.Log(text) }})
	}()
	gate := filepath.Join(t.TempDir(), "gate")
	y, done := newTally(t, 1), make(chan error, 1)
	go func() { done <- s.Do(t.Context(), []Unit{{"long", chore{Gate: gate}}}, nil, y.done) }()
	eventually(t, "the first copy", func() bool { return exists(gate + ".0") })
	first, err := s.stream.GetLastMsgForSubject(t.Context(), s.task("v1", s.ID))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.JS.Publish(t.Context(), first.Subject, first.Data, jetstream.WithMsgID("another copy")); err != nil {
		t.Fatal(err)
	}
	consumer, err := b.JS.Consumer(t.Context(), b.Name(tasksStream), consumer("v1"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second copy", func() bool {
		info, err := consumer.Info(t.Context())
		return err == nil && info.Delivered.Stream > first.Sequence
	})
	select {
	case err := <-done:
		t.Errorf("it ended while a worker was at it: %v", err)
		done <- err
	case <-time.After(4 * time.Second): // for the second copy to be given out again, if it were handed back
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	y.complete()
	eventually(t, "both copies to be done", func() bool { return queued(t, b) == 0 })
	s.Close()
	end()
	if err := <-worked; err != nil {
		t.Error(err)
	}
}

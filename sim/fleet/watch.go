package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// Watch shows workers and sweeps until ctx ends: event is told what happens, line the state, every [Settings.Beat]. Neither is called by
// two goroutines at once.
func Watch(ctx context.Context, b *bus.Bus, set Settings, event, line func(string)) error {
	n := names{b.Namespace}
	beats, states := make(chan *nats.Msg, heardMax), make(chan *nats.Msg, heardMax)
	for subject, ch := range map[string]chan *nats.Msg{n.signs(): beats, n.states(): states} {
		sub, err := b.Conn.ChanSubscribe(subject, ch)
		if err != nil {
			return fmt.Errorf("listening: %w", err)
		}
		defer func() { _ = sub.Unsubscribe() }()
	}
	begun := time.Now()
	now := func() time.Duration { return time.Since(begun) }
	board := NewBoard(set)
	every := time.NewTicker(set.withDefaults().Beat)
	defer every.Stop()
	tell := func(text string) {
		if text != "" {
			event(text)
		}
	}
	for {
		select {
		case m := <-beats:
			var beat Beat
			if json.Unmarshal(m.Data, &beat) == nil && beat.Worker != "" {
				tell(board.Note(now(), beat))
			}
		case m := <-states:
			var s State
			if json.Unmarshal(m.Data, &s) == nil && s.Sweep != "" {
				tell(board.Sweep(now(), s))
			}
		case <-every.C:
			for _, text := range board.Lost(now()) {
				tell(text)
			}
			line(board.Line(now()))
		case <-ctx.Done():
			return nil
		}
	}
}

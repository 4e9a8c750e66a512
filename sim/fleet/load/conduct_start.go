package load

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// order asks one thing of the worker with a share, and returns its answer and when that was heard.
func (l *leader) order(ctx context.Context, share int, o order) (a obeyed, sent, back time.Duration, err error) {
	data, err := json.Marshal(o)
	if err != nil {
		return a, 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	sent = l.now()
	m, err := l.bus.Conn.RequestWithContext(ctx, l.orders(l.run, share), data)
	back = l.now()
	if err == nil {
		err = json.Unmarshal(m.Data, &a)
	}
	return a, sent, back, err
}

// aim measures the workers' clocks; false: one does not answer, and will be lost.
func (l *leader) aim(ctx context.Context) bool {
	epoch := time.Duration(l.begun.UnixNano())
	for share := range l.Workers {
		var list []Exchange
		for range l.Set.Exchanges {
			a, sent, back, err := l.order(ctx, share, order{})
			if err == nil {
				list = append(list, Exchange{Sent: sent, Heard: back, Theirs: time.Duration(a.Clock) - epoch})
			} else if len(list) == 0 {
				return false
			}
		}
		o, ok := Nearest(list)
		if !ok {
			return false
		}
		l.crew.Aim(share, o)
	}
	return true
}

// start says when to begin, each worker by its own clock.
func (l *leader) start(ctx context.Context) error {
	at := l.now() + l.Set.Lead
	if err := l.load.Begin(l.begun.Add(at)); err != nil {
		return err
	}
	if _, warmup := l.load.Duration(); warmup > 0 {
		l.warm = at + warmup
	}
	epoch := time.Duration(l.begun.UnixNano())
	for share, theirs := range l.crew.Start(at) {
		obeyed := false
		for !obeyed && l.now() < at {
			_, _, _, err := l.order(ctx, share, order{Start: int64(epoch + theirs)})
			obeyed = err == nil
		}
		if !obeyed {
			l.Log(l.crew.Deaf(l.now(), share))
		}
	}
	l.Log(fmt.Sprintf("all %d workers start", l.Workers))
	return nil
}

// finish puts together what the workers handed in.
func (l *leader) finish(ctx context.Context) (*sim.Part, error) {
	ctx = context.WithoutCancel(ctx) // what was measured is kept, by an interrupted run too
	end := sim.LoadEnd{Interrupted: l.interrupted}
	for share, f := range l.crew.Finals() {
		if f == nil {
			end.Incomplete = true
			continue
		}
		p, err := l.fetch(ctx, f)
		if err != nil {
			l.crew.Discard(share, err.Error())
			end.Incomplete = true
			continue
		}
		end.Parts = append(end.Parts, p)
	}
	end.Harness = l.crew.Harness(l.load.Own())
	return l.load.Finish(end), nil
}

// fetch reads what a worker handed in.
func (l *leader) fetch(ctx context.Context, f *Final) (*sim.SharePart, error) {
	data, err := l.store.Blob(ctx, f.Result)
	if err != nil {
		return nil, err
	}
	p := &sim.SharePart{Requests: f.Requests, Events: f.Events, Simulated: time.Duration(f.SimulatedNS)}
	if p.Recorder, err = report.ThawShare(data); err != nil {
		return nil, err
	}
	if !l.load.Fits(p) {
		return nil, fmt.Errorf("it is of another run")
	}
	if got := p.Recorder.ShareCounts(); got != f.Counts {
		return nil, fmt.Errorf("it comes to %+v, and was said to come to %+v", got, f.Counts)
	}
	return p, nil
}

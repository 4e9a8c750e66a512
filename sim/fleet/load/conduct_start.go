package load

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
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

const (
	atOnce  = 32               // workers that are asked something at a time
	leadMax = 10 * time.Second // on top of Settings.Lead
)

// each does something for every share, several at a time, and gives and hears signs of life meanwhile. f is called by other goroutines.
func (l *leader) each(ctx context.Context, f func(share int)) {
	var group sync.WaitGroup
	free, over := make(chan struct{}, atOnce), make(chan struct{})
	for share := range l.Workers {
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			f(share)
		})
	}
	go func() {
		group.Wait()
		close(over)
	}()
	l.attend(ctx, func() bool {
		select {
		case <-over:
			return true
		default:
			return false
		}
	})
	<-over // attend comes back early if the run is over
}

// aim measures the workers' clocks; false: one does not answer, and will be lost, or is another one by now.
func (l *leader) aim(ctx context.Context) bool {
	who := l.crew.processes()
	epoch := time.Duration(l.begun.UnixNano())
	lists, slow := make([][]Exchange, l.Workers), make([]time.Duration, l.Workers)
	l.each(ctx, func(share int) {
		for range l.Set.Exchanges {
			a, sent, back, err := l.order(ctx, share, order{})
			if err == nil {
				lists[share] = append(lists[share], Exchange{Sent: sent, Heard: back, Theirs: time.Duration(a.Clock) - epoch})
			} else if len(lists[share]) == 0 {
				return
			}
			slow[share] = max(slow[share], back-sent)
		}
	})
	if !l.crew.Ready() || !slices.Equal(who, l.crew.processes()) {
		return false
	}
	for share, list := range lists {
		o, ok := Nearest(list)
		if !ok {
			return false
		}
		l.crew.Aim(share, o)
	}
	l.slowest = slices.Max(slow)
	return true
}

// lead is the time to leave from the order to start to the start: each worker may be as slow twice as the slowest was.
func lead(s *Settings, slowest time.Duration, workers int) time.Duration {
	waves := (workers + atOnce - 1) / atOnce
	return s.Lead + min(2*slowest*time.Duration(waves), leadMax)
}

// start says when to begin, each worker by its own clock.
func (l *leader) start(ctx context.Context) error {
	at := l.now() + lead(&l.Set, l.slowest, l.Workers)
	if err := l.load.Begin(l.begun.Add(at)); err != nil {
		return err
	}
	if _, warmup := l.load.Duration(); warmup > 0 {
		l.warm = at + warmup
	}
	epoch := time.Duration(l.begun.UnixNano())
	theirs, obeyed := l.crew.Start(at), make([]bool, l.Workers)
	l.each(ctx, func(share int) {
		for !obeyed[share] && l.now() < at {
			_, _, _, err := l.order(ctx, share, order{Start: int64(epoch + theirs[share])})
			obeyed[share] = err == nil
		}
	})
	for share, ok := range obeyed {
		if ok {
			continue
		}
		if said := l.crew.Deaf(l.now(), share); said != "" {
			l.Log(said)
		}
	}
	if l.Workers == 1 {
		l.Log("the worker starts")
	} else {
		l.Log(fmt.Sprintf("all %d workers start", l.Workers))
	}
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

package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

const (
	look     = 50 * time.Millisecond  // between looks at the clock and the stop flag
	answer   = 500 * time.Millisecond // to wait for an answer before it is asked again
	heardMax = 1 << 14                // messages that wait to be looked at
)

// Options say how a run is to be carried.
type Options struct {
	Workers int
	Version string // of the program: see fleet.Version
	Wall    sim.WallOptions
	// MockListen is the address of the mock, host:port, by which workers reach it; "": a free port on loopback, for workers on
	// this machine. One that other machines reach needs MockRemote.
	MockListen string
	MockRemote bool
	Stop       *atomic.Bool // ends the run; nil: nobody does
	Progress   func(sim.Progress)
	Set        Settings
	Log        func(string) // told what a user should know
}

// StartError says why a run could not begin.
type StartError struct {
	Problem string
	Usage   bool // the scenario, or how a worker was started, is at fault
}

// Error implements error.
func (e *StartError) Error() string { return e.Problem }

// ListenError says why [Options.MockListen] is no address that the mock can be reached by.
type ListenError struct{ Err error }

// Error implements error.
func (e *ListenError) Error() string { return e.Err.Error() }

// Unwrap returns what the system says.
func (e *ListenError) Unwrap() error { return e.Err }

// leader is the driver of a Crew.
type leader struct {
	names
	Options
	bus   *bus.Bus
	store *bus.Store
	load  *sim.Load
	crew  *Crew
	task  sim.Task
	name  string // of the scenario
	run   string
	brief string // hash
	begun time.Time

	claims, words, beats chan *nats.Msg
	subs                 []*nats.Subscription
	slowest              time.Duration // round trip to a worker
	pulsed               time.Duration // when the last sign of life was given
	warm                 time.Duration // when the warm-up ends; 0: it has, or there is none
	interrupted          bool
}

// Conduct leads one run of a scenario: it waits for workers, starts them together, and puts what they recorded together, as the
// part of an experiment that RunPart would have given. It returns nil if it was stopped before the start. A run that ends without some of
// its workers is no error: the part says that it is not valid. Errors are [*sim.ShareError], [*StartError], [*ListenError], those of the bus, and
// those of building the run.
func Conduct(ctx context.Context, b *bus.Bus, sc *scenario.Scenario, t sim.Task, o Options) (part *sim.Part, err error) {
	o.Set = o.Set.withDefaults()
	l := &leader{
		names: names{b.Namespace}, Options: o, bus: b, crew: NewCrew(o.Set, o.Workers), task: t, name: sc.Name(), run: nuid.Next(), begun: time.Now(),
		claims: make(chan *nats.Msg, heardMax), words: make(chan *nats.Msg, heardMax), beats: make(chan *nats.Msg, heardMax),
	}
	listener, err := o.listen()
	if err != nil {
		return nil, err
	}
	if l.load, err = sim.NewLoad(sc, t, o.Workers, &o.Wall, listener); err != nil {
		return nil, err
	}
	defer func() {
		if cerr := l.load.Close(); err == nil {
			err = cerr
		}
	}()
	if err := l.open(ctx, sc); err != nil {
		return nil, err
	}
	defer l.close()
	for !l.crew.started {
		l.attend(ctx, l.crew.Ready)
		if text, usage, found := l.crew.Problem(); found {
			l.crew.Stop(text)
			return nil, &StartError{text, usage}
		}
		if l.crew.Over() {
			return nil, nil
		}
		aimed := l.aim(ctx)
		if _, _, found := l.crew.Problem(); found || l.crew.Over() {
			continue
		}
		if !aimed { // who does not answer will be lost
			soon := l.now() + answer
			l.attend(ctx, func() bool { return l.now() >= soon })
			continue
		}
		if err := l.start(ctx); err != nil {
			return nil, err
		}
	}
	l.attend(ctx, l.crew.Over)
	return l.finish(ctx)
}

// listen opens the address of the mock; nil: the default will do, or there is none.
func (o *Options) listen() (net.Listener, error) {
	if o.MockListen == "" || o.Wall.Target != "" {
		return nil, nil
	}
	if host, _, err := net.SplitHostPort(o.MockListen); err == nil {
		if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
			return nil, &ListenError{errors.New(o.MockListen + " is no address by which workers could reach the mock; name one of this machine")}
		}
	}
	l, err := mockupstream.Listen(o.MockListen, o.MockRemote)
	if err != nil {
		return nil, &ListenError{err}
	}
	return l, nil
}

// open writes the brief and listens.
func (l *leader) open(ctx context.Context, sc *scenario.Scenario) (err error) {
	if l.store, err = l.bus.Store(ctx, store); err != nil {
		return err
	}
	b := Brief{
		Schema: BriefSchema, Run: l.run, Version: l.Version, Task: l.task, Target: l.Wall.Target, Mock: l.load.MockURL(), Redis: l.Wall.Redis, Beat: int64(l.Set.Beat),
	}
	if b.Cargo, err = fleet.Load(ctx, l.store, sc); err != nil {
		return err
	}
	data, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("writing the brief: %w", err)
	}
	if l.brief, err = l.store.PutBlob(ctx, data); err != nil {
		return err
	}
	for subject, ch := range map[string]chan *nats.Msg{
		l.names.claims(l.run): l.claims, l.names.words(l.run): l.words, l.names.beats(l.run): l.beats,
	} {
		sub, err := l.bus.Conn.ChanSubscribe(subject, ch)
		if err != nil {
			l.close()
			return fmt.Errorf("listening: %w", err)
		}
		l.subs = append(l.subs, sub)
	}
	l.pulsed = -l.Set.Beat
	return nil
}

// close says that the run is over, to whoever is still at it, and listens no more.
func (l *leader) close() {
	l.crew.Stop("the run is over")
	l.publish(l.pulses(l.run), pulse{Stop: l.crew.Stopped(), Over: true})
	for _, s := range l.subs {
		_ = s.Unsubscribe()
	}
}

// now is the time since the leader began, by its monotonic clock.
func (l *leader) now() time.Duration { return time.Since(l.begun) }

// attend listens to workers until something is the case.
func (l *leader) attend(ctx context.Context, until func() bool) {
	clock := time.NewTicker(look)
	defer clock.Stop()
	stopped := ctx.Done()
	for !until() {
		select {
		case m := <-l.claims:
			l.claimed(m)
		case m := <-l.words:
			l.told(m)
		case m := <-l.beats:
			var b Beat
			if json.Unmarshal(m.Data, &b) == nil {
				l.crew.Beat(l.now(), b)
			}
		case <-clock.C:
			l.tick()
		case <-stopped:
			stopped = nil
			l.interrupt()
		}
		if _, _, found := l.crew.Problem(); found || !l.crew.started && l.crew.Over() {
			return
		}
	}
}

// interrupt ends the run as the user wants it.
func (l *leader) interrupt() {
	if !l.interrupted {
		l.interrupted = true
		l.crew.Stop("interrupted")
		l.pulse()
	}
}

// tick does what is due.
func (l *leader) tick() {
	if l.Stop != nil && l.Stop.Load() {
		l.interrupt()
	}
	for _, text := range l.crew.Tick(l.now()) {
		l.Log(text)
	}
	if l.now()-l.pulsed >= l.Set.Beat {
		l.pulse()
		if !l.crew.started && l.crew.Missing() > 0 && l.crew.Stopped() == "" {
			l.publish(l.offers(), offer{Run: l.run, Version: l.Version, Name: l.name, URL: l.where()})
		}
	}
	if l.crew.started {
		l.load.Look()
		if l.warm > 0 && l.now() >= l.warm {
			l.warm = 0
			l.load.Warm()
		}
	}
	l.tell()
}

// where is what the load goes to.
func (l *leader) where() string {
	if at := l.load.MockURL(); at != "" {
		return at
	}
	return l.Wall.Target
}

func (l *leader) pulse() {
	l.pulsed = l.now()
	l.publish(l.pulses(l.run), pulse{Stop: l.crew.Stopped()})
}

// publish sends what is said again soon, or missed by nobody who is there.
func (l *leader) publish(subject string, what any) {
	if data, err := json.Marshal(what); err == nil {
		_ = l.bus.Conn.Publish(subject, data)
	}
}

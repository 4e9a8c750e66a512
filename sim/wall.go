package sim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
	"github.com/seed-4fd17b57/simload/workload"
)

const (
	// wallDrain bounds how long requests are followed after the end of the demand.
	wallDrain = 5 * time.Minute
	// wallLook is the time between looks at the stop flag, and of progress.
	wallLook = 100 * time.Millisecond
)

// wallLink carries a run on the wall clock: the clients that users ship, real sockets, and,
// unless a target is given, a mock in this process. The run itself stays on one goroutine, which sleeps
// until an agent is to ask or a client has something to tell.
type wallLink struct {
	*upstream
	origin  time.Time
	clients []*stack.Client
	stores  []stack.FleetStore // of the books that the clients share, by client; nil: each has its own
	text    string             // what prompts are cut from
	bell    chan struct{}

	mu      sync.Mutex
	inbox   []note
	flights []flight // by job

	read  []note // notes being read
	watch *watch
	pace  *pace // of a part of a run; nil: it is whole
	alike int64 // processes that have the same keys or limits, of several that carry a run; 0: this one alone
}

// flight is what the clients' goroutines need to know of a job.
type flight struct {
	demand workload.Demand
	cancel context.CancelFunc // nil: nothing but an answer ends it
}

// WallOptions says what a run on the wall clock talks to.
type WallOptions struct {
	// Target is the base URL of an OpenAI-compatible endpoint, such as http://127.0.0.1:4000/v1;
	// empty: the scenario's mock, in this process.
	Target string
	// Secret is the key that the target is given.
	Secret stack.Secret
	// Redis is the URL of the store that the stacks share, instead of the scenario's; it may hold a password. RedisPassword is that of
	// a URL that holds none.
	Redis, RedisPassword string
	// Run is the same for all processes of one run, and no other's; "": there is one process.
	Run string
}

// newWall returns a run on the wall clock that begins now.
func newWall(set *scenario.Built, o *WallOptions) (*run, error) {
	up, err := upstreamOf(set, o)
	if err != nil {
		return nil, err
	}
	r, err := newWallRun(set, up, o)
	if err == nil {
		err = r.connect(time.Now())
	}
	if err != nil {
		return nil, errors.Join(err, up.close())
	}
	return r, nil
}

// upstream is what a run on the wall clock talks to.
type upstream struct {
	ends    []stack.Endpoint
	secrets []stack.Secret
	host    *mockHost // the mock of this process, which the run owns; nil: there is none
	ours    bool      // it is a mock, here or elsewhere, which is told who asks
}

// upstreamOf is the target, or the scenario's mock.
func upstreamOf(set *scenario.Built, o *WallOptions) (*upstream, error) {
	if o.Target != "" {
		ends, secrets := targetEndpoints(set, o)
		return &upstream{ends: ends, secrets: secrets}, nil
	}
	host, err := newMockHost(set, nil, nil)
	if err != nil {
		return nil, err
	}
	up := mockAt(set, host.url)
	up.host = host
	return up, nil
}

// mockAt is the scenario's mock at a base URL.
func mockAt(set *scenario.Built, url string) *upstream {
	return &upstream{ends: endpoints(set, url), secrets: mockSecrets(set), ours: true}
}

func (u *upstream) close() error {
	if u.host == nil {
		return nil
	}
	return u.host.close()
}

// newWallRun returns a run that has not begun, and has no clients yet.
func newWallRun(set *scenario.Built, up *upstream, o *WallOptions) (*run, error) {
	set.Report.Wall = true
	r, err := prepare(set)
	if err != nil {
		return nil, err
	}
	r.wall = &wallLink{bell: make(chan struct{}, 1), text: filler(set), upstream: up}
	if err := r.wall.shareBooks(set, o); err != nil {
		return nil, errors.Join(err, r.wall.closeStores())
	}
	return r, nil
}

// connect begins the run: its instant 0 is origin, which is not in the future.
func (r *run) connect(origin time.Time) error {
	w := r.wall
	w.origin, w.watch = origin, newWatch()
	for i := range r.set.Instances {
		cfg := stack.ClientConfig{
			Stack: stackOf(r.set, i), Endpoints: w.ends, Secrets: w.secrets, Observer: w, Origin: origin, Fleet: w.fleetOf(r.set, i),
		}
		if w.ours {
			cfg.Header = w.header
		}
		c, err := stack.NewClient(cfg)
		if err != nil {
			return fmt.Errorf("client: %w", err)
		}
		w.clients = append(w.clients, c)
	}
	return nil
}

// targetEndpoints sends every model to the one target, by its own name and with its one key.
func targetEndpoints(set *scenario.Built, o *WallOptions) ([]stack.Endpoint, []stack.Secret) {
	var ends []stack.Endpoint
	var secrets []stack.Secret
	for i := range set.Stack.Targets {
		ends = append(ends, stack.Endpoint{BaseURL: strings.TrimRight(o.Target, "/"), Model: set.Stack.Targets[i].Name})
	}
	for range set.Stack.Keys {
		secrets = append(secrets, o.Secret)
	}
	return ends, secrets
}

func mockSecrets(set *scenario.Built) []stack.Secret {
	var list []stack.Secret
	for _, k := range set.Upstream.Keys {
		list = append(list, stack.NewSecret(k.ID))
	}
	return list
}

// now is the instant of the clock.
func (w *wallLink) now() time.Duration { return time.Since(w.origin) }

// executeWall runs to the end of the demand and until its requests have ended.
func (r *run) executeWall() error {
	w := r.wall
	defer w.watch.stop()
	for i := range r.sources {
		r.draw(uint32(i))
	}
	r.queue.push(gaugeEvery, evGauge, 0, 0)
	deadline := r.set.Workload.Duration + wallDrain
	timer := time.NewTimer(0)
	defer timer.Stop()
	looked := time.Duration(-wallLook)
	for r.waiting+r.pending > 0 {
		r.hear()
		now := w.now()
		if now-looked >= wallLook {
			looked = now
			if w.watch.look(); r.look() || now > deadline {
				break
			}
		}
		r.due(now)
		wait := wallLook
		if e := r.queue.peek(); e != nil {
			wait = min(wait, e.at-w.now())
		}
		timer.Reset(max(0, wait))
		select {
		case <-timer.C:
		case <-w.bell:
		}
	}
	r.undrawn()
	if r.pending == 0 && w.host != nil {
		w.host.settle()
	}
	if err := r.work.Err(); err != nil {
		return &TraceError{err}
	}
	return nil
}

// due handles the events whose instant has come, at the instant that it is.
func (r *run) due(now time.Duration) {
	for e := r.queue.peek(); e != nil && e.at <= now; e = r.queue.peek() {
		e := r.queue.pop()
		if e.kind() == evArrive {
			at := e.at
			if r.work.Open(int(e.ref)) {
				// An arrival of an open loop is put off by no one: its instant is the intended one, even if
				// it was drawn too late for that.
				at = r.sources[e.ref].next.Intended
			}
			if at >= r.set.Report.Warmup { // what is not measured may be late: connections are made then
				r.wall.watch.lag(now - at)
			}
		}
		e.at = max(now, r.now)
		r.handle(e)
	}
}

// submit hands a request to its client.
func (w *wallLink) submit(j *job, req stack.Request, hurried bool) {
	ctx, f := context.Background(), flight{demand: j.demand}
	if hurried {
		ctx, f.cancel = context.WithCancel(ctx)
	}
	w.mu.Lock()
	for len(w.flights) <= int(req.Tag) {
		w.flights = append(w.flights, flight{})
	}
	if old := w.flights[req.Tag].cancel; old != nil {
		old()
	}
	w.flights[req.Tag] = f
	w.mu.Unlock()
	call := stack.Call{Request: req, Prompt: w.prompt(&j.demand)}
	w.clients[j.core].Go(ctx, call, nil) // the observer is told all that counts
}

// cancel withdraws a request that its caller no longer wants.
func (w *wallLink) cancel(k uint32) {
	w.mu.Lock()
	f := w.flights[k].cancel
	w.mu.Unlock()
	if f != nil {
		f()
	}
}

// header tells the mock who is asking. It is called by the clients' goroutines.
func (w *wallLink) header(a *stack.Attempt, h http.Header) {
	w.mu.Lock()
	d := w.flights[a.Tag].demand
	w.mu.Unlock()
	if stack.RequestID(d.ID) != a.Request {
		return // the job is over, and so is the attempt
	}
	call := callOf(&d, a)
	h.Set(mockupstream.CallHeader, call.Text())
}

// prompt is text of about as many tokens as the demand has.
func (w *wallLink) prompt(d *workload.Demand) *wire.Prompt {
	n := min(d.In*charsPerToken, int64(len(w.text)))
	return &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: w.text[:n]}}}
}

// eachCore looks at the clients' stacks.
func (w *wallLink) eachCore(look func(i int, c *stack.Core)) {
	for i, c := range w.clients {
		c.Inspect(func(_ time.Duration, core *stack.Core) { look(i, core) })
	}
}

func (w *wallLink) books() *mockupstream.Books {
	if w.host == nil {
		return nil
	}
	b := w.host.server.Books()
	return &b
}

// close ends what is under way and shuts the mock down.
func (w *wallLink) close() error {
	var err error
	for _, c := range w.clients {
		err = errors.Join(err, c.Close())
	}
	return errors.Join(err, w.closeStores(), w.upstream.close())
}

package mockupstream

import (
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a provider behind HTTP: an [http.Handler] that any client can use, and [Server.Serve] to
// run it. It decides nothing: one mutex guards the [Provider], the [Codec] words what it decided, and the
// handler's goroutine acts a plan out, instant by instant. It is safe for concurrent use.
//
// The head of an event stream is sent as soon as the call is admitted, as OpenAI does once it begins
// to work on it, so headers say nothing of the first token. Tokens are sent at the instants at which
// they are billed, or later by up to ServerConfig.ChunkEvery. A call is settled just ahead of its last byte: by
// the time a client has that, its slot is free and its bill is in the books. A client that goes away
// before the plan's end is disconnected at the instant at which the server learns of it.
//
// What is deterministic: given the seed, the draws of a call (latency, faults) depend on its
// identity and attempt alone: without a CallHeader, on key and body, how often these were answered before, and how often
// they failed since. And how a stream is cut into events, on its plan alone. What is not: the
// instants of arrival, so whatever depends on other calls (limits, load, caches), and at which token
// a client's leaving is noticed. Two runs of one client, one call at a time, differ by the clock alone.
//
// Paths of its own, beside the vendors':
//
//	GET  /healthz   200 "ok"
//	GET  /stats     the books as JSON: [Stats]
//	GET  /metrics   the same and latencies for Prometheus
//	POST /reset     204; a new provider at instant 0, empty books; calls under way end on the old one
type Server struct {
	cfg   ServerConfig
	start time.Time
	term  atomic.Pointer[term]
}

// ServerConfig sets up a Server. Zero values stand for the defaults.
type ServerConfig struct {
	// Provider as for [New], but for Epoch: zero is the date at which the server starts or is
	// reset, so that dates in headers are true.
	Provider Config
	Codec    CodecConfig
	// BodyMax is the largest body of a request, in bytes; default 8 MiB. Beyond it: 413.
	BodyMax int64
	// ChunkEvery is the shortest time between two events of a stream; default 20 ms. Tokens that are
	// faster share an event; slower ones have one each.
	ChunkEvery time.Duration
	// FillEvery is the time between fillers while a call waits (Plan.FillUntil); default 1 s, assumed:
	// no vendor tells it.
	FillEvery time.Duration
	// ReadTimeout is how long a client may take to send a request, header and body; default 30 s.
	ReadTimeout time.Duration
	// WriteTimeout is how long a write may be held up by a client that does not read, or half as long;
	// default 30 s. Then the connection is cut.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection is kept without a request; default 2 min.
	IdleTimeout time.Duration
	// Grace is how long calls may go on when Serve is told to stop; default 5 s. Then they are cut.
	Grace time.Duration
	// Cut, when it is closed, ends the grace at once. nil: it is never cut short.
	Cut <-chan struct{}
	// ErrorLog takes what net/http says of broken connections; nil: nobody does.
	ErrorLog *log.Logger
	// Observe is told of each call when it is over, by the goroutine that served it: it is called
	// concurrently. nil: nobody.
	Observe func(Sighting)
}

// Sighting is a call as the server saw it through.
type Sighting struct {
	Ask  Ask
	Plan Plan
	Used Usage // as billed
	// Ended is when the call was settled.
	Ended time.Duration
	// Gone: the client went away before all that was planned was sent. It is how hanging and stalled
	// calls end.
	Gone bool
}

// NewServer returns a server whose clock starts now. It fails as [New] does. What cfg refers to must not
// be changed afterwards.
func NewServer(cfg ServerConfig) (*Server, error) {
	cfg.fill()
	s := &Server{cfg: cfg, start: time.Now()}
	if err := s.Reset(); err != nil {
		return nil, fmt.Errorf("setting up the provider: %w", err)
	}
	return s, nil
}

// fill puts the defaults in.
func (cfg *ServerConfig) fill() {
	if cfg.BodyMax <= 0 {
		cfg.BodyMax = 8 << 20
	}
	if cfg.ErrorLog == nil {
		cfg.ErrorLog = log.New(io.Discard, "", 0)
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&cfg.ChunkEvery, 20 * time.Millisecond},
		{&cfg.FillEvery, time.Second},
		{&cfg.ReadTimeout, 30 * time.Second},
		{&cfg.WriteTimeout, 30 * time.Second},
		{&cfg.IdleTimeout, 2 * time.Minute},
		{&cfg.Grace, 5 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
}

// Reset replaces the provider by a new one, at instant 0. Calls under way end on the old one.
func (s *Server) Reset() error { return s.ResetAt(time.Now()) }

// ResetAt is Reset for a provider whose instant 0 may be to come: it stands there until then. So a server can be ready before
// those begin who are to meet it at its beginning.
func (s *Server) ResetAt(start time.Time) error {
	t, err := newTerm(s.cfg, start)
	if err != nil {
		return err
	}
	s.term.Store(t)
	return nil
}

// Books returns the provider's books.
func (s *Server) Books() Books { return s.term.Load().books() }

// Now returns the provider's instant: the time since the server's start, or its last reset.
func (s *Server) Now() time.Duration { return s.term.Load().now() }

// ServeHTTP implements [http.Handler]. It panics with [http.ErrAbortHandler] where a plan says that
// the connection is cut.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz", "/stats", "/metrics", "/reset":
		s.serveOwn(w, r)
	default:
		s.serveCall(w, r)
	}
}

// term is one provider's time on the server, from the start or a reset to the next one.
type term struct {
	start   time.Time // the clock is monotonic: it is not set back with the machine's
	codec   *Codec
	models  []Model
	metrics *metrics

	mu       sync.Mutex // guards what follows
	provider *Provider
	history  history
	rejected map[int]int64 // by status
}

func newTerm(cfg ServerConfig, start time.Time) (*term, error) {
	t := &term{start: start, models: cfg.Provider.Models, rejected: make(map[int]int64)}
	if cfg.Provider.Epoch.IsZero() {
		cfg.Provider.Epoch = t.start
	}
	p, err := New(cfg.Provider)
	if err != nil {
		return nil, err
	}
	t.provider, t.codec = p, NewCodec(p, cfg.Codec)
	t.metrics = newMetrics(t)
	return t, nil
}

func (t *term) now() time.Duration { return max(0, time.Since(t.start)) }

func (t *term) books() Books {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.provider.Books()
}

// account returns the books, and how many requests were rejected by which status, of one instant.
func (t *term) account() (Books, map[int]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.provider.Books(), maps.Clone(t.rejected)
}

// reject counts a request that is answered without becoming a call, unless it got what it asked for.
func (t *term) reject(status int) {
	if status < http.StatusBadRequest {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rejected[status]++
}

// admit decides on a call, or answers it with a page if it has no key to be decided by. used is what
// the call will be billed if it is answered whole.
func (t *term) admit(a *Ask) (plan Plan, used Usage, page *Page) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if page = t.codec.Seat(a); page != nil {
		return plan, used, page
	}
	now := t.now()
	if !a.brief {
		a.body = t.history.identify(now, &a.Call)
	}
	plan = t.provider.Admit(now, a.Call)
	if plan.Code == CodeOK && plan.ID != 0 {
		used = t.provider.Usage(plan.ID)
	}
	return plan, used, nil
}

// settle ends a call, at its planned end (whole) or before, and returns the instant and the bill.
func (t *term) settle(a *Ask, plan *Plan, whole bool) (time.Duration, Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if !a.brief {
		t.history.note(now, a.body, &a.Call, whole && plan.Code == CodeOK && plan.Fate == FateAnswer)
	}
	if whole {
		return now, t.provider.Complete(now, plan.ID)
	}
	return now, t.provider.Disconnect(now, plan.ID)
}

package stack

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Client is the production driver of a [Core]: it puts attempts on a real wire. It is safe for
// concurrent use. Make one for a whole process with [NewClient] and share it, since limits are kept
// within a client, and Close it at the end.
//
// [Client.Do] makes one call, [Client.Stream] hands out the answer as it comes, [Client.Go] does
// not wait, and [Client.Batch] makes many. All of them return an [*EndError] where a call did not
// succeed, and an answer that is never nil: its Result tells what was tried.
//
// One mutex guards the core, one timer wakes it, and each attempt on the wire has one goroutine. The
// caller's functions are never called under the lock, but for Observer and Tape, which are told
// things in order.
type Client struct {
	cfg     ClientConfig
	origin  time.Time
	log     *slog.Logger // nil: none
	letters letterBox
	pools   []*pool
	wires   []http.RoundTripper // by target
	pool    []*pool             // by target; nil where the transport is the caller's

	base context.Context // of all attempts; ends with Close
	stop context.CancelFunc
	busy sync.WaitGroup // attempts and deliveries under way

	mu     sync.Mutex
	core   *Core
	calls  []*call // under way, by slot of the core
	timer  *time.Timer
	armed  bool
	wakeAt time.Duration // the instant for which the timer is armed
	closed bool
	watch  func(*Effect) // for tests; nil: none
}

// NewClient returns a client, or an error that names everything that is wrong with the
// configuration and never shows a secret.
func NewClient(cfg ClientConfig) (*Client, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	core, err := New(cfg.Stack)
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, origin: cfg.Origin, log: cfg.Log, core: core}
	if c.origin.IsZero() {
		c.origin = time.Now()
	}
	c.letters.to, c.letters.form = cfg.DeadLetters, newLetters(&cfg.Stack)
	c.pool = make([]*pool, len(cfg.Endpoints))
	if cfg.Transport == nil {
		c.pools, c.pool = newPools(&cfg)
	}
	for _, p := range c.pool {
		if p == nil {
			c.wires = append(c.wires, cfg.Transport)
		} else {
			c.wires = append(c.wires, p.transport)
		}
	}
	c.base, c.stop = context.WithCancel(context.Background())
	c.timer = time.AfterFunc(time.Hour, c.wake)
	return c, nil
}

// Inspect looks at the core under the client's lock. look must return quickly, must not call the
// client, and only ask the core: to change its state is the client's business.
func (c *Client) Inspect(look func(now time.Duration, core *Core)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	look(c.now(), c.core)
}

// Pools returns what each connection pool has done until now; nil where Transport is the
// caller's.
func (c *Client) Pools() []PoolStats {
	var all []PoolStats
	for _, p := range c.pools {
		all = append(all, p.stats())
	}
	return all
}

// Close ends every call under way with [ErrClosed], waits until the last of them is told, and closes
// all connections. Calls made later end with ErrClosed at once. It must not be called from a
// function that [Client.Go] calls. It always returns nil; closing again does nothing.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	// Those that wait go first, or they would be sent as others leave.
	for _, onWire := range []bool{false, true} {
		for _, k := range c.calls {
			if k != nil && (k.attempt != nil) == onWire {
				c.drop(k, ErrClosed)
			}
		}
	}
	c.timer.Stop()
	c.mu.Unlock()
	c.stop()
	c.busy.Wait()
	for _, p := range c.pools {
		p.transport.CloseIdleConnections()
	}
	return nil
}

package stack

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Client is the production driver of a [Core]: it puts attempts on a real wire. It is safe for
// concurrent use. Make one for a whole process with [NewClient] and share it, since limits are kept
// within a client unless it shares them ([ClientConfig.Fleet]), and Close it at the end.
//
// [Client.Do] makes one call, [Client.Stream] hands out the answer as it comes, [Client.Go] does
// not wait, and [Client.Batch] makes many. All of them return an [*EndError] where a call did not
// succeed, and an answer that is never nil: its Result tells what was tried.
//
// One mutex guards the core, one timer wakes it, and each attempt on the wire has one goroutine. The
// caller's functions are never called under the lock, but for Observer and Tape, which are told
// things in order.
//
// It prints no secret, and neither does anything that it is made of. One line is out of its hands: when a
// vendor sends bytes that nobody asked for on an idle HTTP/1 connection, net/http quotes them to
// the standard logger of package log, and offers no way to stop it. The client never sees them. A program that
// cannot trust its vendor not to repeat a key there calls log.SetOutput.
type Client struct {
	cfg     ClientConfig
	origin  time.Time
	reads   bool         // the core looks at what is asked
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
	fleet  *fleetLink    // nil: nothing is shared
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
	c := &Client{cfg: cfg, origin: cfg.Origin, reads: cfg.Stack.reads(), log: cfg.Log, core: core}
	if c.origin.IsZero() {
		c.origin = time.Now()
	}
	c.letters = letterBox{form: newLetters(&cfg.Stack), to: cfg.DeadLetters, lose: c.loseLetter}
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
	if cfg.Fleet != nil {
		if err := c.join(cfg.Fleet); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// String says how large the client is. No verb prints more of it.
func (c *Client) String() string {
	return fmt.Sprintf("stack.Client(%d targets, %d keys)", len(c.cfg.Endpoints), len(c.cfg.Secrets))
}

// Format prints String for every verb.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue returns String.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

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

// Close ends every call under way with [ErrClosed], puts nothing more on the wire, waits until the last
// of them is told and the last dead letter is written, and closes all connections. Calls made
// later end with ErrClosed at once. A writer of dead letters that blocks holds it up. It must not be called from
// a function that [Client.Go] calls. It always returns nil; closing again does nothing.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	for _, k := range c.calls {
		if k != nil {
			c.drop(k, ErrClosed)
		}
	}
	c.timer.Stop()
	c.mu.Unlock()
	c.stop()
	c.busy.Wait()
	if c.fleet != nil {
		c.fleet.leave()
	}
	for _, p := range c.pools {
		p.transport.CloseIdleConnections()
	}
	return nil
}

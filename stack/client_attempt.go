package stack

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// attempt is one try on the wire.
type attempt struct {
	Attempt
	call   *call
	ctx    context.Context
	cancel context.CancelFunc
	why    OutcomeKind // for which the core gave it up; guarded by the client's lock
	held   bool        // it never goes on the wire, as the client is closed

	connected atomic.Bool // it has had a connection
	started   bool        // the core knows of its first token
}

// verdict is what came of an attempt.
type verdict struct {
	Outcome
	reply   wire.Reply
	limits  wire.Limits
	problem *wire.Problem // what the vendor said
	fault   error         // of the connection
	more    bool          // the answer is complete, but the body may go on
}

// kindOutcomes puts the kinds of the codec into the words of the core.
var kindOutcomes = [wire.NumKinds]OutcomeKind{
	wire.None:         ServerError, // a status that says nothing
	wire.RateLimited:  RateLimited,
	wire.Overloaded:   Overloaded,
	wire.OutOfCredit:  OutOfCredit,
	wire.Unauthorized: Unauthorized,
	wire.BadRequest:   BadRequest,
	wire.TooLarge:     TooLarge,
	wire.ServerError:  ServerError,
	wire.Broken:       StreamBroken,
}

// run carries an attempt out, from the request to the end of the answer.
func (c *Client) run(a *attempt) {
	defer c.busy.Done()
	defer a.cancel()
	deepen(a.Number)
	c.logSent(a)
	v := verdict{limits: noLimits}
	resp := c.open(a, &v)
	if resp != nil {
		c.read(a, resp, &v)
		defer func() { _ = resp.Body.Close() }()
	}
	c.hide(a, &v)
	again, why := false, OutcomeNone
	if v.more {
		again, why = c.finishStream(a, &v, resp.Body)
	} else {
		again, why = c.finish(a, &v)
	}
	if why != OutcomeNone {
		v = verdict{Outcome: Outcome{Kind: why}}
	}
	c.logEnded(a, &v, again)
}

// deepen grows the stack of a new goroutine at once to what an attempt needs, while there is little
// on it to be copied. Step by step it costs a quarter of the client's time
// (BenchmarkClientOverhead). The index is any that the compiler does not know.
//
//go:noinline
func deepen(index int) byte {
	var room [6 << 10]byte
	return room[index&1]
}

// finishStream finishes an attempt whose last event has come. The connection should be free before
// the next request is granted, which would else dial another; but the caller does not wait for
// that long.
func (c *Client) finishStream(a *attempt, v *verdict, body io.Reader) (again bool, why OutcomeKind) {
	finish := sync.OnceValues(func() (bool, OutcomeKind) { return c.finish(a, v) })
	soon := time.AfterFunc(endFor, func() { finish() })
	a.drain(body)
	soon.Stop()
	return finish()
}

// open sends the request and returns the head of the answer, or nil and the verdict.
func (c *Client) open(a *attempt, v *verdict) *http.Response {
	req, err := c.request(a)
	if err != nil {
		v.Kind, v.fault = BadRequest, err
		return nil
	}
	limit := c.timeUnsent(a)
	resp, err := c.wires[a.Target].RoundTrip(req)
	if limit != nil {
		limit.Stop()
	}
	if err != nil {
		v.Kind, v.fault = StreamBroken, err
		if c.unsent(a, err) {
			v.Kind = ConnectFailed
		}
		return nil
	}
	return resp
}

// request writes an attempt's request.
func (c *Client) request(a *attempt) (*http.Request, error) {
	w := c.cfg.request(a.Target)
	w.MaxOut, w.Stream, w.Prompt, w.Secret = a.MaxOut, !a.call.Whole, a.call.Prompt, c.cfg.Secrets[a.Key].reveal()
	if a.call.short != nil {
		w.Prompt = a.call.short
	}
	if a.IdempotencyKey != 0 {
		w.IdempotencyKey = RequestID(a.IdempotencyKey).hex()
	}
	pool := c.pool[a.Target]
	ctx := httptrace.WithClientTrace(a.ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		a.connected.Store(true)
		if pool != nil {
			pool.took(i.Reused)
		}
	}})
	req, err := c.cfg.Endpoints[a.Target].Format.New(ctx, &w)
	if err != nil {
		return nil, err
	}
	if c.cfg.Header != nil {
		c.cfg.Header(&a.Attempt, req.Header)
	}
	if a.Write {
		// A transport that finds a kept connection dead sends again by itself what it can: a
		// request of which not a byte was written, and one with an Idempotency-Key even if it may
		// have been carried out (net/http, shouldRetryRequest; over HTTP/2 also after some
		// resets). Whether a write goes out twice is the core's decision (INV-43), and
		// without GetBody the transport leaves it that.
		req.GetBody = nil
	}
	return req, nil
}

// unsent reports whether an attempt certainly did not reach the vendor: no connection was had,
// as its name, its address or the handshake failed. The error alone must tell where a
// transport of the caller's does not.
func (c *Client) unsent(a *attempt, err error) bool {
	if c.cfg.Transport == nil && !a.connected.Load() {
		return true
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return true
	}
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// timeUnsent takes a write off the wire just before its first token is due if it has had no connection
// until then, so that the core is told that it was certainly not sent, where the core's own time-out
// would leave that unknown. The caller stops the timer. Of a transport of the caller's nobody knows.
func (c *Client) timeUnsent(a *attempt) *time.Timer {
	if !a.Write || c.pool[a.Target] == nil {
		return nil
	}
	left := a.FirstTokenBy - c.now()
	return time.AfterFunc(left-min(unsentFor, left/4), func() {
		if !a.connected.Load() {
			a.cancel()
		}
	})
}

// hide takes the key out of what others have said: vendors and proxies are known to repeat it.
func (c *Client) hide(a *attempt, v *verdict) {
	s := c.cfg.Secrets[a.Key]
	if p := v.problem; p != nil {
		p.Type, p.Code, p.Message = s.hide(p.Type), s.hide(p.Code), s.hide(p.Message)
	}
	if v.fault != nil {
		if text := v.fault.Error(); s.hide(text) != text {
			v.fault = errors.New(s.hide(text))
		}
	}
}

package stack

import (
	"context"
	"time"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// DefaultMaxOut is the largest number of output tokens asked for where a call does not say: what
// is charged beyond the answer's real length comes back when it ends, but waits for room before.
const DefaultMaxOut = 4096

// bytesPerToken estimates a prompt's tokens: about four characters of English, as OpenAI's
// guide to tokens has it. Other languages take more tokens; set EstIn for them.
const bytesPerToken = 4

// pieceBuffer is how many pieces of a stream may wait for the caller.
const pieceBuffer = 16

// Call is one request to be made.
//
// Request.ID must be the caller's own and the same when the call is made again, even by another
// process: jitter and idempotency keys are made of it. EstIn 0 is estimated from the prompt's
// length, MaxOut 0 is [DefaultMaxOut]. Route is an index into Config.Routes.
type Call struct {
	Request
	// Prompt must not be nil, and must not be changed until the call has ended.
	Prompt *wire.Prompt
}

// Answer is what became of a call. Where the call failed, the reply holds what came of the last
// answer, if anything.
type Answer struct {
	wire.Reply
	// Limits is what the last attempt's answer said of the key's limits; all -1 if there was none.
	Limits wire.Limits
	Result Result // Steps are the answer's own
}

// noLimits says nothing.
var noLimits = wire.ReadLimits(nil, time.Time{})

// Piece is a part of a streamed answer. Attempt is the number of the try it is from, from 1: a
// piece of a higher number voids all those before it. An empty one does nothing else.
type Piece struct {
	Text    string
	Attempt int
}

// call is a call under way. Beyond ended it is guarded by the client's lock until it is over.
type call struct {
	Call
	ctx    context.Context
	ticket Ticket
	ended  chan struct{}        // closed when it is over; nil if it is loose
	then   func(*Answer, error) // called when it is over
	loose  bool                 // nobody waits for ended: then is called, if there is one
	late   bool                 // it was made after Close
	short  *wire.Prompt         // as Compact made it; nil: sent whole
	pieces chan Piece           // nil: nobody reads them
	unhook func() bool          // forgets the caller's context

	attempt *attempt // on the wire
	reply   wire.Reply
	limits  wire.Limits
	problem *wire.Problem // of the last attempt, as is fault
	fault   error
	cause   error // of a cancellation

	over    bool
	answer  *Answer
	failure *EndError
}

// Do makes a call and waits for what becomes of it. The error is an [*EndError]; when ctx ends
// first the call is cancelled, and the error is ctx.Err() too.
func (c *Client) Do(ctx context.Context, call Call) (*Answer, error) {
	k := newCall(ctx, call)
	k.ended = make(chan struct{})
	c.start(k)
	select {
	case <-k.ended:
	case <-ctx.Done():
		c.cancel(k, ctx.Err())
		<-k.ended
	}
	return k.result()
}

// Stream makes a call with Stream set, and hands out its answer as it comes. piece is called on the
// caller's goroutine, and not after Stream has returned. If it returns an error the call is
// cancelled, and the error is returned. It should return well within Timeouts.Gap: while it holds up the
// stream nothing is read, and the attempt is taken for dead. Errors are as with [Client.Do]; the text of an
// answer without one is exactly that of the pieces of the last Attempt: if it has none, and others had, an
// empty piece says so.
func (c *Client) Stream(ctx context.Context, call Call, piece func(Piece) error) (*Answer, error) {
	k := newCall(ctx, call)
	k.Whole, k.ended, k.pieces = false, make(chan struct{}), make(chan Piece, pieceBuffer)
	c.start(k)
	defer c.cancel(k, context.Canceled) // if piece panics
	latest := 0
	hand := func(p Piece) error {
		if p.Attempt < latest {
			return nil // of an attempt that was given up
		}
		latest = p.Attempt
		return piece(p)
	}
	for {
		select {
		case p := <-k.pieces:
			if err := hand(p); err != nil {
				return c.refused(k, err)
			}
			continue
		case <-ctx.Done():
			c.cancel(k, ctx.Err())
			<-k.ended
		case <-k.ended:
		}
		break
	}
	if k.failure != nil {
		return k.answer, k.failure
	}
	for len(k.pieces) > 0 {
		if err := hand(<-k.pieces); err != nil {
			return k.answer, err
		}
	}
	if k.answer.Result.CacheHit {
		return k.answer, hand(Piece{Text: k.answer.Text, Attempt: 1})
	}
	if n := len(k.answer.Result.Steps); latest > 0 && latest < n {
		if err := hand(Piece{Attempt: n}); err != nil {
			return k.answer, err
		}
	}
	return k.answer, nil
}

// refused ends a call whose caller wants no more of it.
func (c *Client) refused(k *call, err error) (*Answer, error) {
	c.cancel(k, err)
	<-k.ended
	if k.failure == nil {
		return k.answer, err // it had ended
	}
	return k.result()
}

// Go makes a call without waiting. done is called once, on a goroutine of the client's, with what
// [Client.Do] would have returned. It may make calls, but must not call Close. nil: the Observer is
// told all that the caller wants to know.
func (c *Client) Go(ctx context.Context, call Call, done func(*Answer, error)) {
	k := newCall(ctx, call)
	k.then, k.loose = done, true
	c.start(k)
}

func newCall(ctx context.Context, what Call) *call {
	k := &call{Call: what, ctx: ctx, limits: noLimits}
	if k.EstIn == 0 && k.Prompt != nil {
		k.EstIn = max(1, promptBytes(k.Prompt)/bytesPerToken)
	}
	if k.MaxOut == 0 {
		k.MaxOut = DefaultMaxOut
	}
	return k
}

func promptBytes(p *wire.Prompt) int64 {
	n := len(p.System)
	for _, m := range p.Messages {
		n += len(m.Text)
	}
	for _, field := range p.Extra {
		n += len(field)
	}
	return int64(n)
}

// start submits a call. One that is not worth it is over at once, and the core never hears
// of it.
func (c *Client) start(k *call) {
	fault := c.prepare(k)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		c.refuse(k, Cancelled, ReasonCaller, ErrClosed)
	case k.ctx.Err() != nil:
		c.refuse(k, Cancelled, ReasonCaller, k.ctx.Err())
	case fault != nil:
		c.refuse(k, Rejected, ReasonInvalid, fault)
	default:
		k.ticket = c.tell(Input{Kind: InputSubmit, Request: k.Request})
		c.keep(k)
		if k.loose && k.ctx.Done() != nil {
			k.unhook = context.AfterFunc(k.ctx, func() { c.cancel(k, k.ctx.Err()) })
		}
		c.drain()
	}
}

// cancel ends a call, because of the cause, unless it is over.
func (c *Client) cancel(k *call, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(k, cause)
}

// result is what the caller gets of a call that is over.
func (k *call) result() (*Answer, error) {
	if k.failure != nil {
		return k.answer, k.failure
	}
	return k.answer, nil
}

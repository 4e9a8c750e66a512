package stack

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// Bounds of what is read of an answer.
const (
	longestAnswer  = 64 << 20
	longestProblem = 64 << 10
	// What may follow the last event of a stream for the connection to be kept, for how long, and
	// for how much of that the answer is held back. The body of an error is waited for as long.
	longestRest = 64 << 10
	restFor     = time.Second
	endFor      = 10 * time.Millisecond
	// How long before its first token is due a write that has no connection is given up.
	unsentFor = 20 * time.Millisecond
)

// keptBuffer is the size up to which buffers are used again.
const keptBuffer = 64 << 10

var (
	wholes = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}
	chunks = sync.Pool{New: func() any { b := make([]byte, 4<<10); return &b }}
)

// read reads an answer until it is complete or broken.
func (c *Client) read(a *attempt, resp *http.Response, v *verdict) {
	v.Status, v.limits = resp.StatusCode, wire.ReadLimits(resp.Header, clock())
	isJSON := strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json")
	switch {
	case resp.StatusCode >= 300:
		c.readProblem(a, resp, v)
	case !a.call.Whole && !isJSON:
		c.readStream(a, resp, v)
	default: // or a vendor that does not stream, or says in JSON that it will not
		c.readWhole(a, resp, v)
		if v.Kind == Success {
			a.offer(v.reply.Text)
		}
	}
}

// readProblem reads an answer that is an error. A body that breaks off or hangs says what it can: status and
// headers are there, and they must not be lost to a time-out, which would hide a 429's wait and a dead key. So
// it is given up before the core gives up the attempt.
func (c *Client) readProblem(a *attempt, resp *http.Response, v *verdict) {
	limit := time.AfterFunc(min(restFor, (a.FirstTokenBy-c.now())/2), a.cancel)
	body, _ := io.ReadAll(io.LimitReader(resp.Body, longestProblem))
	limit.Stop()
	if resp.StatusCode < 400 {
		v.problem = &wire.Problem{Kind: wire.BadRequest, Status: resp.StatusCode, Message: "a redirect, which is not followed"}
	} else {
		v.problem = wire.ReadProblem(resp.StatusCode, resp.Header, body, clock())
	}
	v.Outcome = OutcomeOf(resp.StatusCode, nil, v.problem)
}

// conclude takes what the codec says of a 200. An answer that the connection broke off is broken,
// whatever there is of it.
func (v *verdict) conclude(reply wire.Reply, problem *wire.Problem) {
	first := v.FirstToken
	v.reply, v.problem, v.Outcome = reply, problem, OutcomeOf(v.Status, &reply, problem)
	v.FirstToken = first
	if v.fault != nil {
		v.Kind = StreamBroken
	}
}

// readStream reads events until the last one; what follows it is not waited for.
func (c *Client) readStream(a *attempt, resp *http.Response, v *verdict) {
	buf := chunks.Get().(*[]byte)
	defer chunks.Put(buf)
	s := wire.NewStream(c.cfg.Endpoints[a.Target].Format)
	life := life{c: c, a: a}
	pulse := pulse{format: c.cfg.Endpoints[a.Target].Format}
	size, whole := 0, false
	for !s.Done() && v.fault == nil && !whole {
		n, err := resp.Body.Read(*buf)
		if n > 0 {
			text, begun := s.Feed((*buf)[:n])
			life.sign(begun, text != "" || life.silent() && pulse.beats((*buf)[:n]), s.Done(), v)
			if text != "" && !a.offer(text) {
				v.fault = a.ctx.Err()
			}
			if size += n; size > longestAnswer {
				v.fault = errAnswerTooLong
			}
		}
		switch {
		case err == io.EOF:
			whole = true
		case err != nil && v.fault == nil && !s.Done():
			v.fault = err
		}
	}
	v.more = s.Done() && v.fault == nil && !whole
	v.conclude(s.End())
}

// readWhole reads an answer that is one object, with what fillers come before it.
func (c *Client) readWhole(a *attempt, resp *http.Response, v *verdict) {
	buf := wholes.Get().(*[]byte)
	b := (*buf)[:0]
	life := life{c: c, a: a}
	begun, whole := false, false
	for v.fault == nil && !whole {
		if len(b) == cap(b) {
			b = append(b, make([]byte, max(len(b), keptBuffer))...)[:len(b)]
		}
		n, err := resp.Body.Read(b[len(b):cap(b)])
		filler := blank(b[len(b) : len(b)+n])
		begun = begun || !filler
		b = b[:len(b)+n]
		whole = err == io.EOF
		if n > 0 {
			life.sign(begun, !filler, whole || int64(len(b)) == resp.ContentLength, v)
		}
		switch {
		case err != nil && !whole:
			v.fault = err
		case len(b) > longestAnswer:
			v.fault = errAnswerTooLong
		}
	}
	v.conclude(c.cfg.Endpoints[a.Target].Format.ReadReply(b))
	if cap(b) <= keptBuffer {
		*buf = b
	}
	wholes.Put(buf)
}

// blank reports whether there is nothing but fillers, which keep a connection alive and are
// no answer.
func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// offer hands a text to the caller, if it reads pieces, and reports false when the attempt was
// given up meanwhile.
func (a *attempt) offer(text string) bool {
	if a.call.pieces == nil || text == "" {
		return true
	}
	select {
	case a.call.pieces <- Piece{text, a.Number}:
		return true
	case <-a.ctx.Done():
		return false
	}
}

// drain reads what little follows the last event, so that the connection can be used again,
// but not for long.
func (a *attempt) drain(body io.Reader) {
	limit := time.AfterFunc(restFor, a.cancel)
	_, _ = io.CopyN(io.Discard, body, longestRest)
	limit.Stop()
}

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
	// for how much of that the answer is held back.
	longestRest = 64 << 10
	restFor     = time.Second
	endFor      = 10 * time.Millisecond
)

// keptBuffer is the size up to which buffers are used again.
const keptBuffer = 64 << 10

var (
	wholes = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}
	chunks = sync.Pool{New: func() any { b := make([]byte, 4<<10); return &b }}
)

// read reads an answer until it is complete or broken.
func (c *Client) read(a *attempt, resp *http.Response, v *verdict) {
	v.Status = resp.StatusCode
	isJSON := strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json")
	switch {
	case resp.StatusCode >= 300:
		c.readProblem(resp, v)
	case a.call.Stream && !isJSON:
		c.readStream(a, resp, v)
	default: // or a vendor that does not stream, or says in JSON that it will not
		c.readWhole(a, resp, v)
		if v.Kind == Success {
			a.offer(v.reply.Text)
		}
	}
}

// readProblem reads an answer that is an error. A body that breaks off says what it can.
func (c *Client) readProblem(resp *http.Response, v *verdict) {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, longestProblem))
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
	size, whole := 0, false
	for !s.Done() && v.fault == nil && !whole {
		n, err := resp.Body.Read(*buf)
		if n > 0 {
			text, begun := s.Feed((*buf)[:n])
			life.sign(begun, s.Done(), v)
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
		begun = begun || !blank(b[len(b):len(b)+n])
		b = b[:len(b)+n]
		whole = err == io.EOF
		if n > 0 {
			life.sign(begun, whole || int64(len(b)) == resp.ContentLength, v)
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

// life tells the core that an attempt lives: its first token at once, bytes after it only as
// often as keeps the core from taking the answer for dead.
type life struct {
	c    *Client
	a    *attempt
	told time.Duration
}

// sign takes note of bytes that have just come: whether the first token is among what has come so far,
// and whether that is all, in which case the verdict will tell.
func (l *life) sign(begun, all bool, v *verdict) {
	if !begun {
		return
	}
	now := l.c.now()
	switch {
	case !l.a.started && all:
		v.FirstToken = now
	case !l.a.started:
		l.a.started, l.told = true, now
		l.c.hurry(l.a, InputFirstToken)
	case !all && now-l.told >= l.c.cfg.Stack.Timeouts.Gap/4:
		l.told = now
		l.c.hurry(l.a, InputProgress)
	}
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

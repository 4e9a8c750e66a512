package mockupstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	headMax = 16 << 10 // bytes that are kept of a body whose call stands in a CallHeader
	keepMax = 1 << 20  // a larger buffer is not kept for the next call
	// burstMax is how many bytes are put together for a client that the stream ran ahead of.
	burstMax = 64 << 10
)

// visit is one call under way. Visits are used again, with their buffers and timers.
type visit struct {
	server *Server
	term   *term
	w      http.ResponseWriter
	out    *http.ResponseController
	life   context.Context // done when the client has gone away, or the server must end
	two    bool            // HTTP/2

	ask  Ask
	plan Plan
	used Usage // if it is answered whole

	timer *time.Timer
	buf   []byte
	quiet time.Duration // since when nothing was sent, by the plan
	sent  bool          // the head has been sent
	timed bool          // the connection has a deadline for reading

	deadline time.Time // for writing, as it was set last

	settled bool
	seen    Sighting
}

var visits = sync.Pool{New: func() any {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &visit{timer: t}
}}

// serveCall serves a request in a vendor's form.
func (s *Server) serveCall(w http.ResponseWriter, r *http.Request) {
	v := visits.Get().(*visit)
	defer func() {
		if cap(v.buf) > keepMax {
			v.buf = nil
		}
		*v = visit{timer: v.timer, buf: v.buf[:0]}
		visits.Put(v)
	}()
	v.server, v.term, v.w, v.out = s, s.term.Load(), w, http.NewResponseController(w)
	v.life, v.two = r.Context(), r.ProtoMajor == 2
	page := v.read(r)
	if page == nil {
		v.ask, page = v.term.codec.Read(v.term.now(), r, v.buf)
		v.buf = v.buf[:0]
	}
	if page == nil {
		v.plan, v.used, page = v.term.admit(&v.ask)
	}
	if page != nil {
		v.term.reject(page.Status)
		v.answer(page)
		return
	}
	v.quiet = v.plan.At
	v.term.metrics.admitted(v)
	defer v.end()
	v.act()
	if !v.settled || v.seen.Gone {
		v.cut() // nobody may take what was sent for all there is
	}
}

// read takes the request's body in, or says why not. Then the connection is closed; of HTTP/2 the stream is.
func (v *visit) read(r *http.Request) *Page {
	limit := v.server.cfg.BodyMax
	v.timed = true
	if r.ContentLength == 0 {
		return nil
	}
	// After an error the deadline stays, for net/http tries to read the rest.
	if v.life.Value(timed{}) == nil {
		_ = v.out.SetReadDeadline(time.Now().Add(v.server.cfg.ReadTimeout))
	}
	var err error = &http.MaxBytesError{Limit: limit}
	if r.ContentLength <= limit {
		body := r.Body
		if r.ContentLength < 0 { // else net/http ends the body where it said it would
			body = http.MaxBytesReader(v.w, body, limit)
		}
		err = v.fill(body, len(r.Header[CallHeader]) > 0)
	}
	if err == nil {
		return nil
	}
	no := &objection{reason: cutBody}
	switch large := (*http.MaxBytesError)(nil); {
	case errors.As(err, &large):
		no = &objection{reason: largeBody, detail: strconv.FormatInt(limit, 10)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		no = &objection{reason: lateBody}
	}
	page := v.term.codec.unread(v.term.now(), r, no)
	if !v.two {
		page.Header.Set("Connection", "close")
	}
	return page
}

// fill reads a body to its end, and keeps it in the buffer: whole, or its beginning.
func (v *visit) fill(body io.Reader, beginning bool) error {
	for {
		v.buf = slices.Grow(v.buf, 4<<10)
		n, err := body.Read(v.buf[len(v.buf):cap(v.buf)])
		v.buf = v.buf[:len(v.buf)+n]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if beginning && len(v.buf) >= headMax {
			_, err = io.Copy(io.Discard, body)
			return err
		}
	}
}

// act does what the plan says.
func (v *visit) act() {
	p := &v.plan
	switch {
	case p.Fate == FateRefused:
		if v.until(p.End) {
			v.refuse()
		}
	case p.Fate == FateHang:
		v.until(never)
	case p.Fate == FateClosed:
		if v.open() && v.until(p.End) {
			v.settle(true)
			v.cut()
		}
	case v.ask.Stream && p.Code == CodeOK:
		v.stream()
	default:
		v.whole()
	}
}

// whole sends an answer that is no stream: all of it at the plan's end, or half.
func (v *visit) whole() {
	p := &v.plan
	if !v.until(p.End) {
		return
	}
	stays := p.Fate == FateStall
	if !stays {
		v.settle(true)
	}
	v.buf = v.term.codec.Body(v.buf[:0], &v.ask, p, v.used)
	if !v.sent {
		v.head(len(v.buf))
	}
	if p.Fate != FateBreak && p.Fate != FateStall {
		v.seen.Gone = !v.write(false)
		return
	}
	v.buf = v.buf[:len(v.buf)/2]
	switch {
	case !v.write(true):
		v.seen.Gone = true
	case stays:
		v.until(never)
	default:
		v.cut()
	}
}

// settle ends the call at the provider, once: at its planned end (whole) or before.
func (v *visit) settle(whole bool) {
	if v.settled {
		return
	}
	v.settled = true
	v.seen.Ended, v.seen.Used = v.term.settle(&v.ask, &v.plan, whole)
}

// end sees to it that a call was settled, whatever happened.
func (v *visit) end() {
	if !v.settled {
		v.seen.Gone = true
		v.settle(false)
	}
	v.seen.Ask, v.seen.Plan = v.ask, v.plan
	v.term.metrics.ended(v)
	if observe := v.server.cfg.Observe; observe != nil {
		observe(v.seen)
	}
}

// refuse resets the connection, as one that was never accepted. In HTTP/2, where others share it, the
// stream is reset.
func (v *visit) refuse() {
	v.settle(true)
	conn, _, err := v.out.Hijack()
	if err != nil {
		v.cut()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// cut ends the connection (in HTTP/2: the stream) without an end to the answer.
func (v *visit) cut() { panic(http.ErrAbortHandler) }

// answer sends a page that is no call's.
func (v *visit) answer(p *Page) {
	v.header(p.Header)
	v.w.Header().Set("Content-Length", strconv.Itoa(len(p.Body)))
	v.w.WriteHeader(p.Status)
	v.buf = append(v.buf[:0], p.Body...)
	v.write(false)
}

func (v *visit) header(h http.Header) {
	to := v.w.Header()
	for name, values := range h {
		to[name] = values
	}
}

// head puts the answer's head ahead of the next write; length -1: unknown.
func (v *visit) head(length int) {
	status := v.term.codec.Head(v.w.Header(), &v.ask, &v.plan)
	if length >= 0 {
		v.w.Header().Set("Content-Length", strconv.Itoa(length))
	}
	v.w.WriteHeader(status)
	v.sent = true
}

// write sends what is in the buffer, and reports whether the client took it. Without flush it may stay
// in net/http's buffers until the answer's end.
func (v *visit) write(flush bool) bool {
	// A deadline that is good for half of the time is left as it is: to set it costs.
	if now := time.Now(); v.deadline.Sub(now) < v.server.cfg.WriteTimeout/2 {
		v.deadline = now.Add(v.server.cfg.WriteTimeout)
		_ = v.out.SetWriteDeadline(v.deadline)
	}
	_, err := v.w.Write(v.buf)
	if err == nil && flush {
		err = v.out.Flush()
		if v.two {
			// In HTTP/2 the deadline is not the write's but the stream's.
			_ = v.out.SetWriteDeadline(time.Time{})
			v.deadline = time.Time{}
		}
	}
	v.buf = v.buf[:0]
	return err == nil
}

package stack_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// listen accepts connections on a free port and has each handled once a whole request came
// in, until the test ends.
func listen(t *testing.T, handle func(conn net.Conn)) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				req, err := http.ReadRequest(bufio.NewReader(conn))
				if err == nil {
					_, _ = io.Copy(io.Discard, req.Body)
					handle(conn)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// once leaves one attempt, and no patience with what a test is to find out.
func once(cfg *stack.ClientConfig, kind stack.OutcomeKind) {
	cfg.Stack.Retry.Attempts = 1
	t := &cfg.Stack.Timeouts
	t.FirstToken, t.PrefillPerToken, t.Gap = time.Minute, 0, time.Minute
	switch kind {
	case stack.FirstTokenTimeout:
		t.FirstToken, t.Whole = 100*time.Millisecond, 100*time.Millisecond
	case stack.GapTimeout:
		t.Gap = 100 * time.Millisecond
	}
}

// raw answers with bytes and closes the connection.
func raw(text string) func(net.Conn) {
	return func(conn net.Conn) { _, _ = io.WriteString(conn, text) }
}

const (
	eventHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	oneToken  = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
)

// Ensure whatever a vendor does on a real socket is a typed outcome: no hang, no panic, one end.
func TestFaultsOnTheWire(t *testing.T) {
	silent := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) } // until the client goes
	stall := func(conn net.Conn) { raw(eventHead + oneToken)(conn); silent(conn) }
	for _, tt := range []struct {
		name   string
		stream bool
		handle func(net.Conn)
		kind   stack.OutcomeKind
		status int
		says   string // part of the error
	}{
		{"half-open: it accepts and never answers", false, silent, stack.FirstTokenTimeout, 0, ""},
		{"half-open stream", true, silent, stack.FirstTokenTimeout, 0, ""},
		{"head, and nothing after it", true, func(c net.Conn) { raw(eventHead)(c); silent(c) }, stack.FirstTokenTimeout, 0, ""},
		{"a stream that stands still", true, stall, stack.GapTimeout, 0, ""},
		{"closed without a word", false, raw(""), stack.StreamBroken, 0, "EOF"},
		{"no HTTP", false, raw("220 smtp ready\r\n"), stack.StreamBroken, 0, "malformed"},
		{"header of 1 MB", false, raw("HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 1<<20) + "\r\n\r\n{}"), stack.StreamBroken, 0, "headers exceeded"},
		{"body cut half-way", false, raw("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"choices\":[{"), stack.StreamBroken, 200, "unexpected EOF"},
		{"chunks cut half-way", true, raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n500\r\n" + oneToken), stack.StreamBroken, 200, "unexpected EOF"},
		{"a stream without its last event", true, raw(eventHead + oneToken), stack.StreamBroken, 200, "last event"},
		{"an error in a 200 stream", true, raw(eventHead + oneToken + "data: {\"error\":{\"message\":\"full\",\"code\":503}}\n\n"), stack.StreamBroken, 503, "full"},
		{"an error in a 200", false, raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"message\":\"full\",\"code\":502}}"), stack.StreamBroken, 502, "full"},
		{"an empty 200", false, raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), stack.StreamBroken, 200, "empty"},
		{"a 500 cut half-way", false, raw("HTTP/1.1 500 No\r\nContent-Length: 500\r\n\r\noh"), stack.ServerError, 500, ""},
		{"a 400 without end", false, endless("HTTP/1.1 400 No\r\n\r\n"), stack.BadRequest, 400, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := setup(listen(t, tt.handle))
			once(&cfg, tt.kind)
			c := newClient(t, cfg)
			call := ask(1, "ping")
			call.Whole = !tt.stream
			a, err := c.Do(context.Background(), call)
			var e *stack.EndError
			if !errors.As(err, &e) || !errors.Is(err, stack.ErrAttempts) && !errors.Is(err, stack.ErrRefused) {
				t.Fatalf("error %v", err)
			}
			if e.Outcome.Kind != tt.kind || e.Outcome.Status != tt.status || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("outcome %v, status %d: %v", e.Outcome.Kind, e.Outcome.Status, err)
			}
			if len(a.Result.Steps) != 1 {
				t.Errorf("%d steps", len(a.Result.Steps))
			}
			atRest(t, c)
		})
	}
}

// endless answers without end, until the client goes.
func endless(head string) func(net.Conn) {
	return func(conn net.Conn) {
		_, err := io.WriteString(conn, head)
		for line := strings.Repeat("x", 4096); err == nil; {
			_, err = io.WriteString(conn, line)
		}
	}
}

// Ensure what follows the last event holds up nobody: neither bytes without end nor silence.
func TestAfterTheLastEvent(t *testing.T) {
	end := eventHead + oneToken + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	for name, handle := range map[string]func(net.Conn){
		"endless": endless(end),
		"silent":  func(conn net.Conn) { raw(end)(conn); _, _ = io.Copy(io.Discard, conn) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := setup(listen(t, handle))
			once(&cfg, stack.Success)
			c := newClient(t, cfg)
			a, err := c.Do(context.Background(), streamed(ask(1, "ping")))
			if err != nil || a.Text != "a" {
				t.Errorf("%q, %v", a.Text, err)
			}
			atRest(t, c)
		})
	}
}

// Ensure heartbeats keep a stream alive after its first token, and are no token before it.
func TestHeartbeats(t *testing.T) {
	for _, tt := range []struct {
		name, before string
		kind         stack.OutcomeKind
	}{
		{"before the first token", "", stack.FirstTokenTimeout},
		{"after it", oneToken, stack.Success},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := listen(t, func(conn net.Conn) {
				_, err := io.WriteString(conn, eventHead+tt.before)
				for begun := time.Now(); err == nil && time.Since(begun) < 800*time.Millisecond; time.Sleep(5 * time.Millisecond) {
					_, err = io.WriteString(conn, ": beat\n\n")
				}
				_, _ = io.WriteString(conn, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			})
			cfg := setup(url)
			once(&cfg, tt.kind)
			cfg.Stack.Timeouts.Gap = 500 * time.Millisecond
			c := newClient(t, cfg)
			a, _ := c.Do(context.Background(), streamed(ask(1, "ping")))
			if k := a.Result.Steps[0].Outcome.Kind; k != tt.kind {
				t.Errorf("outcome %v, want %v", k, tt.kind)
			}
		})
	}
}

// Ensure fillers before an answer that is no stream are no token either.
func TestFillers(t *testing.T) {
	const pause = 50 * time.Millisecond
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "\n\n")
		w.(http.Flusher).Flush()
		time.Sleep(pause)
		say(w, q, "pong")
	})
	c := newClient(t, setup(v.URL))
	a, err := c.Do(context.Background(), ask(1, "ping"))
	if err != nil || a.Text != "pong" {
		t.Fatalf("%q, %v", a.Text, err)
	}
	if a.Result.FirstToken < pause {
		t.Errorf("first token after %v, fillers until %v", a.Result.FirstToken, pause)
	}
}

// Ensure a refused connection and a name without address are failures of the connection, which
// have certainly cost nothing.
func TestConnectFailed(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	noName := func(context.Context, string) ([]string, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "vendor.invalid", IsNotFound: true}
	}
	tlsOnly := httptest.NewUnstartedServer(http.NotFoundHandler())
	tlsOnly.Config.ErrorLog = log.New(io.Discard, "", 0)
	tlsOnly.StartTLS()
	defer tlsOnly.Close()
	for name, change := range map[string]func(*stack.ClientConfig){
		"refused": func(*stack.ClientConfig) {},
		"no name": func(c *stack.ClientConfig) {
			c.Endpoints[0].BaseURL, c.Pool.Lookup = "http://vendor.invalid/v1", noName
		},
		"handshake":     func(c *stack.ClientConfig) { c.Endpoints[0].BaseURL = tlsOnly.URL },
		"own transport": func(c *stack.ClientConfig) { c.Transport = &http.Transport{} },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := setup(gone.URL)
			cfg.Stack.Retry.Attempts = 1
			change(&cfg)
			c := newClient(t, cfg)
			a, err := c.Do(context.Background(), ask(1, "ping"))
			if k := a.Result.Steps[0].Outcome.Kind; k != stack.ConnectFailed {
				t.Errorf("outcome %v: %v", k, err)
			}
			atRest(t, c)
		})
	}
}

// Ensure a vendor that is killed under calls and comes back at its address is used again, and each
// call ends once.
func TestKilledAndRestarted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	arrived := make(chan struct{}, 100)
	hold := make(chan struct{})
	var v vendor
	first := &http.Server{Handler: v.handler(func(http.ResponseWriter, *asked) { arrived <- struct{}{}; <-hold })}
	go func() { _ = first.Serve(l) }()
	cfg := setup("http://" + addr)
	cfg.Stack.Retry.Attempts, cfg.Stack.Retry.Cap = 20, 50*time.Millisecond
	watch := newEnds()
	cfg.Observer = watch
	c := newClient(t, cfg)
	const n = 20
	done := make(chan error, n)
	for i := range n {
		c.Go(context.Background(), streamed(ask(i, "ping")), func(_ *stack.Answer, err error) { done <- err })
	}
	for range n {
		<-arrived
	}
	_ = first.Close()
	close(hold)
	if l, err = net.Listen("tcp", addr); err != nil {
		t.Fatal(err)
	}
	second := &http.Server{Handler: v.handler(func(w http.ResponseWriter, q *asked) { say(w, q, "pong") })}
	go func() { _ = second.Serve(l) }()
	defer func() { _ = second.Close() }()
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	atRest(t, c)
	_ = c.Close()
	watch.check(t, n)
}

// Ensure a write is sent once for each attempt the core made, however the kept connection died:
// what net/http would send again by itself is left to the core (INV-43).
func TestWriteIsNotSentTwice_INV43(t *testing.T) {
	for _, write := range []bool{true, false} {
		t.Run(fmt.Sprint("write ", write), func(t *testing.T) {
			v := newVendor(t, func(w http.ResponseWriter, q *asked) {
				if q.Number != 2 {
					say(w, q, "pong")
					return
				}
				// The kept connection dies with the request read and no byte of an answer.
				conn, _, err := w.(http.Hijacker).Hijack()
				if err == nil {
					_ = conn.Close()
				}
			})
			c := newClient(t, setup(v.URL))
			if _, err := c.Do(context.Background(), ask(1, "ping")); err != nil {
				t.Fatal(err)
			}
			call := ask(2, "ping")
			call.Write = write
			a, err := c.Do(context.Background(), call)
			if err != nil {
				t.Fatal(err)
			}
			if s := a.Result.Steps; len(s) != 2 || s[0].Outcome.Kind != stack.StreamBroken {
				t.Errorf("steps %+v", s)
			}
			seen := v.requests()
			if len(seen) != 3 {
				t.Fatalf("%d requests were seen, want 3", len(seen))
			}
			key := seen[1].Head.Get("Idempotency-Key")
			if key != seen[2].Head.Get("Idempotency-Key") || (key != "") != write {
				t.Errorf("keys %q and %q", key, seen[2].Head.Get("Idempotency-Key"))
			}
		})
	}
}

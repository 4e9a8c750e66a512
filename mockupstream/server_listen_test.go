package mockupstream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestListen(t *testing.T) {
	for addr, remote := range map[string]bool{
		"127.0.0.1:0":          false,
		"127.1.2.3:0":          false,
		"[::ffff:127.0.0.1]:0": false,
		"localhost:0":          false,
		":0":                   true,
		"0.0.0.0:0":            true,
		"[::]:0":               true,
		"192.0.2.1:0":          true,
		"[fe80::1%lo]:0":       true,
	} {
		l, err := Listen(addr, false)
		var far *RemoteError
		if errors.As(err, &far) != remote || remote && (far.Addr != addr || !strings.Contains(err.Error(), addr)) || !remote && err != nil {
			t.Errorf("%s: error %v, want a RemoteError: %v", addr, err, remote)
		}
		if err == nil {
			l.Close()
		}
	}
	l, err := Listen("0.0.0.0:0", true)
	if err != nil {
		t.Fatalf("allowed, but: %v", err)
	}
	defer l.Close()
	for _, addr := range []string{"127.0.0.1", "127.0.0.1:99999", "nowhere.invalid:0", fmt.Sprint("127.0.0.1:", strings.TrimPrefix(l.Addr().String(), "[::]:"))} {
		for _, remote := range []bool{true, false} {
			again, err := Listen(addr, remote)
			var far *RemoteError
			if err == nil || errors.As(err, &far) {
				t.Errorf("%s, remote %v: %v", addr, remote, err)
			}
			if again != nil {
				again.Close()
			}
		}
	}
}

// TestServeFails: a listener that is broken is told.
func TestServeFails(t *testing.T) {
	s, err := NewServer(ServerConfig{Provider: single(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := s.Serve(context.Background(), l); err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("Serve: %v", err)
	}
	if _, err := NewServer(ServerConfig{Provider: single(-1, 0)}); err == nil {
		t.Error("a server with a negative limit")
	}
}

// TestServeStops: what can end within the grace does, all else is cut; every call is settled and
// nothing is left (launch sees to that).
func TestServeStops(t *testing.T) {
	cfg := fleet(1, 2)
	cfg.Models[0].Latency = Latency{Base: 20 * tms, PerOutputToken: tms}
	cfg.Faults = []Fault{{Kind: FaultBlackhole, For: time.Hour, Share: 1, Keys: []int{1}}}
	cfg.Keys[0].ID = "k"
	h := launch(t, ServerConfig{Provider: cfg, Grace: ts})
	short := Call{ID: 1, Attempt: 1, In: 100, Out: 20, MaxOut: 20}
	long := Call{ID: 2, Attempt: 1, In: 100, Out: 1e6, MaxOut: 1e6}
	shorts, longs := make(chan heard, 8), make(chan heard, 12)
	for i := range 8 {
		go func() { shorts <- h.ask(short, i%2 == 0) }()
		go func() { longs <- h.ask(long, i%2 == 0) }()
		if i%2 == 0 {
			go func() {
				r := h.request(context.Background(), short, i%4 == 0)
				r.Header.Set("Authorization", "Bearer k1")
				longs <- h.send(r)
			}()
		}
	}
	h.await("the calls", func() bool { return h.Books().Received == 20 })
	idle := h.dial() // a connection without a request
	defer idle.Close()
	h.stop()
	for range 8 {
		if got := <-shorts; got.status != 200 || got.err != nil {
			t.Errorf("a short call: status %d, %v", got.status, got.err)
		}
	}
	for range 12 {
		if got := <-longs; got.err == nil {
			t.Errorf("a long call came to an end: status %d", got.status)
		}
	}
	whole := 0
	for range 20 {
		if seen := h.over(); !seen.Gone {
			whole++
		}
	}
	if b := h.Books(); whole != 8 || b.Running != 0 || b.Received != 20 {
		t.Errorf("%d whole, %d run of %d", whole, b.Running, b.Received)
	}
	if _, err := idle.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the idle connection: %v", err)
	}
}

// TestServerLimits: what is too large or too slow is refused, and is no call.
func TestServerLimits(t *testing.T) {
	h := launch(t, ServerConfig{Provider: brisk(DialectOpenAI), BodyMax: 1000, ReadTimeout: 250 * tms})
	post := "POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer k\r\n"
	for name, c := range map[string]struct {
		request string
		status  int
		has     string
	}{
		"a header of 1 MB":     {post + "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", 431, ""},
		"a body that says so":  {post + "Content-Length: 1001\r\n\r\n", 413, "larger than 1000 bytes"},
		"a body that does not": {post + "Transfer-Encoding: chunked\r\n\r\n800\r\n" + strings.Repeat(" ", 0x800) + "\r\n0\r\n\r\n", 413, "request_too_large"},
		"a called body": {
			post + CallHeader + ": " + hello.Text() + "\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" + strings.Repeat(" ", 0x800) + "\r\n0\r\n\r\n", 413, "request_too_large",
		},
		"half a body":            {post + "Content-Length: 100\r\n\r\n{", 408, "Timed out reading request body"},
		"a body that is garbled": {post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, "could not be read"},
		"no JSON":                {post + "Content-Length: 1\r\n\r\n{", 400, "error"},
		"a path nobody knows":    {"GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n", 404, ""},
		"no HTTP":                {"hello\r\n\r\n", 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			conn := h.dial()
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			go func() { _, _ = io.WriteString(conn, c.request) }()
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if c.status == 431 && errors.Is(err, syscall.ECONNRESET) {
				return // it was too slow to see the answer: net/http waits half a second, then the unread rest resets
			}
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if resp.StatusCode != c.status || !strings.Contains(string(body), c.has) || err != nil {
				t.Errorf("status %d, error %v: %s", resp.StatusCode, err, body)
			}
		})
	}
	half := h.dial() // a header that does not end
	defer half.Close()
	_, _ = io.WriteString(half, "POST /v1")
	_ = half.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.ReadAll(half); err != nil {
		t.Errorf("half a header: %v", err)
	}
	if b := h.Books(); b.Received != 0 {
		t.Errorf("%d calls", b.Received)
	}
}

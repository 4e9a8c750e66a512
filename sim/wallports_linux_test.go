package sim

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// TestClaimPortExhaustion is A11's second failure: a client that makes a connection for every request runs out of
// ports, because each of them stays taken for a while after its end (TIME_WAIT); one that keeps a pool does not.
//
// Linux has 28 232 ports to one host by default, and a port that was closed is taken for 60 s: 470 requests a
// second. To the own machine it may be taken again after one (tcp_tw_reuse). So that the test need not make tens of thousands of
// connections, the naive client has 200 ports to choose from, and as many requests as the machine can make of them in well under a
// second. It is the same arithmetic.
func TestClaimPortExhaustion(t *testing.T) {
	const ports, callers, each = 200, 40, 25
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(10 * time.Millisecond)
	}))
	defer server.Close()
	dialer := &net.Dialer{Control: portRange(t, 40_000, 40_000+ports-1)}
	var served, exhausted atomic.Int64
	naive := func() {
		transport := &http.Transport{DialContext: dialer.DialContext}
		defer transport.CloseIdleConnections() // the client closes first, as one without a pool does
		resp, err := (&http.Client{Transport: transport}).Post(server.URL, "text/plain", strings.NewReader("yes?"))
		switch {
		case err == nil:
			_ = resp.Body.Close()
			served.Add(1)
		case errors.Is(err, syscall.EADDRNOTAVAIL):
			exhausted.Add(1)
		default:
			t.Errorf("naive: %v", err)
		}
	}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range each {
				naive()
			}
		})
	}
	wg.Wait()

	c, done := wallVendors(t, 1, stack.PoolConfig{})
	defer done()
	wallLoad(t, c, callers, each, 1) // it fails if one request does
	dialled := int64(0)
	for _, p := range c.Pools() {
		dialled += p.Dialled
	}
	t.Logf("%d requests by %d callers: naive %d served, %d without a port of %d; the stack all, with %d connections",
		callers*each, callers, served.Load(), exhausted.Load(), ports, dialled)
	if exhausted.Load() == 0 || served.Load() < ports/2 {
		t.Errorf("the naive client: %d served, %d without a port", served.Load(), exhausted.Load())
	}
	if dialled > ports/2 {
		t.Errorf("the stack made %d connections for %d callers", dialled, callers)
	}
}

// portRange has sockets choose their port from a range (IP_LOCAL_PORT_RANGE, Linux 6.3).
func portRange(t *testing.T, low, high int) func(network, address string, c syscall.RawConn) error {
	t.Helper()
	const ipLocalPortRange = 51
	limit := func(fd int) error {
		return syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, ipLocalPortRange, high<<16|low)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := limit(fd); errors.Is(err, syscall.ENOPROTOOPT) {
		t.Skip("this kernel cannot narrow the range of ports (Linux 6.3 can)")
	}
	return func(_, _ string, c syscall.RawConn) (err error) {
		if cerr := c.Control(func(fd uintptr) { err = limit(int(fd)) }); cerr != nil {
			return cerr
		}
		return err
	}
}

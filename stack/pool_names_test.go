package stack_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// Ensure a host that has moved is found by the next attempt.
func TestNameMoves(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) { say(w, q, "pong") })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(v.URL, "http://"))
	asks := 0
	cfg := setup("http://vendor.test:" + port)
	cfg.Pool.Lookup = func(context.Context, string) ([]string, error) {
		if asks++; asks == 1 {
			return []string{"127.0.0.2", "127.0.0.3"}, nil // nobody listens there
		}
		return []string{"127.0.0.1"}, nil
	}
	c := newClient(t, cfg)
	a, err := c.Do(context.Background(), ask(1, "ping"))
	if err != nil || len(a.Result.Steps) != 2 || asks != 2 {
		t.Errorf("%v, %d steps, asked %d times", err, len(a.Result.Steps), asks)
	}
}

// Ensure two clients that look up one name at the same time each get what their own function finds.
func TestNamesAreNotShared(t *testing.T) {
	var both atomic.Int32
	met := make(chan struct{})
	var names [2]stack.Name
	for i := range names {
		names[i] = stack.NewName("vendor.test", func(context.Context, string) ([]string, error) {
			if both.Add(1) == 2 {
				close(met)
			}
			<-met
			return []string{fmt.Sprint("10.0.0.", i)}, nil
		}, time.Minute)
	}
	found := make(chan string, 2)
	for i := range names {
		go func() {
			addrs, err := names[i].Addresses(context.Background())
			found <- fmt.Sprint(i, addrs, err)
		}()
	}
	got := []string{<-found, <-found}
	slices.Sort(got)
	if want := []string{"0 [10.0.0.0] <nil>", "1 [10.0.0.1] <nil>"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Ensure a resolver that hangs leaves the connection its time where there are old addresses, a context
// that ends is heeded, and what comes late is used.
func TestSlowRefresh(t *testing.T) {
	hold := make(chan struct{})
	asks := 0
	n := stack.NewName("vendor.test", func(context.Context, string) ([]string, error) {
		if asks++; asks == 1 {
			return []string{"1.1.1.1"}, nil
		}
		<-hold
		return []string{"2.2.2.2"}, nil
	}, 100*time.Millisecond)
	first := func(ctx context.Context) string {
		addrs, err := n.Addresses(ctx)
		if err != nil {
			return err.Error()
		}
		return addrs[0]
	}
	if got := first(context.Background()); got != "1.1.1.1" {
		t.Fatal(got)
	}
	n.Expire()
	within, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if got := first(within); got != "1.1.1.1" || within.Err() != nil {
		t.Errorf("%s, %v", got, within.Err())
	}
	n.Expire()
	ended, stop := context.WithCancel(context.Background())
	stop()
	if got := first(ended); got != "1.1.1.1" {
		t.Error(got)
	}
	close(hold)
	for first(context.Background()) != "2.2.2.2" {
		time.Sleep(time.Millisecond)
	}
}

// Ensure an address that does not answer costs its head start alone, those that refuse nothing, and that the
// first error is told where all fail.
func TestRace(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, q *asked) { say(w, q, "pong") })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(v.URL, "http://"))
	hung := make(chan struct{}, 2)
	d := &net.Dialer{ControlContext: func(ctx context.Context, _, addr string, _ syscall.RawConn) error {
		if strings.HasPrefix(addr, "127.0.0.9:") {
			<-ctx.Done()
			hung <- struct{}{}
			return ctx.Err()
		}
		return nil
	}}
	begun := time.Now()
	conn, err := stack.Race(context.Background(), d, port, []string{"127.0.0.9", "127.0.0.2", "127.0.0.1", "127.0.0.9"})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); conn.RemoteAddr().String() != "127.0.0.1:"+port || took > 3*time.Second {
		t.Errorf("connected to %v after %v", conn.RemoteAddr(), took)
	}
	_ = conn.Close()
	<-hung // the loser is called off
	_, err = stack.Race(context.Background(), d, port, []string{"127.0.0.2", "127.0.0.3"})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.") {
		t.Errorf("all refuse: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = stack.Race(ended, d, port, []string{"127.0.0.1", "127.0.0.2"}); !errors.Is(err, context.Canceled) && !strings.Contains(fmt.Sprint(err), "canceled") {
		t.Errorf("ended: %v", err)
	}
}

// Ensure both families have their turn, in their order.
func TestAlternate(t *testing.T) {
	for list, want := range map[string]string{
		"":                              "",
		"1.1.1.1":                       "1.1.1.1",
		"::1 ::2 ::3 1.1.1.1":           "::1 1.1.1.1 ::2 ::3",
		"1.1.1.1 1.1.1.2 ::1":           "1.1.1.1 ::1 1.1.1.2",
		"::ffff:1.1.1.1 ::1 ::2 ::3":    "::ffff:1.1.1.1 ::1 ::2 ::3",
		"1.1.1.1 1.1.1.2":               "1.1.1.1 1.1.1.2",
		"fe80::1%eth0 odd 1.1.1.1 ::ff": "fe80::1%eth0 1.1.1.1 odd ::ff",
	} {
		if got := strings.Join(stack.Alternate(strings.Fields(list)), " "); got != want {
			t.Errorf("%q became %q, want %q", list, got, want)
		}
	}
}

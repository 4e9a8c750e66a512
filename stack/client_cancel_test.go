package stack_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-4fd17b57/simload/stack"
)

// narrow leaves one request on the wire at a time.
func narrow(cfg *stack.ClientConfig) {
	cfg.Stack.Concurrency.Controller, cfg.Stack.Concurrency.Start = "static", 1
	cfg.Stack.Reserve.Slots = 0
}

// Ensure a call that is cancelled before its grant is never sent, and one on the wire is taken
// off it (INV-21, INV-33).
func TestCancelBeforeAndAfterTheGrant_INV21(t *testing.T) {
	arrived, gone, hold := make(chan struct{}), make(chan struct{}), make(chan struct{})
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		if q.text() != "held" {
			say(w, q, "pong")
			return
		}
		delta(w, "x")
		close(arrived)
		for {
			select {
			case <-hold:
				return
			default:
			}
			if _, err := w.Write([]byte(":\n")); err != nil {
				close(gone)
				return
			}
			w.(http.Flusher).Flush()
		}
	})
	defer close(hold)
	cfg := setup(v.URL)
	narrow(&cfg)
	watch := newEnds()
	cfg.Observer = watch
	c := newClient(t, cfg)
	type end struct {
		a   *stack.Answer
		err error
	}
	held, waiting, third := make(chan end, 1), make(chan end, 1), make(chan end, 1)
	put := func(to chan end) func(*stack.Answer, error) {
		return func(a *stack.Answer, err error) { to <- end{a, err} }
	}
	wire, cancelWire := context.WithCancel(context.Background())
	line, cancelLine := context.WithCancel(context.Background())
	defer cancelWire()
	defer cancelLine()
	c.Go(wire, streamed(ask(1, "held")), put(held))
	<-arrived
	c.Go(line, ask(2, "in line"), put(waiting))
	c.Go(context.Background(), ask(3, "behind"), put(third))

	cancelLine()
	if e := <-waiting; !errors.Is(e.err, context.Canceled) || len(e.a.Result.Steps) != 0 || e.a.Result.Ending != stack.Cancelled {
		t.Errorf("in line: %v, %+v", e.err, e.a.Result)
	}
	cancelWire()
	if e := <-held; !errors.Is(e.err, context.Canceled) || len(e.a.Result.Steps) != 1 || e.a.Result.Steps[0].Outcome.Kind != stack.Aborted {
		t.Errorf("on the wire: %v, %+v", e.err, e.a.Result)
	}
	<-gone
	if e := <-third; e.err != nil { // its slot was given back
		t.Errorf("behind: %v", e.err)
	}
	atRest(t, c)
	if n := len(v.requests()); n != 2 {
		t.Errorf("%d requests reached the vendor, want 2", n)
	}
	_ = c.Close()
	watch.check(t, 3)
}

// Ensure calls that are cancelled at any time end once and leave nothing behind: before the
// grant, as it is made, on the wire, in a backoff, and when it is too late (INV-1, INV-21).
func TestCancelAtAnyTime_INV21(t *testing.T) {
	before := goleak.IgnoreCurrent()
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		switch q.Number % 4 {
		case 0:
			fail(w, 500, "server_error", "no")
		case 1:
			delta(w, "x")
		default:
			say(w, q, "a b c")
		}
	})
	cfg := setup(v.URL)
	cfg.Stack.Concurrency.Controller, cfg.Stack.Concurrency.Start = "static", 8
	cfg.Stack.Retry.BudgetPercent, cfg.Stack.Retry.BudgetBurst = 0, 0
	watch := newEnds()
	cfg.Observer = watch
	c := newClient(t, cfg)
	const n = 600
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			// When it is cancelled is up to the scheduler, which is the point.
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+rand.IntN(30_000))*time.Microsecond)
			defer cancel()
			call := ask(i, "ping")
			call.Whole = false
			var a *stack.Answer
			var err error
			if i%3 == 0 {
				a, err = c.Stream(ctx, call, func(stack.Piece) error { return nil })
			} else {
				a, err = c.Do(ctx, call)
			}
			if (err == nil) != (a.Result.Ending == stack.Succeeded) {
				t.Errorf("ending %v with error %v", a.Result.Ending, err)
			}
			if a.Result.Ending == stack.Cancelled && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("cancelled with error %v", err)
			}
		})
	}
	all.Wait()
	atRest(t, c)
	_ = c.Close()
	for id, k := range watch.done {
		if k != 1 {
			t.Errorf("request %d ended %d times", id, k)
		}
	}
	watch.check(t, n)
	v.Close()
	goleak.VerifyNone(t, before)
}

// Ensure a context that has ended, no prompt, and a closed client are told at once.
func TestNotTaken(t *testing.T) {
	c := newClient(t, setup("http://127.0.0.1:1"))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if a, err := c.Do(ended, ask(1, "ping")); !errors.Is(err, context.Canceled) || a.Result.Ending != stack.Cancelled {
		t.Errorf("ended context: %v", err)
	}
	if a, err := c.Do(context.Background(), stack.Call{}); !errors.Is(err, stack.ErrInvalid) || a.Result.Ending != stack.Rejected {
		t.Errorf("no prompt: %v", err)
	}
	call := ask(1, "ping")
	call.Route = 7
	if _, err := c.Do(context.Background(), call); !errors.Is(err, stack.ErrInvalid) {
		t.Errorf("unknown route: %v", err)
	}
	_ = c.Close()
	_ = c.Close()
	if _, err := c.Do(context.Background(), ask(1, "ping")); !errors.Is(err, stack.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	done := make(chan error, 1)
	c.Go(context.Background(), ask(1, "ping"), func(_ *stack.Answer, err error) { done <- err })
	if err := <-done; !errors.Is(err, stack.ErrClosed) {
		t.Errorf("closed, without waiting: %v", err)
	}
}

// Ensure Close ends what is on the wire, in line and in a backoff, each once, with ErrClosed,
// and sends nothing more.
func TestClose(t *testing.T) {
	before := goleak.IgnoreCurrent()
	arrived, hold := make(chan struct{}, 4), make(chan struct{})
	v := newVendor(t, func(w http.ResponseWriter, q *asked) {
		if q.text() == "again" {
			w.Header().Set("Retry-After", "3600")
			fail(w, 503, "overloaded", "no")
			arrived <- struct{}{}
			return
		}
		arrived <- struct{}{}
		<-hold
	})
	cfg := setup(v.URL)
	cfg.Stack.Concurrency.Controller, cfg.Stack.Concurrency.Start = "static", 2
	watch := newEnds()
	cfg.Observer = watch
	c := newClient(t, cfg)
	done := make(chan error, 30)
	tell := func(_ *stack.Answer, err error) { done <- err }
	c.Go(context.Background(), ask(0, "again"), tell)
	<-arrived
	for i := 1; i < 30; i++ {
		c.Go(context.Background(), ask(i, "held"), tell)
	}
	<-arrived
	_ = c.Close()
	for range 30 {
		if err := <-done; !errors.Is(err, stack.ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
	atRest(t, c)
	if n := len(v.requests()); n > 3 {
		t.Errorf("%d requests reached the vendor", n)
	}
	watch.check(t, 30)
	close(hold)
	v.Close()
	goleak.VerifyNone(t, before)
}

package stack

import (
	"context"
	"iter"
)

// Batch makes calls and yields what becomes of each in input order, whatever the order in which
// they end. No more of them are under way, or done and not yet yielded, than a gate has places in
// line for P1 and P2 (Config.Queue.Bound less the reserve), so that a batch of any length takes bounded
// memory and does not fill the line. An error is that of one call, as with [Client.Do], and the others go
// on. When the loop is left early the rest is cancelled, and has ended before Batch returns.
func (c *Client) Batch(ctx context.Context, calls []Call) iter.Seq2[*Answer, error] {
	bound := c.cfg.Stack.Queue.Bound
	return func(yield func(*Answer, error) bool) {
		c.batch(ctx, calls, max(1, bound-bound*c.cfg.Stack.Reserve.Queue/100), yield)
	}
}

type ended struct {
	answer *Answer
	err    error
}

func (c *Client) batch(ctx context.Context, calls []Call, window int, yield func(*Answer, error) bool) {
	ctx, cancel := context.WithCancel(ctx)
	window = min(window, len(calls))
	line := make([]chan ended, window) // of call i at i modulo window
	for i := range line {
		line[i] = make(chan ended, 1)
	}
	started, taken := 0, 0
	defer func() {
		cancel()
		for ; taken < started; taken++ {
			<-line[taken%window]
		}
	}()
	for taken < len(calls) {
		for ; started < len(calls) && started-taken < window; started++ {
			to := line[started%window]
			c.Go(ctx, calls[started], func(a *Answer, err error) { to <- ended{a, err} })
		}
		e := <-line[taken%window]
		taken++
		if !yield(e.answer, e.err) {
			return
		}
	}
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed-4fd17b57/simload/report"
)

// interruptAgain is how long after the first interrupt another one is meant: "timeout",
// shells and other parents send one Ctrl-C to the process and to its group.
const interruptAgain = 500 * time.Millisecond

// catchInterrupts makes the first SIGINT or SIGTERM (or the end of ctx) set the
// returned flag, and the second call cleanup and end the process with 130.
// release gives the signals back.
func (a *app) catchInterrupts(ctx context.Context, cleanup func()) (stop *atomic.Bool, release func()) {
	stop = new(atomic.Bool)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		ended := ctx.Done()
		var first time.Time
		for {
			select {
			case <-done:
				return
			case <-ended:
				ended = nil
				stop.Store(true)
			case <-signals:
				switch t := a.now(); {
				case first.IsZero():
					first = t
					stop.Store(true)
					a.sayInterrupted()
				case t.Sub(first) >= interruptAgain:
					cleanup()
					a.kill(report.ExitInterrupted)
					return
				}
			}
		}
	}()
	return stop, func() {
		signal.Stop(signals)
		close(done)
	}
}

func (a *app) sayInterrupted() {
	if a.screen.live {
		fmt.Fprintln(a.stderr) // leave the progress line
	}
	fmt.Fprintln(a.stderr, "simload: interrupted, writing what was measured (once more to stop at once)")
}

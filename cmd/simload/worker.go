package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/spf13/cobra"
)

// jobsMax bounds --jobs: each run holds its own histograms.
const jobsMax = 1024

// workerFlags are the flags of the verb worker.
type workerFlags struct {
	nats natsFlags
	jobs int
	name string
}

func (a *app) workerCmd() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:        "worker --nats URL",
		Short:      "carry out runs that others submit",
		SuggestFor: []string{"agent", "runner", "slave"},
		Long: `worker takes runs from a NATS server, carries them out and writes their results there,
until it is told to end (Ctrl-C, SIGTERM): then it hands back what it has not finished. Start as
many as you like, on any machine; they may come and go while a sweep is under way. It reads no file
of its machine: scenarios and traces come from the server.

A worker takes only runs that were submitted by the same version of simload, built by the same Go
for the same architecture, since others need not give the same bytes.

Exit codes: 0 when it was told to end, 2 usage error, or a server that refuses it, 1 internal error.`,
		Example: `  simload worker --nats nats://127.0.0.1:4222
  SIMLOAD_NATS_TOKEN=... simload worker --nats tls://sims.example:4222 --nats-ca ca.pem --jobs 4`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.worker(cmd.Context(), f) },
	}
	f.nats.flags(cmd, "NATS server to take runs from")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "runs at a time, `N` (default: as many as there are processors)")
	cmd.Flags().StringVar(&f.name, "name", "", "`NAME` in lists of workers (default: machine and process)")
	return cmd
}

// worker works until it is told to end.
func (a *app) worker(ctx context.Context, f workerFlags) error {
	switch {
	case !f.nats.given():
		return usagef("worker needs a server to take runs from").hint("name it with --nats URL; simload coordinator starts one")
	case f.jobs < 0 || f.jobs > jobsMax:
		return usagef("--jobs: %d is not from 0 to %d", f.jobs, jobsMax)
	}
	version, err := fleetVersion()
	if err != nil {
		return err
	}
	if f.jobs == 0 {
		f.jobs = runtime.NumCPU()
	}
	if f.name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "worker"
		}
		f.name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	ctx, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer release()
	n := &notices{w: a.stderr, bar: newMeter(a.stderr, a.now, a.screen)}
	cfg := f.nats.config(f.name, n.say)
	cfg.Wait = -1
	b, err := bus.Open(ctx, cfg)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return busFailure(err)
	}
	defer b.Close()
	n.say(fmt.Sprintf("worker %s takes runs from %s, %d at a time (version %s)", f.name, b.Conn.ConnectedUrlRedacted(), f.jobs, version))
	err = fleet.Work(ctx, b, fleet.WorkerConfig{Name: f.name, Version: version, Jobs: f.jobs, Log: n.say})
	if err == nil {
		n.say("worker " + f.name + " has ended; what it had not finished is for others")
	}
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/fleet/load"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/spf13/cobra"
)

// jobsMax bounds --jobs: each run holds its own histograms.
const jobsMax = 1024

// orphanMin bounds --orphan-after.
const orphanMin = 2 * time.Second

// workerFlags are the flags of the verb worker.
type workerFlags struct {
	nats        natsFlags
	jobs        int
	name        string
	called      string // the name that was chosen; "": none
	allowRemote bool
	keyEnv      string
	orphanAfter time.Duration
	redisCA     string
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
of its machine but those that its flags name: scenarios and traces come from the server.

A worker takes only runs that were submitted by the same version of simload, built by the same Go
for the same architecture, since others need not give the same bytes.

It also takes shares of runs on the wall clock (simload run --mode wall --workers N), one at a time
and nothing beside it. Its load goes to this machine alone, unless it was started with
--allow-remote, and so do its questions to the Redis server of shared limits that a run may name;
the key of a target (--key-env) and the password of Redis (` + redisPasswordEnv + `) are in its own
environment. With --allow-remote both go to whatever server a run names: use it only where all who
may submit runs are trusted.

Exit codes: 0 when it was told to end, 2 usage error, or a server that refuses it, 1 internal error.`,
		Example: `  simload worker --nats nats://127.0.0.1:4222
  SIMLOAD_NATS_TOKEN=... simload worker --nats tls://sims.example:4222 --nats-ca ca.pem --jobs 4`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.worker(cmd.Context(), f) },
	}
	f.nats.flags(cmd, "NATS server to take runs from")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "runs at a time, `N` (default: as many as there are processors)")
	cmd.Flags().BoolVar(&f.allowRemote, "allow-remote", false, "take part in load on other machines: it is real load, and may cost real money")
	cmd.Flags().DurationVar(&f.orphanAfter, "orphan-after", 10*time.Second, "end load when nothing was heard for `DURATION` of who leads it")
	cmd.Flags().StringVar(&f.keyEnv, "key-env", defaultKeyEnv, "environment variable `NAME` that holds the key of targets")
	cmd.Flags().StringVar(&f.redisCA, "redis-ca", "", "`FILE` of the CA that signed the certificate of the Redis server of shared limits")
	cmd.Flags().StringVar(&f.name, "name", "", "`NAME` in lists of workers and reports (default: machine and process; in reports the number of its share)")
	return cmd
}

// worker works until it is told to end.
func (a *app) worker(ctx context.Context, f workerFlags) error {
	switch {
	case !f.nats.given():
		return usagef("worker needs a server to take runs from").hint("name it with --nats URL; simload coordinator starts one")
	case f.jobs < 0 || f.jobs > jobsMax:
		return inRange("jobs", f.jobs, 0, jobsMax)
	}
	if f.orphanAfter < orphanMin {
		return usagef("--orphan-after: %v is less than %v", f.orphanAfter, orphanMin).hint("signs of life come every second, and one may be late")
	}
	if err := checkAuthorities("redis-ca", f.redisCA); err != nil {
		return err
	}
	version, err := fleetVersion()
	if err != nil {
		return err
	}
	if f.jobs == 0 {
		f.jobs = runtime.NumCPU()
	}
	f.called = f.name
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
	err = a.work(ctx, b, &f, version, n)
	if err == nil {
		n.say("worker " + f.name + " has ended; what it had not finished is for others")
	}
	return err
}

// work takes runs of sweeps, and shares of load, until it is told to end.
func (a *app) work(ctx context.Context, b *bus.Bus, f *workerFlags, version string, n *notices) error {
	clock, err := testClock()
	if err != nil {
		return err
	}
	var alone sync.RWMutex
	ctx, end := context.WithCancel(ctx)
	defer end()
	loaded := make(chan error, 1)
	go func() {
		defer end()
		loaded <- load.Work(ctx, b, load.WorkerConfig{
			Name: f.name, Called: f.called, Version: version, Allowed: f.allowed, Secret: f.secret, Alone: &alone, Prepare: relaxCollector, Clock: clock, Log: n.say,
			Set: load.Settings{Orphan: f.orphanAfter}, RedisPassword: os.Getenv(redisPasswordEnv), RedisCA: f.redisCA,
		})
	}()
	err = fleet.Work(ctx, b, fleet.WorkerConfig{Name: f.name, Version: version, Jobs: f.jobs, Log: n.say, Beside: &alone})
	end()
	return errors.Join(err, <-loaded)
}

// allowed says what is wrong with load on a URL.
func (f *workerFlags) allowed(at string) error {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" {
		return errors.New("the load goes to no URL")
	}
	if !f.allowRemote && !isLoopback(u.Hostname()) {
		return fmt.Errorf("%s is not on this worker's machine, and it was started without --allow-remote", u.Host)
	}
	return nil
}

// secret reads the key of a target.
func (f *workerFlags) secret() (stack.Secret, error) {
	key := os.Getenv(f.keyEnv)
	if key == "" {
		return stack.Secret{}, fmt.Errorf("the environment variable %s of this worker holds no key for the target", f.keyEnv)
	}
	return stack.NewSecret(key), nil
}

// clockEnv sets a worker's clock wrong, for tests of what is done about clocks that are.
const clockEnv = "SIMLOAD_TEST_CLOCK_OFFSET"

func testClock() (func() time.Time, error) {
	text := os.Getenv(clockEnv)
	if text == "" {
		return time.Now, nil
	}
	off, err := time.ParseDuration(text)
	if err != nil {
		return nil, usagef("%s: %w", clockEnv, err)
	}
	return func() time.Time { return time.Now().Add(off) }, nil
}

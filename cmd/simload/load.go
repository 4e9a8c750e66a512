package main

import (
	"context"
	"errors"
	"strings"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/fleet/load"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

// sharesMax bounds --workers.
const sharesMax = 1000

// loadFlags are the flags of "simload run" about load from many workers.
type loadFlags struct {
	workers    int
	mockListen string
	onLoss     *choice
}

func (f *loadFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.IntVar(&f.workers, "workers", 0, "share a run on the wall clock among `N` workers of the NATS server (--nats)")
	fl.StringVar(&f.mockListen, "mock-listen", "", "`ADDRESS`, host:port, by which workers reach the mock, with --workers (default: a free port on loopback)")
	f.onLoss = &choice{value: "continue", allowed: []string{"continue", "stop"}}
	fl.Var(f.onLoss, "on-loss", "what the others do when a worker is lost, with --workers; the run is invalid either way")
}

// fleetFlags are the flags about other processes.
func (f *runFlags) fleetFlags(cmd *cobra.Command) {
	f.nats.flags(cmd, "have the runs carried out by the workers of a NATS server (see simload coordinator)")
	f.load.flags(cmd)
	shardFlag(cmd, &f.shardText, "the runs (variants times --reps)")
}

// validate checks what belongs together.
func (f *loadFlags) validate(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("workers"):
		for _, name := range []string{"mock-listen", "on-loss"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is about load from many workers", name).hint("add --workers N and --nats URL")
			}
		}
	case f.workers < 1 || f.workers > sharesMax:
		return inRange("workers", f.workers, 1, sharesMax)
	case !cmd.Flags().Changed("nats"):
		return usagef("--workers needs a server that workers take their shares from").hint("name it with --nats URL; simload coordinator starts one")
	}
	return nil
}

// clockOf checks that a scenario's clock is one that workers have.
func (f *runFlags) clockOf(sc *scenario.Scenario, path string) error {
	if !f.nats.given() || f.clock() != "" {
		return nil
	}
	switch wall := sc.Mode() == scenario.ModeWall; {
	case wall && f.load.workers == 0:
		return usagef("--nats is for virtual time, and %s asks for the wall clock", path).hint("add --mode virtual, or --workers N for load from several workers")
	case !wall && f.load.workers > 0:
		return usagef("--workers is for the wall clock, and %s asks for virtual time", path).hint("add --mode wall")
	}
	return nil
}

// validateFleet checks what workers can do.
func (f *runFlags) validateFleet() error {
	if !f.nats.given() {
		return nil
	}
	switch {
	case f.clock() == scenario.ModeWall && f.load.workers == 0:
		return usagef("--nats is for virtual time, or for load from several workers").hint("leave out --mode wall and --target, or add --workers N")
	case f.load.workers > 0 && f.clock() == scenario.ModeVirtual:
		return usagef("--workers is for the wall clock").hint("leave out --mode virtual, or --workers: sweeps find their workers themselves")
	case f.load.workers > 0 && strings.Contains(f.redis, "@"):
		return usagef("--redis: a URL with a user or password in it would be sent to the workers").hint("leave it out, and set %s for each worker", redisPasswordEnv)
	case f.events != "" || f.abortOnFail:
		return usagef("--events and --abort-on-fail are for runs on this machine").hint("leave them out, or --nats")
	}
	return nil
}

// byLoad runs a scenario on the wall clock by the workers of a server, as sim.Run does here.
func (a *app) byLoad(ctx context.Context, f *runFlags, bar *meter) func(*scenario.Scenario, sim.Options) (*sim.Outcome, error) {
	return func(sc *scenario.Scenario, o sim.Options) (*sim.Outcome, error) {
		n := &notices{w: a.stderr, bar: bar}
		version, err := fleetVersion()
		if err != nil {
			return nil, err
		}
		b, err := bus.Open(ctx, f.nats.config("simload load", n.say))
		if err != nil {
			return nil, busFailure(err)
		}
		defer b.Close()
		o.Progress = n.progress(nil, o.Progress)
		how := load.Options{
			Workers: f.load.workers, Version: version, MockListen: f.load.mockListen, MockRemote: f.allowRemote, Log: n.say,
			Set: load.Settings{StopOnLoss: f.load.onLoss.value == "stop"},
		}
		if f.quiet {
			how.Log = func(string) {}
		}
		out, err := load.Run(ctx, b, sc, o, how)
		return out, loadFailure(err, f.load.mockListen)
	}
}

// loadFailure says what to do about a run that could not begin.
func loadFailure(err error, mockListen string) error {
	var divided *sim.ShareError
	var start *load.StartError
	var listen *load.ListenError
	switch {
	case errors.As(err, &listen):
		return listenFailure("mock-listen", mockListen, "127.0.0.1:0", listen.Err)
	case errors.As(err, &divided):
		return usagef("--workers: %w; allowed: %s", err, divided.Allowed).hint("%s", divided.Hint)
	case errors.As(err, &start) && start.Usage:
		return usagef("%w", err)
	}
	return busFailure(err)
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/sim/shard"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/spf13/cobra"
)

// runFlags are the flags of the verb run.
type runFlags struct {
	seed        *uint64 // nil: the scenario's
	reps        int
	sets        []string
	format      *choice
	outs        []string
	events      string
	baseline    string
	judged      judgement // by the baseline
	mode        *choice
	wire        bool
	target      string
	keyEnv      string
	allowRemote bool
	redis       string
	abortOnFail bool
	nats        natsFlags
	load        loadFlags
	shardText   string
	shard       shard.Shard // of shardText; the zero value: all runs
	quiet       bool
}

func (a *app) runCmd() *cobra.Command {
	f := runFlags{reps: 1}
	var seed uint64
	cmd := &cobra.Command{
		Use:               "run SCENARIO...",
		Short:             "run scenarios and judge them",
		SuggestFor:        []string{"simulate", "start", "test"},
		Long:              runLong,
		Example:           runExample,
		Args:              someArgs("scenario file", "simload run scenarios/2000-agents.yaml (or write one: simload init)"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("seed") {
				f.seed = &seed
			}
			if err := f.companions(cmd); err != nil {
				return err
			}
			return a.run(cmd.Context(), args, f)
		},
	}
	fl := cmd.Flags()
	f.format = formatFlag(cmd, "form of the report on stdout", report.Formats()...)
	fl.Uint64Var(&seed, "seed", 0, "seed `N` of all random draws (default: the scenario's)")
	fl.IntVar(&f.reps, "reps", f.reps, "number `N` of replications, each with its own seed")
	fl.StringArrayVar(&f.sets, "set", nil, "override a value of the scenario, as `PATH=VALUE` (repeatable)")
	outputFlag(cmd, &f.outs, "report", report.Formats())
	fl.StringVar(&f.events, "events", "", "write the life of every request to `FILE`, as JSON lines")
	fl.StringVar(&f.baseline, "baseline", "", "compare each run with the report of its scenario in `FILE`, and exit 4 if anything is worse")
	f.judged.flags(cmd, ", with --baseline")
	f.mode = &choice{allowed: []string{scenario.ModeVirtual, scenario.ModeWall}}
	fl.Var(f.mode, "mode", "clock of the run (default: the scenario's, else virtual)")
	fl.BoolVar(&f.wire, "wire", false, "send every attempt of a virtual run through the HTTP codecs; the report is the same")
	fl.StringVar(&f.target, "target", "", "drive the OpenAI-compatible endpoint at `URL`, such as http://127.0.0.1:4000/v1, on the wall clock")
	fl.StringVar(&f.keyEnv, "key-env", defaultKeyEnv, "environment variable `NAME` that holds the target's key")
	fl.BoolVar(&f.allowRemote, "allow-remote", false, "allow a target that is not on this machine: it is real load, and may cost real money")
	fl.StringVar(&f.redis, "redis", "", "share limits through the Redis server at `URL`, on the wall clock, instead of stack.shared.redis; its password may be in "+redisPasswordEnv)
	f.fleetFlags(cmd)
	fl.BoolVar(&f.abortOnFail, "abort-on-fail", false, "end the run when an expectation can no longer hold")
	fl.BoolVar(&f.quiet, "quiet", false, "no progress and no timing on stderr")
	return cmd
}

// companions checks that no flag stands without the one that it is about.
func (f *runFlags) companions(cmd *cobra.Command) error {
	for _, name := range []string{"alpha", "threshold", "strict"} {
		if cmd.Flags().Changed(name) && f.baseline == "" {
			return usagef("--%s is for a comparison", name).hint("add --baseline FILE")
		}
	}
	if err := f.nats.validate(cmd); err != nil {
		return err
	}
	return f.load.validate(cmd)
}

// run loads every scenario and opens every file before the first run starts, so
// that a wrong name costs no simulated hour.
func (a *app) run(ctx context.Context, paths []string, f runFlags) error {
	if err := f.validate(paths); err != nil {
		return err
	}
	scenarios, ok := a.load(paths, f.sets)
	if !ok {
		return nil // the errors are printed
	}
	for i, sc := range scenarios {
		if f.wire && f.clock() == "" && sc.Mode() == scenario.ModeWall {
			return usagef("--wire is for virtual time, and %s asks for the wall clock", paths[i]).hint("add --mode virtual")
		}
		if err := f.clockOf(sc, paths[i]); err != nil {
			return err
		}
	}
	if f.shard.N > 0 {
		return a.runShard(ctx, scenarios[0], &f)
	}
	base, err := a.readBaseline(scenarios, &f)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // see sink
	var files outFiles
	defer files.discard()
	stop, release := a.catchInterrupts(ctx, files.discard)
	defer release()
	outs, err := openReports(&files, f.outs, report.Formats())
	if err != nil {
		return err
	}
	events, err := openEvents(&files, f.events)
	if err != nil {
		return err
	}
	reports := a.runAll(ctx, scenarios, paths, f, events, base, stop)
	if events != nil {
		if err := files.commit(events); err != nil {
			a.fail(err)
		}
	}
	a.writeReports(&files, outs, batch{reports, len(paths) > 1})
	a.tellGitHub(reports, base)
	return nil
}

// runAll runs scenarios until one cannot be run or the user interrupts, prints their
// reports on stdout, tables as they come, and returns them.
func (a *app) runAll(ctx context.Context, scenarios []*scenario.Scenario, paths []string, f runFlags, events *outFile, base *baseline, stop *atomic.Bool) []*report.Report {
	var reports []*report.Report
	for i, sc := range scenarios {
		if stop.Load() && i > 0 {
			fmt.Fprintf(a.stderr, "simload: not run: %s\n", strings.Join(paths[i:], ", "))
			a.code = report.WorstExit(a.code, report.ExitInterrupted)
			break
		}
		out, err := a.runOne(ctx, sc, f, events, stop)
		if err != nil {
			a.fail(fmt.Errorf("running %s: %w", paths[i], err))
			break
		}
		if !report.Joined(f.format.value) {
			if i > 0 {
				fmt.Fprintln(a.stdout)
			}
			a.print(f.format.value, batch{reports: []*report.Report{out.Report}})
			base.judge(a, out.Report, a.stdout, f.format.value)
		} else {
			base.judge(a, out.Report, a.stderr, "table") // stdout holds the report alone
		}
		reports = append(reports, out.Report)
	}
	if report.Joined(f.format.value) && (len(reports) > 0 || f.format.value == formatJSON) {
		a.print(f.format.value, batch{reports, len(paths) > 1})
	}
	return reports
}

// runOne runs a scenario with its progress and timing on stderr.
func (a *app) runOne(ctx context.Context, sc *scenario.Scenario, f runFlags, events *outFile, stop *atomic.Bool) (*sim.Outcome, error) {
	opt := f.options()
	opt.Stop = stop
	if events != nil {
		opt.Events = events.buf
	}
	if opt.Clock(sc) == scenario.ModeWall {
		relaxCollector()
		quietRedis()
	}
	start := a.now()
	bar := newMeter(a.stderr, a.now, a.screen)
	if !f.quiet {
		opt.Progress = bar.update
	}
	simulate := a.simulate
	switch {
	case f.load.workers > 0:
		simulate = a.byLoad(ctx, &f, bar)
	case f.nats.given():
		simulate = a.byWorkers(ctx, &f.nats, bar, f.quiet)
	}
	out, err := simulate(sc, opt)
	bar.erase()
	if err != nil {
		return nil, err
	}
	if !f.quiet {
		fmt.Fprintln(a.stderr, timing(out, a.now().Sub(start)))
	}
	a.finished(out)
	return out, nil
}

// finished sets the exit code of a report.
func (a *app) finished(out *sim.Outcome) {
	a.code = report.WorstExit(a.code, report.ExitCode(out.Report.Verdict))
	if out.Interrupted {
		a.code = report.WorstExit(a.code, report.ExitInterrupted)
	}
}

// options are those of a run that the flags ask for.
func (f *runFlags) options() sim.Options {
	opt := sim.Options{
		Seed: f.seed, Reps: f.reps, AbortOnFail: f.abortOnFail,
		Tool: readBuild().tool(), Mode: f.clock(), Wire: f.wire,
	}
	if f.target != "" {
		opt.Wall = sim.WallOptions{Target: f.target, Secret: stack.NewSecret(os.Getenv(f.keyEnv))}
	}
	opt.Wall.Redis, opt.Wall.RedisPassword = f.redis, os.Getenv(redisPasswordEnv)
	return opt
}

// load reads scenarios; it prints the errors of all of them, not only of the first.
func (a *app) load(paths, sets []string) (scenarios []*scenario.Scenario, ok bool) {
	ok = true
	for _, p := range paths {
		sc, err := scenario.Load(p, sets)
		if err != nil {
			a.fail(&failure{code: report.ExitUsage, err: err})
			ok = false
			continue
		}
		scenarios = append(scenarios, sc)
	}
	return scenarios, ok
}

// clock is the mode that the flags ask for; "": the scenario's.
func (f *runFlags) clock() string {
	if f.target != "" {
		return scenario.ModeWall
	}
	return f.mode.value
}

// validate checks what the flag parser cannot.
func (f *runFlags) validate(paths []string) error {
	if f.wire && f.clock() == scenario.ModeWall {
		return usagef("--wire is for virtual time").hint("on the wall clock everything goes over the wire")
	}
	if err := f.validateTarget(); err != nil {
		return err
	}
	if err := f.validateRedis(); err != nil {
		return err
	}
	if err := f.validateFleet(); err != nil {
		return err
	}
	if err := inRange("reps", f.reps, 1, sim.RepsMax); err != nil {
		return err
	}
	if err := f.validateShard(paths); err != nil {
		return err
	}
	if f.events == "-" {
		return usagef("--events - is not a file").hint("stdout carries the report alone; name a file, or a pipe")
	}
	if f.events != "" && len(paths) > 1 {
		return usagef("--events takes one scenario, found %d", len(paths)).hint("request ids are unique within a scenario only; run them one by one")
	}
	written := f.outs
	if f.events != "" {
		written = append(written[:len(written):len(written)], f.events)
	}
	inputs := []input{{f.baseline, "the baseline"}}
	for _, p := range paths {
		inputs = append(inputs, input{p, "the scenario"})
	}
	if err := distinct(written, inputs...); err != nil {
		return err
	}
	return f.judged.parse()
}

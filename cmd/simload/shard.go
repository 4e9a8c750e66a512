package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/plan"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/sim/shard"
)

// shardExtension is that of the files of shards.
const shardExtension = ".jsonl"

// A shard is for processes that know nothing of each other.
const (
	shardOrNATS     = "does not go with --nats"
	shardOrNATSHint = "with --nats the workers share all runs: leave --shard out"
)

// shardFlag adds --shard.
func shardFlag(cmd *cobra.Command, text *string, what string) {
	cmd.Flags().StringVar(text, "shard", "", "carry out share `I/N` of "+what+", I from 1 to N, for \"simload merge\" to put together")
}

// parseShard reads --shard; the zero shard if it is not given.
func parseShard(text string) (shard.Shard, error) {
	if text == "" {
		return shard.Shard{}, nil
	}
	s, err := shard.Parse(text)
	var wrong *shard.Error
	if errors.As(err, &wrong) {
		return s, usagef("--shard: %w", err).hint("%s", wrong.Hint)
	}
	return s, err
}

// shardFailure says what to do about files that do not make a whole.
func shardFailure(err error) error {
	if e, ok := shard.IsFileError(err); ok {
		return usagef("%w", err).hint("%s", e.Hint)
	}
	var missing *shard.MissingError
	if errors.As(err, &missing) {
		return usagef("%w", err).hint("give its file too; if there is none, run the command again with --shard %s", missing.Shards[0])
	}
	return err
}

// validateShard checks what goes with --shard of run.
func (f *runFlags) validateShard(paths []string) error {
	var err error
	if f.shard, err = parseShard(f.shardText); err != nil || f.shard.N == 0 {
		return err
	}
	for _, c := range []struct {
		wrong     bool
		what, say string
	}{
		{len(paths) > 1, fmt.Sprintf("takes one scenario, found %d", len(paths)), "run the shards of each by themselves"},
		{f.nats.given(), shardOrNATS, shardOrNATSHint},
		{f.events != "", "does not go with --events", "the first run alone has events: run it without --shard and --reps"},
		{f.baseline != "", "does not go with --baseline", "merge the shards into a report, and compare that: simload compare BASE NEW"},
		{f.abortOnFail, "does not go with --abort-on-fail", "a shard judges nothing: that is for all shards together"},
		{f.format.value != f.format.allowed[0], "does not go with --format", "a shard has no report; simload merge takes --format"},
		{len(f.outs) != 1, fmt.Sprintf("needs one file for what the runs give, found %d", len(f.outs)), "add -o part.jsonl"},
	} {
		if c.wrong {
			return usagef("--shard %s", c.what).hint("%s", c.say)
		}
	}
	if !strings.EqualFold(filepath.Ext(f.outs[0]), shardExtension) {
		return usagef("-o %s: a shard is a file %s", f.outs[0], shardExtension).hint("reports are made of all shards: simload merge FILES... -o report.json")
	}
	return nil
}

// runShard carries out a shard's runs, and writes what they gave.
func (a *app) runShard(ctx context.Context, sc *scenario.Scenario, f *runFlags) error {
	signal.Ignore(syscall.SIGPIPE) // see sink
	var files outFiles
	defer files.discard()
	stop, release := a.catchInterrupts(ctx, files.discard)
	defer release()
	out, err := files.create(f.outs[0])
	if err != nil {
		return err
	}
	opt := f.options()
	opt.Stop = stop
	e, err := sim.NewExperiment(sc, opt)
	if err != nil {
		return err
	}
	if e.Scenario.Mode == scenario.ModeWall {
		relaxCollector()
	}
	start := a.now()
	bar := newMeter(a.stderr, a.now, a.screen)
	if !f.quiet {
		opt.Progress = bar.update
	}
	parts, err := sim.RunParts(sc, opt, shard.Deal(f.shard, e.Tasks()))
	bar.erase()
	if err != nil {
		return fmt.Errorf("running %s: %w", sc.File, err)
	}
	interrupted := stop.Load()
	if err = shard.Write(out.buf, f.shard, e, parts, interrupted); err == nil {
		err = files.commit(out)
	}
	if err != nil {
		return err
	}
	if !f.quiet {
		total := sim.Total(parts)
		total.Report = &report.Report{Scenario: e.Scenario}
		fmt.Fprintln(a.stderr, timing(total, a.now().Sub(start)))
	}
	fmt.Fprint(a.stdout, shard.Describe(f.shard, e, parts, f.outs[0]))
	if interrupted {
		a.code = report.WorstExit(a.code, report.ExitInterrupted)
	}
	return nil
}

// validateShard checks what goes with --shard of plan.
func (f *planFlags) validateShard() error {
	var err error
	if f.shard, err = parseShard(f.shardText); err != nil || f.shard.N == 0 {
		return err
	}
	switch {
	case f.nats.given():
		return usagef("--shard %s", shardOrNATS).hint("%s", shardOrNATSHint)
	case f.results == "":
		return usagef("--shard needs a file for what the runs give").hint("add --results part.jsonl")
	case len(f.outs) > 0 || f.format.value != f.format.allowed[0]:
		return usagef("--shard goes neither with -o nor with --format").hint("a shard has no report: merge the results of all, and plan with --results")
	}
	return nil
}

// planShard carries out a shard's runs into its results file.
func (a *app) planShard(ctx context.Context, p *plan.Plan, f *planFlags) error {
	signal.Ignore(syscall.SIGPIPE) // see sink
	stop, release := a.catchInterrupts(ctx, func() {})
	defer release()
	head, err := p.ShardHeader(f.shard)
	if err != nil {
		return err
	}
	all := 0
	journal, err := a.journaled(head, f, stop, func(s plan.Session, _ *meter) (err error) {
		all, err = p.RunShard(s, f.shard)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprint(a.stdout, plan.DescribeShard(f.shard, head, journal.Finished(), all, f.results))
	if stop.Load() {
		a.code = report.WorstExit(a.code, report.ExitInterrupted)
	}
	return nil
}

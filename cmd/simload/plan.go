package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/plan"
	"github.com/seed-4fd17b57/simload/sim/plan/page"
	"github.com/seed-4fd17b57/simload/sim/shard"
	"github.com/spf13/cobra"
)

// planFlags are the flags of the verb plan.
type planFlags struct {
	plan.Config
	sets          []string
	format        *choice
	outs          []string
	results       string
	largest       bool
	smallest      bool
	noSensitivity bool
	nats          natsFlags
	shardText     string
	shard         shard.Shard // of shardText; the zero value: none
	quiet         bool
}

func (a *app) planCmd() *cobra.Command {
	f := planFlags{Config: plan.Config{Reps: plan.RepsDefault, Growth: []string{plan.Auto}}}
	var seed uint64
	cmd := &cobra.Command{
		Use:        "plan SCENARIO --vary PATH=RANGE",
		Short:      "find how much is enough: keys, tiers, concurrency, agents",
		SuggestFor: []string{"capacity", "search", "sweep", "optimise", "optimize"},
		Long: `plan finds the smallest value of --vary (or the largest, for demand) with which the
scenario meets its objectives, by running it. Each point is run with several seeds, the
same at every point, and passes when a further run would pass too. Two --vary give the
frontier of a whole grid.

RANGE is 4..40, 4..40:2, 0.5..1:0.05, 10%..50%:5%, 1s..10s:1s, a,b,c, or tiers of the
provider: tier1..tier4, or tiers for all that the catalogue knows. PATH is as for --set.

With --shard I/N it carries out its share of the whole range into --results, for "simload
merge"; the plan then goes on from the merged results.

A search of means tells what one change at the answer would do (--no-sensitivity leaves
that out), and searches again for 2.5 and 5 times the demand (--growth none leaves that
out), with half the replications, five at least. At the default --reps and a range of
some ten values that about doubles the time; with fewer --reps or a wider range it takes
more. A note tells how many runs it was.

Exit codes (when several apply, the first in this order):
    1  internal error
    2  usage or scenario error
  130  interrupted; what was measured is still written, marked partial
    3  a run is invalid: a law does not hold
   99  not attainable: no value of the range meets the objectives
    0  there is an answer`,
		Example: `  simload plan scenarios/2000-agents.yaml --vary upstreams.openai.keys.oa.count=7..20 \
      --slo 'p99{profile=hypothesis} < 6s, ratio_429 < 1%'
  simload plan my.yaml --vary upstreams.openai.keys.main.count=1..10 --growth 50,100
  simload plan my.yaml --vary workload.agents.researchers.count=20..200:20
  simload plan my.yaml --vary workload.agents.researchers.count=20,60 --vary upstreams.openai.keys.main.count=1..6 \
      --results sweep.jsonl -o plan.html`,
		Args:              oneArg("scenario file", "simload plan scenarios/2000-agents.yaml --vary upstreams.openai.keys.oa.count=7..20"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("seed") {
				f.Seed = &seed
			}
			if err := f.nats.validate(cmd); err != nil {
				return err
			}
			return a.plan(cmd.Context(), args[0], f)
		},
	}
	fl := cmd.Flags()
	f.format = formatFlag(cmd, "form of the report on stdout", page.Formats()...)
	fl.StringArrayVar(&f.Vary, "vary", nil, "value to vary, as `PATH=RANGE`; once for a search, twice for a grid")
	fl.StringArrayVar(&f.Objectives, "slo", nil, "objectives `EXPR`, with commas between several (default: the scenario's expect)")
	fl.BoolVar(&f.largest, "max", false, "look for the largest value that passes (default for demand: numbers of the workload that are no times)")
	fl.BoolVar(&f.smallest, "min", false, "look for the smallest value that passes (default for all others)")
	fl.IntVar(&f.Reps, "reps", f.Reps, "replications `N` of each point, with the same seeds everywhere")
	fl.Uint64Var(&seed, "seed", 0, "seed `N` of all random draws (default: the scenario's)")
	fl.StringArrayVar(&f.sets, "set", nil, "override a value of the scenario, as `PATH=VALUE` (repeatable)")
	fl.StringSliceVar(&f.Variants, "variant", nil, "plan for the variant `NAME` alone (repeatable)")
	fl.StringSliceVar(&f.Growth, "growth", f.Growth, "repeat the search for each of these `DEMANDS`: numbers of agents, or multiples such as 2.5x: 2000,5000,10000; auto: as it is, 2.5x and 5x, in a search of means; none")
	fl.StringArrayVar(&f.Along, "along", nil, "number at `PATH` that grows with the demand of --growth (repeatable), or none (default: all means that are not asked for)")
	fl.BoolVar(&f.noSensitivity, "no-sensitivity", false, "leave out the runs that change one thing at the answer")
	fl.StringVar(&f.results, "results", "", "keep every finished run in `FILE`, and go on from there when it exists")
	outputFlag(cmd, &f.outs, "report", page.Formats())
	f.nats.flags(cmd, "have the runs carried out by the workers of a NATS server (see simload coordinator)")
	shardFlag(cmd, &f.shardText, "the runs of the whole range")
	fl.BoolVar(&f.quiet, "quiet", false, "no progress and no timing on stderr")
	return cmd
}

// plan checks everything before the first run starts.
func (a *app) plan(ctx context.Context, path string, f planFlags) error {
	if f.largest && f.smallest {
		return usagef("--max and --min exclude each other").hint("leave one of them out; without either it is --max for demand, --min for all else")
	}
	if err := plan.CheckReps(f.Reps); err != nil {
		return err
	}
	if err := f.validateShard(); err != nil {
		return err
	}
	scenarios, ok := a.load([]string{path}, f.sets)
	if !ok {
		return nil // the errors are printed
	}
	f.Tool, f.Sensitivity = readBuild().tool(), !f.noSensitivity
	switch {
	case f.largest:
		f.Direction = plan.Largest
	case f.smallest:
		f.Direction = plan.Smallest
	}
	p, err := plan.New(scenarios[0], f.Config)
	if err != nil {
		return err
	}
	if err := distinct(append(f.outs[:len(f.outs):len(f.outs)], optional(f.results)...), input{path, "the scenario"}); err != nil {
		return err
	}
	relaxCollector()
	if f.shard.N > 0 {
		return a.planShard(ctx, p, &f)
	}
	signal.Ignore(syscall.SIGPIPE) // see sink
	var files outFiles
	defer files.discard()
	stop, release := a.catchInterrupts(ctx, files.discard)
	defer release()
	outs, err := openReports(&files, f.outs, page.Formats())
	if err != nil {
		return err
	}
	r, err := a.carryOut(ctx, p, &f, stop)
	if err != nil {
		return err
	}
	a.writePlan(&files, outs, r, f.format.value)
	return nil
}

// carryOut runs a plan.
func (a *app) carryOut(ctx context.Context, p *plan.Plan, f *planFlags, stop *atomic.Bool) (r *plan.Report, err error) {
	var head plan.Header
	if f.results != "" {
		if head, err = p.Header(); err != nil {
			return nil, err
		}
	}
	_, err = a.journaled(head, f, stop, func(s plan.Session, bar *meter) error {
		end, err := a.distribute(ctx, p, f, &s, bar)
		if err != nil {
			return err
		}
		r, err = p.Run(s)
		bar.erase()
		end()
		return taskFailure(err)
	})
	return r, err
}

// journaled runs what keeps its results in the file of --results, if there is one, with progress and timing on stderr.
func (a *app) journaled(head plan.Header, f *planFlags, stop *atomic.Bool, work func(plan.Session, *meter) error) (journal *plan.Journal, err error) {
	journal = &plan.Journal{}
	if f.results != "" {
		if journal, err = plan.OpenJournal(f.results, head); err != nil {
			return nil, resultsFailure(err)
		}
	}
	before := journal.Finished()
	if before > 0 && !f.quiet {
		fmt.Fprintf(a.stderr, "simload: %s found in %s\n", fleet.Number(before, "run"), f.results)
	}
	start := a.now()
	session := plan.Session{Journal: journal, Stop: stop}
	bar := newMeter(a.stderr, a.now, a.screen)
	if !f.quiet {
		session.Progress = bar.update
	}
	err = work(session, bar)
	bar.erase()
	if err = errors.Join(err, journal.Close()); err != nil {
		return nil, err
	}
	if !f.quiet {
		fmt.Fprintf(a.stderr, "ran %s in %.2fs\n", fleet.Number(journal.Finished()-before, "run"), a.now().Sub(start).Seconds())
	}
	return journal, nil
}

// distribute gives the session's runs to the workers of a server, if one is named. end closes the sweep.
func (a *app) distribute(ctx context.Context, p *plan.Plan, f *planFlags, session *plan.Session, bar *meter) (end func(), err error) {
	if !f.nats.given() {
		return func() {}, nil
	}
	n := &notices{w: a.stderr, bar: bar}
	sweep, end, err := a.submit(ctx, &f.nats, fleet.Job{Kind: fleet.KindPlan}, p.Scenario(), n, f.quiet)
	if err != nil {
		return nil, err
	}
	session.Execute, session.Progress = sweep.Plan(ctx, session.Stop), n.progress(sweep.Note, session.Progress)
	return end, nil
}

// writePlan prints the report and its files, and sets the exit code.
func (a *app) writePlan(files *outFiles, outs []reportFile, r *plan.Report, format string) {
	if err := page.Render(a.stdout, r, format, report.Options{Width: a.screen.width, Color: a.screen.color}); err != nil {
		a.fail(err)
	}
	a.writeFiles(files, outs, func(w io.Writer, format string, opt report.Options) error {
		return page.Render(w, r, format, opt)
	})
	a.code = report.WorstExit(a.code, r.ExitCode())
}

// resultsFailure says what to do about a results file that cannot be gone on with.
func resultsFailure(err error) error {
	var wrong *plan.ResultsError
	if errors.As(err, &wrong) {
		return usagef("--results: %w", err).hint("%s", wrong.Hint)
	}
	return err
}

package main

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/compare"
	"github.com/spf13/cobra"
)

// compareFlags are the flags of the verb compare.
type compareFlags struct {
	judgement
	format *choice
	outs   []string
}

func (a *app) compareCmd() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:        "compare BASE NEW",
		Short:      "judge two reports: better, worse or the same",
		SuggestFor: []string{"diff", "regress", "benchstat"},
		Long: `compare reads two report files, each with one report or several (matched by the
scenarios' names), and says of every variant which of at most eight metrics became
better or worse: p99 of up to three profiles (highest class first), throughput,
ratio_429, dead_letters, duplicate_writes, cost_per_1000. The rest is shown as information.

Runs in virtual time with one seed are compared exactly. Replications (--reps) with the
same seeds are compared in pairs by the sign test, and those on the wall clock by Mann and
Whitney's test, with Holm's correction over all metrics that ties do not keep from changing.
Ten pairs are enough for twelve of these, about two variants; each further pair doubles that.
If they are too few, the first line says NOT ENOUGH and how many would do; with --strict
that is as bad as worse. A change counts from 0.5 % of a latency, a rate or money
and from 5 % of a share or a count; from 0, from 1 of a count or 0.1 % of a share.

Reports of other demand, another clock, target or schema, and partial or INVALID runs are
refused, unless --force is given. So are other seeds, as the seed is part of the demand; with
--force they are compared by Mann and Whitney's test.

Exit codes:
    2  wrong usage, or refused
    4  something is worse, or with --strict could be for want of replications
    0  nothing is`,
		Example: `  simload run my.yaml --reps 10 -o base.json
  simload run my.yaml --reps 10 --set stack.retry.jitter=false -o new.json
  simload compare base.json new.json
  simload compare base.json new.json --threshold p99=2% --threshold 1% -o comment.md`,
		Args: twoReports,
		RunE: func(_ *cobra.Command, args []string) error { return a.compare(args[0], args[1], f) },
	}
	fl := cmd.Flags()
	f.flags(cmd, "")
	f.format = formatFlag(cmd, "form of the comparison on stdout", compare.Formats()...)
	outputFlag(cmd, &f.outs, "comparison", compare.Formats())
	fl.BoolVar(&f.Force, "force", false, "compare what would be refused, and say so")
	return cmd
}

func twoReports(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return usagef("compare needs two report files, BASE and NEW, found %d", len(args)).hint("try: simload compare base.json new.json")
	}
	return nil
}

func (a *app) compare(base, next string, f compareFlags) error {
	if err := f.parse(); err != nil {
		return err
	}
	if base == "-" && next == "-" {
		return usagef("only one of BASE and NEW can be stdin").hint("write one of them to a file")
	}
	if err := distinct(f.outs, input{base, "BASE"}, input{next, "NEW"}); err != nil {
		return err
	}
	read := report.ReadJSONAll
	if f.Force {
		read = readForced
	}
	b, err := a.readReportsBy(base, read)
	if err != nil {
		return forceable(err)
	}
	n, err := a.readReportsBy(next, read)
	if err != nil {
		return forceable(err)
	}
	if err := f.CheckThresholds(slices.Concat(b.reports, n.reports)); err != nil {
		return wrongThreshold(err)
	}
	res, err := compare.Reports(b.reports, n.reports, f.Options)
	if err != nil {
		return refused(err, "--force compares them all the same")
	}
	var files outFiles
	defer files.discard()
	outs, err := openReports(&files, f.outs, compare.Formats())
	if err != nil {
		return err
	}
	a.writeFiles(&files, outs, func(w io.Writer, format string, opt report.Options) error {
		return compare.Render(w, res, format, opt)
	})
	a.printComparison(a.stdout, res, f.format.value)
	a.code = report.WorstExit(a.code, res.ExitCode())
	return nil
}

func (a *app) printComparison(w io.Writer, res *compare.Result, format string) {
	if err := compare.Render(w, res, format, report.Options{Width: a.screen.width, Color: a.screen.color}); err != nil {
		a.fail(err)
	}
}

// readForced reads reports of any schema. What cannot be read as one is told by its schema, if that is the reason.
func readForced(r io.Reader) ([]*report.Report, error) {
	var raw bytes.Buffer
	reports, err := report.ReadJSONForced(io.TeeReader(r, &raw))
	var schema *report.SchemaError
	if err != nil {
		if _, why := report.ReadJSONAll(io.MultiReader(&raw, r)); errors.As(why, &schema) {
			return nil, why
		}
	}
	return reports, err
}

// forceable adds what can be done about a file of another schema.
func forceable(err error) error {
	var schema *report.SchemaError
	var f *failure
	if errors.As(err, &schema) && schema.Found != compare.Schema && errors.As(err, &f) {
		return f.hint("--force reads it as if it were %s", report.Schema)
	}
	return err
}

// refused turns a refusal into a usage error with a line per reason; the hint is for one that can be overridden.
func refused(err error, hint string) error {
	var r *compare.Refusal
	if !errors.As(err, &r) {
		return usagef("%w", err)
	}
	text := "not compared"
	for _, reason := range r.Reasons {
		text += "\n" + reason
	}
	f := usagef("%s", text)
	if r.Forceable {
		return f.hint("%s", hint)
	}
	return f
}

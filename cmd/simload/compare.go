package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/compare"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

// compareFlags are the flags of the verb compare.
type compareFlags struct {
	compare.Options
	thresholds []string
	format     *choice
	outs       []string
}

func (a *app) compareCmd() *cobra.Command {
	f := compareFlags{Options: compare.Default()}
	cmd := &cobra.Command{
		Use:        "compare BASE NEW",
		Short:      "judge two reports: better, worse or the same",
		SuggestFor: []string{"diff", "regress", "benchstat"},
		Long: `compare reads two report files, each with one report or several (matched by the
scenarios' names), and says of every variant which of at most eight metrics became
better or worse: p99 of up to three profiles (highest class first), throughput,
ratio_429, dead_letters, duplicate_writes, cost_per_1000. The rest is shown as information.

Runs in virtual time with one seed are compared exactly. Replications (--reps) with the
same seeds are compared in pairs by the sign test, and other seeds and the wall clock by
Mann and Whitney's test, with Holm's correction over all judged metrics. With ten pairs a
change can be told from chance. A change counts from 0.5 % of a latency, a rate or money
and from 5 % of a share or a count; from 0, from 1 of a count or 0.1 % of a share.

Reports of other demand, another clock, target or schema, and partial or INVALID runs are
refused, unless --force is given.

Exit codes:
    2  wrong usage, or refused
    4  something is worse
    0  nothing is`,
		Example: `  simload run my.yaml --reps 10 -o base.json
  simload run my.yaml --reps 10 --set stack.retry.jitter=false -o new.json
  simload compare base.json new.json
  simload compare base.json new.json --threshold p99=2% --threshold 1% -o comment.md`,
		Args: twoReports,
		RunE: func(_ *cobra.Command, args []string) error { return a.compare(args[0], args[1], f) },
	}
	fl := cmd.Flags()
	f.format = formatFlag(cmd, "form of the comparison on stdout", compare.Formats()...)
	fl.StringArrayVarP(&f.outs, "output", "o", nil, "write the comparison to `FILE` too; .json, .md or .txt (repeatable)")
	fl.BoolVar(&f.Force, "force", false, "compare what would be refused, and say so")
	fl.Float64Var(&f.Alpha, "alpha", f.Alpha, "chance `P` of calling anything changed when nothing has")
	fl.StringArrayVar(&f.thresholds, "threshold", nil, "least change that counts, as `[METRIC=]PERCENT` (repeatable)")
	return cmd
}

func twoReports(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return usagef("compare needs two report files, BASE and NEW, found %d", len(args)).hint("try: simload compare base.json new.json")
	}
	return nil
}

func (a *app) compare(base, next string, f compareFlags) error {
	if err := f.Validate(); err != nil {
		return usagef("--%w", err)
	}
	for _, t := range f.thresholds {
		if err := f.SetThreshold(t); err != nil {
			return usagef("--%w", err)
		}
	}
	if base == "-" && next == "-" {
		return usagef("only one of BASE and NEW can be stdin")
	}
	read := report.ReadJSONAll
	if f.Force {
		read = report.ReadJSONForced
	}
	b, err := a.readReportsBy(base, read)
	if err != nil {
		return forceable(err)
	}
	n, err := a.readReportsBy(next, read)
	if err != nil {
		return forceable(err)
	}
	res, err := compare.Reports(b.reports, n.reports, f.Options)
	if err != nil {
		return refused(err, "--force compares them all the same")
	}
	var files outFiles
	defer files.discard()
	outs, err := openComparisons(&files, f.outs)
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

// forceable adds what can be done about a file of another schema.
func forceable(err error) error {
	var schema *report.SchemaError
	var f *failure
	if errors.As(err, &schema) && errors.As(err, &f) {
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

// openComparisons opens the files of -o.
func openComparisons(files *outFiles, paths []string) ([]reportFile, error) {
	for _, p := range paths {
		format, err := formatOf(p)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(compare.Formats(), format) {
			return nil, usagef("-o %s: a comparison has no form %q", p, format).hint("allowed are .json, .md, .txt")
		}
	}
	return openReports(files, paths)
}

// baseline is the file that runs are compared with; nil: none.
type baseline struct {
	path    string
	reports []*report.Report
}

// readBaseline reads the file of --baseline, and sees to it that it has every scenario, before anything runs.
func (a *app) readBaseline(path string, scenarios []*scenario.Scenario) (*baseline, error) {
	if path == "" {
		return nil, nil
	}
	b, err := a.readReports(path)
	if err != nil {
		return nil, err
	}
	for _, sc := range scenarios {
		if n := len(compare.Of(b.reports, sc.Name())); n != 1 {
			return nil, usagef("--baseline %s: it holds %d reports of the scenario %q, expected one", path, n, sc.Name()).hint(
				"write it by: simload run SCENARIO... -o %s; simload compare matches two single reports of any name", path)
		}
	}
	return &baseline{path, b.reports}, nil
}

// judge compares a run with the report of the same scenario, and prints the result to w.
func (b *baseline) judge(a *app, r *report.Report, w io.Writer, format string) {
	if b == nil {
		return
	}
	if s := r.Verdict.Status; s == report.StatusPartial || s == report.StatusInvalid {
		fmt.Fprintf(a.stderr, "simload: not compared with %s: the run is %s\n", b.path, s)
		return
	}
	r, err := report.Canonical(r)
	if err != nil {
		a.fail(err)
		return
	}
	res, err := compare.Reports(compare.Of(b.reports, r.Scenario.Name), []*report.Report{r}, compare.Default())
	if err != nil {
		a.fail(refused(fmt.Errorf("comparing with %s: %w", b.path, err), "write the run with -o new.json; simload compare --force compares all the same"))
		return
	}
	fmt.Fprintln(w)
	a.printComparison(w, res, format)
	a.code = report.WorstExit(a.code, res.ExitCode())
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/compare"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

// judgement are the flags that say what counts as a change.
type judgement struct {
	compare.Options
	thresholds []string
}

// flags adds them; of is what their help ends with.
func (j *judgement) flags(cmd *cobra.Command, of string) {
	j.Options = compare.Default()
	fl := cmd.Flags()
	fl.Float64Var(&j.Alpha, "alpha", j.Alpha, "chance `P` of calling anything changed when nothing has"+of)
	fl.StringArrayVar(&j.thresholds, "threshold", nil, "least change that counts, as `[METRIC=]PERCENT`"+of+" (repeatable)")
	fl.BoolVar(&j.Strict, "strict", false, "exit 4 also where there are too few replications to tell"+of)
}

// parse checks them, and sets the thresholds.
func (j *judgement) parse() error {
	if err := j.Validate(); err != nil {
		return usagef("--%w", err).hint("write a chance such as --alpha 0.025")
	}
	for _, t := range j.thresholds {
		if err := j.SetThreshold(t); err != nil {
			return wrongThreshold(err)
		}
	}
	return nil
}

func wrongThreshold(err error) error {
	return usagef("--%w", err).hint("write --threshold 2%% for all metrics, --threshold p99=5%% for one")
}

// baseline is the file that runs are compared with, and what came of it; nil: none.
type baseline struct {
	path    string
	options compare.Options
	reports []*report.Report
	results []*compare.Result
}

// readBaseline reads the file of --baseline. Whatever can be known of a comparison before anything runs is refused here.
func (a *app) readBaseline(scenarios []*scenario.Scenario, f *runFlags) (*baseline, error) {
	if f.baseline == "" {
		return nil, nil
	}
	read, err := a.readReports(f.baseline)
	if err != nil {
		return nil, err
	}
	b := &baseline{path: f.baseline, options: f.judged.Options, reports: read.reports}
	for _, sc := range scenarios {
		found := compare.Of(b.reports, sc.Name())
		if n := len(found); n != 1 {
			return nil, usagef("--baseline %s: it holds %d reports of the scenario %q, expected one", b.path, n, sc.Name()).hint(
				"write it by: simload run SCENARIO... -o %s; simload compare matches two single reports of any name", b.path)
		}
		o := f.options()
		head, err := sim.Head(sc, &o)
		if err != nil {
			return nil, err
		}
		if err := compare.Foresee(found[0], &head); err != nil {
			return nil, b.refused(err)
		}
	}
	if err := b.options.CheckThresholds(b.reports); err != nil {
		return nil, wrongThreshold(err)
	}
	return b, nil
}

// refused is a refusal of the baseline, which is BASE in it.
func (b *baseline) refused(err error) error {
	return refused(fmt.Errorf("comparing with %s: %w", b.path, err), "write the run with -o new.json; simload compare --force compares all the same")
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
	res, err := compare.Reports(compare.Of(b.reports, r.Scenario.Name), []*report.Report{r}, b.options)
	if err != nil {
		a.fail(b.refused(err))
		return
	}
	b.results = append(b.results, res)
	fmt.Fprintln(w)
	a.printComparison(w, res, format)
	a.code = report.WorstExit(a.code, res.ExitCode())
}

// markdown is all results for a step's summary, of at most limit bytes: those that no longer fit are left out.
func (b *baseline) markdown(limit int) ([]byte, error) {
	var out bytes.Buffer
	if b == nil {
		return nil, nil
	}
	for _, res := range b.results {
		var one bytes.Buffer
		one.WriteByte('\n')
		if err := compare.Render(&one, res, "markdown", report.Options{}); err != nil {
			return nil, err
		}
		if out.Len()+one.Len() <= limit {
			out.Write(one.Bytes())
		}
	}
	return out.Bytes(), nil
}

// annotations writes those of the results.
func (b *baseline) annotations(w io.Writer) error {
	if b == nil {
		return nil
	}
	var err error
	for _, res := range b.results {
		err = errors.Join(err, compare.RenderAnnotations(w, res))
	}
	return err
}

// tellGitHub tells GitHub Actions of the runs, and of what became of them since the baseline. There is room for the comparisons
// first, as they are small, and say the most.
func (a *app) tellGitHub(reports []*report.Report, base *baseline) {
	a.forGitHub(
		func(w io.Writer, limit int) error {
			changes, err := base.markdown(limit)
			if err != nil {
				return err
			}
			if err := report.RenderSummary(w, reports, limit-len(changes)); err != nil {
				return err
			}
			_, err = w.Write(changes)
			return err
		},
		func(w io.Writer) error {
			return errors.Join(base.annotations(w), report.RenderAnnotations(w, reports))
		},
	)
}

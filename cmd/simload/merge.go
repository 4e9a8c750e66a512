package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/plan"
	"github.com/seed-4fd17b57/simload/sim/shard"
)

// mergeFlags are the flags of the verb merge.
type mergeFlags struct {
	format *choice
	outs   []string
	quiet  bool
}

func (a *app) mergeCmd() *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:        "merge FILES...",
		Short:      "put the shards of a run or a plan together",
		SuggestFor: []string{"join", "combine", "collect"},
		Long: `merge makes of the files of all shards what one machine would have given. The order of the
files is irrelevant.

Of "run --shard i/n" that is the report: the same bytes, forms and exit code as those of
"simload run" with the same --reps, since histograms are added up, and not percentiles.

Of "plan --shard i/n" it is one results file (-o FILE.jsonl), from which
"simload plan ... --results FILE.jsonl" goes on.

Exit codes: those of "simload run"; 2 also if the files do not make a whole.`,
		Example: `  simload run my.yaml --reps 40 --shard 3/8 -o part-3.jsonl     on each of eight machines
  simload merge part-*.jsonl -o report.json -o report.html
  simload merge results-*.jsonl -o merged.jsonl                 of a plan`,
		Args:              someArgs("file of each shard", "simload merge part-1.jsonl part-2.jsonl"),
		ValidArgsFunction: shardFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.merge(args, &f)
		},
	}
	f.format = formatFlag(cmd, "form of the report on stdout", report.Formats()...)
	cmd.Flags().StringArrayVarP(&f.outs, "output", "o", nil,
		"write the report to `FILE` too, in the form that its extension names: "+extensionsOf(report.Formats())+" (repeatable); of a plan the results, .jsonl")
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "no notes on stderr")
	return cmd
}

// shardFiles completes the names of shards' files.
func shardFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{strings.TrimPrefix(shardExtension, ".")}, cobra.ShellCompDirectiveFilterFileExt
}

// merge looks what the files are of.
func (a *app) merge(paths []string, f *mergeFlags) error {
	inputs := make([]input, len(paths))
	for i, p := range paths {
		inputs[i] = input{p, "a shard"}
	}
	if err := distinct(f.outs, inputs...); err != nil {
		return err
	}
	bar := newMeter(a.stderr, a.now, a.screen)
	defer bar.erase()
	var raw []shard.Raw
	for _, path := range paths {
		data, err := readShard(path)
		if err != nil {
			return err
		}
		raw = append(raw, shard.Raw{Path: path, Data: data})
	}
	plans, err := shard.AllOf(plan.ResultsSchema, raw)
	if err != nil {
		return shardFailure(err)
	}
	if plans {
		return a.mergePlans(raw, f)
	}
	return a.mergeRuns(raw, f, bar)
}

// readShard reads a file.
func readShard(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable("a shard", path, err).hint("name the files that --shard wrote")
	}
	return data, nil
}

// mergeRuns makes the report of a run's shards.
func (a *app) mergeRuns(raw []shard.Raw, f *mergeFlags, bar *meter) error {
	var files outFiles
	defer files.discard()
	outs, err := openReports(&files, f.outs, report.Formats())
	if err != nil {
		return err
	}
	var shards []*shard.File
	for i := range raw {
		if !f.quiet {
			bar.step("reading file", i+1, len(raw))
		}
		s, err := shard.Read(raw[i])
		if err != nil {
			return shardFailure(err)
		}
		shards = append(shards, s)
	}
	m, err := shard.Merge(shards, readBuild().tool())
	if err != nil {
		return shardFailure(err)
	}
	if !f.quiet {
		bar.step("putting together the runs", len(m.Parts), len(m.Parts))
	}
	out, err := m.Experiment.Assemble(m.Parts, m.Interrupted)
	if bar.erase(); err != nil {
		return usagef("merging: %w", err).hint("these files were not made by one command; run the shards again")
	}
	a.told(m.Notes, f)
	if !f.quiet {
		fmt.Fprintf(a.stderr, "merged %s of %s\n", fleet.Number(len(m.Parts), "run"), fleet.Number(m.Shards, "shard"))
	}
	a.finished(out)
	whole := []*report.Report{out.Report}
	a.print(f.format.value, batch{reports: whole})
	a.writeReports(&files, outs, batch{reports: whole})
	a.tellGitHub(whole, nil)
	return nil
}

// told prints notes.
func (a *app) told(notes []string, f *mergeFlags) {
	for _, n := range notes {
		if !f.quiet {
			printMessage(a.stderr, n)
		}
	}
}

// mergePlans makes one results file of a plan's shards.
func (a *app) mergePlans(raw []shard.Raw, f *mergeFlags) error {
	if len(f.outs) != 1 || !strings.EqualFold(filepath.Ext(f.outs[0]), shardExtension) || f.format.value != f.format.allowed[0] {
		return usagef("shards of a plan become one results file, and no report").hint("write: simload merge FILES... -o merged%s, then simload plan with --results merged%s", shardExtension, shardExtension)
	}
	var files outFiles
	defer files.discard()
	out, err := files.create(f.outs[0])
	if err != nil {
		return err
	}
	m, err := plan.MergeResults(raw, readBuild().tool())
	if err != nil {
		return shardFailure(err)
	}
	if err := m.Write(out.buf); err != nil {
		return err
	}
	if err := files.commit(out); err != nil {
		return err
	}
	a.told(m.Notes, f)
	fmt.Fprint(a.stdout, m.Describe(f.outs[0]))
	return nil
}

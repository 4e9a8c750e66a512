package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
	fitting "github.com/seed-4fd17b57/simload/workload/fit"
	"github.com/seed-4fd17b57/simload/workload/fit/plot"
	"github.com/spf13/cobra"
)

// defaultModel is what requests ask for if nobody says; its context window holds any trace.
const defaultModel = "gpt-4.1-mini"

// importFlags are those of import and its parts.
type importFlags struct {
	format       *choice
	out, plot    string
	model        string
	latency      string
	from, length time.Duration
	workloadOnly bool
	force        bool
}

func (a *app) importCmd() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:        "import TRACE",
		Short:      "write a scenario from your own traffic or gateway",
		SuggestFor: []string{"fit", "convert", "ingest"},
		Long: `import fits a trace to a workload: arrivals with their bursts, the lengths of
prompts and answers, sessions whose prompts go on from each other. It writes a complete
scenario with comments, on stdout or to a file, and tells how close the fit comes.
Traces are those of Azure, Mooncake and BurstGPT, and the log that "run --events" writes;
gzip and zstd are unpacked.`,
		Example: `  simload import azure.csv.gz -o mine.yaml --plot mine.svg
  simload run mine.yaml
  simload import latency events.jsonl
  simload import litellm config.yaml -o gateway.yaml`,
		Args: traceOrVerb,
		RunE: func(_ *cobra.Command, args []string) error { return a.importTrace(args[0], &f) },
	}
	f.format = formatFlag(cmd, "form of the trace (auto: by its first line)", "auto", "azure", "mooncake", "burstgpt", "events")
	importOutput(cmd, &f)
	cmd.Flags().StringVar(&f.latency, "latency", "", "take the model's latency from measured calls in `FILE`, as \"import latency\" does")
	cmd.Flags().DurationVar(&f.from, "from", 0, "leave out what is before this instant of the trace")
	cmd.Flags().DurationVar(&f.length, "for", 0, "take so much of the trace (default: to its end)")
	cmd.Flags().BoolVar(&f.workloadOnly, "workload-only", false, "write the workload section alone")
	cmd.AddCommand(a.importLatencyCmd(), a.importLitellmCmd())
	return cmd
}

// traceOrVerb takes one trace. Two arguments may be a verb of import that is misspelt, and its file.
func traceOrVerb(cmd *cobra.Command, args []string) error {
	err := oneArg("trace", "simload import trace.csv -o mine.yaml")(cmd, args)
	if len(args) < 2 {
		return err
	}
	cmd.SuggestionsMinimumDistance = 2 // as cobra has it for verbs
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("import has no verb %q", args[0]).hint("did you mean %s?", quoted(near))
	}
	return err
}

// importOutput adds the flags that say where the results go and what model they are about.
func importOutput(cmd *cobra.Command, f *importFlags) {
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write the scenario to `FILE` (default: stdout)")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite the file of -o if it exists")
	cmd.Flags().StringVar(&f.plot, "plot", "", "draw quantiles of the data against the fit's to `FILE.svg`")
	cmd.Flags().StringVar(&f.model, "model", defaultModel, "`NAME` of the catalogue's model that is asked for")
}

func (a *app) importLatencyCmd() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "latency FILE",
		Short: "fit the mock's latency to measured calls",
		Long: `latency fits time to first token, time per token and their noise to measured calls:
a log of "run --events", or CSV with the columns in, out, first_token_s and total_s, and
model if there are several. It writes a scenario that has them.`,
		Example: `  simload import latency events.jsonl -o measured.yaml`,
		Args:    oneArg("file of measured calls", "simload import latency calls.csv"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.importLatency(args[0], &f) },
	}
	importOutput(cmd, &f)
	return cmd
}

// importTrace fits a trace and writes the scenario.
func (a *app) importTrace(path string, f *importFlags) error {
	d := draft.Demand{Path: path, WorkloadOnly: f.workloadOnly}
	if f.workloadOnly && f.latency != "" {
		return usagef("--latency is about a model, and --workload-only leaves models out").hint("leave one of them out; \"simload import latency %s\" writes the latency", f.latency)
	}
	err := f.writable(input{path, "the trace"}, input{f.latency, "the file of measured calls"})
	if err != nil {
		return err
	}
	if d.Model, _, err = catalogModel(f.model); err != nil {
		return err
	}
	if d.Trace, err = f.readTrace(path); err != nil {
		return err
	}
	note := ""
	if f.latency != "" {
		if d.Latency, note, err = measured(f.latency, d.Model.Name); err != nil {
			return err
		}
	}
	if d.Fit, err = fitting.New(d.Trace); err == nil {
		d.Goodness, err = d.Fit.Judge(d.Trace)
	}
	if err != nil {
		return f.unfit(fmt.Errorf("fitting %s: %w", path, err))
	}
	text := d.Goodness.Text(d.Fit)
	if d.Latency != nil {
		text += d.Latency.Text() + note
	}
	return a.writeImport(f, d.YAML(), text, func() ([]byte, error) { return plot.Demand(d.Goodness) })
}

func (a *app) importLatency(path string, f *importFlags) error {
	if err := f.writable(input{path, "the file of measured calls"}); err != nil {
		return err
	}
	model, models, err := catalogModel(f.model)
	if err != nil {
		return err
	}
	calls, note, err := readCalls(path)
	if err != nil {
		return err
	}
	fits, few, err := fitting.FitLatencies(calls)
	if err != nil {
		return misfit(path, err)
	}
	text := ""
	for _, l := range fits {
		text += l.Text()
	}
	text += note + leftOut(few, fmt.Sprintf("calls of models with fewer than %d", fitting.MinRows))
	d := draft.Latency{Path: path, Calls: calls, Fits: fits, Model: model, Catalog: models}
	return a.writeImport(f, d.YAML(), text, func() ([]byte, error) { return plot.Latency(fits) })
}

func catalogModel(name string) (catalog.Model, *catalog.Catalog, error) {
	models, err := catalog.Load()
	if err != nil {
		return catalog.Model{}, nil, err
	}
	m, ok := models.Model(name)
	if !ok {
		return m, nil, usagef("--model: %q is not in the catalogue", name).hint("%q lists the models", "simload models")
	}
	return m, models, nil
}

// writable checks, before anything is read, that what is asked for can be written where it is asked for.
func (f *importFlags) writable(inputs ...input) error {
	if err := distinct(optional(f.out, f.plot), inputs...); err != nil {
		return err
	}
	if f.plot != "" && !strings.EqualFold(filepath.Ext(f.plot), ".svg") {
		return usagef("--plot: %s is not a name of an SVG file", f.plot).hint("the plot is SVG: name it %s.svg", strings.TrimSuffix(f.plot, filepath.Ext(f.plot)))
	}
	info, err := os.Stat(f.out)
	if err == nil && info.Mode().IsRegular() && !f.force {
		return usagef("%s exists already", f.out).hint("name another file, or overwrite it with --force")
	}
	return probe(optional(f.out, f.plot)...)
}

// writeImport writes the scenario, the plot if one is asked for, and what is to be told of the fit:
// on stdout if the scenario goes to a file, else on stderr.
func (a *app) writeImport(f *importFlags, yaml []byte, text string, draw func() ([]byte, error)) error {
	var files outFiles
	defer files.discard()
	told := io.Writer(a.stderr)
	var whole []*outFile
	if f.plot != "" {
		svg, err := draw()
		if err != nil {
			return err
		}
		if whole, err = writeTo(&files, whole, f.plot, svg); err != nil {
			return err
		}
	}
	if f.out != "" {
		var err error
		if whole, err = writeTo(&files, whole, f.out, yaml); err != nil {
			return err
		}
		told = a.stdout
		if f.workloadOnly {
			text += fmt.Sprintf("wrote %s: the section workload, for a scenario that has the rest\n", f.out)
		} else {
			text += fmt.Sprintf("wrote %s; now try: simload run %s\n", f.out, f.out)
		}
	}
	for _, o := range whole {
		if err := files.commit(o); err != nil {
			return err
		}
	}
	if f.out == "" {
		fmt.Fprintf(a.stdout, "%s", yaml)
	}
	fmt.Fprint(told, text)
	return nil
}

// writeTo writes one more file, which is whole with its commit.
func writeTo(files *outFiles, before []*outFile, path string, data []byte) ([]*outFile, error) {
	o, err := files.create(path)
	if err != nil {
		return before, err
	}
	if _, err := o.buf.Write(data); err != nil {
		return before, fmt.Errorf("writing %s: %w", path, err)
	}
	return append(before, o), nil
}

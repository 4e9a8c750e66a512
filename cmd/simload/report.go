package main

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/compare"
	"github.com/spf13/cobra"
)

func (a *app) reportCmd() *cobra.Command {
	var outs []string
	var format *choice
	cmd := &cobra.Command{
		Use:        "report FILE",
		Short:      "render a report file again",
		SuggestFor: []string{"show", "render", "print"},
		Long: `report reads the JSON that "run -o report.json" or "run --format json" wrote, "-"
for stdin, and renders it in another form. It exits 0 whatever the verdict was.`,
		Example: `  simload report report.json
  simload report report.json -o report.md
  simload run my.yaml --format json | simload report -`,
		Args: oneArg("report file", "simload run my.yaml -o report.json, then simload report report.json"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := distinct(outs, input{args[0], "the report that is read"}); err != nil {
				return err
			}
			b, err := a.readReports(args[0])
			if err != nil {
				return err
			}
			var files outFiles
			defer files.discard()
			opened, err := openReports(&files, outs, report.Formats())
			if err != nil {
				return err
			}
			a.writeReports(&files, opened, b)
			a.print(format.value, b)
			return nil
		},
	}
	format = formatFlag(cmd, "form of the report on stdout", report.Formats()...)
	outputFlag(cmd, &outs, "report", report.Formats())
	return cmd
}

// readReports reads a report file: one report, or an array of them as run writes
// for several scenarios.
func (a *app) readReports(path string) (batch, error) {
	return a.readReportsBy(path, report.ReadJSONAll)
}

func (a *app) readReportsBy(path string, read func(io.Reader) ([]*report.Report, error)) (batch, error) {
	in := a.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return batch{}, unreadable("a report", path, err)
		}
		defer f.Close()
		in = f
	}
	reports, err := read(in)
	var schema *report.SchemaError
	if errors.As(err, &schema) && schema.Found == compare.Schema {
		return batch{}, usagef("%s is a comparison (%s), and no report", path, compare.Schema).hint("give the report files that it was made of")
	}
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		return batch{}, unreadable("a report", path, err)
	}
	if err == nil && len(reports) == 0 {
		err = errors.New("an empty array")
	}
	if err != nil {
		return batch{}, usagef("%s: %w", path, err).hint("report files are written by: simload run SCENARIO -o report.json")
	}
	return batch{reports, len(reports) > 1}, nil
}

package main

import (
	"errors"
	"os"

	"github.com/seed-4fd17b57/simload/report"
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
			b, err := a.readReports(args[0])
			if err != nil {
				return err
			}
			var files outFiles
			defer files.discard()
			opened, err := openReports(&files, outs)
			if err != nil {
				return err
			}
			a.writeReports(&files, opened, b)
			a.print(format.value, b)
			return nil
		},
	}
	format = formatFlag(cmd, "form of the report on stdout", report.Formats()...)
	cmd.Flags().StringArrayVarP(&outs, "output", "o", nil, "write the report to `FILE` too, in the form of its extension, such as .json, .md or .html (repeatable)")
	return cmd
}

// readReports reads a report file: one report, or an array of them as run writes
// for several scenarios.
func (a *app) readReports(path string) (batch, error) {
	in := a.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return batch{}, usagef("reading a report: %w", err)
		}
		defer f.Close()
		in = f
	}
	reports, err := report.ReadJSONAll(in)
	if err == nil && len(reports) == 0 {
		err = errors.New("an empty array")
	}
	if err != nil {
		return batch{}, usagef("%s: %w", path, err).hint("report files are written by: simload run SCENARIO -o report.json")
	}
	return batch{reports, len(reports) > 1}, nil
}

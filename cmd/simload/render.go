package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/spf13/cobra"
)

// formatJSON is the form for programs of every verb.
const formatJSON = "json"

// extensions says which format a file name asks for: the longest that it ends in.
var extensions = []struct{ ext, format string }{
	{".json", formatJSON},
	{".md", "markdown"},
	{".txt", "table"},
	{".html", "html"},
	{".svg", "svg"},
	{".csv", "csv"},
	{".xml", "junit"},
	{".bench", "bench"},
	{".hlog", "hlog"},
	{".gha.json", "gha-benchmark"},
	{".bmf.json", "bencher"},
}

// extensionsOf lists the extensions of some formats, for help and errors.
func extensionsOf(formats []string) string {
	var known []string
	for _, e := range extensions {
		if slices.Contains(formats, e.format) {
			known = append(known, e.ext)
		}
	}
	return strings.Join(known, ", ")
}

// outputFlag adds -o for something that has these formats.
func outputFlag(cmd *cobra.Command, outs *[]string, what string, formats []string) {
	cmd.Flags().StringArrayVarP(outs, "output", "o", nil,
		"write the "+what+" to `FILE` too, in the form that its extension names: "+extensionsOf(formats)+" (repeatable)")
}

// formatOf returns the format, of those that there are, that the extension of an output file asks for.
func formatOf(path string, formats []string) (string, error) {
	if path == "-" {
		return "", usagef("-o - is not a file").hint("stdout always gets the report; --format chooses its form")
	}
	format, longest := "", 0
	for _, e := range extensions {
		if len(e.ext) > longest && strings.HasSuffix(strings.ToLower(path), e.ext) {
			format, longest = e.format, len(e.ext)
		}
	}
	if !slices.Contains(formats, format) {
		return "", usagef("-o %s: the extension %q names no format", path, filepath.Ext(path)).hint("allowed are %s", extensionsOf(formats))
	}
	return format, nil
}

// batch is what one command prints: one report, or a list, which in JSON is an
// array even when a single report came of it.
type batch struct {
	reports []*report.Report
	list    bool
}

// render writes a report, or a list of them.
func render(w io.Writer, b batch, format string, opt report.Options) error {
	if b.list {
		return report.RenderAll(w, b.reports, format, opt)
	}
	for _, r := range b.reports {
		if err := report.Render(w, r, format, opt); err != nil {
			return fmt.Errorf("rendering the report of %s: %w", r.Scenario.Name, err)
		}
	}
	return nil
}

// print renders reports on stdout.
func (a *app) print(format string, b batch) {
	if err := render(a.stdout, b, format, report.Options{Width: a.screen.width, Color: a.screen.color}); err != nil {
		a.fail(err)
	}
}

// reportFile is a file of -o.
type reportFile struct {
	file   *outFile
	format string
}

// openReports opens the files of -o for something that has these formats.
func openReports(files *outFiles, paths, formats []string) ([]reportFile, error) {
	outs := make([]reportFile, 0, len(paths))
	for _, p := range paths {
		format, err := formatOf(p, formats)
		if err != nil {
			return nil, err
		}
		o, err := files.create(p)
		if err != nil {
			return nil, err
		}
		outs = append(outs, reportFile{o, format})
	}
	return outs, nil
}

// writeReports writes and commits the files of -o, if there is something to write. An
// error of one does not stop the others.
func (a *app) writeReports(files *outFiles, outs []reportFile, b batch) {
	if len(b.reports) == 0 {
		return
	}
	a.writeFiles(files, outs, func(w io.Writer, format string, opt report.Options) error {
		return render(w, b, format, opt)
	})
}

// writeFiles renders into every file and commits it.
func (a *app) writeFiles(files *outFiles, outs []reportFile, render func(io.Writer, string, report.Options) error) {
	for _, o := range outs {
		err := render(o.file.buf, o.format, report.Options{Width: widthFile})
		if err == nil {
			err = files.commit(o.file)
		}
		if err != nil {
			a.fail(err)
		}
	}
}

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
)

// formatJSON is the format in which several reports form an array.
const formatJSON = "json"

// extensions says which format a file name asks for.
var extensions = []struct{ ext, format string }{
	{".json", formatJSON},
	{".md", "markdown"},
	{".txt", "table"},
	{".html", "html"},
	{".svg", "svg"},
}

// oneDocument reports whether several reports are written as one document of the format.
func oneDocument(format string) bool { return format == formatJSON || report.Joins(format) }

// formatOf returns the format that the extension of an output file asks for.
func formatOf(path string) (string, error) {
	if path == "-" {
		return "", usagef("-o - is not a file").hint("stdout always gets the report; --format chooses its form")
	}
	var known []string
	for _, e := range extensions {
		if strings.EqualFold(filepath.Ext(path), e.ext) && slices.Contains(report.Formats(), e.format) {
			return e.format, nil
		}
		known = append(known, e.ext)
	}
	return "", usagef("-o %s: the extension %q names no format", path, filepath.Ext(path)).hint("allowed are %s", strings.Join(known, ", "))
}

// batch is what one command prints: one report, or a list, which in JSON is an
// array even when a single report came of it.
type batch struct {
	reports []*report.Report
	list    bool
}

// render writes reports one after another.
func render(w io.Writer, b batch, format string, opt report.Options) error {
	if format == formatJSON && b.list {
		return report.RenderJSONArray(w, b.reports)
	}
	if report.Joins(format) {
		return report.RenderJoined(w, b.reports, format)
	}
	for i, r := range b.reports {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return fmt.Errorf("rendering: %w", err)
			}
		}
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

func openReports(files *outFiles, paths []string) ([]reportFile, error) {
	outs := make([]reportFile, 0, len(paths))
	for _, p := range paths {
		format, err := formatOf(p)
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
	for _, o := range outs {
		err := render(o.file.buf, b, o.format, report.Options{Width: widthFile})
		if err == nil {
			err = files.commit(o.file)
		}
		if err != nil {
			a.fail(err)
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/sim/scenario/litellm"
	"github.com/seed-4fd17b57/simload/workload"
	"github.com/spf13/cobra"
)

// failure is an error that knows its exit code and what the user can do about it.
type failure struct {
	code  int
	err   error
	hints []string
}

// Error implements error.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.err }

// usagef returns a failure that the user can mend.
func usagef(format string, args ...any) *failure {
	return &failure{code: report.ExitUsage, err: fmt.Errorf(format, args...)}
}

// hint adds a line that says what to do next.
func (f *failure) hint(format string, args ...any) *failure {
	f.hints = append(f.hints, fmt.Sprintf(format, args...))
	return f
}

// codeOf returns the exit code of an error: 2 for what the user can mend, else 1.
func codeOf(err error) int {
	var f *failure
	var wrong scenario.Errors
	var trace *sim.TraceError
	var store *sim.StoreError
	switch {
	case err == nil:
		return report.ExitPass
	case errors.As(err, &f):
		return f.code
	case errors.As(err, &wrong), errors.As(err, &trace), errors.As(err, &store):
		return report.ExitUsage
	}
	return report.ExitInternal
}

// printError writes an error and its hints in the form of every message of simload.
// Each error of a scenario gets a line of its own, as they name different places.
func printError(w io.Writer, err error) {
	var wrong scenario.Errors
	if errors.As(err, &wrong) {
		for _, e := range wrong {
			printMessage(w, e.Error())
		}
	} else {
		printMessage(w, err.Error())
	}
	var trace *sim.TraceError
	if errors.As(err, &trace) {
		fmt.Fprintln(w, "  allowed: a complete trace file, plain, gzip or zstd, every row of it valid")
		fmt.Fprintf(w, "  hint: %s\n", traceHint(trace))
	}
	var store *sim.StoreError
	if errors.As(err, &store) {
		fmt.Fprintf(w, "  hint: %s\n", redisHint(store))
	}
	for _, h := range hintsOf(err) {
		fmt.Fprintf(w, "  hint: %s\n", h)
	}
}

// traceHint says what to do about a trace that a scenario names.
func traceHint(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the file is not whole: fetch or pack it again; nothing was written"
	case errors.As(err, new(*workload.TraceRowError)):
		return "mend the row or leave it out, or say beside the trace's path on_error: skip, or reorder: ROWS for late ones; nothing was written"
	}
	return "see that workload.traces in the scenario names a trace, its form (format) and no other file, and that it is not damaged; nothing was written"
}

// hintsOf are the hints of a failure; those of a file that cannot be read are the same wherever it was.
func hintsOf(err error) []string {
	var f *failure
	var file *fs.PathError
	switch known := errors.As(err, &f); {
	case known && len(f.hints) > 0:
		return f.hints
	case known && errors.As(err, &file):
		return []string{fileHint(file.Path, file.Err)}
	}
	return nil
}

// withHelp sends who used a verb wrongly to its help, where nothing better is known.
func withHelp(cmd *cobra.Command, err error) error {
	var f *failure
	var wrong scenario.Errors // these two have hints of their own
	var gateway *litellm.Error
	if errors.As(err, &f) && f.code == report.ExitUsage && len(hintsOf(err)) == 0 && !errors.As(err, &wrong) && !errors.As(err, &gateway) {
		return f.hint("%q explains it", cmd.CommandPath()+" --help")
	}
	return err
}

// printMessage indents what follows the first line.
func printMessage(w io.Writer, text string) {
	fmt.Fprintf(w, "simload: %s\n", strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  "))
}

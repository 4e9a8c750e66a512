package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
	fitting "github.com/seed-4fd17b57/simload/workload/fit"
)

// readTrace reads as much of a trace as the flags ask for.
func (f *importFlags) readTrace(path string) (*fitting.Trace, error) {
	format, err := workload.ParseTraceFormat(f.format.value)
	if err != nil {
		return nil, usagef("--format: %w", err)
	}
	if f.from < 0 || f.length < 0 {
		return nil, usagef("--from and --for must not be negative, found %v and %v", f.from, f.length).hint("both are times of the trace, such as --from 1h --for 30m")
	}
	const formats = `import reads Azure's and BurstGPT's CSV, Mooncake's JSON lines, and what "simload run --events" writes; say which with --format`
	r, err := (&workload.Trace{Path: path, Format: format}).Open()
	if err != nil {
		return nil, unread(err, formats)
	}
	defer r.Close()
	t, err := fitting.Read(r, f.from, f.length)
	switch {
	case err == nil && t.Length > fitting.MaxLength:
		return nil, usagef("%s: %v long, a run is at most %v", path, t.Length.Round(time.Second), fitting.MaxLength).hint("take a part of it, such as --from 24h --for 168h")
	case errors.Is(err, fitting.ErrRows):
		return nil, f.unfit(fmt.Errorf("%s: %w", path, err))
	case errors.As(err, new(*workload.TraceRowError)) && r.Counts().Rows == 0:
		return nil, unread(err, formats+"; if it is one of these, correct the row")
	case errors.As(err, new(*workload.TraceRowError)):
		return nil, unread(err, "correct the row, or leave it out; rows are in order of time")
	case err != nil:
		return nil, unread(err, "the file is damaged or not a trace: fetch or pack it again")
	}
	return t, nil
}

// unfit is the error of a trace that no fit can be made of, with a hint for what it has too few or too many of.
func (f *importFlags) unfit(err error) error {
	switch {
	case errors.Is(err, fitting.ErrFew) && (f.from > 0 || f.length > 0):
		return usagef("%w", err).hint("take a longer part of the trace with --from and --for")
	case errors.Is(err, fitting.ErrFew):
		return usagef("%w", err).hint("record the traffic for longer")
	case errors.Is(err, fitting.ErrMany):
		return usagef("%w", err).hint("take a part of the trace with --from and --for")
	case errors.Is(err, fitting.ErrRows):
		return usagef("%w", err).hint("see that times are in the unit of the format, seconds or dates in CSV and milliseconds in Mooncake's; what comes all at once is better replayed (workload.traces)")
	}
	return err
}

// unread is the error of a file that could not be read, with a hint for what it holds.
func unread(err error, hint string) error {
	f := usagef("%w", err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		f.hint("the file is not whole: fetch or pack it again")
	case errors.Is(err, fs.ErrNotExist):
		f.hint("check the path: it starts from the directory you are in")
	default:
		f.hint("%s", hint)
	}
	return f
}

func readCalls(path string) (calls []fitting.Call, note string, err error) {
	const formats = `measured calls are a log of "simload run --events", or CSV with the columns in, out, first_token_s and total_s`
	in, err := os.Open(path)
	if err != nil {
		return nil, "", unread(fmt.Errorf("reading calls: %w", err), formats)
	}
	defer in.Close()
	calls, rest, err := fitting.ReadCalls(in, path)
	if err != nil {
		return nil, "", unread(err, formats)
	}
	return calls, leftOut(rest, "requests of the log that did not succeed, or whose times are not known"), nil
}

// leftOut is a line about what has no part in a fit; "" if there is nothing.
func leftOut(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Left out: %d %s.\n", n, what)
}

// measured fits the calls of the model that a trace's requests ask for, and tells what was left out.
func measured(path, model string) (*fitting.Latency, string, error) {
	calls, note, err := readCalls(path)
	if err != nil {
		return nil, "", err
	}
	l, others, err := fitting.FitLatencyOf(model, calls)
	if err != nil {
		return nil, "", misfit(path, err)
	}
	return l, note + leftOut(others, "calls of other models"), nil
}

// misfit is the error of calls that no latency can be fitted to.
func misfit(path string, err error) error {
	f := usagef("%s: %w", path, err)
	switch {
	case errors.Is(err, fitting.ErrModels):
		f.hint("name one of them with --model, or leave the calls of the others out of the file")
	case errors.Is(err, fitting.ErrTimes):
		f.hint("first_token_s and total_s are seconds: divide milliseconds by 1000")
	default:
		f.hint("only calls that succeeded and whose first token is known count")
	}
	return f
}

package workload

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// TraceReader reads a recorded trace row by row in bounded memory, and unpacks gzip
// and zstd, which it knows by content. The formats:
//
//   - azure: CSV with the columns TIMESTAMP, ContextTokens and GeneratedTokens.
//   - burstgpt: CSV with Timestamp, Request tokens, Response tokens, and where there
//     are such, Model and Session ID. No response tokens: the request failed.
//   - mooncake: JSON lines with timestamp (milliseconds), input_length, output_length,
//     and where there are such, hash_ids and session_id. A hash id stands for a block
//     of 512 prompt tokens and all before them; see [TraceRow.Prefix].
//   - events: simload's own log of requests, JSON lines with intended_s, tokens_in,
//     tokens_out, and where there are such, agent, task, prefix, profile and ending. The
//     tokens are those that were meant. An ending other than succeeded: the request failed.
//
// Columns and fields are found by name, columns regardless of case, among any others.
// Lines may end in CRLF, the file may start with a byte order mark, CSV fields may be
// quoted (but not contain line breaks), and empty lines are skipped.
//
// A timestamp in CSV is a date and time ("2023-11-16 18:15:46.6805900" or RFC 3339;
// without a zone it is UTC, whatever the machine's zone) or a number of seconds (since
// the start or since 1970), all rows alike, to the nanosecond. Arrivals are moved so
// that the first is at 0. Rows that share an instant keep their order; a row that steps
// back in time by more rows than [Trace.Reorder] holds is an error.
//
// Anything else that is not understood is an error too, with file, line and value, or
// is counted ([Trace.SkipBad]); nothing is dropped in silence or guessed. The counts
// may be 0.
type TraceReader struct {
	set    Trace
	format TraceFormat
	lines  traceLines
	file   io.Closer
	table  csvRows
	record jsonRows
	names  rowNames
	blocks *blockCache // of a format that has them
	window rowWindow
	group  rowGroup
	counts TraceCounts

	clock   clock
	started bool          // clock is known
	drained bool          // no line is left
	begun   bool          // first is known
	first   time.Duration // instant of the first row handed out, as it stands in the file
	last    time.Duration // of the last one
	err     error
	ended   bool
}

// OpenTrace opens a trace file of any format. It fails as [Trace.Open] does.
func OpenTrace(path string) (*TraceReader, error) { return (&Trace{Path: path}).Open() }

// ReadTrace reads a trace of any format from r, under a name for errors. It fails as
// [Trace.Open] does.
func ReadTrace(r io.Reader, name string) (*TraceReader, error) { return (&Trace{Path: name}).Read(r) }

// Open opens the trace's file and reads its header. It heeds the settings that concern
// single rows: Format, SkipBad, SkipFailed, Spread, Reorder and CacheBlocks. It fails if
// the file is empty or not packed well, or if a column is missing or there twice.
func (t *Trace) Open() (*TraceReader, error) {
	open := t.Source
	if open == nil {
		open = func() (io.ReadCloser, error) { return os.Open(t.Path) }
	}
	f, err := open()
	if err != nil {
		return nil, fmt.Errorf("opening trace: %w", err)
	}
	r, err := t.Read(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.file = f
	return r, nil
}

// Read reads the trace from r, as Open does from its file. Path is its name for errors.
func (t *Trace) Read(r io.Reader) (*TraceReader, error) {
	text, err := newLines(r, t.Path)
	if err != nil {
		return nil, err
	}
	out := &TraceReader{set: *t, format: t.Format, lines: text, names: make(rowNames)}
	if err := out.begin(); err != nil {
		out.lines.close()
		return nil, out.wrap(err)
	}
	return out, nil
}

// Next returns the next row; false at the end or at an error, see Err.
func (t *TraceReader) Next() (TraceRow, bool) {
	if t.ended {
		return TraceRow{}, false
	}
	row, err := t.spread()
	if err != nil {
		t.fail(err)
		return TraceRow{}, false
	}
	return row, true
}

// Err returns what stopped Next; nil at the end of the trace.
func (t *TraceReader) Err() error { return t.err }

// Counts returns what became of the rows read so far.
func (t *TraceReader) Counts() TraceCounts { return t.counts }

// Close closes the file. Next returns false afterwards.
func (t *TraceReader) Close() error {
	t.ended = true
	t.lines.close()
	if t.file == nil {
		return nil
	}
	f := t.file
	t.file = nil
	return f.Close()
}

// fail ends the trace, with an error unless it is io.EOF.
func (t *TraceReader) fail(err error) {
	t.ended = true
	if err != io.EOF {
		t.err = err
	}
}

// begin finds out the format and reads the header.
func (t *TraceReader) begin() error {
	line, err := t.lines.first()
	if err != nil {
		return err
	}
	if t.format == FormatAuto {
		t.format = detect(t.set.Path, line)
	}
	t.counts = TraceCounts{Name: t.set.Name, Path: t.set.Path, Format: t.format, Passes: 1}
	switch {
	case t.format == FormatMooncake:
		t.blocks = newBlockCache(t.set.CacheBlocks)
	case t.format == FormatEvents && t.set.Reorder == 0:
		t.set.Reorder = eventsReorder
	}
	if t.format.jsonLines() {
		t.lines.putBack(line)
		return nil
	}
	return t.table.header(t.format, line)
}

// ordered returns the next row by its instant, and by its place in the file.
func (t *TraceReader) ordered() (row TraceRow, err error) {
	if t.set.Reorder == 0 {
		if row, err = t.read(); err != nil {
			return TraceRow{}, err
		}
	} else {
		for !t.drained && t.window.len() <= t.set.Reorder {
			if row, err = t.read(); err == io.EOF {
				t.drained = true
			} else if err != nil {
				return TraceRow{}, err
			} else {
				t.window.push(row)
			}
		}
		if t.window.len() == 0 {
			return TraceRow{}, io.EOF
		}
		row = t.window.pop()
	}
	if !t.begun {
		t.first, t.begun = row.At, true
	}
	t.last = row.At
	row.At -= t.first
	return row, nil
}

// read returns the next row of the file that is to be replayed. Its instant is as it
// stands in the file.
func (t *TraceReader) read() (TraceRow, error) {
	for {
		line, err := t.lines.next()
		if err == io.EOF {
			return TraceRow{}, err
		}
		if err != nil {
			return TraceRow{}, t.wrap(err)
		}
		row := TraceRow{}
		if err := t.parse(line, &row); err != nil {
			if !t.set.SkipBad {
				return TraceRow{}, t.wrap(&TraceRowError{err})
			}
			if t.counts.Skipped == 0 {
				t.counts.FirstSkipped = fmt.Sprintf("%s:%d: %v", t.set.Path, t.lines.number, err)
			}
			t.counts.Skipped++
			continue
		}
		t.counts.Rows++
		if row.Failed {
			t.counts.Failed++
			if t.set.SkipFailed {
				continue
			}
		}
		return row, nil
	}
}

// TraceRowError is in the chain of an error about what a row of a trace says, and not of one about the file that it is in.
type TraceRowError struct{ Err error }

// Error implements error.
func (e *TraceRowError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the row.
func (e *TraceRowError) Unwrap() error { return e.Err }

// parse reads a line into row and checks its instant.
func (t *TraceReader) parse(line []byte, row *TraceRow) (err error) {
	unit := clock(0)
	if t.format.jsonLines() {
		unit, err = t.record.row(t.format, line, row, t.names)
	} else {
		unit, err = t.table.row(line, row, t.names)
	}
	if err != nil {
		return err
	}
	if !t.started {
		t.clock, t.started = unit, true
	}
	if unit != t.clock {
		return fmt.Errorf("the time is in %s, the rows before it have %s", unit, t.clock)
	}
	if t.begun && row.At < t.last {
		return t.late(t.last - row.At)
	}
	if t.blocks != nil {
		row.Prefix = min(t.blocks.visit(t.record.blocks)*blockTokens, row.In)
		row.Conversation = uint64(t.blocks.latest)
	}
	return nil
}

func (t *TraceReader) late(by time.Duration) error {
	if t.set.Reorder == 0 {
		return fmt.Errorf("the time is %v before that of the row before it: the trace is not sorted by time", by)
	}
	return fmt.Errorf("the time is %v before that of a row already replayed: more than %d rows are needed to put this one in order", by, t.set.Reorder)
}

func (t *TraceReader) wrap(err error) error {
	if t.lines.number == 0 {
		return fmt.Errorf("reading trace %s: %w", t.set.Path, err)
	}
	return fmt.Errorf("reading trace %s:%d: %w", t.set.Path, t.lines.number, err)
}

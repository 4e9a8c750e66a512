package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

const (
	maxRow       = 1 << 20 // bytes
	maxRowTokens = 1_000_000_000
)

// TraceRow is one recorded request.
type TraceRow struct {
	At      time.Duration // since the first row
	In, Out int64         // prompt and output tokens as recorded, 0 to 1e9
}

// The columns that are read, by their names in Azure's files.
const (
	columnTime = iota
	columnIn
	columnOut
	numColumns
)

var columnNames = [numColumns]string{"TIMESTAMP", "ContextTokens", "GeneratedTokens"}

// TraceReader reads a trace in the form of Azure's LLM inference traces: CSV with a
// header that names the columns TIMESTAMP, ContextTokens and GeneratedTokens, in any
// order and case, among any others. It reads row by row in bounded memory, and
// unpacks gzip, which it knows by content. Lines may end in CRLF, the file may start
// with a byte order mark, fields may be quoted (but not contain line breaks), and
// empty lines are skipped.
//
// A timestamp is a date and time ("2023-11-16 18:15:46.6805900" or RFC 3339; without
// a zone it is UTC, whatever the machine's zone) or a number of seconds (since the
// start or since 1970), all rows alike, to the nanosecond. Arrivals are moved so that
// the first is at 0. Rows that share an instant keep their order; a row that steps
// back in time is an error, since putting it right would need the whole file.
//
// Anything else that is not understood is an error too, with file, line and value;
// nothing is skipped or guessed. The counts may be 0.
type TraceReader struct {
	name    string
	in      *bufio.Reader
	file    io.Closer
	long    []byte // row that does not fit the buffer of in
	fields  [][]byte
	columns [numColumns]int
	width   int // fields of a row
	line    int
	rows    int
	first   int64 // ns, of the first row
	last    int64 // ns, of the row before
	clock   clock
	err     error
	ended   bool
}

// OpenTrace opens a trace file and reads its header. It fails if there is none, or
// if a column is missing or there twice.
func OpenTrace(path string) (*TraceReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening trace: %w", err)
	}
	t, err := ReadTrace(f, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.file = f
	return t, nil
}

// ReadTrace reads a trace from r, under a name for errors. It fails as OpenTrace does.
func ReadTrace(r io.Reader, name string) (*TraceReader, error) {
	t := &TraceReader{name: name, in: bufio.NewReaderSize(r, 1<<16)}
	magic, err := t.in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading trace %s: %w", name, err)
	}
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		gz, err := gzip.NewReader(t.in)
		if err != nil {
			return nil, fmt.Errorf("unpacking trace %s: %w", name, cut(err))
		}
		t.in = bufio.NewReaderSize(gz, 1<<16)
	}
	if err := t.header(); err != nil {
		return nil, t.wrap(err)
	}
	return t, nil
}

// Next returns the next row; false at the end or at an error, see Err.
func (t *TraceReader) Next() (TraceRow, bool) {
	if t.ended {
		return TraceRow{}, false
	}
	row, err := t.next()
	if err != nil {
		t.ended = true
		if err != io.EOF {
			t.err = t.wrap(err)
		}
		return TraceRow{}, false
	}
	return row, true
}

// Err returns what stopped Next; nil at the end of the trace.
func (t *TraceReader) Err() error { return t.err }

// Close closes the file. Next returns false afterwards.
func (t *TraceReader) Close() error {
	t.ended = true
	if t.file == nil {
		return nil
	}
	f := t.file
	t.file = nil
	return f.Close()
}

func (t *TraceReader) header() error {
	line, err := t.readLine()
	if err == io.EOF {
		return errors.New("the file is empty, a header is expected")
	}
	if err != nil {
		return err
	}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	if t.fields, err = splitRow(line, t.fields); err != nil {
		return err
	}
	t.width = len(t.fields)
	for c, name := range columnNames {
		t.columns[c] = -1
		for i, f := range t.fields {
			if !bytes.EqualFold(f, []byte(name)) {
				continue
			}
			if t.columns[c] >= 0 {
				return fmt.Errorf("column %s is there twice", name)
			}
			t.columns[c] = i
		}
		if t.columns[c] < 0 {
			return fmt.Errorf("column %s is missing in the header %s", name, excerpt(line))
		}
	}
	return nil
}

func (t *TraceReader) next() (TraceRow, error) {
	line, err := t.readLine()
	for err == nil && len(bytes.TrimSpace(line)) == 0 {
		line, err = t.readLine()
	}
	if err != nil {
		return TraceRow{}, err
	}
	if t.fields, err = splitRow(line, t.fields); err != nil {
		return TraceRow{}, err
	}
	if len(t.fields) != t.width {
		return TraceRow{}, fmt.Errorf("%d fields found, %d expected as in the header", len(t.fields), t.width)
	}
	at, err := t.instant(t.fields[t.columns[columnTime]])
	if err != nil {
		return TraceRow{}, err
	}
	row := TraceRow{At: at}
	if row.In, err = t.count(columnIn); err != nil {
		return TraceRow{}, err
	}
	if row.Out, err = t.count(columnOut); err != nil {
		return TraceRow{}, err
	}
	return row, nil
}

// instant returns the time since the first row.
func (t *TraceReader) instant(field []byte) (time.Duration, error) {
	ns, clock, err := parseStamp(field)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", columnNames[columnTime], excerpt(field), err)
	}
	if t.rows == 0 {
		t.first, t.last, t.clock = ns, ns, clock
	}
	t.rows++
	switch {
	case clock != t.clock:
		return 0, fmt.Errorf("%s %s is %s, the rows before it have %s", columnNames[columnTime], excerpt(field), clock, t.clock)
	case ns < t.last:
		return 0, fmt.Errorf("%s %s is %v before the row before it: sort the trace by time",
			columnNames[columnTime], excerpt(field), time.Duration(t.last-ns))
	case ns-t.first < 0: // overflow
		return 0, fmt.Errorf("%s %s is more than %v after the first row", columnNames[columnTime], excerpt(field), time.Duration(math.MaxInt64))
	}
	t.last = ns
	return time.Duration(ns - t.first), nil
}

func (t *TraceReader) count(column int) (int64, error) {
	field := t.fields[t.columns[column]]
	n, ok := parseCount(field)
	if !ok {
		return 0, fmt.Errorf("%s %s: a whole number from 0 to %d is expected", columnNames[column], excerpt(field), maxRowTokens)
	}
	return n, nil
}

// readLine returns the next line without its end. What it returns is valid until the
// next call. A last line counts although it has no end, unless reading failed.
func (t *TraceReader) readLine() ([]byte, error) {
	t.long = t.long[:0]
	for {
		part, err := t.in.ReadSlice('\n')
		if err == io.EOF && len(t.long)+len(part) == 0 {
			return nil, io.EOF
		}
		if len(t.long)+len(part) > maxRow {
			t.line++
			return nil, fmt.Errorf("the row is longer than %d bytes", maxRow)
		}
		switch err {
		case nil, io.EOF:
			t.line++
			if len(t.long) > 0 {
				t.long = append(t.long, part...)
				part = t.long
			}
			return bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r")), nil
		case bufio.ErrBufferFull:
			t.long = append(t.long, part...)
		default:
			t.line++
			return nil, cut(err)
		}
	}
}

func (t *TraceReader) wrap(err error) error {
	return fmt.Errorf("reading trace %s:%d: %w", t.name, t.line, err)
}

// cut explains the error of a file that ends too early.
func cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the gzip data is truncated: %w", io.ErrUnexpectedEOF)
	}
	return err
}

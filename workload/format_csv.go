package workload

import (
	"bytes"
	"fmt"
	"strings"
)

// The columns that are read.
const (
	columnTime = iota
	columnIn
	columnOut
	columnModel
	columnSession
	numColumns
	numRequired = columnOut + 1
)

// columnNames are the columns' names in a format; "": it has no such column.
var columnNames = map[TraceFormat][numColumns]string{
	FormatAzure:    {"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
	FormatBurstGPT: {"Timestamp", "Request tokens", "Response tokens", "Model", "Session ID"},
}

// csvRows reads the rows of a CSV file by the names in its header.
type csvRows struct {
	names  [numColumns]string
	at     [numColumns]int // index of a column in a row; -1: absent
	width  int             // fields of a row
	fields [][]byte
	zeroes bool // no tokens out: the request failed
}

func (t *csvRows) header(format TraceFormat, line []byte) (err error) {
	t.names = columnNames[format]
	t.zeroes = format == FormatBurstGPT
	if t.fields, err = splitRow(line, t.fields); err != nil {
		return err
	}
	t.width = len(t.fields)
	for c, name := range t.names {
		t.at[c] = -1
		if name == "" {
			continue
		}
		for i, f := range t.fields {
			if !bytes.EqualFold(f, []byte(name)) {
				continue
			}
			if t.at[c] >= 0 {
				return fmt.Errorf("column %s is there twice", name)
			}
			t.at[c] = i
		}
		if t.at[c] < 0 && c < numRequired {
			return fmt.Errorf("column %s is missing in the header %s, read as format %v", name, excerpt(line), format)
		}
	}
	return nil
}

// row reads a line into row, whose At is the instant as it stands in the file.
func (t *csvRows) row(line []byte, row *TraceRow, names rowNames) (unit clock, err error) {
	if t.fields, err = splitRow(line, t.fields); err != nil {
		return 0, err
	}
	if len(t.fields) != t.width {
		return 0, fmt.Errorf("%d fields found, %d expected as in the header", len(t.fields), t.width)
	}
	if row.At, unit, err = parseStamp(t.fields[t.at[columnTime]]); err != nil {
		return 0, fieldError(t.names[columnTime], t.fields[t.at[columnTime]], err)
	}
	if row.In, err = t.count(columnIn); err != nil {
		return 0, err
	}
	if row.Out, err = t.count(columnOut); err != nil {
		return 0, err
	}
	row.Failed = t.zeroes && row.Out == 0
	if c := t.at[columnSession]; c >= 0 && len(t.fields[c]) > 0 {
		row.Session, row.HasSession = hashName(t.fields[c]), true
	}
	if c := t.at[columnModel]; c >= 0 {
		row.Model, err = names.of(t.fields[c], undouble)
	}
	return unit, err
}

func (t *csvRows) count(column int) (int64, error) {
	field := t.fields[t.at[column]]
	n, ok := parseCount(field)
	if !ok {
		return 0, fieldError(t.names[column], field, errCount)
	}
	return n, nil
}

// undouble returns a field's text; within quotes two quotes stand for one.
func undouble(field []byte) (string, error) {
	return strings.ReplaceAll(string(field), `""`, `"`), nil
}

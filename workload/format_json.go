package workload

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// jsonRows reads rows that are JSON objects, one a line.
type jsonRows struct {
	blocks []int64 // hash_ids of the last row
	found  uint16  // fields of the row that were met, as bits
}

// Fields of JSON lines.
const (
	fieldTime = iota
	fieldIn
	fieldOut
	fieldSession
	fieldName
	fieldEnding
	fieldBlocks
	fieldTask
	fieldPrefix
	numFields
	requiredFields = 1<<fieldTime | 1<<fieldIn | 1<<fieldOut
)

var fieldNames = map[TraceFormat]*[numFields]string{
	FormatMooncake: {"timestamp", "input_length", "output_length", "session_id", "", "", "hash_ids", "", ""},
	FormatEvents:   {"intended_s", "tokens_in", "tokens_out", "agent", "profile", "ending", "", "task", "prefix"},
}

var (
	errWord   = errors.New("a text is expected")
	errID     = errors.New("a whole number of at most 64 bits is expected")
	errBlocks = errors.New("a list of whole numbers of at most 64 bits is expected")
	errTime   = errors.New("a number is expected")
)

// row reads a line into row, whose At is the instant as it stands in the file.
func (r *jsonRows) row(format TraceFormat, line []byte, row *TraceRow, names rowNames) (clock, error) {
	fields := fieldNames[format]
	r.blocks, r.found = r.blocks[:0], 0
	c := cursor{text: line}
	if err := c.open(); err != nil {
		return 0, err
	}
	for {
		key, value, more, err := c.field()
		if err != nil {
			return 0, err
		}
		if !more {
			break
		}
		f := 0
		for f < numFields && (string(key) != fields[f] || len(key) == 0) {
			f++
		}
		if f == numFields {
			continue
		}
		if r.found&(1<<f) != 0 {
			return 0, fmt.Errorf("field %s is there twice", fields[f])
		}
		r.found |= 1 << f
		if string(value) == "null" && requiredFields&(1<<f) == 0 {
			continue
		}
		if err := r.set(format, f, value, row, names); err != nil {
			return 0, fieldError(fields[f], value, err)
		}
	}
	row.Prefix = min(row.Prefix, row.In)
	if r.found&(1<<fieldTask) != 0 {
		row.Conversation = jitter.Hash(row.Session, row.Conversation, 0) | 1 // never 0
	}
	for f, name := range fields {
		if requiredFields&^r.found&(1<<f) != 0 {
			return 0, fmt.Errorf("field %s is missing, read as format %v", name, format)
		}
	}
	if format == FormatMooncake {
		return clockMillis, nil
	}
	return clockSeconds, nil
}

// set takes the value of one field.
func (r *jsonRows) set(format TraceFormat, f int, value []byte, row *TraceRow, names rowNames) (err error) {
	text := value[0] == '"'
	ok := true
	switch f {
	case fieldTime:
		if c := value[0]; c != '-' && (c < '0' || c > '9') {
			return errTime
		}
		unit := clockSeconds
		if format == FormatMooncake {
			unit = clockMillis
		}
		row.At, err = parseDecimal(value, unit)
	case fieldIn:
		row.In, ok = parseCount(value)
	case fieldOut:
		row.Out, ok = parseCount(value)
	case fieldSession:
		row.HasSession = true
		if format == FormatEvents {
			var id int64
			if id, ok = parseID(value); !ok || id < 0 {
				return errID
			}
			row.Session = uint64(id)
			return nil
		}
		row.Session = hashName(value)
	case fieldName:
		if !text {
			return errWord
		}
		row.Model, err = names.of(value, unquote)
	case fieldEnding:
		if !text {
			return errWord
		}
		row.Failed = string(value) != `"succeeded"`
	case fieldBlocks:
		return r.list(value)
	case fieldTask:
		var n int64
		if n, ok = parseID(value); !ok || n < 0 {
			return errID
		}
		row.Conversation = uint64(n)
	case fieldPrefix:
		row.Prefix, ok = parseCount(value)
	}
	if !ok {
		return errCount
	}
	return err
}

// list reads a list of whole numbers into blocks. The value is well-formed JSON.
func (r *jsonRows) list(value []byte) error {
	if value[0] != '[' {
		return errBlocks
	}
	start := -1 // of the number at hand
	for i := 1; i < len(value); i++ {
		switch c := value[i]; {
		case c != ',' && c != ']' && !isSpace(c):
			if start < 0 {
				start = i
			}
		case start >= 0:
			id, ok := parseID(value[start:i])
			if !ok {
				return errBlocks
			}
			r.blocks = append(r.blocks, id)
			start = -1
		}
	}
	return nil
}

// unquote returns the text of a JSON string.
func unquote(value []byte) (s string, err error) {
	err = json.Unmarshal(value, &s)
	return s, err
}

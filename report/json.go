package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxFile is the size of a report file in bytes beyond which it is not read.
const maxFile = 512 << 20

// RenderJSON writes the report file: indented, its fields in the order of the
// types, numbers as Num prints them, and a newline at the end. Equal reports give equal bytes.
func RenderJSON(w io.Writer, r *Report) error { return encodeJSON(w, r) }

// RenderJSONArray writes several reports as one array, as a run of several scenarios gives them.
func RenderJSONArray(w io.Writer, rs []*Report) error {
	if rs == nil {
		rs = []*Report{}
	}
	return encodeJSON(w, rs)
}

func encodeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // expressions hold < and >; who embeds the file in HTML must escape it
	e.SetIndent("", "  ")
	err := e.Encode(v)
	if err == nil {
		_, err = w.Write(plainReplacements(b.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("writing a report: %w", err)
	}
	return nil
}

// plainReplacements writes the replacement character, which stands for a byte that is no UTF-8, as
// it is: encoding/json escapes it for the byte, but not for itself, and a file that is read and
// written again would differ.
func plainReplacements(b []byte) []byte {
	const escaped, plain = `\ufffd`, "\ufffd"
	if !bytes.Contains(b, []byte(escaped)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		switch {
		case bytes.HasPrefix(b[i:], []byte(escaped)):
			out = append(out, plain...)
			i += len(escaped)
		case b[i] == '\\': // with what it escapes: it may be a backslash
			out = append(out, b[i:i+2]...)
			i += 2
		default:
			out = append(out, b[i])
			i++
		}
	}
	return out
}

// SchemaError says that a file is no report of this version.
type SchemaError struct {
	Found string // the file's schema, empty when it names none
}

// Error implements error.
func (e *SchemaError) Error() string {
	if e.Found == "" {
		return fmt.Sprintf("no report: it has no schema, expected %q", Schema)
	}
	return fmt.Sprintf("schema %q is not readable, expected %q", shorten(clean(e.Found), 60), Schema)
}

// ReadJSON reads one report file. Fields that it does not know are ignored, so
// that files of later programs with the same schema can be read. Another schema is a
// *SchemaError.
func ReadJSON(r io.Reader) (*Report, error) {
	all, err := ReadJSONAll(r)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("reading a report: the file holds %d reports, expected one", len(all))
	}
	return all[0], nil
}

// ReadJSONAll reads a file that holds one report or an array of them.
func ReadJSONAll(r io.Reader) ([]*Report, error) { return readAll(r, decodeReport) }

// ReadJSONForced is ReadJSONAll of files of any schema, or of none: what has the names of this schema is
// read, and the rest is left empty.
func ReadJSONForced(r io.Reader) ([]*Report, error) { return readAll(r, decodeAny) }

func readAll(r io.Reader, decode func([]byte) (*Report, error)) ([]*Report, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading a report: %w", err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("reading a report: larger than %d MB", maxFile>>20)
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil, errors.New("reading a report: the file is empty")
	}
	raw := []json.RawMessage{data}
	if data[0] == '[' {
		if err := json.Unmarshal(data, &raw); err != nil {
			return nil, jsonError(err)
		}
	}
	out := make([]*Report, 0, len(raw))
	for i, one := range raw {
		rep, err := decode(one)
		if err != nil && len(raw) > 1 {
			return nil, fmt.Errorf("report %d of %d: %w", i+1, len(raw), err)
		} else if err != nil {
			return nil, err
		}
		out = append(out, rep)
	}
	return out, nil
}

func decodeReport(data []byte) (*Report, error) {
	// The schema first: another one may have fields of other types.
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, jsonError(err)
	}
	switch {
	case head.Schema == nil:
		return nil, fmt.Errorf("reading a report: %w", &SchemaError{})
	case *head.Schema != Schema:
		return nil, fmt.Errorf("reading a report: %w", &SchemaError{Found: *head.Schema})
	}
	return decodeAny(data)
}

// decodeAny does not look at the schema.
func decodeAny(data []byte) (*Report, error) {
	rep := new(Report)
	if err := json.Unmarshal(data, rep); err != nil {
		return nil, jsonError(err)
	}
	return rep, nil
}

// jsonError adds the place, which encoding/json knows but does not print.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("reading a report: byte %d: %w", syntax.Offset, err)
	case errors.As(err, &wrong):
		return fmt.Errorf("reading a report: byte %d: %w", wrong.Offset, err)
	}
	return fmt.Errorf("reading a report: %w", err)
}

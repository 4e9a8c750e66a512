package fit

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/workload"
)

// maxLine bounds a line of an events log, in bytes.
const maxLine = 1 << 20

// ReadCalls reads measured calls from simload's own log of requests (--events), of which it
// takes the last attempt of each request that succeeded, or from CSV with the columns in, out,
// first_token_s and total_s, and model where there is one, in any order among others. Which of
// the two it is, the first character tells that is no blank and no byte order mark. Name stands in errors,
// which tell line and value.
// At most [MaxRows] calls are read; gzip and zstd are unpacked. Rest tells how many requests of a log are no such
// calls: they did not succeed, or their times are not known.
func ReadCalls(r io.Reader, name string) (calls []Call, rest int, err error) {
	in, release, err := workload.Unpacked(r)
	if err != nil {
		return nil, 0, fmt.Errorf("reading calls %s: %w", name, err)
	}
	defer release()
	before, first, err := begin(in)
	switch {
	case err == io.EOF:
		return nil, 0, fmt.Errorf("reading calls %s: the file is empty", name)
	case err != nil:
		return nil, 0, fmt.Errorf("reading calls %s: %w", name, err)
	}
	if first == '{' {
		calls, rest, err = readEvents(in, before)
	} else {
		calls, err = readTable(in, before)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading calls %s:%w", name, err)
	}
	return calls, rest, nil
}

// begin passes a byte order mark and what is blank. It returns the number of lines passed and the byte
// that comes next.
func begin(in *bufio.Reader) (lines int, first byte, err error) {
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3) // it is in the buffer
	}
	for {
		switch first, err = in.ReadByte(); {
		case err != nil:
			return lines, 0, err
		case first == '\n':
			lines++
		case first != ' ' && first != '\t' && first != '\r':
			return lines, first, in.UnreadByte()
		}
	}
}

// event is what is read of a line of an events log.
type event struct {
	Profile string      `json:"profile"`
	Ending  string      `json:"ending"`
	UsedIn  *int64      `json:"used_in"`
	UsedOut *int64      `json:"used_out"`
	Steps   []eventStep `json:"steps"`
}

type eventStep struct {
	Model   string   `json:"model"`
	Sent    *float64 `json:"sent_s"`
	First   *float64 `json:"first_token_s"`
	Ended   *float64 `json:"ended_s"`
	Outcome string   `json:"outcome"`
}

// readEvents reads a log from the line after those before.
func readEvents(r io.Reader, before int) (calls []Call, rest int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := before
	for lines.Scan() {
		number++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, 0, fmt.Errorf("%d: not a line of an events log: %w", number, err)
		}
		if e.UsedIn == nil || e.UsedOut == nil {
			return nil, 0, fmt.Errorf("%d: used_in or used_out is missing: the log is older than they are, record it anew", number)
		}
		c, ok := e.call()
		if !ok {
			rest++
			continue
		}
		if len(calls) == MaxRows {
			return nil, 0, fmt.Errorf("%d: more than %d calls", number, MaxRows)
		}
		calls = append(calls, c)
	}
	if err := lines.Err(); err != nil {
		return nil, 0, fmt.Errorf("%d: %w", number+1, err)
	}
	return calls, rest, nil
}

// call returns the attempt that answered a request; false if none did, or its times are unknown.
func (e *event) call() (Call, bool) {
	if e.Ending != "succeeded" || len(e.Steps) == 0 {
		return Call{}, false
	}
	s := e.Steps[len(e.Steps)-1]
	if s.Outcome != "success" || s.Sent == nil || s.First == nil || s.Ended == nil {
		return Call{}, false
	}
	c := Call{
		Model: s.Model, Profile: e.Profile, In: *e.UsedIn, Out: *e.UsedOut,
		First: seconds(*s.First - *s.Sent), Total: seconds(*s.Ended - *s.Sent),
	}
	return c, c.First >= micro && c.Total >= c.First && c.In >= 0 && c.Out >= 0
}

// The columns of a table of calls; those from the fifth on may be missing.
var callColumns = []string{"in", "out", "first_token_s", "total_s", "model"}

// readTable reads a table from the line after those before.
func readTable(r io.Reader, before int) ([]Call, error) {
	rows := csv.NewReader(r)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err != nil {
		return nil, misread(err, before)
	}
	at := make([]int, len(callColumns))
	for i, name := range callColumns {
		at[i] = slices.IndexFunc(header, func(h string) bool {
			return strings.EqualFold(strings.TrimSpace(h), name)
		})
		if at[i] < 0 && i < 4 {
			return nil, fmt.Errorf("%d: column %s is missing in the header %.80q: in, out, first_token_s and total_s are expected", before+1, name, strings.Join(header, ","))
		}
	}
	var calls []Call
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return calls, nil
		}
		if err != nil {
			return nil, misread(err, before)
		}
		c, err := newCall(row, at)
		if line, _ := rows.FieldPos(0); err != nil || len(calls) == MaxRows {
			return nil, fmt.Errorf("%d: %w", before+line, errors.Join(err, bound(len(calls))))
		}
		calls = append(calls, c)
	}
}

// misread is an error of the table's form, with its line.
func misread(err error, before int) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%d:%d: %w", before+wrong.Line, wrong.Column, wrong.Err)
	}
	return fmt.Errorf(" %w", err)
}

func bound(n int) error {
	if n < MaxRows {
		return nil
	}
	return fmt.Errorf("more than %d calls", MaxRows)
}

// newCall reads a row whose columns stand at these places.
func newCall(row []string, at []int) (c Call, err error) {
	var n [4]float64
	for i := range n {
		text := strings.TrimSpace(row[at[i]])
		if n[i], err = strconv.ParseFloat(text, 64); err != nil || !(n[i] >= 0 && n[i] < 1e9) {
			return c, fmt.Errorf("%s is %.40q, a number from 0 to 1e9 is expected", callColumns[i], text)
		}
	}
	c = Call{In: int64(math.Round(n[0])), Out: int64(math.Round(n[1])), First: seconds(n[2]), Total: seconds(n[3])}
	if at[4] >= 0 {
		c.Model = strings.TrimSpace(row[at[4]])
	}
	switch {
	case c.First < micro:
		err = fmt.Errorf("first_token_s is %s, at least a microsecond is expected: leave failed calls out", row[at[2]])
	case c.Total < c.First:
		err = fmt.Errorf("total_s is %s, before the first token at %s", row[at[3]], row[at[2]])
	}
	return c, err
}

package workload

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// clock is the kind of a trace's timestamps.
type clock uint8

const (
	clockDate clock = iota
	clockSeconds
	clockMillis
)

func (c clock) String() string {
	switch c {
	case clockDate:
		return "dates"
	case clockSeconds:
		return "seconds"
	}
	return "milliseconds"
}

var (
	errQuote  = errors.New("a quoted field is not closed, or goes on after its end")
	errStamp  = errors.New("a date and time such as 2023-11-16 18:15:46.68 or a number of seconds is expected")
	errRange  = errors.New("beyond the years 1824 to 2115, for a number of seconds since 1970 (are these milliseconds?)")
	errMillis = errors.New("beyond the years 1824 to 2115, for a number of milliseconds since 1970")
	errCount  = fmt.Errorf("a whole number from 0 to %d is expected", maxRowTokens)
)

// maxSeconds keeps the difference of two times in nanoseconds within 64 bits.
const maxSeconds = 4_600_000_000

// fieldError says what is wrong with a field.
func fieldError(name string, value []byte, err error) error {
	return fmt.Errorf("%s %s: %w", name, excerpt(value), err)
}

// splitRow splits a line at its commas into fields, without the spaces and quotes
// around them. A doubled quote within a quoted field is left as it is.
func splitRow(line []byte, fields [][]byte) ([][]byte, error) {
	fields = fields[:0]
	for {
		line = bytes.TrimLeft(line, " \t")
		var field []byte
		if len(line) > 0 && line[0] == '"' {
			end := closingQuote(line)
			if end < 0 {
				return fields, errQuote
			}
			field, line = line[1:end], bytes.TrimLeft(line[end+1:], " \t")
			if len(line) > 0 && line[0] != ',' {
				return fields, errQuote
			}
		} else {
			end := bytes.IndexByte(line, ',')
			if end < 0 {
				end = len(line)
			}
			field, line = line[:end], line[end:]
		}
		fields = append(fields, bytes.TrimSpace(field))
		if len(line) == 0 {
			return fields, nil
		}
		line = line[1:]
	}
}

// closingQuote returns where the quoted field at the start of line ends, -1 if it
// does not.
func closingQuote(line []byte) int {
	for i := 1; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		if i+1 < len(line) && line[i+1] == '"' {
			i++
			continue
		}
		return i
	}
	return -1
}

func parseCount(field []byte) (int64, bool) {
	n := int64(0)
	for _, c := range field {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
		if n > maxRowTokens {
			return 0, false
		}
	}
	return n, len(field) > 0
}

// parseID reads a whole number of 64 bits.
func parseID(field []byte) (int64, bool) {
	digits := bytes.TrimPrefix(field, []byte("-"))
	n := uint64(0)
	for _, c := range digits {
		if c < '0' || c > '9' || n > math.MaxInt64/10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	if n > math.MaxInt64 || len(digits) == 0 {
		return 0, false
	}
	if len(digits) < len(field) {
		return -int64(n), true
	}
	return int64(n), true
}

// parseStamp returns a timestamp as the time since 1970, or since the start for
// seconds that count from there.
func parseStamp(field []byte) (time.Duration, clock, error) {
	if len(field) > 64 {
		return 0, 0, errStamp
	}
	if bytes.IndexByte(field, ':') < 0 {
		at, err := parseDecimal(field, clockSeconds)
		return at, clockSeconds, err
	}
	at, err := parseDate(string(field))
	return at, clockDate, err
}

func parseDate(text string) (time.Duration, error) {
	const day = len("2006-01-02")
	if len(text) <= day {
		return 0, errStamp
	}
	layout := "2006-01-02 15:04:05"
	if text[day] == 'T' {
		layout = "2006-01-02T15:04:05"
	}
	if strings.ContainsAny(text[day:], "Z+-") {
		layout += "Z07:00"
	}
	at, err := time.Parse(layout, text) // UTC unless the text has a zone
	if err != nil {
		return 0, errStamp
	}
	if s := at.Unix(); s < -maxSeconds || s > maxSeconds {
		return 0, errRange
	}
	return time.Duration(at.UnixNano()), nil
}

// parseDecimal reads a number of seconds or milliseconds exactly, down to the
// nanosecond; what is finer is cut.
func parseDecimal(field []byte, unit clock) (time.Duration, error) {
	second, beyond, step := int64(1), errRange, int64(time.Second)
	if unit == clockMillis {
		second, beyond, step = 1000, errMillis, int64(time.Millisecond)
	}
	if bytes.ContainsAny(field, "eE") {
		return parseScientific(string(field), second, beyond, step)
	}
	digits := bytes.TrimPrefix(field, []byte("-"))
	whole, fraction, point := digits, []byte(nil), bytes.IndexByte(digits, '.')
	if point >= 0 {
		whole, fraction = digits[:point], digits[point+1:]
	}
	if len(whole) == 0 {
		return 0, errStamp
	}
	n := int64(0)
	for _, c := range whole {
		if c < '0' || c > '9' {
			return 0, errStamp
		}
		n = min(n*10+int64(c-'0'), maxSeconds*1000+1) // does not overflow
	}
	if n > maxSeconds*second {
		return 0, beyond
	}
	ns := n * step
	for _, c := range fraction {
		if c < '0' || c > '9' {
			return 0, errStamp
		}
		step /= 10
		ns += int64(c-'0') * step
	}
	if len(digits) < len(field) {
		ns = -ns
	}
	return time.Duration(ns), nil
}

func parseScientific(text string, second int64, beyond error, step int64) (time.Duration, error) {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, errStamp
	}
	v, err := strconv.ParseFloat(text, 64)
	if most := float64(maxSeconds * second); v < -most || v > most {
		return 0, beyond
	}
	if err != nil {
		return 0, errStamp
	}
	return time.Duration(v * float64(step)), nil
}

// excerpt quotes a field for an error, shortened.
func excerpt(field []byte) string {
	const most = 60
	if len(field) > most {
		return fmt.Sprintf("%q...", field[:most])
	}
	return fmt.Sprintf("%q", field)
}

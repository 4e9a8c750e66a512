package workload

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// clock is the kind of a trace's timestamps.
type clock uint8

const (
	clockDate clock = iota
	clockSeconds
)

func (c clock) String() string {
	if c == clockDate {
		return "dates"
	}
	return "seconds"
}

var (
	errQuote = errors.New("a quoted field is not closed, or goes on after its end")
	errStamp = errors.New("a date and time such as 2023-11-16 18:15:46.68 or a number of seconds is expected")
	errRange = errors.New("beyond the years 1678 to 2261, for a number of seconds since 1970 (are these milliseconds?)")
)

// maxSeconds keeps a time in nanoseconds within 64 bits.
const maxSeconds = 9_200_000_000

// splitRow splits a line at its commas into fields, without the spaces and quotes
// around them. A doubled quote within a quoted field is left as it is: no column that
// is read has one.
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

// parseStamp returns a timestamp in nanoseconds since 1970, or since the start for
// seconds that count from there.
func parseStamp(field []byte) (int64, clock, error) {
	if len(field) > 64 {
		return 0, 0, errStamp
	}
	if bytes.IndexByte(field, ':') < 0 {
		ns, err := parseSeconds(string(field))
		return ns, clockSeconds, err
	}
	ns, err := parseDate(string(field))
	return ns, clockDate, err
}

func parseDate(text string) (int64, error) {
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
	return at.UnixNano(), nil
}

// parseSeconds reads a decimal exactly, down to the nanosecond; what is finer is cut.
func parseSeconds(text string) (int64, error) {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, errStamp
	}
	if strings.ContainsAny(text, "eE") {
		s, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, errStamp
		}
		if s < -maxSeconds || s > maxSeconds {
			return 0, errRange
		}
		return int64(s * float64(time.Second)), nil
	}
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, errStamp
	}
	s, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || s > maxSeconds {
		return 0, errRange
	}
	part, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	ns := s*int64(time.Second) + part
	if negative {
		ns = -ns
	}
	return ns, nil
}

// excerpt quotes a field for an error, shortened.
func excerpt(field []byte) string {
	const most = 60
	if len(field) > most {
		return fmt.Sprintf("%q...", field[:most])
	}
	return fmt.Sprintf("%q", field)
}

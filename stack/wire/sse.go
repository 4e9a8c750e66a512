package wire

import "bytes"

// events splits a stream of server-sent events (WHATWG HTML, section 9.2.6) that comes in pieces.
// It holds the line and the event that are unfinished.
type events struct {
	bound int    // of a line's and an event's length
	line  []byte // unfinished
	data  []byte // of the unfinished event: its data lines so far
	name  []byte // of the unfinished event
	some  bool   // the unfinished event has a data line
	begun bool   // the first line is over
	cr    bool   // the last byte ended a line; if a line feed follows, it belongs to it
	long  bool   // the bound was passed
}

var bom = []byte("\xef\xbb\xbf")

// next takes bytes until a line ends, and returns the rest. If an event is whole, its name
// and data stay valid until clear.
func (e *events) next(p []byte) (rest []byte, whole bool) {
	if e.cr {
		e.cr = false
		if p[0] == '\n' {
			return p[1:], false
		}
	}
	end := bytes.IndexAny(p, "\r\n")
	line := p
	if end >= 0 {
		line, rest, e.cr = p[:end], p[end+1:], p[end] == '\r'
	}
	if e.long = len(e.line)+len(line) > e.bound; e.long {
		return nil, false
	}
	if end < 0 || len(e.line) > 0 {
		e.line = append(e.line, line...)
		line = e.line
	}
	if end < 0 {
		return nil, false
	}
	e.line = e.line[:0]
	return rest, e.take(line)
}

// last takes an unfinished last line and event for finished: servers forget the blank line
// at the end, and an event that was cut shows when it is read.
func (e *events) last() (whole bool) {
	line := e.line
	e.line = nil
	return len(line) > 0 && e.take(line) || e.some && !e.long
}

// take takes a line, and reports whether it completes an event.
func (e *events) take(line []byte) (whole bool) {
	if !e.begun {
		line, e.begun = bytes.TrimPrefix(line, bom), true
	}
	if len(line) == 0 {
		if !e.some {
			e.clear()
		}
		return e.some
	}
	field, value, _ := bytes.Cut(line, []byte{':'}) // a comment has the field ""
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(field) {
	case "event":
		e.name = append(e.name[:0], value...)
	case "data":
		if e.some {
			e.data = append(e.data, '\n')
		}
		e.some = true
		if e.long = len(e.data)+len(value) > e.bound; !e.long {
			e.data = append(e.data, value...)
		}
	}
	return false
}

// clear makes room for the next event.
func (e *events) clear() {
	e.data, e.name, e.some = e.data[:0], e.name[:0], false
}

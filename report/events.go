package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// eventsFlush is the size in bytes at which lines are handed to the writer.
const eventsFlush = 1 << 16

// EventWriter writes one line of JSON per finished request: what it was, and
// each attempt's instants, key and answer. Instants are seconds since the run began
// with nine decimals, so that no nanosecond is lost; null: it never came to that.
//
//	{"id":"00000000000004d2","agent":7,"task":3,"profile":"notes","intended_s":1.000000000,
//	 "submitted_s":1.000000000,"ended_s":2.500000000,"ending":"succeeded","reason":"none",
//	 "tokens_in":512,"prefix":300,"tokens_out":256,"used_in":512,"used_out":256,"steps":[{"model":"gpt-4.1","key":"k1",
//	 "queued_s":1.000000000,"sent_s":1.000000000,"first_token_s":1.200000000,
//	 "ended_s":2.500000000,"outcome":"success","status":200}]}
//
// tokens_in and tokens_out are what was meant, so that a log can be replayed as demand, and prefix of
// tokens_in is what stood at the beginning of a prompt before: of the same task of the agent, mostly.
// used_in and used_out are what the last attempt reported as used.
type EventWriter struct {
	w                      io.Writer
	buf                    []byte
	profiles, models, keys []string // as JSON strings
	err                    error
}

// NewEventWriter returns a writer of events of runs with this setup. Close it at the end.
func NewEventWriter(w io.Writer, s *Setup) *EventWriter {
	e := &EventWriter{w: w, buf: make([]byte, 0, eventsFlush+4096)}
	for _, p := range s.Profiles {
		e.profiles = append(e.profiles, quoted(p.Name))
	}
	for _, m := range s.Models {
		e.models = append(e.models, quoted(m.Name))
	}
	for _, k := range s.Keys {
		e.keys = append(e.keys, quoted(k))
	}
	return e
}

// quoted returns a JSON string, whatever bytes the name holds.
func quoted(name string) string {
	b, err := json.Marshal(name)
	if err != nil {
		return `""` // strings always encode
	}
	return string(b)
}

// Append writes the line of a request that has ended. After an error of the
// underlying writer it does nothing; Close tells.
func (e *EventWriter) Append(j *Job, res *stack.Result) {
	if e.err != nil {
		return
	}
	b := append(e.buf, `{"id":"`...)
	b = appendHex(b, j.ID)
	b = append(b, `","agent":`...)
	b = strconv.AppendUint(b, uint64(j.Agent), 10)
	b = append(b, `,"task":`...)
	b = strconv.AppendUint(b, uint64(j.Task), 10)
	b = append(b, `,"profile":`...)
	b = append(b, e.profiles[j.Profile]...)
	b = appendInstant(b, `,"intended_s":`, j.Intended)
	b = appendInstant(b, `,"submitted_s":`, res.Submitted)
	b = appendInstant(b, `,"ended_s":`, res.Ended)
	b = append(b, `,"ending":"`...)
	b = append(b, res.Ending.String()...)
	b = append(b, `","reason":"`...)
	b = append(b, res.Reason.String()...)
	b = append(b, `","tokens_in":`...)
	b = strconv.AppendInt(b, j.In, 10)
	b = append(b, `,"prefix":`...)
	b = strconv.AppendInt(b, j.Prefix, 10)
	b = append(b, `,"tokens_out":`...)
	b = strconv.AppendInt(b, j.Out, 10)
	b = append(b, `,"used_in":`...)
	b = strconv.AppendInt(b, res.Usage.In, 10)
	b = append(b, `,"used_out":`...)
	b = strconv.AppendInt(b, res.Usage.Out, 10)
	b = append(b, `,"steps":[`...)
	for i := range res.Steps {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.appendStep(b, &res.Steps[i])
	}
	e.buf = append(b, "]}\n"...)
	if len(e.buf) >= eventsFlush {
		e.flush()
	}
}

func (e *EventWriter) appendStep(b []byte, st *stack.Step) []byte {
	b = append(b, `{"model":`...)
	b = append(b, e.models[st.Target]...)
	b = append(b, `,"key":`...)
	b = append(b, e.keys[st.Key]...)
	b = appendInstant(b, `,"queued_s":`, st.Queued)
	b = appendInstant(b, `,"sent_s":`, st.Sent)
	if st.FirstToken > 0 {
		b = appendInstant(b, `,"first_token_s":`, st.FirstToken)
	} else {
		b = append(b, `,"first_token_s":null`...)
	}
	b = appendInstant(b, `,"ended_s":`, st.Ended)
	b = append(b, `,"outcome":"`...)
	b = append(b, st.Outcome.Kind.String()...)
	b = append(b, `","status":`...)
	b = strconv.AppendInt(b, int64(st.Outcome.Status), 10)
	return append(b, '}')
}

// Close writes what is left and returns the first error of the underlying writer,
// which is not closed.
func (e *EventWriter) Close() error {
	e.flush()
	return e.err
}

func (e *EventWriter) flush() {
	if e.err == nil && len(e.buf) > 0 {
		if _, err := e.w.Write(e.buf); err != nil {
			e.err = fmt.Errorf("writing events: %w", err)
		}
	}
	e.buf = e.buf[:0]
}

// appendInstant appends a field whose value is d in seconds with nine decimals.
func appendInstant(b []byte, field string, d time.Duration) []byte {
	b = append(b, field...)
	if d < 0 {
		b = append(b, '-')
		d = -d
	}
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	b = append(b, ".000000000"...)
	for i, rest := len(b)-1, int64(d%time.Second); rest > 0; i, rest = i-1, rest/10 {
		b[i] = byte('0' + rest%10)
	}
	return b
}

// appendHex appends 16 hexadecimal digits.
func appendHex(b []byte, v uint64) []byte {
	const hex = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, hex[v>>shift&15])
	}
	return b
}

package stack

import (
	"encoding/json"
	"fmt"
	"time"
)

// letters writes requests that did not succeed as lines of JSON, in the form of the log that
// "simload run --events" writes: so "simload run" can replay them as a trace of format events.
// The profile is the route's name, the intended instant that of Submit, tokens_in the estimate
// and tokens_out what was asked for at most.
type letters struct {
	routes, models, keys []string // as JSON strings
}

func newLetters(cfg *Config) letters {
	var l letters
	for _, r := range cfg.Routes {
		l.routes = append(l.routes, quoted(r.Name))
	}
	for _, t := range cfg.Targets {
		l.models = append(l.models, quoted(t.Name))
	}
	for _, k := range cfg.Keys {
		l.keys = append(l.keys, quoted(k.ID))
	}
	return l
}

func quoted(name string) string {
	b, err := json.Marshal(name)
	if err != nil {
		return `""` // strings always encode
	}
	return string(b)
}

// append appends the line of a request.
func (l *letters) append(b []byte, r *Result) []byte {
	profile := `""`
	if q := r.Request.Route; q >= 0 && q < len(l.routes) {
		profile = l.routes[q]
	}
	b = fmt.Appendf(b, `{"id":"%s","agent":%d,"profile":%s`, r.Request.ID.hex(), r.Request.Agent, profile)
	b = appendSeconds(b, "intended_s", r.Submitted)
	b = appendSeconds(b, "submitted_s", r.Submitted)
	b = appendSeconds(b, "ended_s", r.Ended)
	b = fmt.Appendf(b, `,"ending":"%v","reason":"%v","tokens_in":%d,"tokens_out":%d,"used_in":%d,"used_out":%d,"steps":[`,
		r.Ending, r.Reason, max(0, r.Request.EstIn), max(0, r.Request.MaxOut), r.Usage.In, r.Usage.Out)
	for i := range r.Steps {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.appendStep(b, &r.Steps[i])
	}
	return append(b, "]}\n"...)
}

func (l *letters) appendStep(b []byte, st *Step) []byte {
	b = fmt.Appendf(b, `{"model":%s,"key":%s`, l.models[st.Target], l.keys[st.Key])
	b = appendSeconds(b, "queued_s", st.Queued)
	b = appendSeconds(b, "sent_s", st.Sent)
	if st.FirstToken > 0 {
		b = appendSeconds(b, "first_token_s", st.FirstToken)
	} else {
		b = append(b, `,"first_token_s":null`...)
	}
	b = appendSeconds(b, "ended_s", st.Ended)
	return fmt.Appendf(b, `,"outcome":"%v","status":%d}`, st.Outcome.Kind, st.Outcome.Status)
}

// appendSeconds appends a field in seconds that loses no nanosecond. Instants of the core are
// not negative.
func appendSeconds(b []byte, field string, d time.Duration) []byte {
	return fmt.Appendf(b, `,%q:%d.%09d`, field, d/time.Second, d%time.Second)
}

// hex returns the identity as 16 hexadecimal digits, as logs and dead letters show it.
func (id RequestID) hex() string { return fmt.Sprintf("%016x", uint64(id)) }

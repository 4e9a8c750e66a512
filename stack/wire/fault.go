package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// fault is an error in a vendor's words, before it is judged.
type fault struct {
	status  int // of HTTP, or what the error says of itself; 0: unknown
	kind    string
	code    string
	message string
	grpc    string // Gemini's status in words
	reason  string // Gemini's ErrorInfo.reason, Anthropic's details.error_code
	quota   string // the id of a limit that Gemini says was broken; one of tokens, if there is one
	delay   string // Gemini's RetryInfo.retryDelay
	reset   string // OpenRouter's metadata.headers.X-RateLimit-Reset
	flagged bool   // OpenRouter: a moderator refused the prompt
	whole   bool   // the body is an error's
	inside  bool   // of an answer whose status is 200
}

// faultFields are an error's fields in all forms, each read by itself, so that one of an
// unexpected type does not hide the others.
type faultFields struct {
	Error    json.RawMessage `json:"error"` // an object, or only a text
	Message  json.RawMessage `json:"message"`
	Type     json.RawMessage `json:"type"`
	Code     json.RawMessage `json:"code"` // a name or a number, as text or as number
	Status   json.RawMessage `json:"status"`
	Details  json.RawMessage `json:"details"` // Gemini: a list; Anthropic: an object
	Metadata json.RawMessage `json:"metadata"`
}

// readFault reads an error: an object with the field error around it, a list around that (Gemini),
// or the bare object. Of a body that is no JSON the beginning is the message.
func readFault(body []byte) fault {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, bom))
	if len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	var outer faultFields
	if json.Unmarshal(body, &outer) != nil {
		return fault{message: clean(plain(body))}
	}
	fields, whole := outer, told(outer.Error)
	if whole {
		fields = faultFields{Message: outer.Error}
		if bytes.HasPrefix(outer.Error, []byte{'{'}) {
			fields = faultFields{}
			_ = json.Unmarshal(outer.Error, &fields) // an object of raw fields: it cannot fail
		}
	}
	f := fault{
		kind: clean(plain(fields.Type)), code: clean(plain(fields.Code)), message: clean(plain(fields.Message)),
		grpc: plain(fields.Status), whole: whole,
	}
	f.readDetails(fields.Details)
	f.readMetadata(fields.Metadata)
	return f
}

// faultDetail is one of Gemini's details (google.rpc), or all of Anthropic's.
type faultDetail struct {
	ErrorCode  string `json:"error_code"`
	Reason     string `json:"reason"`
	RetryDelay string `json:"retryDelay"`
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"`
}

func (f *fault) readDetails(raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, item := range list {
		var d faultDetail
		_ = json.Unmarshal(item, &d) // fields of other types are passed over
		if d.RetryDelay != "" {
			f.delay = d.RetryDelay
		}
		if name := d.Reason + d.ErrorCode; name != "" { // one detail has one of them
			f.reason = name
		}
		for _, v := range d.Violations {
			if f.quota == "" || strings.Contains(v.QuotaID, "InputTokens") {
				f.quota = v.QuotaID
			}
		}
	}
}

func (f *fault) readMetadata(raw json.RawMessage) {
	var m struct {
		Headers struct {
			Reset json.RawMessage `json:"X-RateLimit-Reset"`
		} `json:"headers"`
		Reasons []json.RawMessage `json:"reasons"`
		Flagged json.RawMessage   `json:"flagged_input"`
	}
	if len(raw) == 0 {
		return
	}
	_ = json.Unmarshal(raw, &m) // fields of other types are passed over
	f.reset = plain(m.Headers.Reset)
	f.flagged = len(m.Reasons) > 0 || told(m.Flagged)
}

// plain is a JSON string's text, nothing for null, and anything else as it is written.
func plain(raw []byte) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	if len(raw) > maxMessage {
		raw = raw[:maxMessage]
	}
	return string(raw)
}

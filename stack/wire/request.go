package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Format is the form in which requests are written and answers read.
type Format uint8

// Formats.
const (
	OpenAI    Format = iota // chat completions, of all who speak them
	Anthropic               // messages
)

// String returns "openai" or "anthropic".
func (f Format) String() string {
	switch f {
	case OpenAI:
		return "openai"
	case Anthropic:
		return "anthropic"
	}
	return "format " + strconv.Itoa(int(f))
}

// Message is one turn of a conversation.
type Message struct {
	Role string // "user" or "assistant"
	Text string
}

// Prompt is what is asked, in no vendor's words. It is only read, so requests may share it.
type Prompt struct {
	System      string
	Messages    []Message // at least one
	Temperature *float64
	Stop        []string
	// Extra holds further fields of the body by name, as JSON: tools, response_format and what
	// else one vendor knows. They are sent as they are and must fit the Format. Fields that
	// Request and Prompt have a place for are not allowed in it.
	Extra map[string]json.RawMessage
}

// Request is one attempt as it is to be sent.
type Request struct {
	BaseURL string // "https://api.openai.com/v1"; the Format adds "/chat/completions" or "/messages"
	Path    string // if set, used instead of the Format's (Azure's deployments)
	Query   string // "api-version=2024-10-21"
	Model   string // may be empty where Path names it
	MaxOut  int64  // max_tokens; Anthropic needs it. 0: left out (Anthropic: 4096)
	// MaxCompletion writes MaxOut as max_completion_tokens, in OpenAI's form. OpenAI's reasoning
	// models (o-series, gpt-5) refuse max_tokens with "Unsupported parameter"; the servers of
	// others often know nothing but max_tokens, so that is the default.
	MaxCompletion bool
	Stream        bool
	Prompt        *Prompt
	// Secret is the key; "": none is sent. It is put into AuthHeader ("": the Format's own:
	// Authorization with Bearer, or x-api-key; Azure's is api-key), and nowhere else: a Request that is
	// printed, logged or written as JSON does not show it.
	Secret         string `json:"-"`
	AuthHeader     string
	IdempotencyKey string // header Idempotency-Key; "": none
}

// Anthropic's version of the API, and the max_tokens that it gets if none is said, for it needs one.
const (
	anthropicVersion = "2023-06-01"
	anthropicMaxOut  = 4096
)

// New writes a request. The body can be read again (GetBody) and has a length. A stream is asked for
// without compression, because compressors hold events back.
//
// It is an error if the request could not be sent as it is meant: no message, a field of Extra that
// is no JSON or stands in the way of another, a secret, model or idempotency key that no header can
// hold. No error shows a secret or the URL.
func (f Format) New(ctx context.Context, r *Request) (*http.Request, error) {
	if err := r.check(f); err != nil {
		return nil, fmt.Errorf("writing a request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url(f), bytes.NewReader(f.body(r)))
	switch {
	case err != nil: // which would print the URL
		err = errors.New("base URL, path or query cannot be read")
	case req.URL.Scheme != "http" && req.URL.Scheme != "https" || req.URL.Host == "":
		err = errors.New("base URL is not one of http or https")
	case req.URL.User != nil:
		err = errors.New("base URL holds a user or password; use Secret")
	case req.URL.Fragment != "":
		err = errors.New("query holds a fragment")
	}
	if err != nil {
		return nil, fmt.Errorf("writing a request: %w", err)
	}
	r.header(f, req.Header)
	return req, nil
}

func (r *Request) url(f Format) string {
	path := r.Path
	if path == "" {
		if path = "/chat/completions"; f == Anthropic {
			path = "/messages"
		}
	} else if path[0] != '/' {
		path = "/" + path
	}
	if r.Query != "" {
		path += "?" + r.Query
	}
	return strings.TrimRight(r.BaseURL, "/") + path
}

func (r *Request) header(f Format, h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if r.Stream {
		h.Set("Accept", "text/event-stream")
		h.Set("Accept-Encoding", "identity")
	}
	if f == Anthropic {
		h.Set("Anthropic-Version", anthropicVersion)
	}
	if r.IdempotencyKey != "" {
		h.Set("Idempotency-Key", r.IdempotencyKey)
	}
	if r.Secret == "" {
		return
	}
	name := r.AuthHeader
	if name == "" {
		if name = "Authorization"; f == Anthropic {
			name = "X-Api-Key"
		}
	}
	secret := r.Secret
	if strings.EqualFold(name, "Authorization") {
		secret = "Bearer " + secret
	}
	h.Set(name, secret)
}

// check finds what would make a request another one than was meant.
func (r *Request) check(f Format) error {
	switch {
	case f > Anthropic:
		return errors.New("unknown format")
	case strings.ContainsAny(r.BaseURL, "?#"):
		return errors.New("base URL holds a query; use Query")
	case r.Model == "" && r.Path == "":
		return errors.New("no model")
	case strings.ContainsFunc(r.Model, control):
		return fmt.Errorf("model %q holds a control character", r.Model)
	case r.MaxOut < 0:
		return fmt.Errorf("max out is %d, below 0", r.MaxOut)
	case strings.ContainsFunc(r.Secret, notVisible): // no error may show it
		return errors.New("secret holds a space, a line end or another character that a header cannot hold")
	case strings.ContainsFunc(r.IdempotencyKey, notVisible):
		return errors.New("idempotency key holds a character that a header cannot hold")
	case strings.ContainsFunc(r.AuthHeader, notName):
		return fmt.Errorf("auth header %q is no name of a header", r.AuthHeader)
	case r.Prompt == nil:
		return errors.New("no prompt")
	}
	return r.Prompt.check()
}

func (p *Prompt) check() error {
	if len(p.Messages) == 0 {
		return errors.New("no message")
	}
	for i := range p.Messages {
		if role := p.Messages[i].Role; role != "user" && role != "assistant" {
			return fmt.Errorf("message %d: role %q is neither user nor assistant", i, role)
		}
	}
	if t := p.Temperature; t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0)) {
		return fmt.Errorf("temperature is %v", *t)
	}
	for _, name := range p.extras() {
		if slices.Contains(reserved, name) {
			return fmt.Errorf("extra field %q has a place of its own in Request or Prompt", name)
		}
		if !json.Valid(p.Extra[name]) {
			return fmt.Errorf("extra field %q is not JSON", name)
		}
	}
	return nil
}

// reserved are the fields that this package writes itself.
var reserved = []string{
	"model", "messages", "system", "stream", "stream_options", "max_tokens", "max_completion_tokens", "temperature",
	"stop", "stop_sequences",
}

// extras returns the names of the further fields in order.
func (p *Prompt) extras() []string {
	if len(p.Extra) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(p.Extra))
}

func control(c rune) bool    { return c < ' ' || c == 0x7f }
func notVisible(c rune) bool { return c <= ' ' || c > '~' }

func notName(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
}

package mockupstream

import (
	"net/http"
	"strconv"
	"time"
)

// response is what an answer is written from.
type response struct {
	p    *Provider
	ask  *Ask
	plan *Plan
	face *face
	hash uint64
}

// face holds what the answers of a model have in common.
type face struct {
	dialect Dialect
	name    []byte // quoted
	id      string // what an id in OpenAI's form begins with
	digits  int    // and how many follow
	// after is what follows the date in OpenAI's form, up to what is in the choice.
	after []byte
	price *Price
	model string
	// unable is the task that the model does not do; vector, how long its vectors are, 0: nobody knows.
	unable string
	vector int64
}

func newFace(m *Model) face {
	f := face{dialect: m.Dialect, name: []byte(text(m.Name)), id: "chatcmpl-", digits: 29, price: &m.Price, model: m.Name, unable: unable(m.Name), vector: vectors[m.Name]}
	f.after = append([]byte(`,"model":`), f.name...)
	var print [16]byte
	fingerprint := `,"system_fingerprint":"fp_` + string(appendID(print[:0], digest(golden, []byte(m.Name)), 10)) + `"`
	switch m.Dialect {
	case DialectOpenAI:
		f.after = append(f.after, `,"service_tier":"default"`+fingerprint...)
	case DialectAzure:
		f.after = append(f.after, fingerprint...)
	case DialectDeepSeek:
		f.id, f.digits = "", 32
		f.after = append(f.after, fingerprint...)
	case DialectOpenRouter:
		f.id, f.digits = "gen-", 20 // as in the header
		f.after = append(f.after, `,"provider":`+text(m.Vendor)...)
	}
	f.after = append(f.after, `,"choices":[{"index":0,`...)
	return f
}

func (c *Codec) response(a *Ask, plan *Plan) response {
	return response{c.p, a, plan, &c.faces[a.Call.Model], callHash(c.p.seed, a.Call.ID, a.Call.Attempt)}
}

// cut reports whether the model would have said more than it may.
func (r response) cut() bool {
	return r.p.models[r.ask.Call.Model].output(&r.ask.Call) < count(r.ask.Call.Out)
}

// Head sets the header of the answer and returns its status. An event stream is to be sent as it is
// made.
func (c *Codec) Head(header http.Header, a *Ask, plan *Plan) (status int) {
	list := c.p.Headers(&a.Call, plan)
	if plan.Code == CodeUnauthorized { // as to a key that nobody has
		from := c.p.answer(&a.Call, plan)
		list = signature(c.faces[a.Call.Model].dialect, &from)
	}
	const more = 6
	h := headers{header, make([]string, 0, len(list)+more)}
	for _, l := range list {
		h.set(canonical(l.Name), l.Value)
	}
	stream := a.Stream && plan.Status < 400
	switch {
	case !stream || a.array:
		h.set("Content-Type", "application/json")
	default:
		h.set("Content-Type", "text/event-stream; charset=utf-8")
	}
	if stream {
		h.set("Cache-Control", "no-store")
	}
	if c.faces[a.Call.Model].dialect == DialectOpenAI && plan.Code != CodeUnauthorized {
		done := plan.End
		if stream {
			done = plan.FirstToken
		}
		if from := c.p.answer(&a.Call, plan); from.group() != "" {
			h.set("Openai-Organization", "org-"+from.group())
		}
		h.set("Openai-Processing-Ms", number(int64((done-plan.At)/time.Millisecond)))
		h.set("Openai-Version", "2020-10-01")
	}
	return plan.Status
}

// headers sets values of a header; all share one array.
type headers struct {
	header http.Header
	values []string
}

// set sets a header that is not there yet, by its canonical name.
func (h *headers) set(name, value string) {
	n := len(h.values)
	h.values = append(h.values, value)
	h.header[name] = h.values[n : n+1 : n+1]
}

// canonical is http.CanonicalHeaderKey, which looks the usual names up.
func canonical(name string) string {
	if key, ok := canonicalNames[name]; ok {
		return key
	}
	return http.CanonicalHeaderKey(name)
}

var canonicalNames = func() map[string]string {
	names := []string{
		"retry-after", "retry-after-ms", "x-request-id", "request-id", "anthropic-organization-id",
		"policy-id", "apim-request-id", "x-ms-region", "X-Generation-Id",
		"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	}
	for _, part := range []string{"limit-", "remaining-", "reset-"} {
		for _, of := range []string{"requests", "tokens", "project-tokens"} {
			names = append(names, "x-ratelimit-"+part+of)
		}
	}
	for _, of := range []string{"requests", "tokens", "input-tokens", "output-tokens"} {
		for _, part := range []string{"-limit", "-remaining", "-reset"} {
			names = append(names, "anthropic-ratelimit-"+of+part)
		}
	}
	m := make(map[string]string, len(names))
	for _, n := range names {
		m[n] = http.CanonicalHeaderKey(n)
	}
	return m
}()

// Body appends an answer that is no stream: an error's text, or what the model says, with its usage.
// A FateError without a stream is a 200 that holds the error and nothing else.
func (c *Codec) Body(dst []byte, a *Ask, plan *Plan, used Usage) []byte {
	switch {
	case plan.Status >= 400:
		return wrap(dst, a, c.p.ErrorBody(&a.Call, plan))
	case plan.Fate == FateError:
		return append(dst, c.p.lateError(&a.Call, plan)...)
	}
	r := c.response(a, plan)
	switch a.Form {
	case FormAnthropic:
		return r.anthropicBody(dst, used)
	case FormGemini:
		return r.geminiBody(dst, used)
	case FormEmbeddings:
		return r.embedBody(dst, used)
	}
	return r.openAIBody(dst, used)
}

// wrap appends an error, in an array where the answer would have been one.
func wrap(dst []byte, a *Ask, body string) []byte {
	if a.array {
		return append(append(append(dst, '['), body...), ']')
	}
	return append(dst, body...)
}

// Begin appends the events that open a stream. They belong to the instant of the first token, ahead of it.
func (c *Codec) Begin(dst []byte, a *Ask, plan *Plan, used Usage) []byte {
	r := c.response(a, plan)
	switch a.Form {
	case FormAnthropic:
		return r.anthropicBegin(dst, used)
	case FormGemini:
		return r.geminiBegin(dst)
	}
	return r.openAIBegin(dst)
}

// Tokens appends the event with the tokens from (inclusive) to (exclusive) of the answer: four characters for
// each, but no more than 256 characters if the call had a CallHeader.
func (c *Codec) Tokens(dst []byte, a *Ask, plan *Plan, from, to int64) []byte {
	if from >= to {
		return dst
	}
	r := c.response(a, plan)
	switch a.Form {
	case FormAnthropic:
		return r.anthropicTokens(dst, from, to)
	case FormGemini:
		return r.geminiTokens(dst, from, to)
	}
	return r.openAITokens(dst, from, to)
}

// Beat appends a sign of life: Anthropic's ping, an SSE comment, and nothing in Gemini's form or of a Gemini
// model, whose clients take a comment for an error. Ahead of an answer that is no stream it is the blank line
// that some vendors send. It serves as filler (Plan.FillUntil) and as heartbeat (Plan.Heartbeat).
func (c *Codec) Beat(dst []byte, a *Ask) []byte {
	d := c.faces[a.Call.Model].dialect
	switch {
	case !a.Stream:
		return append(dst, d.Filler(false)...)
	case a.Form == FormAnthropic:
		return append(dst, anthropicPing...)
	case a.Form == FormGemini || d == DialectGemini:
		return dst
	}
	if comment := d.Filler(true); comment != "" {
		return append(dst, comment...)
	}
	return append(dst, ": keep-alive\n\n"...)
}

// Close appends the events that end a stream that is complete.
func (c *Codec) Close(dst []byte, a *Ask, plan *Plan, used Usage) []byte {
	r := c.response(a, plan)
	switch a.Form {
	case FormAnthropic:
		return r.anthropicClose(dst, used)
	case FormGemini:
		return r.geminiClose(dst, used)
	}
	return r.openAIClose(dst, used)
}

// Fail appends the error event of a FateError.
func (c *Codec) Fail(dst []byte, a *Ask, plan *Plan) []byte {
	body := c.p.StreamError(&a.Call, plan)
	switch {
	case a.array:
		return append(append(dst, body...), ']')
	case a.Form == FormAnthropic:
		dst = append(dst, "event: error\n"...)
	case a.Form == FormGemini:
		return append(append(append(dst, "data: "...), body...), geminiEnd...)
	}
	return append(append(append(dst, "data: "...), body...), "\n\n"...)
}

// appendField appends a piece of JSON and a number after it.
func appendField(dst []byte, before string, n int64) []byte {
	return strconv.AppendInt(append(dst, before...), n, 10)
}

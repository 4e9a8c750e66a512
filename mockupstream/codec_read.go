package mockupstream

import (
	"net/http"
	"strconv"
)

// read makes the call: as its CallHeader says, or a guess from the body.
func (c *Codec) read(a *Ask, to *route, r *http.Request, body []byte) *objection {
	var q prompt
	text := cursor{text: body}
	q.read(&text, to.form)
	told := r.Header[CallHeader]
	if len(told) == 0 && !text.end() {
		return &objection{reason: badBody}
	}
	if no := c.name(a, to, &q); no != nil {
		return no
	}
	if no := c.able(a, &q, to.form); no != nil {
		return no
	}
	if to.form != FormGemini && to.form != FormEmbeddings {
		a.Stream = q.stream
	}
	a.Usage, a.inputs = q.usage, q.inputs
	if len(told) == 0 {
		if no := q.complete(to.form); no != nil {
			return no
		}
		guess(&a.Call, &q, to.secret(r), body)
		a.mark(r.Header)
		return nil
	}
	call, err := ParseCall(told[0])
	if err != nil {
		return &objection{reason: invalid, param: CallHeader, detail: err.Error()}
	}
	call.Key, call.Model = a.Call.Key, a.Call.Model
	a.Call, a.brief = call, true
	return nil
}

// name finds the model that the path or the body names. Of several with the name, the first of the
// vendor that the path tells is taken, or else the first.
func (c *Codec) name(a *Ask, to *route, q *prompt) *objection {
	name := to.model
	if name == "" {
		if q.model == nil {
			return &objection{reason: missing, param: "model"}
		}
		name = plain(q.model)
	}
	list := c.models[name]
	if len(list) == 0 {
		return &objection{reason: unknownModel, detail: name}
	}
	a.Call.Model = list[0]
	for _, i := range list {
		if c.p.models[i].cfg.Dialect == to.vendor {
			a.Call.Model = i
			break
		}
	}
	to.vendor = c.p.models[a.Call.Model].cfg.Dialect
	return nil
}

// complete checks what a body must hold.
func (q *prompt) complete(f Form) *objection {
	switch {
	case q.no != nil:
		return q.no
	case f == FormEmbeddings && q.inputs.list == nil:
		return &objection{reason: missing, param: "input"}
	case q.inputs.empty:
		return &objection{reason: emptyInput}
	case f == FormGemini && q.count == 0:
		return &objection{reason: missing, param: "contents"}
	case f == FormAnthropic && q.maxOut == 0:
		return &objection{reason: missing, param: "max_tokens"}
	case f != FormEmbeddings && q.count == 0:
		return &objection{reason: missing, param: "messages"}
	}
	return nil
}

// guess is the call of a body; see [Codec.Read].
func guess(call *Call, q *prompt, secret string, body []byte) {
	fixed := q.system.chars + q.tools.chars
	owner := digest(golden, []byte(secret))
	call.ID = digest(owner, body)
	call.Attempt = 1
	call.In, call.MaxOut = tokens(fixed+q.messages.chars), q.maxOut
	if q.inputs.list != nil {
		call.In = q.inputs.tokens
		return
	}
	call.Out = draw(mix(q.messages.hash ^ q.system.hash))
	if !q.opened {
		q.opening = q.messages.hash
	}
	call.Conversation = mix(owner^mix(q.system.hash)) ^ q.opening
	if q.repeated > 0 {
		call.Prefix = tokens(fixed + q.repeated)
	}
}

// mark adds to a guess what the headers say: which try it is, and that it is a write.
func (a *Ask) mark(h http.Header) {
	const stainless = "X-Stainless-Retry-Count" // of the SDKs of OpenAI and Anthropic: 0 the first time
	if s := h[stainless]; len(s) > 0 {
		if n, err := strconv.Atoi(s[0]); err == nil && n >= 0 && n < 1<<20 {
			a.Call.Attempt = n + 1
		}
	}
	if s := h[WriteHeader]; len(s) > 0 && s[0] == "1" {
		a.Call.Write = true
	}
	if s := h["Idempotency-Key"]; len(s) > 0 && s[0] != "" {
		a.Call.Write = true
		a.Call.IdempotencyKey = max(1, digest(golden, []byte(s[0])))
	}
	if a.Call.Write {
		a.Call.WriteID = max(1, a.Call.ID)
	}
}

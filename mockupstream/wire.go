package mockupstream

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"
)

// Header is a name and value of an answer's header.
type Header struct{ Name, Value string }

// Headers returns what the vendor's answer says in headers about limits, waits and ids, in the
// vendor's order. c and plan must be those of one Admit. Content types and the like are the codec's.
func (p *Provider) Headers(c *Call, plan *Plan) []Header {
	a := p.answer(c, plan)
	return wires[a.model.Dialect].headers(a)
}

// ErrorBody returns the body of an answer that is an error, as the vendor words it, in JSON; "" if
// the plan's status is 200 or there is no answer.
func (p *Provider) ErrorBody(c *Call, plan *Plan) string {
	if plan.Status < 400 {
		return ""
	}
	a := p.answer(c, plan)
	return text(wires[a.model.Dialect].body(a, plan.Status))
}

// StreamError returns what stands in the error event of a FateError, in JSON, without the framing
// ("data: " or, with Anthropic, "event: error" before it).
func (p *Provider) StreamError(c *Call, plan *Plan) string {
	if event := wires[p.models[c.Model].cfg.Dialect].event; event != nil {
		return text(event(p.late(c, plan), int(plan.ErrorStatus)))
	}
	return p.lateError(c, plan)
}

// lateError is the error of a FateError where it is the whole answer, and no stream.
func (p *Provider) lateError(c *Call, plan *Plan) string {
	return text(wires[p.models[c.Model].cfg.Dialect].body(p.late(c, plan), int(plan.ErrorStatus)))
}

// late is an answer that comes after processing began. The text of a 429 then says nothing of a
// limit: it is not this account's.
func (p *Provider) late(c *Call, plan *Plan) answer {
	inner := *plan
	inner.Refusal, inner.Code = Refusal{}, CodeServerError
	return p.answer(c, &inner)
}

// Filler returns what a codec sends, once in a while, until Plan.FillUntil, in an event
// stream or ahead of a JSON body; "" if the vendor sends nothing.
func (d Dialect) Filler(stream bool) string {
	if stream {
		return wires[d].comment
	}
	return wires[d].blank
}

// headersMost is more than any answer has of a vendor's headers.
const headersMost = 14

// wire is how a dialect words its answers. It is apart from the decisions, so that they pay
// nothing for it.
type wire struct {
	headers        func(a answer) []Header
	body           func(a answer, status int) any
	event          func(a answer, status int) any // nil: as body
	comment, blank string
}

var wires = [...]wire{
	DialectOpenAI:     {headers: openAIHeaders, body: openAIBody},
	DialectAnthropic:  {headers: anthropicHeaders, body: anthropicBody},
	DialectGemini:     {headers: geminiHeaders, body: geminiBody},
	DialectDeepSeek:   {headers: deepSeekHeaders, body: deepSeekBody, comment: ": keep-alive\n\n", blank: "\n"},
	DialectAzure:      {headers: azureHeaders, body: azureBody},
	DialectOpenRouter: {headers: openRouterHeaders, body: openRouterBody, event: openRouterEvent, comment: ": OPENROUTER PROCESSING\n\n", blank: "\n"},
}

// answer is what a text is made from.
type answer struct {
	p     *Provider
	call  *Call
	plan  *Plan
	model *Model
	quota *Quota // that refused the call, or the first one; zero value if there is none
	inner bool   // the quota is not the first one: a project's, a workspace's
	hash  uint64
}

func (p *Provider) answer(c *Call, plan *Plan) answer {
	m := &p.models[c.Model]
	a := answer{p: p, call: c, plan: plan, model: &m.cfg, quota: &Quota{}, hash: callHash(p.seed, c.ID, c.Attempt)}
	ids := p.scope(c.Key*len(p.models)+c.Model, m, c.In)
	if len(ids) == 0 {
		return a
	}
	id := ids[0]
	if plan.Refusal.Meter != MeterNone {
		id = plan.Refusal.Quota
		a.inner = id != ids[0]
	}
	a.quota = &p.quotas[id].cfg
	return a
}

// group is the name of the account, made into an id.
func (a *answer) group() string {
	if a.quota.Group != "" {
		return a.quota.Group
	}
	return a.quota.Name
}

// id returns n hexadecimal digits that are the same for the same attempt.
func (a *answer) id(n int) string {
	var space [32]byte
	return string(appendID(space[:0], a.hash, n))
}

// appendID appends n hexadecimal digits, at most 32, that a hash is made into.
func appendID(dst []byte, hash uint64, n int) []byte {
	const digits = "0123456789abcdef"
	for word := hash; n > 0; word = mix(hash) {
		for shift := 60; shift >= 0 && n > 0; shift -= 4 {
			dst = append(dst, digits[word>>shift&15])
			n--
		}
	}
	return dst
}

// uuid returns an id of the form that UUIDs have, made from a name.
func uuid(name string) string {
	h := fnv.New128a()
	h.Write([]byte(name))
	s := hex.EncodeToString(h.Sum(nil))
	return s[:8] + "-" + s[8:12] + "-4" + s[13:16] + "-8" + s[17:20] + "-" + s[20:32]
}

func (a *answer) date(now time.Duration) time.Time { return a.p.clock.date(now) }

// text is the JSON of v, without the escapes that HTML would need.
func text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("mockupstream: encoding an error body: %v", err)) // all are plain structs
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// seconds rounds up to whole seconds, at least least.
func seconds(d time.Duration, least int64) int64 {
	return max(least, int64(ceilTo(d, time.Second)/time.Second))
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// commas writes a number with a comma before every third digit from the right: 30,000.
func commas(n int64) string {
	s := number(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// retryAfter appends the header in whole seconds, rounded up, at least 1.
func (a *answer) retryAfter(list []Header) []Header {
	if !a.plan.HasRetryAfter {
		return list
	}
	return append(list, Header{"retry-after", number(seconds(a.plan.RetryAfter, 1))})
}

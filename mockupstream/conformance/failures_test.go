package conformance

import (
	"strings"
	"testing"

	up "github.com/seed-4fd17b57/simload/mockupstream"
)

// scene is something that goes wrong.
type scene struct {
	name string
	set  func(cfg *up.ServerConfig)
	ask  func(q *question)
	// want is what the SDK must tell, by vendor, with a part of the message. Vendors that are not in it do not
	// know the scene.
	want map[up.Dialect]failure
}

// overloaded is the fault of a vendor whose model is too busy.
func overloaded(cfg *up.ServerConfig, kind up.FaultKind) {
	f := up.Fault{Kind: kind, Status: 503}
	if cfg.Provider.Models[0].Dialect == up.DialectAnthropic {
		f.Status = 529
	}
	fault(cfg, f)
}

var scenes = []scene{
	{
		name: "wrong key",
		ask:  func(q *question) { q.Key = "sk-nobody" },
		want: map[up.Dialect]failure{
			up.DialectOpenAI:     {Status: 401, Type: "invalid_request_error", Code: "invalid_api_key", Message: "API key"},
			up.DialectAzure:      {Status: 401, Code: "401", Message: "Access denied"},
			up.DialectDeepSeek:   {Status: 401, Type: "authentication_error", Code: "invalid_request_error", Message: "Authentication"},
			up.DialectOpenRouter: {Status: 401, Code: "401", Message: "credentials"},
			up.DialectAnthropic:  {Status: 401, Type: "authentication_error", Message: "invalid x-api-key"},
			up.DialectGemini:     {Status: 401, Code: "UNAUTHENTICATED", Message: "credentials"},
		},
	},
	{
		name: "unknown model",
		ask:  func(q *question) { q.Model = "nothing" },
		want: map[up.Dialect]failure{
			up.DialectOpenAI:     {Status: 404, Type: "invalid_request_error", Code: "model_not_found", Message: "`nothing`"},
			up.DialectAzure:      {Status: 404, Code: "DeploymentNotFound", Message: "deployment"},
			up.DialectDeepSeek:   {Status: 404, Type: "invalid_request_error", Code: "invalid_request_error", Message: "Not Exist"},
			up.DialectOpenRouter: {Status: 404, Code: "404", Message: "nothing"},
			up.DialectAnthropic:  {Status: 404, Type: "not_found_error", Message: "model: nothing"},
			up.DialectGemini:     {Status: 404, Code: "NOT_FOUND", Message: "models/nothing"},
		},
	},
	{
		name: "too long for the model",
		ask:  func(q *question) { q.Turns[0] = strings.Repeat("Why? ", 10_000) },
		want: map[up.Dialect]failure{
			up.DialectOpenAI:     {Status: 400, Type: "invalid_request_error", Code: "context_length_exceeded", Message: "10000 tokens"},
			up.DialectAzure:      {Status: 400, Type: "invalid_request_error", Code: "context_length_exceeded", Message: "10000 tokens"},
			up.DialectDeepSeek:   {Status: 400, Type: "invalid_request_error", Code: "context_length_exceeded", Message: "10000 tokens"},
			up.DialectOpenRouter: {Status: 400, Code: "400", Message: "10000 tokens"},
			up.DialectAnthropic:  {Status: 400, Type: "invalid_request_error", Message: "10000 maximum"},
			up.DialectGemini:     {Status: 400, Code: "INVALID_ARGUMENT", Message: "(10000)"},
		},
	},
	{
		// No wait can help, and no answer tells one, but the status is that of a wait.
		name: "too large for the limit",
		set:  func(cfg *up.ServerConfig) { cfg.Provider.Quotas[0].TPM = 100 },
		ask:  func(q *question) { q.Turns[0] = strings.Repeat("Why? ", 100) },
		want: map[up.Dialect]failure{
			up.DialectOpenAI:    {Status: 429, Type: "tokens", Code: "rate_limit_exceeded", Message: "Request too large"},
			up.DialectAzure:     {Status: 429, Code: "429", Message: "token rate limit"},
			up.DialectAnthropic: {Status: 429, Type: "rate_limit_error", Message: "100 input tokens per minute"},
			up.DialectGemini:    {Status: 429, Code: "RESOURCE_EXHAUSTED", Message: "quota"},
		},
	},
	{
		name: "no credit",
		set:  func(cfg *up.ServerConfig) { fault(cfg, up.Fault{Kind: up.FaultNoCredit}) },
		want: map[up.Dialect]failure{
			up.DialectOpenAI:     {Status: 429, Type: "insufficient_quota", Code: "credit_balance_exhausted", Message: "billing"},
			up.DialectDeepSeek:   {Status: 402, Type: "unknown_error", Code: "invalid_request_error", Message: "Insufficient Balance"},
			up.DialectOpenRouter: {Status: 402, Code: "402", Message: "more credits"},
			up.DialectAnthropic:  {Status: 429, Type: "rate_limit_error", Code: "enforced_spend_limit_reached", Message: "spend limit"},
			up.DialectGemini:     {Status: 429, Code: "RESOURCE_EXHAUSTED"},
		},
	},
	{
		name: "overload",
		set:  func(cfg *up.ServerConfig) { overloaded(cfg, up.FaultError) },
		want: map[up.Dialect]failure{
			up.DialectOpenAI:     {Status: 503, Type: "service_unavailable_error", Code: "server_is_overloaded", Message: "overloaded"},
			up.DialectAzure:      {Status: 503, Code: "ServiceUnavailable", Message: "temporarily"},
			up.DialectDeepSeek:   {Status: 503, Type: "service_unavailable_error", Code: "server_overloaded", Message: "Overloaded"},
			up.DialectOpenRouter: {Status: 503, Code: "503", Message: "No instances"},
			up.DialectAnthropic:  {Status: 529, Type: "overloaded_error", Message: "Overloaded"},
			up.DialectGemini:     {Status: 503, Code: "UNAVAILABLE", Message: "overloaded"},
		},
	},
	{
		name: "server error",
		set:  func(cfg *up.ServerConfig) { fault(cfg, up.Fault{Kind: up.FaultError, Status: 500}) },
		want: map[up.Dialect]failure{
			up.DialectOpenAI:     {Status: 500, Type: "server_error", Message: "error"},
			up.DialectAzure:      {Status: 500, Code: "InternalServerError", Message: "error"},
			up.DialectDeepSeek:   {Status: 500, Type: "server_error", Message: "error"},
			up.DialectOpenRouter: {Status: 500, Code: "500", Message: "Internal"},
			up.DialectAnthropic:  {Status: 500, Type: "api_error", Message: "Internal"},
			up.DialectGemini:     {Status: 500, Code: "INTERNAL", Message: "internal"},
		},
	},
	{
		name: "error in a stream",
		set:  func(cfg *up.ServerConfig) { overloaded(cfg, up.FaultStreamError) },
		ask:  func(q *question) { q.Stream = true },
		want: map[up.Dialect]failure{
			up.DialectOpenAI:     {Type: "service_unavailable_error", Code: "server_is_overloaded", Message: "overloaded"},
			up.DialectAzure:      {Code: "ServiceUnavailable", Message: "temporarily"},
			up.DialectDeepSeek:   {Type: "service_unavailable_error", Code: "server_overloaded", Message: "Overloaded"},
			up.DialectOpenRouter: {Code: "503", Message: "No instances"},
			up.DialectAnthropic:  {Type: "overloaded_error", Message: "Overloaded"},
			up.DialectGemini:     {Code: "UNAVAILABLE", Message: "overloaded"},
		},
	},
}

// TestFailures: what each SDK makes of what goes wrong, with one retry allowed. All of them try again by
// the status alone, and never once a stream has begun.
func TestFailures(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			forEach(t, with(sc.want), func(t *testing.T, c client) {
				cfg := scenario(c.vendor)
				if sc.set != nil {
					sc.set(&cfg)
				}
				m := start(t, cfg)
				q := m.question("Why is the sky blue?")
				q.Retries = 1
				if sc.ask != nil {
					sc.ask(&q)
				}
				r := c.ask(t, q)
				want := sc.want[c.vendor]
				want.Class = c.class(want)
				r.failed(t, want)
				if got, tries := m.tries(), triesOf(want.Status); got != tries {
					t.Errorf("%d requests, want %d", got, tries)
				}
				if inStream := want.Status == 0; inStream != (r.Text != "") || r.Finish != "" {
					t.Errorf("text %q, finish reason %q", r.Text, r.Finish)
				}
				if r.Request == "" && (c.vendor == up.DialectOpenAI || c.vendor == up.DialectAnthropic || c.vendor == up.DialectAzure) {
					t.Errorf("no request id among %v", r.Header)
				}
			})
		})
	}
}

// failed compares the failure.
func (r *reply) failed(t *testing.T, want failure) {
	t.Helper()
	if r.Failure == nil {
		t.Fatalf("success, want %+v: %+v", want, r)
	}
	got := *r.Failure
	if !strings.Contains(got.Message, want.Message) {
		t.Errorf("%q, want %q", got.Message, want.Message)
	}
	if got.Message = want.Message; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// triesOf returns how often a request is sent that one retry is allowed for.
func triesOf(status int) int {
	if status == 429 || status >= 500 {
		return 2
	}
	return 1
}

// TestCutStream: no SDK takes half a stream for a whole one, and none asks again.
func TestCutStream(t *testing.T) {
	forEach(t, all, func(t *testing.T, c client) {
		cfg := scenario(c.vendor)
		fault(&cfg, up.Fault{Kind: up.FaultBrokenStream})
		m := start(t, cfg)
		q := m.question("Why is the sky blue?")
		q.Stream, q.Retries = true, 1
		r := c.ask(t, q)
		s := m.next()
		if r.Failure == nil || r.Failure.Class != c.class(failure{Status: broken}) {
			t.Errorf("%+v, want %s", r.Failure, c.class(failure{Status: broken}))
		}
		if got, most := int64(len(r.Text)), 4*s.Used.Out; got == 0 || got > most || r.Finish != "" {
			t.Errorf("%d characters, finish reason %q; %d characters are billed", got, r.Finish, most)
		}
		if m.tries() != 1 {
			t.Errorf("%d requests, want 1", m.tries())
		}
	})
}

// TestCutAnswer: half an answer is an error. One SDK asks again, and pays twice.
func TestCutAnswer(t *testing.T) {
	forEach(t, all, func(t *testing.T, c client) {
		cfg := scenario(c.vendor)
		fault(&cfg, up.Fault{Kind: up.FaultBrokenStream})
		m := start(t, cfg)
		q := m.question("Why is the sky blue?")
		q.Retries = 1
		r := c.ask(t, q)
		if r.Failure == nil || r.Failure.Class != c.class(failure{Status: broken}) {
			t.Errorf("%+v, want %s", r.Failure, c.class(failure{Status: broken}))
		}
		tries := 1
		if c.rereads {
			tries = 2
		}
		if m.tries() != tries || r.Text != "" {
			t.Errorf("%d requests, want %d; text %q", m.tries(), tries, r.Text)
		}
	})
}

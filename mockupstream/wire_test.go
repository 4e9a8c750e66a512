package mockupstream

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestErrorBodies: each status has the words that the vendor has for it.
func TestErrorBodies(t *testing.T) {
	for d, want := range map[Dialect]map[int]string{
		DialectOpenAI:     {500: `"type":"server_error"`, 502: "server_error", 503: `"code":"server_is_overloaded"`, 504: "server_error", 401: "invalid_api_key", 409: "idempotency", 429: "requests per min (RPM): Limit 9, Used 9, Requested 1. Please try again in 1s."},
		DialectAnthropic:  {500: `"type":"api_error","message":"Internal server error"`, 503: "overloaded_error", 504: "timeout_error", 529: `"type":"overloaded_error","message":"Overloaded"`, 401: "authentication_error", 409: "invalid_request_error", 429: "This request would exceed your account's rate limit. Please try again later."},
		DialectGemini:     {500: `"code":500,"message":"An internal error has occurred.","status":"INTERNAL"`, 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED", 401: "UNAUTHENTICATED", 409: "ABORTED", 429: `"retryDelay":"1s"`},
		DialectDeepSeek:   {500: "server_error", 503: "Server Overloaded", 401: "Authentication Fails", 409: "idempotency", 429: "Rate Limit Reached"},
		DialectAzure:      {500: `{"error":{"code":"InternalServerError"`, 503: "ServiceUnavailable", 401: `"code":"401"`, 409: `"code":"409"`, 429: `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-05-01-preview have exceeded call rate limit`},
		DialectOpenRouter: {500: `"error":{"code":500`, 502: "Provider disconnected", 503: "No instances", 504: "Provider timed out", 401: `"code":401`, 409: `"code":409`, 429: "Provider returned error"},
	} {
		q := Quota{RPM: 9}
		if d == DialectDeepSeek {
			q = Quota{Concurrency: 9}
		}
		for status, words := range want {
			cfg := speaking(d, q)
			c := Call{Write: true, IdempotencyKey: 5}
			switch status {
			case 401:
				cfg.Keys[0].Quotas[0] = -1
			case 409:
			case 429:
				cfg = withFault(cfg, Fault{Kind: FaultBurst429, For: ts, RetryAfter: ts})
			default:
				cfg = withFault(cfg, Fault{Kind: FaultError, Status: status, For: ts})
			}
			p := mustNew(t, cfg)
			plan := p.Admit(0, c)
			if status == 409 {
				plan = p.Admit(0, c)
			}
			body := p.ErrorBody(&c, &plan)
			if plan.Status != status || !json.Valid([]byte(body)) || !strings.Contains(body, words) {
				t.Errorf("%v, %d: %s, want %q in it", d, plan.Status, body, words)
			}
		}
	}
}

// TestHeadersTellThePlan: whatever happens, the headers say the wait that the plan has (a driver that
// reads the wire decides as one that reads the plan), and bodies are JSON, or empty on success.
func TestHeadersTellThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := randomConfig(t)
		p := mustNew(t, cfg)
		now := time.Duration(0)
		for i := range rapid.IntRange(1, 60).Draw(t, "calls") {
			now += time.Duration(rapid.Int64Range(0, 2e9).Draw(t, "dt"))
			c := Call{
				ID: uint64(i), Key: rapid.IntRange(0, len(cfg.Keys)-1).Draw(t, "key"), Model: rapid.IntRange(0, len(cfg.Models)-1).Draw(t, "model"),
				In: rapid.Int64Range(0, 1000).Draw(t, "in"), MaxOut: rapid.Int64Range(0, 300).Draw(t, "max"), Out: 100,
			}
			plan := p.Admit(now, c)
			d := cfg.Models[c.Model].Dialect
			h := headerMap(p.Headers(&c, &plan))
			body := p.ErrorBody(&c, &plan)
			if (body == "") != (plan.Status < 400) || body != "" && !json.Valid([]byte(body)) {
				t.Fatalf("%d: body %q", plan.Status, body)
			}
			if _, told := h["retry-after"]; told != plan.HasRetryAfter && d != DialectGemini && d != DialectOpenRouter {
				t.Fatalf("%+v: headers %v", plan, h)
			}
			switch wait := plan.RetryAfter; {
			case !plan.HasRetryAfter || d == DialectOpenRouter || d == DialectDeepSeek:
			case d == DialectGemini:
				if !strings.Contains(body, `"retryDelay":"`+number(seconds(wait, 1))+`s"`) {
					t.Fatalf("told %v: %s", wait, body)
				}
			case d == DialectAnthropic:
				if h["retry-after"] != number(max(1, int64(wait/ts))) || wait%ts != 0 {
					t.Fatalf("told %v: %v", wait, h)
				}
			case h["retry-after-ms"] != number(int64(wait/tms)) || h["retry-after"] != number(seconds(wait, 1)):
				t.Fatalf("told %v: %v", wait, h)
			}
			if p.Disconnect(now, plan.ID); plan.Fate == FateError && !json.Valid([]byte(p.StreamError(&c, &plan))) {
				t.Fatalf("error in the stream: %s", p.StreamError(&c, &plan))
			}
		}
	})
}

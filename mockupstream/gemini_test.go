package mockupstream

import (
	"testing"
	"time"
)

func TestGeminiSteps(t *testing.T) {
	cfg := speaking(DialectGemini, Quota{RPM: 3, TPM: 1000, RPD: 5})
	cfg.Epoch = time.Date(2026, 3, 8, 7, 57, 30, 0, time.UTC) // 2 m 30 s before midnight in California
	p := mustNew(t, cfg)
	for i, s := range []struct {
		at     time.Duration
		in     int64
		code   Code
		broken Meters
		told   time.Duration
		wait   time.Duration // in truth
	}{
		{0, 400, CodeOK, 0, 0, 0},
		{ts, 700, CodeRateLimitTokens, meters(MeterTokens), 29 * ts, 29 * ts},
		{1500 * tms, 700, CodeRateLimitTokens, meters(MeterTokens), 29 * ts, 28500 * tms},
		{2 * ts, 600, CodeOK, 0, 0, 0}, // only prompts count, and refusals do not
		{3 * ts, 0, CodeOK, 0, 0, 0},
		{4 * ts, 1, CodeRateLimitRequests, meters(MeterRequests, MeterTokens), 26 * ts, 26 * ts},
		{4 * ts, 1001, CodeRequestTooLarge, meters(MeterRequests, MeterTokens), 0, 0},
		{30 * ts, 1000, CodeOK, 0, 0, 0},
		{31 * ts, 0, CodeOK, 0, 0, 0},
		// The trap: the day is used up, and what is told is the rest of the minute.
		{32 * ts, 0, CodeRateLimitRequests, meters(MeterDayRequests), 58 * ts, 118 * ts},
		{90 * ts, 0, CodeRateLimitRequests, meters(MeterDayRequests), 60 * ts, 60 * ts},
		{150*ts - 1, 0, CodeRateLimitRequests, meters(MeterDayRequests), ts, 1},
		{150 * ts, 0, CodeOK, 0, 0, 0},
	} {
		plan := p.Admit(s.at, Call{ID: uint64(i), In: s.in, MaxOut: 1e6})
		if plan.Code != s.code || plan.Refusal.Broken != s.broken || plan.RetryAfter != s.told || plan.Refusal.Wait != s.wait {
			t.Errorf("step %d: code %d, broken %b, told %v, wait %v", i, plan.Code, plan.Refusal.Broken, plan.RetryAfter, plan.Refusal.Wait)
		}
	}
}

func TestGeminiBodies(t *testing.T) {
	cfg := speaking(DialectGemini, Quota{RPM: 1, TPM: 250_000})
	cfg.Models[0].Name, cfg.Models[0].ContextWindow = "gemini-2.5-flash", 1<<20
	p := mustNew(t, cfg)
	p.Admit(0, Call{In: 200_000})
	body := func(now time.Duration, c Call) string {
		plan := p.Admit(now, c)
		if h := p.Headers(&c, &plan); h != nil {
			t.Errorf("headers %v", h)
		}
		return p.ErrorBody(&c, &plan)
	}
	const head = `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.`
	const dimensions = `"quotaDimensions":{"location":"global","model":"gemini-2.5-flash"}`
	want := head + ` Please retry in 25.5s.","status":"RESOURCE_EXHAUSTED","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[` +
		`{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_requests","quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier",` + dimensions + `,"quotaValue":"1"},` +
		`{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_input_token_count","quotaId":"GenerateContentInputTokensPerModelPerMinute-FreeTier",` + dimensions + `,"quotaValue":"250000"}]},` +
		`{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"Learn more about Gemini API quotas","url":"https://ai.google.dev/gemini-api/docs/rate-limits"}]},` +
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"26s"}]}}`
	if got := body(34500*tms, Call{In: 60_000}); got != want {
		t.Errorf("body\n%s\nwant\n%s", got, want)
	}
	if got, want := body(0, Call{In: 1 << 21}), `{"error":{"code":400,"message":"The input token count (2097152) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`; got != want {
		t.Errorf("body %s", got)
	}
	cfg = withFault(cfg, Fault{Kind: FaultError, Status: 503, For: ts}, Fault{Kind: FaultBurst429, At: ts, For: ts, Mode: RetryAfterAbsent}, Fault{Kind: FaultBurst429, At: 2 * ts, For: ts, RetryAfter: 1})
	for at, want := range map[time.Duration]string{
		0:      `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`,
		ts:     `{"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}`,
		2 * ts: head + ` Please retry in 1s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"Learn more about Gemini API quotas","url":"https://ai.google.dev/gemini-api/docs/rate-limits"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s"}]}}`,
	} {
		p = mustNew(t, cfg)
		if got := body(at, Call{}); got != want {
			t.Errorf("at %v: %s, want %s", at, got, want)
		}
	}
}

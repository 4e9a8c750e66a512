package mockupstream

import (
	"reflect"
	"testing"
	"time"
)

func TestAzureTokens(t *testing.T) {
	p := mustNew(t, speaking(DialectAzure, Quota{TPM: 1000}))
	for i, s := range []struct {
		at        time.Duration
		in, out   int64
		code      Code
		told      time.Duration
		remaining int64
	}{
		{27 * ts, 300, 200, CodeOK, 0, 500},                  // prompt and max_tokens together
		{27 * ts, 400, 101, CodeRateLimitTokens, 33 * ts, 0}, // counts, too
		{27500 * tms, 1, 0, CodeRateLimitTokens, 32500 * tms, 0},
		{60*ts - 1, 1, 0, CodeRateLimitTokens, tms, 0},
		{60 * ts, 1000, 1, CodeRequestTooLarge, 0, 1000},
		{60 * ts, 1000, 0, CodeOK, 0, 0},
		{120 * ts, 1000, 0, CodeOK, 0, 0}, // the burst of two minutes meets at their edge
	} {
		plan := p.Admit(s.at, Call{ID: uint64(i), In: s.in, MaxOut: s.out})
		if plan.Code != s.code || plan.RetryAfter != s.told || plan.Limits.RemainingTokens != s.remaining {
			t.Errorf("step %d: code %d, told %v, %d remain", i, plan.Code, plan.RetryAfter, plan.Limits.RemainingTokens)
		}
	}
	if m := p.Books().Quotas[0].Minutes[0]; m != (Minute{Requests: 4, Tokens: 1003, Refused: 3}) {
		t.Errorf("the first minute %+v", m)
	}
}

// TestAzureRequests: 600 a minute are 10 in a second; 120 are 20 in ten.
func TestAzureRequests(t *testing.T) {
	p := mustNew(t, speaking(DialectAzure, Quota{RPM: 600, Quantum: ts}))
	for i := range 11 {
		plan := p.Admit(200*tms, Call{ID: uint64(i)})
		if (plan.Status == 200) != (i < 10) || plan.RetryAfter != map[bool]time.Duration{true: 800 * tms}[i == 10] {
			t.Errorf("call %d in a second: %+v", i, plan)
		}
	}
	if plan := p.Admit(ts, Call{ID: 99}); plan.Status != 200 {
		t.Errorf("the next second: %+v", plan)
	}
	p = mustNew(t, speaking(DialectAzure, Quota{RPM: 120}))
	if plan := p.Admit(0, Call{}); plan.Limits.RemainingRequests != 19 || plan.Limits.ResetRequests != 10*ts {
		t.Errorf("observed: 19 left after the first of 120 a minute; got %+v", plan.Limits)
	}
	for rpm, want := range map[int64]int64{1: 1, 6: 1, 7: 2, 60: 10, 100: 17, 0: 0} {
		if got := quantum(rpm, 10*ts); got != want {
			t.Errorf("%d a minute are %d in 10 s, want %d", rpm, got, want)
		}
	}
}

func TestAzureAnswers(t *testing.T) {
	cfg := speaking(DialectAzure, Quota{RPM: 600, TPM: 1000})
	p := mustNew(t, cfg)
	p.Admit(27*ts, Call{In: 700})
	c := Call{ID: 2, In: 301}
	plan := p.Admit(27500*tms, c)
	got := p.Headers(&c, &plan)
	want := []Header{
		{"x-ratelimit-limit-requests", "100"},
		{"x-ratelimit-limit-tokens", "1000"},
		{"x-ratelimit-remaining-requests", "98"},
		{"x-ratelimit-remaining-tokens", "0"},
		{"x-ratelimit-reset-requests", "3"},
		{"x-ratelimit-reset-tokens", "33"},
		{"retry-after-ms", "32500"},
		{"retry-after", "33"},
		{"policy-id", "DeploymentRatelimit-Token"},
	}
	if !reflect.DeepEqual(got[:len(want)], want) {
		t.Errorf("headers\n%v\nwant\n%v", got, want)
	}
	const body = `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-05-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 33 seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit."}}`
	if got := p.ErrorBody(&c, &plan); got != body {
		t.Errorf("body %s", got)
	}
	cfg.Quotas[0] = Quota{RPM: 1}
	p = mustNew(t, cfg)
	p.Admit(0, Call{})
	plan = p.Admit(tms, c)
	if h := headerMap(p.Headers(&c, &plan)); h["policy-id"] != "DeploymentRatelimit-Call" || h["retry-after-ms"] != "9999" || h["retry-after"] != "10" {
		t.Errorf("headers %v", h)
	}
}

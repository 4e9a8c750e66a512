package mockupstream

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestAnthropicHeaderFixture: the headers of the SDK's own fixture, with limits of 50 requests,
// 30 000 input and 8 000 output tokens a minute: remaining tokens are rounded to thousands, resets are dates.
func TestAnthropicHeaderFixture(t *testing.T) {
	cfg := speaking(DialectAnthropic, Quota{Name: "q", RPM: 50, TPM: 30_000, OTPM: 8000})
	cfg.Epoch = time.Date(2026, 2, 25, 20, 2, 33, 0, time.UTC)
	p := mustNew(t, cfg)
	c := Call{In: 2000, MaxOut: 30_000}
	plan := p.Admit(0, c)
	got := p.Headers(&c, &plan)
	want := []Header{
		{"anthropic-ratelimit-requests-limit", "50"},
		{"anthropic-ratelimit-requests-remaining", "49"},
		{"anthropic-ratelimit-requests-reset", "2026-02-25T20:02:35Z"}, // 1.2 s, rounded up
		{"anthropic-ratelimit-tokens-limit", "38000"},
		{"anthropic-ratelimit-tokens-remaining", "36000"},
		{"anthropic-ratelimit-tokens-reset", "2026-02-25T20:02:37Z"},
		{"anthropic-ratelimit-input-tokens-limit", "30000"},
		{"anthropic-ratelimit-input-tokens-remaining", "28000"},
		{"anthropic-ratelimit-input-tokens-reset", "2026-02-25T20:02:37Z"},
		{"anthropic-ratelimit-output-tokens-limit", "8000"},
		{"anthropic-ratelimit-output-tokens-remaining", "8000"},
		{"anthropic-ratelimit-output-tokens-reset", "2026-02-25T20:02:33Z"},
	}
	if len(got) != len(want)+2 || !reflect.DeepEqual(got[:len(want)], want) || got[len(want)].Name != "request-id" || got[len(want)+1].Name != "anthropic-organization-id" {
		t.Errorf("headers\n%v\nwant\n%v", got, want)
	}
	for in, want := range map[int64]int64{0: 0, 499: 0, 500: 1000, 27_499: 27_000, 28_499: 28_000, 28_500: 29_000} {
		if got := thousands(in); got != want {
			t.Errorf("%d is told as %d, want %d", in, got, want)
		}
	}
}

// TestAnthropicInput: cache reads are free of the limit, cache writes are not, and an
// estimate is corrected when the call ends.
func TestAnthropicInput(t *testing.T) {
	cfg := speaking(DialectAnthropic, Quota{TPM: 6000})
	cfg.Models[0].Cache = PromptCache{MinTokens: 1024, Block: 1, TTL: 5 * time.Minute}
	cfg.Models[0].Price = Price{Input: 300, Cached: 30, Output: 1500, CacheWrite: 375, LongFrom: 5000, Long: Rates{600, 60, 2250, 750}}
	p := mustNew(t, cfg)
	plan := p.Admit(0, Call{In: 5000, Conversation: 1})
	if plan.Limits.RemainingTokens != 1000 || plan.CacheWrite != 5000 || plan.Long {
		t.Errorf("the first prompt: %+v", plan)
	}
	p.Complete(plan.End, plan.ID)
	c := Call{ID: 2, In: 5800, Prefix: 5000, Conversation: 1}
	plan = p.Admit(ts, c) // 100 tokens a second drain
	if plan.Status != 200 || plan.Limits.RemainingTokens != 300 || plan.CacheWrite != 800 || !plan.Long {
		t.Errorf("5000 of 5800 from the cache: %+v", plan)
	}
	if u := p.Complete(plan.End, plan.ID); u.Cached != 5000 {
		t.Errorf("billed %+v", u)
	}
	want := Tariff{CacheWrite: 5800, Long: Usage{In: 5800, Cached: 5000}, LongCacheWrite: 800}
	if b := p.Books(); b.Tariff != want || b.Keys[0].Tariff != want {
		t.Errorf("tariff %+v, want %+v", b.Tariff, want)
	}
	cfg.Quotas[0].CountCached = true
	p = mustNew(t, cfg)
	p.Complete(0, p.Admit(0, Call{In: 5000, Conversation: 1}).ID)
	if plan := p.Admit(ts, c); plan.Code != CodeRateLimitTokens || plan.Refusal.Requested != 5800 {
		t.Errorf("an older model counts cache reads: %+v", plan)
	}
	p = mustNew(t, speaking(DialectAnthropic, Quota{TPM: 6000}))
	plan = p.Admit(0, Call{In: 3000, EstIn: 4000})
	if plan.Limits.RemainingTokens != 2000 {
		t.Errorf("estimated at 4000: %d remain", plan.Limits.RemainingTokens)
	}
	p.Disconnect(0, plan.ID)
	if plan = p.Admit(0, Call{ID: 2, EstIn: 100, In: 200}); plan.Limits.RemainingTokens != 2900 {
		t.Errorf("corrected to 3000, and 100: %d remain", plan.Limits.RemainingTokens)
	}
	p.Complete(plan.End, plan.ID)
	if m := p.Books().Quotas[0].Minutes[0]; m.Tokens != 3200 {
		t.Errorf("charged %d, want what the prompts had", m.Tokens)
	}
}

// TestAnthropicOutput: what is said counts, when it is said. 61 tokens of output, the first
// after 1 s and one each 10 ms, on a limit of 30 a minute, of which one drains every 2 s.
func TestAnthropicOutput(t *testing.T) {
	cfg := speaking(DialectAnthropic, Quota{OTPM: 30})
	p := mustNew(t, cfg)
	long := p.Admit(0, Call{Out: 61, MaxOut: 1e6})
	for i, s := range []struct {
		at        time.Duration
		wait      time.Duration // told
		remaining int64
	}{
		{0, 0, 30}, // max_tokens count nowhere
		{ts - 1, 0, 30},
		{ts + 200*tms, 0, 9},     // 21 less 0.1
		{1280 * tms, 0, 1},       // 29 less 0.14
		{1300 * tms, 64 * ts, 0}, // 61 will be made; room for one more when 32 have drained, 64 s after the first
		{1600 * tms, 64 * ts, 0},
		{65*ts - tms, ts, 0},
		{65 * ts, 0, 1},
	} {
		plan := p.Admit(s.at, Call{ID: uint64(i + 1)})
		if plan.RetryAfter != s.wait || plan.Limits.RemainingSecond != s.remaining || (plan.Refusal.Meter == MeterOutput) != (s.wait > 0) {
			t.Errorf("step %d at %v: retry after %v, %d output tokens remain, meter %d; want %v, %d", i, s.at, plan.RetryAfter, plan.Limits.RemainingSecond, plan.Refusal.Meter, s.wait, s.remaining)
		}
	}
	p.Complete(long.End, long.ID)
	if m := p.Books().Quotas[0].Minutes; m[0].Output != 61 {
		t.Errorf("minutes %+v", m)
	}
}

// TestAnthropicOutputStopsWithTheClient: what is not said any more does not count.
func TestAnthropicOutputStopsWithTheClient(t *testing.T) {
	p := mustNew(t, speaking(DialectAnthropic, Quota{OTPM: 6000}))
	early, late := p.Admit(0, Call{Out: 1001}), p.Admit(0, Call{ID: 1, Out: 1001})
	p.Disconnect(ts/2, early.ID)
	if u := p.Disconnect(2*ts, late.ID); u.Out != 101 { // at a hundred a second, which is what drains
		t.Errorf("billed %+v", u)
	}
	for at, want := range map[time.Duration]int64{2 * ts: 5999, 2010 * tms: 6000, 10 * ts: 6000} {
		p := mustNew(t, speaking(DialectAnthropic, Quota{OTPM: 6000}))
		p.Disconnect(2*ts, p.Admit(0, Call{Out: 1001}).ID)
		if got := p.Admit(at, Call{}).Limits.RemainingSecond; got != want {
			t.Errorf("at %v %d remain, want %d", at, got, want)
		}
	}
}

// TestAnthropicOutputInMinutes: a long answer is booked where it was said.
func TestAnthropicOutputInMinutes(t *testing.T) {
	p := mustNew(t, speaking(DialectAnthropic, Quota{OTPM: 1e6}))
	plan := p.Admit(29*ts, Call{Out: 15_001}) // from 30 s on, 100 a second, for 150 s
	p.Disconnect(170*ts, plan.ID)
	var made []int64
	for _, m := range p.Books().Quotas[0].Minutes {
		made = append(made, m.Output)
	}
	if want := []int64{3001, 6000, 5000}; !reflect.DeepEqual(made, want) {
		t.Errorf("minutes %v, want %v", made, want)
	}
}

func TestAnthropicConcurrency(t *testing.T) {
	p := mustNew(t, speaking(DialectAnthropic, Quota{Concurrency: 2, RPM: 100}))
	first := p.Admit(0, Call{ID: 1})
	p.Admit(0, Call{ID: 2})
	c := Call{ID: 3}
	plan := p.Admit(0, c)
	if plan.Status != 429 || plan.Code != CodeConcurrency || plan.HasRetryAfter || plan.Limits.RemainingRequests != 98 {
		t.Errorf("plan %+v", plan)
	}
	if body := p.ErrorBody(&c, &plan); !strings.Contains(body, "Number of concurrent connections has exceeded your rate limit") {
		t.Errorf("body %s", body)
	}
	p.Disconnect(0, first.ID)
	if plan := p.Admit(0, Call{ID: 4}); plan.Status != 200 {
		t.Errorf("after one went away: %+v", plan)
	}
}

// anthropicErrorOf decodes an error body.
func anthropicErrorOf(t *testing.T, body string) anthropicError {
	t.Helper()
	var e anthropicError
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Type != "error" || !strings.HasPrefix(e.RequestID, "req_") {
		t.Fatalf("body %s: %v", body, err)
	}
	return e
}

func TestAnthropicErrors(t *testing.T) {
	cfg := speaking(DialectAnthropic, Quota{Name: "q", RPM: 5000, TPM: 50_000, Spend: 900})
	cfg.Models[0].Name, cfg.Models[0].ContextWindow = "claude-haiku-4-5-20251001", 200_000
	cfg.Models[0].Price.Output = 100
	cfg.Models[0].Capacity = []CapacityStep{{0, 1}}
	p := mustNew(t, cfg)
	ask := func(now time.Duration, c Call) (Plan, anthropicFields) {
		plan := p.Admit(now, c)
		return plan, anthropicErrorOf(t, p.ErrorBody(&c, &plan)).Error
	}
	if _, e := ask(0, Call{In: 200_001}); e.Type != "invalid_request_error" || e.Message != "prompt is too long: 200001 tokens > 200000 maximum" {
		t.Errorf("too long: %+v", e)
	}
	running := p.Admit(0, Call{ID: 1, In: 40_000, Out: 10})
	if plan, e := ask(0, Call{ID: 2, In: 5}); plan.Status != 529 || plan.Code != CodeOverloaded || e.Type != "overloaded_error" || e.Message != "Overloaded" {
		t.Errorf("a full model: %+v, %+v", plan, e)
	}
	want := "This request would exceed your organization's rate limit of 50,000 input tokens per minute (org: " + uuid("q") + ", model: claude-haiku-4-5-20251001)."
	if plan, e := ask(0, Call{ID: 3, In: 20_000}); e.Type != "rate_limit_error" || !strings.HasPrefix(e.Message, want) || plan.RetryAfter != 12*ts {
		t.Errorf("input: %+v, %+v", plan, e)
	}
	p.Complete(running.End, running.ID)
	plan, e := ask(time.Hour, Call{ID: 5, In: 5})
	if e.Details == nil || e.Details.ErrorCode != "enforced_spend_limit_reached" || plan.HasRetryAfter || e.Type != "rate_limit_error" {
		t.Errorf("spent: %+v, %+v", plan, e)
	}
	if h := headerMap(p.Headers(&Call{}, &plan)); h["retry-after"] != "" {
		t.Errorf("spent, and told to come back after %s s", h["retry-after"])
	}
	for want, q := range map[string]Quota{
		"rate limit of 1 output tokens per minute": {OTPM: 1},
		"rate limit of 1 requests per minute":      {RPM: 1},
		"acceleration limit":                       {Slope: Slope{From: 1}},
	} {
		p = mustNew(t, speaking(DialectAnthropic, q))
		p.Admit(0, Call{In: 5, Out: 5})
		if plan, e := ask(ts, Call{ID: 4, In: 5}); !strings.Contains(e.Message, want) || headerMap(p.Headers(&Call{}, &plan))["retry-after"] != number(int64(plan.RetryAfter/ts)) {
			t.Errorf("%+v, want %q", e, want)
		}
	}
}

// TestStreamErrors: 200, half an answer, and then an error in the stream, billed as far as it went.
func TestStreamErrors(t *testing.T) {
	for d, want := range map[Dialect]string{
		DialectOpenAI:     `{"error":{"message":"The engine is currently overloaded, please try again later.","type":"service_unavailable_error","param":null,"code":"server_is_overloaded"}}`,
		DialectAnthropic:  `"error":{"type":"overloaded_error","message":"Overloaded"}`,
		DialectGemini:     `{"error":{"code":529,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`,
		DialectOpenRouter: `"model":"m","error":{"code":529,"message":"Provider disconnected unexpectedly"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","native_finish_reason":"error"}]}`,
	} {
		p := mustNew(t, withFault(speaking(d, Quota{}), Fault{Kind: FaultStreamError, Status: 529, For: ts}))
		c := Call{In: 10, Out: 101}
		plan := p.Admit(0, c)
		told := int16(529)
		if d == DialectOpenAI {
			told = 503 // all that its words can say
		}
		if plan.Status != 200 || plan.Code != CodeOK || plan.Fate != FateError || plan.ErrorStatus != told || plan.End != 1500*tms {
			t.Errorf("%v: plan %+v", d, plan)
		}
		if got := p.StreamError(&c, &plan); !strings.Contains(got, want) {
			t.Errorf("%v: %s, want %s in it", d, got, want)
		}
		if u := p.Complete(plan.End, plan.ID); u != (Usage{In: 10, Out: 51}) {
			t.Errorf("%v: billed %+v", d, u)
		}
	}
	p := mustNew(t, withFault(speaking(DialectOpenRouter, Quota{}), Fault{Kind: FaultStreamError, Status: 429, For: ts}))
	var c Call
	plan := p.Admit(0, c)
	if got := p.StreamError(&c, &plan); !strings.Contains(got, `"code":429,"message":"Provider returned error","metadata":{"raw":"m is temporarily rate-limited upstream. Please retry shortly.","provider_name":"v"}`) {
		t.Errorf("an upstream 429: %s", got)
	}
}

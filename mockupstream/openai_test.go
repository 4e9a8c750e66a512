package mockupstream

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"
)

// errorOf decodes an error body in OpenAI's form, where all four fields must be there.
func errorOf(t *testing.T, body string) (message, kind, code string) {
	t.Helper()
	var e struct {
		Error map[string]*string `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil || len(e.Error) != 4 {
		t.Fatalf("body %s: %v", body, err)
	}
	get := func(name string) string {
		v, ok := e.Error[name]
		if !ok {
			t.Fatalf("body %s has no %s", body, name)
		}
		if v == nil {
			return ""
		}
		return *v
	}
	return get("message"), get("type"), get("code")
}

// TestOpenAIObservedAnswers replays refusals as OpenAI worded them in public reports: the quota is
// used up to "Used", then a call of "Requested" comes. The text's wait must be the one
// that was said, to the millisecond; the header's wait must be safe, and not a millisecond more.
func TestOpenAIObservedAnswers(t *testing.T) {
	for _, o := range []struct {
		meter                  Meter
		limit, used, requested int64
		said                   string
		source                 string
	}{
		{MeterTokens, 10000, 8554, 3082, "9.816s", "FoundationAgents/MetaGPT#523"},
		{MeterTokens, 30000, 29937, 385, "644ms", "BuilderIO/micro-agent#86"},
		{MeterTokens, 30000, 14567, 24754, "18.642s", "semanser/codel#72"},
		{MeterTokens, 30000, 18928, 11159, "174ms", "continuedev/continue#11472"},
		{MeterTokens, 30000, 28039, 3906, "3.89s", "continuedev/continue#10502"},
		{MeterTokens, 200000, 162960, 42288, "1.574s", "openai/codex#88"},
		{MeterTokens, 30000, 20122, 18269, "16.782s", "Doctor-One/doctor-dok#105"},
		{MeterTokens, 200000, 199821, 2295, "634ms", "vercel/ai#2637"},
		{MeterRequests, 500, 500, 1, "120ms", "RPM 500"},
		{MeterRequests, 15, 15, 1, "4s", "RPM 15"},
		{MeterRequests, 3, 3, 1, "20s", "RPM 3"},
		{MeterDayRequests, 200, 200, 1, "7m12s", "RPD 200"},
		{MeterDayRequests, 10000, 10000, 1, "8.64s", "RPD 10000"},
		{MeterDayRequests, 1000, 1000, 1, "1m26.4s", "openai-agents-js#1022"},
	} {
		t.Run(o.source, func(t *testing.T) {
			var q Quota
			name, kind, period := "tokens per min (TPM)", "tokens", time.Minute
			switch o.meter {
			case MeterTokens:
				q.TPM = o.limit
			case MeterRequests:
				q.RPM, name, kind = o.limit, "requests per min (RPM)", "requests"
			case MeterDayRequests:
				q.RPD, name, kind, period = o.limit, "requests per day (RPD)", "requests", 24*time.Hour
			}
			q.Group = "X"
			p := mustNew(t, speaking(DialectOpenAI, q))
			if o.meter == MeterTokens {
				p.Admit(0, Call{In: o.used})
			} else {
				for i := range o.used {
					p.Admit(0, Call{ID: uint64(i)})
				}
			}
			c := Call{ID: 1 << 40, In: o.requested}
			plan := p.Admit(0, c)
			message, typ, code := errorOf(t, p.ErrorBody(&c, &plan))
			want := "Rate limit reached for m in organization org-X on " + name + ": Limit " + number(o.limit) + ", Used " + number(o.used) +
				", Requested " + number(o.requested) + ". Please try again in " + o.said + ". Visit https://platform.openai.com/account/rate-limits to learn more."
			if plan.Status != 429 || message != want || typ != kind || code != "rate_limit_exceeded" {
				t.Errorf("%d, type %q, code %q:\n%s\nwant\n%s", plan.Status, typ, code, message, want)
			}
			ms := new(big.Rat).SetFrac64((o.used+o.requested-o.limit)*int64(period/tms), o.limit)
			floor := new(big.Int).Quo(ms.Num(), ms.Denom()).Int64()
			ceil := floor
			if !ms.IsInt() {
				ceil++
			}
			if said, _ := time.ParseDuration(o.said); said.Milliseconds() != floor || plan.RetryAfter.Milliseconds() != ceil {
				t.Errorf("OpenAI said %v, the formula gives %v ms, the header %v", said, ms.FloatString(3), plan.RetryAfter)
			}
			headers := headerMap(p.Headers(&c, &plan))
			if headers["retry-after-ms"] != number(ceil) || headers["retry-after"] != number(max(1, (ceil+999)/1000)) {
				t.Errorf("headers %v", headers)
			}
		})
	}
}

func headerMap(list []Header) map[string]string {
	m := make(map[string]string)
	for _, h := range list {
		m[h.Name] = h.Value
	}
	return m
}

// TestOpenAIMonthlyBucket: one more observed answer (openai-dotnet#404) is of a bucket of 30 days.
func TestOpenAIMonthlyBucket(t *testing.T) {
	m := leakyMeter(MeterTokens, 100_000, 30*24*time.Hour)
	m.charge(96_749)
	if _, exact := m.wait(19_126); goDuration(exact) != "114h18m0s" {
		t.Errorf("wait %v, OpenAI said 114h18m0s", exact)
	}
}

// TestOpenAIObservedHeaders: resets are the formula's, within what one token, since remaining is
// rounded down to, amounts to.
func TestOpenAIObservedHeaders(t *testing.T) {
	for _, o := range []struct {
		limit, remaining int64
		period           time.Duration
		said             string
	}{
		{1_500_000, 1_495_621, 24 * time.Hour, "4m12.172s"},
		{1_500_000, 43_244, 24 * time.Hour, "23h18m29.144s"},
		{500, 499, time.Minute, "120ms"},
		{30_000, 29_996, time.Minute, "8ms"},
	} {
		m := leakyMeter(MeterTokens, o.limit, o.period)
		m.charge(o.limit - o.remaining)
		remaining, reset := m.state()
		said, err := time.ParseDuration(o.said)
		if one := o.period / time.Duration(o.limit); err != nil || remaining != o.remaining || reset < said || reset-said > one+tms {
			t.Errorf("%d of %d remain: reset %v, OpenAI said %v", remaining, o.limit, reset, said)
		}
	}
	p := mustNew(t, speaking(DialectOpenAI, Quota{RPM: 500, TPM: 30_000}))
	c := Call{In: 4}
	plan := p.Admit(0, c)
	want := []Header{
		{"x-ratelimit-limit-requests", "500"},
		{"x-ratelimit-limit-tokens", "30000"},
		{"x-ratelimit-remaining-requests", "499"},
		{"x-ratelimit-remaining-tokens", "29996"},
		{"x-ratelimit-reset-requests", "120ms"},
		{"x-ratelimit-reset-tokens", "8ms"},
	}
	if got := p.Headers(&c, &plan); !reflect.DeepEqual(got[:6], want) || len(got) != 7 || got[6].Name != "x-request-id" {
		t.Errorf("headers %v", got)
	}
}

func TestOpenAIDayLimits(t *testing.T) {
	p := mustNew(t, speaking(DialectOpenAI, Quota{RPD: 2, TPD: 86_400}))
	for i, s := range []struct {
		at         time.Duration
		in         int64
		code       Code
		meter      Meter
		retry      time.Duration
		tokensLeft int64
	}{
		{0, 40_000, CodeOK, MeterNone, 0, 46_400},
		{0, 50_000, CodeRateLimitTokens, MeterDayTokens, time.Hour, 46_400},
		{0, 86_401, CodeRequestTooLarge, MeterDayTokens, 0, 46_400},
		{time.Hour, 50_000, CodeOK, MeterNone, 0, 0},
		{time.Hour, 0, CodeRateLimitRequests, MeterDayRequests, 11 * time.Hour, 0}, // 1 of 24 hours gave back a 12th
		{12 * time.Hour, 0, CodeOK, MeterNone, 0, 39_600},
	} {
		plan := p.Admit(s.at, Call{ID: uint64(i), In: s.in})
		if plan.Code != s.code || plan.Refusal.Meter != s.meter || plan.RetryAfter != s.retry || plan.Limits.RemainingTokens != s.tokensLeft {
			t.Errorf("step %d: code %d, meter %d, retry after %v, %d tokens left", i, plan.Code, plan.Refusal.Meter, plan.RetryAfter, plan.Limits.RemainingTokens)
		}
	}
}

// TestOpenAIQuantum: 60 000 requests a minute are 1 000 a second.
func TestOpenAIQuantum(t *testing.T) {
	p := mustNew(t, speaking(DialectOpenAI, Quota{RPM: 60_000, Quantum: ts}))
	admitted := func(now time.Duration) (n int) {
		for p.Admit(now, Call{}).Status == 200 {
			n++
		}
		return n
	}
	if n := admitted(0); n != 1000 {
		t.Errorf("%d at once", n)
	}
	if plan := p.Admit(0, Call{}); plan.RetryAfter != tms || plan.Refusal.Meter != MeterBurst || plan.Code != CodeRateLimitRequests || plan.Limits.RemainingRequests != 59_000 {
		t.Errorf("plan %+v", plan)
	}
	if n := admitted(ts / 2); n != 500 {
		t.Errorf("%d half a second later", n)
	}
}

// TestScopes: a call counts against the project and the organisation, or against neither.
func TestScopes(t *testing.T) {
	cfg := fleet(1, 2)
	cfg.Quotas = []Quota{{Name: "all", Group: "acme", RPM: 3, TPM: 1000}, {Name: "one", TPM: 400}, {Name: "two", TPM: 900}}
	for k := range cfg.Keys {
		cfg.Keys[k].Quotas, cfg.Keys[k].Extra = []int{0}, [][]int{{1 + k}}
	}
	p := mustNew(t, cfg)
	for i, s := range []struct {
		key    int
		in     int64
		code   Code
		quota  int32
		retry  time.Duration
		org    int64 // tokens left
		second int64
		text   string
	}{
		{0, 300, CodeOK, 0, 0, 700, 100, ""},
		{0, 200, CodeRateLimitTokens, 1, 15 * ts, 700, 100, "in project proj_one organization org-one on tokens per min (TPM): Limit 400, Used 300, Requested 200."},
		{0, 500, CodeRequestTooLarge, 1, 0, 700, 100, "Request too large for m in project proj_one"},
		{1, 600, CodeOK, 0, 0, 100, 300, ""},
		{1, 200, CodeRateLimitTokens, 0, 6 * ts, 100, 300, "in organization org-acme on tokens per min (TPM): Limit 1000, Used 900, Requested 200."},
		{1, 100, CodeOK, 0, 0, 0, 200, ""},
		{0, 1, CodeRateLimitRequests, 0, 20 * ts, 0, 100, "requests per min (RPM): Limit 3, Used 3, Requested 1."},
	} {
		c := Call{ID: uint64(i), Key: s.key, In: s.in}
		plan := p.Admit(0, c)
		l := plan.Limits
		if plan.Code != s.code || plan.Refusal.Quota != s.quota || plan.RetryAfter != s.retry || l.RemainingTokens != s.org || l.RemainingSecond != s.second {
			t.Errorf("step %d: plan %+v", i, plan)
		}
		if body := p.ErrorBody(&c, &plan); !strings.Contains(body, s.text) {
			t.Errorf("step %d: %s, want %q in it", i, body, s.text)
		}
		if h := headerMap(p.Headers(&c, &plan)); h["x-ratelimit-remaining-project-tokens"] != number(s.second) {
			t.Errorf("step %d: headers %v", i, h)
		}
	}
	if b := p.Books(); b.Quotas[0].Minutes[0].Tokens != 1000 || b.Quotas[1].Minutes[0].Tokens != 300 || b.Quotas[2].Minutes[0].Tokens != 700 {
		t.Errorf("quotas %+v", b.Quotas)
	}
}

// TestLongPromptsHaveQuotasOfTheirOwn: and models of a family share one.
func TestLongPromptsHaveQuotasOfTheirOwn(t *testing.T) {
	cfg := fleet(2, 1)
	for m := range cfg.Models {
		cfg.Models[m].LongFrom = 128_000
	}
	cfg.Quotas = []Quota{{Name: "short", TPM: 200_000}, {Name: "long", TPM: 400_000}}
	cfg.Keys[0].Quotas, cfg.Keys[0].Long = []int{0, 0}, [][]int{{1}, {1}}
	p := mustNew(t, cfg)
	for i, s := range []struct {
		model int
		in    int64
		code  Code
		left  int64
	}{
		{0, 128_000, CodeOK, 72_000},
		{1, 128_001, CodeOK, 271_999},
		{1, 72_000, CodeOK, 0},
		{0, 200_000, CodeOK, 71_999},
		{0, 1, CodeRateLimitTokens, 0},
	} {
		if plan := p.Admit(0, Call{ID: uint64(i), Model: s.model, In: s.in}); plan.Code != s.code || plan.Limits.RemainingTokens != s.left {
			t.Errorf("step %d: code %d, %d left", i, plan.Code, plan.Limits.RemainingTokens)
		}
	}
}

// TestSpendLimit: bills count when they are made; then nothing helps.
func TestSpendLimit(t *testing.T) {
	for d, want := range map[Dialect]int{DialectOpenAI: 429, DialectAnthropic: 429, DialectGemini: 429, DialectDeepSeek: 402, DialectOpenRouter: 402} {
		cfg := speaking(d, Quota{Spend: 1000})
		cfg.Models[0].Price = Price{Input: 5, Cached: 5, Output: 100, CacheWrite: 5}
		p := mustNew(t, cfg)
		plan := p.Admit(0, Call{In: 100, MaxOut: 5, Out: 5})
		if plan.Status != 200 {
			t.Fatalf("%v: %+v", d, plan)
		}
		p.Complete(plan.End, plan.ID) // 1000
		c := Call{ID: 2, In: 10, MaxOut: 5}
		if plan = p.Admit(time.Hour, c); plan.Status != want || plan.Code != CodeNoCredit || plan.HasRetryAfter || plan.Refusal.Used != 1000 {
			t.Errorf("%v: %+v", d, plan)
		}
		if b := p.Books(); b.Refused != 1 || (b.Keys[0].Refused429 == 1) != (want == 429) {
			t.Errorf("%v: books %+v", d, b)
		}
	}
	p := mustNew(t, withFault(speaking(DialectOpenAI, Quota{}), Fault{Kind: FaultNoCredit, For: ts}))
	var c Call
	plan := p.Admit(0, c)
	if _, kind, code := errorOf(t, p.ErrorBody(&c, &plan)); plan.Status != 429 || kind != "insufficient_quota" || code != "credit_balance_exhausted" || plan.HasRetryAfter {
		t.Errorf("a scripted one: %+v, %s %s", plan, kind, code)
	}
}

func TestOpenAIErrorBodies(t *testing.T) {
	cfg := fleet(2, 1)
	cfg.Models[0].ContextWindow = 1000
	cfg.Quotas[0] = Quota{Group: "X", TPM: 900, Slope: Slope{From: 1}, Spend: 10}
	cfg.Models[0].Price.Input = 1
	cfg.Keys[0].Quotas[1] = -1
	p := mustNew(t, cfg)
	texts := func(c Call) [3]string {
		plan := p.Admit(0, c)
		m, k, code := errorOf(t, p.ErrorBody(&c, &plan))
		return [3]string{m, k, code}
	}
	for name, s := range map[string]struct{ got, want [3]string }{
		"context": {texts(Call{In: 990, MaxOut: 20}), [3]string{"This model's maximum context length is 1000 tokens. However, you requested 1010 tokens (990 in the messages, 20 in the completion).", "invalid_request_error", "context_length_exceeded"}},
		"key":     {texts(Call{Model: 1}), [3]string{"The API key may not use the model m1.", "invalid_request_error", "invalid_api_key"}},
		"large":   {texts(Call{In: 901}), [3]string{"Request too large for m in organization org-X on tokens per min (TPM): Limit 900, Requested 901. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.", "tokens", "rate_limit_exceeded"}},
	} {
		if s.got != s.want {
			t.Errorf("%s: %q, want %q", name, s.got, s.want)
		}
	}
	plan := p.Admit(0, Call{ID: 1, In: 20})
	if got := texts(Call{In: 20}); got[1] != "rate_limit_error" || got[2] != "slow_down" {
		t.Errorf("growing too fast: %q", got)
	}
	p.Complete(plan.End, plan.ID)
	if got := texts(Call{In: 20}); got[1] != "insufficient_quota" || got[2] != "organization_spend_limit_exceeded" {
		t.Errorf("spent: %q", got)
	}
	if plan := p.Admit(plan.End, Call{ID: 9}); p.ErrorBody(&Call{}, &Plan{Status: 200}) != "" || plan.HasRetryAfter {
		t.Errorf("a body for a success, or a useless wait: %+v", plan)
	}
}

package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// headers makes a header of names and values in turn.
func headers(list ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(list); i += 2 {
		h.Add(list[i], list[i+1])
	}
	return h
}

const (
	anthropicRate = `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 50,000 input tokens per minute (org: 1, model: claude-haiku-4-5)."},"request_id":"req_011C"}`
	azureTokens   = `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-05-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 33 seconds."}}`
	geminiHead    = `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[`
	geminiTokens  = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier","quotaValue":"5"},{"quotaId":"GenerateContentInputTokensPerModelPerMinute-FreeTier","quotaValue":"250000"}]}`
	geminiDay     = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}`
	geminiRetry   = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"26s"}`
)

// seen are answers as observed at the vendors, and as the mock words them.
var seen = []struct {
	name   string
	status int
	header http.Header
	body   string
	kind   Kind
	wait   time.Duration // -1: none
}{
	// OpenAI
	{"openai tpm", 429, nil, `{"error":{"message":"Rate limit reached for gpt-4o in organization org-X on tokens per min (TPM): Limit 30000, Used 29937, Requested 385. Please try again in 644ms. Visit https://platform.openai.com/account/rate-limits to learn more.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, RateLimited, 645 * time.Millisecond},
	{"openai rpm, headers", 429, headers("retry-after-ms", "121", "retry-after", "1"), `{"error":{"message":"Rate limit reached for gpt-4o in organization org-X on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in 120ms.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, RateLimited, 121 * time.Millisecond},
	{"openai rpd", 429, nil, `{"error":{"message":"Rate limit reached for m on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s. Visit x","type":"requests","code":"rate_limit_exceeded"}}`, RateLimited, 432*time.Second + time.Millisecond},
	{"openai month", 429, nil, `{"error":{"message":"Rate limit reached. Please try again in 114h18m0s.","type":"tokens","code":"rate_limit_exceeded"}}`, RateLimited, maxWait},
	{"openai too large", 429, nil, `{"error":{"message":"Request too large for gpt-4o in organization org-X on tokens per min (TPM): Limit 30000, Requested 31538. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, TooLarge, -1},
	{"openai slow down", 429, headers("retry-after", "900"), `{"error":{"message":"Your traffic is growing too fast.","type":"rate_limit_error","param":null,"code":"slow_down"}}`, Overloaded, 900 * time.Second},
	{"openai old credit", 429, nil, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, OutOfCredit, -1},
	{"openai credit", 429, headers("retry-after", "1"), `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"credit_balance_exhausted"}}`, OutOfCredit, time.Second},
	{"openai org spend", 429, nil, `{"error":{"message":"x","type":"rate_limit_error","code":"organization_spend_limit_exceeded"}}`, OutOfCredit, -1},
	{"openai project spend", 429, nil, `{"error":{"message":"x","type":null,"code":"project_spend_limit_exceeded"}}`, OutOfCredit, -1},
	{"openai usage", 429, nil, `{"error":{"message":"x","code":"organization_usage_limit_exceeded"}}`, OutOfCredit, -1},
	{"openai key", 401, nil, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, Unauthorized, -1},
	{"openai region", 403, nil, `{"error":{"message":"Country not supported","type":"request_forbidden","code":"unsupported_country_region_territory"}}`, Unauthorized, -1},
	{"openai context", 400, nil, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, BadRequest, -1},
	{"openai conflict", 409, nil, `{"error":{"message":"A request with this idempotency key is still running.","type":"invalid_request_error","param":null,"code":"idempotency_conflict"}}`, ServerError, -1},
	{"openai 500", 500, nil, `{"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}`, ServerError, -1},
	{"openai 503", 503, headers("retry-after", "2"), `{"error":{"message":"The engine is currently overloaded, please try again later","type":"service_unavailable_error","param":null,"code":"server_is_overloaded"}}`, Overloaded, 2 * time.Second},
	// Anthropic
	{"anthropic rate", 429, headers("retry-after", "17", "anthropic-ratelimit-input-tokens-limit", "50000"), anthropicRate, RateLimited, 17 * time.Second},
	{"anthropic rate, by a proxy", 429, nil, anthropicRate, RateLimited, -1},
	{"anthropic too large", 429, headers("anthropic-ratelimit-input-tokens-limit", "50000"), anthropicRate, TooLarge, -1},
	{"anthropic account", 429, headers("anthropic-ratelimit-input-tokens-limit", "50000"), `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."}}`, RateLimited, -1},
	{"anthropic connections", 429, nil, `{"type":"error","error":{"type":"rate_limit_error","message":"Number of concurrent connections has exceeded your rate limit. Please try again later or contact sales"}}`, Overloaded, -1},
	{"anthropic acceleration", 429, headers("retry-after", "30"), `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's acceleration limit: usage has risen too sharply."}}`, Overloaded, 30 * time.Second},
	{"anthropic spend", 429, nil, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's spend limit.","details":{"error_code":"enforced_spend_limit_reached"}}}`, OutOfCredit, -1},
	{"anthropic own cap", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}`, OutOfCredit, -1},
	{"anthropic balance", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, OutOfCredit, -1},
	{"a prompt about credit", 400, nil, `{"error":{"type":"invalid_request_error","message":"messages.0: cannot use \"Your credit balance is too low\""}}`, BadRequest, -1},
	{"anthropic billing", 402, nil, `{"type":"error","error":{"type":"billing_error","message":"x"}}`, OutOfCredit, -1},
	{"anthropic context", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, BadRequest, -1},
	{"anthropic 413", 413, nil, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, TooLarge, -1},
	{"413 by a proxy", 413, nil, "<html>413 Request Entity Too Large</html>", TooLarge, -1},
	{"anthropic 500", 500, nil, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, ServerError, -1},
	{"anthropic 504", 504, nil, `{"type":"error","error":{"type":"timeout_error","message":"Request timed out"}}`, ServerError, -1},
	{"anthropic 529", 529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, Overloaded, -1},
	{"anthropic 529, text", 529, nil, `Overloaded`, Overloaded, -1},
	// Gemini
	{"gemini rate", 429, nil, geminiHead + geminiTokens + `,{"@type":"type.googleapis.com/google.rpc.Help","links":[{"url":"x"}]},` + geminiRetry + `]}}`, RateLimited, 26 * time.Second},
	{"gemini rate, list", 429, nil, "[" + geminiHead + geminiRetry + "]}}\n]", RateLimited, 26 * time.Second},
	{"gemini fraction", 429, nil, geminiHead + `{"retryDelay":"1.5s"}]}}`, RateLimited, 1500 * time.Millisecond},
	{"gemini wait in the text", 429, nil, strings.Replace(geminiHead+geminiTokens+`]}}`, `details."`, `details. Please retry in 12.5s."`, 1), RateLimited, 12500 * time.Millisecond},
	{"gemini wait in both", 429, nil, strings.Replace(geminiHead+geminiRetry+`]}}`, `details."`, `details. Please retry in 25.5s."`, 1), RateLimited, 26 * time.Second},
	{"gemini odd detail", 429, nil, geminiHead + `{"retryDelay":"26s","violations":{},"reason":7}]}}`, RateLimited, 26 * time.Second},
	{"gemini day", 429, nil, geminiHead + geminiDay + `,` + geminiRetry + `]}}`, RateLimited, 26 * time.Second},
	{"gemini too large", 429, nil, geminiHead + geminiTokens + `]}}`, TooLarge, -1},
	{"gemini bare", 429, nil, `{"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}`, RateLimited, -1},
	{"gemini spend", 429, nil, `{"error":{"code":429,"message":"Your project has exceeded its monthly spending cap. Please go to AI Studio at https://ai.studio/spend.","status":"RESOURCE_EXHAUSTED"}}`, OutOfCredit, -1},
	{"gemini credits", 429, nil, `[{"error":{"code":429,"message":"Your prepayment credits are depleted.","status":"RESOURCE_EXHAUSTED"}}]`, OutOfCredit, -1},
	{"gemini 503", 503, nil, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, Overloaded, -1},
	{"gemini key", 400, nil, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`, Unauthorized, -1},
	{"gemini conflict", 409, nil, `{"error":{"code":409,"message":"The operation was aborted: one with the same key is running.","status":"ABORTED"}}`, ServerError, -1},
	{"gemini 504", 504, nil, `{"error":{"code":504,"message":"Deadline expired","status":"DEADLINE_EXCEEDED"}}`, ServerError, -1},
	// DeepSeek
	{"deepseek calls", 429, nil, `{"error":{"message":"Rate Limit Reached","type":"rate_limit_error","param":null,"code":"rate_limit_reached"}}`, Overloaded, -1},
	{"deepseek scripted", 429, headers("retry-after", "3"), `{"error":{"message":"Rate Limit Reached","type":"rate_limit_error","param":null,"code":"rate_limit_reached"}}`, RateLimited, 3 * time.Second},
	{"deepseek balance", 402, nil, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, OutOfCredit, -1},
	{"deepseek key", 401, nil, `{"error":{"message":"Authentication Fails","type":"authentication_error","param":null,"code":"invalid_request_error"}}`, Unauthorized, -1},
	{"deepseek 422", 422, nil, `{"error":{"message":"Invalid Parameters","type":"invalid_request_error"}}`, BadRequest, -1},
	{"deepseek 503", 503, nil, `{"error":{"message":"Server Overloaded","type":"service_unavailable_error","code":"server_overloaded"}}`, Overloaded, -1},
	// Azure
	{"azure tokens", 429, headers("retry-after-ms", "2000", "retry-after", "2", "policy-id", "DeploymentRatelimit-Token"), azureTokens, RateLimited, 2 * time.Second},
	{"azure tokens, by a proxy", 429, nil, azureTokens, RateLimited, 33 * time.Second},
	{"azure tokens, newer text", 429, nil, `{"error":{"code":"429","message":"Your requests to gpt-4.1-nano for gpt-4.1-nano in Sweden Central have exceeded the token rate limit. Please retry after 45 seconds."}}`, RateLimited, 45 * time.Second},
	{"azure gateway, by a proxy", 429, nil, `{"statusCode":429,"message":"Rate limit is exceeded. Try again in 1 second."}`, RateLimited, time.Second},
	{"azure too large", 429, headers("policy-id", "DeploymentRatelimit-Token"), azureTokens, TooLarge, -1},
	{"azure calls", 429, headers("policy-id", "DeploymentRatelimit-Call"), strings.Replace(azureTokens, "token rate", "call rate", 1), RateLimited, -1},
	{"azure gateway", 429, headers("retry-after", "5"), `{"statusCode":429,"message":"Rate limit is exceeded. Try again in 5 seconds."}`, RateLimited, 5 * time.Second},
	{"azure key", 401, nil, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`, Unauthorized, -1},
	{"azure conflict", 409, nil, `{"error":{"code":"409","message":"A request with this key is still running."}}`, ServerError, -1},
	{"azure 500", 500, nil, `{"error":{"code":"InternalServerError","message":"x"}}`, ServerError, -1},
	{"azure 503", 503, nil, `{"error":{"code":"ServiceUnavailable","message":"x"}}`, Overloaded, -1},
	{"azure 404", 404, nil, `{"error":{"code":"DeploymentNotFound","message":"x"}}`, BadRequest, -1},
	// OpenRouter
	{"openrouter minute", 429, nil, `{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-min. ","metadata":{"headers":{"X-RateLimit-Limit":"20","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1796040012345"}}},"user_id":"user_1"}`, RateLimited, 12345 * time.Millisecond},
	{"openrouter header", 429, headers("X-RateLimit-Reset", "1796040001000"), `{"error":{"code":429,"message":"Rate limit exceeded"}}`, RateLimited, time.Second},
	{"openrouter past", 429, headers("X-RateLimit-Reset", "1796030000000"), `{"error":{"code":429,"message":"Rate limit exceeded"}}`, RateLimited, 0},
	{"openrouter upstream", 429, nil, `{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"m is temporarily rate-limited upstream. Please retry shortly.","provider_name":"P"}},"user_id":"user_1"}`, RateLimited, -1},
	{"openrouter credits", 402, nil, `{"error":{"code":402,"message":"This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens."}}`, OutOfCredit, -1},
	{"openrouter moderation", 403, nil, `{"error":{"code":403,"message":"Your input was flagged","metadata":{"reasons":["violence"],"flagged_input":"...","provider_name":"P"}}}`, BadRequest, -1},
	{"openrouter timeout", 408, nil, `{"error":{"code":408,"message":"Provider timed out"}}`, ServerError, -1},
	{"openrouter 502", 502, nil, `{"error":{"code":502,"message":"Provider disconnected unexpectedly"}}`, ServerError, -1},
	{"openrouter 503", 503, nil, `{"error":{"code":503,"message":"No instances available"}}`, Overloaded, -1},
	// What stands between
	{"html", 502, nil, "<html>\n<title>502 Bad Gateway</title>", ServerError, -1},
	{"empty 429", 429, nil, "", RateLimited, -1},
	{"empty 403", 403, nil, "", ServerError, -1},
	{"a firewall", 403, nil, "<!DOCTYPE html><title>Attention Required!</title>", ServerError, -1},
	{"a firewall, JSON", 403, nil, `{"message":"Forbidden"}`, ServerError, -1},
	{"anthropic's edge", 403, nil, `{"error":{"type":"forbidden","message":"Request not allowed"}}`, ServerError, -1},
	{"a 401 of a gateway", 401, nil, "<html>401 Authorization Required</html>", Unauthorized, -1},
	{"openai model", 403, nil, `{"error":{"message":"Project ` + "`proj_1` does not have access to model `gpt-9`" + `","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, BadRequest, -1},
	{"openai model, text alone", 403, nil, `{"error":{"message":"You are not allowed to sample from this model","type":"invalid_request_error","param":null,"code":null}}`, BadRequest, -1},
	{"groq model", 403, nil, `{"error":{"message":"blocked at the organization level","type":"permissions_error","code":"model_permission_blocked_org"}}`, BadRequest, -1},
	{"openai scopes", 403, nil, `{"error":{"message":"You have insufficient permissions for this operation. Missing scopes: model.request.","type":"invalid_request_error","param":null,"code":null}}`, Unauthorized, -1},
	{"anthropic permission", 403, nil, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}`, Unauthorized, -1},
	{"anthropic model", 403, nil, `{"type":"error","error":{"type":"permission_error","message":"You don't have access to the model with the specified model ID."}}`, BadRequest, -1},
	{"text alone", 429, nil, `{"error":"too many"}`, RateLimited, -1},
	{"odd types", 429, nil, `{"error":{"message":["a"],"type":{"a":1},"code":{},"details":7,"metadata":"x","status":[]}}`, RateLimited, -1},
	{"reset of a 503", 503, headers("X-RateLimit-Reset", "1796040001000"), "", Overloaded, -1},
	{"405", 405, nil, "", BadRequest, -1},
}

// Ensure every vendor's errors are understood as their documentation means them.
func TestReadProblem(t *testing.T) {
	for _, c := range seen {
		p := ReadProblem(c.status, c.header, []byte(c.body), noon)
		wait := time.Duration(-1)
		if p.HasRetryAfter {
			wait = p.RetryAfter
		}
		if p.Kind != c.kind || wait != c.wait || p.Status != c.status {
			t.Errorf("%s: %v, wait %v, want %v, wait %v (%v)", c.name, p.Kind, wait, c.kind, c.wait, p)
		}
		if c.body != "" && p.Message == "" {
			t.Errorf("%s: no message of %s", c.name, c.body)
		}
	}
}

// Ensure an error that is found inside a 200 has the kind that it would have outside, wherever its own
// words say which status it stands for.
func TestErrorsInsideAreTheSame(t *testing.T) {
	for _, c := range seen {
		if c.header != nil || !strings.Contains(c.body, `"error":{"`) || strings.Contains(c.name, "odd") {
			continue
		}
		p := inside([]byte(c.body))
		switch c.name {
		case "openai region", "openai org spend", "openai project spend", "openai usage", "deepseek balance", "deepseek key", "azure 404", "groq model",
			"openai model", "openai model, text alone", "openai scopes", "anthropic's edge":
			continue // no status in their words
		}
		if p.Kind != c.kind {
			t.Errorf("%s: %v inside, %v outside", c.name, p.Kind, c.kind)
		}
	}
}

func TestProblemText(t *testing.T) {
	for want, p := range map[string]*Problem{
		"rate_limited (429, tokens, rate_limit_exceeded): slow": ReadProblem(429, nil, []byte(`{"error":{"message":"slow","type":"tokens","code":"rate_limit_exceeded"}}`), noon),
		"server_error (502): <p> bad":                           ReadProblem(502, nil, []byte("<p>\nbad"), noon),
		"broken: cut":                                           broken("cut"),
		"kind 200":                                              {Kind: 200},
	} {
		if got := p.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	long := ReadProblem(500, nil, []byte(`{"error":{"message":"`+strings.Repeat("é", 4000)+`"}}`), noon)
	if len(long.Message) > maxMessage || strings.Trim(long.Message, "é") != "" {
		t.Errorf("a long text became %d bytes, ending in %q", len(long.Message), long.Message[len(long.Message)-4:])
	}
}

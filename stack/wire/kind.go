package wire

import (
	"net/http"
	"slices"
	"strings"
)

// judge finds the kind of an error. Words go before the status where vendors use one status for
// several things. waits: the answer tells a wait.
func (f *fault) judge(h http.Header, waits bool) Kind {
	s := f.status
	switch {
	case s >= 400 && s < 500 && f.credit():
		return OutOfCredit
	case (s == 429 || s >= 500 || s == 0) && f.full(waits):
		return Overloaded
	case s == 429 && f.oversize(h, waits):
		return TooLarge
	case s == 403 && (f.flagged || f.oneModel()):
		return BadRequest
	case s == 403 && f.foreign():
		return ServerError
	case s == 400 && f.reason == "API_KEY_INVALID": // Gemini
		return Unauthorized
	}
	switch s {
	case 401, 403:
		return Unauthorized
	case 402:
		return OutOfCredit
	case 408, 409:
		return ServerError
	case 413:
		return TooLarge
	case 429:
		return RateLimited
	case 503, 529:
		return Overloaded
	}
	if s >= 400 && s < 500 {
		return BadRequest
	}
	return ServerError // and an error inside a 200 that nobody knows
}

// The names of spent credit, and how its texts begin: further on a text may quote the prompt. Gemini's 429
// of a plain rate begins as OpenAI's of spent credit ("You exceeded your current quota"), so that is none.
var (
	creditNames = []string{
		"insufficient_quota", "credit_balance_exhausted", "billing_hard_limit_reached", "billing_not_active", // OpenAI
		"billing_error", "enforced_spend_limit_reached", // Anthropic
	}
	creditTexts = []string{
		"Your credit balance is too low", "You have reached your specified API usage limits", // Anthropic, with 400
		"Your project has exceeded its monthly spending cap", "Your prepayment credits are depleted", // Gemini
	}
)

func (f *fault) credit() bool {
	for _, name := range [...]string{f.kind, f.code, f.reason} {
		if slices.Contains(creditNames, name) ||
			strings.HasSuffix(name, "_spend_limit_exceeded") || strings.HasSuffix(name, "_usage_limit_exceeded") {
			return true
		}
	}
	return slices.ContainsFunc(creditTexts, func(t string) bool { return strings.HasPrefix(f.message, t) })
}

// The names and texts of a provider that is full.
var (
	fullNames = []string{
		"slow_down", "server_is_overloaded", "service_unavailable_error", // OpenAI
		"overloaded_error",  // Anthropic
		"server_overloaded", // DeepSeek
		"UNAVAILABLE",       // Gemini
	}
	fullTexts = []string{"concurrent connections", "acceleration limit"} // Anthropic
)

// full reports whether the error says that there is no room now, whoever asks. DeepSeek has no limit
// per time, so its 429 is about open calls; one that tells a wait was put before it by somebody else.
func (f *fault) full(waits bool) bool {
	if slices.Contains(fullNames, f.kind) || slices.Contains(fullNames, f.code) || slices.Contains(fullNames, f.grpc) {
		return true
	}
	deepSeek := f.code == "rate_limit_reached" || f.message == "Rate Limit Reached"
	return deepSeek && !waits || slices.ContainsFunc(fullTexts, func(t string) bool { return strings.Contains(f.message, t) })
}

// How texts of a 403 name a model. One that only has the word in it may be about the key: "Missing scopes:
// model.request".
var modelTexts = []string{
	"access to model", "access to the model", "access to this model", "access to claude-",
	"from this model", "this model isn't available",
}

// oneModel reports whether the key is refused one model, and not all. Codes about models are OpenAI's
// model_not_found, Groq's model_permission_blocked_org and _project, Anthropic's model_not_allowed.
func (f *fault) oneModel() bool {
	text := strings.ToLower(f.message)
	return strings.HasPrefix(f.code, "model_") || strings.HasPrefix(f.kind, "model_") ||
		slices.ContainsFunc(modelTexts, func(t string) bool { return strings.Contains(text, t) })
}

// foreign reports whether an error is of something that stands before the vendor: it has no vendor's form, or is that
// of Anthropic's edge, which refuses networks ("Request not allowed"), whatever the key.
func (f *fault) foreign() bool { return !f.whole && !f.inside || f.kind == "forbidden" }

// oversize reports whether a 429 is about a request larger than the limit itself. OpenAI says so.
// Others say that tokens per minute were exceeded, and leave out the wait that they tell with
// every limit that time cures. That is taken for a sign only where the vendor's own headers are there, for a
// proxy that drops Retry-After drops these too.
func (f *fault) oversize(h http.Header, waits bool) bool {
	switch {
	case strings.HasPrefix(f.message, "Request too large"):
		return true
	case waits:
		return false
	case first(h, "Anthropic-Ratelimit-Input-Tokens-Limit") != "":
		return strings.Contains(f.message, "input tokens per minute")
	case first(h, "Policy-Id") == "DeploymentRatelimit-Token": // Azure
		return true
	}
	return strings.Contains(f.quota, "InputTokens") // Gemini, which has no header
}

// statuses are what the names of errors stand for. The names of codes go first: OpenAI's
// type of a wrong key is invalid_request_error.
var statuses = map[string]int{
	// OpenAI, DeepSeek
	"invalid_api_key": 401, "idempotency_conflict": 409, "context_length_exceeded": 400, "insufficient_quota": 429,
	"rate_limit_exceeded": 429, "rate_limit_reached": 429, "slow_down": 429, "requests": 429, "tokens": 429,
	"server_error": 500, "server_is_overloaded": 503, "server_overloaded": 503, "service_unavailable_error": 503,
	// Azure
	"InternalServerError": 500, "ServiceUnavailable": 503,
	// Anthropic
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504,
	"overloaded_error": 529,
	// Gemini
	"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403,
	"NOT_FOUND": 404, "ABORTED": 409, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNAVAILABLE": 503,
	"DEADLINE_EXCEEDED": 504,
}

// ownStatus is the status that an error inside a 200 says of itself, or 0.
func (f *fault) ownStatus() int {
	if n, ok := number(f.code); ok && n >= 400 && n < 600 {
		return int(n)
	}
	for _, name := range [...]string{f.code, f.kind, f.grpc} {
		if s := statuses[name]; s != 0 {
			return s
		}
	}
	return 0
}

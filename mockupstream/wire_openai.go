package mockupstream

import (
	"fmt"
	"time"
)

type openAIError struct {
	Error openAIFields `json:"error"`
}

type openAIFields struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func openAIFault(kind, code, message string) openAIError {
	e := openAIError{openAIFields{Message: message, Type: kind}}
	if code != "" {
		e.Error.Code = &code
	}
	return e
}

// rateHeaders are the six headers that OpenAI made, with resets in a format.
func rateHeaders(l *Limits, format func(time.Duration) string) []Header {
	list := make([]Header, 0, headersMost)
	add := func(limit int64, name, value string) {
		if limit > 0 {
			list = append(list, Header{name, value})
		}
	}
	add(l.LimitRequests, "x-ratelimit-limit-requests", number(l.LimitRequests))
	add(l.LimitTokens, "x-ratelimit-limit-tokens", number(l.LimitTokens))
	add(l.LimitRequests, "x-ratelimit-remaining-requests", number(l.RemainingRequests))
	add(l.LimitTokens, "x-ratelimit-remaining-tokens", number(l.RemainingTokens))
	add(l.LimitRequests, "x-ratelimit-reset-requests", format(l.ResetRequests))
	add(l.LimitTokens, "x-ratelimit-reset-tokens", format(l.ResetTokens))
	return list
}

// goDuration is OpenAI's format of a time: "644ms", "4m12.172s", cut off to milliseconds.
func goDuration(d time.Duration) string {
	return d.Truncate(time.Millisecond).String()
}

func openAIHeaders(a answer) []Header {
	l := &a.plan.Limits
	list := rateHeaders(l, goDuration)
	if l.LimitSecond > 0 {
		list = append(
			list,
			Header{"x-ratelimit-limit-project-tokens", number(l.LimitSecond)},
			Header{"x-ratelimit-remaining-project-tokens", number(l.RemainingSecond)},
			Header{"x-ratelimit-reset-project-tokens", goDuration(l.ResetSecond)},
		)
	}
	if a.plan.HasRetryAfter {
		list = append(list, Header{"retry-after-ms", number(a.plan.RetryAfter.Milliseconds())})
	}
	return append(a.retryAfter(list), Header{"x-request-id", "req_" + a.id(32)})
}

func openAIBody(a answer, status int) any {
	switch a.plan.Code {
	case CodeNoCredit:
		return openAINoCredit(a)
	case CodeSlowDown:
		return openAIFault("rate_limit_error", "slow_down", "Your traffic to "+a.model.Name+" is growing too fast. Reduce your request rate to its earlier level, hold it for at least 15 minutes, then raise it slowly.")
	case CodeContextLength:
		window := a.model.ContextWindow
		e := openAIFault("invalid_request_error", "context_length_exceeded", fmt.Sprintf(
			"This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion).",
			window, a.call.In+a.call.MaxOut, a.call.In, a.call.MaxOut))
		param := "messages"
		e.Error.Param = &param
		return e
	}
	switch status {
	case 401:
		return openAIFault("invalid_request_error", "invalid_api_key", "The API key may not use the model "+a.model.Name+".")
	case 409:
		return openAIFault("invalid_request_error", "idempotency_conflict", "A request with this idempotency key is still running.")
	case 429:
		return openAIRate(a)
	case 503, 529:
		return openAIFault("service_unavailable_error", "server_is_overloaded", "The engine is currently overloaded, please try again later.")
	}
	return openAIFault("server_error", "", "The server had an error while processing your request.")
}

func openAINoCredit(a answer) any {
	code := "credit_balance_exhausted"
	if a.quota.Spend > 0 {
		if code = "organization_spend_limit_exceeded"; a.inner {
			code = "project_spend_limit_exceeded"
		}
	}
	return openAIFault("insufficient_quota", code, "You exceeded your current quota, please check your plan and billing details.")
}

// openAIRate is the 429 of a rate. Its wait is the formula's, cut off to milliseconds, as observed.
func openAIRate(a answer) any {
	r := a.plan.Refusal
	kind, limit := "requests", "requests per min (RPM)"
	wait := r.Wait
	switch r.Meter {
	case MeterTokens:
		kind, limit = "tokens", "tokens per min (TPM)"
	case MeterDayRequests:
		limit = "requests per day (RPD)"
	case MeterDayTokens:
		kind, limit = "tokens", "tokens per day (TPD)"
	case MeterNone: // a scripted burst
		r.Limit, r.Used, r.Requested = a.plan.Limits.LimitRequests, a.plan.Limits.LimitRequests, 1
		wait = a.plan.RetryAfter
	}
	where := "organization org-" + a.group()
	if a.inner {
		where = "project proj_" + a.quota.Name + " " + where
	}
	if a.plan.Code == CodeRequestTooLarge {
		return openAIFault(kind, "rate_limit_exceeded", fmt.Sprintf(
			"Request too large for %s in %s on %s: Limit %d, Requested %d. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.",
			a.model.Name, where, limit, r.Limit, r.Requested))
	}
	again := ""
	if a.plan.HasRetryAfter {
		again = " Please try again in " + goDuration(wait) + "."
	}
	return openAIFault(kind, "rate_limit_exceeded", fmt.Sprintf(
		"Rate limit reached for %s in %s on %s: Limit %d, Used %d, Requested %d.%s Visit https://platform.openai.com/account/rate-limits to learn more.",
		a.model.Name, where, limit, r.Limit, r.Used, r.Requested, again))
}

package mockupstream

import (
	"fmt"
	"time"
)

type anthropicError struct {
	Type      string          `json:"type"`
	Error     anthropicFields `json:"error"`
	RequestID string          `json:"request_id"`
}

type anthropicFields struct {
	Type    string            `json:"type"`
	Message string            `json:"message"`
	Details *anthropicDetails `json:"details,omitempty"`
}

type anthropicDetails struct {
	ErrorCode string `json:"error_code"`
}

// thousands rounds to the nearest 1000, as the remaining tokens are told.
func thousands(n int64) int64 { return (n + 500) / 1000 * 1000 }

// anthropicHeaders: "tokens" is input and output together. A reset is the date at which the
// limit is whole again, rounded up to seconds.
func anthropicHeaders(a answer) []Header {
	l := &a.plan.Limits
	list := make([]Header, 0, headersMost)
	add := func(name string, limit, remaining int64, reset time.Duration) {
		if limit == 0 {
			return
		}
		at := a.date(a.plan.At + reset + time.Second - 1).Truncate(time.Second)
		prefix := "anthropic-ratelimit-" + name
		list = append(
			list,
			Header{prefix + "-limit", number(limit)},
			Header{prefix + "-remaining", number(remaining)},
			Header{prefix + "-reset", at.Format(time.RFC3339)},
		)
	}
	input, output := thousands(l.RemainingTokens), thousands(l.RemainingSecond)
	add("requests", l.LimitRequests, l.RemainingRequests, l.ResetRequests)
	add("tokens", l.LimitTokens+l.LimitSecond, input+output, max(l.ResetTokens, l.ResetSecond))
	add("input-tokens", l.LimitTokens, input, l.ResetTokens)
	add("output-tokens", l.LimitSecond, output, l.ResetSecond)
	return append(
		a.retryAfter(list),
		Header{"request-id", "req_011C" + a.id(20)},
		Header{"anthropic-organization-id", uuid(a.group())},
	)
}

func anthropicBody(a answer, status int) any {
	kind, message := anthropicText(a, status)
	e := anthropicError{Type: "error", Error: anthropicFields{Type: kind, Message: message}, RequestID: "req_011C" + a.id(20)}
	if a.plan.Code == CodeNoCredit {
		e.Error.Details = &anthropicDetails{"enforced_spend_limit_reached"}
	}
	return e
}

func anthropicText(a answer, status int) (kind, message string) {
	if a.plan.Code == CodeContextLength {
		return "invalid_request_error", fmt.Sprintf("prompt is too long: %d tokens > %d maximum", a.call.In+a.call.MaxOut, a.model.ContextWindow)
	}
	switch status {
	case 401:
		return "authentication_error", "invalid x-api-key"
	case 409:
		return "invalid_request_error", "a request with this idempotency key is still running"
	case 429:
		return "rate_limit_error", anthropicRate(a)
	case 503, 529:
		return "overloaded_error", "Overloaded"
	case 504:
		return "timeout_error", "Request timed out"
	}
	return "api_error", "Internal server error"
}

func anthropicRate(a answer) string {
	r := &a.plan.Refusal
	limit := ""
	switch r.Meter {
	case MeterRequests, MeterBurst:
		limit = commas(a.plan.Limits.LimitRequests) + " requests per minute"
		if a.inner {
			limit = commas(a.quota.RPM) + " requests per minute"
		}
	case MeterTokens:
		limit = commas(r.Limit) + " input tokens per minute"
	case MeterOutput:
		limit = commas(r.Limit) + " output tokens per minute"
	case MeterConcurrency:
		return "Number of concurrent connections has exceeded your rate limit. Please try again later or contact sales at https://www.anthropic.com/contact-sales to discuss your options for a rate limit increase."
	case MeterSlope:
		return "This request would exceed your organization's acceleration limit: usage of input tokens per minute has risen too sharply. Scale up more gradually."
	case MeterSpend:
		return "This request would exceed your organization's spend limit."
	default:
		return "This request would exceed your account's rate limit. Please try again later."
	}
	return fmt.Sprintf("This request would exceed your organization's rate limit of %s (org: %s, model: %s). For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage.",
		limit, uuid(a.group()), a.model.Name)
}

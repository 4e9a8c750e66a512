package mockupstream

import (
	"fmt"
	"strconv"
)

type geminiError struct {
	Error geminiFields `json:"error"`
}

type geminiFields struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details,omitempty"`
}

type geminiQuotaFailure struct {
	Type       string            `json:"@type"`
	Violations []geminiViolation `json:"violations"`
}

type geminiViolation struct {
	QuotaMetric     string            `json:"quotaMetric"`
	QuotaID         string            `json:"quotaId"`
	QuotaDimensions map[string]string `json:"quotaDimensions"`
	QuotaValue      string            `json:"quotaValue"`
}

type geminiHelp struct {
	Type  string       `json:"@type"`
	Links []geminiLink `json:"links"`
}

type geminiLink struct {
	Description string `json:"description"`
	URL         string `json:"url"`
}

type geminiRetryInfo struct {
	Type       string `json:"@type"`
	RetryDelay string `json:"retryDelay"`
}

// geminiHeaders: there are none about limits.
func geminiHeaders(answer) []Header { return nil }

// geminiLimits are the limits in the order in which they are listed.
var geminiLimits = []struct {
	meter      Meter
	metric, id string
	value      func(*Quota) int64
}{
	{MeterDayRequests, "generate_content_free_tier_requests", "GenerateRequestsPerDayPerProjectPerModel-FreeTier", func(q *Quota) int64 { return q.RPD }},
	{MeterRequests, "generate_content_free_tier_requests", "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", func(q *Quota) int64 { return q.RPM }},
	{MeterTokens, "generate_content_free_tier_input_token_count", "GenerateContentInputTokensPerModelPerMinute-FreeTier", func(q *Quota) int64 { return q.TPM }},
}

func geminiBody(a answer, status int) any {
	e := geminiFields{Code: status}
	switch {
	case a.plan.Code == CodeContextLength:
		e.Status = "INVALID_ARGUMENT"
		e.Message = fmt.Sprintf("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", a.call.In, a.model.ContextWindow)
	case status == 401:
		e.Status, e.Message = "UNAUTHENTICATED", "Request had invalid authentication credentials."
	case status == 409:
		e.Status, e.Message = "ABORTED", "The operation was aborted: one with the same key is running."
	case a.plan.Code == CodeNoCredit: // the text is assumed: none was observed
		e.Status, e.Message = "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."
	case status == 429:
		geminiRate(a, &e)
	case status == 503, status == 529:
		e.Status, e.Message = "UNAVAILABLE", "The model is overloaded. Please try again later."
	case status == 504:
		e.Status, e.Message = "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."
	default:
		e.Status, e.Message = "INTERNAL", "An internal error has occurred."
	}
	return geminiError{e}
}

// geminiRate is a 429. One that names no limit has no details at all.
func geminiRate(a answer, e *geminiFields) {
	e.Status = "RESOURCE_EXHAUSTED"
	r := &a.plan.Refusal
	failure := geminiQuotaFailure{Type: "type.googleapis.com/google.rpc.QuotaFailure"}
	for _, l := range geminiLimits {
		if r.Broken.Has(l.meter) {
			failure.Violations = append(failure.Violations, geminiViolation{
				"generativelanguage.googleapis.com/" + l.metric, l.id,
				map[string]string{"location": "global", "model": a.model.Name},
				number(l.value(a.quota)),
			})
		}
	}
	if failure.Violations == nil && !a.plan.HasRetryAfter {
		e.Message = "Resource has been exhausted (e.g. check quota)."
		return
	}
	const docs = "https://ai.google.dev/gemini-api/docs/rate-limits"
	e.Message = "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: " + docs + "."
	if failure.Violations != nil {
		e.Details = append(e.Details, failure)
	}
	e.Details = append(e.Details, geminiHelp{"type.googleapis.com/google.rpc.Help", []geminiLink{{"Learn more about Gemini API quotas", docs}}})
	if a.plan.HasRetryAfter {
		wait := a.plan.RetryAfter
		if r.Wait > 0 && r.Wait < wait {
			wait = r.Wait
		}
		e.Message += " Please retry in " + strconv.FormatFloat(wait.Seconds(), 'f', -1, 64) + "s."
		e.Details = append(e.Details, geminiRetryInfo{"type.googleapis.com/google.rpc.RetryInfo", number(seconds(a.plan.RetryAfter, 1)) + "s"})
	}
}

package mockupstream

import (
	"fmt"
	"time"
)

type azureError struct {
	Error azureFields `json:"error"`
}

// azureFields: the code is a string, also where it is a status.
type azureFields struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func azureHeaders(a answer) []Header {
	list := rateHeaders(&a.plan.Limits, func(d time.Duration) string { return number(seconds(d, 0)) })
	if a.plan.HasRetryAfter {
		list = append(list, Header{"retry-after-ms", number(a.plan.RetryAfter.Milliseconds())})
	}
	list = a.retryAfter(list)
	if a.plan.Status == 429 {
		policy := "DeploymentRatelimit-Call"
		if a.plan.Refusal.Meter == MeterTokens {
			policy = "DeploymentRatelimit-Token"
		}
		list = append(list, Header{"policy-id", policy})
	}
	return append(list, Header{"apim-request-id", uuid(a.id(32))}, Header{"x-ms-region", "Sweden Central"})
}

func azureBody(a answer, status int) any {
	switch {
	case a.plan.Code == CodeContextLength, a.plan.Code == CodeNoCredit:
		return openAIBody(a, status)
	case status == 401:
		return azureError{azureFields{"401", "Access denied due to invalid subscription key or wrong API endpoint."}}
	case status == 409:
		return azureError{azureFields{"409", "A request with this key is still running."}}
	case status == 429:
		what := "call"
		if a.plan.Refusal.Meter == MeterTokens {
			what = "token"
		}
		wait := int64(60)
		if a.plan.HasRetryAfter {
			wait = seconds(a.plan.RetryAfter, 1)
		}
		return azureError{azureFields{"429", fmt.Sprintf(
			"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-05-01-preview have exceeded %s rate limit of your current OpenAI S0 pricing tier. Please retry after %d seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.",
			what, wait)}}
	case status == 503, status == 529:
		return azureError{azureFields{"ServiceUnavailable", "The service is temporarily unable to process your request. Please try again later."}}
	}
	return azureError{azureFields{"InternalServerError", "The server had an error while processing your request."}}
}

package mockupstream

import (
	"fmt"
	"time"
)

type openRouterError struct {
	Error  openRouterFields `json:"error"`
	UserID string           `json:"user_id,omitempty"`
}

// openRouterFields: the code is the status, as a number.
type openRouterFields struct {
	Code     int    `json:"code"`
	Message  string `json:"message"`
	Metadata any    `json:"metadata,omitempty"`
}

type openRouterUpstream struct {
	Raw          string `json:"raw"`
	ProviderName string `json:"provider_name"`
}

type openRouterLimits struct {
	Headers openRouterLimit `json:"headers"`
}

type openRouterLimit struct {
	Limit     string `json:"X-RateLimit-Limit"`
	Remaining string `json:"X-RateLimit-Remaining"`
	Reset     string `json:"X-RateLimit-Reset"` // ms since 1970
}

type openRouterChunk struct {
	ID      string             `json:"id"`
	Object  string             `json:"object"`
	Created int64              `json:"created"`
	Model   string             `json:"model"`
	Error   openRouterFields   `json:"error"`
	Choices []openRouterChoice `json:"choices"`
}

type openRouterChoice struct {
	Index int `json:"index"`
	Delta struct {
		Content string `json:"content"`
	} `json:"delta"`
	FinishReason       string `json:"finish_reason"`
	NativeFinishReason string `json:"native_finish_reason"`
}

// limit is what a 429 of a limit says of it.
func (a *answer) limit() (openRouterLimit, bool) {
	r := &a.plan.Refusal
	if a.plan.Code != CodeRateLimitRequests || r.Meter == MeterNone {
		return openRouterLimit{}, false
	}
	reset := a.date(a.plan.At + a.plan.RetryAfter + time.Millisecond - 1).UnixMilli()
	return openRouterLimit{number(r.Limit), number(max(0, r.Limit-r.Used)), number(reset)}, true
}

func openRouterHeaders(a answer) []Header {
	if a.plan.Status == 200 {
		return []Header{{"X-Generation-Id", "gen-" + a.id(20)}}
	}
	l, ok := a.limit()
	if !ok {
		return a.retryAfter(nil)
	}
	return []Header{{"X-RateLimit-Limit", l.Limit}, {"X-RateLimit-Remaining", l.Remaining}, {"X-RateLimit-Reset", l.Reset}}
}

func openRouterBody(a answer, status int) any {
	e := openRouterError{Error: openRouterWords(a, status)}
	if status != 401 { // it does not know whose request this is
		e.UserID = "user_" + a.id(16)
	}
	return e
}

func openRouterWords(a answer, status int) openRouterFields {
	e := openRouterFields{Code: status}
	switch {
	case a.plan.Code == CodeContextLength:
		e.Message = fmt.Sprintf("This endpoint's maximum context length is %d tokens. However, you requested about %d tokens.", a.model.ContextWindow, a.call.In+a.call.MaxOut)
	case status == 401:
		e.Message = "No auth credentials found"
	case status == 402:
		e.Message = fmt.Sprintf("This request requires more credits, or fewer max_tokens. You requested up to %d tokens.", a.call.MaxOut)
	case status == 409:
		e.Message = "A request with this key is still running"
	case status == 429:
		l, ours := a.limit()
		if !ours {
			e.Message = "Provider returned error"
			e.Metadata = openRouterUpstream{a.model.Name + " is temporarily rate-limited upstream. Please retry shortly.", a.model.Vendor}
			break
		}
		if e.Message = "Rate limit exceeded: free-models-per-min."; a.plan.Refusal.Meter == MeterDayRequests {
			e.Message = "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day"
		}
		e.Metadata = openRouterLimits{l}
	case status == 503:
		e.Message = "No instances available"
	case status == 504, status == 408:
		e.Message = "Provider timed out"
	case status == 502, status == 529:
		e.Message = "Provider disconnected unexpectedly"
	default:
		e.Message = "Internal Server Error"
	}
	return e
}

// openRouterEvent is the chunk that ends a stream that failed.
func openRouterEvent(a answer, status int) any {
	choice := openRouterChoice{FinishReason: "error", NativeFinishReason: "error"}
	return openRouterChunk{
		ID: "gen-" + a.id(20), Object: "chat.completion.chunk", Created: a.date(a.plan.At).Unix(), Model: a.model.Name,
		Error: openRouterWords(a, status), Choices: []openRouterChoice{choice},
	}
}

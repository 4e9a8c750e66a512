package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Limits is what rate-limit headers say; a field that was not told, or cannot be read, is -1. A reset
// is the time until the limit is whole again, not until the next request may come.
type Limits struct {
	LimitRequests, RemainingRequests int64
	// Prompt tokens with Anthropic, which tells what remains in thousands; prompt and output with others.
	LimitTokens, RemainingTokens            int64
	LimitOutput, RemainingOutput            int64
	ResetRequests, ResetTokens, ResetOutput time.Duration // from 0 to 31 days
	// PlanUsed is how much of a subscription's window is used, in thousandths. It can be above 1000.
	PlanUsed  int64
	ResetPlan time.Duration // until that window begins anew; from 0 to 31 days
}

// maxReset bounds a reset: OpenAI's longest period is a month.
const maxReset = 31 * 24 * time.Hour

// limit is what is told about one limit, or the names of the headers that tell it.
type (
	limit struct {
		limit, remaining int64
		reset            time.Duration
	}
	limitNames struct{ limit, remaining, reset string }
)

var noLimit = limit{-1, -1, -1}

// The headers, by what they limit. Of several limits that are told, the one of which the least remains counts.
var (
	requestLimits = []limitNames{
		{"X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
		{"Anthropic-Ratelimit-Requests-Limit", "Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
		{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"}, // OpenRouter
	}
	tokenLimits = []limitNames{
		{"X-Ratelimit-Limit-Tokens", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
		{"X-Ratelimit-Limit-Project-Tokens", "X-Ratelimit-Remaining-Project-Tokens", "X-Ratelimit-Reset-Project-Tokens"},
		{"Anthropic-Ratelimit-Input-Tokens-Limit", "Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
		{"Anthropic-Ratelimit-Tokens-Limit", "Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
		{"Anthropic-Fast-Input-Tokens-Limit", "Anthropic-Fast-Input-Tokens-Remaining", "Anthropic-Fast-Input-Tokens-Reset"},
	}
	outputLimits = []limitNames{
		{"Anthropic-Ratelimit-Output-Tokens-Limit", "Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset"},
		{"Anthropic-Fast-Output-Tokens-Limit", "Anthropic-Fast-Output-Tokens-Remaining", "Anthropic-Fast-Output-Tokens-Reset"},
	}
	plans = [...]struct{ used, reset string }{
		{"Anthropic-Ratelimit-Unified-5h-Utilization", "Anthropic-Ratelimit-Unified-5h-Reset"},
		{"Anthropic-Ratelimit-Unified-7d-Utilization", "Anthropic-Ratelimit-Unified-7d-Reset"},
	}
)

// azureTokenReset is a misspelt header of Azure's.
const azureTokenReset = "X-Rate-Limit-Reset-Tokens"

// ReadLimits understands the rate-limit headers of any vendor. now is what instants are compared with.
//
//   - OpenAI's x-ratelimit-*, with resets in Go's durations, and Azure's, in whole seconds. The
//     tokens of a project (*-project-tokens) are a second limit: of whichever less remains is told.
//   - Anthropic's anthropic-ratelimit-*, with dates. Its limit of all tokens, which can be the tighter one of a
//     workspace, and those of the fast mode (anthropic-fast-*) stand beside the others as a project's do.
//   - The windows of a subscription (anthropic-ratelimit-unified-5h-* and -7d-*) say a share of something that is
//     not told, which is no count of tokens, so they have fields of their own, for the fuller one.
//   - OpenRouter's X-RateLimit-*, with milliseconds since 1970.
//
// Not read are anthropic-priority-*: what is beyond a priority tier is served as standard, so at 0 nothing
// is limited; anthropic-ratelimit-unified-status and the like, since a call that they refuse has an error that
// says so; and limits of images or audio.
func ReadLimits(h http.Header, now time.Time) Limits {
	requests, all, output := tightest(h, now, requestLimits), tightest(h, now, tokenLimits), tightest(h, now, outputLimits)
	if all.reset < 0 {
		all.reset = reset(h, now, azureTokenReset)
	}
	l := Limits{
		LimitRequests: requests.limit, RemainingRequests: requests.remaining, ResetRequests: requests.reset,
		LimitTokens: all.limit, RemainingTokens: all.remaining, ResetTokens: all.reset,
		LimitOutput: output.limit, RemainingOutput: output.remaining, ResetOutput: output.reset,
		PlanUsed: -1, ResetPlan: -1,
	}
	for _, p := range plans {
		if used := share(first(h, p.used)); used > l.PlanUsed {
			l.PlanUsed, l.ResetPlan = used, reset(h, now, p.reset)
		}
	}
	return l
}

// tightest returns the limit of which the least remains. One that does not say what remains counts if none does.
func tightest(h http.Header, now time.Time, names []limitNames) limit {
	best := noLimit
	for _, n := range names {
		l := limit{count(h, n.limit), count(h, n.remaining), reset(h, now, n.reset)}
		if best == noLimit || l.remaining >= 0 && (best.remaining < 0 || l.remaining < best.remaining) {
			best = l
		}
	}
	return best
}

// first is a header's first value. The name must be canonical: that spares http.Header.Get's check.
func first(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// count reads a number that is not negative.
func count(h http.Header, name string) int64 {
	text := first(h, name)
	if text == "" {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return -1
	}
	return max(n, -1)
}

// share reads a part of 1, in thousandths.
func share(text string) int64 {
	n, ok := number(text)
	if !ok {
		return -1
	}
	return int64(math.Round(min(n*1000, maxTokens)))
}

// reset reads one of Go's durations, a number (seconds, or an instant) or a date.
func reset(h http.Header, now time.Time, name string) time.Duration {
	text := strings.TrimSpace(first(h, name))
	if text == "" {
		return -1
	}
	if d, ok := duration(text); ok {
		return min(d, maxReset)
	}
	if d, ok := until(text, now); ok {
		return min(d, maxReset)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || now.IsZero() {
		return -1
	}
	return min(max(at.Sub(now), 0), maxReset)
}

package wire

import (
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
}

// maxReset bounds a reset: OpenAI's longest period is a month.
const maxReset = 31 * 24 * time.Hour

// ReadLimits understands the rate-limit headers of any vendor: OpenAI's x-ratelimit-*, in Go's durations,
// and Azure's, in whole seconds and with a misspelt one; Anthropic's anthropic-ratelimit-*,
// in dates; OpenRouter's X-RateLimit-*, in milliseconds since 1970. now is what dates
// are compared with. Headers about a part of an account (x-ratelimit-*-project-tokens,
// anthropic-priority-*) are not read.
func ReadLimits(h http.Header, now time.Time) Limits {
	return Limits{
		LimitRequests:     count(h, "X-Ratelimit-Limit-Requests", "Anthropic-Ratelimit-Requests-Limit", "X-Ratelimit-Limit"),
		RemainingRequests: count(h, "X-Ratelimit-Remaining-Requests", "Anthropic-Ratelimit-Requests-Remaining", "X-Ratelimit-Remaining"),
		ResetRequests:     reset(h, now, "X-Ratelimit-Reset-Requests", "Anthropic-Ratelimit-Requests-Reset", "X-Ratelimit-Reset"),
		LimitTokens:       count(h, "X-Ratelimit-Limit-Tokens", "Anthropic-Ratelimit-Input-Tokens-Limit", "Anthropic-Ratelimit-Tokens-Limit"),
		RemainingTokens:   count(h, "X-Ratelimit-Remaining-Tokens", "Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Remaining"),
		ResetTokens:       reset(h, now, "X-Ratelimit-Reset-Tokens", "Anthropic-Ratelimit-Input-Tokens-Reset", "Anthropic-Ratelimit-Tokens-Reset", "X-Rate-Limit-Reset-Tokens"),
		LimitOutput:       count(h, "Anthropic-Ratelimit-Output-Tokens-Limit"),
		RemainingOutput:   count(h, "Anthropic-Ratelimit-Output-Tokens-Remaining"),
		ResetOutput:       reset(h, now, "Anthropic-Ratelimit-Output-Tokens-Reset"),
	}
}

// first is a header's first value. The name must be canonical: that spares http.Header.Get's check.
func first(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// count reads the first of the headers that is there.
func count(h http.Header, names ...string) int64 {
	for _, name := range names {
		if text := first(h, name); text != "" {
			n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			if err != nil {
				return -1
			}
			return max(n, -1)
		}
	}
	return -1
}

// reset reads the first of the headers that is there.
func reset(h http.Header, now time.Time, names ...string) time.Duration {
	for _, name := range names {
		if text := first(h, name); text != "" {
			d, ok := readReset(strings.TrimSpace(text), now)
			if !ok || d < 0 {
				return -1
			}
			return min(d, maxReset)
		}
	}
	return -1
}

// readReset reads one of Go's durations, a number (seconds, or an instant) or a date.
func readReset(text string, now time.Time) (time.Duration, bool) {
	if strings.HasSuffix(text, "s") {
		d, err := time.ParseDuration(text)
		return d, err == nil
	}
	if d, ok := until(text, now); ok {
		return d, true
	}
	at, err := time.Parse(time.RFC3339, text)
	return max(at.Sub(now), 0), err == nil && !now.IsZero()
}

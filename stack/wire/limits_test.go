package wire

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// Ensure the limits of every vendor's headers are read, and what cannot be read is -1.
func TestReadLimits(t *testing.T) {
	none := Limits{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
	for _, c := range []struct {
		name string
		h    http.Header
		want Limits
	}{
		{"none", nil, none},
		{
			"openai", headers(
				"x-ratelimit-limit-requests", "500", "x-ratelimit-limit-tokens", "30000",
				"x-ratelimit-remaining-requests", "499", "x-ratelimit-remaining-tokens", "29996",
				"x-ratelimit-reset-requests", "120ms", "x-ratelimit-reset-tokens", "8ms",
				"x-ratelimit-limit-project-tokens", "7", "x-ratelimit-remaining-project-tokens", "6", "x-ratelimit-reset-project-tokens", "7s"),
			Limits{500, 499, 7, 6, -1, -1, 120 * time.Millisecond, 7 * time.Second, -1, -1, -1},
		},
		{
			"openai, long", headers("x-ratelimit-reset-requests", "6m0s", "x-ratelimit-reset-tokens", "23h18m29.144s"),
			Limits{-1, -1, -1, -1, -1, -1, 6 * time.Minute, 23*time.Hour + 18*time.Minute + 29144*time.Millisecond, -1, -1, -1},
		},
		{
			"azure", headers(
				"x-ratelimit-limit-requests", "120", "x-ratelimit-remaining-requests", "19", "x-ratelimit-reset-requests", "10",
				"x-ratelimit-limit-tokens", "20000", "x-ratelimit-remaining-tokens", "0", "x-rate-limit-reset-tokens", "300"),
			Limits{120, 19, 20000, 0, -1, -1, 10 * time.Second, 300 * time.Second, -1, -1, -1},
		},
		{
			"azure, nothing", headers("x-ratelimit-remaining-requests", "-1", "x-ratelimit-remaining-tokens", "-1", "x-ratelimit-reset-tokens", "0", "x-ratelimit-reset-requests", "-1"),
			Limits{-1, -1, -1, -1, -1, -1, -1, 0, -1, -1, -1},
		},
		{
			"anthropic", headers(
				"anthropic-ratelimit-requests-limit", "50", "anthropic-ratelimit-requests-remaining", "49", "anthropic-ratelimit-requests-reset", "2026-11-30T12:00:02Z",
				"anthropic-ratelimit-tokens-limit", "38000", "anthropic-ratelimit-tokens-remaining", "36000", "anthropic-ratelimit-tokens-reset", "2026-11-30T12:01:00Z",
				"anthropic-ratelimit-input-tokens-limit", "30000", "anthropic-ratelimit-input-tokens-remaining", "28000", "anthropic-ratelimit-input-tokens-reset", "2026-11-30T12:00:04Z",
				"anthropic-ratelimit-output-tokens-limit", "8000", "anthropic-ratelimit-output-tokens-remaining", "8000", "anthropic-ratelimit-output-tokens-reset", "2026-11-30T11:59:59Z"),
			Limits{50, 49, 30000, 28000, 8000, 8000, 2 * time.Second, 4 * time.Second, 0, -1, -1},
		},
		{
			"anthropic, tokens alone", headers("anthropic-ratelimit-tokens-limit", "38000", "anthropic-ratelimit-tokens-remaining", "36000", "anthropic-ratelimit-tokens-reset", "2026-11-30T12:01:00Z"),
			Limits{-1, -1, 38000, 36000, -1, -1, -1, time.Minute, -1, -1, -1},
		},
		{
			"openai, a project with more left", headers(
				"x-ratelimit-limit-tokens", "30000", "x-ratelimit-remaining-tokens", "5", "x-ratelimit-reset-tokens", "8ms",
				"x-ratelimit-limit-project-tokens", "70000", "x-ratelimit-remaining-project-tokens", "6", "x-ratelimit-reset-project-tokens", "7s"),
			Limits{-1, -1, 30000, 5, -1, -1, -1, 8 * time.Millisecond, -1, -1, -1},
		},
		{
			"openai, a project alone", headers("x-ratelimit-limit-project-tokens", "9", "x-ratelimit-remaining-project-tokens", "0", "x-ratelimit-reset-project-tokens", "7s"),
			Limits{-1, -1, 9, 0, -1, -1, -1, 7 * time.Second, -1, -1, -1},
		},
		{
			"openai, a limit without a rest", headers("x-ratelimit-limit-tokens", "30000", "x-ratelimit-remaining-project-tokens", "6"),
			Limits{-1, -1, -1, 6, -1, -1, -1, -1, -1, -1, -1},
		},
		{
			"anthropic, a workspace's limit", headers(
				"anthropic-ratelimit-input-tokens-limit", "30000", "anthropic-ratelimit-input-tokens-remaining", "28000",
				"anthropic-ratelimit-tokens-limit", "10000", "anthropic-ratelimit-tokens-remaining", "1000", "anthropic-ratelimit-tokens-reset", "2026-11-30T12:00:54Z"),
			Limits{-1, -1, 10000, 1000, -1, -1, -1, 54 * time.Second, -1, -1, -1},
		},
		{
			"anthropic, fast", headers(
				"anthropic-ratelimit-input-tokens-limit", "30000", "anthropic-ratelimit-input-tokens-remaining", "28000",
				"anthropic-fast-input-tokens-limit", "100000", "anthropic-fast-input-tokens-remaining", "0", "anthropic-fast-input-tokens-reset", "2026-11-30T12:01:00Z",
				"anthropic-fast-output-tokens-limit", "9000", "anthropic-fast-output-tokens-remaining", "8000", "anthropic-fast-output-tokens-reset", "2026-11-30T12:00:06Z"),
			Limits{-1, -1, 100000, 0, 9000, 8000, -1, time.Minute, 6 * time.Second, -1, -1},
		},
		{
			"anthropic, priority", headers(
				"anthropic-ratelimit-input-tokens-limit", "30000", "anthropic-ratelimit-input-tokens-remaining", "28000",
				"anthropic-priority-input-tokens-limit", "10000", "anthropic-priority-input-tokens-remaining", "0", "anthropic-priority-input-tokens-reset", "2026-11-30T12:01:00Z"),
			Limits{-1, -1, 30000, 28000, -1, -1, -1, -1, -1, -1, -1},
		},
		{
			"anthropic, a subscription", headers(
				"anthropic-ratelimit-unified-status", "allowed", "anthropic-ratelimit-unified-5h-utilization", "0.42", "anthropic-ratelimit-unified-5h-reset", "1796043600",
				"anthropic-ratelimit-unified-7d-utilization", "0.3", "anthropic-ratelimit-unified-7d-reset", "1796300000"),
			Limits{-1, -1, -1, -1, -1, -1, -1, -1, -1, 420, time.Hour},
		},
		{
			"anthropic, the week is fuller", headers("anthropic-ratelimit-unified-5h-utilization", "0.0", "anthropic-ratelimit-unified-7d-utilization", "1.01", "anthropic-ratelimit-unified-7d-reset", "2026-11-30T13:00:00Z"),
			Limits{-1, -1, -1, -1, -1, -1, -1, -1, -1, 1010, time.Hour},
		},
		{
			"openrouter", headers("X-RateLimit-Limit", "20", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1796040030000"),
			Limits{20, 0, -1, -1, -1, -1, 30 * time.Second, -1, -1, -1, -1},
		},
		{
			"malformed", headers(
				"x-ratelimit-limit-requests", "many", "x-ratelimit-limit-tokens", "1e5", "x-ratelimit-remaining-requests", "99999999999999999999",
				"x-ratelimit-remaining-tokens", "-5", "x-ratelimit-reset-requests", "soon", "x-ratelimit-reset-tokens", "-3s",
				"anthropic-ratelimit-output-tokens-limit", "", "anthropic-ratelimit-output-tokens-reset", "2026-11-30",
				"anthropic-ratelimit-unified-5h-utilization", "-0.5", "anthropic-ratelimit-unified-7d-utilization", "NaN"),
			none,
		},
		{
			"huge", headers("x-ratelimit-reset-requests", "99999h0m0s", "anthropic-ratelimit-input-tokens-reset", "9999-01-01T00:00:00Z"),
			Limits{-1, -1, -1, -1, -1, -1, maxReset, maxReset, -1, -1, -1},
		},
	} {
		if got := ReadLimits(c.h, noon); got != c.want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

// Ensure the names that are looked up without a check are the ones that a header has.
func TestHeaderNamesAreCanonical(t *testing.T) {
	names := []string{"Retry-After-Ms", "Retry-After", "X-Ratelimit-Reset", "Policy-Id", "Anthropic-Ratelimit-Input-Tokens-Limit", azureTokenReset}
	for _, list := range [][]limitNames{requestLimits, tokenLimits, outputLimits} {
		for _, n := range list {
			names = append(names, n.limit, n.remaining, n.reset)
		}
	}
	for _, p := range plans {
		names = append(names, p.used, p.reset)
	}
	for _, name := range names {
		if c := http.CanonicalHeaderKey(name); c != name {
			t.Errorf("%s is %s", name, c)
		}
	}
}

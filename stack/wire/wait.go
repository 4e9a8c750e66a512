package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait bounds a wait that is told: one of years is a fault of the header. It is as long
// as the longest honest one, a limit per day.
const maxWait = 24 * time.Hour

// wait finds how long the answer says to wait; h may be nil, now may be zero if dates cannot
// be told from waits.
func (f *fault) wait(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := longest(h["Retry-After-Ms"], func(text string) (time.Duration, bool) { return span(text, time.Millisecond) }); ok {
		return d, true
	}
	if d, ok := longest(h["Retry-After"], func(text string) (time.Duration, bool) { return retryAfter(text, now) }); ok {
		return d, true
	}
	if text, ok := strings.CutSuffix(f.delay, "s"); ok { // a google.protobuf.Duration in JSON
		if d, ok := span(text, time.Second); ok {
			return d, true
		}
	}
	if f.status != 429 {
		return 0, false
	}
	for _, text := range [...]string{f.reset, first(h, "X-Ratelimit-Reset")} {
		if d, ok := until(text, now); ok {
			return min(d, maxWait), true
		}
	}
	return f.prose()
}

// longest reads all values of a header. Two that differ were set by two servers, and both must
// be content.
func longest(values []string, read func(string) (time.Duration, bool)) (most time.Duration, ok bool) {
	for _, text := range values {
		if d, is := read(text); is {
			most, ok = max(most, d), true
		}
	}
	return most, ok
}

// retryAfter reads seconds, several of them joined by a proxy ("120, 120"), or a date.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if at, err := http.ParseTime(text); err == nil && !now.IsZero() {
		return min(max(at.Sub(now), 0), maxWait), true
	}
	most, ok := time.Duration(0), true
	for part := range strings.SplitSeq(text, ",") {
		d, is := span(part, time.Second)
		most, ok = max(most, d), ok && is
	}
	return most, ok
}

// span reads a number of units that is not negative; at most maxWait.
func span(text string, unit time.Duration) (time.Duration, bool) {
	n, ok := number(text)
	if !ok {
		return 0, false
	}
	if n = math.Round(n * float64(unit)); n > float64(maxWait) {
		return maxWait, true
	}
	return time.Duration(n), true
}

// number reads a decimal number that is not negative; one too large for a float64 is +Inf. Other
// things that Go takes for numbers (NaN, hexadecimal, signs, underscores) are none.
func number(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil || math.IsInf(n, 1)
}

// Numbers from which a reset is an instant, in seconds or in milliseconds since 1970, and at
// which it is none any more.
const (
	fromSeconds = 1e9  // 2001; as a wait it would be 31 years
	fromMillis  = 1e11 // 1973; as seconds the year 5138
	endOfTime   = 1e14 // the year 5138
)

// until reads an instant since 1970, or seconds from now. A told millisecond is the one in which the
// wait ends, so that now counts as the next whole one: a mock that rounds the
// instant up gets its own wait back.
func until(text string, now time.Time) (time.Duration, bool) {
	n, ok := number(text)
	switch {
	case !ok || n >= endOfTime:
		return 0, false
	case n < fromSeconds:
		return time.Duration(math.Round(n * 1e9)), true
	case now.IsZero():
		return 0, false
	case n < fromMillis:
		n *= 1e3
	}
	at := now.Add(time.Millisecond - 1).UnixMilli()
	return time.Duration(max(int64(n)-at, 0)) * time.Millisecond, true
}

// prose reads OpenAI's "Please try again in 644ms." It is cut off to milliseconds, so the truth is
// up to one more.
func (f *fault) prose() (time.Duration, bool) {
	_, text, found := strings.Cut(f.message, "Please try again in ")
	if !found {
		return 0, false
	}
	text, _, _ = strings.Cut(text, " ")
	d, err := time.ParseDuration(strings.TrimRight(text, ".,;"))
	if err != nil || d < 0 {
		return 0, false
	}
	return min(d+time.Millisecond, maxWait), true
}

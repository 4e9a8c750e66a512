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

// wait finds how long the answer says to wait; h may be nil, now may be zero if instants cannot
// be told from waits.
func (f *fault) wait(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := headerWait(h, now); ok {
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
	return f.prose(h)
}

// headerWait reads the two headers. Retry-After has whole seconds, and 1 for what is less; beyond
// that, the longer one counts, for an earlier retry fails at the one who told it.
func headerWait(h http.Header, now time.Time) (time.Duration, bool) {
	exact, isExact := longest(h["Retry-After-Ms"], time.Millisecond, now)
	d, ok := longest(h["Retry-After"], time.Second, now)
	if isExact && (!ok || d <= exact+time.Second) {
		return exact, true
	}
	return d, ok
}

// longest reads all values of a header. Two that differ were set by two servers, and both must
// be content.
func longest(values []string, unit time.Duration, now time.Time) (most time.Duration, ok bool) {
	for _, text := range values {
		if d, is := retryAfter(text, unit, now); is {
			most, ok = max(most, d), true
		}
	}
	return most, ok
}

// retryAfter reads one wait, or several of them joined by a proxy ("120, 120").
func retryAfter(text string, unit time.Duration, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if at, err := http.ParseTime(text); err == nil { // which has a comma, too
		return from(now, at)
	}
	most, ok := time.Duration(0), true
	for part := range strings.SplitSeq(decimalPoint(text), ",") {
		d, is := oneWait(strings.TrimSpace(part), unit, now)
		most, ok = max(most, d), ok && is
	}
	return most, ok
}

// decimalPoint turns the comma of "1,5" into a point. One digit behind the only comma, and no blank, are taken
// for a fraction; anything else is a list, which gives the longer wait.
func decimalPoint(text string) string {
	n := len(text) - 2
	if n <= 0 || strings.IndexByte(text, ',') != n {
		return text
	}
	return text[:n] + "." + text[n+1:]
}

// oneWait reads a number of units, an instant since 1970 (no wait is so long), one of Go's durations or a
// date of RFC 3339.
func oneWait(text string, unit time.Duration, now time.Time) (time.Duration, bool) {
	if n, ok := number(text); ok && n >= fromSeconds && n < endOfTime {
		d, ok := until(text, now)
		return min(d, maxWait), ok
	}
	if d, ok := span(text, unit); ok {
		return d, true
	}
	if d, ok := duration(text); ok {
		return min(d, maxWait), true
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, false
	}
	return from(now, at)
}

// from is the wait from now until an instant; there is none if now is unknown.
func from(now, at time.Time) (time.Duration, bool) {
	if now.IsZero() {
		return 0, false
	}
	return min(max(at.Sub(now), 0), maxWait), true
}

// duration reads one of Go's durations that has no sign.
func duration(text string) (time.Duration, bool) {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
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
	fromSeconds = 1e9  // 2001; as a wait it would be 31 years, or 11 days in milliseconds
	fromMillis  = 1e11 // 1973; as seconds the year 5138
	endOfTime   = 1e14 // the year 5138
)

// until reads an instant since 1970, or seconds from now. A told millisecond is the one in which the
// wait ends, so that now counts as the next whole one: a mock that rounds the
// instant up gets its own wait back. The result is at most 31 years.
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
	return time.Duration(min(max(int64(n)-at, 0), fromSeconds*1000)) * time.Millisecond, true
}

// Where the texts of a 429 tell a wait, each without its first letter, which may be a capital one: OpenAI's
// "Please try again in 644ms.", which is cut off to milliseconds, so that the truth is up to one more; Azure's
// "Try again in 5 seconds." and "Please retry after 45 seconds."; Gemini's "Please retry in 12.5s."
var waitTexts = [...]struct {
	before string
	cutOff time.Duration
}{{"ry again in ", time.Millisecond}, {"etry after ", 0}, {"etry in ", 0}}

// prose reads the wait that a text tells. Azure's seconds only repeat its Retry-After. Where other headers of
// Azure's are without one, or in the middle of a stream, the text has no wait of its own to tell.
func (f *fault) prose(h http.Header) (time.Duration, bool) {
	for _, t := range waitTexts {
		_, text, found := strings.Cut(f.message, t.before)
		if !found {
			continue
		}
		word, rest, _ := strings.Cut(text, " ")
		if strings.HasPrefix(rest, "second") && !f.inside && first(h, "Policy-Id") == "" {
			return span(word, time.Second)
		}
		if d, ok := duration(strings.TrimRight(word, ".,;")); ok {
			return min(d+t.cutOff, maxWait), true
		}
	}
	return 0, false
}

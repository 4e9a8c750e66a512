package wire

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kind says what went wrong, in the words a client decides by. Three that could be another one:
//
//   - A prompt beyond the model's window is a BadRequest, as its status 400 says. A 413 (too many bytes), and a
//     429 about a request larger than the limit, are TooLarge. Neither is retried.
//   - A 403 about one model (model_not_found, "does not have access to model") is a BadRequest, since
//     the key is good for others.
//   - A 403 whose body is no vendor's error, such as a firewall's page, is a ServerError, because a key must not
//     die of what did not come from its vendor: the call is tried again, within the bounds of all
//     retries. A 401 is about the key whoever words it: HTTP says so.
type Kind uint8

// Kinds of problems.
const (
	None         Kind = iota
	RateLimited       // 429 that names a rate
	Overloaded        // 503, 529, 429 about concurrency or growth: the provider is full
	OutOfCredit       // 402, or a 429 or 400 about credit or spend
	Unauthorized      // 401, and a 403 in a vendor's form that is not about a model or a prompt: the key is dead
	BadRequest        // 400, 404, 405, 422 and other 4xx: never retried
	TooLarge          // larger than the limit itself: never retried
	ServerError       // 5xx, 408, 409, a 403 that no vendor wrote: unknown whether it was carried out
	Broken            // the answer cannot be read, or ended without its last event
	NumKinds
)

var kindNames = [NumKinds]string{
	"none", "rate_limited", "overloaded", "out_of_credit", "unauthorized", "bad_request", "too_large", "server_error",
	"broken",
}

// String returns the kind's name in snake case.
func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Problem is an answer that is an error, or an error inside an answer.
type Problem struct {
	Kind   Kind
	Status int // HTTP status, or what an error inside a 200 says of itself; 0: unknown
	// RetryAfter is the wait that was told, from 0 to 24 h; HasRetryAfter tells 0 from absent.
	RetryAfter    time.Duration
	HasRetryAfter bool
	Type, Code    string // as the vendor names it
	// Message is the vendor's text on one line, cut to 1000 bytes. Vendors quote prompts in it, and
	// some quote keys, so whoever logs it takes the key out first.
	Message string
}

// Error says kind, status, the vendor's names and text.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Kind.String())
	sep := " ("
	for _, word := range []string{statusText(p.Status), p.Type, p.Code} {
		if word != "" {
			b.WriteString(sep)
			b.WriteString(word)
			sep = ", "
		}
	}
	if sep == ", " {
		b.WriteByte(')')
	}
	if p.Message != "" {
		b.WriteString(": ")
		b.WriteString(p.Message)
	}
	return b.String()
}

func statusText(status int) string {
	if status == 0 {
		return ""
	}
	return strconv.Itoa(status)
}

// ReadProblem understands an answer with a status of 400 or more, of any vendor; body may be
// anything.
//
// The wait is that of the first of these that can be read: retry-after-ms and Retry-After, Gemini's
// RetryInfo, OpenRouter's X-RateLimit-Reset of a 429, and what the text of a 429 says ("Please try again in
// 644ms"). Of two headers that differ by more than a second, to which one of them is rounded, the longer one
// counts. Both hold a number, one of Go's durations, or an instant: a date or a number since 1970. now is what
// instants are compared with. The answer's Date is not used for that, because it is in whole seconds and a mock in
// virtual time has none; who mistrusts their own clock passes the Date as now, and waits up to a
// second longer. x-should-retry is not heeded: it says what a vendor's SDK should do with
// the status, and the kind says more.
func ReadProblem(status int, h http.Header, body []byte, now time.Time) *Problem {
	f := readFault(body)
	f.status = status
	return f.problem(h, now)
}

// broken is the problem of an answer that is no answer.
func broken(why string) *Problem { return &Problem{Kind: Broken, Message: clean(why)} }

// failed is the problem of an answer that says that it failed, and not why.
func failed() *Problem {
	return &Problem{Kind: ServerError, Message: "the answer ended with finish_reason error"}
}

// inside is the problem of an error inside a 200: an error object, or what is around it.
func inside(raw []byte) *Problem {
	f := readFault(raw)
	return f.inner()
}

func (f *fault) inner() *Problem {
	f.status, f.inside = f.ownStatus(), true
	return f.problem(nil, time.Time{})
}

func (f *fault) problem(h http.Header, now time.Time) *Problem {
	p := &Problem{Status: f.status, Type: f.kind, Code: f.code, Message: f.message}
	p.RetryAfter, p.HasRetryAfter = f.wait(h, now)
	p.Kind = f.judge(h, p.HasRetryAfter)
	return p
}

// maxMessage bounds a vendor's text, in bytes.
const maxMessage = 1000

// clean makes a text fit for a line of a log.
func clean(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxMessage)], "")
	text = strings.Map(func(c rune) rune {
		if control(c) {
			return ' '
		}
		return c
	}, text)
	return strings.TrimSpace(text)
}

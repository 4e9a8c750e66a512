package wire

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func checkUsage(t *testing.T, u Usage) {
	t.Helper()
	if u.In < 0 || u.Out < 0 || u.Cached < 0 || u.Cached > u.In {
		t.Fatalf("usage %+v", u)
	}
}

func checkProblem(t *testing.T, p *Problem) {
	t.Helper()
	if p.Kind == None || p.Kind >= NumKinds || p.RetryAfter < 0 || p.RetryAfter > maxWait || !p.HasRetryAfter && p.RetryAfter != 0 {
		t.Fatalf("%+v", p)
	}
	if !utf8.ValidString(p.Message) || strings.ContainsAny(p.Message, "\r\n\x00") || len(p.Message) > maxMessage {
		t.Fatalf("message %q", p.Message)
	}
	if p.Error() == "" {
		t.Fatal("no text")
	}
}

// FuzzStream: any bytes in any pieces give what they give as a whole, and a problem unless the
// terminal event is among them.
func FuzzStream(f *testing.F) {
	for _, s := range noise {
		f.Add([]byte(s), uint8(0), uint16(3))
		f.Add([]byte(s), uint8(1), uint16(1))
	}
	f.Add([]byte(openAIHead+openAIHi+openAIStop+openAIUsed+openAIDone), uint8(0), uint16(5))
	f.Add([]byte(anthropicHead+anthropicHi+anthropicUsed+anthropicDone), uint8(1), uint16(5))
	f.Fuzz(func(t *testing.T, in []byte, format uint8, size uint16) {
		fm := Format(format % 2)
		want := read(fm, string(in))
		var pieces []string
		for rest := string(in); rest != ""; {
			n := min(int(size)+1, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got := read(fm, pieces...); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		checkUsage(t, want.reply.Usage)
		if want.problem != (Problem{}) {
			checkProblem(t, &want.problem)
		} else if !bytes.Contains(in, []byte("[DONE]")) && !bytes.Contains(in, []byte(`message`)) && !bytes.Contains(in, []byte(`\u`)) {
			t.Fatalf("whole without a last event: %q", in)
		}
	})
}

// FuzzReadProblem: any answer is a problem of some kind, with a wait in its bounds.
func FuzzReadProblem(f *testing.F) {
	for _, c := range seen {
		f.Add(c.status, c.body, first(c.header, "Retry-After"), first(c.header, "X-Ratelimit-Reset"))
	}
	for _, text := range []string{"1e400", "120, 120", "Mon, 30 Nov 2026 12:00:30 GMT", "-1", "NaN", "90000000000000", "1,5", "1.5s", "2026-11-30T12:00:30Z"} {
		f.Add(429, "", text, text)
	}
	f.Fuzz(func(t *testing.T, status int, body, header, reset string) {
		h := http.Header{"Retry-After": {header}, "Retry-After-Ms": {reset}, "X-Ratelimit-Reset": {reset}}
		checkProblem(t, ReadProblem(status, h, []byte(body), noon))
		checkProblem(t, ReadProblem(status, nil, []byte(body), noon))
		checkProblem(t, inside([]byte(body)))
	})
}

// FuzzReadReply: any body is a reply or a problem.
func FuzzReadReply(f *testing.F) {
	for _, s := range []string{
		openAIWhole, deepSeekWhole, anthropicWhole, "", "\n\n{", `{"error":{"code":502,"message":"x"}}`, `[{"error":"x"}]`,
		`{"id":7,"choices":[{"index":0.0,"message":{"content":[{"type":"text","text":"a"},"b"],"tool_calls":{}}}],"usage":{"prompt_tokens":3e300}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, fm := range []Format{OpenAI, Anthropic} {
			r, p := fm.ReadReply(body)
			checkUsage(t, r.Usage)
			if p != nil {
				checkProblem(t, p)
			} else if !bytes.Contains(body, []byte{'{'}) {
				t.Fatalf("%q is a reply: %+v", body, r)
			}
		}
	})
}

// FuzzReadLimits: any headers give numbers from -1 on and resets in their bounds.
func FuzzReadLimits(f *testing.F) {
	for _, s := range []string{"500", "-1", "6m0s", "8ms", "2026-11-30T12:00:02Z", "1796040030000", "1e9", "9223372036854775808", "-3s", ""} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, number, reset string) {
		for _, prefix := range []string{"X-Ratelimit-%-Requests", "X-Ratelimit-%-Tokens", "X-Ratelimit-%", "Anthropic-Ratelimit-Output-Tokens-%", "Anthropic-Ratelimit-Unified-5h-%"} {
			h := http.Header{}
			for _, what := range []string{"Limit", "Remaining", "Utilization"} {
				h[strings.ReplaceAll(prefix, "%", what)] = []string{number}
			}
			h[strings.ReplaceAll(prefix, "%", "Reset")] = []string{reset}
			l := ReadLimits(h, noon)
			if min(l.LimitRequests, l.RemainingRequests, l.LimitTokens, l.RemainingTokens, l.LimitOutput, l.RemainingOutput, l.PlanUsed) < -1 {
				t.Fatalf("%+v", l)
			}
			for _, d := range []time.Duration{l.ResetRequests, l.ResetTokens, l.ResetOutput, l.ResetPlan} {
				if d < -1 || d > maxReset {
					t.Fatalf("%+v", l)
				}
			}
		}
	})
}

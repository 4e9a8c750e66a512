package mockupstream

import (
	"net/http"
	"strings"
	"testing"
)

// BenchmarkCodec is the codec's part of a request: all of one that is no stream, and an event of a stream.
func BenchmarkCodec(b *testing.B) {
	short := `{"model":"gpt","messages":[{"role":"user","content":"Say greeting."}]}`
	long := `{"model":"gpt","messages":[{"role":"user","content":"` + strings.Repeat(words, 125) + `"}]}`
	for _, kind := range []struct{ name, body, call string }{
		{"short", short, ""},
		{"8k tokens", long, ""},
		{"called", short, "id=1f;try=1;in=8000;max=512;out=300;conv=9a;prefix=7000"},
	} {
		b.Run(kind.name, func(b *testing.B) {
			f := newFront(b, DialectOpenAI)
			r := f.request("/v1/chat/completions", "")
			if kind.call != "" {
				r.Header.Set(CallHeader, kind.call)
			}
			body := []byte(kind.body)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				a, page := f.codec.Read(0, r, body)
				if page != nil {
					b.Fatalf("%s", page.Body)
				}
				plan := f.p.Admit(0, a.Call)
				used := f.p.Usage(plan.ID)
				f.codec.Head(make(http.Header, 12), &a, &plan)
				dst = f.codec.Body(dst[:0], &a, &plan, used)
				f.p.Complete(plan.End, plan.ID)
			}
		})
	}
	for _, kind := range []struct{ name, path string }{
		{"tokens/openai", "/v1/chat/completions"}, {"tokens/anthropic", "/v1/messages"}, {"tokens/gemini", "/v1beta/models/gpt:streamGenerateContent?alt=sse"},
	} {
		b.Run(kind.name, func(b *testing.B) {
			f := newFront(b, DialectOpenAI)
			a, plan, _ := f.call(kind.path, `{"model":"gpt","stream":true,"max_tokens":99,"messages":[{"role":"user","content":"Hi"}],"contents":[{"parts":[{"text":"Hi"}]}]}`)
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				dst = f.codec.Tokens(dst[:0], &a, &plan, 7, 9)
			}
		})
	}
}

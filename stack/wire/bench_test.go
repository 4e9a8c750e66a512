package wire

import (
	"context"
	"strings"
	"testing"
)

// prompt32K is a prompt of 32 KB of code and prose, with the escapes that these have.
func prompt32K() *Prompt {
	line := "\tif err := c.take(\"next\"); err != nil { // größer als gedacht, a line of a file like any other\n"
	return ask(strings.Repeat(line, 32<<10/len(line)))
}

func BenchmarkNew(b *testing.B) {
	p := prompt32K()
	for _, f := range []Format{OpenAI, Anthropic} {
		b.Run(f.String(), func(b *testing.B) {
			r := Request{BaseURL: "https://api.openai.com/v1", Model: "gpt-4o", MaxOut: 1000, Stream: true, Prompt: p, Secret: "sk-1"}
			b.SetBytes(32 << 10)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.New(context.Background(), &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadReply(b *testing.B) {
	body := []byte(strings.Replace(openAIWhole, `"hi"`, `"`+strings.Repeat("a line of prose\\n", 128)+`"`, 1))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, p := OpenAI.ReadReply(body); p != nil {
			b.Fatal(p)
		}
	}
}

// BenchmarkStream is a stream of 100 chunks; ns/op is of all of them.
func BenchmarkStream(b *testing.B) {
	for _, c := range []struct {
		f    Format
		text string
	}{
		{OpenAI, openAIHead + strings.Repeat(openAIHi, 100) + openAIStop + openAIUsed + openAIDone},
		{Anthropic, anthropicHead + strings.Repeat(anthropicHi, 100) + anthropicUsed + anthropicDone},
	} {
		b.Run(c.f.String(), func(b *testing.B) {
			pieces := strings.SplitAfter(c.text, "\n\n")
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				s := NewStream(c.f)
				for _, p := range pieces {
					s.Feed([]byte(p))
				}
				if _, p := s.End(); p != nil {
					b.Fatal(p)
				}
			}
		})
	}
}

func BenchmarkReadProblem(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ReadProblem(seen[0].status, seen[0].header, []byte(seen[0].body), noon)
	}
}

func BenchmarkReadLimits(b *testing.B) {
	h := headers("x-ratelimit-limit-requests", "500", "x-ratelimit-remaining-requests", "499", "x-ratelimit-reset-requests", "120ms",
		"x-ratelimit-limit-tokens", "30000", "x-ratelimit-remaining-tokens", "29996", "x-ratelimit-reset-tokens", "8ms")
	b.ReportAllocs()
	for b.Loop() {
		ReadLimits(h, noon)
	}
}

package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func ask(text string) *Prompt {
	return &Prompt{System: "be brief", Messages: []Message{{"user", text}}}
}

func write(t *testing.T, f Format, r Request) (*http.Request, string) {
	t.Helper()
	req, err := f.New(context.Background(), &r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(body)) != req.ContentLength {
		t.Errorf("content length %d, body %d", req.ContentLength, len(body))
	}
	again, err := req.GetBody()
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := io.ReadAll(again); string(second) != string(body) {
		t.Errorf("read again: %s", second)
	}
	return req, string(body)
}

// Ensure requests are what the vendors' references say, byte for byte.
func TestRequestBodies(t *testing.T) {
	warm := 0.5
	full := &Prompt{
		System: "s", Temperature: &warm, Stop: []string{"END", "\n"},
		Messages: []Message{{"user", "a"}, {"assistant", "b"}, {"user", "c"}},
		Extra:    map[string]json.RawMessage{"top_p": []byte("1"), "seed": []byte("7")},
	}
	plain := &Prompt{Messages: []Message{{"user", "a"}}}
	for _, c := range []struct {
		name string
		f    Format
		r    Request
		want string
	}{
		{"openai", OpenAI, Request{Model: "m", MaxOut: 9, Stream: true, Prompt: full}, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"stop":["END","\n"],"temperature":0.5,"seed":7,"top_p":1,"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`},
		{"openai, least", OpenAI, Request{Model: "m", Prompt: plain}, `{"model":"m","messages":[{"role":"user","content":"a"}]}`},
		{"openai, reasoning", OpenAI, Request{Model: "m", MaxOut: 9, MaxCompletion: true, Prompt: plain}, `{"model":"m","max_completion_tokens":9,"messages":[{"role":"user","content":"a"}]}`},
		{"azure, no model", OpenAI, Request{Path: "/p", MaxOut: 9, Prompt: plain}, `{"max_tokens":9,"messages":[{"role":"user","content":"a"}]}`},
		{"anthropic", Anthropic, Request{Model: "m", MaxOut: 9, Stream: true, Prompt: full}, `{"model":"m","stream":true,"max_tokens":9,"stop_sequences":["END","\n"],"temperature":0.5,"seed":7,"top_p":1,"system":"s","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`},
		{"anthropic, least", Anthropic, Request{Model: "m", Prompt: plain}, `{"model":"m","max_tokens":4096,"messages":[{"role":"user","content":"a"}]}`},
	} {
		c.r.BaseURL = "https://x"
		if _, body := write(t, c.f, c.r); body != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, body, c.want)
		}
	}
}

func TestRequestAddressAndHeaders(t *testing.T) {
	for _, c := range []struct {
		name, url string
		f         Format
		r         Request
		header    map[string]string // "": absent
	}{
		{
			"openai", "https://api.openai.com/v1/chat/completions", OpenAI,
			Request{BaseURL: "https://api.openai.com/v1/", Secret: "sk-1", IdempotencyKey: "k1"},
			map[string]string{"Authorization": "Bearer sk-1", "Idempotency-Key": "k1", "Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "", "X-Api-Key": "", "Anthropic-Version": ""},
		},
		{
			"openai, streamed", "http://127.0.0.1:8080/v1/chat/completions", OpenAI,
			Request{BaseURL: "http://127.0.0.1:8080/v1", Stream: true},
			map[string]string{"Accept": "text/event-stream", "Accept-Encoding": "identity", "Authorization": "", "Idempotency-Key": ""},
		},
		{
			"anthropic", "https://api.anthropic.com/v1/messages", Anthropic,
			Request{BaseURL: "https://api.anthropic.com/v1", Secret: "sk-ant"},
			map[string]string{"X-Api-Key": "sk-ant", "Anthropic-Version": "2023-06-01", "Authorization": ""},
		},
		{
			"azure", "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21", OpenAI,
			Request{BaseURL: "https://r.openai.azure.com/openai", Path: "deployments/d/chat/completions", Query: "api-version=2024-10-21", Secret: "az-secret", AuthHeader: "api-key"},
			map[string]string{"Api-Key": "az-secret", "Authorization": ""},
		},
		{
			"anthropic by a gateway", "https://g/messages", Anthropic,
			Request{BaseURL: "https://g", Secret: "gw-secret", AuthHeader: "authorization"},
			map[string]string{"Authorization": "Bearer gw-secret", "X-Api-Key": ""},
		},
	} {
		c.r.Model, c.r.Prompt = "m", ask("hi")
		req, body := write(t, c.f, c.r)
		if req.Method != "POST" || req.URL.String() != c.url {
			t.Errorf("%s: %s %s", c.name, req.Method, req.URL)
		}
		for name, want := range c.header {
			if got := req.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", c.name, name, got, want)
			}
		}
		if c.r.Secret != "" && (strings.Contains(body, c.r.Secret) || strings.Contains(req.URL.String(), c.r.Secret)) {
			t.Errorf("%s: the secret is outside its header", c.name)
		}
	}
}

// Ensure what cannot be sent as it is meant is an error that shows no secret.
func TestRequestRefused(t *testing.T) {
	nan := math.NaN()
	for name, spoil := range map[string]func(*Request){
		"secret line end":     func(r *Request) { r.Secret = "hush\r\nX-Evil: 1" },
		"secret trailing":     func(r *Request) { r.Secret = "hush\n" },
		"secret space":        func(r *Request) { r.Secret = "hush hush" },
		"secret not ASCII":    func(r *Request) { r.Secret = "hushé" },
		"secret in user":      func(r *Request) { r.BaseURL = "https://me:hush@x" },
		"secret in bad URL":   func(r *Request) { r.BaseURL = "https://x:hush" },
		"secret in bad query": func(r *Request) { r.Query = "key=hush\n" },
		"query in base":       func(r *Request) { r.BaseURL = "https://x?key=hush" },
		"fragment":            func(r *Request) { r.Query = "a=1#hush" },
		"idempotency":         func(r *Request) { r.IdempotencyKey = "a\nb" },
		"auth header":         func(r *Request) { r.AuthHeader = "a: b\r\nc" },
		"model":               func(r *Request) { r.Model = "m\n" },
		"no model":            func(r *Request) { r.Model = "" },
		"no scheme":           func(r *Request) { r.BaseURL = "api.openai.com/v1" },
		"other scheme":        func(r *Request) { r.BaseURL = "file:///x" },
		"no host":             func(r *Request) { r.BaseURL = "https:///v1" },
		"max out":             func(r *Request) { r.MaxOut = -1 },
		"no prompt":           func(r *Request) { r.Prompt = nil },
		"no message":          func(r *Request) { r.Prompt = &Prompt{System: "s"} },
		"role":                func(r *Request) { r.Prompt = &Prompt{Messages: []Message{{"system", "s"}}} },
		"temperature":         func(r *Request) { r.Prompt.Temperature = &nan },
		"reserved":            func(r *Request) { r.Prompt.Extra = map[string]json.RawMessage{"stream": []byte("true")} },
		"no JSON":             func(r *Request) { r.Prompt.Extra = map[string]json.RawMessage{"a": []byte(`1,"stream":true`)} },
		"empty":               func(r *Request) { r.Prompt.Extra = map[string]json.RawMessage{"a": nil} },
	} {
		r := Request{BaseURL: "https://x", Model: "m", Secret: "fine", Prompt: ask("hi")}
		spoil(&r)
		req, err := OpenAI.New(context.Background(), &r)
		if err == nil || req != nil || strings.Contains(fmt.Sprint(err), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Format(7).New(context.Background(), &Request{BaseURL: "https://x", Model: "m", Prompt: ask("hi")}); err == nil {
		t.Error("an unknown format wrote something")
	}
}

// Ensure any text comes back from JSON as encoding/json would bring it back.
func TestStringsAreJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		theirs, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatal(err)
		}
		mine := appendString(nil, s)
		if err := json.Unmarshal(mine, &got); err != nil || got != want {
			t.Fatalf("%q: %s: %q, %v", s, mine, got, err)
		}
	})
}

// Ensure a body holds what was asked, whatever the texts are.
func TestRequestHoldsThePrompt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Prompt{System: rapid.String().Draw(t, "system")}
		for range rapid.IntRange(1, 4).Draw(t, "messages") {
			p.Messages = append(p.Messages, Message{rapid.SampledFrom([]string{"user", "assistant"}).Draw(t, "role"), rapid.String().Draw(t, "text")})
		}
		for _, f := range []Format{OpenAI, Anthropic} {
			var got struct {
				System   string
				Messages []struct{ Role, Content string }
			}
			if err := json.Unmarshal(f.body(&Request{Model: "m", Prompt: p}), &got); err != nil {
				t.Fatal(err)
			}
			if f == OpenAI && p.System != "" {
				got.System, got.Messages = got.Messages[0].Content, got.Messages[1:]
			}
			if got.System != p.System || len(got.Messages) != len(p.Messages) {
				t.Fatalf("%v: %+v", f, got)
			}
			for i, m := range p.Messages {
				if Message(struct{ Role, Text string }{got.Messages[i].Role, got.Messages[i].Content}) != m {
					t.Fatalf("%v: %+v, want %+v", f, got.Messages[i], m)
				}
			}
		}
	})
}

package mockupstream

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func checkJSON(t fataler, b []byte) {
	t.Helper()
	if !json.Valid(b) {
		t.Fatalf("no JSON: %s", b)
	}
}

// transcript is what a client makes of a stream.
type transcript struct {
	text     string
	comments int
	last     string // the last event, or its name
	usage    Usage
	written  int64
	told     bool // the usage
	failed   bool
}

// part is an event in any form.
type part struct {
	Type    string
	Error   json.RawMessage
	Choices []struct {
		Delta struct{ Content string }
	}
	Usage *partUsage
	Delta struct{ Text string }

	Message struct{ Usage *partUsage }

	Candidates []struct {
		Content struct{ Parts []struct{ Text string } }
	}
	UsageMetadata *struct {
		PromptTokenCount, CachedContentTokenCount, CandidatesTokenCount int64
	}
}

type partUsage struct {
	PromptTokens        int64 `json:"prompt_tokens"`
	CompletionTokens    int64 `json:"completion_tokens"`
	PromptTokensDetails struct {
		CachedTokens int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`

	InputTokens              int64 `json:"input_tokens"`
	CacheCreationInputTokens int64 `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     int64 `json:"cache_read_input_tokens"`
	OutputTokens             int64 `json:"output_tokens"`
}

func (h *transcript) take(t fataler, form Form, data string) {
	t.Helper()
	var p part
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	h.last = data
	h.failed = h.failed || p.Error != nil
	for _, c := range p.Choices {
		h.text += c.Delta.Content
	}
	for _, c := range p.Candidates {
		for _, piece := range c.Content.Parts {
			h.text += piece.Text
		}
	}
	h.text += p.Delta.Text
	switch u := p.Usage; {
	case u == nil:
	case form == FormAnthropic: // cumulative
		h.usage = Usage{u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens, u.CacheReadInputTokens, u.OutputTokens}
		h.written, h.told = u.CacheCreationInputTokens, true
	default:
		h.usage = Usage{u.PromptTokens, u.PromptTokensDetails.CachedTokens, u.CompletionTokens}
		h.told = true
	}
	if u := p.UsageMetadata; u != nil {
		h.usage, h.told = Usage{u.PromptTokenCount, u.CachedContentTokenCount, u.CandidatesTokenCount}, true
	}
}

// listen reads a stream as the strictest of clients does.
func listen(t fataler, a *Ask, b []byte) (h transcript) {
	t.Helper()
	if a.array {
		var list []json.RawMessage
		if err := json.Unmarshal(b, &list); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		for _, data := range list {
			h.take(t, a.Form, string(data))
		}
		return h
	}
	end := "\n\n"
	if a.Form == FormGemini {
		end = geminiEnd
	}
	events := strings.SplitAfter(string(b), end)
	if events[len(events)-1] != "" {
		t.Fatalf("the last event is not whole: %q", events[len(events)-1])
	}
	for _, e := range events[:len(events)-1] {
		e = strings.TrimSuffix(e, end)
		if name, data, ok := strings.Cut(e, "\ndata: "); ok && a.Form == FormAnthropic {
			h.take(t, a.Form, data)
			if h.last = strings.TrimPrefix(name, "event: "); !strings.Contains(data, h.last) {
				t.Fatalf("event %s has data %s", h.last, data)
			}
			continue
		}
		switch data, ok := strings.CutPrefix(e, "data: "); {
		case ok && data == "[DONE]":
			h.last = data
		case ok && !strings.Contains(data, "\n"):
			h.take(t, a.Form, data)
		case strings.HasPrefix(e, ": ") && a.Form == FormOpenAI:
			h.comments++
		default:
			t.Fatalf("no event: %q", e)
		}
	}
	return h
}

// checkStream: a complete stream has its text, its usage and its last event.
func checkStream(t fataler, a *Ask, b []byte, used Usage) transcript {
	t.Helper()
	h := listen(t, a, b)
	if h.failed {
		t.Fatalf("an error in %s", b)
	}
	if h.told && h.usage != used {
		t.Fatalf("usage %+v, want %+v", h.usage, used)
	}
	if !h.told && (a.Form != FormOpenAI || a.Usage) {
		t.Fatalf("no usage in %s", b)
	}
	if !a.brief && int64(len(h.text)) != wordBytes*used.Out {
		t.Fatalf("%d bytes of text for %d tokens", len(h.text), used.Out)
	}
	if want := (map[Form]string{FormOpenAI: "[DONE]", FormAnthropic: "message_stop"})[a.Form]; want != "" && h.last != want {
		t.Fatalf("the last event is %q, want %q", h.last, want)
	}
	return h
}

var streamPaths = []string{
	"/v1/chat/completions", "/api/v1/chat/completions", "/v1beta/openai/chat/completions", "/v1/messages",
	"/v1beta/models/gpt:streamGenerateContent?alt=sse", "/v1beta/models/gpt:streamGenerateContent",
}

// TestStreamsAreSound: in every form and dialect, cut into events anywhere and with signs of life in between, a
// stream is one that a strict client understands, and tells what is billed (INV-6).
func TestStreamsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFront(t, rapid.SampledFrom(all).Draw(t, "dialect"))
		user := `{"role":"user","content":"` + strings.Repeat("word", rapid.IntRange(0, 30).Draw(t, "in")) + `"}`
		body := `{"model":"gpt","max_tokens":` + number(rapid.Int64Range(1, 400).Draw(t, "max")) + `,"stream":true` +
			rapid.SampledFrom([]string{"", `,"stream_options":{"include_usage":true}`}).Draw(t, "usage") +
			`,"messages":[` + user + `],"contents":[{"parts":[{"text":"Hello."}]}]}`
		path := rapid.SampledFrom(streamPaths).Draw(t, "path")
		f.call(path, body) // so that the cache is warm
		a, plan, used := f.call(path, strings.Replace(body, user, user+`,{"role":"assistant","content":"1234"},{"role":"user","content":"1234"}`, 1))
		var b []byte
		beats := 0
		beat := func() {
			for range rapid.IntRange(0, 2).Draw(t, "beats") {
				b = f.codec.Beat(b, &a)
				beats++
			}
		}
		beat()
		b = f.codec.Begin(b, &a, &plan, used)
		for at := int64(0); at < used.Out; {
			to := min(used.Out, at+rapid.Int64Range(1, 200).Draw(t, "piece"))
			b = f.codec.Tokens(b, &a, &plan, at, to)
			at = to
			beat()
		}
		b = f.codec.Close(b, &a, &plan, used)
		h := checkStream(t, &a, b, used)
		gemini := a.Form == FormGemini || f.codec.faces[0].dialect == DialectGemini
		if a.Form == FormOpenAI && (h.comments != beats) != gemini && beats > 0 {
			t.Fatalf("%d comments for %d beats", h.comments, beats)
		}
		if a.Form == FormAnthropic && h.written != plan.CacheWrite {
			t.Fatalf("%d written to the cache, want %d", h.written, plan.CacheWrite)
		}
		if billed := f.p.Complete(plan.End, plan.ID); billed != used {
			t.Fatalf("billed %+v, told %+v", billed, used)
		}
	})
}

// TestWholeAnswers: a body tells what its stream would.
func TestWholeAnswers(t *testing.T) {
	for _, d := range all {
		for _, path := range []string{"/v1/chat/completions", "/v1/messages", "/v1/models/gpt:generateContent"} {
			f := newFront(t, d)
			a, plan, used := f.call(path, `{"model":"gpt","max_tokens":50,"messages":[{"role":"user","content":"Hello."}],"contents":[{"parts":[{"text":"Hello."}]}]}`)
			var h transcript
			h.take(t, a.Form, string(f.codec.Body(nil, &a, &plan, used)))
			if h.usage != used || !h.told {
				t.Errorf("%v %s: told %+v, want %+v", d, path, h.usage, used)
			}
		}
	}
}

// TestCodecFails: an error ends a stream, in each form, without the last event; without a stream it stands in the
// body of the 200.
func TestCodecFails(t *testing.T) {
	for _, d := range all {
		for _, path := range append([]string{"/v1/models/gpt:generateContent"}, streamPaths...) {
			f := newFront(t, d)
			cfg := withFault(speaking(d, Quota{Name: "q"}), Fault{Kind: FaultStreamError, Status: 503, For: ts})
			cfg.Models[0].Name = "gpt"
			f.p = mustNew(t, cfg)
			f.codec = NewCodec(f.p, CodecConfig{})
			a, plan, used := f.call(path, `{"model":"gpt","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"Hello."}],"contents":[{"parts":[{"text":"Hello."}]}]}`)
			if plan.Fate != FateError {
				t.Fatalf("%+v", plan)
			}
			var h transcript
			if a.Stream {
				b := f.codec.Begin(nil, &a, &plan, used)
				b = f.codec.Tokens(b, &a, &plan, 0, used.Out)
				h = listen(t, &a, f.codec.Fail(b, &a, &plan))
			} else {
				h.take(t, a.Form, string(f.codec.Body(nil, &a, &plan, used)))
			}
			if !h.failed || h.last == "[DONE]" || h.last == "message_stop" || a.Stream && h.text == "" {
				t.Errorf("%v %s: %+v", d, path, h)
			}
		}
	}
}

// TestCodecHead: what the codec adds to the vendor's headers, which come in canonical form.
func TestCodecHead(t *testing.T) {
	f := newFront(t, DialectOpenAI)
	f.p = mustNew(t, single(1, 1000))
	f.codec = NewCodec(f.p, CodecConfig{})
	body := strings.Replace(greeting, "gpt", "m", 1)
	a, plan, _ := f.call("/v1/chat/completions", body)
	h := http.Header{}
	status := f.codec.Head(h, &a, &plan)
	if status != 200 || h.Get("X-Ratelimit-Limit-Requests") != "1" || h.Get("Openai-Processing-Ms") != number(int64((plan.End-plan.At)/tms)) || h.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v", status, h)
	}
	a, plan, used := f.call("/v1/chat/completions", strings.Replace(body, "{", `{"stream":true,`, 1))
	h = http.Header{}
	status = f.codec.Head(h, &a, &plan)
	if status != 429 || h.Get("Retry-After") == "" || h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "" || h.Get("Openai-Processing-Ms") != "50" {
		t.Errorf("%d %v", status, h)
	}
	if got := string(f.codec.Body(nil, &a, &plan, used)); got != f.p.ErrorBody(&a.Call, &plan) {
		t.Errorf("%s", got)
	}
	for _, d := range all {
		f := newFront(t, d)
		a, plan, _ := f.call(streamPaths[0], strings.Replace(greeting, "{", `{"stream":true,`, 1))
		h := http.Header{}
		f.codec.Head(h, &a, &plan)
		if h.Get("Content-Type") != "text/event-stream; charset=utf-8" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%v: %v", d, h)
		}
		for _, vendor := range f.p.Headers(&a.Call, &plan) {
			if h.Get(vendor.Name) != vendor.Value {
				t.Errorf("%v: %s is %q, want %q", d, vendor.Name, h.Get(vendor.Name), vendor.Value)
			}
		}
	}
}

// TestRefusedArray: Gemini's stream without alt=sse has its errors in an array too.
func TestRefusedArray(t *testing.T) {
	f := newFront(t, DialectGemini)
	cfg := speaking(DialectGemini, Quota{Name: "q", RPM: 1})
	f.p = mustNew(t, cfg)
	f.codec = NewCodec(f.p, CodecConfig{})
	const path, body = "/v1beta/models/m:streamGenerateContent", `{"contents":[{"parts":[{"text":"Hello."}]}]}`
	f.call(path, body)
	a, plan, used := f.call(path, body)
	if got, want := string(f.codec.Body(nil, &a, &plan, used)), "["+f.p.ErrorBody(&a.Call, &plan)+"]"; plan.Status != 429 || got != want {
		t.Errorf("%d %s, want %s", plan.Status, got, want)
	}
}

// TestReplayTellsNothing: an answer from an idempotency key's store costs nothing, and says so.
func TestReplayTellsNothing(t *testing.T) {
	f := newFront(t, DialectOpenAI)
	r := f.request("/v1/chat/completions", greeting)
	r.Header.Set("Idempotency-Key", "abc")
	for range 2 {
		a, page := f.codec.Read(0, r, []byte(greeting))
		if page != nil {
			t.Fatalf("%s", page.Body)
		}
		plan := f.p.Admit(0, a.Call)
		used := f.p.Usage(plan.ID)
		checkJSON(t, f.codec.Body(nil, &a, &plan, used))
		checkStream(t, &a, f.stream(&a, &plan, used, 7), used)
		if billed := f.p.Complete(plan.End, plan.ID); billed != used {
			t.Errorf("billed %+v, told %+v", billed, used)
		}
	}
	if b := f.p.Books(); b.ReplayedWrites != 1 {
		t.Errorf("%+v", b)
	}
	if u := f.p.Usage(0); u != (Usage{}) {
		t.Errorf("the usage of nothing: %+v", u)
	}
}

// TestAppendUSD: exact to the pico-dollar.
func TestAppendUSD(t *testing.T) {
	for pico, want := range map[int64]string{0: "0", 1: "0.000000000001", 33_750_000: "0.00003375", 1_500_000_000_000: "1.5", 2_000_000_000_000: "2"} {
		if got := string(appendUSD(nil, pico)); got != want {
			t.Errorf("%d: %s, want %s", pico, got, want)
		}
	}
}

// TestWords: tokens are the same however they are cut, and need no escapes.
func TestWords(t *testing.T) {
	if len(words) != wordTokens*wordBytes || strings.ContainsAny(words, "\"\\\n") {
		t.Fatalf("%d bytes, %d tokens", len(words), wordTokens)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := response{ask: &Ask{Call: Call{ID: rapid.Uint64().Draw(t, "id")}}}
		n := rapid.Int64Range(0, 300).Draw(t, "tokens")
		at := rapid.Int64Range(0, n).Draw(t, "cut")
		whole := r.words(nil, 0, n)
		if parts := r.words(r.words(nil, 0, at), at, n); !bytes.Equal(whole, parts) || len(whole) != int(n)*wordBytes {
			t.Fatalf("%q and %q", whole, parts)
		}
	})
}

// TestCodecIsConcurrent: all but Seat may be called while the provider works (with -race).
func TestCodecIsConcurrent(t *testing.T) {
	f := newFront(t, DialectAnthropic)
	a, plan, used := f.call("/v1/messages", `{"model":"gpt","max_tokens":5,"messages":[{"role":"user","content":"Hello."}]}`)
	want := string(f.codec.Body(nil, &a, &plan, used))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				f.codec.Read(0, f.request("/v1/chat/completions", greeting), []byte(greeting))
				f.codec.Head(http.Header{}, &a, &plan)
				if got := string(f.codec.Body(nil, &a, &plan, used)); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
		})
	}
	for i := range 200 {
		now := time.Duration(i) * ts
		p := f.p.Admit(now, Call{ID: uint64(i), In: 5, Out: 5})
		f.p.Complete(now, p.ID)
	}
	wg.Wait()
}

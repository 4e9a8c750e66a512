package wire

import (
	"strings"
	"testing"
)

const (
	openAIWhole    = `{"id":"c1","object":"chat.completion","created":1,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"hi","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":64,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":3}},"service_tier":"default"}`
	deepSeekWhole  = `{"id":"c1","model":"deepseek-flash","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}}`
	anthropicWhole = `{"id":"m1","type":"message","role":"assistant","model":"claude","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"h"},{"type":"tool_use","id":"t","name":"f","input":{}},{"type":"text","text":"i"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":70,"output_tokens":7}}`
)

// Ensure whole answers are read, with all prompt tokens in In.
func TestReadReply(t *testing.T) {
	openAI := Reply{ID: "c1", Model: "gpt-4o", Finish: "stop", Text: "hi", Usage: Usage{In: 100, Cached: 64, Out: 7}, HasUsage: true}
	deepSeek := openAI
	deepSeek.Model = "deepseek-flash"
	for _, c := range []struct {
		name, body string
		f          Format
		want       Reply
	}{
		{"openai", openAIWhole, OpenAI, openAI},
		{"blank lines", "\n\n\r\n\n" + openAIWhole + "\n", OpenAI, openAI},
		{"BOM", "\xef\xbb\xbf" + openAIWhole, OpenAI, openAI},
		{"deepseek", "\n\n" + deepSeekWhole, OpenAI, deepSeek},
		{"no usage", `{"choices":[{"message":{"content":null},"finish_reason":"tool_calls"}]}`, OpenAI, Reply{Finish: "tool_calls"}},
		{"choices out of order", `{"choices":[{"index":1,"message":{"content":"b"}},{"index":0,"message":{"content":"a"}}]}`, OpenAI, Reply{Text: "a"}},
		{"no error", `{"choices":[{"message":{"content":"a"}}],"error":null}`, OpenAI, Reply{Text: "a"}},
		{"usage nobody can have", `{"choices":[{}],"usage":{"prompt_tokens":-5,"completion_tokens":9223372036854775807,"prompt_cache_hit_tokens":3}}`, OpenAI, Reply{Usage: Usage{Out: maxTokens}, HasUsage: true}},
		{"anthropic", anthropicWhole, Anthropic, Reply{ID: "m1", Model: "claude", Finish: "end_turn", Text: "hi", Usage: Usage{In: 100, Cached: 70, Out: 7}, HasUsage: true}},
		{"anthropic, empty", `{"type":"message","content":[],"stop_reason":"end_turn"}`, Anthropic, Reply{Finish: "end_turn"}},
	} {
		if got, p := c.f.ReadReply([]byte(c.body)); p != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", c.name, p, got, c.want)
		}
	}
}

// Ensure a 200 that is no answer is a problem.
func TestReadReplyProblems(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      Format
		body   string
		kind   Kind
		status int
	}{
		{"openrouter", OpenAI, `{"error":{"code":502,"message":"Provider disconnected unexpectedly"},"user_id":"user_1"}`, ServerError, 502},
		{"openrouter, in a choice", OpenAI, `{"id":"g","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"error","error":{"code":429,"message":"x"}}]}`, RateLimited, 429},
		{"openrouter, no object", OpenAI, `{"choices":[{"message":{"content":""},"finish_reason":"error"}]}`, ServerError, 0},
		{"after blank lines", OpenAI, "\n\n" + `{"error":{"message":"Server Overloaded","type":"service_unavailable_error","code":"server_overloaded"}}`, Overloaded, 503},
		{"gemini", OpenAI, `[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"2s"}]}}]`, RateLimited, 429},
		{"credit", OpenAI, `{"error":{"code":402,"message":"x"}}`, OutOfCredit, 402},
		{"text", OpenAI, `{"error":"bad"}`, ServerError, 0},
		{"anthropic", Anthropic, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Overloaded, 529},
		{"anthropic, by a gateway", Anthropic, `{"error":{"type":"api_error","message":"x"}}`, ServerError, 500},
		{"empty", OpenAI, "", Broken, 0},
		{"blank", Anthropic, "\n \n", Broken, 0},
		{"cut", OpenAI, openAIWhole[:200], Broken, 0},
		{"anthropic, cut", Anthropic, anthropicWhole[:len(anthropicWhole)-1], Broken, 0},
		{"twice", OpenAI, openAIWhole + openAIWhole, Broken, 0},
		{"no choice", OpenAI, `{"id":"c1","choices":[]}`, Broken, 0},
		{"other form", Anthropic, openAIWhole, Broken, 0},
		{"html", OpenAI, "<html>", Broken, 0},
		{"null", OpenAI, "null", Broken, 0},
		{"list", OpenAI, "[]", Broken, 0},
	} {
		_, p := c.f.ReadReply([]byte(c.body))
		if p == nil || p.Kind != c.kind || p.Status != c.status || p.Message == "" {
			t.Errorf("%s: %v", c.name, p)
		}
	}
}

// Ensure a slip of a vendor's that changes nothing does not break a good answer, whole or streamed, and that what it
// hides counts as not told.
func TestSlips(t *testing.T) {
	chunk := func(whole string) string {
		return "data: " + strings.Replace(whole, `"message"`, `"delta"`, 1) + "\n\n" + openAIDone
	}
	good := Reply{ID: "c1", Model: "gpt-4o", Finish: "stop", Text: "hi", Usage: Usage{In: 100, Cached: 64, Out: 7}, HasUsage: true}
	with := func(change func(*Reply)) Reply {
		r := good
		change(&r)
		return r
	}
	noCache, noUsage := with(func(r *Reply) { r.Usage.Cached = 0 }), with(func(r *Reply) { r.Usage, r.HasUsage = Usage{}, false })
	for _, c := range []struct {
		old, slip string
		want      Reply
	}{
		{`"prompt_tokens":100`, `"prompt_tokens":100.0`, good},
		{`"prompt_tokens":100`, `"prompt_tokens":1e2`, good},
		{`"prompt_tokens":100`, `"prompt_tokens":"100"`, good},
		{`"prompt_tokens":100`, `"prompt_tokens":99999999999999999999`, with(func(r *Reply) { r.Usage.In = maxTokens })},
		{`"prompt_tokens":100`, `"prompt_tokens":1e400`, with(func(r *Reply) { r.Usage.In = maxTokens })},
		{`"completion_tokens":7`, `"completion_tokens":-7.5`, with(func(r *Reply) { r.Usage.Out = 0 })},
		{`"completion_tokens":7`, `"completion_tokens":{}`, with(func(r *Reply) { r.Usage.Out = 0 })},
		{`{"cached_tokens":64,"audio_tokens":0}`, `[]`, noCache},
		{`{"cached_tokens":64,"audio_tokens":0}`, `null`, noCache},
		{`{"cached_tokens":64,"audio_tokens":0}`, `"none"`, noCache},
		{`{"cached_tokens":64,`, `{"cached_tokens":64.0,`, good},
		{`"usage":{`, `"usage":[],"was":{`, noUsage},
		{`"usage":{`, `"usage":"none","was":{`, noUsage},
		{`"id":"c1"`, `"id":17`, with(func(r *Reply) { r.ID = "17" })},
		{`"id":"c1"`, `"id":{"a":1}`, with(func(r *Reply) { r.ID = "" })},
		{`"model":"gpt-4o"`, `"model":["gpt-4o"]`, with(func(r *Reply) { r.Model = "" })},
		{`"finish_reason":"stop"`, `"finish_reason":7`, with(func(r *Reply) { r.Finish = "7" })},
		{`"index":0`, `"index":"0"`, good},
		{`"index":0`, `"index":0.0`, good},
		{`"content":"hi"`, `"content":[{"type":"text","text":"h"},{"type":"text","text":"i"}]`, good},
		{`"content":"hi"`, `"content":["h",{"type":"thinking","thinking":[]},7,{"text":"i"}]`, good},
		{`"content":"hi"`, `"content":[{"type":"text","text":null},{"type":"text","text":[]},"hi"]`, good},
		{`"content":"hi"`, `"content":{"type":"text","text":"hi"}`, good},
		{`"content":"hi"`, `"content":7`, with(func(r *Reply) { r.Text = "7" })},
		{`"content":"hi"`, `"content":false`, with(func(r *Reply) { r.Text = "" })},
		{`"refusal":null`, `"refusal":[{}],"reasoning":{"text":"hm"},"tool_calls":{"0":{}},"reasoning_content":[1],"function_call":"f"`, good},
		{`"refusal":null`, `"refusal":{},"error":0`, good},
		{`"choices":`, `"error":[ ],"choices":`, good},
		{`"logprobs":null`, `"delta":"x"`, good},
	} {
		body := strings.Replace(openAIWhole, c.old, c.slip, 1)
		if body == openAIWhole {
			t.Fatalf("%s is not there", c.old)
		}
		if got, p := OpenAI.ReadReply([]byte(body)); p != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", c.slip, p, got, c.want)
		}
		if strings.Contains(c.slip, "delta") {
			continue
		}
		if o := read(OpenAI, chunk(body)); o.problem != (Problem{}) || o.reply != c.want {
			t.Errorf("%s, streamed:\ngot  %+v\nwant %+v", c.slip, o, c.want)
		}
	}
}

// Ensure the same of Anthropic's form.
func TestSlipsOfAnthropic(t *testing.T) {
	good := Reply{ID: "m1", Model: "claude", Finish: "end_turn", Text: "hi", Usage: Usage{In: 100, Cached: 70, Out: 7}, HasUsage: true}
	blocks := anthropicWhole[strings.Index(anthropicWhole, `[{`):strings.Index(anthropicWhole, `,"stop_reason"`)]
	for _, c := range [][2]string{
		{`"input_tokens":10`, `"input_tokens":10.0`},
		{`"output_tokens":7`, `"output_tokens":"7"`},
		{`"usage":{`, `"usage":{"cache_creation":[],"server_tool_use":7,`},
		{blocks, `"hi"`},
		{blocks, `{"type":"text","text":"hi"}`},
		{`"type":"text","text":"h"`, `"type":"text","text":"h","citations":{}`},
		{`"thinking":"hm"`, `"thinking":{},"text":7`},
	} {
		body := strings.Replace(anthropicWhole, c[0], c[1], 1)
		if got, p := Anthropic.ReadReply([]byte(body)); p != nil || got != good || body == anthropicWhole {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", c[1], p, got, good)
		}
	}
	stream := anthropicHead + anthropicHi + anthropicUsed + anthropicDone
	for _, c := range [][2]string{
		{`"input_tokens":10`, `"input_tokens":10.0`},
		{`"usage":{"output_tokens":7}`, `"usage":{"output_tokens":7.0,"input_tokens":null}`},
		{`"content":[]`, `"content":""`},
		{`"delta":{"type":"text_delta",`, `"delta":{"type":7,"thinking":{},"partial_json":[],`},
		{`"content_block":{"type":"text","text":""}`, `"content_block":{"type":"text","text":[]}`},
		{`"index":0`, `"index":"0"`},
	} {
		in := strings.Replace(stream, c[0], c[1], 1)
		if got, want := read(Anthropic, in), read(Anthropic, stream); got != want || in == stream {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c[1], got, want)
		}
	}
}

// Ensure a slip is not taken for an answer: what is around it all has to be an object, and whole.
func TestSlipsAreNoAnswers(t *testing.T) {
	for _, body := range []string{"7", `"hi"`, "[7]", `{"id":7,"choices":{}}`, `{"id":7,"choices":[`, `{"id":7}{}`, `{"choices":"x"}`} {
		if r, p := OpenAI.ReadReply([]byte(body)); p == nil || p.Kind != Broken {
			t.Errorf("%s: %+v, %v", body, r, p)
		}
	}
}

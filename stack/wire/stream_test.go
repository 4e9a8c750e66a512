package wire

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const (
	openAIHead = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x"}` + "\n\n"
	openAIHi   = `data: {"id":"c1","model":"gpt-4o","choices":[{"index":0,"delta":{"content":"Grüß "},"finish_reason":null}],"usage":null}` + "\n\n"
	openAIYou  = `data: {"id":"c1","model":"gpt-4o","choices":[{"index":0,"delta":{"content":"dich"},"finish_reason":null}],"usage":null}` + "\n\n"
	openAIStop = `data: {"id":"c1","model":"gpt-4o","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}` + "\n\n"
	openAIUsed = `data: {"id":"c1","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":64}}}` + "\n\n"
	openAIDone = "data: [DONE]\n\n"

	anthropicHead = "event: message_start\ndata: " + `{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"claude","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":70,"output_tokens":1}}}` + "\n\n" +
		"event: content_block_start\ndata: " + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
		"event: ping\ndata: {\"type\": \"ping\"}\n\n"
	anthropicHi   = "event: content_block_delta\ndata: " + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüß "}}` + "\n\n"
	anthropicYou  = "event: content_block_delta\ndata: " + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"dich"}}` + "\n\n"
	anthropicUsed = "event: content_block_stop\ndata: " + `{"type":"content_block_stop","index":0}` + "\n\n" +
		"event: message_delta\ndata: " + `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":7}}` + "\n\n"
	anthropicDone = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
)

// outcome is all that a stream tells.
type outcome struct {
	fed     string // by Feed
	started bool
	done    bool // before the end
	reply   Reply
	problem Problem // zero: none
}

func read(f Format, pieces ...string) outcome {
	s := NewStream(f)
	var o outcome
	for _, p := range pieces {
		text, started := s.Feed([]byte(p))
		o.fed, o.started = o.fed+text, started
	}
	o.done = s.Done()
	r, p := s.End()
	if o.reply = r; p != nil {
		o.problem = *p
	}
	return o
}

// Ensure whole streams are read, of either form and with what vendors put between.
func TestStreamWhole(t *testing.T) {
	openAI := Reply{ID: "c1", Model: "gpt-4o", Finish: "stop", Text: "Grüß dich", Usage: Usage{In: 100, Cached: 64, Out: 7}, HasUsage: true}
	anthropic := Reply{ID: "m1", Model: "claude", Finish: "end_turn", Text: "Grüß dich", Usage: Usage{In: 100, Cached: 70, Out: 7}, HasUsage: true}
	whole := openAIHead + openAIHi + openAIYou + openAIStop + openAIUsed + openAIDone
	claude := anthropicHead + anthropicHi + anthropicYou + anthropicUsed + anthropicDone
	for _, c := range []struct {
		name, in string
		f        Format
		want     Reply
	}{
		{"openai", whole, OpenAI, openAI},
		{"CRLF", strings.ReplaceAll(whole, "\n", "\r\n"), OpenAI, openAI},
		{"CR", strings.ReplaceAll(whole, "\n", "\r"), OpenAI, openAI},
		{"BOM", "\xef\xbb\xbf" + whole, OpenAI, openAI},
		{"comments", ": OPENROUTER PROCESSING\n\n" + strings.ReplaceAll(whole, "\n\n", "\n: keep-alive\n\n: keep-alive\n\n"), OpenAI, openAI},
		{"blank lines", "\n\n\n" + strings.ReplaceAll(whole, "\n\n", "\n\n\n\n"), OpenAI, openAI},
		{"no space", strings.ReplaceAll(whole, "data: ", "data:"), OpenAI, openAI},
		{"two data lines", strings.ReplaceAll(whole, `,"choices"`, ",\ndata: \"choices\""), OpenAI, openAI},
		{"other fields", "id: 1\nretry: 10\ndata\n\n" + strings.ReplaceAll(whole, "data: {", "id: 7\nwhatever\nevent: message\ndata: {"), OpenAI, openAI},
		{"no blank line at the end", strings.TrimRight(whole, "\n") + "\n", OpenAI, openAI},
		{"no line end at the end", strings.TrimRight(whole, "\n"), OpenAI, openAI},
		{"after the end", whole + "data: {\"error\":1}\n\n" + openAIHi, OpenAI, openAI},
		{"usage twice", openAIHead + openAIUsed + openAIHi + openAIYou + openAIStop + openAIUsed + openAIDone, OpenAI, openAI},
		{"second choice", openAIHead + openAIHi + strings.ReplaceAll(openAIYou, `"index":0`, `"index":1`) + openAIYou + openAIStop + openAIUsed + openAIDone, OpenAI, openAI},
		{"anthropic", claude, Anthropic, anthropic},
		{"anthropic, CRLF", strings.ReplaceAll(claude, "\n", "\r\n"), Anthropic, anthropic},
		{"anthropic, no names", strings.ReplaceAll(claude, "event: ", "x: "), Anthropic, anthropic},
		{"anthropic, unknown", "event: news\ndata: no JSON\n\n" + claude, Anthropic, anthropic},
		{"anthropic, unknown type", "data: {\"type\":\"news\"}\n\n" + claude, Anthropic, anthropic},
		{
			"anthropic, usage told whole at the end", strings.ReplaceAll(strings.ReplaceAll(claude,
				`"usage":{"output_tokens":7}`, `"usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":70,"output_tokens":7}`),
				`"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":70,"output_tokens":1`, `"input_tokens":0,"output_tokens":0`), Anthropic, anthropic,
		},
	} {
		o := read(c.f, c.in)
		if o.problem != (Problem{}) || o.reply != c.want || !o.started {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, o, c.want)
		}
		if cut := strings.Contains(c.name, "at the end"); !cut && (o.fed != c.want.Text || !o.done) {
			t.Errorf("%s: fed %q, done %v", c.name, o.fed, o.done)
		}
	}
}

// Ensure a stream that goes wrong says so, with what came until then.
func TestStreamProblems(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      Format
		in     string
		kind   Kind
		status int
		text   string
	}{
		{"empty", OpenAI, "", Broken, 0, ""},
		{"comments alone", OpenAI, ": keep-alive\n\n", Broken, 0, ""},
		{"cut", OpenAI, openAIHead + openAIHi, Broken, 0, "Grüß "},
		{"cut in JSON", OpenAI, openAIHead + openAIHi + openAIYou[:60], Broken, 0, "Grüß "},
		{"finish and usage, no end", OpenAI, openAIHead + openAIHi + openAIStop + openAIUsed, Broken, 0, "Grüß "},
		{"an end alone", OpenAI, openAIDone, Broken, 0, ""},
		{"no JSON", OpenAI, openAIHi + "data: hello\n\n" + openAIDone, Broken, 0, "Grüß "},
		{"other JSON", OpenAI, openAIHi + "data: 7\n\n" + openAIDone, Broken, 0, "Grüß "},
		{"error", OpenAI, openAIHi + `data: {"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}` + "\n\n", ServerError, 500, "Grüß "},
		{"error, then an end", OpenAI, openAIHi + `data: {"error":{"message":"x","type":"service_unavailable_error","code":"server_is_overloaded"}}` + "\n\n" + openAIDone, Overloaded, 503, "Grüß "},
		{"error of a rate", OpenAI, `data: {"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`, RateLimited, 429, ""},
		{"error of a name", OpenAI, "event: error\ndata: {\"message\":\"x\",\"code\":502}\n\n", ServerError, 502, ""},
		{"error as text", OpenAI, `data: {"error":"out of memory"}`, ServerError, 0, ""},
		{"error beside odd types", OpenAI, `data: {"id":7,"error":{"code":503,"message":"x"}}`, Overloaded, 503, ""},
		{"openrouter", OpenAI, openAIHi + `data: {"id":"gen-1","object":"chat.completion.chunk","model":"m","error":{"code":502,"message":"Provider disconnected unexpectedly"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","native_finish_reason":"error"}]}` + "\n\n", ServerError, 502, "Grüß "},
		{"openrouter, no object", OpenAI, `data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n" + openAIDone, ServerError, 0, ""},
		{"gemini", OpenAI, `data: [{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]`, Overloaded, 503, ""},
		{"anthropic, empty", Anthropic, "", Broken, 0, ""},
		{"anthropic, cut", Anthropic, anthropicHead + anthropicHi + anthropicUsed, Broken, 0, "Grüß "},
		{"anthropic, an end alone", Anthropic, anthropicDone, Broken, 0, ""},
		{"anthropic, other's end", Anthropic, anthropicHead + anthropicHi + openAIDone, Broken, 0, "Grüß "},
		{"anthropic, overloaded", Anthropic, anthropicHead + anthropicHi + "event: error\ndata: " + `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n", Overloaded, 529, "Grüß "},
		{"anthropic, no name", Anthropic, anthropicHead + "data: " + `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}` + "\n\n", ServerError, 500, ""},
		{"anthropic, rate", Anthropic, "event: error\ndata: " + `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, RateLimited, 429, ""},
		{"anthropic, no JSON", Anthropic, anthropicHead + "event: error\ndata: gone\n\n", ServerError, 0, ""},
	} {
		o := read(c.f, c.in)
		if o.problem.Kind != c.kind || o.problem.Status != c.status || o.reply.Text != c.text || o.problem.Message == "" {
			t.Errorf("%s: %v of %d, %q: %s", c.name, o.problem.Kind, o.problem.Status, o.reply.Text, o.problem.Error())
		}
	}
	if o := read(OpenAI, openAIHi, openAIStop, openAIUsed); o.reply.Finish != "stop" || o.reply.Usage.Out != 7 || !o.reply.HasUsage {
		t.Errorf("a stream without its last event lost what it had: %+v", o.reply)
	}
}

// Ensure the first token is the first thing that is generated, whatever it is.
func TestStreamStarts(t *testing.T) {
	chunk := func(delta string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
	}
	event := func(data string) string { return "data: " + data + "\n\n" }
	for in, want := range map[string]bool{
		openAIHead:                                  false,
		openAIUsed:                                  false,
		openAIStop:                                  false,
		openAIHi:                                    true,
		openAIHi[:len(openAIHi)-1]:                  false, // an event is one when it is whole
		chunk(`{"content":null}`):                   false,
		chunk(`{"tool_calls":[]}`):                  false,
		chunk(`{"refusal":"No."}`):                  true,
		chunk(`{"tool_calls":{"index":0}}`):         true,
		chunk(`{"reasoning":{"text":"hm"}}`):        true,
		chunk(`{"reasoning":{}, "tool_calls":[ ]}`): false,
		chunk(`{"content":[]}`):                     false,
		chunk(`{"content":[{"type":"thinking","thinking":[{"text":"hm"}]}]}`): true,
		chunk(`{"reasoning":"hm"}`):                                                                          true,
		chunk(`{"reasoning_content":"hm","content":null}`):                                                   true,
		chunk(`{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":""}}]}`):                true,
		chunk(`{"function_call":{"name":"f"}}`):                                                              true,
		event(`{"type":"content_block_start","content_block":{"type":"tool_use","id":"t","name":"f"}}`):      true,
		event(`{"type":"content_block_start","content_block":{"type":"thinking","thinking":""}}`):            false,
		event(`{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}`):            true,
		event(`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}`):       true,
		event(`{"type":"content_block_delta","delta":{"type":"text_delta","text":""}}`):                      false,
		event(`{"type":"message_start","message":{"usage":{"output_tokens":1}}}`) + event(`{"type":"ping"}`): false,
	} {
		f := OpenAI
		if strings.Contains(in, `"type":"content_block`) || strings.Contains(in, "message_start") {
			f = Anthropic
		}
		if _, started := NewStream(f).Feed([]byte(in)); started != want {
			t.Errorf("%q: started %v", in, started)
		}
	}
}

// Ensure bounds hold: an unfinished line, an event of many lines, a text without end.
func TestStreamBounds(t *testing.T) {
	const bound = 1000
	x := strings.Repeat("x", 400)
	for name, in := range map[string]string{
		"a line":    "data: " + x + x + x,
		"a comment": ":" + x + x + x + "\n",
		"an event":  "data: " + x + "\ndata: " + x + "\ndata: " + x + "\n",
		"a text":    strings.Repeat(`data: {"choices":[{"delta":{"content":"`+x+`"}}]}`+"\n\n", 3),
	} {
		for _, size := range []int{1, 7, 333, len(in)} {
			s := NewStream(OpenAI)
			s.events.bound = bound
			for rest := in; rest != ""; {
				n := min(size, len(rest))
				s.Feed([]byte(rest[:n]))
				rest = rest[n:]
				if held := len(s.events.line) + len(s.events.data) + s.text.Len(); held > 2*bound {
					t.Fatalf("%s: %d bytes are held", name, held)
				}
			}
			if _, p := s.End(); !s.Done() || p == nil || p.Kind != Broken || !strings.Contains(p.Message, "longer than 1000") {
				t.Errorf("%s in pieces of %d: %v", name, size, p)
			}
		}
	}
}

// noise are pieces of which random streams are made.
var noise = []string{
	openAIHead, openAIHi, openAIYou, openAIStop, openAIUsed, openAIDone, anthropicHead, anthropicHi, anthropicYou, anthropicUsed, anthropicDone,
	": keep-alive\n\n", "\n", "\r\n", "\r", "\xef\xbb\xbf", "data: {\"error\":{\"code\":502}}\n\n", "event: error\n", "data: {", "id: 1\n", "ü", "\xc3", "data", ":",
	"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\\ud83d\"}}]}\r\r",
}

func cutUp(t *rapid.T, whole string) []string {
	var pieces []string
	for whole != "" {
		n := rapid.IntRange(1, min(len(whole), rapid.SampledFrom([]int{1, 3, 40, 400}).Draw(t, "most"))).Draw(t, "n")
		pieces = append(pieces, whole[:n])
		whole = whole[n:]
	}
	return pieces
}

// Ensure any cut of any stream gives what the whole gives.
func TestStreamSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom([]Format{OpenAI, Anthropic}).Draw(t, "format")
		whole := strings.Join(rapid.SliceOfN(rapid.SampledFrom(noise), 1, 8).Draw(t, "stream"), "")
		switch rapid.IntRange(0, 3).Draw(t, "ends") {
		case 0:
			whole = strings.ReplaceAll(whole, "\n", "\r\n")
		case 1:
			whole = strings.ReplaceAll(whole, "\n", "\r")
		}
		want := read(f, whole)
		if got := read(f, cutUp(t, whole)...); got != want {
			t.Fatalf("%q:\ngot  %+v\nwant %+v", whole, got, want)
		}
		if !strings.HasPrefix(want.reply.Text, want.fed) {
			t.Fatalf("fed %q of %q", want.fed, want.reply.Text)
		}
	})
}

// Ensure usage is counted once, however often a stream tells it (INV-61): the last count of the output,
// and every prompt token in one of the three counts.
func TestUsageIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := func(name string) int64 { return rapid.Int64Range(0, 1e6).Draw(t, name) }
		in, written, cached := count("in"), count("written"), count("cached")
		prompt := `"input_tokens":` + itoa(in) + `,"cache_creation_input_tokens":` + itoa(written) + `,"cache_read_input_tokens":` + itoa(cached)
		claude := []string{`data: {"type":"message_start","message":{"usage":{` + prompt + `,"output_tokens":1}}}` + "\n\n"}
		gpt := []string{openAIHi}
		out := int64(0)
		for range rapid.IntRange(1, 5).Draw(t, "times") {
			out += count("more")
			again := ""
			if rapid.Bool().Draw(t, "again") {
				again = prompt + ","
			}
			claude = append(claude, `data: {"type":"message_delta","delta":{},"usage":{`+again+`"output_tokens":`+itoa(out)+"}}\n\n")
			gpt = append(gpt, `data: {"choices":[],"usage":{"prompt_tokens":`+itoa(in+written+cached)+`,"completion_tokens":`+itoa(out)+`,"prompt_tokens_details":{"cached_tokens":`+itoa(cached)+"}}}\n\n")
		}
		want := Usage{In: in + written + cached, Cached: cached, Out: out}
		if o := read(Anthropic, append(claude, anthropicDone)...); o.reply.Usage != want || o.problem != (Problem{}) {
			t.Fatalf("%+v, want %+v", o, want)
		}
		if o := read(OpenAI, append(gpt, openAIDone)...); o.reply.Usage != want || o.problem != (Problem{}) {
			t.Fatalf("%+v, want %+v", o, want)
		}
	})
}

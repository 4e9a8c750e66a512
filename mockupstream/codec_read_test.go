package mockupstream

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const greeting = `{"model":"gpt","messages":[{"role":"user","content":"Hello."}]}`

// TestReadGuess: what is taken from a body.
func TestReadGuess(t *testing.T) {
	const user, answer = `{"role":"user","content":"12345678"}`, `{"role":"assistant","content":"12345678"}`
	for _, c := range []struct {
		name, path, body string
		in, max, prefix  int64
		stream, usage    bool
	}{
		{name: "text", path: "/v1/chat/completions", body: `{"model":"gpt","messages":[` + user + `]}`, in: 2},
		{name: "rounded up", path: "/v1/chat/completions", body: `{"messages":[{"content":"123456789","role":"user"}],"model":"gpt"}`, in: 3},
		{name: "characters", path: "/v1/chat/completions", body: `{"model":"gpt","messages":[{"role":"user","content":"äöü€"}]}`, in: 1},
		{name: "parts", path: "/v1/chat/completions", body: `{"model":"gpt","messages":[{"role":"user","content":[{"type":"text","text":"12345678"},{"type":"image_url","image_url":{"url":"data:0000000000"}}]}]}`, in: 2},
		{name: "tools", path: "/v1/chat/completions", body: `{"model":"gpt","tools":[{"a":123}],"messages":[` + user + `]}`, in: 5},
		{name: "tool calls", path: "/v1/chat/completions", body: `{"model":"gpt","messages":[` + user + `,{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","content":"abcd"}]}`, in: 5, prefix: 2},
		{name: "second turn", path: "/v1/chat/completions", body: `{"model":"gpt","messages":[{"role":"system","content":"1234"},` + user + `,` + answer + `,` + user + `]}`, in: 7, prefix: 3},
		{name: "limits", path: "/v1/chat/completions", body: `{"model":"gpt","max_tokens":7,"stream":true,"stream_options":{"include_usage":true},"messages":[` + user + `]}`, in: 2, max: 7, stream: true, usage: true},
		{name: "newer limit", path: "/v1/chat/completions", body: `{"model":"gpt","max_completion_tokens":9,"max_tokens":null,"stream":null,"messages":[` + user + `]}`, in: 2, max: 9},
		{name: "anthropic", path: "/v1/messages", body: `{"messages":[` + user + `,` + answer + `,` + user + `],"max_tokens":5,"stream":true,"model":"gpt","system":[{"type":"text","text":"1234","cache_control":{"type":"ephemeral"}}]}`, in: 7, max: 5, prefix: 3, stream: true},
		{name: "anthropic tools", path: "/v1/messages", body: `{"model":"gpt","max_tokens":5,"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool_use","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"12345"}]}]}]}`, in: 5, max: 5, prefix: 2},
		{name: "gemini", path: "/v1beta/models/gpt:generateContent", body: `{"contents":[{"parts":[{"text":"12345678"}]},{"role":"model","parts":[{"text":"1234"}]},{"role":"user","parts":[{"text":"1234"}]}],"systemInstruction":{"parts":[{"text":"1234"}]},"generationConfig":{"maxOutputTokens":11}}`, in: 5, max: 11, prefix: 3},
		{name: "gemini stream", path: "/v1/models/gpt:streamGenerateContent?alt=sse", body: `{"contents":[{"parts":[{"text":"12345678"}]}]}`, in: 2, stream: true},
		{name: "embeddings", path: "/v1/embeddings", body: `{"model":"gpt","input":["12345678","1"]}`, in: 3},
		{name: "escapes in the name", path: "/api/v1/chat/completions", body: `{"model":"acme\/gpt","messages":[` + user + `]}`, in: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, page := newFront(t, DialectOpenAI).codec.Read(0, newFront(t, DialectOpenAI).request(c.path, c.body), []byte(c.body))
			if page != nil {
				t.Fatalf("%d %s", page.Status, page.Body)
			}
			if a.Call.In != c.in || a.Call.MaxOut != c.max || a.Call.Prefix != c.prefix || a.Stream != c.stream || a.Usage != c.usage || a.Call.Attempt != 1 {
				t.Errorf("%+v, want %+v", a, c)
			}
		})
	}
}

// TestReadIdentity: retries are one request, turns are one conversation, and both belong to the key.
func TestReadIdentity(t *testing.T) {
	cfg := fleet(1, 2)
	cfg.Models[0].Name = "gpt"
	codec := NewCodec(mustNew(t, cfg), CodecConfig{})
	f := front{t: t, codec: codec}
	read := func(key, body string, header ...string) Call {
		r := f.request("/v1/chat/completions", body)
		r.Header.Set("Authorization", "bearer "+key)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		a, page := codec.Read(0, r, []byte(body))
		if page != nil {
			t.Fatalf("%s", page.Body)
		}
		return a.Call
	}
	first := read("k0", greeting)
	next := strings.Replace(greeting, "]", `,{"role":"assistant","content":"Hi."},{"role":"user","content":"And?"}]`, 1)
	turn := read("k0", next)
	other := read("k1", greeting)
	retry := read("k0", greeting, "x-stainless-retry-count", "2")
	switch {
	case retry.ID != first.ID || retry.Attempt != 3 || first.Attempt != 1:
		t.Errorf("retry %+v of %+v", retry, first)
	case turn.ID == first.ID || turn.Conversation != first.Conversation || turn.Prefix != first.In:
		t.Errorf("turn %+v after %+v", turn, first)
	case other.ID == first.ID || other.Conversation == first.Conversation || other.Key != 1 || other.Out != first.Out:
		t.Errorf("with another key %+v, %+v", other, first)
	case first.Write || first.WriteID != 0:
		t.Errorf("a write: %+v", first)
	}
	keyed := read("k0", greeting, "Idempotency-Key", "abc")
	if again := read("k0", greeting, "Idempotency-Key", "abd"); !keyed.Write || keyed.IdempotencyKey == 0 || keyed.WriteID != again.WriteID || keyed.IdempotencyKey == again.IdempotencyKey {
		t.Errorf("with keys: %+v, %+v", keyed, again)
	}
	if w := read("k0", greeting, WriteHeader, "1"); !w.Write || w.WriteID != keyed.WriteID || w.IdempotencyKey != 0 {
		t.Errorf("a write without a key: %+v", w)
	}
}

// TestReadCalled: with a CallHeader the body is only looked at for the model and the stream, and may be cut off.
func TestReadCalled(t *testing.T) {
	want := Call{ID: 31, Attempt: 2, In: 800, MaxOut: 9, Out: 120, Write: true}
	for _, c := range []struct {
		name, path, body string
		stream, usage    bool
	}{
		{"whole", "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}],"stream":true,"model":"gpt"}`, true, false},
		{"cut off", "/v1/chat/completions", `{"model":"gpt","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","con`, true, true},
		{"nothing else", "/v1/messages", `{"model":"gpt"}`, false, false},
		{"in the path", "/v1beta/models/gpt:streamGenerateContent?alt=sse", ``, true, false},
		{"embeddings", "/v1/embeddings", `{"model":"gpt","inp`, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFront(t, DialectOpenAI)
			r := f.request(c.path, c.body)
			r.Header.Set(CallHeader, want.Text())
			a, page := f.codec.Read(0, r, []byte(c.body))
			if page != nil {
				t.Fatalf("%d %s", page.Status, page.Body)
			}
			if a.Call != want || a.Stream != c.stream || a.Usage != c.usage {
				t.Errorf("%+v", a)
			}
			plan := f.p.Admit(0, a.Call)
			body := f.codec.Body(nil, &a, &plan, Usage{In: 800, Out: 120})
			if n := strings.Count(string(body), " "); n > briefMost {
				t.Errorf("the text is not cut off: %s", body)
			}
		})
	}
}

// TestReadPages: requests that never become a call.
func TestReadPages(t *testing.T) {
	const chat = "/v1/chat/completions"
	for _, c := range []struct {
		name, method, path, key, body string
		status                        int
		want                          string
	}{
		{"no such path", "POST", "/v1/chat", "k", greeting, 404, `{"error":{"message":"Invalid URL (POST /v1/chat)","type":"invalid_request_error","param":null,"code":null}}`},
		{"no such path", "GET", "/favicon.ico", "", "", 404, `{"error":{"message":"Invalid URL (GET /favicon.ico)","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`},
		{"no such path", "POST", "/v1beta/models/gpt:embed", "k", "{}", 404, `{"error":{"code":404,"message":"Invalid URL (POST /v1beta/models/gpt:embed)","status":"NOT_FOUND"}}`},
		{"no such path", "POST", "/openai/deployments/gpt/completions", "k", "{}", 404, `{"error":{"code":"404","message":"Resource not found"}}`},
		{"no such path", "POST", "/openai/deployments//chat/completions", "k", "{}", 404, `{"error":{"code":"404","message":"Resource not found"}}`},
		{"method", "GET", chat, "k", "", 405, `{"error":{"message":"Not allowed: GET on /v1/chat/completions. Use POST.","type":"invalid_request_error","param":null,"code":"method_not_supported"}}`},
		{"method", "PUT", "/v1/messages", "k", "", 405, `{"type":"error","error":{"type":"invalid_request_error","message":"Method Not Allowed"},"request_id":"req_011C92fc6e1149848b6bfa24"}`},
		{"method", "POST", "/v1beta/models", "k", "", 405, `{"error":{"code":405,"message":"Not allowed: POST on /v1beta/models. Use GET.","status":"UNIMPLEMENTED"}}`},
		{"no key", "POST", chat, "", greeting, 401, `{"error":{"message":"No API key was provided.","type":"invalid_request_error","param":null,"code":null}}`},
		{"wrong key", "POST", chat, "sesame", greeting, 401, `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`},
		{"wrong key", "POST", "/chat/completions", "sesame", greeting, 401, `{"error":{"message":"Authentication Fails","type":"authentication_error","param":null,"code":"invalid_request_error"}}`},
		{"wrong key", "POST", "/api/v1/chat/completions", "sesame", greeting, 401, `{"error":{"code":401,"message":"No auth credentials found"}}`},
		{"wrong key", "POST", "/openai/v1/chat/completions", "sesame", greeting, 401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`},
		{"wrong key", "POST", "/v1beta/openai/chat/completions", "sesame", greeting, 401, `{"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED"}}`},
		{"wrong key", "POST", "/v1/messages", "sesame", greeting, 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_011C92fc6e1149848b6bfa24"}`},
		{"wrong model", "POST", chat, "k", `{"model":"<b>","messages":[]}`, 404, "{\"error\":{\"message\":\"The model `<b>` does not exist or you do not have access to it.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}"},
		{"wrong model", "POST", "/v1/messages", "k", `{"model":"x"}`, 404, `{"type":"error","error":{"type":"not_found_error","message":"model: x"},"request_id":"req_011C92fc6e1149848b6bfa24"}`},
		{"wrong model", "POST", "/openai/deployments/x/chat/completions", "k", `{}`, 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment x does not exist."}}`},
		{"wrong model", "POST", "/v1beta/models/x:generateContent", "k", `{}`, 404, `{"error":{"code":404,"message":"models/x is not found, or is not supported for generateContent.","status":"NOT_FOUND"}}`},
		{"wrong model", "POST", "/v1/models/x:streamGenerateContent", "k", `{}`, 404, `[{"error":{"code":404,"message":"models/x is not found, or is not supported for generateContent.","status":"NOT_FOUND"}}]`},
		{"wrong model", "POST", "/chat/completions", "k", `{"model":"x"}`, 404, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`},
		{"wrong model", "POST", "/api/v1/chat/completions", "k", `{"model":"x"}`, 404, `{"error":{"code":404,"message":"No endpoints found for x."}}`},
		{"wrong model", "GET", "/v1/models/x", "k", ``, 404, "{\"error\":{\"message\":\"The model `x` does not exist or you do not have access to it.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}"},
		{"no JSON", "POST", chat, "k", `{"model":"gpt",`, 400, `{"error":{"message":"The body of the request is not valid JSON.","type":"invalid_request_error","param":null,"code":null}}`},
		{"no object", "POST", "/v1/messages", "k", `[]`, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"The body of the request is not valid JSON."},"request_id":"req_011C92fc6e1149848b6bfa24"}`},
		{"no model", "POST", chat, "k", `{}`, 400, `{"error":{"message":"Missing required parameter: 'model'.","type":"invalid_request_error","param":"model","code":"missing_required_parameter"}}`},
		{"no messages", "POST", chat, "k", `{"model":"gpt"}`, 400, `{"error":{"message":"Missing required parameter: 'messages'.","type":"invalid_request_error","param":"messages","code":"missing_required_parameter"}}`},
		{"wrong messages", "POST", chat, "k", `{"model":"gpt","messages":"hello"}`, 400, `{"error":{"message":"Invalid 'messages': must be an array.","type":"invalid_request_error","param":"messages","code":"invalid_value"}}`},
		{"wrong size", "POST", chat, "k", `{"model":"gpt","max_tokens":0,"messages":[{"role":"user"}]}`, 400, `{"error":{"message":"Invalid 'max_tokens': must be a whole number of at least 1.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`},
		{"wrong flag", "POST", chat, "k", `{"model":"gpt","stream":"yes","messages":[{"role":"user"}]}`, 400, `{"error":{"message":"Invalid 'stream': must be true or false.","type":"invalid_request_error","param":"stream","code":"invalid_value"}}`},
		{"too many numbers", "POST", "/v1/embeddings", "k", `{"model":"gpt","input":"x","dimensions":9999}`, 400, `{"error":{"message":"Invalid 'dimensions': must be at most 3072.","type":"invalid_request_error","param":"dimensions","code":"invalid_value"}}`},
		{"no input", "POST", "/v1/embeddings", "k", `{"model":"gpt","input":[]}`, 400, `{"error":{"message":"Missing required parameter: 'input'.","type":"invalid_request_error","param":"input","code":"missing_required_parameter"}}`},
	} {
		t.Run(c.name+" "+c.path, func(t *testing.T) {
			f := newFront(t, DialectOpenAI)
			r := f.request(c.path, c.body)
			r.Method = c.method
			if r.Header.Del("Authorization"); c.key != "" {
				r.Header.Set("Authorization", "Bearer "+c.key)
			}
			_, page := f.codec.Read(0, r, []byte(c.body))
			if page == nil {
				t.Fatal("it was taken for a call")
			}
			if page.Status != c.status || string(page.Body) != c.want || page.Header.Get("Content-Type") != "application/json" {
				t.Errorf("got %d %s\nwant %d %s", page.Status, page.Body, c.status, c.want)
			}
			if c.status == 405 && page.Header.Get("Allow") == "" {
				t.Errorf("a 405 must say what is allowed: %v", page.Header)
			}
		})
	}
}

func pageBody(p *Page) string {
	if p == nil {
		return ""
	}
	return string(p.Body)
}

// TestReadAnthropic: what only Anthropic asks for.
func TestReadAnthropic(t *testing.T) {
	f := newFront(t, DialectAnthropic)
	r := f.request("/v1/messages", greeting)
	if _, page := f.codec.Read(0, r, []byte(greeting)); !strings.Contains(pageBody(page), `"max_tokens: Field required"`) {
		t.Errorf("without max_tokens: %s", pageBody(page))
	}
	r.Header.Del("Anthropic-Version")
	if _, page := f.codec.Read(0, r, []byte(greeting)); !strings.Contains(pageBody(page), `"anthropic-version: Field required"`) {
		t.Errorf("without a version: %s", pageBody(page))
	}
}

// TestReadBadCall: a CallHeader that cannot be read is a 400.
func TestReadBadCall(t *testing.T) {
	f := newFront(t, DialectOpenAI)
	r := f.request("/v1/chat/completions", greeting)
	r.Header.Set(CallHeader, "id=1")
	_, page := f.codec.Read(0, r, []byte(greeting))
	if page == nil || page.Status != 400 || !strings.Contains(pageBody(page), "must have id and try") {
		t.Errorf("%s", pageBody(page))
	}
}

// TestReadKeys: where each vendor looks for the key.
func TestReadKeys(t *testing.T) {
	for _, c := range []struct{ path, header, value string }{
		{"/v1/chat/completions", "Authorization", "Bearer k"},
		{"/v1/messages", "X-Api-Key", "k"},
		{"/v1/messages", "Authorization", "Bearer k"},
		{"/openai/deployments/gpt/chat/completions", "Api-Key", "k"},
		{"/openai/v1/chat/completions", "Authorization", "Bearer k"},
		{"/v1beta/models/gpt:generateContent", "X-Goog-Api-Key", "k"},
		{"/v1beta/models/gpt:generateContent?key=k", "X-Nothing", ""},
		{"/v1beta/openai/chat/completions", "Authorization", "Bearer k"},
	} {
		f := newFront(t, DialectOpenAI)
		body := `{"model":"gpt","max_tokens":5,"messages":[{"role":"user","content":"x"}],"contents":[{"parts":[{"text":"x"}]}]}`
		r := f.request(c.path, body)
		r.Header.Del("Authorization")
		r.Header.Set(c.header, c.value)
		if _, page := f.codec.Read(0, r, []byte(body)); page != nil {
			t.Errorf("%s, %s: %s", c.path, c.header, page.Body)
		}
	}
}

// TestReadLists: the models, in three forms.
func TestReadLists(t *testing.T) {
	for _, c := range []struct{ path, version, want string }{
		{"/v1/models", "", `{"object":"list","data":[{"id":"gpt","object":"model","created":1767600000,"owned_by":"acme"}]}`},
		{"/v1/models/gpt", "", `{"id":"gpt","object":"model","created":1767600000,"owned_by":"acme"}`},
		{"/api/v1/models/acme/gpt", "", `{"id":"gpt","object":"model","created":1767600000,"owned_by":"acme"}`},
		{"/v1/models", "2023-06-01", `{"data":[{"type":"model","id":"gpt","display_name":"gpt","created_at":"2026-01-05T08:00:00Z"}],"has_more":false,"first_id":"gpt","last_id":"gpt"}`},
		{"/v1beta/models", "", `{"models":[{"name":"models/gpt","displayName":"gpt","supportedGenerationMethods":["generateContent"]}]}`},
		{"/v1beta/models/gpt", "", `{"name":"models/gpt","displayName":"gpt","supportedGenerationMethods":["generateContent"]}`},
		{"/v1beta/openai/models", "", `{"object":"list","data":[{"id":"gpt","object":"model","created":1767600000,"owned_by":"acme"}]}`},
	} {
		f := newFront(t, DialectOpenAI)
		r := f.request(c.path, "")
		r.Method = http.MethodGet
		if c.version != "" {
			r.Header.Set("Anthropic-Version", c.version)
		}
		if _, page := f.codec.Read(0, r, nil); page == nil || page.Status != 200 || string(page.Body) != c.want {
			t.Errorf("%s: %s\nwant %s", c.path, pageBody(page), c.want)
		}
	}
}

// TestReadVendors: of models with one name the one of the path's vendor is taken.
func TestReadVendors(t *testing.T) {
	cfg := fleet(2, 1)
	cfg.Models[0].Name, cfg.Models[1].Name = "gpt", "gpt"
	cfg.Models[1].Vendor, cfg.Models[1].Dialect = "azure", DialectAzure
	cfg.Keys[0].Quotas = []int{0, -1}
	f := front{t: t, codec: NewCodec(mustNew(t, cfg), CodecConfig{Secrets: []string{"k"}})}
	for path, want := range map[string]int{"/v1/chat/completions": 0, "/api/v1/chat/completions": 0, "/openai/v1/chat/completions": 1} {
		a, page := f.codec.Read(0, f.request(path, greeting), []byte(greeting))
		if page != nil || a.Call.Model != want {
			t.Errorf("%s: model %d, want %d: %s", path, a.Call.Model, want, pageBody(page))
		}
	}
	azure := strings.Replace(greeting, "gpt", "azure/gpt", 1)
	if a, page := f.codec.Read(0, f.request("/v1/chat/completions", azure), []byte(azure)); page != nil || a.Call.Model != 1 {
		t.Errorf("with its vendor's name: model %d: %s", a.Call.Model, pageBody(page))
	}
}

// TestSeat: guests get keys in the order in which they come, and keep them.
func TestSeat(t *testing.T) {
	codec := NewCodec(mustNew(t, fleet(1, 4)), CodecConfig{FirstGuest: 1, Guests: 2})
	f := front{t: t, codec: codec}
	body := strings.Replace(greeting, "gpt", "m", 1)
	for _, c := range []struct {
		secret string
		key    int // -1: 401
	}{{"ann", 1}, {"bob", 2}, {"ann", 1}, {"cid", -1}, {"k0", 0}, {"k3", 3}, {"k1", -1}, {"bob", 2}} {
		r := f.request("/v1/chat/completions", body)
		r.Header.Set("Authorization", "Bearer "+c.secret)
		a, page := codec.Read(0, r, []byte(body))
		if page != nil {
			t.Fatalf("%s: %s", c.secret, page.Body)
		}
		page = codec.Seat(&a)
		if a.Call.Key != c.key || (page != nil) != (c.key < 0) || page != nil && page.Status != 401 {
			t.Errorf("%s: key %d, page %v, want %d", c.secret, a.Call.Key, page, c.key)
		}
	}
}

func TestNewCodecPanics(t *testing.T) {
	for _, cfg := range []CodecConfig{{Secrets: []string{"a", "b"}}, {FirstGuest: 1, Guests: 1}, {FirstGuest: -1}, {Guests: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: no panic", cfg)
				}
			}()
			NewCodec(mustNew(t, single(0, 0)), cfg)
		}()
	}
}

// TestDraw: the lengths of answers are as documented.
func TestDraw(t *testing.T) {
	var all []int64
	for i := range uint64(10_000) {
		all = append(all, draw(mix(i+golden)))
	}
	slices.Sort(all)
	if low, median, high := all[500], all[5000], all[9500]; low != 84 || median != 200 || high != 475 {
		t.Errorf("5 %%, 50 %%, 95 %%: %d, %d, %d", low, median, high)
	}
	if draw(0) != 12 || draw(1<<32-1) != 3200 {
		t.Errorf("from %d to %d", draw(0), draw(1<<32-1))
	}
}

// FuzzRead: whatever comes, it is answered: with a call that can be admitted and answered, or with a page.
func FuzzRead(f *testing.F) {
	f.Add("POST", "/v1/chat/completions", greeting, "")
	f.Add("POST", "/v1/messages", `{"model":"gpt","max_tokens":5,"system":"a","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`, "")
	f.Add("POST", "/v1beta/models/gpt:streamGenerateContent", `{"contents":[{"parts":[{"text":"x"}]}]}`, "")
	f.Add("POST", "/v1/embeddings", `{"model":"gpt","input":[[1,2],"x"],"dimensions":3,"encoding_format":"base64"}`, "")
	f.Add("POST", "/v1/chat/completions", `{"model":"gpt","stream":tr`, "id=1;try=1;in=5;out=9")
	f.Add("GET", "/v1/models", "", "")
	f.Fuzz(func(t *testing.T, method, path, body, call string) {
		fr := newFront(t, DialectOpenAI)
		r := fr.request("/v1/messages", "")
		r.Method, r.URL.Path = method, path
		if call != "" {
			r.Header.Set(CallHeader, call)
		}
		a, page := fr.codec.Read(time.Second, r, []byte(body))
		if page != nil {
			checkJSON(t, page.Body)
			return
		}
		plan := fr.p.Admit(time.Second, a.Call)
		used := fr.p.Usage(plan.ID)
		checkJSON(t, fr.codec.Body(nil, &a, &plan, used))
		if plan.Status == 200 && a.Stream {
			checkStream(t, &a, fr.stream(&a, &plan, used, 1+used.Out/3), used)
		}
		fr.p.Complete(plan.End, plan.ID)
	})
}

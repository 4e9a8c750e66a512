package mockupstream

import (
	"encoding/json"
	"strings"
	"testing"
)

// newNamed is a front whose model has another name.
func newNamed(t fataler, d Dialect, name string) front {
	cfg := speaking(d, Quota{Name: "q"})
	cfg.Models[0].Name = name
	p := mustNew(t, cfg)
	return front{t, p, NewCodec(p, CodecConfig{})}
}

// TestVectors: a vector is as long as the request says, or else as the model's are.
func TestVectors(t *testing.T) {
	for _, c := range []struct {
		model, more string
		size        int
	}{
		{"text-embedding-3-small", ``, 1536},
		{"text-embedding-3-large", ``, 3072},
		{"text-embedding-3-small", `,"dimensions":256`, 256},
		{"own", ``, embedDefault},
		{"own", `,"dimensions":3072`, 3072},
	} {
		f := newNamed(t, DialectOpenAI, c.model)
		a, plan, used := f.call("/v1/embeddings", `{"model":"`+c.model+`","input":"x"`+c.more+`}`)
		var got struct {
			Data []struct{ Embedding []float64 }
		}
		if err := json.Unmarshal(f.codec.Body(nil, &a, &plan, used), &got); err != nil || len(got.Data) != 1 || len(got.Data[0].Embedding) != c.size {
			t.Errorf("%s%s: %v, %d vectors", c.model, c.more, err, len(got.Data))
		}
	}
}

// TestTasks: a model is asked for what it can do, and says so in its vendor's words if not.
func TestTasks(t *testing.T) {
	const chat, vectors = "/v1/chat/completions", "/v1/embeddings"
	for _, c := range []struct {
		dialect           Dialect
		model, path, body string
		status            int
		want              string
	}{
		{DialectOpenAI, "gpt-4.1", vectors, `"input":"x"`, 403, `{"error":{"message":"You are not allowed to generate embeddings from this model","type":"invalid_request_error","param":null,"code":null}}`},
		{DialectOpenAI, "text-embedding-3-small", chat, `"messages":[{"role":"user","content":"x"}]`, 403, `{"error":{"message":"You are not allowed to sample from this model",`},
		{DialectAzure, "gpt-4.1-azure", vectors, `"input":"x"`, 400, `{"error":{"code":"OperationNotSupported","message":"The embeddings operation does not work with the specified model, gpt-4.1-azure.`},
		{DialectAzure, "text-embedding-ada-002", chat, `"messages":[{"role":"user","content":"x"}]`, 400, `{"error":{"code":"OperationNotSupported","message":"The chatCompletion operation`},
		{DialectGemini, "gemini-2.5-pro", vectors, `"input":"x"`, 404, `{"error":{"code":404,"message":"models/gemini-2.5-pro is not found, or is not supported for embedContent.","status":"NOT_FOUND"}}`},
		{DialectGemini, "gemini-embedding-001", chat, `"messages":[{"role":"user","content":"x"}]`, 404, `{"error":{"code":404,"message":"models/gemini-embedding-001 is not found, or is not supported for generateContent."`},
		{DialectAnthropic, "claude-sonnet-4-5", vectors, `"input":"x"`, 404, `{"type":"error","error":{"type":"not_found_error",`},
		{DialectOpenRouter, "openai/gpt-4.1:free", vectors, `"input":"x"`, 404, `{"error":{"code":404,`},
		{DialectDeepSeek, "deepseek-v4-pro", vectors, `"input":"x"`, 404, `{"error":{"message":"You are not allowed`},
		{DialectOpenAI, "text-embedding-3-small", vectors, `"input":"x","dimensions":1537`, 400, `{"error":{"message":"Invalid 'dimensions': must be at most 1536."`},
		{DialectOpenAI, "own", vectors, `"input":""`, 400, `{"error":{"message":"'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.","type":"invalid_request_error","param":null,"code":null}}`},
		{DialectOpenAI, "own", vectors, `"input":["x",""]`, 400, `{"error":{"message":"'$.input' is invalid.`},
		{DialectOpenAI, "own", vectors, `"input":[[1],[]]`, 400, `{"error":{"message":"'$.input' is invalid.`},
		{DialectOpenAI, "own", vectors, `"input":"x"`, 0, ""},
		{DialectOpenAI, "own", vectors, `"input":"","input":"x"`, 0, ""},
		{DialectOpenAI, "own", chat, `"messages":[{"role":"user","content":"x"}]`, 0, ""},
	} {
		f := newNamed(t, c.dialect, c.model)
		body := `{"model":"` + c.model + `",` + c.body + `}`
		_, page := f.codec.Read(0, f.request(c.path, body), []byte(body))
		if page == nil {
			page = &Page{}
		}
		if page.Status != c.status || !strings.HasPrefix(string(page.Body), c.want) {
			t.Errorf("%s of %s, %s: %d %s\nwant %d %s", c.path, c.model, c.body, page.Status, page.Body, c.status, c.want)
		}
	}
}

package mockupstream

import (
	"strings"
	"testing"
)

// TestCodecBodies: the bytes of a whole answer, in each form and of each vendor.
func TestCodecBodies(t *testing.T) {
	for _, c := range []struct {
		name, path, body string
		dialect          Dialect
		want             string
	}{
		{
			"openai", "/v1/chat/completions", `{"model":"gpt","max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectOpenAI,
			`{"id":"chatcmpl-5e955f653177ef57ea9f24e2cd277","object":"chat.completion","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"message":{"role":"assistant","content":"men sat ate ","refusal":null},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}`,
		},
		{
			"azure", "/openai/deployments/gpt/chat/completions?api-version=2024-05-01-preview", `{"max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectAzure,
			`{"id":"chatcmpl-73318c2dae892ce122f00df932e01","object":"chat.completion","created":1767600000,"model":"gpt","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"message":{"role":"assistant","content":"his old red ","refusal":null},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}`,
		},
		{
			"deepseek", "/chat/completions", `{"model":"gpt","max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectDeepSeek,
			`{"id":"5e955f653177ef57ea9f24e2cd277007","object":"chat.completion","created":1767600000,"model":"gpt","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"message":{"role":"assistant","content":"men sat ate ","refusal":null},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6,"prompt_tokens_details":{"cached_tokens":0},"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":3}}`,
		},
		{
			"openrouter", "/api/v1/chat/completions", `{"model":"acme/gpt","max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectOpenRouter,
			`{"id":"gen-403ae1a755505d28f2c3","object":"chat.completion","created":1767600000,"model":"gpt","provider":"acme","choices":[{"index":0,"message":{"role":"assistant","content":"she let her ","refusal":null},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6,"cost":0.00003375,"is_byok":false,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}`,
		},
		{
			"gemini in openai's form", "/v1beta/openai/chat/completions", `{"model":"gpt","max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectGemini,
			`{"id":"chatcmpl-5e955f653177ef57ea9f24e2cd277","object":"chat.completion","created":1767600000,"model":"gpt","choices":[{"index":0,"message":{"role":"assistant","content":"men sat ate ","refusal":null},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}`,
		},
		{
			"anthropic", "/v1/messages", `{"model":"gpt","max_tokens":3,"messages":[{"role":"user","content":"Hello, you, and all the others."}]}`, DialectAnthropic,
			`{"id":"msg_019cae41109fb90dde924243","type":"message","role":"assistant","model":"gpt","content":[{"type":"text","text":"and his old "}],"stop_reason":"max_tokens","stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":8,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":8,"ephemeral_1h_input_tokens":0},"output_tokens":3,"service_tier":"standard"}}`,
		},
		{
			"gemini", "/v1beta/models/gpt:generateContent", `{"generationConfig":{"maxOutputTokens":3},"contents":[{"parts":[{"text":"Hello, you."}]}]}`, DialectGemini,
			`{"candidates":[{"content":{"parts":[{"text":"let her own "}],"role":"model"},"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":3,"cachedContentTokenCount":0,"candidatesTokenCount":3,"thoughtsTokenCount":0,"totalTokenCount":6},"modelVersion":"gpt","responseId":"7d7107d98be3b9e7fed001"}`,
		},
		{
			"embeddings", "/v1/embeddings", `{"model":"gpt","input":["one","and another"],"dimensions":4}`, DialectOpenAI,
			`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,0.5,-0.5,-0.5]},{"object":"embedding","index":1,"embedding":[0.5,-0.5,0.5,-0.5]}],"model":"gpt","usage":{"prompt_tokens":4,"total_tokens":4}}`,
		},
		{
			"embeddings, packed", "/v1/embeddings", `{"model":"gpt","input":"one","dimensions":4,"encoding_format":"base64"}`, DialectOpenAI,
			`{"object":"list","data":[{"object":"embedding","index":0,"embedding":"AAAAPwAAAD8AAAC/AAAAvw=="}],"model":"gpt","usage":{"prompt_tokens":1,"total_tokens":1}}`,
		},
		{
			"embeddings of tokens", "/v1/embeddings", `{"model":"gpt","input":[[1,2,3],[4]],"dimensions":4}`, DialectOpenAI,
			`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,0.5,-0.5,-0.5]},{"object":"embedding","index":1,"embedding":[-0.5,-0.5,-0.5,0.5]}],"model":"gpt","usage":{"prompt_tokens":4,"total_tokens":4}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFront(t, c.dialect)
			a, plan, used := f.call(c.path, c.body)
			if got := string(f.codec.Body(nil, &a, &plan, used)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestCodecStreams: the bytes of a stream of three tokens in two pieces. Gemini ends lines with CRLF.
func TestCodecStreams(t *testing.T) {
	for _, c := range []struct {
		name, path, body string
		dialect          Dialect
		want             string
	}{
		{
			"openai", "/v1/chat/completions", `{"model":"gpt","stream":true,"max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectOpenAI,
			`data: {"id":"chatcmpl-6b314dda28e4670867c90a7124adc","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"obfuscation":"67c90a71"}

data: {"id":"chatcmpl-6b314dda28e4670867c90a7124adc","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"content":"big dog "},"logprobs":null,"finish_reason":null}],"obfuscation":"8e2b2783"}

data: {"id":"chatcmpl-6b314dda28e4670867c90a7124adc","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"content":"run "},"logprobs":null,"finish_reason":null}],"obfuscation":"f25e6053"}

data: {"id":"chatcmpl-6b314dda28e4670867c90a7124adc","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}],"obfuscation":"a58055fd"}

data: [DONE]

`,
		},
		{
			"openai with usage", "/v1/chat/completions", `{"model":"gpt","stream":true,"stream_options":{"include_usage":true},"max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectOpenAI,
			`data: {"id":"chatcmpl-3aa079ee23e80ee8ba164bb4ed498","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"ba164bb4"}

data: {"id":"chatcmpl-3aa079ee23e80ee8ba164bb4ed498","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"content":"hot pie "},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"f62b03f6"}

data: {"id":"chatcmpl-3aa079ee23e80ee8ba164bb4ed498","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"content":"had "},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"8e66579c"}

data: {"id":"chatcmpl-3aa079ee23e80ee8ba164bb4ed498","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}],"usage":null,"obfuscation":"7c44da9a"}

data: {"id":"chatcmpl-3aa079ee23e80ee8ba164bb4ed498","object":"chat.completion.chunk","created":1767600000,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0b6df5a4eb","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}

data: [DONE]

`,
		},
		{
			"deepseek", "/chat/completions", `{"model":"gpt","stream":true,"max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectDeepSeek,
			`data: {"id":"6b314dda28e4670867c90a7124adc69a","object":"chat.completion.chunk","created":1767600000,"model":"gpt","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}

data: {"id":"6b314dda28e4670867c90a7124adc69a","object":"chat.completion.chunk","created":1767600000,"model":"gpt","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"content":"big dog "},"logprobs":null,"finish_reason":null}]}

data: {"id":"6b314dda28e4670867c90a7124adc69a","object":"chat.completion.chunk","created":1767600000,"model":"gpt","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{"content":"run "},"logprobs":null,"finish_reason":null}]}

data: {"id":"6b314dda28e4670867c90a7124adc69a","object":"chat.completion.chunk","created":1767600000,"model":"gpt","system_fingerprint":"fp_0b6df5a4eb","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}]}

data: [DONE]

`,
		},
		{
			"openrouter", "/api/v1/chat/completions", `{"model":"acme/gpt","stream":true,"max_tokens":3,"messages":[{"role":"user","content":"Hello, you."}]}`, DialectOpenRouter,
			`data: {"id":"gen-3c7ba08690c43ca58c86","object":"chat.completion.chunk","created":1767600000,"model":"gpt","provider":"acme","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}

data: {"id":"gen-3c7ba08690c43ca58c86","object":"chat.completion.chunk","created":1767600000,"model":"gpt","provider":"acme","choices":[{"index":0,"delta":{"content":"way but "},"logprobs":null,"finish_reason":null}]}

data: {"id":"gen-3c7ba08690c43ca58c86","object":"chat.completion.chunk","created":1767600000,"model":"gpt","provider":"acme","choices":[{"index":0,"delta":{"content":"not "},"logprobs":null,"finish_reason":null}]}

data: {"id":"gen-3c7ba08690c43ca58c86","object":"chat.completion.chunk","created":1767600000,"model":"gpt","provider":"acme","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6,"cost":0.00003375,"is_byok":false,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}

data: [DONE]

`,
		},
		{
			"anthropic", "/v1/messages", `{"model":"gpt","stream":true,"max_tokens":3,"messages":[{"role":"user","content":"Hello, you, and all the others."}]}`, DialectAnthropic,
			`event: message_start
data: {"type":"message_start","message":{"id":"msg_01b5353a18e2da3e3196267a","type":"message","role":"assistant","model":"gpt","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":8,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":8,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"but not "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"yet "}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"input_tokens":0,"cache_creation_input_tokens":8,"cache_read_input_tokens":0,"output_tokens":3}}

event: message_stop
data: {"type":"message_stop"}

`,
		},
		{
			"gemini", "/v1beta/models/gpt:streamGenerateContent?alt=sse", `{"generationConfig":{"maxOutputTokens":3},"contents":[{"parts":[{"text":"Hello, you."}]}]}`, DialectGemini,
			`data: {"candidates":[{"content":{"parts":[{"text":"let her "}],"role":"model"},"index":0}],"modelVersion":"gpt","responseId":"7d7107d98be3b9e7fed001"}

data: {"candidates":[{"content":{"parts":[{"text":"own "}],"role":"model"},"index":0}],"modelVersion":"gpt","responseId":"7d7107d98be3b9e7fed001"}

data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":3,"cachedContentTokenCount":0,"candidatesTokenCount":3,"thoughtsTokenCount":0,"totalTokenCount":6},"modelVersion":"gpt","responseId":"7d7107d98be3b9e7fed001"}

`,
		},
		{
			"gemini, an array", "/v1beta/models/gpt:streamGenerateContent", `{"generationConfig":{"maxOutputTokens":3},"contents":[{"parts":[{"text":"Hello, you."}]}]}`, DialectGemini,
			`[{"candidates":[{"content":{"parts":[{"text":"let her "}],"role":"model"},"index":0}],"modelVersion":"gpt","responseId":"7d7107d98be3b9e7fed001"},
{"candidates":[{"content":{"parts":[{"text":"own "}],"role":"model"},"index":0}],"modelVersion":"gpt","responseId":"7d7107d98be3b9e7fed001"},
{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":3,"cachedContentTokenCount":0,"candidatesTokenCount":3,"thoughtsTokenCount":0,"totalTokenCount":6},"modelVersion":"gpt","responseId":"7d7107d98be3b9e7fed001"}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFront(t, c.dialect)
			a, plan, used := f.call(c.path, c.body)
			if a.Form == FormGemini {
				c.want = strings.ReplaceAll(c.want, "\n", "\r\n")
			}
			if got := string(f.stream(&a, &plan, used, 2)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

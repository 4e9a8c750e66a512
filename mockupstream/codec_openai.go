package mockupstream

import (
	"strconv"
	"time"
)

// openAIStart appends the beginning of an object in OpenAI's form, up to what is in its only choice.
func (r response) openAIStart(dst []byte, object string) []byte {
	dst = append(append(dst, `{"id":"`...), r.face.id...)
	dst = appendID(dst, r.hash, r.face.digits)
	dst = append(append(dst, `","object":"`...), object...)
	created := (int64(r.p.clock) + int64(r.plan.At)) / int64(time.Second)
	dst = appendField(dst, `","created":`, created)
	return append(dst, r.face.after...)
}

func (r response) openAIBody(dst []byte, used Usage) []byte {
	dst = r.openAIStart(dst, "chat.completion")
	dst = append(dst, `"message":{"role":"assistant","content":"`...)
	dst = r.words(dst, 0, used.Out)
	dst = append(dst, `","refusal":null},"logprobs":null,"finish_reason":`...)
	dst = append(append(dst, r.openAIFinish()...), `}],"usage":`...)
	return append(r.openAIUsage(dst, used), '}')
}

func (r response) openAIFinish() string {
	if r.cut() {
		return `"length"`
	}
	return `"stop"`
}

// openAIChunk opens a chunk; openAIEnd ends it.
func (r response) openAIChunk(dst []byte) []byte {
	return r.openAIStart(append(dst, "data: "...), "chat.completion.chunk")
}

// openAIEnd ends a chunk. If usage was asked for it is null in all chunks but the one that tells it, and OpenAI
// fills every chunk up with letters that mean nothing.
func (r response) openAIEnd(dst []byte, at uint64) []byte {
	dst = append(dst, "}]"...)
	if r.ask.Usage && r.face.dialect != DialectOpenRouter {
		dst = append(dst, `,"usage":null`...)
	}
	if r.face.dialect == DialectOpenAI {
		dst = append(dst, `,"obfuscation":"`...)
		dst = append(appendID(dst, mix(r.hash+at), 8), '"')
	}
	return append(dst, "}\n\n"...)
}

func (r response) openAIBegin(dst []byte) []byte {
	dst = r.openAIChunk(dst)
	dst = append(dst, `"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null`...)
	return r.openAIEnd(dst, 0)
}

func (r response) openAITokens(dst []byte, from, to int64) []byte {
	dst = append(r.openAIChunk(dst), `"delta":{"content":"`...)
	dst = r.words(dst, from, to)
	dst = append(dst, `"},"logprobs":null,"finish_reason":null`...)
	return r.openAIEnd(dst, uint64(to))
}

// openAIClose: OpenRouter tells the usage in the last chunk, unasked, the others in one more without a choice.
func (r response) openAIClose(dst []byte, used Usage) []byte {
	dst = append(r.openAIChunk(dst), `"delta":{},"logprobs":null,"finish_reason":`...)
	dst = append(dst, r.openAIFinish()...)
	switch {
	case r.face.dialect == DialectOpenRouter:
		dst = r.openAIUsage(append(dst, `}],"usage":`...), used)
		dst = append(dst, "}\n\n"...)
	case r.ask.Usage:
		dst = r.openAIEnd(dst, most)
		dst = r.openAIChunk(dst)
		dst = dst[:len(dst)-len(`{"index":0,`)]
		dst = r.openAIUsage(append(dst, `],"usage":`...), used)
		dst = append(dst, "}\n\n"...)
	default:
		dst = r.openAIEnd(dst, most)
	}
	return append(dst, "data: [DONE]\n\n"...)
}

// openAIUsage appends the usage with what each vendor adds of its own.
func (r response) openAIUsage(dst []byte, used Usage) []byte {
	dst = appendField(dst, `{"prompt_tokens":`, used.In)
	dst = appendField(dst, `,"completion_tokens":`, used.Out)
	dst = appendField(dst, `,"total_tokens":`, used.In+used.Out)
	written := r.written(used)
	switch r.face.dialect {
	case DialectDeepSeek:
		dst = appendField(dst, `,"prompt_tokens_details":{"cached_tokens":`, used.Cached)
		dst = appendField(dst, `},"prompt_cache_hit_tokens":`, used.Cached)
		dst = appendField(dst, `,"prompt_cache_miss_tokens":`, used.In-used.Cached)
		return append(dst, '}')
	case DialectOpenRouter:
		dst = append(dst, `,"cost":`...)
		dst = appendUSD(dst, r.face.price.Rates(r.plan.Long).Cost(used, written))
		dst = append(dst, `,"is_byok":false`...)
	}
	dst = appendField(dst, `,"prompt_tokens_details":{"cached_tokens":`, used.Cached)
	dst = appendField(dst, `,"cache_write_tokens":`, written)
	return append(dst, `,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`...)
}

// written is how much of the billed prompt was written to the cache.
func (r response) written(used Usage) int64 {
	return min(r.plan.CacheWrite, max(0, used.In-used.Cached))
}

// appendUSD appends pico-USD as a number of USD.
func appendUSD(dst []byte, pico int64) []byte {
	const one = 1_000_000_000_000
	dst = strconv.AppendInt(dst, pico/one, 10)
	rest := pico % one
	if rest == 0 {
		return dst
	}
	at := len(dst)
	dst = strconv.AppendInt(dst, one+rest, 10) // twelve digits after a 1, which becomes the point
	dst[at] = '.'
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

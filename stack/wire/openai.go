package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// appendOpenAI writes the fields that have other names or forms elsewhere.
func appendOpenAI(dst []byte, r *Request) []byte {
	if r.Stream {
		dst = append(appendName(dst, "stream_options"), `{"include_usage":true}`...)
	}
	if r.MaxOut > 0 {
		name := "max_tokens"
		if r.MaxCompletion {
			name = "max_completion_tokens"
		}
		dst = strconv.AppendInt(appendName(dst, name), r.MaxOut, 10)
	}
	if len(r.Prompt.Stop) > 0 {
		dst = appendStrings(appendName(dst, "stop"), r.Prompt.Stop)
	}
	return dst
}

// openAIReply is a whole answer, and a chunk of a stream.
type openAIReply struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Choices []openAIChoice  `json:"choices"`
	Usage   *openAIUsage    `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type openAIChoice struct {
	Index        int64           `json:"index"`
	Message      openAIMessage   `json:"message"` // of a whole answer
	Delta        openAIMessage   `json:"delta"`   // of a chunk
	FinishReason string          `json:"finish_reason"`
	Error        json.RawMessage `json:"error"` // OpenRouter
}

// openAIMessage: all but the content only tells that something was generated.
type openAIMessage struct {
	Content          content `json:"content"`
	ReasoningContent sign    `json:"reasoning_content"` // DeepSeek
	Reasoning        sign    `json:"reasoning"`         // OpenRouter
	Refusal          sign    `json:"refusal"`
	ToolCalls        sign    `json:"tool_calls"`
	FunctionCall     sign    `json:"function_call"`
}

func (m *openAIMessage) empty() bool {
	return m.Content.text == "" && !m.Content.more &&
		!bool(m.ReasoningContent || m.Reasoning || m.Refusal || m.ToolCalls || m.FunctionCall)
}

type openAIUsage struct {
	PromptTokens     int64 `json:"prompt_tokens"` // cached ones included
	CompletionTokens int64 `json:"completion_tokens"`
	Details          struct {
		CachedTokens int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
}

func (u *openAIUsage) usage() Usage {
	in := tokens(u.PromptTokens)
	cached := max(tokens(u.Details.CachedTokens), tokens(u.CacheHit))
	return Usage{In: in, Cached: min(cached, in), Out: tokens(u.CompletionTokens)}
}

// fault returns the error that stands in the answer, or nil.
func (a *openAIReply) fault() json.RawMessage {
	if told(a.Error) {
		return a.Error
	}
	for i := range a.Choices {
		if told(a.Choices[i].Error) {
			return a.Choices[i].Error
		}
	}
	return nil
}

// note puts what an answer or a chunk says of itself into the reply. Usage is of the whole
// answer wherever it stands: what is said last is what counts.
func (a *openAIReply) note(r *Reply) {
	if a.ID != "" {
		r.ID = a.ID
	}
	if a.Model != "" {
		r.Model = a.Model
	}
	if a.Usage != nil {
		r.Usage, r.HasUsage = a.Usage.usage(), true
	}
}

// finishError is OpenRouter's finish_reason of an answer that failed. An error object says why.
const finishError = "error"

func readOpenAI(body []byte) (r Reply, p *Problem) {
	a, err := decode[openAIReply](body)
	if err != nil {
		return r, unreadable(body, err)
	}
	a.note(&r)
	found := false
	for i := range a.Choices {
		if c := &a.Choices[i]; c.Index == 0 && !found {
			found = true
			r.Text, r.Finish = c.Message.Content.text, c.FinishReason
		}
	}
	switch f := a.fault(); {
	case f != nil:
		p = inside(f)
	case r.Finish == finishError:
		p = failed()
	case !found:
		p = broken("the answer has no choice")
	}
	return r, p
}

// openAI takes an event of a stream.
func (s *Stream) openAI(name, data []byte) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[DONE]")) {
		s.finish()
		return
	}
	if string(name) == "error" {
		s.fail(inside(data))
		return
	}
	c, err := decode[openAIReply](data)
	if err != nil {
		s.fail(unreadable(data, err))
		return
	}
	c.note(&s.reply)
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index != 0 {
			continue
		}
		s.started = s.started || !choice.Delta.empty()
		s.add(choice.Delta.Content.text)
		if choice.FinishReason != "" {
			s.reply.Finish = choice.FinishReason
		}
	}
	if f := c.fault(); f != nil {
		s.fail(inside(f))
	} else if s.reply.Finish == finishError {
		s.fail(failed())
	}
}

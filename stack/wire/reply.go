package wire

import "bytes"

// Usage counts tokens as the provider bills them.
type Usage struct {
	In     int64 // all prompt tokens, cached ones included, whatever the vendor calls so
	Cached int64 // those of In that were read from the provider's prompt cache
	Out    int64 // reasoning included
}

// Reply is a complete answer.
type Reply struct {
	ID, Model string
	Finish    string // why it ended, as the vendor names it: "stop", "length", "end_turn"
	Text      string // of the first choice; thoughts and tool calls are not in it
	Usage     Usage
	HasUsage  bool
}

// maxTokens bounds what a provider may say was used, so that sums stay sums.
const maxTokens = 1 << 40

func tokens(n int64) int64 { return min(max(n, 0), maxTokens) }

// ReadReply understands the body of a 200 that is no stream: blank lines before it (DeepSeek sends
// them while a call waits), an error instead of it (OpenRouter, once it has begun), of which
// the kind is what the error says of itself. A body that is cut or is something else is Broken. One whose
// fields have other types than they should (a count with a fraction, a text in parts, a list in place of an
// object) is read as far as it goes.
func (f Format) ReadReply(body []byte) (Reply, *Problem) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, bom))
	switch {
	case len(body) == 0:
		return Reply{}, broken("the answer is empty")
	case f == Anthropic:
		return readAnthropic(body)
	}
	return readOpenAI(body)
}

// unreadable is the problem of a body that is no reply: an error in a form of its own, such as the
// array around Gemini's, or nothing that can be understood.
func unreadable(body []byte, err error) *Problem {
	if f := readFault(body); f.whole {
		return f.inner()
	}
	return broken("the answer cannot be read: " + err.Error())
}

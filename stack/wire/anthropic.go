package wire

import (
	"encoding/json"
	"strconv"
)

// appendAnthropic writes the fields that have other names or forms elsewhere.
func appendAnthropic(dst []byte, r *Request) []byte {
	limit := r.MaxOut
	if limit == 0 {
		limit = anthropicMaxOut
	}
	dst = strconv.AppendInt(appendName(dst, "max_tokens"), limit, 10)
	if len(r.Prompt.Stop) > 0 {
		dst = appendStrings(appendName(dst, "stop_sequences"), r.Prompt.Stop)
	}
	return dst
}

// anthropicReply is a whole answer, and the message of message_start.
type anthropicReply struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Model      string          `json:"model"`
	Content    content         `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      *anthropicUsage `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

// anthropicUsage: a stream tells it twice, and message_delta may leave a part out.
type anthropicUsage struct {
	Input      int64  `json:"input_tokens"` // neither read from the cache nor written to it
	CacheWrite int64  `json:"cache_creation_input_tokens"`
	CacheRead  int64  `json:"cache_read_input_tokens"`
	Output     *int64 `json:"output_tokens"`
}

// merge takes what is told later in the stream. Counts are cumulative: they are replaced, never
// added. The prompt's do not shrink, so a 0 there is one that was left out.
func (u *anthropicUsage) merge(later *anthropicUsage) {
	u.Input = max(u.Input, later.Input)
	u.CacheWrite = max(u.CacheWrite, later.CacheWrite)
	u.CacheRead = max(u.CacheRead, later.CacheRead)
	if later.Output != nil {
		u.Output = later.Output
	}
}

func (u *anthropicUsage) usage() Usage {
	cached := tokens(u.CacheRead)
	use := Usage{In: tokens(u.Input) + tokens(u.CacheWrite) + cached, Cached: cached}
	if u.Output != nil {
		use.Out = tokens(*u.Output)
	}
	return use
}

func readAnthropic(body []byte) (r Reply, p *Problem) {
	a, err := decode[anthropicReply](body)
	if err != nil {
		return r, unreadable(body, err)
	}
	r = Reply{ID: a.ID, Model: a.Model, Finish: a.StopReason, Text: a.Content.text}
	if a.Usage != nil {
		r.Usage, r.HasUsage = a.Usage.usage(), true
	}
	switch {
	case a.Type == "error" || told(a.Error):
		p = inside(body)
	case a.Type != "message" && !a.Content.there:
		p = broken("the answer has no content")
	}
	return r, p
}

// anthropicEvent is any event of a stream.
type anthropicEvent struct {
	Type    string          `json:"type"`
	Message *anthropicReply `json:"message"`       // message_start
	Block   contentPart     `json:"content_block"` // content_block_start
	Delta   struct {
		Text        string `json:"text"`
		Thinking    sign   `json:"thinking"`
		PartialJSON sign   `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"` // content_block_delta, message_delta
	Usage *anthropicUsage `json:"usage"` // message_delta
	Error json.RawMessage `json:"error"`
}

// anthropic takes an event of a stream. Events it does not know are ignored, as the vendor asks.
func (s *Stream) anthropic(name, data []byte) {
	switch string(name) {
	case "", "message", "message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop":
	case "error":
		s.fail(inside(data))
		return
	default:
		return
	}
	e, err := decode[anthropicEvent](data)
	if err != nil {
		s.fail(unreadable(data, err))
		return
	}
	if told(e.Error) {
		s.fail(inside(data))
		return
	}
	switch e.Type {
	case "message_start":
		if m := e.Message; m != nil {
			s.reply.ID, s.reply.Model = m.ID, m.Model
			s.count(m.Usage)
		}
	case "content_block_start":
		// Blocks of text and thought are opened empty; a tool's name is generated.
		s.started = s.started || e.Block.Text != "" || e.Block.Type != "text" && e.Block.Type != "thinking"
		s.add(e.Block.Text)
	case "content_block_delta":
		d := &e.Delta
		s.started = s.started || d.Text != "" || bool(d.Thinking || d.PartialJSON)
		s.add(d.Text)
	case "message_delta":
		if e.Delta.StopReason != "" {
			s.reply.Finish = e.Delta.StopReason
		}
		s.count(e.Usage)
	case "message_stop":
		s.finish()
	}
}

// count takes what an event says was used.
func (s *Stream) count(u *anthropicUsage) {
	if u == nil {
		return
	}
	s.usage.merge(u)
	s.reply.Usage, s.reply.HasUsage = s.usage.usage(), true
}

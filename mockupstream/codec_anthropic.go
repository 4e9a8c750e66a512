package mockupstream

const anthropicPing = "event: ping\ndata: {\"type\": \"ping\"}\n\n"

// anthropicStart appends a message up to its content.
func (r response) anthropicStart(dst []byte) []byte {
	dst = append(dst, `{"id":"msg_01`...)
	dst = appendID(dst, r.hash, 22)
	dst = append(append(dst, `","type":"message","role":"assistant","model":`...), r.face.name...)
	return append(dst, `,"content":[`...)
}

func (r response) anthropicBody(dst []byte, used Usage) []byte {
	dst = append(r.anthropicStart(dst), `{"type":"text","text":"`...)
	dst = r.words(dst, 0, used.Out)
	dst = append(append(dst, `"}],"stop_reason":`...), r.anthropicStop()...)
	dst = append(dst, `,"stop_sequence":null,"usage":`...)
	return append(r.anthropicUsage(dst, used, used.Out), '}')
}

func (r response) anthropicStop() string {
	if r.cut() {
		return `"max_tokens"`
	}
	return `"end_turn"`
}

// anthropicBegin: the first event tells the prompt's usage, and of the answer's next to nothing.
func (r response) anthropicBegin(dst []byte, used Usage) []byte {
	dst = append(dst, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"...)
	dst = append(r.anthropicStart(dst), `],"stop_reason":null,"stop_sequence":null,"usage":`...)
	dst = r.anthropicUsage(dst, used, min(1, used.Out))
	dst = append(dst, "}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"...)
	return append(dst, anthropicPing...)
}

func (r response) anthropicTokens(dst []byte, from, to int64) []byte {
	dst = append(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""...)
	dst = r.words(dst, from, to)
	return append(dst, "\"}}\n\n"...)
}

// anthropicClose: the usage is of the whole message, not of what came since the last event.
func (r response) anthropicClose(dst []byte, used Usage) []byte {
	dst = append(dst, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"...)
	dst = append(append(dst, r.anthropicStop()...), `,"stop_sequence":null},"usage":`...)
	dst = append(r.anthropicPrompt(dst, used), ',')
	dst = appendField(dst, `"output_tokens":`, used.Out)
	return append(dst, "}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
}

// anthropicPrompt opens a usage with the parts of the prompt, which add up to it.
func (r response) anthropicPrompt(dst []byte, used Usage) []byte {
	written := r.written(used)
	dst = appendField(dst, `{"input_tokens":`, used.In-used.Cached-written)
	dst = appendField(dst, `,"cache_creation_input_tokens":`, written)
	return appendField(dst, `,"cache_read_input_tokens":`, used.Cached)
}

func (r response) anthropicUsage(dst []byte, used Usage, out int64) []byte {
	dst = r.anthropicPrompt(dst, used)
	dst = appendField(dst, `,"cache_creation":{"ephemeral_5m_input_tokens":`, r.written(used))
	dst = appendField(dst, `,"ephemeral_1h_input_tokens":0},"output_tokens":`, out)
	return append(dst, `,"service_tier":"standard"}`...)
}

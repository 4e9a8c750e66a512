package mockupstream

// geminiEnd ends an event in Gemini's streams.
const geminiEnd = "\r\n\r\n"

func (r response) geminiBody(dst []byte, used Usage) []byte {
	dst = r.geminiText(dst, 0, used.Out)
	return r.geminiFinish(dst, used)
}

// geminiText appends a response up to its text's end and the author.
func (r response) geminiText(dst []byte, from, to int64) []byte {
	dst = append(dst, `{"candidates":[{"content":{"parts":[{"text":"`...)
	dst = r.words(dst, from, to)
	return append(dst, `"}],"role":"model"},`...)
}

// geminiTail ends a response.
func (r response) geminiTail(dst []byte) []byte {
	dst = append(append(dst, `,"modelVersion":`...), r.face.name...)
	dst = append(dst, `,"responseId":"`...)
	return append(appendID(dst, r.hash, 22), `"}`...)
}

// geminiFinish ends a response that is the last one. The prompt's tokens hold the cached ones.
func (r response) geminiFinish(dst []byte, used Usage) []byte {
	reason := "STOP"
	if r.cut() {
		reason = "MAX_TOKENS"
	}
	dst = append(append(dst, `"finishReason":"`...), reason...)
	dst = appendField(dst, `","index":0}],"usageMetadata":{"promptTokenCount":`, used.In)
	dst = appendField(dst, `,"cachedContentTokenCount":`, used.Cached)
	dst = appendField(dst, `,"candidatesTokenCount":`, used.Out)
	dst = appendField(dst, `,"thoughtsTokenCount":0,"totalTokenCount":`, used.In+used.Out)
	return r.geminiTail(append(dst, '}'))
}

// geminiBegin: a stream that is a JSON array opens it. In one, every piece but the last has its comma.
func (r response) geminiBegin(dst []byte) []byte {
	if r.ask.array {
		return append(dst, '[')
	}
	return dst
}

func (r response) geminiTokens(dst []byte, from, to int64) []byte {
	if !r.ask.array {
		dst = append(dst, "data: "...)
	}
	dst = append(r.geminiText(dst, from, to), `"index":0}]`...)
	dst = r.geminiTail(dst)
	if r.ask.array {
		return append(dst, ",\r\n"...)
	}
	return append(dst, geminiEnd...)
}

// geminiClose is a piece without text that tells the usage of all of them.
func (r response) geminiClose(dst []byte, used Usage) []byte {
	if !r.ask.array {
		dst = append(dst, "data: "...)
	}
	dst = r.geminiFinish(r.geminiText(dst, 0, 0), used)
	if r.ask.array {
		return append(dst, ']')
	}
	return append(dst, geminiEnd...)
}

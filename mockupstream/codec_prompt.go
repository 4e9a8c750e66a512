package mockupstream

// prompt is what a body says, as far as it matters.
type prompt struct {
	model         []byte // as it stands in the body
	stream, usage bool
	maxOut        int64
	system        spoken
	tools         spoken
	messages      spoken
	count         int    // of messages
	repeated      int64  // characters of the messages ahead of the model's last one
	opening       uint64 // hash of the messages up to the user's first one
	opened        bool
	inputs        embedInputs
	no            *objection // the first one
}

// spoken is a piece of the prompt.
type spoken struct {
	chars int64
	hash  uint64
}

// tokens is the estimate that vendors' own guides give: four characters a token, rounded up.
func tokens(chars int64) int64 { return (chars + 3) / 4 }

// read takes a body. One that is cut off, or no JSON, is read as far as it goes.
func (q *prompt) read(c *cursor, f Form) {
	if !c.open('{') {
		return
	}
	for i := 0; c.next(i, '}'); i++ {
		switch key := c.key(); f {
		case FormAnthropic:
			q.anthropic(c, key)
		case FormGemini:
			q.gemini(c, key)
		case FormEmbeddings:
			q.embeddings(c, key)
		default:
			q.openAI(c, key)
		}
	}
}

func (q *prompt) openAI(c *cursor, key []byte) {
	switch string(key) {
	case "messages":
		q.turns(c, "messages")
	case "tools", "functions":
		q.tools.whole(c)
	case "max_completion_tokens", "max_tokens":
		if n := q.size(c, string(key)); n > 0 {
			q.maxOut = n
		}
	case "stream_options":
		q.options(c)
	default:
		q.common(c, key)
	}
}

func (q *prompt) anthropic(c *cursor, key []byte) {
	switch string(key) {
	case "messages":
		q.turns(c, "messages")
	case "system":
		q.system.take(c)
	case "tools":
		q.tools.whole(c)
	case "max_tokens":
		q.maxOut = q.size(c, "max_tokens")
	default:
		q.common(c, key)
	}
}

func (q *prompt) gemini(c *cursor, key []byte) {
	switch string(key) {
	case "contents":
		q.turns(c, "contents")
	case "systemInstruction", "system_instruction":
		q.system.take(c)
	case "tools":
		q.tools.whole(c)
	case "generationConfig", "generation_config":
		if c.peek() != '{' {
			c.value()
			return
		}
		c.open('{')
		for i := 0; c.next(i, '}'); i++ {
			switch string(c.key()) {
			case "maxOutputTokens", "max_output_tokens":
				q.maxOut = q.size(c, "max_output_tokens")
			default:
				c.value()
			}
		}
	default:
		c.value()
	}
}

// common takes the fields that OpenAI and Anthropic share, and steps over all others.
func (q *prompt) common(c *cursor, key []byte) {
	switch string(key) {
	case "model":
		if c.peek() != '"' {
			c.value()
			q.object("model", "must be a string")
			return
		}
		q.model, _ = c.str()
	case "stream":
		q.stream = q.flag(c, "stream")
	default:
		c.value()
	}
}

// options takes OpenAI's stream_options.
func (q *prompt) options(c *cursor) {
	if c.peek() != '{' {
		c.value()
		return
	}
	c.open('{')
	for i := 0; c.next(i, '}'); i++ {
		switch string(c.key()) {
		case "include_usage":
			q.usage = q.flag(c, "stream_options.include_usage")
		default:
			c.value()
		}
	}
}

func (q *prompt) flag(c *cursor, name string) bool {
	yes, ok := c.flag()
	if !ok {
		q.object(name, "must be true or false")
	}
	return yes
}

func (q *prompt) size(c *cursor, name string) int64 {
	n, ok := c.size()
	if !ok {
		q.object(name, "must be a whole number of at least 1")
	}
	return n
}

// object notes what is wrong with a field.
func (q *prompt) object(param, detail string) {
	if q.no == nil {
		q.no = &objection{reason: invalid, param: param, detail: detail}
	}
}

// turns takes the messages.
func (q *prompt) turns(c *cursor, name string) {
	if c.peek() != '[' {
		c.value()
		q.object(name, "must be an array")
		return
	}
	c.open('[')
	for i := 0; c.next(i, ']'); i++ {
		if c.peek() != '{' {
			c.value()
			q.object(name, "must hold objects")
			continue
		}
		q.turn(c)
	}
}

// turn takes one message. Gemini's need not say that they are the user's.
func (q *prompt) turn(c *cursor) {
	before := q.messages.chars
	role := "user"
	c.open('{')
	for i := 0; c.next(i, '}'); i++ {
		key := c.key()
		if string(key) != "role" || c.peek() != '"' {
			q.messages.field(c, key)
			continue
		}
		switch raw, _ := c.str(); string(raw) {
		case "user":
		case "assistant", "model":
			role = "model"
		default:
			role = ""
		}
	}
	q.count++
	switch {
	case role == "model":
		q.repeated = before
	case role == "user" && !q.opened:
		q.opened, q.opening = true, q.messages.hash
	}
}

// take counts the text of a value: a string, parts of a message, or a list of them.
func (s *spoken) take(c *cursor) {
	switch c.peek() {
	case '"':
		raw, n := c.str()
		s.chars += n
		s.hash = digest(s.hash, raw)
	case '[':
		c.open('[')
		for i := 0; c.next(i, ']'); i++ {
			s.take(c)
		}
	case '{':
		c.open('{')
		for i := 0; c.next(i, '}'); i++ {
			s.field(c, c.key())
		}
	default:
		c.value()
	}
}

// field takes a field of a message or of a part: those that hold what is said, and what is said to tools and by
// them. Pictures and the like count nothing.
func (s *spoken) field(c *cursor, key []byte) {
	switch string(key) {
	case "content", "text", "parts", "thinking", "tool_calls", "function", "arguments", "functionCall", "functionResponse":
		s.take(c)
	case "input", "args", "response":
		s.whole(c)
	default:
		c.value()
	}
}

// whole counts a value as it is written.
func (s *spoken) whole(c *cursor) {
	raw := c.value()
	s.chars += int64(len(raw))
	s.hash = digest(s.hash, raw)
}

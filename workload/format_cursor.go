package workload

import "errors"

// cursor walks over one JSON object (RFC 8259) and checks its form, without building
// anything. Text is not checked for being UTF-8.
type cursor struct {
	text  []byte
	pos   int
	begun bool
}

// maxDepth bounds how deep values are nested.
const maxDepth = 100

var (
	errJSON  = errors.New("the row is not one JSON object")
	errDepth = errors.New("the JSON object is nested too deep")
)

// open steps into the object.
func (c *cursor) open() error {
	c.skipSpace()
	if !c.take('{') {
		return errJSON
	}
	return nil
}

// field returns the next field: its key without the quotes and its value, both as they
// are written. More is false at the end of the object, which must end the text.
func (c *cursor) field() (key, value []byte, more bool, err error) {
	c.skipSpace()
	if c.take('}') {
		c.skipSpace()
		if c.pos < len(c.text) {
			return nil, nil, false, errJSON
		}
		return nil, nil, false, nil
	}
	if c.begun {
		if !c.take(',') {
			return nil, nil, false, errJSON
		}
		c.skipSpace()
	}
	c.begun = true
	start := c.pos
	if !c.str() {
		return nil, nil, false, errJSON
	}
	key = c.text[start+1 : c.pos-1]
	c.skipSpace()
	if !c.take(':') {
		return nil, nil, false, errJSON
	}
	c.skipSpace()
	start = c.pos
	if err := c.value(0); err != nil {
		return nil, nil, false, err
	}
	return key, c.text[start:c.pos], true, nil
}

// value steps over a value.
func (c *cursor) value(depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	ok := false
	switch c.peek() {
	case '"':
		ok = c.str()
	case '{', '[':
		return c.nest(depth)
	case 't':
		ok = c.word("true")
	case 'f':
		ok = c.word("false")
	case 'n':
		ok = c.word("null")
	default:
		ok = c.number()
	}
	if !ok {
		return errJSON
	}
	return nil
}

// nest steps over an object or a list.
func (c *cursor) nest(depth int) error {
	object, end := c.peek() == '{', byte(']')
	if object {
		end = '}'
	}
	c.pos++
	c.skipSpace()
	if c.take(end) {
		return nil
	}
	for {
		if object {
			if !c.str() {
				return errJSON
			}
			c.skipSpace()
			if !c.take(':') {
				return errJSON
			}
			c.skipSpace()
		}
		if err := c.value(depth + 1); err != nil {
			return err
		}
		c.skipSpace()
		if c.take(end) {
			return nil
		}
		if !c.take(',') {
			return errJSON
		}
		c.skipSpace()
	}
}

// str steps over a string.
func (c *cursor) str() bool {
	if !c.take('"') {
		return false
	}
	for c.pos < len(c.text) {
		switch b := c.text[c.pos]; {
		case b == '"':
			c.pos++
			return true
		case b == '\\':
			c.pos++
			if !c.escape() {
				return false
			}
		case b < ' ':
			return false
		default:
			c.pos++
		}
	}
	return false
}

// escape steps over what follows a backslash.
func (c *cursor) escape() bool {
	switch c.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.pos++
		return true
	case 'u':
		c.pos++
		for range 4 {
			b := lowerASCII(c.peek())
			if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
				return false
			}
			c.pos++
		}
		return true
	}
	return false
}

// number steps over a number.
func (c *cursor) number() bool {
	c.take('-')
	if !c.take('0') && !c.digits() {
		return false
	}
	if c.take('.') && !c.digits() {
		return false
	}
	if c.take('e') || c.take('E') {
		if !c.take('+') {
			c.take('-')
		}
		return c.digits()
	}
	return true
}

func (c *cursor) digits() bool {
	start := c.pos
	for b := c.peek(); b >= '0' && b <= '9'; b = c.peek() {
		c.pos++
	}
	return c.pos > start
}

func (c *cursor) word(w string) bool {
	end := c.pos + len(w)
	if end > len(c.text) || string(c.text[c.pos:end]) != w {
		return false
	}
	c.pos = end
	return true
}

func (c *cursor) skipSpace() {
	for c.pos < len(c.text) && isSpace(c.text[c.pos]) {
		c.pos++
	}
}

// peek returns the coming byte, 0 at the end.
func (c *cursor) peek() byte {
	if c.pos < len(c.text) {
		return c.text[c.pos]
	}
	return 0
}

// take steps over the coming byte if it is b.
func (c *cursor) take(b byte) bool {
	if c.peek() != b || c.pos >= len(c.text) {
		return false
	}
	c.pos++
	return true
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

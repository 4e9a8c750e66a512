package mockupstream

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// maxDepth is how deep values may be nested.
const maxDepth = 1000

// cursor reads JSON text from front to back and builds nothing. It is as strict as encoding/json (but for
// maxDepth). Its first fault sticks: it then stands at the end, and all that is asked of it is empty.
//
//	if c.open('{') {
//		for i := 0; c.next(i, '}'); i++ {
//			key := c.key()
//			c.value() // or what else takes the value
//		}
//	}
type cursor struct {
	text  []byte
	at    int
	depth int
	bad   bool
}

func (c *cursor) fail() {
	c.bad = true
	c.at = len(c.text)
}

// peek steps over blanks and returns the next byte; 0 at the end.
func (c *cursor) peek() byte {
	for c.at < len(c.text) {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return b
		}
	}
	return 0
}

// open enters an object or an array.
func (c *cursor) open(bracket byte) bool {
	if c.peek() != bracket || c.depth == maxDepth {
		c.fail()
		return false
	}
	c.at++
	c.depth++
	return true
}

// next reports whether an element follows the i that were read, and leaves the object or array if not.
func (c *cursor) next(i int, bracket byte) bool {
	switch b := c.peek(); {
	case b == bracket:
		c.at++
		c.depth--
		return false
	case i == 0 && !c.bad:
		return true
	case b == ',':
		c.at++
		return true
	}
	c.fail()
	return false
}

// key returns an element's name, as it stands in the text: one that is written with escapes is not known by it.
func (c *cursor) key() []byte {
	name, _ := c.str()
	if c.peek() != ':' {
		c.fail()
		return nil
	}
	c.at++
	return name
}

// str returns a string as it stands in the text, and how many characters it has. (One that is
// escaped as a pair of surrogates counts as two.)
func (c *cursor) str() (raw []byte, chars int64) {
	if c.peek() != '"' {
		c.fail()
		return nil, 0
	}
	start := c.at + 1
	for i := start; i < len(c.text); i++ {
		switch b := c.text[i]; {
		case b == '"':
			c.at = i + 1
			return c.text[start:i], chars
		case b == '\\':
			n := escape(c.text[i+1:])
			if n == 0 {
				c.fail()
				return nil, 0
			}
			i += n
		case b < ' ':
			c.fail()
			return nil, 0
		case b&0xc0 == 0x80: // a further byte of a character
			continue
		}
		chars++
	}
	c.fail()
	return nil, 0
}

// escape returns the length of what follows a backslash; 0: nothing that may.
func escape(s []byte) int {
	if len(s) == 0 {
		return 0
	}
	switch s[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		for i := 1; i <= 4; i++ {
			if i == len(s) || !bytes.ContainsRune([]byte("0123456789abcdefABCDEF"), rune(s[i])) {
				return 0
			}
		}
		return 5
	}
	return 0
}

// value steps over a value and returns its text.
func (c *cursor) value() []byte {
	b := c.peek()
	start := c.at
	switch {
	case b == '"':
		c.str()
	case b == '{':
		if c.open('{') {
			for i := 0; c.next(i, '}'); i++ {
				c.key()
				c.value()
			}
		}
	case b == '[':
		if c.open('[') {
			for i := 0; c.next(i, ']'); i++ {
				c.value()
			}
		}
	case b == '-' || digit(b):
		c.number()
	default:
		c.word()
	}
	if c.bad {
		return nil
	}
	return c.text[start:c.at]
}

// word steps over true, false or null.
func (c *cursor) word() {
	for _, w := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(c.text[c.at:], []byte(w)) {
			c.at += len(w)
			return
		}
	}
	c.fail()
}

// number steps over a number.
func (c *cursor) number() {
	at := func(i int) byte {
		if i < len(c.text) {
			return c.text[i]
		}
		return 0
	}
	digits := func(i int) int {
		for digit(at(i)) {
			i++
		}
		return i
	}
	i := c.at
	if at(i) == '-' {
		i++
	}
	whole := i
	if i = digits(i); i == whole || at(whole) == '0' && i > whole+1 {
		c.fail()
		return
	}
	if at(i) == '.' {
		if !digit(at(i + 1)) {
			c.fail()
			return
		}
		i = digits(i + 1)
	}
	if b := at(i); b == 'e' || b == 'E' {
		if i++; at(i) == '+' || at(i) == '-' {
			i++
		}
		if !digit(at(i)) {
			c.fail()
			return
		}
		i = digits(i)
	}
	c.at = i
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

// end reports whether the text was JSON from its beginning to its end.
func (c *cursor) end() bool {
	c.peek()
	return !c.bad && c.at == len(c.text)
}

// flag takes true, false or null.
func (c *cursor) flag() (yes, ok bool) {
	switch string(c.value()) {
	case "true":
		return true, true
	case "false", "null":
		return false, true
	}
	return false, c.bad
}

// size takes a whole number of at least 1, held to 10^12, or null, which is 0.
func (c *cursor) size() (n int64, ok bool) {
	raw := string(c.value())
	if raw == "null" || c.bad {
		return 0, true
	}
	f, err := strconv.ParseFloat(raw, 64)
	return int64(min(f, maxLimit)), err == nil && f >= 1 && f == math.Trunc(f)
}

// plain returns the meaning of a string as it stands in the text.
func plain(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var s string
	quoted := append(append([]byte{'"'}, raw...), '"')
	if err := json.Unmarshal(quoted, &s); err != nil {
		return "" // the cursor has checked it
	}
	return s
}

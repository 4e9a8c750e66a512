package wire

import (
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// body writes the JSON of a request by hand, which takes a third of the time that encoding/json needs for
// prose. The prompt comes last, so that the beginning says what is asked for.
func (f Format) body(r *Request) []byte {
	p := r.Prompt
	dst := append(make([]byte, 0, r.size()), '{')
	if r.Model != "" {
		dst = appendString(appendName(dst, "model"), r.Model)
	}
	if r.Stream {
		dst = append(appendName(dst, "stream"), "true"...)
	}
	if f == Anthropic {
		dst = appendAnthropic(dst, r)
	} else {
		dst = appendOpenAI(dst, r)
	}
	if p.Temperature != nil {
		dst = strconv.AppendFloat(appendName(dst, "temperature"), *p.Temperature, 'g', -1, 64)
	}
	for _, name := range p.extras() {
		dst = append(appendName(dst, name), p.Extra[name]...)
	}
	system := p.System
	if f == Anthropic && system != "" {
		dst = appendString(appendName(dst, "system"), system)
		system = ""
	}
	return append(appendMessages(appendName(dst, "messages"), system, p.Messages), '}')
}

// size is about how long a body will be: an escape for every 16 bytes of text.
func (r *Request) size() int {
	text := len(r.Prompt.System)
	for i := range r.Prompt.Messages {
		text += len(r.Prompt.Messages[i].Text)
	}
	n := 256 + text + text/16 + 40*len(r.Prompt.Messages)
	for name, value := range r.Prompt.Extra {
		n += len(name) + len(value) + 4
	}
	return n
}

func appendMessages(dst []byte, system string, list []Message) []byte {
	dst = append(dst, '[')
	if system != "" {
		dst = append(appendMessage(dst, "system", system), ',')
	}
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMessage(dst, list[i].Role, list[i].Text)
	}
	return append(dst, ']')
}

func appendMessage(dst []byte, role, text string) []byte {
	dst = appendString(append(dst, `{"role":`...), role)
	return append(appendString(append(dst, `,"content":`...), text), '}')
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

// appendName begins the next field of the object that dst ends in.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(appendString(dst, name), ':')
}

const hex = "0123456789abcdef"

// plainByte reports whether a byte stands in a string of JSON as it is, whatever is beside it.
func plainByte(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// plainPrefix is how many bytes of s are plain. It looks at eight at once: a byte that is not plain sets its
// highest bit in odd, by itself or by the borrow when it is taken down. A borrow can set a bit of
// the bytes above it too, never of those below, and only the lowest counts.
func plainPrefix(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(s)-n >= 8; n += 8 {
		t := s[n : n+8]
		w := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		odd := (w | (w - ones*' ') | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) & high
		if odd != 0 {
			return n + bits.TrailingZeros64(odd)/8
		}
	}
	for n < len(s) && plainByte(s[n]) {
		n++
	}
	return n
}

// appendString writes a string as JSON. What is not UTF-8 becomes U+FFFD, as in encoding/json; the
// characters that are special in HTML stay as they are.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for s != "" {
		n := plainPrefix(s)
		dst, s = append(dst, s[:n]...), s[n:]
		if s == "" {
			break
		}
		size := 1
		if s[0] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(s) // 1: not UTF-8
		}
		if size > 1 {
			dst = append(dst, s[:size]...)
		} else {
			dst = appendEscape(dst, s[0])
		}
		s = s[size:]
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if c >= utf8.RuneSelf {
		return append(dst, `\ufffd`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

package mockupstream

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
)

const (
	embedDefault = 16   // numbers of a vector, if neither the request nor the model's name tells
	embedMost    = 3072 // numbers of a vector
	embedInMost  = 2048 // texts in a request
)

// embedInputs is what is to be embedded, and how.
type embedInputs struct {
	list   []uint64 // a hash of each text
	tokens int64    // of all texts
	size   int64    // numbers of a vector; 0: the model's
	base64 bool
	empty  bool // one of the texts is
}

func (q *prompt) embeddings(c *cursor, key []byte) {
	switch string(key) {
	case "input":
		q.inputs.take(q, c)
	case "dimensions":
		if q.inputs.size = q.size(c, "dimensions"); q.inputs.size > embedMost {
			q.object("dimensions", "must be at most "+strconv.Itoa(embedMost))
		}
	case "encoding_format":
		switch string(c.value()) {
		case `"float"`, "null":
		case `"base64"`:
			q.inputs.base64 = true
		default:
			q.object("encoding_format", "must be float or base64")
		}
	default:
		q.common(c, key)
	}
}

// take reads the input: a text, a list of texts, a text in tokens, or a list of those.
func (e *embedInputs) take(q *prompt, c *cursor) {
	*e = embedInputs{size: e.size, base64: e.base64}
	if c.peek() != '[' {
		e.one(q, c)
		return
	}
	c.open('[')
	var single spoken // numbers are one text, not many
	for i := 0; c.next(i, ']'); i++ {
		if digit(c.peek()) {
			single.whole(c)
			single.chars++
			e.tokens++
			continue
		}
		e.one(q, c)
	}
	if single.chars > 0 {
		e.list = append(e.list, single.hash)
	}
	if len(e.list) > embedInMost {
		q.object("input", "must have at most "+strconv.Itoa(embedInMost)+" elements")
	}
}

// one reads a text, or a list of its tokens.
func (e *embedInputs) one(q *prompt, c *cursor) {
	var s spoken
	switch c.peek() {
	case '"':
		s.take(c)
		e.tokens += tokens(s.chars)
		e.empty = e.empty || s.chars == 0
	case '[':
		c.open('[')
		for i := 0; c.next(i, ']'); i++ {
			s.whole(c)
			e.tokens++
			s.chars++
		}
		e.empty = e.empty || s.chars == 0
	default:
		c.value()
		q.object("input", "must be a string, or an array of strings or of tokens")
		return
	}
	e.list = append(e.list, s.hash)
}

// embedBody answers with vectors of length 1 that have the same number, with one sign or the other, in all
// places: equal texts have equal vectors, and others are nearly at right angles.
func (r response) embedBody(dst []byte, used Usage) []byte {
	in := &r.ask.inputs
	list := in.list
	if list == nil { // the call came with a CallHeader, and not all of its body
		list = []uint64{r.ask.Call.ID}
	}
	size := int(cmp.Or(in.size, r.face.vector, embedDefault))
	dst = append(dst, `{"object":"list","data":[`...)
	for i, hash := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"object":"embedding","index":`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, `,"embedding":`...)
		dst = appendVector(dst, hash, size, in.base64)
		dst = append(dst, '}')
	}
	dst = append(append(dst, `],"model":`...), r.face.name...)
	dst = appendField(dst, `,"usage":{"prompt_tokens":`, used.In)
	dst = appendField(dst, `,"total_tokens":`, used.In)
	return append(dst, "}}"...)
}

// appendVector writes a vector, as numbers or as base64 of little-endian 32-bit floats.
func appendVector(dst []byte, hash uint64, size int, packed bool) []byte {
	length := float32(1 / math.Sqrt(float64(size)))
	var space [24]byte
	digits := strconv.AppendFloat(space[:0], float64(length), 'g', -1, 32)
	var raw []byte
	if !packed {
		dst = append(dst, '[')
	}
	for i := range size {
		negative := mix(hash+uint64(i/64)*golden)>>(i%64)&1 == 1
		if packed {
			word := math.Float32bits(length)
			if negative {
				word |= 1 << 31
			}
			raw = binary.LittleEndian.AppendUint32(raw, word)
			continue
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		if negative {
			dst = append(dst, '-')
		}
		dst = append(dst, digits...)
	}
	if packed {
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, raw)
		return append(dst, '"')
	}
	return append(dst, ']')
}

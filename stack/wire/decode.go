package wire

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// plainly: names are told apart by case, as JSON means them; the last of two counts.
var plainly = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// leniently reads what is not of the type that it should be; see loosely.
var leniently = json.JoinOptions(plainly, json.WithUnmarshalers(json.UnmarshalFromFunc(loosely)))

// decode reads an answer or an event, by what is to become encoding/json/v2: a chunk of a stream takes
// it less than half of the time of encoding/json, and a sixth of the allocations.
//
// A good answer, which is billed, is not broken by a vendor's slip that changes nothing. So what is JSON
// and does not have the types that it should have is read once more, leniently. The others, which
// are nearly all, do not pay for that.
func decode[T any](data []byte) (T, error) {
	var v T
	err := json.Unmarshal(data, &v, plainly)
	if err != nil {
		if _, wrongType := errors.AsType[*json.SemanticError](err); wrongType {
			return decodeAgain[T](data)
		}
	}
	return v, err
}

func decodeAgain[T any](data []byte) (T, error) {
	var v T
	err := json.Unmarshal(data, &v, leniently)
	return v, err
}

// loosely reads the value at v's place, if it is one of another type: a count from a fraction or a
// text (3.0, "3"), at most maxTokens; a text from a number, as it is written; nothing from what is neither. A
// list or an object that should be something else is passed over. What is around it all has to be
// an object.
func loosely(dec *jsontext.Decoder, v any) error {
	kind := dec.PeekKind()
	t := reflect.TypeOf(v).Elem()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, hasOwn := reflect.New(t).Interface().(json.UnmarshalerFrom)
	switch {
	case dec.StackDepth() == 0 || kind == jsontext.KindNull || hasOwn:
		return errors.ErrUnsupported // that is: as usual
	case t.Kind() == reflect.Struct && kind != jsontext.KindBeginObject,
		t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && kind != jsontext.KindBeginArray,
		t.Kind() == reflect.Int64 && kind != jsontext.KindNumber && kind != jsontext.KindString:
		return dec.SkipValue()
	}
	switch v := v.(type) {
	case *int64:
		raw, err := dec.ReadValue()
		*v = looseCount(plain(raw))
		return err
	case *string:
		if kind == jsontext.KindString {
			return errors.ErrUnsupported
		}
		raw, err := dec.ReadValue()
		*v = ""
		if kind == jsontext.KindNumber {
			*v = string(raw)
		}
		return err
	}
	return errors.ErrUnsupported
}

// looseCount reads a number of which only what is from 0 to maxTokens matters.
func looseCount(text string) int64 {
	n, _ := number(text) // what is none is 0, and so is what is negative
	return int64(math.Min(n, maxTokens))
}

// sign is a field of which only matters that something is there.
type sign bool

// UnmarshalJSONFrom takes any value.
func (s *sign) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	*s = sign(told(raw))
	return err
}

// told reports whether a field of JSON says something.
func told(raw []byte) bool {
	switch string(raw) {
	case "", "null", "false", "0", `""`, "{}", "[]":
		return false
	}
	if raw[0] == '{' || raw[0] == '[' {
		return len(bytes.TrimSpace(raw[1:len(raw)-1])) > 0
	}
	return true
}

// content is a text, or a list of parts of which some are text.
type content struct {
	text  string
	more  bool // there is a part that is no text: a thought, a picture, a tool's use
	there bool
}

// contentPart is a part, as both forms write it.
type contentPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// UnmarshalJSONFrom takes any value.
func (c *content) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = content{there: true}
	switch dec.PeekKind() {
	case jsontext.KindString:
		return json.UnmarshalDecode(dec, &c.text)
	case jsontext.KindBeginArray:
		return c.readParts(dec)
	case jsontext.KindBeginObject:
		text, err := c.readPart(dec)
		c.text = text
		return err
	}
	raw, err := dec.ReadValue()
	if c.there = told(raw); c.there {
		c.text = string(raw)
	}
	return err
}

func (c *content) readParts(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	var all strings.Builder
	for dec.PeekKind() != jsontext.KindEndArray {
		text, err := c.readPart(dec)
		if err != nil {
			return err
		}
		all.WriteString(text)
	}
	c.text = all.String()
	_, err := dec.ReadToken()
	return err
}

// readPart returns the text of a part, which may be a text by itself.
func (c *content) readPart(dec *jsontext.Decoder) (text string, err error) {
	switch dec.PeekKind() {
	case jsontext.KindString:
		err = json.UnmarshalDecode(dec, &text)
		return text, err
	case jsontext.KindBeginObject:
	default:
		return "", dec.SkipValue()
	}
	var part contentPart
	err = json.UnmarshalDecode(dec, &part)
	switch part.Type {
	case "text", "output_text", "":
		return part.Text, err
	}
	c.more = true
	return "", err
}

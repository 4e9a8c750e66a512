package mockupstream

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts are JSON and nearly JSON.
var texts = []string{
	``, ` `, `{}`, `[]`, `{`, `[`, `}`, `{,}`, `[,]`, `[1,]`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{"a" : 1 , "b":[ ]}`, `{} {}`, `{}x`,
	`"a"`, `"a`, `"\"`, `"\n\u00e9\/"`, `"\u12"`, `"\u12g4"`, `"\x"`, "\"\n\"", "\"\x00\"", "\"\xff\"", `"é"`, `{"é":"é"}`,
	`0`, `-0`, `00`, `01`, `-`, `1.`, `1.5`, `.5`, `1e`, `1e5`, `1E+5`, `1e-`, `1e-05`, `-1.50e+10`, `+1`, `1a`, `0x1`,
	`true`, `false`, `null`, `tru`, `nulll`, `True`, `[true false]`, "\x00", "{}\x00", `[1,{"a":[null,"x"]}]`, "\ufeff{}", "\v{}",
}

func FuzzCursor(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(compareJSON)
}

// compareJSON: the cursor takes what encoding/json takes, and counts a string's characters.
func compareJSON(t *testing.T, s string) {
	if strings.Count(s, "[")+strings.Count(s, "{") > maxDepth {
		return
	}
	c := cursor{text: []byte(s)}
	raw := c.value()
	if got, want := c.end(), json.Valid([]byte(s)); got != want {
		t.Fatalf("%q: valid %v, want %v", s, got, want)
	}
	var v string
	if !c.end() || s == "null" || json.Unmarshal(raw, &v) != nil || !utf8.ValidString(s) {
		return
	}
	str := cursor{text: raw}
	inner, n := str.str()
	if plain(inner) != v {
		t.Errorf("%q means %q, want %q", inner, plain(inner), v)
	}
	if !strings.Contains(s, `\u`) && n != int64(utf8.RuneCountInString(v)) {
		t.Errorf("%q: %d characters, want %d", s, n, utf8.RuneCountInString(v))
	}
}

func TestCursor(t *testing.T) {
	for _, s := range texts {
		compareJSON(t, s)
	}
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false, 1 << 20: false} {
		c := cursor{text: []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))}
		if c.value(); c.end() != want {
			t.Errorf("%d deep: read %v, want %v", depth, c.end(), want)
		}
	}
}

func TestCursorSize(t *testing.T) {
	for text, want := range map[string]struct {
		n  int64
		ok bool
	}{
		"1": {1, true}, "1e3": {1000, true}, "5.0": {5, true}, "null": {0, true}, "1e300": {maxLimit, true},
		"0": {0, false}, "-1": {-1, false}, "1.5": {1, false}, `"5"`: {0, false}, "[5]": {0, false},
	} {
		c := cursor{text: []byte(text)}
		if n, ok := c.size(); ok != want.ok || ok && n != want.n {
			t.Errorf("%s: %d, %v, want %+v", text, n, ok, want)
		}
	}
}

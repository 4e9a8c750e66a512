package mockupstream

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCallText(t *testing.T) {
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{}, "id=0;try=0"},
		{Call{ID: 31, Attempt: 2, In: 800, Out: 120}, "id=1f;try=2;in=800;out=120"},
		{
			Call{
				ID: 1<<64 - 1, Attempt: 1, In: 1, MaxOut: 2, Out: 3, EstIn: 4, Conversation: 0xabc, Prefix: 5,
				Shared: true, Write: true, WriteID: 0xd, IdempotencyKey: 0xe, Key: 7, Model: 8,
			},
			"id=ffffffffffffffff;try=1;in=1;max=2;out=3;est=4;conv=abc;prefix=5;shared=1;write=1;wid=d;idem=e",
		},
		{Call{Attempt: -1, In: -5, MaxOut: 2 * maxLimit}, "id=0;try=0;max=1000000000000"},
	} {
		if got := c.call.Text(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.call, got, c.want)
		}
	}
}

// TestCallRoundTrip: INV-4 with and without a wire needs that nothing of a call is lost on it.
func TestCallRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := func(name string) int64 { return rapid.Int64Range(0, maxLimit).Draw(t, name) }
		want := Call{
			ID: rapid.Uint64().Draw(t, "id"), Attempt: rapid.IntRange(0, 1<<31-1).Draw(t, "attempt"),
			In: tokens("in"), MaxOut: tokens("max"), Out: tokens("out"), EstIn: tokens("est"), Prefix: tokens("prefix"),
			Conversation: rapid.Uint64().Draw(t, "conversation"), Shared: rapid.Bool().Draw(t, "shared"),
			Write: rapid.Bool().Draw(t, "write"), WriteID: rapid.Uint64().Draw(t, "write id"), IdempotencyKey: rapid.Uint64().Draw(t, "key"),
		}
		got, err := ParseCall(want.Text())
		if err != nil || got != want {
			t.Fatalf("%s: %+v, %v, want %+v", want.Text(), got, err, want)
		}
	})
}

func TestParseCallErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            `found ""`,
		"id=1":                        "must have id and try",
		"try=1;id=1":                  `found "try=1"`,
		"id=1;in=5":                   `found "in=5"`,
		"id=1;try=1;":                 `found ""`,
		"id=1;try=1;in=5;in=6":        `found "in=6"`,
		"id=1;try=1;out=5;in=6":       `found "in=6"`,
		"id=1;try=1;size=6":           `found "size=6"`,
		"id=1;try=1;in=0":             "left out if 0",
		"id=1;try=1;in=05":            `in: found "05"`,
		"id=1;try=1;in=+5":            `in: found "+5"`,
		"id=1;try=1;in=-5":            `in: found "-5"`,
		"id=1;try=1;in":               `in: found ""`,
		"id=1;try=1;in=1000000000001": "up to 1000000000000",
		"id=1F;try=1":                 `id: found "1F"`,
		"id=1;try=2147483648":         "up to 2147483647",
		"id=1;try=1;write=2":          `write: found "2"`,
		"id=11112222333344445;try=1":  "in base 16",
		" id=1;try=1":                 `found " id=1"`,
	} {
		if c, err := ParseCall(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, c, err, want)
		}
	}
}

// FuzzParseCall: what is read is exactly what would be written.
func FuzzParseCall(f *testing.F) {
	f.Add("id=1f;try=1;in=800;out=120;write=1")
	f.Add("id=0;try=0")
	f.Add("id=1;try=1;in=1;max=2;out=3;est=4;conv=abc;prefix=5;shared=1;write=1;wid=d;idem=e")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseCall(text); err == nil && c.Text() != text {
			t.Errorf("%q was read as %q", text, c.Text())
		}
	})
}

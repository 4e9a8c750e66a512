package stack

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Secret is a key as the vendor issued it. However it is printed, logged or encoded, it reads
// "[secret]". What gives it away is string(s) alone, and to make it the key of a map that is
// encoded as JSON.
type Secret string

const hidden = "[secret]"

// String returns "[secret]".
func (Secret) String() string { return hidden }

// GoString returns "[secret]".
func (Secret) GoString() string { return hidden }

// Format prints "[secret]" for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText returns "[secret]".
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalJSON returns "[secret]" as a JSON string.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// LogValue returns "[secret]".
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// hide returns a text without the secret in it: what others say may repeat it, and may be cut
// in the middle of it.
func (s Secret) hide(text string) string {
	if s == "" {
		return text
	}
	text = strings.ReplaceAll(text, string(s), hidden)
	for n := len(s) - 1; n >= leastCut; n-- {
		if rest, found := strings.CutSuffix(text, string(s[:n])); found {
			return rest + hidden
		}
	}
	return text
}

// leastCut is the shortest beginning of a secret that is taken for it.
const leastCut = 8

// sendable reports whether the secret can stand in a header: it is not empty, and has no
// blanks or characters beyond ASCII.
func (s Secret) sendable() bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}

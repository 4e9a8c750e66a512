package stack

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Secret is a key as the vendor issued it, made by [NewSecret]. However it is printed, logged or encoded,
// it reads "[secret]"; and whatever prints it without asking its methods, as package fmt does with unexported
// fields, sees the address of a function. Nothing gives it away but the header of a request.
// The zero value is empty.
type Secret struct{ text func() string }

// NewSecret returns a secret.
func NewSecret(text string) Secret { return Secret{func() string { return text }} }

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

// reveal returns the text.
func (s Secret) reveal() string {
	if s.text == nil {
		return ""
	}
	return s.text()
}

// check reports why the secret could not be sent, without showing it.
func (s Secret) check() error {
	text := s.reveal()
	if text == "" {
		return errors.New("it is empty")
	}
	return probe(&probePrompt, text)
}

// hide returns a text without the secret in it: what others say may repeat it, and may be cut
// in the middle of it.
func (s Secret) hide(text string) string {
	key := s.reveal()
	if key == "" || text == "" {
		return text
	}
	text = strings.ReplaceAll(text, key, hidden)
	for n := len(key) - 1; n >= leastCut; n-- {
		if rest, found := strings.CutSuffix(text, key[:n]); found {
			return rest + hidden
		}
	}
	return text
}

// leastCut is the shortest beginning of a secret that is taken for it.
const leastCut = 8

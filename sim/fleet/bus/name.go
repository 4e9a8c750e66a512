package bus

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// NamespaceDefault is the namespace of who names none.
const NamespaceDefault Namespace = "simload"

// nameMax bounds the length of a namespace and of a token, in bytes.
const nameMax = 64

// Namespace keeps the subjects, streams and buckets of one group of users apart from all others on the same servers: 1 to 64
// letters, digits, "-" and "_".
type Namespace string

// Validate checks the form.
func (n Namespace) Validate() error {
	if !plain(string(n)) {
		return &ConfigError{"namespace", "not a namespace: " + quote(string(n)), "use 1 to 64 letters, digits, - and _"}
	}
	return nil
}

// Subject joins tokens to a subject of the namespace: "simload.task.3". Tokens that come from outside go
// through [Token] first.
func (n Namespace) Subject(tokens ...string) string {
	return string(n) + "." + strings.Join(tokens, ".")
}

// Name is the name of a stream, bucket or object store of the namespace: "simload_results".
func (n Namespace) Name(name string) string { return string(n) + "_" + name }

// inbox is the prefix of the subjects on which answers come.
func (n Namespace) inbox() string { return "_INBOX_" + string(n) }

// Token makes one token of a subject or key of any text: the text itself if it is one, else a hash of it.
func Token(text string) string {
	if plain(text) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + hex.EncodeToString(sum[:12])
}

// plain reports whether a text may stand in subjects, names of streams and keys.
func plain(text string) bool {
	if text == "" || len(text) > nameMax {
		return false
	}
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
		default:
			return false
		}
	}
	return true
}

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// label is a name from outside as files for other programs carry it: on one line, free
// of control characters and at most a little longer than longestName. A name that had to
// be changed for this ends in a digest of the whole, so that two different names never
// become one.
func label(s string) string {
	c := clean(s)
	if c == s {
		return s
	}
	return c + "~" + digestOf(s)
}

func digestOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// longestToken is the length in bytes to which tokens are cut.
const longestToken = 160

// token is a name from outside as one word without separators: letters and digits of any
// script and "_.:+-" stay, of all else each byte becomes %XX, as in a URL. So different names
// are different tokens; one that would be too long is cut and ends in a digest of the whole.
func token(s string) string {
	var b strings.Builder
	for rest := s; rest != "" && b.Len() <= longestToken; {
		r, n := utf8.DecodeRuneInString(rest)
		if plainRune(r) {
			b.WriteString(rest[:n])
		} else {
			for _, c := range []byte(rest[:n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		rest = rest[n:]
	}
	if b.Len() <= longestToken {
		return b.String()
	}
	return strings.ToValidUTF8(b.String()[:longestToken], "") + "~" + digestOf(s)
}

func plainRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.:+-", r))
}

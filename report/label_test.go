package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Ensure different names stay different, on one line and bounded, as labels and as tokens.
func TestLabelsAndTokens(t *testing.T) {
	names := rapid.OneOf(rapid.String(), rapid.SampledFrom(nastyNames), rapid.StringOfN(rapid.RuneFrom([]rune("a/ ,\n漢")), 0, 900, -1))
	rapid.Check(t, func(t *rapid.T) {
		a := strings.ToValidUTF8(names.Draw(t, "a"), "\ufffd") // as in a file
		b := strings.ToValidUTF8(names.Draw(t, "b"), "\ufffd")
		for _, form := range []func(string) string{label, token} {
			if (a == b) != (form(a) == form(b)) {
				t.Fatalf("%q and %q become %q and %q", a, b, form(a), form(b))
			}
			got := form(a)
			if !utf8.ValidString(got) || len(got) > 4*longestName+20 || strings.ContainsFunc(got, unicode.IsControl) {
				t.Fatalf("%q becomes %q", a, got)
			}
		}
		if got := token(a); strings.ContainsFunc(got, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/=,\"'<>&|*", r) }) {
			t.Fatalf("%q becomes the token %q", a, got)
		}
	})
	for name, want := range map[string]string{
		"notes": "notes", "gpt-4.1": "gpt-4.1", "a b": "a%20b", "x/y=1,2": "x%2Fy%3D1%2C2", "é": "é", "50%": "50%25", "": "",
	} {
		if got := token(name); got != want {
			t.Errorf("%q becomes the token %q, want %q", name, got, want)
		}
	}
}

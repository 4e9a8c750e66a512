package bus

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Ensure names of a namespace begin with it, and only plain ones are namespaces.
func TestNamespace(t *testing.T) {
	n := Namespace("team-a")
	if got := n.Subject("task", "3"); got != "team-a.task.3" {
		t.Errorf("subject %q", got)
	}
	if got := n.Name("results"); got != "team-a_results" {
		t.Errorf("name %q", got)
	}
	for text, ok := range map[string]bool{
		"simload": true, "A_b-9": true, strings.Repeat("a", 64): true,
		"": false, "a.b": false, "a b": false, "a>": false, "*": false, "ä": false, strings.Repeat("a", 65): false, "a/b": false, "$JS": false,
	} {
		if err := Namespace(text).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Ensure any text makes one token, and different texts different ones.
func TestToken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if !plain(Token(a)) {
			t.Fatalf("%q is not a token", Token(a))
		}
		if plain(a) && Token(a) != a {
			t.Fatalf("%q was changed to %q", a, Token(a))
		}
		if a != b && Token(a) == Token(b) {
			t.Fatalf("%q and %q are the same token", a, b)
		}
	})
}

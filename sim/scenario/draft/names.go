package draft

import (
	"regexp"
	"strconv"
	"strings"
)

// longestIdentifier and longestName bound names, in characters; a scenario takes up to 100.
const (
	longestIdentifier = 60
	longestName       = 90
)

var (
	notIdentifier = regexp.MustCompile(`[^\p{L}\p{N}_-]+`)
	notName       = regexp.MustCompile(`[^\p{L}\p{N}_.:/@+-]+`)
)

// Identifier makes a name that needs no quotes in a path of --set.
func Identifier(text string) string { return named(notIdentifier, "-", longestIdentifier, text) }

// Name makes a name that a scenario takes for a model or a route; most are that already.
func Name(text string) string { return named(notName, ".:/@+-", longestName, text) }

// named replaces what is not in a name by dashes; none begins or ends with what is in edges.
func named(not *regexp.Regexp, edges string, most int, text string) string {
	id := []rune(strings.Trim(not.ReplaceAllString(text, "-"), edges))
	if len(id) == 0 {
		return "unnamed"
	}
	return string(id[:min(len(id), most)])
}

// apart makes a name of each text, no two alike. A text that is a name already keeps it, whatever others
// become; of the rest, the later ones are numbered.
func apart(texts []string, name func(string) string) []string {
	out, given := make([]string, len(texts)), make(map[string]bool)
	for i, text := range texts {
		if name(text) == text && !given[text] {
			out[i], given[text] = text, true
		}
	}
	for i, text := range texts {
		if out[i] != "" {
			continue
		}
		id := name(text)
		for n := 2; given[id]; n++ {
			id = name(text) + "-" + strconv.Itoa(n)
		}
		out[i], given[id] = id, true
	}
	return out
}

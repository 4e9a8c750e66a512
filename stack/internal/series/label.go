package series

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/stack"
)

// Targets returns the names of the targets.
func Targets(cfg *stack.Config) []string {
	return named(cfg.Targets, func(t *stack.Target) string { return t.Name })
}

// Keys returns the IDs of the keys.
func Keys(cfg *stack.Config) []string {
	return named(cfg.Keys, func(k *stack.Key) string { return k.ID })
}

// Routes returns the names of the routes.
func Routes(cfg *stack.Config) []string {
	return named(cfg.Routes, func(r *stack.Route) string { return r.Name })
}

// named returns a name for each of all: valid UTF-8, as systems of metrics refuse anything else, and
// its own, as two series must not be told apart by nothing. Of several that have one name, which a
// configuration allows, those after the first are numbered: "m", "m#2".
func named[T any](all []T, name func(*T) string) []string {
	names, taken := make([]string, len(all)), map[string]bool{}
	for i := range all {
		plain := strings.ToValidUTF8(name(&all[i]), "?")
		n := plain
		for k := 2; taken[n]; k++ {
			n = plain + "#" + strconv.Itoa(k)
		}
		names[i], taken[n] = n, true
	}
	return names
}

// Steps returns the numbers of the degradation steps, up to the last of the longest route.
func Steps(cfg *stack.Config) []string {
	longest := 0
	for _, r := range cfg.Routes {
		longest = max(longest, len(r.Steps))
	}
	steps := make([]string, longest)
	for i := range steps {
		steps[i] = strconv.Itoa(i)
	}
	return steps
}

// Classes returns the names of the classes.
func Classes() []string { return words(stack.Class(stack.NumClasses)) }

// Endings returns the names of the endings.
func Endings() []string { return words(stack.NumEndings) }

// Reasons returns the names of the reasons.
func Reasons() []string { return words(stack.NumReasons) }

// Outcomes returns the names of the outcomes of attempts.
func Outcomes() []string { return words(stack.NumOutcomeKinds) }

// words returns the names of the numbers below n.
func words[T interface {
	~uint8
	fmt.Stringer
}](n T,
) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = T(i).String()
	}
	return names
}

// Types of tokens. Input is all of the prompt, so cached tokens are counted in it too.
const (
	Input = iota
	Cached
	Output
)

// Tokens returns the names of the types of tokens.
func Tokens() []string { return []string{Input: "input", Cached: "cached", Output: "output"} }

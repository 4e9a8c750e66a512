package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// Ensure too many models are an error with its place, whatever comes after them: vendors whose
// models are no longer counted, their keys, routes and faults.
func TestTooManyModels(t *testing.T) {
	var b strings.Builder
	b.WriteString("duration: 1m\nworkload: {profiles: {p: {class: P1, model: m1, context: 1k, output: 10, max_output: 100}}, streams: {s: {rate: 1, mix: {p: 1}}}}\nupstreams:\n  a:\n    models:\n")
	for i := range MaxModels + 2 {
		fmt.Fprintf(&b, "      m%d: {catalogue: gpt-4.1-mini}\n", i)
	}
	b.WriteString("    keys: {k: {models: [m1], limits: {m1: {rpm: 10}}}}\n")
	b.WriteString("  b: {models: {last: {catalogue: gpt-4.1-mini}}, keys: {l: {models: [last], limits: {last: {rpm: 10}}}}, faults: {f: {kind: burst_429, at: 0s, for: 1s, keys: [l], models: [last]}}}\n")
	b.WriteString("stack: {routes: {both: [m1, last]}}\n")
	s, err := Parse("many.yaml", []byte(b.String()), nil)
	if err == nil {
		_, err = s.Variants()[0].Build(1)
	}
	told := errorsOf(t, err).Error()
	for _, path := range []string{fmt.Sprintf("upstreams.a.models.m%d: too many models", MaxModels), "upstreams.b.models.last: too many models"} {
		if !strings.Contains(told, path) {
			t.Errorf("%s is not among\n%.2000s", path, told)
		}
	}
}

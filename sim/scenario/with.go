package scenario

import (
	"math"
	"strconv"
	"strings"
)

// With returns the same scenario with further overrides, laid over those that it has. It reads no file but
// traces, so what changed on disk meanwhile does not matter. The error is of type [Errors].
func (s *Scenario) With(sets ...string) (*Scenario, error) {
	all := append(append([]string(nil), s.Sets...), sets...)
	return ParseWith(s.File, s.data, all, s.open)
}

// SHA256 returns the hash, in hex, of the variant with its overlay merged in. Two scenarios whose variants
// have equal hashes run alike with equal seeds (and traces).
func (v *Variant) SHA256() string {
	var b strings.Builder
	v.tree.canonical(&b, nil)
	return hash(b.String())
}

// demandPatterns are the paths of numbers that demand is proportional to; * is any one name.
var demandPatterns = []string{
	"workload.agents.*.count",
	"workload.streams.*.rate", "workload.streams.*.rate.*.rate",
	"workload.streams.*.sine.base", "workload.streams.*.sine.amplitude",
	"workload.streams.*.bursts.*.rate", "workload.streams.*.spikes.*.extra", "workload.streams.*.spikes.*.count",
	"workload.traces.*.speed",
}

// contextPatterns are the paths of numbers that prompts are proportional to.
var contextPatterns = []string{
	"workload.profiles.*.context", "workload.profiles.*.context.*", "workload.profiles.*.context.*.*", "workload.profiles.*.context.*.values.*",
	"workload.profiles.*.growth", "workload.profiles.*.growth.*", "workload.profiles.*.growth.*.*", "workload.profiles.*.growth.*.values.*",
	"workload.profiles.*.max_context",
}

// ScaleDemand returns overrides that make the demand factor times as large, in the base and in what the
// variants say of it: the numbers of agents, the rates of streams, the speed of traces. Agents are rounded to
// whole ones, at least one a group.
func (s *Scenario) ScaleDemand(factor float64) []string {
	sets := s.scale(demandPatterns, factor)
	for i, name := range s.Spec.Workload.Traces.Names { // a speed that the file leaves to its default
		if s.Spec.Workload.Traces.Values[i].Speed == nil {
			sets = append(sets, "workload.traces."+pathName(name)+".speed="+strconv.FormatFloat(factor, 'g', 9, 64))
		}
	}
	return sets
}

// ScaleContext returns overrides that make the prompts of all profiles factor times as long, with what each
// round adds and where they are capped; not so the stack's own caps (stack.context).
func (s *Scenario) ScaleContext(factor float64) []string { return s.scale(contextPatterns, factor) }

// scale multiplies the numbers at the paths, of the base and of every overlay.
func (s *Scenario) scale(patterns []string, factor float64) []string {
	var sets []string
	add := func(n *node, _ string) {
		if text, ok := scaled(n, factor); ok {
			sets = append(sets, quotedPath(n)+"="+text)
		}
	}
	roots := []*node{s.tree}
	if overlays := s.tree.child("variants"); overlays != nil {
		roots = append(roots, overlays.items...)
	}
	for _, root := range roots {
		for _, p := range patterns {
			eachMatch(root, strings.Split(p, "."), add)
		}
	}
	return sets
}

// eachMatch calls f for the scalars at a pattern.
func eachMatch(n *node, pattern []string, f func(n *node, name string)) {
	if n == nil {
		return
	}
	if len(pattern) == 0 {
		if n.kind == scalarNode && !n.null() {
			f(n, n.name)
		}
		return
	}
	if n.kind == scalarNode {
		return
	}
	if pattern[0] != "*" {
		eachMatch(n.child(pattern[0]), pattern[1:], f)
		return
	}
	for _, item := range n.items {
		eachMatch(item, pattern[1:], f)
	}
}

// scaled is a number of the file times factor: counts and tokens stay whole ones, 0 stays 0.
func scaled(n *node, factor float64) (string, bool) {
	f, ok := suffixed(n.text)
	if !ok {
		var err error
		if f, err = strconv.ParseFloat(n.text, 64); err != nil || f < 0 {
			return "", false
		}
	}
	switch path := n.path(); {
	case f == 0:
		return "", false
	case strings.HasSuffix(path, ".count") || strings.Contains(path, ".context") || strings.Contains(path, ".growth") || strings.HasSuffix(path, ".max_context"):
		return strconv.FormatFloat(max(1, math.Round(f*factor)), 'f', -1, 64), true
	}
	return strconv.FormatFloat(f*factor, 'g', 9, 64), true
}

// quotedPath is the path of a node as an override writes it.
func quotedPath(n *node) string {
	var parts []string
	for ; n != nil && n.parent != nil; n = n.parent {
		parts = append([]string{pathName(n.name)}, parts...)
	}
	return strings.Join(parts, ".")
}

// pathName puts a name that has dots in quotes.
func pathName(name string) string {
	if strings.ContainsAny(name, ".=") {
		return `"` + name + `"`
	}
	return name
}

// Path joins names to a path of --set; names that have dots are quoted.
func Path(names ...string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = pathName(name)
	}
	return strings.Join(parts, ".")
}

// DemandSHA256 returns the hash, in hex, of what the variant's demand depends on besides the seed and the content of traces.
func (v *Variant) DemandSHA256() string {
	var b strings.Builder
	for _, name := range []string{"duration", "warmup", "workload"} {
		if n := v.tree.child(name); n != nil {
			n.canonical(&b, nil)
		}
		b.WriteByte('\n')
	}
	return hash(b.String())
}

// ScaleAt returns the override that makes the number at a path factor times as large: a whole number stays one.
func (s *Scenario) ScaleAt(path string, factor float64) (string, bool) {
	segments, ok := splitPath(path)
	if !ok {
		return "", false
	}
	n, rest := s.tree.at(segments...)
	if len(rest) > 0 || n.kind != scalarNode {
		return "", false
	}
	f, ok := suffixed(n.text)
	switch {
	case !ok:
		return "", false
	case f == math.Trunc(f):
		f = math.Round(f * factor)
	default:
		f *= factor
	}
	return path + "=" + strconv.FormatFloat(f, 'g', 9, 64), true
}

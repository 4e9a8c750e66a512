package scenario

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/stack"
)

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

// meansPatterns are the paths of numbers that means which grow with the demand have. Limits of a key are the vendor's, and stay.
var meansPatterns = []string{
	"upstreams.*.keys.*.count", "upstreams.*.models.*.capacity", "upstreams.*.models.*.capacity.*.slots",
	"stack.concurrency.start", "stack.concurrency.max", "stack.targets.*.concurrency.start", "stack.targets.*.concurrency.max",
	"stack.queue.bound", "stack.retry.budget_burst",
}

// ScaleMeans returns overrides that make all other means factor times as large when the demand is: the numbers of keys, the
// calls that run at once at a model, the limits of concurrency, the queues' bounds and the retries in hand, in the base and in what
// the variants say of them; also where the file leaves them to their default. What lies beside except, a path of --set, in one map
// with it, stays as it is, and so do pools whose keys share the limits of a group.
func (s *Scenario) ScaleMeans(factor float64, except string) []string {
	var sets []string
	kept, _ := splitPath(except)
	for _, set := range append(s.scale(meansPatterns, factor), s.defaultMeans(factor)...) {
		path, _, _ := strings.Cut(set, "=")
		at, _ := splitPath(path)
		if at[0] == "variants" {
			at = at[2:]
		}
		if n := len(kept) - 1; n > 0 && len(at) > n && slices.Equal(at[:n], kept[:n]) || s.grouped(at) {
			continue
		}
		sets = append(sets, set)
	}
	return sets
}

// defaultMeans are the means that the file says nothing of.
func (s *Scenario) defaultMeans(factor float64) []string {
	var sets []string
	add := func(n int, path ...string) {
		if at, rest := s.tree.at(path...); len(rest) > 0 && (at == s.tree || at.kind == mapNode) {
			sets = append(sets, Path(path...)+"="+strconv.FormatFloat(math.Round(float64(n)*factor), 'f', -1, 64))
		}
	}
	for i, vendor := range s.Spec.Upstreams.Names {
		for _, pool := range s.Spec.Upstreams.Values[i].Keys.Names {
			add(1, "upstreams", vendor, "keys", pool, "count")
		}
	}
	d := stack.Default()
	add(d.Concurrency.Start, "stack", "concurrency", "start")
	add(d.Concurrency.Max, "stack", "concurrency", "max")
	add(d.Queue.Bound, "stack", "queue", "bound")
	add(int(d.Retry.BudgetBurst), "stack", "retry", "budget_burst")
	return sets
}

// grouped reports whether a path is about a pool whose keys share the limits of a group.
func (s *Scenario) grouped(at []string) bool {
	if len(at) < 4 || at[0] != "upstreams" || at[2] != "keys" {
		return false
	}
	up := s.Spec.Upstreams.Get(at[1])
	if up == nil {
		return false
	}
	pool := up.Keys.Get(at[3])
	return pool != nil && pool.Group != ""
}

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
	case !strings.Contains("."+path, ".workload.") || strings.HasSuffix(path, ".count") || strings.Contains(path, ".context") || strings.Contains(path, ".growth") || strings.HasSuffix(path, ".max_context"):
		return strconv.FormatFloat(max(1, math.Round(f*factor)), 'f', -1, 64), true
	}
	return strconv.FormatFloat(f*factor, 'g', 9, 64), true
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

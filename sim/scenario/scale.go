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

// leastPatterns are means that shrink with the demand, so that what lies above them may, and do not grow.
var leastPatterns = []string{"stack.concurrency.min", "stack.targets.*.concurrency.min"}

// ScaleMeans returns overrides that make all other means factor times as large when the demand is: the numbers of keys, the
// calls that run at once at a model, the limits of concurrency, the queues' bounds and the retries in hand, in the base and in what
// the variants say of them; also where the file leaves them to their default. They are one at least, and at most what a scenario may
// say. What except, a path of --set, is about stays as it is in the base and in every variant: its pool of keys, all limits of
// concurrency, or else what lies in one map with it. So do pools whose keys share the limits of a group.
func (s *Scenario) ScaleMeans(factor float64, except string) []string {
	var sets []string
	kept, patterns := keptMeans(except), meansPatterns
	if factor < 1 {
		patterns = slices.Concat(leastPatterns, meansPatterns)
	}
	for _, set := range append(s.scale(patterns, factor), s.defaultMeans(factor)...) {
		path, _, _ := strings.Cut(set, "=")
		at, _ := SplitPath(path)
		if at[0] == "variants" {
			at = at[2:]
		}
		within := func(path []string) bool { return len(at) > len(path) && slices.Equal(at[:len(path)], path) }
		if !slices.ContainsFunc(kept, within) && !s.grouped(at) {
			sets = append(sets, set)
		}
	}
	return sets
}

// keptMeans are the paths of maps that stay as they are for the sake of a path.
func keptMeans(except string) [][]string {
	path, _ := SplitPath(except)
	if len(path) > 2 && path[0] == "variants" {
		path = path[2:]
	}
	switch {
	case len(path) < 2:
		return nil
	case len(path) > 4 && path[0] == "upstreams" && path[2] == "keys":
		return [][]string{path[:4]}
	case path[0] == "stack" && slices.Contains(path, "concurrency"): // that of a target is completed from the common one
		return [][]string{{"stack", "concurrency"}, {"stack", "targets"}}
	}
	return [][]string{path[:len(path)-1]}
}

// mostOf are the largest values that a scenario may have, by the last name of a path; agents are looked at apart.
var mostOf = map[string]float64{"count": 10_000, "capacity": 1e8, "slots": 1e8, "min": 1e6, "start": 1e6, "max": 1e6, "bound": 1e6, "budget_burst": 1e6}

// bounded rounds means to a whole number that a scenario may have.
func bounded(name string, f float64) string {
	return strconv.FormatFloat(max(1, min(math.Round(f), mostOf[name])), 'f', -1, 64)
}

// defaultMeans are the means that the file says nothing of.
func (s *Scenario) defaultMeans(factor float64) []string {
	var sets []string
	add := func(n int, path ...string) {
		if at, rest := s.tree.at(path...); len(rest) > 0 && (at == s.tree || at.kind == mapNode) {
			sets = append(sets, Path(path...)+"="+bounded(path[len(path)-1], float64(n)*factor))
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
	if factor < 1 {
		add(d.Concurrency.Min, "stack", "concurrency", "min")
	}
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

// scaled is a number of the file times factor: means, counts and tokens stay whole ones, 0 stays 0.
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
	case !strings.Contains("."+path, ".workload."):
		return bounded(n.name, f*factor), true
	case strings.HasSuffix(path, ".count") || strings.Contains(path, ".context") || strings.Contains(path, ".growth") || strings.HasSuffix(path, ".max_context"):
		return strconv.FormatFloat(max(1, math.Round(f*factor)), 'f', -1, 64), true
	}
	return strconv.FormatFloat(f*factor, 'g', 9, 64), true
}

// ScaleAt returns the override that makes the number at a path factor times as large: a whole number stays one, and above 0 if it was.
func (s *Scenario) ScaleAt(path string, factor float64) (string, bool) {
	segments, ok := SplitPath(path)
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
	case f > 0 && f == math.Trunc(f):
		f = max(1, math.Round(f*factor))
	default:
		f *= factor
	}
	return path + "=" + strconv.FormatFloat(f, 'g', 9, 64), true
}

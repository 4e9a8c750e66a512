package scenario

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// key is a key of the grammar: its path, with * for names and indexes, its description, and
// the field that it is, which may have several paths.
type key struct {
	path, doc string
	field     string
}

// keysBelow returns every key of a type, in order.
func keysBelow(t reflect.Type, path string) []key {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	t = form(t)
	if elem := elemOf(t); elem != nil {
		return keysBelow(elem, path+".*")
	}
	var out []key
	switch t.Kind() {
	case reflect.Slice:
		out = keysBelow(t.Elem(), path+".*")
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if name := f.Tag.Get("yaml"); name != "" {
				at := strings.TrimPrefix(path+"."+name, ".")
				out = append(out, key{at, f.Tag.Get("doc"), t.String() + "." + f.Name})
				out = append(out, keysBelow(f.Type, at)...)
			}
		}
	}
	return out
}

// has reports whether the tree has a value at the path, in any place that * stands for.
func (n *node) has(path []string) bool {
	if len(path) == 0 {
		return true
	}
	if path[0] != "*" {
		next := n.child(path[0])
		return next != nil && next.has(path[1:])
	}
	for _, item := range n.items {
		if item.has(path[1:]) {
			return true
		}
	}
	return false
}

// Ensure the full scenario holds every key, apart from what overlays repeat and the forms
// of each single distribution.
func TestFullHoldsEveryKey(t *testing.T) {
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tree := parseTree(&problems{}, data, false)
	text := string(data)
	seen, lacking := make(map[string]bool), make(map[string]string)
	for _, k := range keysBelow(reflect.TypeFor[Spec](), "") {
		parts := strings.Split(k.path, ".")
		last := parts[len(parts)-1]
		switch {
		case strings.HasPrefix(k.path, "variants.*.") && k.path != "variants.*.description":
		case distKey.MatchString(k.path):
			if !strings.Contains(text, last+":") {
				t.Errorf("%s: the form %s is nowhere", k.path, last)
			}
		case tree.has(parts):
			seen[k.field] = true
		default:
			lacking[k.field] = k.path
		}
	}
	for field, path := range lacking {
		if !seen[field] {
			t.Errorf("%s is not in testdata/full.yaml", path)
		}
	}
	if len(seen) < 200 {
		t.Errorf("only %d keys seen", len(seen))
	}
}

var distKey = regexp.MustCompile(`\.(constant|uniform|exponential|lognormal|empirical)(\.|$)`)

// told finds the default in a description: "(default 5s)", "reject (default)", "Default true."
var told = []*regexp.Regexp{
	regexp.MustCompile(`\(default ([^);]+?)([);]|: |, )`),
	regexp.MustCompile(`(\w+) \(default\)`),
	regexp.MustCompile(`Default (\w+)\.$`),
}

func defaultOf(doc string) string {
	for _, form := range told {
		if m := form.FindStringSubmatch(doc); m != nil {
			return m[1]
		}
	}
	return ""
}

// Ensure every default that the description of a key of the stack tells is the one of
// stack.Default: to set it changes nothing.
func TestToldDefaultsOfTheStackAreThoseOfThePackage(t *testing.T) {
	build := func(sets ...string) *Built {
		t.Helper()
		b, err := mustParse(t, small(t), sets...).Variants()[0].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	plain := build()
	other := map[string]string{ // what is not a value to set
		"stack.routes": "", "stack.targets": "", "stack.context": "", "stack.timeouts.deadline": "none",
		"stack.routing": "", "stack.cache.similarity": "0.95", "stack.cache.ttl": "1h", "stack.cache.entries": "10k", // a cache is off by default
		"stack.summaries.model": "", "stack.summaries.output": "", "stack.summaries.keep": "50%", "stack.summaries.max_wait": "1m", // and so are these
		"stack.shared.latency": "500us", "stack.shared.redis": "", "stack.shared.ca": "", "stack.shared.namespace": "simload", "stack.shared.lease": "15s",
		"stack.shared.when_gone": "closed",
	}
	checked := 0
	for _, k := range keysBelow(reflect.TypeFor[Stack](), "stack") {
		if strings.Contains(k.path, "*") || len(keysOf(k.path)) > 0 {
			continue // of a map, or a section
		}
		text := defaultOf(k.doc)
		if want, ok := other[k.path]; ok {
			if text != want {
				t.Errorf("%s: the default told is %q, want %q", k.path, text, want)
			}
			continue
		}
		if text == "" {
			t.Errorf("%s: no default is told: %s", k.path, k.doc)
			continue
		}
		if got := build(k.path + "=" + text); !reflect.DeepEqual(got, plain) {
			t.Errorf("%s: the default told, %s, is not the default:\ngot  %+v\nwant %+v", k.path, text, got.Stack, plain.Stack)
		}
		checked++
	}
	if checked < 45 {
		t.Errorf("only %d defaults checked", checked)
	}
}

// keysOf returns the keys below a section of the stack.
func keysOf(path string) []key {
	var out []key
	for _, k := range keysBelow(reflect.TypeFor[Stack](), "stack") {
		if strings.HasPrefix(k.path, path+".") && !strings.HasPrefix(k.path, path+".*") {
			out = append(out, k)
		}
	}
	return out
}

// Ensure that setting a key to the default that its description tells changes nothing
// outside of the stack either.
func TestToldDefaultsOfTheRestChangeNothing(t *testing.T) {
	text, err := os.ReadFile("testdata/bare.yaml")
	if err != nil {
		t.Fatal(err)
	}
	build := func(sets ...string) *Built {
		t.Helper()
		b, err := mustParse(t, string(text), sets...).Variants()[0].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	plain := build()
	for _, set := range bareDefaults(t) {
		if !reflect.DeepEqual(build(set), plain) {
			t.Errorf("%s: the default told is not the default", set)
		}
	}
}

// bareDefaults returns an override for each default that is told of a key that the bare
// scenario could have.
func bareDefaults(t *testing.T) []string {
	var sets []string
	for _, k := range keysBelow(reflect.TypeFor[Spec](), "") {
		section, _, _ := strings.Cut(k.path, ".")
		text := defaultOf(k.doc)
		if text == "" || strings.ContainsAny(text, " ") || section == "stack" || section == "variants" {
			continue
		}
		path := k.path
		for _, named := range bareNames {
			if rest, ok := strings.CutPrefix(path, named.pattern); ok {
				path = named.name + rest
				break
			}
		}
		if !strings.Contains(path, "*") && !otherwise[path] {
			sets = append(sets, path+"="+text)
		}
	}
	if len(sets) < 35 {
		t.Errorf("only %d defaults: %v", len(sets), sets)
	}
	return sets
}

// otherwise are defaults that the rooms fill in, or that another dialect or kind has.
var otherwise = map[string]bool{
	"upstreams.v.faults.f.retry_after": true,
	"epoch":                            true, "upstreams.v.models.m.queue_wait": true, "upstreams.v.keys.k.limits.m.quantum": true,
	// Topics are off by default.
	"workload.profiles.ask.topics.skew": true, "workload.profiles.ask.topics.wordings": true,
	"workload.agents.crew.phases.0.fan_out": true, // the bare scenario needs one for the keys beside it
}

// bareNames says which entry of the bare scenario stands for each *.
var bareNames = []struct{ pattern, name string }{
	{"workload.profiles.*.", "workload.profiles.ask."},
	{"workload.agents.*.phases.*.", "workload.agents.crew.phases.0."},
	{"workload.agents.*.", "workload.agents.crew."},
	{"workload.streams.*.", "workload.streams.s."},
	{"workload.traces.*.", "workload.traces.t."},
	{"upstreams.*.models.*.", "upstreams.v.models.m."},
	{"upstreams.*.keys.*.limits.*.", "upstreams.v.keys.k.limits.m."},
	{"upstreams.*.keys.*.", "upstreams.v.keys.k."},
	{"upstreams.*.faults.*.", "upstreams.v.faults.f."},
	{"upstreams.*.", "upstreams.v."},
}

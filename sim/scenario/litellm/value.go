package litellm

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

const (
	maxDepth  = 40      // of nesting, aliases included
	maxValues = 100_000 // looked at, aliases expanded
	maxText   = 200     // bytes of a name that is taken over
	// environment is how a value that stands for an environment variable begins.
	environment = "os.environ/"
)

// value is a place in the configuration: a node of the file and the path that leads to it.
// The zero value is a setting that is not there.
type value struct {
	node  *yaml.Node
	path  string
	depth int
}

// field is a key of a map and what it is set to.
type field struct {
	key   string
	value value
	told  bool // the key is in the path
}

func (v value) given() bool { return v.node != nil && v.node.Tag != "!!null" }

func (v value) line() int {
	if v.node == nil {
		return 0
	}
	return v.node.Line
}

// resolved follows an alias.
func resolved(n *yaml.Node) *yaml.Node {
	for range maxDepth {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// child returns what is below a value. Nothing is below one that is nested too deeply.
func (v value) child(n *yaml.Node, path string) value {
	if v.depth >= maxDepth {
		return value{path: path}
	}
	return value{resolved(n), path, v.depth + 1}
}

// fields returns the settings of a map, in the order of the file; of one that is there twice the
// last. What "<<" merges in comes after what the map has itself. A key that is no name is noted
// and left out. It returns nil for what is no map, which is noted.
func (c *config) fields(v value) []field {
	var out []field
	for _, f := range c.entries(v, settingName) {
		if f.told {
			out = append(out, f)
		} else {
			c.note(f.value, "not the name of a setting, and not told since it may hold a secret: left out; %s", spaced)
		}
	}
	return out
}

// groupFields returns the entries of a map whose keys are names of groups, likewise.
func (c *config) groupFields(v value) []field { return c.entries(v, groupInPath) }

// entries returns the entries of a map. Tell says how a path tells a key.
func (c *config) entries(v value, tell func(key string, given bool) (string, bool)) []field {
	if !c.expect(v, yaml.MappingNode, "a map") {
		return nil
	}
	var out []field
	at := map[string]int{}
	var merged []value
	for i := 0; i+1 < len(v.node.Content) && c.budget(); i += 2 {
		key, below := v.node.Content[i], v.node.Content[i+1]
		if key.Tag == "!!merge" {
			merged = append(merged, v.child(below, v.path))
			continue
		}
		f := field{key: key.Value, value: v.child(below, "")}
		if f.value.node == nil {
			continue
		}
		var name string
		name, f.told = tell(f.key, f.value.given())
		f.value.path = join(v.path, name)
		if k, twice := at[f.key]; twice {
			c.note(f.value, "is there twice: the last one counts")
			out[k] = f
			continue
		}
		at[f.key] = len(out)
		out = append(out, f)
	}
	for _, m := range merged {
		for _, f := range c.merge(m, tell) {
			if _, have := at[f.key]; !have {
				at[f.key] = len(out)
				out = append(out, f)
			}
		}
	}
	return out
}

// merge returns what "<<" merges in: the entries of a map, or of each map of a list.
func (c *config) merge(v value, tell func(key string, given bool) (string, bool)) []field {
	parts := []value{v}
	if v.node != nil && v.node.Kind == yaml.SequenceNode {
		parts = c.items(v)
	}
	var out []field
	for _, part := range parts {
		kind := part
		kind.path = join(v.path, "<<")
		if c.expect(kind, yaml.MappingNode, "a map") {
			part.path = v.path
			out = append(out, c.entries(part, tell)...)
		}
	}
	return out
}

// expect reports whether a value is of a kind. One that is given and is of another is noted.
func (c *config) expect(v value, kind yaml.Kind, what string) bool {
	switch {
	case !v.given():
		return false
	case v.node.Kind == kind:
		return true
	case v.environment():
		c.note(v, "stands for an environment variable, which is not read: taken as not set; write %s", what)
	default:
		c.note(v, "%s is expected, but this is %s: left out", what, kindOf(v.node))
	}
	return false
}

// items returns the entries of a list; nil for what is no list, which is noted.
func (c *config) items(v value) []value {
	if !c.expect(v, yaml.SequenceNode, "a list") {
		return nil
	}
	var out []value
	for i, n := range v.node.Content {
		if item := v.child(n, v.path+"["+strconv.Itoa(i)+"]"); item.node != nil && c.budget() {
			out = append(out, item)
		}
	}
	return out
}

// budget counts a value that is looked at; false when there were too many.
func (c *config) budget() bool {
	c.looked++
	return c.looked <= maxValues
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// scalar returns a value's text; false if it is a map, a list or nothing.
func (v value) scalar() (string, bool) {
	if !v.given() || v.node.Kind != yaml.ScalarNode {
		return "", false
	}
	return v.node.Value, true
}

// environment reports whether a value stands for an environment variable.
func (v value) environment() bool {
	s, _ := v.scalar()
	return strings.HasPrefix(s, environment)
}

// raw returns a short text as it is written; "" if there is none.
func (v value) raw() string {
	s, _ := v.scalar()
	if len(s) > maxText || s != strings.ToValidUTF8(s, "?") {
		return ""
	}
	return s
}

// text returns a short text; "" if there is none. What is given and is none is noted.
func (c *config) text(v value) string {
	switch s := v.raw(); {
	case !c.expect(v, yaml.ScalarNode, "a text"):
		return ""
	case v.environment():
		c.note(v, "stands for an environment variable, which is not read: taken as not set; write its value")
		return ""
	case s == "" && v.node.Value != "":
		c.note(v, "not a text of up to %d bytes: taken as not set", maxText)
		return ""
	default:
		return s
	}
}

// number returns a number from low to high. What is given and is none is noted: it counts as not
// given.
func (c *config) number(v value, low, high float64) (float64, bool) {
	s, ok := v.scalar()
	switch {
	case !v.given():
		return 0, false
	case v.environment():
		c.note(v, "stands for an environment variable, which is not read: taken as not set; write the number")
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if !ok || err != nil || math.IsNaN(x) || x < low || x > high {
		c.note(v, "is not a number from %v to %v: taken as not set", low, high)
		return 0, false
	}
	return x, true
}

// whole returns a whole number likewise.
func (c *config) whole(v value, low, high int64) (int64, bool) {
	x, ok := c.number(v, float64(low), float64(high))
	if ok && x != math.Trunc(x) {
		c.note(v, "is not a whole number: rounded down")
	}
	return int64(x), ok
}

// flag returns whether a value is true.
func (c *config) flag(v value) bool {
	s, _ := v.scalar()
	switch strings.ToLower(s) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off":
		return false
	}
	if !v.given() {
		return false
	}
	if v.environment() {
		c.note(v, "stands for an environment variable, which is not read: taken as false")
	} else {
		c.note(v, "is neither true nor false: taken as false")
	}
	return false
}

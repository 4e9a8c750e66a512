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

// fields returns the entries of a map, in the order of the file; of a key that is there twice the
// last. What "<<" merges in comes after what the map has itself. It returns nil for what is no map.
func (c *config) fields(v value) []field {
	if v.node == nil || v.node.Kind != yaml.MappingNode {
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
		f := field{key.Value, v.child(below, join(v.path, key.Value))}
		if f.value.node == nil {
			continue
		}
		if k, twice := at[f.key]; twice {
			c.note(f.value, "is there twice: the last one counts")
			out[k] = f
			continue
		}
		at[f.key] = len(out)
		out = append(out, f)
	}
	for _, m := range merged {
		for _, part := range append([]value{m}, c.items(m)...) {
			for _, f := range c.fields(part) {
				if _, have := at[f.key]; !have {
					at[f.key] = len(out)
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// items returns the entries of a list; nil for what is no list.
func (c *config) items(v value) []value {
	if v.node == nil || v.node.Kind != yaml.SequenceNode {
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
	key = printable(key)
	if path == "" {
		return key
	}
	return path + "." + key
}

// printable makes a key fit for a message.
func printable(key string) string {
	key = strings.Map(func(r rune) rune {
		if r < ' ' || r == '\ufffd' || !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, key)
	return key[:min(len(key), 60)]
}

// scalar returns a value's text; false if it is a map, a list or nothing.
func (v value) scalar() (string, bool) {
	if !v.given() || v.node.Kind != yaml.ScalarNode {
		return "", false
	}
	return v.node.Value, true
}

// text returns a short text; "" if there is none.
func (v value) text() string {
	s, _ := v.scalar()
	if len(s) > maxText || s != strings.ToValidUTF8(s, "?") {
		return ""
	}
	return s
}

// number returns a number from low to high. What is given and is none is noted: it counts as not
// given.
func (c *config) number(v value, low, high float64) (float64, bool) {
	s, ok := v.scalar()
	switch {
	case !v.given():
		return 0, false
	case strings.HasPrefix(s, environment):
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
	s, ok := v.scalar()
	switch strings.ToLower(s) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off", "":
		return false
	}
	if ok && strings.HasPrefix(s, environment) {
		c.note(v, "stands for an environment variable, which is not read: taken as false")
	} else {
		c.note(v, "is neither true nor false: taken as false")
	}
	return false
}

package scenario

import (
	"regexp"
	"strconv"
	"strings"
)

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	mapNode
	listNode
)

// node is a value of a scenario with its place. Aliases and merge keys are
// resolved, so that the tree is a tree, and every node knows the way up.
type node struct {
	kind         nodeKind
	tag          string // of scalars: !!str, !!int, !!float, !!bool, !!null, ...
	text         string // of scalars
	line, column int
	broken       bool     // an error was told already
	inner        int      // column of the text itself, behind a quote; 0: not on one line
	set          bool     // comes from a --set argument
	unset        []string // names that a --set argument removed
	parent       *node
	name         string // key or index in the parent
	names        []string
	items        []*node // values of a map, in the order of names, or items of a list
	keys         []*node // scalar nodes of a map's names, for their places
}

// path returns the dotted path of the node.
func (n *node) path() string {
	var parts []string
	for ; n != nil && n.parent != nil; n = n.parent {
		parts = append(parts, n.name)
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, ".")
}

// index returns the position of a name in a map, or of an index in a list, or -1.
func (n *node) index(name string) int {
	if n == nil {
		return -1
	}
	switch n.kind {
	case mapNode:
		for i, have := range n.names {
			if have == name {
				return i
			}
		}
	case listNode:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.items) && strconv.Itoa(i) == name {
			return i
		}
	}
	return -1
}

// child returns the value below name, or nil.
func (n *node) child(name string) *node {
	if i := n.index(name); i >= 0 {
		return n.items[i]
	}
	return nil
}

// at walks down the path and returns the deepest node that exists, with the names
// that it lacks.
func (n *node) at(path ...string) (*node, []string) {
	for i, name := range path {
		next := n.child(name)
		if next == nil {
			return n, path[i:]
		}
		n = next
	}
	return n, nil
}

// put sets the value of a name in a map, keeping its place in the order if it is
// there already, or appending it.
func (n *node) put(name string, value, key *node) {
	if i := n.index(name); i >= 0 {
		n.items[i] = value
		return
	}
	n.names = append(n.names, name)
	n.keys = append(n.keys, key)
	n.items = append(n.items, value)
}

// drop removes a name from a map.
func (n *node) drop(name string) {
	i := n.index(name)
	if i < 0 {
		return
	}
	n.names = append(n.names[:i:i], n.names[i+1:]...)
	n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
	n.items = append(n.items[:i:i], n.items[i+1:]...)
}

func (n *node) null() bool { return n.kind == scalarNode && n.tag == "!!null" }

// found describes the node for an error message.
func (n *node) found() string {
	switch {
	case n.kind == mapNode && len(n.names) == 0:
		return "an empty map"
	case n.kind == mapNode:
		return "a map with " + list(n.names)
	case n.kind == listNode:
		return "a list of " + strconv.Itoa(len(n.items))
	case n.null():
		return "nothing"
	case n.tag == "!!str" && plainText.MatchString(n.text):
		return strconv.Quote(n.text)
	}
	return quote(n.text)
}

// plainText is what would be a number or a truth value if it were not in quotes.
var plainText = regexp.MustCompile(`^(-?[0-9]+(\.[0-9]+)?|true|false|null)$`)

// quote cuts long text and makes unprintable bytes visible; plain words stay plain.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	if q := strconv.Quote(s); s == "" || len(q) != len(s)+2 || strings.TrimSpace(s) != s {
		return q
	}
	return s
}

// canonical writes the tree in a form that depends on nothing but its values and
// their order. Instead holds texts that stand for some of the scalars.
func (n *node) canonical(b *strings.Builder, instead map[*node]string) {
	switch n.kind {
	case scalarNode:
		text := n.text
		if other, ok := instead[n]; ok {
			text = other
		}
		b.WriteString(strconv.Quote(text))
	case listNode:
		b.WriteByte('[')
		for _, item := range n.items {
			item.canonical(b, instead)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case mapNode:
		b.WriteByte('{')
		for i, item := range n.items {
			b.WriteString(strconv.Quote(n.names[i]) + ":")
			item.canonical(b, instead)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}

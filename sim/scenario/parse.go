package scenario

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Limits on what a scenario file may hold. They are far above any sensible file and
// keep a hostile one from using up time or memory.
const (
	MaxBytes = 4 << 20 // of the file
	maxNodes = 200_000 // values, aliases expanded
	maxDepth = 40      // of nesting
	maxNames = 10_000  // in one map
)

// parseTree turns YAML into a tree. It returns nil when problems were found that
// leave nothing to look at.
func parseTree(p *problems, data []byte, set bool) *node {
	if at := invalidUTF8(data); at >= 0 {
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		column := at - bytes.LastIndexByte(data[:at], '\n')
		p.note(Error{
			File: p.file, Line: line, Column: column, Problem: "not UTF-8 text",
			Found: "byte 0x" + strconv.FormatUint(uint64(data[at]), 16), Allowed: "UTF-8",
			Hint: "save the file as UTF-8",
		})
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		p.note(Error{File: p.file, Problem: "cannot read YAML: " + err.Error()})
		return nil
	}
	var doc, second yaml.Node
	if err := loader.Load(&doc); err != nil {
		p.note(syntaxError(p.file, err))
		return nil
	}
	if err := loader.Load(&second); err == nil {
		p.note(Error{
			File: p.file, Line: second.Line, Column: second.Column, Problem: "a second document begins here",
			Found: "two or more documents", Allowed: "one document in a file",
			Hint: "remove the line ---, or put the second scenario into a file of its own",
		})
		return nil
	} else if !errors.Is(err, io.EOF) {
		p.note(syntaxError(p.file, err))
		return nil
	}
	if len(doc.Content) != 1 {
		p.note(emptyError(p.file))
		return nil
	}
	c := converter{problems: p, set: set, open: make(map[*yaml.Node]bool)}
	root := c.convert(doc.Content[0], nil, "", 0)
	if c.count > maxNodes {
		return nil
	}
	return root
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func emptyError(file string) Error {
	return Error{
		File: file, Line: 1, Column: 1, Problem: "the file holds no scenario", Found: "nothing",
		Allowed: "a map with duration, workload and upstreams", Hint: "`simload init` writes a starter scenario",
	}
}

func syntaxError(file string, err error) Error {
	if errors.Is(err, io.EOF) {
		return emptyError(file)
	}
	e := Error{
		File: file, Problem: "not YAML: " + err.Error(), Found: "text that YAML cannot read", Allowed: "YAML",
		Hint: "check the indentation (spaces, no tabs), colons, quotes and brackets of this line and the one before",
	}
	var le *yaml.LoadError
	if errors.As(err, &le) {
		e.Line, e.Column = le.Mark.Line, le.Mark.Column
		e.Problem = "not YAML: " + le.Message
	}
	return e
}

// converter turns YAML nodes into a tree of ours.
type converter struct {
	*problems
	set   bool
	count int
	open  map[*yaml.Node]bool // anchors being expanded
}

func (c *converter) convert(y *yaml.Node, parent *node, name string, depth int) *node {
	n := &node{line: y.Line, column: y.Column, parent: parent, name: name, set: c.set}
	if c.count++; c.count > maxNodes {
		if c.count == maxNodes+1 {
			c.add(n, problem{
				"too many values", "more than " + strconv.Itoa(maxNodes), "up to " + strconv.Itoa(maxNodes) + ", aliases expanded",
				"an alias that repeats a list of aliases multiplies: write the values out",
			})
		}
		n.broken = true
		return n
	}
	if depth > maxDepth {
		c.add(n, problem{
			"nested too deeply", "level " + strconv.Itoa(depth), "up to " + strconv.Itoa(maxDepth) + " levels",
			"the deepest value of a scenario lies at level 9",
		})
		n.broken = true
		return n
	}
	switch y.Kind {
	case yaml.AliasNode:
		if y.Alias == nil || c.open[y.Alias] {
			c.add(n, problem{"an alias that contains itself", "*" + y.Value, "an alias of another value", "write the value out"})
			n.broken = true
			return n
		}
		return c.convert(y.Alias, parent, name, depth+1)
	case yaml.ScalarNode:
		c.scalar(y, n)
	case yaml.SequenceNode:
		c.open[y] = true
		n.kind = listNode
		for i, item := range y.Content {
			if c.count > maxNodes {
				break
			}
			n.items = append(n.items, c.convert(item, n, strconv.Itoa(i), depth+1))
		}
		delete(c.open, y)
	case yaml.MappingNode:
		c.open[y] = true
		n.kind = mapNode
		c.pairs(y, n, depth)
		delete(c.open, y)
	}
	return n
}

func (c *converter) scalar(y *yaml.Node, n *node) {
	n.tag, n.text = y.ShortTag(), y.Value
	switch {
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0 || y.Anchor != "":
	case y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		n.inner = y.Column + 1
	default:
		n.inner = y.Column
	}
	switch n.tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null":
	case "!!timestamp", "!!merge":
		n.tag = "!!str"
	default:
		c.add(n, problem{"tags are not allowed", y.Tag, "plain values", "remove the tag"})
		n.tag = "!!str"
	}
}

// pairs converts the entries of a map. Merged ones (<<) come after its own and
// yield to them.
func (c *converter) pairs(y *yaml.Node, n *node, depth int) {
	at := make(map[string]int, len(y.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(y.Content) && c.count <= maxNodes; i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if c.thousands(y, i, n) {
			continue
		}
		key := &node{line: k.Line, column: k.Column, parent: n, name: k.Value, set: c.set, text: k.Value, tag: "!!str"}
		switch {
		case k.Kind == yaml.ScalarNode && k.Tag == "!!merge":
			merged = append(merged, v)
			continue
		case k.Kind != yaml.ScalarNode || k.Value == "" || k.ShortTag() == "!!null":
			key.name = "?"
			c.add(key, problem{"a key must be a name", k.Value, "a plain word", "write name: value"})
			continue
		}
		if first, dup := at[k.Value]; dup {
			c.add(key, problem{
				"duplicate key", quote(k.Value), "each key once",
				"the first one is in line " + strconv.Itoa(n.keys[first].line) + ": keep one of them",
			})
			continue
		}
		if len(n.names) == maxNames {
			c.add(key, problem{"too many keys in one map", "more than " + strconv.Itoa(maxNames), "up to " + strconv.Itoa(maxNames), "use count to make many of a kind"})
			return
		}
		at[k.Value] = len(n.names)
		n.put2(k.Value, c.convert(v, n, k.Value, depth+1), key)
	}
	for _, v := range merged {
		c.merge(v, n, depth)
	}
}

// threeDigits is what follows a separator of thousands.
var threeDigits = regexp.MustCompile(`^[0-9]{3}$`)

// thousands reports whether the i-th entry of {tpm: 300,000} is no key, but the end of the number before it, and says so once.
func (c *converter) thousands(y *yaml.Node, i int, n *node) bool {
	if y.Style&yaml.FlowStyle == 0 || len(n.items) == 0 {
		return false
	}
	number := n.items[len(n.items)-1]
	found := number.text
	for ; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.Style != 0 || !threeDigits.MatchString(k.Value) || v.Kind != yaml.ScalarNode || v.Value != "" || v.ShortTag() != "!!null" {
			break
		}
		found += "," + k.Value
	}
	if found == number.text || number.kind != scalarNode || number.tag != "!!int" {
		return false
	}
	if !number.broken {
		number.broken = true
		c.add(number, problem{"a number with separators", found, "a number without them", withoutSeparators(found)})
	}
	return true
}

// withoutSeparators is the hint about a number such as 300,000.
func withoutSeparators(number string) string {
	return "write " + strings.NewReplacer(",", "", "_", "", " ", "").Replace(number)
}

// put2 appends a name that is known to be new.
func (n *node) put2(name string, value, key *node) {
	n.names = append(n.names, name)
	n.keys = append(n.keys, key)
	n.items = append(n.items, value)
}

// merge adds the entries of a merge key's value, one map or a list of them, where
// the map has none of its own.
func (c *converter) merge(y *yaml.Node, n *node, depth int) {
	from := c.convert(y, n, "<<", depth+1)
	maps := []*node{from}
	if from.kind == listNode {
		maps = from.items
	}
	for _, m := range maps {
		if m.kind != mapNode {
			c.add(from, problem{"a merge key takes maps", m.found(), "an alias of a map, or a list of them", "write <<: *name"})
			continue
		}
		for i, name := range m.names {
			if n.index(name) < 0 && len(n.names) < maxNames {
				m.items[i].parent = n
				n.put2(name, m.items[i], m.keys[i])
				m.keys[i].parent = n
			}
		}
	}
}

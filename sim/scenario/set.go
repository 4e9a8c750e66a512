package scenario

import (
	"reflect"
	"strconv"
	"strings"
)

// setter applies one --set argument to a tree.
type setter struct {
	*problems
	path  string // as given
	root  *node
	value *node // nil: remove
}

// applySet changes the tree as path=value says. The path is dotted; where a name
// itself has dots the longest name that exists is taken, or the name is quoted.
func applySet(p *problems, root *node, arg string) {
	path, text, ok := strings.Cut(arg, "=")
	s := setter{problems: p, path: path, root: root}
	if !ok || path == "" {
		p.note(Error{
			File: fromSet, Problem: "not an override", Found: quote(arg), Allowed: "path=value",
			Hint: "write for example --set workload.agents.researchers.count=200",
		})
		return
	}
	segments, ok := SplitPath(path)
	if !ok {
		s.fail("not a path", quote(path), "names with dots between them", "put a name that has dots in double quotes")
		return
	}
	if !s.parse(text) {
		return
	}
	s.walk(root, nil, reflect.TypeFor[Spec](), segments)
}

// parse reads the value as YAML.
func (s *setter) parse(text string) bool {
	if strings.TrimSpace(text) == "" {
		s.fail("no value", "nothing", "a value, or null to remove the key", `is a variable of the shell empty? an empty text is '""'`)
		return false
	}
	own := problems{file: fromSet}
	s.value = parseTree(&own, []byte(text), true)
	for _, e := range own.list {
		e.File, e.Line, e.Column, e.Path = fromSet, 0, 0, s.path
		e.Hint = "quote the value for the shell; it is read as YAML"
		s.note(e)
	}
	if s.value != nil && s.value.null() {
		s.value = nil
	}
	return len(own.list) == 0
}

func (s *setter) fail(what, found, allowed, hint string) {
	s.note(Error{File: fromSet, Path: s.path, Problem: what, Found: found, Allowed: allowed, Hint: hint})
}

// walk goes down the rest of the path from n, whose type is t, and sets the value.
// other is the node of the base at the same place while n lies in an overlay.
func (s *setter) walk(n, other *node, t reflect.Type, rest []string) {
	t = form(t)
	used, name := 1, rest[0]
	elem := elemOf(t)
	isList := t.Kind() == reflect.Slice
	switch {
	case (isList && n.kind != listNode) || (!isList && n.kind != mapNode):
		s.fail("the file has another kind of value here", n.found(), "a map, or a list", "set the whole value of "+n.path())
		return
	case elem != nil:
		used, name = s.entry(n, other, elem, rest)
	case t.Kind() == reflect.Struct:
		if fieldIndex(t, name) < 0 {
			names := fieldNames(t)
			s.fail("no such key", quote(name), list(names), didYouMean(name, names, "`simload schema` describes every key"))
			used = 0
		}
	case isList:
		if n.index(name) < 0 {
			s.fail("no such item", quote(name), indexes(n), "set the whole list to make it longer")
			used = 0
		}
	default:
		s.fail("a value has no keys", quote(name), "the path "+strings.TrimSuffix(s.path, "."+strings.Join(rest, ".")), "leave out ."+strings.Join(rest, "."))
		used = 0
	}
	if used == 0 {
		return
	}
	if elem == reflect.TypeFor[Overlay]() {
		other = s.root
	} else {
		other = other.child(name)
	}
	if len(rest) > used {
		next := below(t, name)
		s.walk(s.down(n, name, next), other, next, rest[used:])
		return
	}
	s.store(n, name)
}

// entry finds which entry of a map the path means, and how many of its parts that
// takes; 0 after an error.
func (s *setter) entry(n, other *node, elem reflect.Type, rest []string) (int, string) {
	var names []string
	if n.kind == mapNode {
		names = append(names, n.names...)
	}
	if other != nil && other.kind == mapNode {
		for _, name := range other.names {
			if !contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for used := len(rest); used > 0; used-- {
		if name := strings.Join(rest[:used], "."); contains(names, name) {
			return used, name
		}
	}
	switch {
	case !refers(elem):
		name := s.wrongName(elem, rest)
		s.fail("no such name", quote(name), list(names), didYouMean(name, names, "add it to the file"))
		return 0, ""
	case form(elem).Kind() == reflect.Struct:
		for used := len(rest) - 1; used > 0; used-- {
			if fieldIndex(form(elem), rest[used]) >= 0 {
				return used, strings.Join(rest[:used], ".")
			}
		}
	}
	return len(rest), strings.Join(rest, ".")
}

// wrongName guesses where a name that does not exist ends: before the first part
// that is a key of its kind.
func (s *setter) wrongName(elem reflect.Type, rest []string) string {
	for i := 1; i < len(rest); i++ {
		if below(elem, rest[i]) != nil {
			return strings.Join(rest[:i], ".")
		}
	}
	return strings.Join(rest, ".")
}

// refers reports whether the names of a map of elem refer to things defined
// elsewhere, so that an override may add an entry: a misspelt one is found out when
// the scenario is checked.
func refers(elem reflect.Type) bool {
	switch elem {
	case reflect.TypeFor[Profile](), reflect.TypeFor[Agents](), reflect.TypeFor[Stream](), reflect.TypeFor[Trace](),
		reflect.TypeFor[BurstState](), reflect.TypeFor[Spike](), reflect.TypeFor[ClientGroup](),
		reflect.TypeFor[Upstream](), reflect.TypeFor[Model](), reflect.TypeFor[KeyPool](), reflect.TypeFor[Project](), reflect.TypeFor[Fault](),
		reflect.TypeFor[Overlay]():
		return false
	}
	return true
}

// down returns the node at name, made new where there is none that can have keys.
func (s *setter) down(n *node, name string, t reflect.Type) *node {
	have := n.child(name)
	if have != nil && have.kind != scalarNode {
		return have
	}
	fresh := &node{kind: mapNode, parent: n, name: name, set: true}
	if form(t).Kind() == reflect.Slice {
		fresh.kind = listNode
	}
	s.attach(n, name, fresh)
	return fresh
}

func (s *setter) store(n *node, name string) {
	switch {
	case s.value != nil:
		s.value.parent, s.value.name = n, name
		s.attach(n, name, s.value)
	case n.kind == listNode:
		s.fail("an item of a list cannot be removed", "null", "a value", "set the whole list")
	case insideOverlay(n):
		// There null is a patch that removes the base's value.
		s.attach(n, name, &node{parent: n, name: name, set: true, tag: "!!null"})
	default:
		n.drop(name)
		n.unset = append(n.unset[:len(n.unset):len(n.unset)], name)
	}
}

func insideOverlay(n *node) bool {
	return strings.HasPrefix(n.path(), "variants.")
}

func (s *setter) attach(n *node, name string, value *node) {
	if n.kind == listNode {
		n.items[n.index(name)] = value
		return
	}
	n.put(name, value, &node{parent: n, name: name, set: true, tag: "!!str", text: name})
}

func indexes(n *node) string {
	if n.kind != listNode || len(n.items) == 0 {
		return "none: the list is empty here"
	}
	return "0 to " + strconv.Itoa(len(n.items)-1)
}

// SplitPath cuts a path of --set at its dots, except inside double quotes; false: it is none.
func SplitPath(path string) ([]string, bool) {
	var out []string
	for path != "" {
		var part string
		if quoted, ok := strings.CutPrefix(path, `"`); ok {
			end := strings.IndexByte(quoted, '"')
			if end < 0 {
				return nil, false
			}
			part, path = quoted[:end], quoted[end+1:]
			if path != "" && path[0] != '.' {
				return nil, false
			}
		} else if dot := strings.IndexByte(path, '.'); dot >= 0 {
			part, path = path[:dot], path[dot:]
		} else {
			part, path = path, ""
		}
		if part == "" {
			return nil, false
		}
		out = append(out, part)
		if path == "." {
			return nil, false
		}
		path = strings.TrimPrefix(path, ".")
	}
	return out, true
}

package scenario

import "reflect"

// Variant is one configuration to run: the scenario itself, named "base", or one of
// its variants.
type Variant struct {
	Name string
	Spec *Spec // fully merged and checked

	scenario *Scenario
	tree     *node
}

// oneForm marks types whose map holds one key out of several. A patch with another
// key replaces them instead of adding the second.
type oneForm interface{ oneForm() }

func (v *Dist[T]) oneForm() {}

// merge lays a patch over a base: maps merge, everything else replaces, null removes.
// Neither is changed. Nodes keep their places and paths, so that an error in a patch
// points into the patch.
func merge(t reflect.Type, base, patch *node) *node {
	if base == nil || base.kind != mapNode || patch.kind != mapNode || replaces(t, base, patch) {
		return withoutNulls(patch)
	}
	out := base.clone()
	for i, name := range patch.names {
		if patch.items[i].null() {
			out.drop(name)
			continue
		}
		out.put(name, merge(below(t, name), out.child(name), patch.items[i]), patch.keys[i])
	}
	return out
}

// replaces reports whether the patch of a one-form type names a form that the base
// does not have.
func replaces(t reflect.Type, base, patch *node) bool {
	if t == nil {
		return false
	}
	if _, ok := reflect.New(t).Interface().(oneForm); !ok {
		return false
	}
	for _, name := range patch.names {
		if base.index(name) >= 0 {
			return false
		}
	}
	return true
}

// clone copies a node but not its children.
func (n *node) clone() *node {
	out := *n
	out.names = append([]string(nil), n.names...)
	out.keys = append([]*node(nil), n.keys...)
	out.items = append([]*node(nil), n.items...)
	return &out
}

// withoutNulls is the patch as a value of its own.
func withoutNulls(n *node) *node {
	if n.kind != mapNode {
		return n
	}
	out := n.clone()
	for i, name := range n.names {
		if n.items[i].null() {
			out.drop(name)
		} else {
			out.items[out.index(name)] = withoutNulls(n.items[i])
		}
	}
	return out
}

// form returns the type that holds the keys of t, without pointers.
func form(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := reflect.New(t).Interface().(shaped); ok {
		return s.shape()
	}
	return t
}

// named is a Map of any type.
type named interface{ elem() reflect.Type }

// elemOf returns the type of a Map's values, or nil for other types.
func elemOf(t reflect.Type) reflect.Type {
	if m, ok := reflect.New(t).Interface().(named); ok {
		return m.elem()
	}
	return nil
}

// below returns the type of what lies at a key of t, or nil.
func below(t reflect.Type, name string) reflect.Type {
	if t == nil {
		return nil
	}
	t = form(t)
	if elem := elemOf(t); elem != nil {
		return elem
	}
	var out reflect.Type
	switch t.Kind() {
	case reflect.Slice:
		out = t.Elem()
	case reflect.Struct:
		if i := fieldIndex(t, name); i >= 0 {
			out = t.Field(i).Type
		}
	}
	for out != nil && out.Kind() == reflect.Pointer {
		out = out.Elem()
	}
	return out
}

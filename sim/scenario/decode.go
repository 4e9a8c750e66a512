package scenario

import (
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// decoder fills Go values from a tree and notes what does not fit.
type decoder struct {
	*problems
	// partial: the tree is an overlay, or a base that overlays complete. Nothing is
	// required then, and null stands for "remove".
	partial bool
}

// valueDecoder is a type that reads itself from a node.
type valueDecoder interface {
	decode(d *decoder, n *node, r rules)
}

// shaped is a type that reads itself but holds the keys of another type, which
// overrides and overlays may address.
type shaped interface {
	shape() reflect.Type
}

// value decodes n into v.
func (d *decoder) value(n *node, v reflect.Value, r rules) {
	if n.broken || d.partial && n.null() {
		return
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	if own, ok := v.Addr().Interface().(valueDecoder); ok {
		own.decode(d, n, r)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.fields(n, v)
	case reflect.Slice:
		d.items(n, v, r)
	case reflect.String:
		d.text(n, v, r)
	case reflect.Bool:
		if n.kind != scalarNode || n.tag != "!!bool" {
			d.add(n, problem{"not a truth value", n.found(), "true or false", "write true or false, without quotes"})
			return
		}
		v.SetBool(strings.EqualFold(n.text, "true"))
	case reflect.Int, reflect.Int64:
		if i, ok := d.integer(n, r); ok {
			v.SetInt(i)
		}
	case reflect.Uint64:
		d.natural(n, v)
	case reflect.Float64:
		if f, ok := d.number(n, r); ok {
			v.SetFloat(f)
		}
	default:
		panic("scenario: no decoding of " + v.Type().String())
	}
}

// fields decodes a map into a struct: every key must be a field.
func (d *decoder) fields(n *node, v reflect.Value) {
	t := v.Type()
	if n.kind != mapNode {
		if !n.null() {
			d.add(n, problem{"not a map", n.found(), "a map with " + list(fieldNames(t)), "write name: value lines below it, indented"})
			return
		}
	}
	for i, name := range n.names {
		f := fieldIndex(t, name)
		if f < 0 {
			d.unknown(n.keys[i], name, fieldNames(t), t)
			continue
		}
		d.value(n.items[i], v.Field(f), rulesOf(t.Field(f)))
	}
	if d.partial {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		switch {
		case name == "" || !rulesOf(f).required || n.index(name) >= 0:
		case contains(n.unset, name):
			gone := &node{parent: n, name: name, set: true}
			d.add(gone, problem{"a required key cannot be removed", "null", "a value", "set a value, or leave out this override"})
		default:
			d.add(n, problem{"missing key " + name, "no " + name, name + ": " + strings.TrimSuffix(f.Tag.Get("doc"), "."), "add " + name + ":"})
		}
	}
}

// unknown notes a key that is not one of the names.
func (d *decoder) unknown(key *node, name string, names []string, t reflect.Type) {
	if d.full() {
		d.more++
		return
	}
	hint := "`simload schema` describes every key"
	if t == reflect.TypeFor[Overlay]() && fieldIndex(reflect.TypeFor[Spec](), name) >= 0 {
		hint = name + " is the same for all variants: set it at the top level"
	}
	d.add(key, problem{"unknown key", quote(name), list(names), didYouMean(name, names, hint)})
}

func (d *decoder) items(n *node, v reflect.Value, r rules) {
	if n.kind != listNode {
		d.add(n, problem{"not a list", n.found(), "a list", "write [a, b], or lines that begin with a dash"})
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	r.required = false
	for i, item := range n.items {
		// Lists are never merged, so their items are whole even in an overlay.
		whole := decoder{problems: d.problems}
		whole.value(item, out.Index(i), r)
	}
	v.Set(out)
}

func (d *decoder) text(n *node, v reflect.Value, r rules) {
	if n.kind != scalarNode || n.tag != "!!str" {
		pr := problem{"not a text", n.found(), "text", "put it in quotes"}
		if r.enum != nil {
			pr.allowed = strings.Join(r.enum, ", ")
		}
		if n.kind != scalarNode || n.null() {
			pr.hint = "write a word"
		}
		d.add(n, pr)
		return
	}
	if r.enum != nil && !contains(r.enum, n.text) {
		d.add(n, problem{"unknown value", quote(n.text), strings.Join(r.enum, ", "), didYouMean(n.text, r.enum, "pick one of them")})
		return
	}
	v.SetString(n.text)
}

var integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})$`)

func (d *decoder) integer(n *node, r rules) (int64, bool) {
	allowed := "a whole number" + r.bounds()
	if n.kind != scalarNode || n.tag != "!!int" || !integerText.MatchString(n.text) {
		d.add(n, problem{"not a whole number", n.found(), allowed, numberHint(n)})
		return 0, false
	}
	i, _ := strconv.ParseInt(n.text, 10, 64) // the pattern admits only what fits
	if what := r.check(float64(i)); what != "" {
		d.add(n, problem{what, n.found(), allowed, r.hint(what)})
		return 0, false
	}
	return i, true
}

func (d *decoder) natural(n *node, v reflect.Value) {
	u, err := strconv.ParseUint(n.text, 10, 64)
	if n.kind != scalarNode || n.tag != "!!int" || err != nil || (len(n.text) > 1 && n.text[0] == '0') {
		what := "not a whole number"
		if integerText.MatchString(n.text) && strings.HasPrefix(n.text, "-") {
			what = "negative"
		}
		d.add(n, problem{what, n.found(), "a whole number from 0 to 18446744073709551615", numberHint(n)})
		return
	}
	v.SetUint(u)
}

func (d *decoder) number(n *node, r rules) (float64, bool) {
	allowed := "a number" + r.bounds()
	f, err := strconv.ParseFloat(n.text, 64)
	switch {
	case n.kind != scalarNode || (n.tag != "!!int" && n.tag != "!!float"):
		d.add(n, problem{"not a number", n.found(), allowed, numberHint(n)})
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		d.add(n, problem{"not a finite number", n.found(), allowed, "write a decimal number"})
	default:
		what := r.check(f)
		if what == "" {
			return f, true
		}
		d.add(n, problem{what, n.found(), allowed, r.hint(what)})
	}
	return 0, false
}

// separated is a number with separators of thousands.
var separated = regexp.MustCompile(`^[0-9]{1,3}([,_ ][0-9]{3})+$`)

func numberHint(n *node) string {
	switch {
	case n.kind != scalarNode:
		return "write a plain number"
	case n.tag == "!!str" && integerText.MatchString(n.text):
		return "remove the quotes"
	case n.tag == "!!int" && strings.HasPrefix(n.text, "0"):
		return "remove the leading zero"
	case n.tag == "!!int" && strings.HasPrefix(n.text, "-"):
		return "remove the minus sign"
	case separated.MatchString(n.text):
		return withoutSeparators(n.text)
	}
	return "write a plain number, without a unit"
}

// fieldIndex returns the index of the field with the yaml name, or -1.
func fieldIndex(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == name {
			return i
		}
	}
	return -1
}

func fieldNames(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			out = append(out, name)
		}
	}
	return out
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

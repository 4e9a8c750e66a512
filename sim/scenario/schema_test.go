package scenario

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// judge validates a file as an editor would. Files that are not one YAML document
// cannot be judged.
func judge(t testing.TB, s *jsonschema.Schema, path string) (err error, ok bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if yaml.Load(data, &v) != nil {
		return nil, false
	}
	asJSON, err := json.Marshal(v)
	if err != nil {
		return nil, false
	}
	v, err = jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v), true
}

func TestSchemaAcceptsScenarios(t *testing.T) {
	s := compiled(t)
	files := []string{"testdata/small.yaml", "testdata/full.yaml", "testdata/patches.yaml", "starter.yaml"}
	for _, pattern := range []string{"../../scenarios/*.yaml", "../../scenarios/*/*.yaml"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, path := range files {
		if err, ok := judge(t, s, path); !ok || err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := Load(path, nil); err != nil {
			t.Errorf("%s: the schema and the loader disagree: %v", path, err)
		}
	}
}

// Form is what the schema can see; the rest of the wrong scenarios need the loader.
func TestSchemaRejectsWrongForm(t *testing.T) {
	s := compiled(t)
	form := map[string]bool{
		"bad-class": true, "bad-suffix": true, "bad-unit": true, "fault-unknown-kind": true, "fraction-count": true, "inf-duration": true,
		"list": true, "missing-duration": true, "negative-count": true, "negative-duration": true, "negative-rate": true, "plain-duration": true,
		"quoted-number": true, "share-above-one": true, "two-forms": true, "unknown-form": true, "unknown-key": true, "unknown-nested-key": true,
		"variant-shared-key": true, "variant-unknown-key": true, "variant-wrong-value": true, "wrong-type-map": true,
		"dialect-unknown": true, "epoch-no-zone": true, "limit-concurrency": true, "limit-slope": true, "known-limits-negative": true, "prompt-cache-word": true,
		"charge-unknown": true, "price-cache-write": true, "task-deadline": true, "tool": true, "rate-zero": true, "rate-map": true,
		"rate-point-key": true, "cv-small": true, "arrivals-unknown": true, "bursts-dwell": true, "group-zero": true, "trace-format": true,
		"trace-on-error": true, "trace-failed": true, "trace-loop": true, "trace-loop-word": true, "cache-word": true, "cache-similarity": true, "topics-count": true,
		"summary-word": true, "noise-list": true, "noise-large": true, "shared-word": true,
	}
	seen := 0
	for _, c := range wrong {
		err, ok := judge(t, s, "testdata/wrong/"+c.name+".yaml")
		if !ok {
			continue
		}
		if form[c.name] {
			seen++
		}
		if form[c.name] && err == nil {
			t.Errorf("%s: accepted", c.name)
		}
		if !form[c.name] && err != nil {
			t.Errorf("%s: rejected, add it to the list: %v", c.name, err)
		}
	}
	if want := len(form) - 1; seen < want { // .inf is not JSON
		t.Errorf("%d files judged, want %d", seen, want)
	}
}

func TestEveryKeyHasADescription(t *testing.T) {
	seen := make(map[reflect.Type]bool)
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		typ = form(typ)
		if elem := elemOf(typ); elem != nil {
			walk(elem)
			return
		}
		if typ.Kind() == reflect.Slice {
			walk(typ.Elem())
			return
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Tag.Get("yaml") == "" {
				continue
			}
			if f.Tag.Get("doc") == "" {
				t.Errorf("%s.%s has no description", typ, f.Name)
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[Spec]())
	if len(seen) < 30 {
		t.Errorf("only %d types seen", len(seen))
	}
	if again := Schema(); !bytes.Equal(again, Schema()) {
		t.Error("two schemas differ")
	}
}

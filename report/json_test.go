package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestJSONRoundTripIsStable(t *testing.T) {
	for _, f := range fixtures {
		var a, b bytes.Buffer
		if err := RenderJSON(&a, f.build(t)); err != nil {
			t.Fatal(err)
		}
		r, err := ReadJSON(bytes.NewReader(a.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if err := RenderJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: %s", f.name, firstDifference(b.String(), a.String()))
		}
		if !bytes.HasSuffix(a.Bytes(), []byte("}\n")) {
			t.Errorf("%s does not end in a newline", f.name)
		}
	}
}

func TestReadJSONRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		says       []string
	}{
		{"empty", " \n", []string{"the file is empty"}},
		{"no JSON", "2000-agents  seed 1", []string{"byte"}},
		{"truncated", `{"schema": "simload.report/v1", "tool": {`, []string{"unexpected end"}},
		{"trailing data", `{"schema": "simload.report/v1"} {}`, []string{"byte", "after top-level value"}},
		{"no schema", `{"x": 1}`, []string{"no schema", Schema}},
		{"another schema", `{"schema": "simload.report/v9", "variants": 3}`, []string{"simload.report/v9", Schema}},
		{"another type", `{"schema": "simload.report/v1", "variants": 3}`, []string{"byte", "variants"}},
		{"a schema that is no text", `{"schema": 3}`, []string{"schema"}},
		{"none", `[]`, []string{"0 reports"}},
		{"two", `[{"schema": "simload.report/v1"}, {"schema": "simload.report/v1"}]`, []string{"2 reports"}},
		{"one of two", `[{"schema": "simload.report/v1"}, {"schema": "v2"}]`, []string{"report 2 of 2"}},
	} {
		_, err := ReadJSON(strings.NewReader(c.text))
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %s", c.name, err, s)
			}
		}
	}
	_, err := ReadJSON(strings.NewReader(`{"schema": "k6"}`))
	var bad *SchemaError
	if !errors.As(err, &bad) || bad.Found != "k6" {
		t.Errorf("%v is no SchemaError", err)
	}
}

func TestReadJSONAll(t *testing.T) {
	var b bytes.Buffer
	if err := RenderJSONArray(&b, []*Report{passFixture(t), failFixture(t)}); err != nil {
		t.Fatal(err)
	}
	all, err := ReadJSONAll(&b)
	if err != nil || len(all) != 2 || all[1].Verdict.Status != StatusFail {
		t.Fatalf("%d reports, %v", len(all), err)
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"schema": "simload.report/v1", "variants": [{"latency": [{"metric": "total", "count": 3, "hdr": "HISTF"}]}]}`))
	f.Add([]byte(`[{"schema": "simload.report/v1"}]`))
	f.Add([]byte(`{"schema": "simload.report/v1", "verdict": {"checks": [{"expr": "p99 < 1s", "low": 1, "n": 2}]}, "variants": [{}, {}], "comparison": [{"figure": "cost", "ratio": null, "n": 3}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ReadJSONAll(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, r := range all {
			for _, format := range Formats() {
				if err := Render(new(bytes.Buffer), r, format, Options{Width: 80}); err != nil {
					t.Fatalf("%s: %v", format, err)
				}
			}
		}
	})
}

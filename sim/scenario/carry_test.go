package scenario

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// Ensure a scenario can be made again where none of its files are, from its text and the content of its traces, and is the same.
func TestParseWith(t *testing.T) {
	here, err := Load("testdata/full.yaml", []string{"seed=7"})
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{}
	for _, path := range here.Traces() {
		if contents[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if len(contents) == 0 {
		t.Fatal("the scenario has no traces")
	}
	text := here.Text()
	t.Chdir(t.TempDir())
	var asked []string
	open := func(path string) (io.ReadCloser, error) {
		asked = append(asked, path)
		data, ok := contents[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	there, err := ParseWith("testdata/full.yaml", text, here.Sets, open)
	if err != nil {
		t.Fatal(err)
	}
	if there, err = there.With("seed=7"); err != nil { // keeps the opener
		t.Fatal(err)
	}
	if !slices.Equal(here.Traces(), there.Traces()) {
		t.Errorf("traces %q, want %q", there.Traces(), here.Traces())
	}
	for _, v := range there.Variants() {
		built, err := v.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range built.Workload.Traces {
			r, err := built.Workload.Traces[i].Open()
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if len(asked) == 0 {
		t.Error("nobody asked for a trace")
	}
	if there, err = there.With("workload.traces." + there.Spec.Workload.Traces.Names[0] + ".path=x.csv"); err != nil {
		t.Fatal(err)
	}
	if _, err := there.DemandSHA256(1); err == nil || !strings.Contains(err.Error(), "cannot read the trace") {
		t.Errorf("a trace that was not carried: %v", err)
	}
}

package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// Ensure everything that decides a result is in a sweep's id.
func TestSweepID(t *testing.T) {
	base := Job{
		Schema: JobSchema, Version: "v1", Kind: KindPlan, Options: json.RawMessage(`{}`),
		Cargo: Cargo{Name: "n", File: "f.yaml", Scenario: "abc", Sets: []string{"a=1"}, Traces: []Trace{{"t.csv", "def"}}},
	}
	ids := map[string]string{}
	for name, change := range map[string]func(*Job){
		"nothing":            func(*Job) {},
		"version":            func(j *Job) { j.Version = "v2" },
		"kind":               func(j *Job) { j.Kind = KindRun },
		"file":               func(j *Job) { j.File = "g.yaml" },
		"scenario":           func(j *Job) { j.Scenario = "abd" },
		"overrides":          func(j *Job) { j.Sets = []string{"a=2"} },
		"content of a trace": func(j *Job) { j.Traces = []Trace{{"t.csv", "deg"}} },
		"options":            func(j *Job) { j.Options = json.RawMessage(`{"wire":true}`) },
	} {
		j := base
		change(&j)
		data, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		id := taskID(data) // the same hash as of blobs
		if other, twice := ids[id]; twice {
			t.Errorf("%s and %s have the same id", name, other)
		}
		ids[id] = name
	}
}

// Ensure a version is one word that says what it is of, and differs with each part.
func TestVersion(t *testing.T) {
	tool := report.Tool{Version: "v1.2.3", Go: "go1.26.8", Arch: "linux/amd64"}
	if got := Version(tool, ""); got != "v1_2_3-go1_26_8-linux_amd64" {
		t.Error(got)
	}
	seen := []string{Version(tool, ""), Version(tool, "ab")}
	for _, change := range []func(*report.Tool){
		func(t *report.Tool) { t.Version = "v1.2.4" }, func(t *report.Tool) { t.Go = "go1.27" }, func(t *report.Tool) { t.Arch = "linux/arm64" },
		func(t *report.Tool) { t.Version = strings.Repeat("v", 100) },
	} {
		other := tool
		change(&other)
		v := Version(other, "")
		if slices.Contains(seen, v) || bus.Token(v) != v {
			t.Errorf("%q", v)
		}
		seen = append(seen, v)
	}
}

func FuzzResult(f *testing.F) {
	r := result{Worker: "w", Deliveries: 2, data: []byte("data\nmore")}
	good, err := r.encode()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{good, nil, []byte("{}\n"), []byte("{"), []byte("\n"), []byte(`{"worker":1}` + "\n")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := decodeResult(value)
		if err != nil {
			if !errors.Is(err, bus.ErrDamaged) {
				t.Errorf("another error: %v", err)
			}
			return
		}
		again, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeResult(again)
		if err != nil || back.Worker != r.Worker || back.Deliveries != r.Deliveries || !bytes.Equal(back.data, r.data) {
			t.Errorf("%+v became %+v, %v", r, back, err)
		}
	})
}

// Ensure what is no task is told, before its words become keys.
func TestTaskCheck(t *testing.T) {
	good := Task{Job: strings.Repeat("a", 64), ID: strings.Repeat("b", 24)}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Task{{}, {Job: good.Job, ID: "b"}, {Job: "a", ID: good.ID}, {Job: good.Job, ID: strings.Repeat(".", 24)}, {Job: strings.Repeat(">", 64), ID: good.ID}} {
		if bad.check() == nil {
			t.Errorf("%+v is one", bad)
		}
	}
}

// Ensure a worker keeps the jobs that it used last, and none that could not be opened.
func TestJobs(t *testing.T) {
	var loads []string
	fail := true
	j := jobs{load: func(_ context.Context, hash string) (runner, error) {
		if loads = append(loads, hash); hash == "bad" && fail {
			return nil, bus.ErrNotFound
		}
		return func(json.RawMessage, *atomic.Bool) ([]byte, error) { return []byte(hash), nil }, nil
	}}
	for _, hash := range []string{"a", "b", "a", "c", "d", "a", "e", "a", "b"} { // b is the oldest when e comes
		run, err := j.get(t.Context(), hash)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := run(nil, nil); err != nil || string(data) != hash {
			t.Errorf("%s gave %s, %v", hash, data, err)
		}
	}
	if want := []string{"a", "b", "c", "d", "e", "b"}; !slices.Equal(loads, want) {
		t.Errorf("loaded %v, want %v", loads, want)
	}
	if _, err := j.get(t.Context(), "bad"); !errors.Is(err, bus.ErrNotFound) {
		t.Error(err)
	}
	fail = false
	if _, err := j.get(t.Context(), "bad"); err != nil {
		t.Error(err)
	}
}

// Ensure tasks of other versions are told once each, with their number.
func TestForeign(t *testing.T) {
	w := &worker{WorkerConfig: WorkerConfig{Version: "v1"}, names: names{bus.NamespaceDefault}}
	told := map[string]bool{}
	counts := map[string]uint64{
		w.task("v1", "s1"): 5, w.task("v2", "s1"): 3, w.task("v2", "s2"): 4, w.task("v10", "s1"): 1,
	}
	got := w.foreign(counts, told)
	if len(got) != 2 || !strings.HasPrefix(got[0], "1 task left alone, for workers of another version (v10;") || !strings.HasPrefix(got[1], "7 tasks left alone, for workers of another version (v2;") {
		t.Errorf("%q", got)
	}
	if got := w.foreign(counts, told); len(got) != 0 {
		t.Errorf("a second time: %q", got)
	}
}

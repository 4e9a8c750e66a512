package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
)

// sent is a part as it arrives after it was written as JSON.
func sent(t *testing.T, p *Part) *Part {
	t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	back := new(Part)
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || !bytes.Equal(again, data) {
		t.Errorf("%v: written again it has other bytes (%v)", p.Task, err)
	}
	return back
}

// asTable is the report as a terminal shows it.
func asTable(t *testing.T, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Render(&b, r, "table", report.Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Ensure that runs which take place one by one, travel as JSON and are put together in any order give the report of one
// process, byte for byte: with bursts of 429, variants, tasks and deadlines, fairness, a cache, summaries, traces.
func TestPartsMakeTheReportOfOneProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("the short tier looks at goroutines")
	}
	for _, c := range []struct {
		file string
		reps int
		sets []string
	}{
		{"smoke", 3, []string{"duration=3m", "warmup=20s"}},
		{"burst-429", 3, []string{"duration=4m", "warmup=30s"}},
		{"trace-replay", 2, []string{"duration=3m", "warmup=20s"}},
		{"claims/fan-out", 2, []string{"duration=5m", "warmup=1m"}},
		{"claims/semantic-cache", 1, []string{"duration=5m", "warmup=1m"}},
		{"claims/layers", 1, []string{"duration=5m", "warmup=1m"}},
		{"../sim/scenario/testdata/full", 1, []string{"duration=20s", "warmup=5s"}},
	} {
		sc := load(t, c.file, c.sets...)
		o := Options{Reps: c.reps, Tool: report.Tool{Version: "1", Go: "go", Arch: "any"}}
		whole, err := Run(sc, o)
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		e, err := NewExperiment(sc, o)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		e = new(Experiment)
		if err := json.Unmarshal(data, e); err != nil {
			t.Fatal(err)
		}
		var parts []*Part
		for _, task := range e.Tasks() {
			p, err := RunPart(sc, o, task)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, sent(t, p))
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for range c.reps { // parts that were read are not used up
			out, err := e.Assemble(parts, false)
			if err != nil {
				t.Fatalf("%s: %v", c.file, err)
			}
			if !bytes.Equal(asJSON(t, out.Report), asJSON(t, whole.Report)) {
				t.Errorf("%s: the report of the parts is another one", c.file)
			}
			if asTable(t, out.Report) != asTable(t, whole.Report) {
				t.Errorf("%s: the table of the parts is another one", c.file)
			}
			if out.Requests != whole.Requests || out.Events != whole.Events || out.Simulated != whole.Simulated || out.Interrupted {
				t.Errorf("%s: the parts sum to %+v, of one process %+v", c.file, *out, *whole)
			}
		}
	}
}

// smokeParts are the parts of a short experiment of four runs.
func smokeParts(t *testing.T) (*Experiment, []*Part) {
	t.Helper()
	sc, o := load(t, "smoke", "duration=60s", "warmup=10s"), Options{Reps: 4}
	e, err := NewExperiment(sc, o)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := RunParts(sc, o, e.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	for i := range parts {
		parts[i] = sent(t, parts[i])
	}
	return e, parts
}

// Ensure that what does not belong together is not put together.
func TestPartsThatDoNotFit(t *testing.T) {
	e, parts := smokeParts(t)
	var missing *MissingError
	if _, err := e.Assemble(parts[1:], false); !errors.As(err, &missing) || len(missing.Tasks) != 1 || missing.Tasks[0] != parts[0].Task {
		t.Errorf("a missing part: %v", err)
	}
	if _, err := e.Assemble(append(slices.Clone(parts), parts[2]), false); err == nil || !strings.Contains(err.Error(), "run 3 (variant base, replication 3) is there twice") {
		t.Errorf("a part twice: %v", err)
	}
	other := *parts[0]
	other.Task.Seed++
	if _, err := e.Assemble([]*Part{&other, parts[1], parts[2], parts[3]}, false); err == nil || !strings.Contains(err.Error(), "is none of this experiment") {
		t.Errorf("a part of another seed: %v", err)
	}
	sc := load(t, "smoke", "duration=60s", "warmup=10s", "upstreams.openai.keys.oa.count=4")
	wrong, err := RunPart(sc, Options{Reps: 4}, parts[1].Task)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Assemble([]*Part{parts[0], wrong, parts[2], parts[3]}, false); err == nil || !strings.Contains(err.Error(), "ran with other models, keys or profiles") {
		t.Errorf("a part of another setup: %v", err)
	}
	if _, err := RunPart(sc, Options{}, Task{Variant: "nobody"}); err == nil || !strings.Contains(err.Error(), `no variant "nobody"`) {
		t.Errorf("an unknown variant: %v", err)
	}
	for _, text := range []string{`{}`, `{"recorder": "AAAA"}`, `[]`} {
		if err := json.Unmarshal([]byte(text), new(Part)); err == nil {
			t.Errorf("%s is a part", text)
		}
	}
}

// Ensure that what a part says beside its records travels too: how the harness did, and why the run ended early.
func TestPartsOfTheWallClock(t *testing.T) {
	e, parts := smokeParts(t)
	for i, p := range parts {
		p.Harness = &report.Harness{Issued: 10, LagP99MS: report.Num(i), Reasons: []string{"late"}}
		parts[i] = sent(t, p)
	}
	parts[2].Ended = "ended early"
	parts[2] = sent(t, parts[2])
	if _, err := e.Assemble(parts[:3], false); err != nil {
		t.Fatal(err)
	}
	out, err := e.Assemble(parts[:3], false) // once more: they are not used up
	if err != nil {
		t.Fatal(err)
	}
	v := &out.Report.Variants[0]
	if v.Harness == nil || v.Harness.Issued != 30 || v.Harness.LagP99MS != 2 || v.Digest != "" {
		t.Errorf("harness %+v, digest %q", v.Harness, v.Digest)
	}
	if got := out.Report.Verdict; got.Status != report.StatusInvalid || got.Reasons[len(got.Reasons)-1] != "ended early" {
		t.Errorf("verdict %+v", got)
	}
}

// Ensure that an interrupted experiment gives the report of what there is, marked as partial.
func TestPartsOfAnInterruptedExperiment(t *testing.T) {
	e, parts := smokeParts(t)
	out, err := e.Assemble(parts[1:3], true)
	if err != nil {
		t.Fatal(err)
	}
	if s := out.Report.Verdict.Status; s != report.StatusPartial || !out.Interrupted || len(out.Report.Variants[0].Replications) != 2 {
		t.Errorf("status %s of %d replications", s, len(out.Report.Variants[0].Replications))
	}
	if out, err := e.Assemble(nil, true); err != nil || len(out.Report.Variants) != 0 {
		t.Errorf("nothing at all: %v", err)
	}
	var stop atomic.Bool
	stop.Store(true)
	p, err := RunPart(load(t, "smoke"), Options{Stop: &stop}, parts[0].Task)
	if p != nil || err != nil {
		t.Errorf("a run that was stopped before it began: %v, %v", p, err)
	}
}

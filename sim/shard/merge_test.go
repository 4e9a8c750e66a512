package shard

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

var tool = report.Tool{Version: "1", Go: "go", Arch: "any"}

// smoke is a short scenario, and the options of five runs of it.
func smoke(tb testing.TB, sets ...string) (*scenario.Scenario, sim.Options) {
	tb.Helper()
	sc, err := scenario.Load("../../scenarios/smoke.yaml", append([]string{"duration=60s", "warmup=10s"}, sets...))
	if err != nil {
		tb.Fatal(err)
	}
	return sc, sim.Options{Reps: 5, Tool: tool}
}

// written carries out a shard and returns its file's bytes.
func written(tb testing.TB, sc *scenario.Scenario, o sim.Options, s Shard, keep int, interrupted bool) []byte {
	tb.Helper()
	e, err := sim.NewExperiment(sc, o)
	if err != nil {
		tb.Fatal(err)
	}
	parts, err := sim.RunParts(sc, o, Deal(s, e.Tasks()))
	if err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, s, e, parts[:min(keep, len(parts))], interrupted); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func mustRead(tb testing.TB, data []byte, path string) *File {
	tb.Helper()
	f, err := Read(Raw{path, data})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// shards are the files of n shards of five runs.
func shards(tb testing.TB, n int, sets ...string) []*File {
	tb.Helper()
	sc, o := smoke(tb, sets...)
	var files []*File
	for i := 1; i <= n; i++ {
		files = append(files, mustRead(tb, written(tb, sc, o, Shard{i, n}, 99, false), fmt.Sprintf("part-%d", i)))
	}
	return files
}

func asJSON(tb testing.TB, r *report.Report) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := report.RenderJSON(&b, r); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Ensure eight shards, of which three have no run, give the bytes of one process, whatever the order of their files; a
// percentile too is that of all the samples.
func TestShardsAreOneProcess(t *testing.T) {
	sc, o := smoke(t)
	whole, err := sim.Run(sc, o)
	if err != nil {
		t.Fatal(err)
	}
	want := asJSON(t, whole.Report)
	files := shards(t, 8)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		m, err := Merge(files, tool)
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Experiment.Assemble(m.Parts, m.Interrupted)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(asJSON(t, out.Report), want) || m.Shards != 8 || len(m.Notes) != 0 {
			t.Errorf("the report of %d shards is another one (%v)", m.Shards, m.Notes)
		}
	}
}

// Ensure a shard's file depends on the runs alone.
func TestFileIsDeterministic(t *testing.T) {
	sc, o := smoke(t)
	if a, b := written(t, sc, o, Shard{2, 3}, 99, false), written(t, sc, o, Shard{2, 3}, 99, false); !bytes.Equal(a, b) {
		t.Error("two files of one shard differ")
	}
}

// Ensure what does not make a whole is refused, with the file, what is wrong and what would help.
func TestFilesThatDoNotFit(t *testing.T) {
	sc, o := smoke(t)
	good := shards(t, 3)
	other := func(change func(o *sim.Options), sets ...string) *File {
		sc, o := smoke(t, sets...)
		change(&o)
		return mustRead(t, written(t, sc, o, Shard{2, 3}, 99, false), "other")
	}
	seed := uint64(7)
	forged := *good[1]
	forged.Path, forged.lines = "forged", slices.Clone(forged.lines)
	forged.lines[0] = append(slices.Clone(forged.lines[0]), ' ')
	for name, c := range map[string]struct {
		files []*File
		want  string
	}{
		"another seed":         {[]*File{good[0], other(func(o *sim.Options) { o.Seed = &seed }), good[2]}, "other: another seed: 7, and 1 in part-1"},
		"another version":      {[]*File{good[0], other(func(o *sim.Options) { o.Tool.Version = "2" }), good[2]}, "other: another version of simload: 2 (go, any), and 1 (go, any) in part-1"},
		"other replications":   {[]*File{good[0], other(func(o *sim.Options) { o.Reps = 6 }), good[2]}, "other: another number of replications: 6, and 5"},
		"other overrides":      {[]*File{good[0], other(func(*sim.Options) {}, "stack.retry.jitter=false"), good[2]}, "other: other overrides (--set)"},
		"another shard count":  {[]*File{good[0], good[1], good[2], shards(t, 4)[3]}, "part-4: another number of shards: 4, and 3 in part-1"},
		"a missing shard":      {[]*File{good[0], good[2]}, "shard 2/3 is missing (runs 2, 5)"},
		"two missing shards":   {[]*File{good[2]}, "shards 1/3, 2/3 are missing (of the first: runs 1, 4)"},
		"twice, and different": {[]*File{good[0], good[1], good[2], &forged}, "part-2: run 2 (variant base, replication 2) is in forged too, with another result"},
	} {
		_, err := Merge(c.files, tool)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if e, ok := IsFileError(err); ok && e.Hint == "" {
			t.Errorf("%s: no hint", name)
		}
	}
	if _, err := Merge(good, report.Tool{Version: "2", Go: "go", Arch: "any"}); err == nil || err.Error() != "part-1: it was written by simload 1 (go, any), this is 2 (go, any)" {
		t.Errorf("merged by another version: %v", err)
	}
	again := mustRead(t, written(t, sc, o, Shard{2, 3}, 99, false), "again")
	m, err := Merge(append(slices.Clone(good), again), tool)
	if err != nil || len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "part-2: shard 2/3 is in again too, with the same results; it counts once") || len(m.Parts) != 5 {
		t.Errorf("twice, and equal: %v, %v", err, m)
	}
}

// Ensure an interrupted shard makes a partial report, unless the whole of it is there too.
func TestInterruptedShard(t *testing.T) {
	sc, o := smoke(t)
	good := shards(t, 2)
	half := mustRead(t, written(t, sc, o, Shard{1, 2}, 2, true), "half")
	m, err := Merge([]*File{half, good[1]}, tool)
	if err != nil || !m.Interrupted || len(m.Parts) != 4 || len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "half: shard 1/2 was interrupted after 2 runs") {
		t.Fatalf("%v, %+v", err, m)
	}
	out, err := m.Experiment.Assemble(m.Parts, m.Interrupted)
	if err != nil || out.Report.Verdict.Status != report.StatusPartial || len(out.Report.Variants[0].Replications) != 4 {
		t.Errorf("%v, %+v", err, out)
	}
	if m, err := Merge([]*File{half, good[0], good[1]}, tool); err != nil || m.Interrupted || len(m.Parts) != 5 {
		t.Errorf("with the whole shard: %v, %+v", err, m)
	}
}

// Ensure a file that is cut off or damaged anywhere is refused, and says where.
func TestDamagedFiles(t *testing.T) {
	sc, o := smoke(t)
	good := written(t, sc, o, Shard{1, 2}, 99, false)
	head := bytes.IndexByte(good, '\n') + 1
	second := head + bytes.IndexByte(good[head:], '\n') + 1
	swap := func(from, to string) []byte { return bytes.Replace(good, []byte(from), []byte(to), 1) }
	lines := bytes.SplitAfter(good, []byte{'\n'})
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":                   {nil, "x: it is empty"},
		"half a head":               {good[:head/2], "x: it ends in its first line"},
		"a head without its end":    {good[:head-1], "x: it ends after 0 of 3 runs"},
		"the head alone":            {good[:head], "x: it ends after 0 of 3 runs"},
		"half a run":                {good[:head+50], "x: it ends after 0 of 3 runs"},
		"one run":                   {good[:second], "x: it ends after 1 of 3 runs"},
		"without the last newline":  {good[:len(good)-1], "x: it ends after 2 of 3 runs"},
		"a run more":                {append(bytes.Clone(good), good[head:second]...), "x: line 5 is damaged: run 1 (variant base, replication 1) is none of shard 1/2, or there twice"},
		"runs in another order":     {bytes.Join([][]byte{lines[0], lines[2], lines[1], lines[3]}, nil), "x: line 3 is damaged: run 1"},
		"no such shard":             {swap(`"shard":1,`, `"shard":3,`), "x: line 1 is damaged: there is no shard 3 of 2"},
		"another shard's":           {swap(`"shard":1,`, `"shard":2,`), "x: line 2 is damaged: run 1 (variant base, replication 1) is none of shard 2/2"},
		"too many runs":             {swap(`"reps":5`, `"reps":99999`), "x: line 1 is damaged: 99999 replications"},
		"no whole and no interrupt": {swap(`"parts":3`, `"parts":2`), "x: it has 3 runs of 3, and says 2"},
		"a damaged run":             {swap(`"recorder":"U0x`, `"recorder":"UUx`), "x: line 2 is damaged: thawing a recorder"},
		"a report":                  {[]byte(`{"schema": "simload.report/v1"}` + "\n"), `x: it is no shard of a run or a plan: its schema is "simload.report/v1"`},
		"a report, indented":        {[]byte("{\n  \"schema\": 1}"), "x: it is no shard of a run or a plan"},
		"a scenario":                {[]byte("name: x\n"), "x: it is no shard of a run or a plan"},
	} {
		f, err := Read(Raw{"x", c.data})
		e, ok := IsFileError(err)
		if !ok || !strings.HasPrefix(err.Error(), c.want) || e.Hint == "" || f != nil {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	var missing *MissingError
	if _, err := Merge([]*File{mustRead(t, good, "x")}, tool); !errors.As(err, &missing) || missing.Shards[0] != (Shard{2, 2}) {
		t.Errorf("half of the shards: %v", err)
	}
}

// Whatever a file holds, it is read, merged and assembled, or refused.
func FuzzRead(f *testing.F) {
	sc, o := smoke(f, "workload.agents.pairs.count=2")
	o.Reps = 1
	f.Add(written(f, sc, o, Shard{1, 1}, 99, false))
	f.Add(written(f, sc, o, Shard{2, 2}, 99, false))
	f.Add(written(f, sc, o, Shard{1, 1}, 0, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(Raw{"x", data})
		if err != nil {
			return
		}
		m, err := Merge([]*File{file}, file.Experiment.Tool)
		if err != nil {
			return
		}
		if out, err := m.Experiment.Assemble(m.Parts, m.Interrupted); err == nil && out.Report == nil {
			t.Error("no report")
		}
	})
}

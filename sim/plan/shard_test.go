package plan

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/shard"
)

// sharded carries out a shard of a plan and returns its results file.
func sharded(tb testing.TB, p *Plan, s shard.Shard, stop *atomic.Bool) shard.Raw {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), fmt.Sprintf("part-%d.jsonl", s.I))
	h, err := p.ShardHeader(s)
	if err != nil {
		tb.Fatal(err)
	}
	j, err := OpenJournal(path, h)
	if err != nil {
		tb.Fatal(err)
	}
	all, err := p.RunShard(Session{Journal: j, Stop: stop}, s)
	if err = errors.Join(err, j.Close()); err != nil || all != shard.Count(s, h.Runs) {
		tb.Fatalf("%d runs of %d: %v", all, h.Runs, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return shard.Raw{Path: filepath.Base(path), Data: data}
}

func shardsOf(tb testing.TB, p *Plan, n int) []shard.Raw {
	tb.Helper()
	var files []shard.Raw
	for i := 1; i <= n; i++ {
		files = append(files, sharded(tb, p, shard.Shard{I: i, N: n}, nil))
	}
	return files
}

// Ensure a plan that goes on from the merged results of its shards gives the report of one machine, and has no point of
// the range left to run: those of a search, and those of a grid.
func TestPlanGoesOnFromShards(t *testing.T) {
	grid := func(c *Config) {
		c.Vary, c.Reps = []string{"workload.agents.researchers.count=10,30", keys + "1..3"}, 2
		c.Sensitivity = false // its runs are not the range's
	}
	for name, change := range map[string]func(*Config){"search": func(c *Config) { c.Sensitivity = false }, "grid": grid} {
		p := small(t, change)
		want := text(t, p, Session{})
		files := shardsOf(t, p, 3)
		slices.Reverse(files)
		m, err := MergeResults(files, report.Tool{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "merged.jsonl")
		var b bytes.Buffer
		if err := errors.Join(m.Write(&b), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		j := open(t, p, path)
		if n := j.Finished(); n != m.Runs || n != p.rangeRuns() || len(m.Notes) != 0 {
			t.Errorf("%s: %d results of %d, %v", name, n, p.rangeRuns(), m.Notes)
		}
		if got := text(t, p, Session{Journal: j}); got != want {
			t.Errorf("%s: the plan of the shards is another one", name)
		}
		if n := j.Finished(); n != m.Runs {
			t.Errorf("%s: %d runs were made once more", name, n-m.Runs)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		slices.Reverse(files)
		if m, err := MergeResults(files, report.Tool{}); err != nil || m.Write(&again) != nil || !bytes.Equal(again.Bytes(), b.Bytes()) {
			t.Errorf("%s: another order of the files gives other bytes (%v)", name, err)
		}
	}
}

// Ensure results that do not make a whole are refused, and what is no error is told.
func TestResultsThatDoNotFit(t *testing.T) {
	short := func(c *Config) { c.Vary, c.Reps = []string{keys + "1..2"}, 2 }
	p := small(t, short)
	good := shardsOf(t, p, 2)
	other := func(change func(*Config)) shard.Raw {
		f := sharded(t, small(t, func(c *Config) { short(c); change(c) }), shard.Shard{I: 2, N: 2}, nil)
		f.Path = "other"
		return f
	}
	with := func(from, to string) shard.Raw {
		return shard.Raw{Path: "other", Data: bytes.Replace(good[1].Data, []byte(from), []byte(to), 1)}
	}
	seed := uint64(9)
	for name, c := range map[string]struct {
		files []shard.Raw
		want  string
	}{
		"a missing shard":         {good[1:], "shard 1/2 is missing (runs 1, 3)"},
		"another plan":            {[]shard.Raw{good[0], other(func(c *Config) { c.Seed = &seed })}, "other: another plan than that of part-1.jsonl"},
		"another version":         {[]shard.Raw{good[0], other(func(c *Config) { c.Tool.Version = "2" })}, "other: another version of simload: 2"},
		"another scenario":        {[]shard.Raw{good[0], with(`"scenario":"starter"`, `"scenario":"stopper"`)}, "other: another scenario: stopper, and starter in part-1.jsonl"},
		"other shards":            {[]shard.Raw{good[0], with(`"shard":"2/2"`, `"shard":"2/3"`)}, "other: another number of shards: 3, and 2"},
		"no shard":                {[]shard.Raw{good[0], with(`"shard":"2/2",`, ``)}, "other: it has the results of a whole plan"},
		"a broken head":           {[]shard.Raw{with(`"shard":"2/2"`, `"shard":"5/2"`)}, "other: line 1 is damaged"},
		"a broken line":           {[]shard.Raw{with("\n{", "\n}")}, "other: line 2 is damaged"},
		"no results":              {[]shard.Raw{{Path: "other", Data: []byte("{}\n")}}, "other: it is no results file of a plan's shard"},
		"a different result":      {[]shard.Raw{good[0], good[1], with(`"requests":`, `"requests":1`)}, "part-2.jsonl: "},
		"a program that is later": {good, "part-1.jsonl: it was written by simload"},
	} {
		tool := report.Tool{}
		if strings.Contains(name, "later") {
			tool.Version = "3"
		}
		_, err := MergeResults(c.files, tool)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if e, ok := shard.IsFileError(err); ok && e.Hint == "" {
			t.Errorf("%s: no hint", name)
		}
	}
	half := shard.Raw{Path: "half", Data: good[1].Data[:len(good[1].Data)-3]}
	m, err := MergeResults([]shard.Raw{good[0], half}, report.Tool{})
	if err != nil || m.Runs != 3 || len(m.Notes) != 2 || !strings.Contains(m.Notes[1], "shard 2/2: 1 of its 2 runs are there") {
		t.Errorf("a file that is cut off: %v, %+v", err, m)
	}
	m, err = MergeResults([]shard.Raw{good[0], half, good[1]}, report.Tool{})
	if err != nil || m.Runs != 4 || len(m.Notes) != 2 || strings.Contains(m.Notes[1], "missing") {
		t.Errorf("a file and what was left of it: %v, %+v", err, m)
	}
}

// Ensure an interrupted shard keeps what ended, and that only the same shard goes on from it.
func TestShardIsInterrupted(t *testing.T) {
	p := small(t, func(c *Config) { c.Vary, c.Reps = []string{keys + "1..2"}, 2 })
	var stop atomic.Bool
	stop.Store(true)
	s := shard.Shard{I: 1, N: 2}
	f := sharded(t, p, s, &stop)
	if lines := bytes.Count(f.Data, []byte{'\n'}); lines != 1 {
		t.Errorf("%d lines of a shard that was stopped at once", lines)
	}
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(path, f.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	whole, err := p.Header()
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.ShardHeader(shard.Shard{I: 2, N: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		h    Header
		want string
	}{{whole, "it belongs to shard 1/2 of the plan"}, {second, "it belongs to shard 1/2, this is 2/2"}} {
		if _, err := OpenJournal(path, c.h); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := open(t, p, path).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(path, second); err == nil || !strings.Contains(err.Error(), "it belongs to the whole plan, this is shard 2/2") {
		t.Errorf("a shard in a plan's file: %v", err)
	}
}

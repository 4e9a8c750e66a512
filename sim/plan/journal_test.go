package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// small is a plan of the starter scenario that takes a second.
func small(tb testing.TB, change func(*Config)) *Plan {
	tb.Helper()
	cfg := Config{Vary: []string{keys + "1..6"}, Objectives: []string{"p95 < 20s", "ratio_429 < 3%"}, Reps: 3, Sensitivity: true}
	if change != nil {
		change(&cfg)
	}
	p, err := New(starter(tb, "duration=90s", "warmup=10s"), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// open opens the plan's results file.
func open(tb testing.TB, p *Plan, path string) *Journal {
	tb.Helper()
	h, err := p.Header()
	if err != nil {
		tb.Fatal(err)
	}
	j, err := OpenJournal(path, h)
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// text carries a plan out and returns its report.
func text(tb testing.TB, p *Plan, s Session) string {
	tb.Helper()
	r, err := p.Run(s)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		tb.Fatal(err)
	}
	return string(out)
}

// Ensure a plan that goes on from any part of its results, even from half a line, makes no run twice and gives the report
// of one that was never interrupted.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	p := small(t, nil)
	want := text(t, p, Session{})
	j := open(t, p, path)
	if got := text(t, p, Session{Journal: j}); got != want {
		t.Fatal("a results file changes the report")
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{5, len(whole) / 3, len(whole) / 2, len(whole) - 1, len(whole)} {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		j := open(t, p, path)
		had, ran := j.Finished(), 0
		if got := text(t, p, Session{Journal: j, Progress: func(sim.Progress) { ran++ }}); got != want {
			t.Errorf("cut at %d: another report", cut)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(now, []byte{'\n'}); lines != 1+had+ran || lines != bytes.Count(whole, []byte{'\n'}) {
			t.Errorf("cut at %d: %d runs were there and %d were made, the file has %d lines, want %d", cut, had, ran, lines, bytes.Count(whole, []byte{'\n'}))
		}
	}
}

// Ensure the file of another plan is refused with the reason and left as it is.
func TestResultsOfAnotherPlan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	p := small(t, nil)
	if err := open(t, p, path).Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(9)
	for name, c := range map[string]struct {
		change func(*Config)
		why    string
	}{
		"axis":  {func(c *Config) { c.Vary = []string{keys + "1..7"} }, "another plan"},
		"reps":  {func(c *Config) { c.Reps = 4 }, "another plan"},
		"slo":   {func(c *Config) { c.Objectives = []string{"p99 < 9s"} }, "another plan"},
		"seed":  {func(c *Config) { c.Seed = &seed }, "another plan"},
		"build": {func(c *Config) { c.Tool = report.Tool{Version: "v9"} }, "written by simload"},
	} {
		other := small(t, c.change)
		h, err := other.Header()
		if err != nil {
			t.Fatal(err)
		}
		var wrong *ResultsError
		if _, err := OpenJournal(path, h); !errors.As(err, &wrong) || !strings.Contains(wrong.Problem, c.why) || wrong.Hint == "" {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
	for _, junk := range []string{"name: x\n", "no line", "{}\n"} {
		if err := os.WriteFile(path+".junk", []byte(junk), 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := p.Header()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenJournal(path+".junk", h); err == nil || !strings.Contains(err.Error(), "not a results file") {
			t.Errorf("%q: %v", junk, err)
		}
		if now, err := os.ReadFile(path + ".junk"); err != nil || string(now) != junk {
			t.Errorf("%q became %q, %v", junk, now, err)
		}
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
		t.Errorf("the file changed, %v", err)
	}
}

// Ensure a line that is JSON but no result of the plan is named and refused, before anything is made of it, and the file left as it is.
func TestDamagedResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	p := small(t, func(c *Config) { c.Sensitivity = false })
	j := open(t, p, path)
	text(t, p, Session{Journal: j})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := p.Header()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte{'\n'})
	damaged := func(change func(*Sample)) []byte {
		var s Sample
		if err := json.Unmarshal(lines[2], &s); err != nil {
			t.Fatal(err)
		}
		change(&s)
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return append(line, '\n')
	}
	for why, line := range map[string][]byte{
		"0 checks of 2":              damaged(func(s *Sample) { s.Checks = s.Checks[:0] }),
		"1 checks of 2":              damaged(func(s *Sample) { s.Checks = s.Checks[:1] }),
		"check 2 has no margin":      damaged(func(s *Sample) { s.Checks[1].Margin = report.Num(math.NaN()) }),
		"seed 7":                     damaged(func(s *Sample) { s.Seed = 7 }),
		"replication 3 of 3":         damaged(func(s *Sample) { s.Rep = 3 }),
		"replication -1 of 3":        damaged(func(s *Sample) { s.Rep = -1 }),
		`variant "x" is not planned`: damaged(func(s *Sample) { s.Variant = "x" }),
		`variant "" is not planned`:  []byte("{}\n"),
		"unexpected end":             []byte("{\n"),
	} {
		data := slices.Concat(lines[0], lines[1], line, bytes.Join(lines[3:], nil))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var wrong *ResultsError
		if _, err := OpenJournal(path, h); !errors.As(err, &wrong) || !strings.Contains(wrong.Problem, "line 3 is damaged: "+why) || wrong.Hint == "" {
			t.Errorf("%s: %v", why, err)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			t.Errorf("%s: the file changed, %v", why, err)
		}
	}
}

// Ensure what is no file is refused at once, and not waited for.
func TestResultsInNoFile(t *testing.T) {
	h, err := small(t, nil).Header()
	if err != nil {
		t.Fatal(err)
	}
	var wrong *ResultsError
	for _, path := range append(pipes(t), t.TempDir()) {
		if _, err := OpenJournal(path, h); !errors.As(err, &wrong) || wrong.Problem != "it is not a regular file" || wrong.Hint == "" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Ensure an interruption leaves a partial report, and results that the next call goes on with.
func TestInterruption(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	p := small(t, nil)
	want := text(t, p, Session{})
	var stop atomic.Bool
	j := open(t, p, path)
	ran := 0
	r, err := p.Run(Session{Journal: j, Stop: &stop, Progress: func(sim.Progress) {
		if ran++; ran == 10 {
			stop.Store(true)
		}
	}})
	if err != nil || r.Status != Partial {
		t.Fatalf("status %s, %v", r.Status, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, p, path)
	defer again.Close()
	if had := again.Finished(); had < 10 {
		t.Errorf("%d runs are there, want 10 at least", had)
	}
	if got := text(t, p, Session{Journal: again}); got != want {
		t.Error("another report")
	}
}

// Ensure two plans cannot write to one file at once: the second is told so, nothing is changed, and it can when the first has closed it.
func TestResultsAreLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	p := small(t, nil)
	first := open(t, p, path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := p.Header()
	if err != nil {
		t.Fatal(err)
	}
	var wrong *ResultsError
	if _, err := OpenJournal(path, h); !errors.As(err, &wrong) || wrong.Problem != "another simload is writing to it" || wrong.Hint == "" {
		t.Errorf("opened twice: %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
		t.Errorf("the file changed, %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, p, path).Close(); err != nil {
		t.Error(err)
	}
}

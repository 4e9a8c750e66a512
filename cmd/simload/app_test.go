package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// buffer is a bytes.Buffer for writers on several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// fake is an app whose simulation is a function of the call's number, and which
// cannot end the test.
type fake struct {
	*app
	out, errs buffer
	killed    chan int
	calls     int
}

func newFake(simulate func(call int, o sim.Options) (*sim.Outcome, error)) *fake {
	f := &fake{killed: make(chan int, 1)}
	f.app = newApp(strings.NewReader(""), &f.out, &f.errs)
	f.app.getenv = func(string) string { return "" } // whatever the tests run in
	f.app.kill = func(code int) { f.killed <- code }
	f.app.simulate = func(_ *scenario.Scenario, o sim.Options) (*sim.Outcome, error) {
		f.calls++
		return simulate(f.calls, o)
	}
	return f
}

// outcome is a run that ended with the verdict.
func outcome(status string) *sim.Outcome {
	return &sim.Outcome{
		Report: &report.Report{
			Schema:   report.Schema,
			Scenario: report.Scenario{Name: "fake"},
			Verdict:  report.Verdict{Status: status},
		},
		Interrupted: status == report.StatusPartial,
		Requests:    360124, Events: 2_100_000, Simulated: time.Hour,
	}
}

// starters writes n copies of the starter scenario and returns their names.
func starters(t *testing.T, n int) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i := range n {
		p := filepath.Join(dir, fmt.Sprintf("s%d.yaml", i))
		if err := os.WriteFile(p, scenario.Starter(), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}

// Ensure the worst exit code of several scenarios wins, in the contract's order.
func TestRunExitsWithTheWorstCode(t *testing.T) {
	for _, tc := range []struct {
		statuses []string
		want     int
	}{
		{[]string{report.StatusPass}, 0},
		{[]string{report.StatusPass, report.StatusFail, report.StatusPass}, 99},
		{[]string{report.StatusFail, report.StatusInvalid}, 3},
		{[]string{report.StatusInvalid, report.StatusFail}, 3},
		{[]string{report.StatusFail, report.StatusPartial}, 130},
		{[]string{report.StatusPass, "error"}, 1},
	} {
		f := newFake(func(call int, _ sim.Options) (*sim.Outcome, error) {
			if tc.statuses[call-1] == "error" {
				return nil, errors.New("boom")
			}
			return outcome(tc.statuses[call-1]), nil
		})
		args := append([]string{"run", "--quiet"}, starters(t, len(tc.statuses))...)
		if got := f.execute(context.Background(), args); got != tc.want {
			t.Errorf("%v: exit code %d, want %d; stderr: %s", tc.statuses, got, tc.want, f.errs.String())
		}
	}
}

// Ensure what was measured before an error or an interrupt still reaches the files.
func TestRunWritesWhatThereIs(t *testing.T) {
	for _, last := range []string{"error", report.StatusPartial} {
		f := newFake(func(call int, _ sim.Options) (*sim.Outcome, error) {
			if call == 2 && last == "error" {
				return nil, errors.New("boom")
			}
			if call == 2 {
				return outcome(last), nil
			}
			return outcome(report.StatusPass), nil
		})
		file := filepath.Join(t.TempDir(), "r.json")
		f.execute(context.Background(), append([]string{"run", "--quiet", "-o", file}, starters(t, 2)...))
		b, err := f.readReports(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{"error": 1, report.StatusPartial: 2}[last]; len(b.reports) != want {
			t.Errorf("last %s: %d reports in the file, want %d", last, len(b.reports), want)
		}
	}
}

// Ensure an ended context stops the run as an interrupt does, and what was not run is named.
func TestRunStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := newFake(func(_ int, o sim.Options) (*sim.Outcome, error) {
		cancel()
		for end := time.Now().Add(10 * time.Second); !o.Stop.Load(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				return nil, errors.New("never told to stop")
			}
		}
		return outcome(report.StatusPartial), nil
	})
	paths := starters(t, 2)
	if code := f.execute(ctx, append([]string{"run"}, paths...)); code != 130 || f.calls != 1 {
		t.Errorf("exit code %d after %d runs, want 130 after 1; stderr: %s", code, f.calls, f.errs.String())
	}
	if want := "not run: " + paths[1]; !strings.Contains(f.errs.String(), want) {
		t.Errorf("stderr lacks %q: %s", want, f.errs.String())
	}
}

// Ensure options reach the simulation, and the seed only when given.
func TestRunPassesItsFlags(t *testing.T) {
	var got []sim.Options
	f := newFake(func(_ int, o sim.Options) (*sim.Outcome, error) {
		got = append(got, o)
		return outcome(report.StatusPass), nil
	})
	path := starters(t, 1)[0]
	f.execute(context.Background(), []string{"run", path})
	f.execute(context.Background(), []string{"run", path, "--seed", "0", "--reps", "3", "--abort-on-fail", "--quiet", "--events", filepath.Join(t.TempDir(), "e")})
	if len(got) != 2 {
		t.Fatalf("%d runs, want 2; stderr: %s", len(got), f.errs.String())
	}
	if o := got[0]; o.Seed != nil || o.Reps != 1 || o.Events != nil || o.AbortOnFail || o.Progress == nil || o.Stop == nil {
		t.Errorf("plain run: %+v", o)
	}
	if o := got[1]; o.Seed == nil || *o.Seed != 0 || o.Reps != 3 || o.Events == nil || !o.AbortOnFail || o.Progress != nil {
		t.Errorf("run with flags: %+v", o)
	}
	if want := "simulated 3600s (360124 requests, 2.1M events) in 0.00s\n"; f.errs.String() != want {
		t.Errorf("stderr %q, want %q once, for the run without --quiet", f.errs.String(), want)
	}
}

// Ensure a panic is reported as ours to mend, with a trace on demand and no file left behind.
func TestPanicIsAnInternalError(t *testing.T) {
	for _, traced := range []string{"0", "1"} {
		t.Setenv("SIMLOAD_DEBUG", traced)
		f := newFake(func(int, sim.Options) (*sim.Outcome, error) { panic("heap is upside down") })
		dir := t.TempDir()
		code := f.execute(context.Background(), []string{"run", "-o", filepath.Join(dir, "r.json"), starters(t, 1)[0]})
		if code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		text := f.errs.String()
		for _, want := range []string{"simload: internal error: heap is upside down", issuesURL} {
			if !strings.Contains(text, want) {
				t.Errorf("stderr lacks %q: %s", want, text)
			}
		}
		if has := strings.Contains(text, "app_test.go"); has != (traced == "1") {
			t.Errorf("SIMLOAD_DEBUG=%s: stack trace printed: %v", traced, has)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("files left behind: %v %v", left, err)
		}
	}
}

// Ensure a reader that goes away changes nothing, and a full disk is an error.
func TestStdoutErrors(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want int
	}{{syscall.EPIPE, 0}, {syscall.ENOSPC, 1}} {
		f := newFake(func(int, sim.Options) (*sim.Outcome, error) { return outcome(report.StatusPass), nil })
		f.stdout = &sink{w: broken{tc.err}}
		file := filepath.Join(t.TempDir(), "r.md")
		if got := f.execute(context.Background(), []string{"run", "-o", file, starters(t, 1)[0]}); got != tc.want {
			t.Errorf("%v: exit code %d, want %d", tc.err, got, tc.want)
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%v: the file of -o is missing: %v", tc.err, err)
		}
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

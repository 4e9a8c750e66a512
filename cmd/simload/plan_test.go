//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/plan"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// planning is a plan of the starter scenario in a directory of its own, as a process.
func planning(dir string, more ...string) *exec.Cmd {
	args := append([]string{
		"plan", "s.yaml", "--vary", "upstreams.openai.keys.main.count=1..6", "--slo", "p95 < 20s", "--reps", "6",
		"--set", "duration=10m", "--set", "warmup=1m", "--quiet", "--format", "json",
	}, more...)
	cmd := exec.Command("simload", args...)
	cmd.Dir = dir
	return cmd
}

// lines is the number of finished runs in a results file, less its head.
func lines(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte{'\n'}) - 1
}

// Ensure a plan that is killed in the middle (kill -9) and started again makes no finished run twice and prints the report of
// one that was left alone.
func TestPlanSurvivesKill(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), scenario.Starter(), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := planning(dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(dir, "r.jsonl")
	kills := 0
	for _, enough := range []int{4, 11, 25} {
		cmd := planning(dir, "--results", "r.jsonl")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "some runs to end", func() bool { return lines(results) >= enough })
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			kills++
		}
	}
	if kills == 0 {
		t.Error("every plan was done before it was killed")
	}
	got, err := planning(dir, "--results", "r.jsonl").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("another report than without an interruption")
	}
	seen := map[string]bool{}
	data, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte{'\n'}) {
		var s plan.Sample
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		key := s.Point + s.Variant + string(rune('0'+s.Rep))
		if i > 0 && seen[key] {
			t.Errorf("run %d of %s was made twice", s.Rep, s.Point)
		}
		seen[key] = true
	}
}

// Ensure Ctrl-C in the middle of a plan writes what is there, marked partial, and exits 130.
func TestPlanInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), scenario.Starter(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := planning(dir, "--set", "duration=200h", "--results", "r.jsonl", "-o", "p.json")
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // has ended, unless the test failed
	waitFor(t, "the plan to begin", func() bool { _, err := os.Stat(filepath.Join(dir, "r.jsonl")); return err == nil })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != report.ExitInterrupted {
		t.Fatalf("ended with %v, want exit code 130", err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "p.json"))
	if err != nil || !bytes.Equal(file, out.Bytes()) {
		t.Errorf("the file differs from stdout, %v", err)
	}
	var r plan.Report
	if err := json.Unmarshal(file, &r); err != nil || r.Status != plan.Partial {
		t.Errorf("status %q, %v", r.Status, err)
	}
}

//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// waitFor polls until the condition holds.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 30 s for %s", what)
		}
	}
}

// Ensure Ctrl-C during a long run of the real program writes what was measured,
// marked partial, and exits 130.
func TestInterruptWritesAPartialReport(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "long.yaml"), scenario.Starter(), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("simload", "run", "long.yaml", "--set", "duration=744h", "--format", "json", "-o", "r.json", "--events", "e.jsonl")
			cmd.Dir = dir
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill() }() // has ended, unless the test failed
			waitFor(t, "the run to begin", func() bool {
				temps, err := filepath.Glob(filepath.Join(dir, ".e.jsonl.*.tmp"))
				return err == nil && len(temps) > 0
			})
			time.Sleep(200 * time.Millisecond) // let it simulate something
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != report.ExitInterrupted {
				t.Fatalf("ended with %v, want exit code 130; stderr: %s", err, errs.String())
			}
			r, err := report.ReadJSON(bytes.NewReader([]byte(read(t, filepath.Join(dir, "r.json")))))
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict.Status != report.StatusPartial {
				t.Errorf("verdict %q, want partial", r.Verdict.Status)
			}
			if _, err := report.ReadJSON(&out); err != nil {
				t.Errorf("stdout is not a report: %v", err)
			}
			if len(read(t, filepath.Join(dir, "e.jsonl"))) == 0 {
				t.Error("no events written")
			}
			if temps, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); len(temps) > 0 {
				t.Errorf("left behind: %v", temps)
			}
		})
	}
}

// Ensure an interrupted shard leaves what was measured, and that it merges into a partial report.
func TestInterruptedShardMergesIntoAPartialReport(t *testing.T) {
	path, dir := starters(t, 1)[0], t.TempDir()
	part := filepath.Join(dir, "part.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	f := newFake(nil)
	done := make(chan int)
	go func() {
		done <- f.execute(ctx, []string{"run", path, "--reps", "3", "--set", "duration=744h", "--shard", "1/1", "-o", part, "--quiet"})
	}()
	waitFor(t, "the shard to begin", func() bool {
		temps, err := filepath.Glob(filepath.Join(dir, ".part.jsonl.*.tmp"))
		return err == nil && len(temps) > 0
	})
	time.Sleep(100 * time.Millisecond) // let it simulate something
	cancel()
	if code := <-done; code != report.ExitInterrupted || !strings.Contains(f.out.String(), "interrupted: ") {
		t.Fatalf("exit code %d, want 130; stdout: %s", code, f.out.String())
	}
	m := newFake(nil)
	code := m.execute(context.Background(), []string{"merge", part, "--format", "json"})
	r, err := report.ReadJSON(strings.NewReader(m.out.String()))
	if err != nil || code != report.ExitInterrupted || r.Verdict.Status != report.StatusPartial {
		t.Errorf("merged with exit code %d: %v, %+v", code, err, r)
	}
	if !strings.Contains(m.errs.String(), "was interrupted after ") {
		t.Errorf("stderr: %s", m.errs.String())
	}
}

// interruptTwice is a run that sends itself two interrupts and then waits for the channel.
func interruptTwice(block <-chan struct{}) func(int, sim.Options) (*sim.Outcome, error) {
	return func(_ int, o sim.Options) (*sim.Outcome, error) {
		for range 2 {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				return nil, err
			}
			for !o.Stop.Load() { // two signals at once would be one
				time.Sleep(time.Millisecond)
			}
		}
		<-block
		return outcome(report.StatusPartial), nil
	}
}

// Ensure a second interrupt ends a run that does not listen, and removes what is half-written.
func TestSecondInterruptKills(t *testing.T) {
	dir, block, path := t.TempDir(), make(chan struct{}), starters(t, 1)[0]
	f := newFake(interruptTwice(block))
	var second atomic.Int64
	f.now = func() time.Time { return time.Unix(second.Add(1), 0) }
	done := make(chan int)
	go func() {
		done <- f.execute(context.Background(), []string{"run", "--quiet", "-o", filepath.Join(dir, "r.json"), path})
	}()
	select {
	case code := <-f.killed:
		if code != report.ExitInterrupted {
			t.Errorf("killed with %d, want 130", code)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("not killed within 30 s")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	close(block)
	<-done
}

// Ensure one Ctrl-C that arrives twice, as from "timeout", is one.
func TestInterruptThatComesTwiceIsOne(t *testing.T) {
	block := make(chan struct{})
	time.AfterFunc(100*time.Millisecond, func() { close(block) })
	f := newFake(interruptTwice(block))
	f.now = func() time.Time { return time.Unix(1, 0) }
	file := filepath.Join(t.TempDir(), "r.json")
	if code := f.execute(context.Background(), []string{"run", "--quiet", "-o", file, starters(t, 1)[0]}); code != report.ExitInterrupted {
		t.Errorf("exit code %d, want 130", code)
	}
	if len(f.killed) > 0 {
		t.Error("killed")
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the report is missing: %v", err)
	}
}

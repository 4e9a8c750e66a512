//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// background is a verb that runs until it is told to end, or with the test.
type background struct {
	*exec.Cmd
	errs buffer
}

func begin(t *testing.T, dir string, args ...string) *background {
	t.Helper()
	b := &background{Cmd: exec.Command("simload", args...)}
	b.Dir, b.Stderr = dir, &b.errs
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.kill)
	return b
}

func (b *background) kill() {
	_ = b.Process.Kill() // may have ended
	_ = b.Wait()
}

// end asks the process to end, and expects that it does so cleanly.
func (b *background) end(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := b.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	if err := b.Wait(); err != nil {
		t.Errorf("%v: %v\n%s", b.Args, err, b.errs.String())
	}
}

// inCompany lets a test that mostly waits run beside others; in the short tier, of the race detector, sim/fleet stands for it.
func inCompany(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes, which take their time")
	}
	t.Parallel()
}

// coordinate starts a coordinator and returns where it is.
func coordinate(t *testing.T, dir string, args ...string) (*background, string) {
	t.Helper()
	b := begin(t, dir, append([]string{"coordinator", "--store", "store"}, args...)...)
	var url string
	waitFor(t, "the coordinator", func() bool {
		url = regexp.MustCompile(`(?m)coordinator at (\S+),`).FindString(b.errs.String())
		return url != "" && strings.Contains(b.errs.String(), "sweeps:")
	})
	return b, strings.TrimSuffix(strings.Fields(url)[2], ",")
}

// sweepDir is a directory with a scenario, one of them with a trace.
func sweepDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, from := range map[string]string{
		"trace.yaml": "../../scenarios/trace-replay.yaml", "traces/sample.csv": "../../scenarios/traces/sample.csv",
		"variants.yaml": "../../scenarios/burst-429.yaml",
	} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), scenario.Starter(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// stdout runs a verb to its end; exit codes above 2 are answers.
func stdout(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("simload", args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == report.ExitFail {
		err = nil
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	return out
}

// Ensure run and plan give the same bytes with workers as on this machine: variants, replications, a trace that the workers do not have, and again
// from results that are there. A coordinator that is killed (kill -9) in between has lost nothing.
func TestFleetGivesTheSameBytes(t *testing.T) {
	inCompany(t)
	dir := sweepDir(t)
	coordinator, url := coordinate(t, dir, "--listen", "127.0.0.1:0")
	elsewhere := t.TempDir()
	workers := []*background{begin(t, elsewhere, "worker", "--nats", url, "--jobs", "1"), begin(t, elsewhere, "worker", "--nats", url, "--jobs", "1")}
	calls := [][]string{
		{"run", "s.yaml", "--reps", "7", "--set", "duration=5m", "--format", "json", "--quiet"},
		{"run", "variants.yaml", "--reps", "2", "--wire", "--set", "duration=2m", "--set", "warmup=10s", "--format", "json", "--quiet"},
		{"run", "trace.yaml", "--reps", "2", "--seed", "5", "--format", "json", "--quiet"},
		planning(dir).Args[1:],
	}
	var want [][]byte
	for _, args := range calls {
		want = append(want, stdout(t, dir, args...))
		if got := stdout(t, dir, append(args, "--nats", url)...); !bytes.Equal(got, want[len(want)-1]) {
			t.Errorf("%v: another answer than on this machine", args)
		}
	}
	done := regexp.MustCompile(`has left, (\d+) tasks done`)
	coordinator.kill()
	coordinator, _ = coordinate(t, dir, "--listen", strings.TrimPrefix(url, "nats://"))
	for i, args := range calls {
		if got := stdout(t, dir, append(args, "--nats", url)...); !bytes.Equal(got, want[i]) {
			t.Errorf("%v: another answer after the coordinator was killed", args)
		}
	}
	waitFor(t, "the workers to be back", func() bool { return strings.Count(coordinator.errs.String(), "is there") == 2 })
	for _, w := range workers {
		w.end(t, syscall.SIGTERM)
	}
	waitFor(t, "the workers to leave", func() bool { return strings.Count(coordinator.errs.String(), "has left") == 2 })
	sum := 0
	for _, m := range done.FindAllStringSubmatch(coordinator.errs.String(), -1) {
		n := 0
		for _, c := range m[1] {
			n = 10*n + int(c-'0')
		}
		sum += n
	}
	runs := 7 + 2*variantsOf(t, want[1]) + 2 + runsOf(t, want[3])
	if sum != runs {
		t.Errorf("the workers did %d runs, want %d: each once", sum, runs)
	}
	coordinator.end(t, os.Interrupt)
}

func variantsOf(t *testing.T, data []byte) int {
	t.Helper()
	var r report.Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return len(r.Variants)
}

func runsOf(t *testing.T, data []byte) int {
	t.Helper()
	var r struct {
		Runs int `json:"runs"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r.Runs
}

// Ensure four workers, one of them killed (kill -9) in the middle of a run, give the bytes of this machine within 10 s of the kill.
func TestFleetWorkerKilled(t *testing.T) {
	inCompany(t)
	dir := sweepDir(t)
	_, url := coordinate(t, dir, "--listen", "127.0.0.1:0")
	args := []string{"run", "s.yaml", "--reps", "16", "--set", "duration=8h", "--format", "json", "--quiet"}
	want := stdout(t, dir, args...)
	var workers []*background
	for range 4 {
		workers = append(workers, begin(t, dir, "worker", "--nats", url, "--jobs", "1"))
	}
	client, err := bus.Open(t.Context(), bus.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	results := func() uint64 {
		s, err := client.JS.Stream(t.Context(), "KV_"+client.Name("sweeps"))
		if err != nil {
			return 0
		}
		return s.CachedInfo().State.Msgs
	}
	for _, w := range workers {
		waitFor(t, "the workers", func() bool { return strings.Contains(w.errs.String(), "takes runs") })
	}
	type answer struct {
		out []byte
		at  time.Time
	}
	got := make(chan answer, 1)
	go func() {
		cmd := exec.Command("simload", append(args, "--nats", url)...)
		cmd.Dir = dir
		out, _ := cmd.Output() // its bytes tell, and its exit code is the verdict's
		got <- answer{out, time.Now()}
	}()
	waitFor(t, "some results", func() bool { return results() >= 4 })
	workers[0].kill()
	killed := time.Now()
	left := 16 - results()
	a := <-got
	if !bytes.Equal(a.out, want) {
		t.Error("another answer than on this machine")
	}
	t.Logf("%d runs were left, the answer came %.1f s after the kill", left, a.at.Sub(killed).Seconds())
	if left == 0 {
		t.Error("all was done before the kill")
	}
	if took := a.at.Sub(killed); took > 10*time.Second {
		t.Errorf("the answer came %v after the kill", took)
	}
	if n := results(); n != 16 {
		t.Errorf("%d results, want 16", n)
	}
}

// Ensure Ctrl-C ends a sweep that waits for workers, what there is is written and marked partial, and the exit code is 130.
func TestFleetInterrupted(t *testing.T) {
	inCompany(t)
	dir := sweepDir(t)
	_, url := coordinate(t, dir, "--listen", "127.0.0.1:0")
	for _, args := range [][]string{
		{"run", "s.yaml", "--reps", "50", "--set", "duration=30m", "--format", "json", "--nats", url},
		append(planning(dir).Args[1:], "--nats", url),
	} {
		b := &background{Cmd: exec.Command("simload", args...)}
		var out bytes.Buffer
		b.Dir, b.Stderr, b.Stdout = dir, &b.errs, &out
		if err := b.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.kill)
		waitFor(t, "the submitter to say that nobody works", func() bool { return strings.Contains(b.errs.String(), "no worker of version") })
		if err := b.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		err := b.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != report.ExitInterrupted {
			t.Errorf("%v: ended with %v\n%s", args, err, b.errs.String())
		}
		if !strings.Contains(out.String(), "partial") {
			t.Errorf("%v: not marked partial", args)
		}
	}
}

// Ensure a token keeps strangers out, is named by its place alone, and shows up nowhere.
func TestFleetToken(t *testing.T) {
	inCompany(t)
	const secret = "correct-horse-battery"
	dir := sweepDir(t)
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	coordinator, url := coordinate(t, dir, "--listen", "127.0.0.1:0", "--nats-token-file", "token")
	stranger := exec.Command("simload", "run", "s.yaml", "--nats", url)
	stranger.Dir = dir
	out, err := stranger.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != report.ExitUsage || !strings.Contains(string(out), "refuses us") || !strings.Contains(string(out), "hint: set SIMLOAD_NATS_TOKEN") {
		t.Errorf("a stranger: %v\n%s", err, out)
	}
	worker := begin(t, dir, "worker", "--nats", url, "--nats-token-file", "token")
	friend := exec.Command("simload", "run", "s.yaml", "--reps", "2", "--set", "duration=2m", "--nats", url)
	friend.Dir, friend.Env = dir, append(os.Environ(), natsTokenEnv+"="+secret)
	text, err := friend.CombinedOutput()
	if errors.As(err, &exit) && exit.ExitCode() == report.ExitFail {
		err = nil
	}
	if err != nil {
		t.Errorf("a friend: %v\n%s", err, text)
	}
	worker.end(t, syscall.SIGTERM)
	coordinator.end(t, os.Interrupt)
	for _, said := range []string{coordinator.errs.String(), worker.errs.String(), string(out), string(text)} {
		if strings.Contains(said, secret) {
			t.Errorf("the token is told: %s", said)
		}
	}
}

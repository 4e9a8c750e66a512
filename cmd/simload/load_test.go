//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/workload"
)

// loadScenario is an open loop with four keys, for four workers.
const loadScenario = `name: load
duration: 4s
warmup: 1s
workload:
  profiles:
    ask: {class: P0, model: m, context: {uniform: {min: 100, max: 300}}, output: {uniform: {min: 1, max: 20}}, max_output: 20, estimate_error: 5%}
    note: {class: P1, model: m, context: 100, output: 5, max_output: 10, writes: 60%}
  streams:
    a: {profile: ask, rate: 100, clients: 50}
    b: {profile: note, rate: 20, clients: 3}
upstreams:
  v:
    models: {m: {latency: {base: 5ms, per_prompt_token: 0s, per_output_token: 500us, first_token_noise: 0.3, output_noise: 0.1, load: 0, refusal: 2ms}}}
    keys: {k: {count: 4, limits: {"*": {rpm: 1M, tpm: 1000M}}}}
prices: {models: {m: {input: 1, output: 2}}}
stack: {retry: {attempts: 4, base: 20ms, cap: 100ms}, agent_cap: {per_minute: 0}, rotation: {exclude: 0s}, concurrency: {start: 400}, breaker: {enabled: false}}
expect: ["ratio_ok > 99%"]
`

// crew is a coordinator with workers, as processes.
type crew struct {
	dir, url string
	workers  []*background
}

// fourWorkers starts them; the clock of the last one is 3 s ahead.
func fourWorkers(t *testing.T) *crew {
	t.Helper()
	c := &crew{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.dir, "load.yaml"), []byte(loadScenario), 0o600); err != nil {
		t.Fatal(err)
	}
	_, c.url = coordinate(t, c.dir, "--listen", "127.0.0.1:0")
	for i := range 4 {
		c.hire(t, "w"+strconv.Itoa(i+1), i == 3)
	}
	return c
}

// hire starts a worker of a name.
func (c *crew) hire(t *testing.T, name string, ahead bool) {
	t.Helper()
	if ahead {
		t.Setenv(clockEnv, "3s")
	}
	w := begin(t, t.TempDir(), "worker", "--nats", c.url, "--name", name, "--jobs", "1", "--orphan-after", "3s")
	if ahead {
		t.Setenv(clockEnv, "")
	}
	c.workers = append(c.workers, w)
	waitFor(t, "worker "+name, func() bool { return strings.Contains(w.errs.String(), "takes runs from") })
}

// lead starts a run by the four workers that writes its report to a file.
func (c *crew) lead(t *testing.T, args ...string) *background {
	t.Helper()
	args = append([]string{"run", "load.yaml", "--mode", "wall", "--workers", "4", "--nats", c.url, "-o", "report.json"}, args...)
	b := begin(t, c.dir, args...)
	waitFor(t, "the start", func() bool { return strings.Contains(b.errs.String(), "all 4 workers start") })
	return b
}

// outcome waits for a run to end, and reads its report.
func (c *crew) outcome(t *testing.T, b *background) (*report.Report, int) {
	t.Helper()
	code := 0
	var exit *exec.ExitError
	if err := b.Wait(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "report.json"))
	if err != nil {
		t.Fatal(err, b.errs.String())
	}
	var r report.Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return &r, code
}

// busy reports whether a run is invalid only because this machine had too much to do: that says nothing of what is tested.
func busy(r *report.Report) bool {
	return !slices.ContainsFunc(r.Verdict.Reasons, func(why string) bool {
		return !regexp.MustCompile(`^(worker w\d|the mock's process): the (harness was (late|out of processor)|garbage collector)|^the workers did not start together`).MatchString(why)
	})
}

// Load by four worker processes, one with a clock that is 3 s ahead: as it should be, and when one process after the other is lost.
func TestLoadFromFourWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("processes and real time; the packages below have tests of their own under the race detector")
	}
	c := fourWorkers(t)
	t.Run("whole", func(t *testing.T) { wholeLoad(t, c) })
	t.Run("worker killed", func(t *testing.T) { loadLosesWorker(t, c) })
	c.workers = slices.Delete(c.workers, 1, 2)
	c.hire(t, "w5", false)
	t.Run("interrupted", func(t *testing.T) { loadInterrupted(t, c) })
	t.Run("leader killed", func(t *testing.T) { loadLosesLeader(t, c) })
	for _, w := range c.workers {
		w.end(t, syscall.SIGTERM)
	}
}

// Ensure the workers are one run: its demand to the last request, laws of the whole (INV-1, INV-2, INV-6), each one's lag, and the
// same true instant of the start.
func wholeLoad(t *testing.T, c *crew) {
	duration := "4s"
	if os.Getenv("SIMLOAD_FULL") == "1" {
		duration = "20s"
	}
	var r *report.Report
	for try := 1; ; try++ {
		var code int
		if r, code = c.outcome(t, c.lead(t, "--set", "duration="+duration)); code == report.ExitPass {
			break
		}
		if code != report.ExitInvalid || !busy(r) {
			t.Fatalf("exit code %d: %+v", code, r.Verdict)
		}
		if t.Logf("try %d: %q", try, r.Verdict.Reasons); try == 3 {
			t.Log("the machine is too busy for a valid run; what was counted is looked at all the same")
			break
		}
	}
	v := &r.Variants[0]
	if want := demand(t, c.dir, duration); v.Totals.Requests != want || v.Totals.Succeeded+v.Totals.Failed+v.Totals.DeadLettered+v.Totals.Rejected != want {
		t.Errorf("%+v, the demand is %d", v.Totals, want)
	}
	if l := &v.Laws; !l.ConservationOK || !l.BooksAgree || l.NoBooks || l.LittleResidual > 0.01 {
		t.Errorf("laws: %+v", l)
	}
	c.checkWorkers(t, v.Harness)
}

// checkWorkers looks at the table of workers, and at the clocks.
func (c *crew) checkWorkers(t *testing.T, h *report.Harness) {
	t.Helper()
	if len(h.Workers) != 5 || h.Workers[4].State != report.WorkerMock {
		t.Fatalf("workers: %+v", h.Workers)
	}
	var first, last time.Time
	for i, w := range h.Workers[:4] {
		if w.Share != i+1 || w.State != report.WorkerDone || w.Requests == 0 || w.Agents == 0 || w.LagMaxMS <= 0 || w.LagP99MS > h.LagP99MS {
			t.Errorf("worker %d: %+v", i, w)
		}
		ahead := 0.0
		if w.Name == "w4" {
			ahead = 3000
			if start := math.Abs(float64(w.StartMS)); start >= 500 { // by its own clock it would be 3000
				t.Errorf("worker w4, whose clock is 3 s ahead, began %v ms apart from the start", start)
			}
		}
		if math.Abs(float64(w.OffsetMS)-ahead) > float64(w.OffsetErrorMS)+5 { // this machine's one clock is being set, too
			t.Errorf("the clock of %s is %v ms ahead, within %v ms, and not %v", w.Name, w.OffsetMS, w.OffsetErrorMS, ahead)
		}
		k, err := strconv.Atoi(strings.TrimPrefix(w.Name, "w"))
		if err != nil {
			t.Fatal(err)
		}
		said := regexp.MustCompile(`the load begins, at (\S+) by`).FindAllStringSubmatch(c.workers[k-1].errs.String(), -1)
		at, err := time.Parse(time.RFC3339Nano, said[len(said)-1][1])
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(-time.Duration(ahead) * time.Millisecond) // the true instant: all are on this machine
		if i == 0 {
			first, last = at, at
		}
		if at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	if apart := last.Sub(first).Seconds() * 1000; apart > float64(h.StartSkewMS)+0.001 {
		t.Errorf("the workers began %v ms apart, the report says at most %v", apart, h.StartSkewMS)
	}
}

// demand is how many requests of the scenario are measured.
func demand(t *testing.T, dir, duration string) (n int64) {
	t.Helper()
	sc, err := scenario.Load(filepath.Join(dir, "load.yaml"), []string{"duration=" + duration})
	if err != nil {
		t.Fatal(err)
	}
	set, err := sc.Variants()[0].Build(sc.Seed())
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.New(set.Workload)
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Sources() {
		for d, ok := w.Next(i); ok; d, ok = w.Next(i) {
			if d.Intended >= set.Report.Warmup {
				n++
			}
		}
	}
	return n
}

// Ensure a worker that is killed (kill -9) in the middle makes the run INVALID, with its name, exit code 3 and a report of the others, who went on
// to the end.
func loadLosesWorker(t *testing.T, c *crew) {
	b := c.lead(t)
	time.Sleep(1200 * time.Millisecond)
	c.workers[1].kill()
	r, code := c.outcome(t, b)
	v := &r.Variants[0]
	if code != report.ExitInvalid || r.Verdict.Status != report.StatusInvalid || !slices.ContainsFunc(r.Verdict.Reasons, func(why string) bool {
		return strings.HasPrefix(why, "worker w2 (share ") && strings.Contains(why, "was lost") && strings.Contains(why, "carried by nobody else")
	}) {
		t.Errorf("exit code %d: %+v", code, r.Verdict)
	}
	whole := demand(t, c.dir, "4s")
	if n := v.Totals.Requests; n < whole/2 || n >= whole || !v.Laws.ConservationOK || !v.Laws.Incomplete || v.Upstream.Received <= n {
		t.Errorf("%d of %d requests, laws %+v, the mock received %d", n, whole, v.Laws, v.Upstream.Received)
	}
	if i := slices.IndexFunc(v.Harness.Workers, func(w report.Worker) bool { return w.Name == "w2" }); i < 0 || v.Harness.Workers[i].State != report.WorkerLost {
		t.Errorf("workers: %+v", v.Harness.Workers)
	}
}

// Ensure an interrupt reaches all workers, and what was measured is written.
func loadInterrupted(t *testing.T, c *crew) {
	b := c.lead(t, "--set", "duration=1h")
	time.Sleep(2500 * time.Millisecond)
	if err := b.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r, code := c.outcome(t, b)
	if code != report.ExitInterrupted || r.Verdict.Status != report.StatusPartial || r.Variants[0].Totals.Succeeded == 0 {
		t.Errorf("exit code %d, %+v, %+v", code, r.Verdict, r.Variants[0].Totals)
	}
	c.expect(t, "the share ended: interrupted")
}

// Ensure workers stop by themselves when whoever leads them is killed (kill -9).
func loadLosesLeader(t *testing.T, c *crew) {
	b := c.lead(t, "--set", "duration=1h")
	time.Sleep(time.Second)
	b.kill()
	c.expect(t, "no sign of life of the leader for 3s")
}

// expect waits until all workers have said something.
func (c *crew) expect(t *testing.T, text string) {
	t.Helper()
	for _, w := range c.workers {
		waitFor(t, w.Args[5]+": "+text, func() bool { return strings.Contains(w.errs.String(), text) })
	}
}

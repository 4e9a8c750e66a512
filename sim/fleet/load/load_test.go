package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/fleet/server"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

const shortScenario = `name: short
duration: 1s
workload:
  profiles:
    ask: {class: P0, model: m, context: 100, output: 5, max_output: 10}
  streams:
    a: {profile: ask, rate: 60, arrivals: constant, clients: 20}
upstreams:
  v:
    models: {m: {latency: {base: 2ms, per_prompt_token: 0s, per_output_token: 100us, first_token_noise: 0.1, output_noise: 0.1, load: 0, refusal: 2ms}}}
    keys: {k: {count: 3, limits: {"*": {rpm: 1M, tpm: 1000M}}}}
prices: {models: {m: {input: 1, output: 2}}}
stack: {agent_cap: {per_minute: 0}}
`

// journal is what several goroutines said.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) say(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, text)
}

func (j *journal) has(text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.lines, func(l string) bool { return strings.Contains(l, text) })
}

// site is a server with workers in this process.
type site struct {
	journal
	t      *testing.T
	server *server.Server
	ctx    context.Context
	stop   context.CancelFunc
	wg     sync.WaitGroup
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t}
	s.ctx, s.stop = context.WithCancel(context.Background())
	var err error
	if s.server, err = server.Start(s.ctx, server.Config{Listen: "127.0.0.1:0", Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	return s
}

// close ends the workers and the server.
func (s *site) close() {
	s.stop()
	s.wg.Wait()
	s.server.Stop()
}

func (s *site) connect(name string) *bus.Bus {
	s.t.Helper()
	b, err := bus.Open(s.ctx, bus.Config{URL: s.server.URL(), Name: name})
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// hire starts a worker; change alters how it is set up.
func (s *site) hire(name string, change func(*WorkerConfig)) {
	c := WorkerConfig{
		Name: name, Called: name, Version: "v1", Allowed: func(string) error { return nil }, Secret: func() (stack.Secret, error) { return stack.NewSecret("k"), nil },
		Log: func(text string) { s.say(name + ": " + text) },
	}
	if change != nil {
		change(&c)
	}
	b := s.connect(name)
	s.wg.Go(func() {
		defer b.Close()
		if err := Work(s.ctx, b, c); err != nil {
			s.t.Error(err)
		}
	})
}

// lead runs the short scenario.
func (s *site) lead(change func(*sim.Options, *Options), sets ...string) (*sim.Outcome, error) {
	sc, err := scenario.Parse("short.yaml", []byte(shortScenario), sets)
	if err != nil {
		s.t.Fatal(err)
	}
	b := s.connect("leader")
	defer b.Close()
	o := sim.Options{Mode: scenario.ModeWall}
	how := Options{Workers: 2, Version: "v1", Set: Settings{Lead: 300 * time.Millisecond}, Log: func(text string) { s.say("leader: " + text) }}
	if change != nil {
		change(&o, &how)
	}
	return Run(s.ctx, b, sc, o, how)
}

func (s *site) await(text string) {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); !s.has(text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("nobody said %q, but %q", text, s.lines)
		}
	}
}

// Ensure workers of another version, and those that may not load the target's machine, take no part and say so, that a run finds its workers
// whenever they come, that replications follow each other, and that nothing is left behind (goroutines).
func TestRunByWorkers(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := newSite(t)
	s.hire("old", func(c *WorkerConfig) { c.Version = "v0" })
	s.hire("shy", func(c *WorkerConfig) { c.Allowed = func(url string) error { return fmt.Errorf("not to %.16s", url) } })
	s.hire("first", nil)
	var once sync.Once
	out, err := s.lead(func(o *sim.Options, _ *Options) {
		o.Reps = 2
		o.Progress = func(p sim.Progress) {
			if strings.Contains(p.Note, "1 of 2 workers ready, 1 missing") {
				once.Do(func() { s.hire("second", nil) })
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	v := &out.Report.Variants[0]
	if out.Requests != 120 || v.Totals.Requests != 120 || v.SummedRuns != 2 || len(v.Harness.Workers) != 6 || !v.Laws.BooksAgree || !v.Laws.ConservationOK {
		t.Errorf("%d requests, %+v, workers %+v, laws %+v", out.Requests, v.Totals, v.Harness.Workers, v.Laws)
	}
	for _, w := range v.Harness.Workers {
		if ms := float64(w.StartMS); math.Abs(ms) > 500 || w.Share > 0 && (ms == 0 || w.OffsetErrorMS <= 0) {
			t.Errorf("worker %s began %v ms after the start", w.Name, ms)
		}
	}
	for _, want := range []string{
		"leader: worker old does not take part: it is of version v0, the run of v1", "leader: worker shy does not take part: not to http://127.0.0.1",
		"old: takes no part", "leader: all 2 workers start",
	} {
		s.await(want)
	}
	s.close()
	goleak.VerifyNone(t, before)
}

// Ensure workers that share limits through Redis need no keys of their own: two with one key keep its limit together, as the mock saw it.
func TestWorkersShareLimits(t *testing.T) {
	redis := redistest.Start(t)
	s := newSite(t)
	defer s.close()
	s.hire("a", nil)
	s.hire("b", nil)
	sets := []string{
		"stack.shared=on", "upstreams.v.keys.k.count=1", `upstreams.v.keys.k.limits={"*": {rpm: 60, tpm: 1000M}}`, "stack.queue.max_wait=1s",
	}
	var divided *sim.ShareError
	if _, err := s.lead(nil, sets...); !errors.As(err, &divided) || !strings.Contains(divided.Problem, "in the memory of one process") {
		t.Errorf("shared in memory: %v", err)
	}
	out, err := s.lead(func(o *sim.Options, _ *Options) { o.Wall.Redis = redis.URL() }, sets...)
	if err != nil {
		t.Fatal(err)
	}
	v := &out.Report.Variants[0]
	// 80 % of 60 requests a minute, with P0 and nobody else: 48 at most, of 60 that are asked for.
	if n := v.Upstream.Received; n == 0 || n > 48 || v.Totals.HTTP429 > 0 || v.Totals.Requests != 60 || !v.Laws.ConservationOK || !v.Laws.BooksAgree {
		t.Errorf("the mock received %d, %+v, laws %+v", n, v.Totals, v.Laws)
	}
	for _, w := range v.Harness.Workers[:2] {
		if w.Requests == 0 {
			t.Errorf("worker %s asked for nothing", w.Name)
		}
	}
}

// Ensure a run that cannot begin says why: too few keys, a key that a worker lacks, an address that workers cannot reach.
func TestRunCannotBegin(t *testing.T) {
	s := newSite(t)
	defer s.close()
	var divided *sim.ShareError
	if _, err := s.lead(func(_ *sim.Options, how *Options) { how.Workers = 4 }); !errors.As(err, &divided) {
		t.Errorf("4 workers with 3 keys: %v", err)
	}
	var start *StartError
	var listen *ListenError
	if _, err := s.lead(func(_ *sim.Options, how *Options) { how.MockListen = "0.0.0.0:0" }); !errors.As(err, &listen) {
		t.Errorf("an address that is none: %v", err)
	}
	if _, err := s.lead(func(_ *sim.Options, how *Options) { how.MockListen = "192.0.2.1:0" }); !errors.As(err, &listen) || !strings.Contains(listen.Error(), "not a loopback address") {
		t.Errorf("an address that others can reach: %v", err)
	}
	s.hire("a", nil)
	s.hire("b", func(c *WorkerConfig) {
		c.Secret = func() (stack.Secret, error) { return stack.Secret{}, errors.New("no key here") }
	})
	_, err := s.lead(func(o *sim.Options, _ *Options) { o.Wall.Target = "http://127.0.0.1:9/v1" })
	if !errors.As(err, &start) || !start.Usage || start.Problem != "worker b: no key here" {
		t.Errorf("a worker without a key: %v", err)
	}
	s.await("a: the share ended: worker b: no key here")
	var stop atomic.Bool
	stop.Store(true)
	out, err := s.lead(func(o *sim.Options, how *Options) { o.Stop, how.Workers = &stop, 3 })
	if err != nil || !out.Interrupted || out.Report.Verdict.Status != report.StatusPartial || len(out.Report.Variants) > 0 {
		t.Errorf("stopped before the start: %+v, %v", out, err)
	}
}
